"""The work of K-FAC, a second-order optimiser, on one device of a pipeline.

The curvature of a microbatch needs its forward (factor A) or its backward (B). A module's factors are synchronised
after their curvature, and inverted after their synchronisation.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from figmill_timelines.spans import Span, Timeline

PRIORITY = ("curvature", "sync", "inversion")


@dataclass(frozen=True, slots=True)
class Work:
    """One piece of work for the bubbles of `lane`.

    - ready: the time in the step at which its data exists.
    - after: indices, in the list of all work, of earlier work on the same lane that must be done before.
    - factor: A or B.
    - row: the same for all pieces of one recorded range, and the order of rows: its start, the place of its name, its
      own place under that name.
    - counted: as `ready`, but by the calls of the downward pipeline; PipeFisher's script uses this for work of the
      upward pipeline too.
    """

    lane: int
    kind: str  # one of PRIORITY
    label: str
    duration: float
    ready: float = 0.0
    after: tuple[int, ...] = ()
    factor: str = ""
    row: tuple[float, int, int] = (0.0, 0, 0)
    counted: float | None = None


@dataclass(frozen=True, slots=True)
class WorkCosts:
    """The length of a piece of work: curvature for each microbatch, the others for each module; 0 means none."""

    curvature_a: float = 0.0
    curvature_b: float = 0.0
    sync: float = 0.0
    inversion: float = 0.0
    modules: int = 1


def work_for(before: Timeline, costs: WorkCosts) -> tuple[Work, ...]:
    """The K-FAC work of a simulated schedule: factors A and B for the modules of every stage."""
    work: list[Work] = []
    stages = sorted({(span.lane, span.stage, span.chunk) for span in before.spans})
    for lane, stage, chunk in stages:
        of_stage = [
            span for span in before.spans if (span.lane, span.stage, span.chunk) == (lane, stage, chunk)
        ]
        for factor, kinds, cost in (
            ("A", ("forward",), costs.curvature_a),
            ("B", ("backward", "backward_input"), costs.curvature_b),
        ):
            row = (0.0, stage, 0)
            curvature = range(len(work), len(work) + (sum(s.kind in kinds for s in of_stage) if cost else 0))
            if cost:
                calls = [span for span in of_stage if span.kind in kinds]
                down = _down(before, lane, kinds) or calls
                work += [
                    Work(
                        lane, "curvature", f"{factor}{call.label}", cost, call.end, (), factor, row, first.end
                    )
                    for call, first in zip(calls, down, strict=True)
                ]
            work += _modules(lane, stage, factor, tuple(curvature), len(work), costs)
    return tuple(work)


def _down(before: Timeline, lane: int, kinds: tuple[str, ...]) -> list[Span]:
    """The calls of the downward pipeline on a lane of a bidirectional schedule, whose pipelines share no microbatch."""
    calls = [span for span in before.spans if span.lane == lane and span.kind in kinds]
    down = [span for span in calls if not span.chunk]
    shared = {span.label for span in down} & {span.label for span in calls if span.chunk}
    return [] if shared or len(down) == len(calls) else down


def _modules(
    lane: int, stage: int, factor: str, curvature: tuple[int, ...], first: int, costs: WorkCosts
) -> Iterator[Work]:
    for module in range(costs.modules):
        after, row = curvature, (0.0, stage, module)
        label = f"{factor}{module}" if costs.modules > 1 else factor
        if costs.sync:
            yield Work(lane, "sync", label, costs.sync, 0.0, after, factor, row)
            after, first = (*curvature, first), first + 1
        if costs.inversion:
            yield Work(lane, "inversion", label, costs.inversion, 0.0, after, factor, row)
            first += 1
