"""The types of a timeline: spans of work on lanes, and the idle time between them.

This module knows nothing of schedules or figures. Time has the caller's unit. Every timeline begins at 0.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import fsum
from typing import Any, NamedTuple


class Span(NamedTuple):
    """One piece of work on one lane, from `start` to `end`.

    It is a named tuple and not a dataclass, because a schedule can have half a million spans.
    """

    lane: int
    start: float
    end: float
    kind: str  # "forward", "backward", "backward_input", "backward_weight", "communication", "warm-up", ...
    label: str = ""
    stage: int = -1
    microbatch: int = -1
    chunk: int = 0  # the model chunk on its lane, or the direction in a bidirectional pipeline
    row: int = 0  # 0: the whole lane; 1, 2: its upper and lower half, for a pair that runs together


# Why a lane is idle, in the order of a legend; "waiting": for an unknown reason; "beside": because its device works on
# another lane.
IDLE = ("warm-up", "dependency", "p2p", "waiting", "tail", "beside")


@dataclass(frozen=True, slots=True)
class Timeline:
    """Lanes (devices, workers, GPUs) by name, their spans of work, and their idle time.

    Spans and gaps together cover every lane from 0 to `makespan`.

    - spans: sorted by lane, then start.
    - idle: the gaps, each of a kind in IDLE.
    - critical: one longest chain as indices into spans, first to last.
    """

    lanes: tuple[str, ...]
    spans: tuple[Span, ...]
    idle: tuple[Span, ...] = ()
    unit: str = ""
    critical: tuple[int, ...] = ()

    @property
    def makespan(self) -> float:
        """When the last span or gap ends; 0 for an empty timeline."""
        return max((span.end for spans in (self.spans, self.idle) for span in spans), default=0.0)

    def moved(self, by: float) -> Timeline:
        """This timeline shifted by `by` (at least 0), to compare it with a timeline on another clock."""
        spans, idle = (
            tuple(span._replace(start=span.start + by, end=span.end + by) for span in row)
            for row in (self.spans, self.idle)
        )
        return Timeline(self.lanes, spans, idle, self.unit, self.critical)

    def facts(self) -> dict[str, Any]:
        """The facts of any timeline, each summed over the spans that its figure draws.

        bubble_fraction is idle / (lanes x makespan); bubble_ratio is idle / busy, as Megatron-LM counts.
        """
        idle = idle_per_lane(self)
        busy = busy_per_lane(self)
        area = len(self.lanes) * self.makespan
        return {
            "makespan": self.makespan,
            "device_time": area,
            "idle_time": fsum(idle),
            "bubble_fraction": fsum(idle) / area if area else 0.0,
            "bubble_ratio": fsum(idle) / fsum(busy) if fsum(busy) else 0.0,
            "idle_per_device": idle,
        }


def timeline(
    lanes: Sequence[str], spans: Iterable[Span], unit: str = "", until: float | None = None
) -> Timeline:
    """A timeline of these spans, given in any order, with its gaps: warm-up, waiting, tail.

    lanes: their names. until: when the lanes end, if that is later than the last span. ValueError for a span that ends
    before it starts, or that starts before 0.
    """
    ordered = tuple(sorted(spans, key=lambda span: (span.lane, span.start, span.end)))
    for span in ordered:
        if not 0 <= span.start <= span.end:
            raise ValueError(
                f"{lanes[span.lane]}: {span.kind} {span.label} runs from {span.start:g} to {span.end:g}"
            )
    end = max([until or 0.0, *(span.end for span in ordered)])
    return Timeline(tuple(lanes), ordered, gaps(len(lanes), ordered, end), unit)


def gaps(lanes: int, spans: Iterable[Span], end: float) -> tuple[Span, ...]:
    """The gaps that these spans leave between 0 and `end`; spans must be sorted by lane, then start."""
    idle: list[Span] = []
    reached = [0.0] * lanes
    for span in spans:
        free = reached[span.lane]
        if span.start > free:
            idle.append(Span(span.lane, free, span.start, "waiting" if free else "warm-up"))
        reached[span.lane] = max(free, span.end)
    idle += [Span(lane, free, end, "tail") for lane, free in enumerate(reached) if free < end]
    return tuple(sorted(idle))


def busy_elsewhere(timeline: Timeline, devices: Sequence[Sequence[int]]) -> Timeline:
    """The timeline with the gaps of each lane divided: "beside" where another lane of its device is busy.

    devices: the numbers of each device's lanes. In the rest of a gap, the whole device is idle.
    """
    of_lane = {lane: number for number, lanes in enumerate(devices) if len(lanes) > 1 for lane in lanes}
    if not of_lane:
        return timeline
    rows: list[list[Span]] = [[] for _ in devices]
    for span in timeline.spans:
        if span.lane in of_lane:
            rows[of_lane[span.lane]].append(span._replace(lane=0))
    end = timeline.makespan
    free = [[(gap.start, gap.end) for gap in gaps(1, sorted(row), end)] for row in rows]
    idle: list[Span] = []
    at = dict.fromkeys(of_lane, 0)
    for gap in timeline.idle:
        if gap.lane not in of_lane:
            idle.append(gap)
            continue
        whole, now = free[of_lane[gap.lane]], gap.start
        while at[gap.lane] < len(whole) and whole[at[gap.lane]][0] < gap.end:
            start, stop = whole[at[gap.lane]]
            if start > now:
                idle.append(gap._replace(start=now, end=start, kind="beside"))
            idle.append(gap._replace(start=start, end=stop))
            now, at[gap.lane] = stop, at[gap.lane] + 1
        if now < gap.end:
            idle.append(gap._replace(start=now, kind="beside"))
    return Timeline(timeline.lanes, timeline.spans, tuple(idle), timeline.unit, timeline.critical)


def busy_per_lane(timeline: Timeline) -> list[float]:
    """The busy time of each lane; a pair that runs together counts once."""
    busy = [0.0] * len(timeline.lanes)
    reached = [0.0] * len(timeline.lanes)
    for lane, start, end, *_ in timeline.spans:
        free = reached[lane]
        if end > free:
            busy[lane] += end - (start if start > free else free)
            reached[lane] = end
    return busy


def idle_per_lane(timeline: Timeline) -> list[float]:
    """The idle time of each lane, summed over the gaps that are drawn."""
    idle = [0.0] * len(timeline.lanes)
    for lane, start, end, *_ in timeline.idle:
        idle[lane] += end - start
    return idle


def own_span_bubble(timeline: Timeline) -> list[float]:
    """The idle share of each lane between its own first and last span, as the zero-bubble papers count it."""
    first = [0.0] * len(timeline.lanes)
    last = [0.0] * len(timeline.lanes)
    for lane, start, end, *_ in reversed(timeline.spans):
        first[lane] = start
        last[lane] = max(last[lane], end)
    busy = busy_per_lane(timeline)
    return [
        1 - done / (end - start) if end > start else 0.0
        for done, start, end in zip(busy, first, last, strict=True)
    ]
