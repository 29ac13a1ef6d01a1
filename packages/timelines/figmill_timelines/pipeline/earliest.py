"""Fills bubbles by the earliest start, in the order of time.

If several pieces could start at the same moment, curvature has priority over synchronisation, and synchronisation
over inversion. No piece runs before its own data exists, or before the work of its own module that it needs. Work
that is longer than every bubble runs after the last iteration.
"""

from __future__ import annotations

from collections.abc import Iterator

from figmill_timelines.pipeline.kfac import PRIORITY, Work
from figmill_timelines.pipeline.lane_work import FilledLane, FillingTask, in_line
from figmill_timelines.spans import Span


def fill_lane(task: FillingTask) -> FilledLane:
    """Fill as many iterations as the work needs; in each, the earliest start goes first."""
    step, margin = task.step, task.margin
    longest = max((gap.end - gap.start for gap in task.bubbles), default=0.0)
    waiting = dict(task.work)
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
        for gap in task.bubbles:
            start, end = gap.start + turn * step, gap.end + turn * step
            placed += _fill_bubble(start, end, waiting, done, margin, task.stale)
        turn += 1
    unplaced = sorted(misfits.items(), key=lambda pair: PRIORITY.index(pair[1].kind))
    steps = max((int(span.start / step * (1 + 1e-12)) + 1 for span in placed), default=1)
    return FilledLane(placed, in_line(item for _, item in unplaced), steps)


def _fill_bubble(
    start: float, end: float, waiting: dict[int, Work], done: dict[int, float], margin: float, stale: bool
) -> Iterator[Span]:
    """Move work from `waiting` into this bubble, and record its end in `done`."""
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
