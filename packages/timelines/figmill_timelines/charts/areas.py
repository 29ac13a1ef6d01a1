"""A crowd of lanes as a few areas: where all do one kind of work, several kinds in turn, or nothing.

Neighbouring spans of one kind join to a run. Runs that are too short to be seen join to a stretch of all their kinds.
Stretches of the same kinds on neighbouring lanes join to one polygon. Pure; it knows no colour.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby

from figmill_timelines.spans import Span, Timeline

PERIOD = 4  # runs; the longest round of kinds that alternate


@dataclass(frozen=True, slots=True)
class LaneArea:
    """A stretch of a lane.

    - kinds: of the spans in it; "idle" and "beside" for its gaps.
    """

    lane: int
    start: float
    end: float
    kinds: frozenset[str]


def stretches(timeline: Timeline, visible: float) -> tuple[LaneArea, ...]:
    """The stretches of each lane, in order. visible: the length from which a run stands alone.

    Together they cover what the spans and gaps of the timeline cover.
    """
    return tuple(
        area
        for _, lane in groupby(_runs(timeline), key=lambda run: run.lane)
        for area in _joined(list(lane), visible)
    )


def _runs(timeline: Timeline) -> Iterator[LaneArea]:
    """Spans and gaps, with neighbours of one kind and the two halves of a pair joined."""
    work = (LaneArea(span.lane, span.start, span.end, frozenset((span.kind,))) for span in timeline.spans)
    gaps = (LaneArea(gap.lane, gap.start, gap.end, frozenset((_gap(gap),))) for gap in timeline.idle)
    last: LaneArea | None = None
    for area in sorted((*work, *gaps), key=lambda area: (area.lane, area.start, area.end)):
        if area.end <= area.start:
            continue
        if last and last.lane == area.lane and area.start < last.end:
            last = replace(last, end=max(last.end, area.end), kinds=last.kinds | area.kinds)
        elif last and last.kinds == area.kinds and _follows(last, area):
            last = replace(last, end=area.end)
        else:
            if last:
                yield last
            last = area
    if last:
        yield last


def _follows(last: LaneArea, area: LaneArea) -> bool:
    return last.lane == area.lane and area.start - last.end <= 1e-9 * max(1.0, last.end)


def _gap(gap: Span) -> str:
    return "beside" if gap.kind == "beside" else "idle"


def _joined(runs: Sequence[LaneArea], visible: float) -> Iterator[LaneArea]:
    """The long runs of a lane unchanged, and its short ones joined; idle time at an end of a lane is not joined."""
    ends = [run for run in (runs[0], runs[-1]) if run.kinds == {"idle"}]
    for short, group in groupby(runs, key=lambda run: run.end - run.start < visible and run not in ends):
        lane = list(group)
        yield from _in_turn(lane) if short else lane


def _in_turn(runs: Sequence[LaneArea]) -> Iterator[LaneArea]:
    """Short runs joined as long as their kinds recur; a run of a kind that does not stays alone."""
    first = 0
    while first < len(runs):
        here, later = runs[first : first + PERIOD], runs[first + PERIOD : first + 2 * PERIOD]
        kinds = _kinds(here) & (_kinds(later) if later else _kinds(here))
        last = first + 1
        while last < len(runs) and runs[first].kinds | runs[last].kinds <= kinds:
            if not _follows(runs[last - 1], runs[last]):
                break
            last += 1
        joined = runs[first:last]
        yield replace(joined[0], end=joined[-1].end, kinds=_kinds(joined))
        first = last


def _kinds(runs: Sequence[LaneArea]) -> frozenset[str]:
    return frozenset().union(*(run.kinds for run in runs))


def polygons(areas: Iterable[LaneArea]) -> list[list[LaneArea]]:
    """Areas of the same kinds that overlap in time on neighbouring lanes, from the first lane of each polygon down."""
    chains: list[list[LaneArea]] = []
    open_chains: list[list[LaneArea]] = []
    for lane, row in groupby(areas, key=lambda area: area.lane):
        above = [chain for chain in open_chains if chain[-1].lane == lane - 1]
        open_chains = []
        for area in row:
            chain = next((chain for chain in above if _touch(chain[-1], area)), None)
            if chain is None:
                chain = []
                chains.append(chain)
            else:
                above.remove(chain)
            chain.append(area)
            open_chains.append(chain)
    return chains


def _touch(above: LaneArea, area: LaneArea) -> bool:
    return above.kinds == area.kinds and above.start < area.end and area.start < above.end
