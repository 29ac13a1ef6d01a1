"""Fill the bubbles of a pipeline with other work: the rules of PipeFisher (Osawa et al., arXiv:2211.14133).

The work is K-FAC's. The curvature of a microbatch needs its forward (A) or its backward (B). A module's factors are
synchronised after their curvature, and inverted after their synchronisation. Each device fills its own bubbles: the
earliest start first, then in the order curvature, synchronisation, inversion. Work that does not fit goes on to the
next iteration of the pipeline. Work that no bubble can hold runs after the last iteration and lengthens it. File
formats are read elsewhere, by `traces.pipeline_events`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import fsum
from typing import Any

from figmill.timelines.spans import Span, Timeline, busy_per_lane, idle_per_lane, timeline

PRIORITY = ("curvature", "sync", "inversion")


@dataclass(frozen=True, slots=True)
class Work:
    """One piece of work for the bubbles of `lane`.

    ready: the time in the step at which its data exists. after: indices, in the list of all work, of earlier
    work on the same lane that must be done before.
    """

    lane: int
    kind: str  # one of PRIORITY
    label: str
    duration: float
    ready: float = 0.0
    after: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Filled:
    """before: one step. after: `iterations` such steps in a row, with the work in their bubbles."""

    before: Timeline
    after: Timeline
    iterations: int
    work: tuple[Work, ...]

    def facts(self) -> dict[str, Any]:
        """The facts of a figure, from the spans of both timelines; usage is busy / (iterations x step)."""
        lanes, total = len(self.after.lanes), self.after.makespan
        placed = [span for span in self.after.spans if span.kind in PRIORITY]
        busy = fsum(busy_per_lane(self.after))
        lengthened = total - self.iterations * self.before.makespan
        return {
            "iterations": self.iterations,
            "step_time": total / self.iterations,
            "usage": busy / (lanes * total),
            "busy_before": fsum(busy_per_lane(self.before)),
            "busy_after": busy / self.iterations,
            "bubble_fraction_before": fsum(idle_per_lane(self.before)) / (lanes * self.before.makespan),
            "bubble_fraction_after": fsum(idle_per_lane(self.after)) / (lanes * total),
            "work_time": fsum(span.end - span.start for span in placed),
            "unplaced": len(self.work) - len(placed),
            **self._per_device(placed),
            "lengthened_by": lengthened if lengthened > 1e-9 * total else 0.0,
        }

    def _per_device(self, placed: Sequence[Span]) -> dict[str, list[Any]]:
        """How many steps each device needs for its own work, and its share of busy time in these.

        The share is above 1 where the work that fits in no bubble is more than the idle time that is left.
        """
        step, busy = self.before.makespan, busy_per_lane(self.before)
        work: list[list[Span]] = [[] for _ in busy]
        for span in placed:
            work[span.lane].append(span)
        end = self.iterations * step * (1 - 1e-12)
        steps = [
            max((int(s.start / step * (1 + 1e-12)) + 1 for s in own if s.start < end), default=1)
            for own in work
        ]
        shares = [
            (fsum(s.end - s.start for s in own) + count * step_busy) / (count * step)
            for own, count, step_busy in zip(work, steps, busy, strict=True)
        ]
        return {"iterations_per_device": steps, "usage_per_device": shares}


def fill(before: Timeline, work: Sequence[Work], margin: float = 0.0, stale: bool = False) -> Filled:
    """Place all of `work` in the bubbles of `before`, over as many iterations as it takes.

    margin: the free time that must be left behind a piece when it is placed, as a share of its length; what follows in
    the same bubble may use it. With 0, work that fits exactly is placed.
    stale: the first iteration may use data of the step before, so that all work is ready at 0.
    """
    for index, item in enumerate(work):
        if item.kind not in PRIORITY or not item.duration > 0:
            raise ValueError(
                f"{before.lanes[item.lane]}, {item.label}: work is {', '.join(PRIORITY)} and takes time"
            )
        if any(earlier >= index or work[earlier].lane != item.lane for earlier in item.after):
            raise ValueError(
                f"{before.lanes[item.lane]}, {item.label}: must follow earlier work of its device"
            )
    step = before.makespan
    placed: list[Span] = []
    left: list[Span] = []
    for lane in range(len(before.lanes)):
        bubbles = [gap for gap in before.idle if gap.lane == lane]
        inside, outside = _fill_lane(bubbles, [*enumerate(work)], lane, step, margin, stale)
        placed += inside
        left += outside
    iterations = max((int(span.start / step) + 1 for span in placed), default=1)
    end = iterations * step
    # Work that never fits runs after the last iteration, in a row; its times count from 0 until here.
    placed += [span._replace(start=end + span.start, end=end + span.end) for span in left]
    repeated = [
        span._replace(start=span.start + turn * step, end=span.end + turn * step)
        for turn in range(iterations)
        for span in before.spans
    ]
    after = timeline(before.lanes, [*repeated, *placed], before.unit, until=end)
    return Filled(before, after, iterations, tuple(work))


def _fill_lane(
    bubbles: Sequence[Span],
    work: Sequence[tuple[int, Work]],
    lane: int,
    step: float,
    margin: float,
    stale: bool,
) -> tuple[list[Span], list[Span]]:
    """The spans placed in bubbles, in the time of all iterations; and the spans that fit in none, from 0 on."""
    longest = max((gap.end - gap.start for gap in bubbles), default=0.0)
    waiting = {index: item for index, item in work if item.lane == lane}
    misfits: dict[int, Work] = {}
    # `after` names earlier work only, so that a misfit is known before its followers.
    for index, item in waiting.items():
        if _room(item, margin) > longest * (1 + 1e-12) or any(n in misfits for n in item.after):
            misfits[index] = item
    for index in misfits:
        del waiting[index]
    done: dict[int, float] = {}
    placed: list[Span] = []
    turn = 0
    # This ends: from the second turn on all data exists, and the longest bubble holds at least one piece.
    while waiting:
        for gap in bubbles:
            start, end = gap.start + turn * step, gap.end + turn * step
            placed += _fill_bubble(start, end, waiting, done, margin, stale)
        turn += 1
    rest = sorted(misfits.items(), key=lambda pair: PRIORITY.index(pair[1].kind))
    return placed, list(_in_line(lane, rest))


def _fill_bubble(
    start: float, end: float, waiting: dict[int, Work], done: dict[int, float], margin: float, stale: bool
) -> Iterator[Span]:
    """Move work from `waiting` into this bubble, and note its end in `done`."""
    now = start
    while True:
        best: tuple[float, int, int] | None = None
        for index, item in waiting.items():
            if any(n not in done for n in item.after):
                continue
            begin = max(now, 0.0 if stale else item.ready, *(done[n] for n in item.after), 0.0)
            if begin + _room(item, margin) <= end + 1e-9 * max(1.0, end):
                candidate = (begin, PRIORITY.index(item.kind), index)
                best = candidate if best is None or candidate < best else best
        if best is None:
            return
        begin, _, index = best
        item = waiting.pop(index)
        done[index] = begin + item.duration
        now = done[index]
        yield Span(item.lane, begin, min(done[index], end), item.kind, item.label)


def _room(item: Work, margin: float) -> float:
    return item.duration * (1 + margin)


def _in_line(lane: int, rest: Sequence[tuple[int, Work]]) -> Iterator[Span]:
    now = 0.0
    for _, item in rest:
        yield Span(lane, now, now + item.duration, item.kind, item.label)
        now += item.duration


@dataclass(frozen=True, slots=True)
class Costs:
    """The length of a piece of work: curvature for each microbatch, the others for each module; 0 means none."""

    curvature_a: float = 0.0
    curvature_b: float = 0.0
    sync: float = 0.0
    inversion: float = 0.0
    modules: int = 1


def work_for(before: Timeline, costs: Costs) -> tuple[Work, ...]:
    """The K-FAC work of a simulated schedule: factors A and B for the modules of every stage."""
    work: list[Work] = []
    stages = sorted({(span.lane, span.stage, span.chunk) for span in before.spans})
    for lane, stage, chunk in stages:
        own = [span for span in before.spans if (span.lane, span.stage, span.chunk) == (lane, stage, chunk)]
        for factor, kinds, cost in (
            ("A", ("forward",), costs.curvature_a),
            ("B", ("backward", "backward_input"), costs.curvature_b),
        ):
            curvature = range(len(work), len(work) + (sum(s.kind in kinds for s in own) if cost else 0))
            if cost:
                work += [
                    Work(lane, "curvature", f"{factor}{span.label}", cost, span.end)
                    for span in own
                    if span.kind in kinds
                ]
            work += _modules(lane, factor, tuple(curvature), len(work), costs)
    return tuple(work)


def _modules(lane: int, factor: str, curvature: tuple[int, ...], first: int, costs: Costs) -> Iterator[Work]:
    for module in range(costs.modules):
        after = curvature
        if costs.sync:
            yield Work(lane, "sync", f"{factor}{module}", costs.sync, after=after)
            after, first = (*curvature, first), first + 1
        if costs.inversion:
            yield Work(lane, "inversion", f"{factor}{module}", costs.inversion, after=after)
            first += 1
