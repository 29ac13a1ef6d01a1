"""Many spans as few: how each stretch of a lane's time divides among kinds of work and idle time.

Nothing is averaged away: over every stretch the parts sum to its length, so that a figure whose areas are
these shares states the same busy and idle time as one with every span in it.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from math import fsum

from figmill.timelines.spans import Span, Timeline

WINDOW = 12  # spans: holds a whole number of rounds of one, two, three, four or six operations


@dataclass(frozen=True, slots=True)
class Stretch:
    """From `start` to `end` on `lane`; parts: (kind or "idle", share), the shares sum to 1."""

    lane: int
    start: float
    end: float
    parts: tuple[tuple[str, float], ...]


def shares(timeline: Timeline, visible: float) -> tuple[Stretch, ...]:
    """Stretches of at most WINDOW spans, cut at gaps of at least `visible`, equal neighbours merged.

    Gaps of that length belong to no stretch: a figure draws them as they are.
    """
    merged: list[Stretch] = []
    for stretch in _windows(timeline, visible):
        last = merged[-1] if merged else None
        if last and last.lane == stretch.lane and _continues(last, stretch):
            merged[-1] = Stretch(last.lane, last.start, stretch.end, last.parts)
        else:
            merged.append(stretch)
    return tuple(merged)


def _continues(last: Stretch, stretch: Stretch) -> bool:
    same_kinds = [kind for kind, _ in last.parts] == [kind for kind, _ in stretch.parts]
    return (
        same_kinds
        and abs(last.end - stretch.start) <= 1e-9 * max(1.0, last.end)
        and all(abs(a - b) < 1e-6 for (_, a), (_, b) in zip(last.parts, stretch.parts, strict=True))
    )


def _windows(timeline: Timeline, visible: float) -> Iterator[Stretch]:
    pending: list[Span] = []
    rows = heapq.merge(timeline.spans, timeline.idle, key=lambda span: (span.lane, span.start))
    idle = {id(gap) for gap in timeline.idle}
    for span in rows:
        gap = id(span) in idle
        if pending and (pending[0].lane != span.lane or (gap and span.end - span.start >= visible)):
            yield _stretch(pending)
            pending = []
        if gap and span.end - span.start >= visible:
            continue
        pending.append(span._replace(kind="idle") if gap else span)
        if len(pending) >= WINDOW and span.row != 1:  # never between the two halves of a pair
            yield _stretch(pending)
            pending = []
    if pending:
        yield _stretch(pending)


def _stretch(spans: Iterable[Span]) -> Stretch:
    found = list(spans)
    start, end = found[0].start, max(span.end for span in found)
    lengths: dict[str, float] = {}
    for span in found:
        # Two that run together share the lane's height, as they do where there is room to draw both.
        length = (span.end - span.start) * (0.5 if span.row else 1.0)
        lengths[span.kind] = lengths.get(span.kind, 0.0) + length
    order = sorted(lengths, key=lambda kind: (kind == "idle", kind not in ("forward", "compute"), kind))
    total = fsum(lengths.values())
    return Stretch(found[0].lane, start, end, tuple((kind, lengths[kind] / total) for kind in order))
