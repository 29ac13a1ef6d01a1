"""Many spans condensed: the share of each stretch of a lane that each kind of work, and idle time, takes.

The parts of a stretch sum to its length. A figure of shares therefore shows the same busy and idle time as one of
all spans.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from math import fsum

from figmill_timelines.spans import Span, Timeline

WINDOW = 12  # spans; a multiple of every round of one, two, three, four or six operations


@dataclass(frozen=True, slots=True)
class LaneShares:
    """A stretch of a lane.

    - parts: (kind, share), with "idle" and "beside" as kinds too; the shares sum to 1.
    """

    lane: int
    start: float
    end: float
    parts: tuple[tuple[str, float], ...]


def shares(timeline: Timeline, visible: float) -> tuple[LaneShares, ...]:
    """Stretches of at most WINDOW spans, cut at gaps of at least `visible`; equal neighbours are merged.

    Such gaps belong to no stretch; a figure draws each of them.
    """
    merged: list[LaneShares] = []
    for stretch in _windows(timeline, visible):
        last = merged[-1] if merged else None
        if last and last.lane == stretch.lane and _continues(last, stretch):
            merged[-1] = LaneShares(last.lane, last.start, stretch.end, last.parts)
        else:
            merged.append(stretch)
    return tuple(merged)


def _continues(last: LaneShares, stretch: LaneShares) -> bool:
    same_kinds = [kind for kind, _ in last.parts] == [kind for kind, _ in stretch.parts]
    return (
        same_kinds
        and abs(last.end - stretch.start) <= 1e-9 * max(1.0, last.end)
        and all(abs(a - b) < 1e-6 for (_, a), (_, b) in zip(last.parts, stretch.parts, strict=True))
    )


def _windows(timeline: Timeline, visible: float) -> Iterator[LaneShares]:
    pending: list[Span] = []
    rows = heapq.merge(timeline.spans, timeline.idle, key=lambda span: (span.lane, span.start))
    idle = {id(gap) for gap in timeline.idle}
    for span in rows:
        gap = id(span) in idle
        if pending and (pending[0].lane != span.lane or (gap and span.end - span.start >= visible)):
            yield _stretch(pending)
            pending = []
        if span.end <= span.start or (gap and span.end - span.start >= visible):
            continue
        pending.append(span._replace(kind="idle") if gap and span.kind != "beside" else span)
        if len(pending) >= WINDOW and span.row != 1:  # never between the two halves of a pair
            yield _stretch(pending)
            pending = []
    if pending:
        yield _stretch(pending)


def _stretch(spans: Iterable[Span]) -> LaneShares:
    window = list(spans)
    start, end = window[0].start, max(span.end for span in window)
    lengths: dict[str, float] = {}
    for span in window:
        # A pair that runs together shares the lane's height, as it does when drawn as cells.
        length = (span.end - span.start) * (0.5 if span.row else 1.0)
        lengths[span.kind] = lengths.get(span.kind, 0.0) + length
    order = sorted(
        lengths, key=lambda kind: (kind in ("idle", "beside"), kind not in ("forward", "compute"), kind)
    )
    total = fsum(lengths.values())
    return LaneShares(window[0].lane, start, end, tuple((kind, lengths[kind] / total) for kind in order))
