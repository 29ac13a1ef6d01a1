"""Fills bubbles by the rules of PipeFisher's own script: Osawa et al., arXiv:2211.14133.

Work is in rows: the curvature of one range, with a piece for each microbatch; or one synchronisation or inversion.
Rows are tried by priority: curvature A, B, synchronisation A, B, inversion A, B. A piece of curvature may be placed in
a bubble that begins after its forward (A) or backward (B); for the n-th piece, these are the n-th of the downward
pipeline, even if the work is of the upward pipeline. Synchronisation waits until all curvature of its factor is placed,
and inversion until all synchronisation is placed too.

A step begins and ends with the calls of device 0, also where another device begins earlier or ends later. These two
moments divide a bubble. Before the first call and after the last one, nothing is placed outside of the step.

First, the bubbles of one step are filled. The remaining work is then tried once more in the rest of all bubbles, with
all data ready: the data of the refresh before. If all of it fits, no step is added. Otherwise a step is added, and its
bubbles are filled with all data ready. If that completes no row, the rest fits nowhere and runs after the steps; the
added step counts.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from figmill_timelines.pipeline.kfac import PRIORITY, Work
from figmill_timelines.pipeline.lane_work import FilledLane, FillingTask, in_line
from figmill_timelines.spans import Span, Timeline

WorkRow = tuple[Work, ...]  # the pieces that are still to be placed, at least one
RUNS_BEFORE = {"curvature": (), "sync": ("curvature",), "inversion": ("curvature", "sync")}


@dataclass(frozen=True, slots=True)
class _Gap:
    """The rest of a bubble.

    - data: when the bubble began; data from before then exists. None: all data exists.
    """

    start: float
    end: float
    data: float | None


def window(before: Timeline) -> tuple[float, float]:
    """When device 0 begins and ends: the step that is counted on every device. Time before all calls belongs to it."""
    begin = min((span.start for span in before.spans if not span.lane), default=0.0)
    end = max((span.end for span in before.spans if not span.lane), default=before.makespan)
    return begin if any(span.start < begin for span in before.spans) else 0.0, end


def bubbles(before: Timeline, lane: int) -> Iterator[Span]:
    """The gaps between a device's calls, and from and to the ends of the step; those ends divide a gap too."""
    begin, end = window(before)
    calls = [span for span in before.spans if span.lane == lane]
    first = min([begin, *(span.start for span in calls)])
    last = max([end, *(span.end for span in calls)])
    for gap in before.idle:
        if gap.lane == lane:
            ends = [
                max(first, gap.start),
                *(t for t in (begin, end) if gap.start < t < gap.end),
                min(last, gap.end),
            ]
            yield from (gap._replace(start=s, end=e) for s, e in pairwise(sorted(ends)) if s < e)


def fill_lane(task: FillingTask) -> FilledLane:
    """Fill one step, pass over it again, then add steps as long as each completes a row."""
    bubbles, step, margin = task.bubbles, task.step, task.margin
    rows = _rows(item for _, item in task.work)
    gaps, rows, placed = _pass([_Gap(b.start, b.end, b.start) for b in bubbles], rows, margin)
    steps = 1
    while rows:
        _, unplaced, again = _pass([_Gap(gap.start, gap.end, None) for gap in gaps], rows, margin)
        if not unplaced:
            return FilledLane(placed + again, [], steps)
        added = [_Gap(b.start + steps * step, b.end + steps * step, None) for b in bubbles]
        added, unplaced, more = _pass(added, rows, margin)
        steps, gaps, placed = steps + 1, gaps + added, placed + more
        if len(unplaced) == len(rows):
            return FilledLane(placed, in_line(item for row in unplaced for item in row), steps)
        rows = unplaced
    return FilledLane(placed, [], steps)


def _rows(work: Iterable[Work]) -> list[WorkRow]:
    rows: dict[tuple[int, str, tuple[float, int, int]], WorkRow] = {}
    for item in work:
        key = (PRIORITY.index(item.kind), item.factor, item.row)
        rows[key] = (*rows.get(key, ()), item)
    return [rows[key] for key in sorted(rows)]


def _pass(
    gaps: Sequence[_Gap], rows: list[WorkRow], margin: float
) -> tuple[list[_Gap], list[WorkRow], list[Span]]:
    """Fill the gaps in the order of time: the rest of the gaps, the remaining rows, the spans."""
    left, placed = [], []
    for gap in gaps:
        now = gap.start
        while True:
            rows, spans = _round(gap, now, rows, margin)
            if not spans:
                break
            now = spans[-1].end
            placed += spans
        left.append(_Gap(now, gap.end, gap.data))
    return left, rows, placed


def _round(gap: _Gap, now: float, rows: list[WorkRow], margin: float) -> tuple[list[WorkRow], list[Span]]:
    """Place as much of each row in turn as fits. The row after a completed one waits for the next round."""
    rows, spans, index = list(rows), list[Span](), 0
    while index < len(rows):
        row = rows[index]
        while row and _fits(row[0], gap, now, margin) and not _must_wait(row[0], rows):
            item, row = row[0], row[1:]
            spans.append(Span(item.lane, now, now + item.duration, item.kind, item.label))
            now += item.duration
        rows[index : index + 1] = [row] if row else []
        index += 1
    return rows, spans


def _fits(item: Work, gap: _Gap, now: float, margin: float) -> bool:
    slack = 1e-9 * max(1.0, gap.end)
    ready = item.ready if item.counted is None else item.counted
    has_data = gap.data is None or ready <= gap.data + slack
    return has_data and now + item.duration * (1 + margin) < gap.end - slack


def _must_wait(item: Work, rows: Sequence[WorkRow]) -> bool:
    before = RUNS_BEFORE[item.kind]
    return any(row[0].kind in before and row[0].factor == item.factor for row in rows)
