"""Fills the bubbles of a pipeline with other work, by one of two sets of rules.

`pipefisher` follows its authors' script (Osawa et al., arXiv:2211.14133); `earliest` starts each piece as early as
its data allows. Each device fills its own bubbles. `traces.pipeline_events` reads recorded pipelines.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import fsum
from types import MappingProxyType
from typing import Any

from figmill_timelines.pipeline import earliest, pipefisher
from figmill_timelines.pipeline.kfac import PRIORITY, Work, WorkCosts, work_for
from figmill_timelines.pipeline.lane_work import FillingTask
from figmill_timelines.spans import Span, Timeline, busy_per_lane, idle_per_lane, timeline

__all__ = ["PRIORITY", "RULES", "Filled", "Work", "WorkCosts", "fill", "work_for"]


@dataclass(frozen=True, slots=True)
class Filled:
    """The bubbles with work in them.

    - before: one step.
    - after: `iterations` such steps in a row, with the work.
    - steps: how many of them each device needs for its own work.
    - counted: the length of the step that shares of busy time are counted in; with PipeFisher's rules, it is that of
      device 0.
    """

    before: Timeline
    after: Timeline
    iterations: int
    work: tuple[Work, ...]
    steps: tuple[int, ...]
    counted: float

    def facts(self) -> dict[str, Any]:
        """The facts of a figure, from the spans of both timelines; usage is busy / (iterations x counted step)."""
        lanes, total = len(self.after.lanes), self.after.makespan
        placed = [span for span in self.after.spans if span.kind in PRIORITY]
        busy = fsum(busy_per_lane(self.after))
        lengthened = total - self.iterations * self.before.makespan
        return {
            "iterations": self.iterations,
            "step_time": total / self.iterations,
            "usage": busy / (lanes * (total - self.iterations * (self.before.makespan - self.counted))),
            "busy_before": fsum(busy_per_lane(self.before)),
            "busy_after": busy / self.iterations,
            "bubble_fraction_before": fsum(idle_per_lane(self.before)) / (lanes * self.before.makespan),
            "bubble_fraction_after": fsum(idle_per_lane(self.after)) / (lanes * total),
            "work_time": fsum(span.end - span.start for span in placed),
            "unplaced": len(self.work) - len(placed),
            **self._per_device(placed),
            "lengthened_by": lengthened if lengthened > 1e-9 * total else 0.0,
            "lengthened_share": lengthened / (total - lengthened) if lengthened > 1e-9 * total else 0.0,
        }

    def _per_device(self, placed: Sequence[Span]) -> dict[str, list[Any]]:
        """How many steps each device needs for its own work, and its share of busy time in these.

        The share is above 1 if the work that fits in no bubble is more than the remaining idle time, or if a device
        works on after the counted step.
        """
        step, busy = self.counted, busy_per_lane(self.before)
        work: list[list[Span]] = [[] for _ in busy]
        for span in placed:
            work[span.lane].append(span)
        shares = [
            (fsum(s.end - s.start for s in items) + count * step_busy) / (count * step)
            for items, count, step_busy in zip(work, self.steps, busy, strict=True)
        ]
        return {"iterations_per_device": list(self.steps), "usage_per_device": shares}


RULES = MappingProxyType({"pipefisher": pipefisher.fill_lane, "earliest": earliest.fill_lane})


def fill(
    before: Timeline, work: Sequence[Work], margin: float = 0.0, stale: bool = False, rules: str = "earliest"
) -> Filled:
    """Place all of `work` in the bubbles of `before`, over as many iterations as it takes.

    margin: the free time that must be left after a piece when it is placed, as a share of its length; the next piece in
    the same bubble may use it. With 0, `earliest` places work that fits exactly, and `pipefisher` does not.
    stale: the first iteration may use data of the step before, so that all work is ready at 0; `pipefisher` always
    decides that itself. rules: a name of RULES. ValueError for work that cannot be placed.
    """
    if stale and rules == "pipefisher":
        raise ValueError("remove stale: pipefisher's second pass over a step has all data anyway")
    for index, item in enumerate(work):
        if item.kind not in PRIORITY or not item.duration > 0:
            raise ValueError(
                f"{before.lanes[item.lane]}, {item.label}: work is {', '.join(PRIORITY)} and takes time"
            )
        if any(earlier >= index or work[earlier].lane != item.lane for earlier in item.after):
            raise ValueError(
                f"{before.lanes[item.lane]}, {item.label}: must follow earlier work of its device"
            )
    step, by_script = before.makespan, rules == "pipefisher"
    lanes = []
    for lane in range(len(before.lanes)):
        bubbles = tuple(
            pipefisher.bubbles(before, lane)
            if by_script
            else (gap for gap in before.idle if gap.lane == lane)
        )
        items = tuple((index, item) for index, item in enumerate(work) if item.lane == lane)
        lanes.append(RULES[rules](FillingTask(bubbles, items, step, margin, stale)))
    iterations = max(lane.steps for lane in lanes)
    end = iterations * step
    placed = [span for lane in lanes for span in lane.inside]
    # Work that never fits runs after the last iteration, piece by piece; its times count from 0 until here.
    placed += [
        span._replace(start=end + span.start, end=end + span.end) for lane in lanes for span in lane.left
    ]
    repeated = [
        span._replace(start=span.start + turn * step, end=span.end + turn * step)
        for turn in range(iterations)
        for span in before.spans
    ]
    after = timeline(before.lanes, [*repeated, *placed], before.unit, until=end)
    begin, last = pipefisher.window(before) if by_script else (0.0, step)
    return Filled(before, after, iterations, tuple(work), tuple(lane.steps for lane in lanes), last - begin)
