"""Very many spans in little memory, and the timeline that they make, whole or condensed.

A span takes 24 bytes, so that five million fit where their Span objects would not. Spans beyond MOST_SPANS are
condensed: in each lane and hairline of time, each kind keeps exactly the time that it took.
"""

from __future__ import annotations

from array import array
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from figmill.timelines.spans import Span, Timeline, timeline

MOST_SPANS = 20_000  # a timeline of more spans is condensed
BINS = 600  # a figure is some 500 points wide


class TraceError(ValueError):
    """A file that is no trace of its form; the message says where."""


@dataclass(slots=True)
class Columns:
    """Spans as columns. lanes, whats: the number of each lane and (kind, label, microbatch), in order of arrival."""

    lanes: dict[Hashable, int] = field(default_factory=dict)
    whats: dict[tuple[str, str, int], int] = field(default_factory=dict)
    lane: array[int] = field(default_factory=lambda: array("i"))
    what: array[int] = field(default_factory=lambda: array("i"))
    start: array[float] = field(default_factory=lambda: array("d"))
    end: array[float] = field(default_factory=lambda: array("d"))

    def add(self, lane: Hashable, start: float, end: float, what: tuple[str, str, int]) -> None:
        """Add a span; what: its kind, label and microbatch."""
        self.lane.append(self.lanes.setdefault(lane, len(self.lanes)))
        self.what.append(self.whats.setdefault(what, len(self.whats)))
        self.start.append(start)
        self.end.append(end)


@dataclass(frozen=True, slots=True)
class Made:
    """A timeline, the number of spans it was made from, whether they were condensed, and the time that became 0."""

    timeline: Timeline
    spans: int
    condensed: bool
    origin: float


def to_timeline(
    columns: Columns,
    order: Sequence[Hashable],
    names: Sequence[str],
    unit: str,
    scale: float = 1.0,
    zero: float | None = None,
) -> Made:
    """A timeline of the lanes in `order`, called `names`. A time t becomes (t - zero) x scale.

    zero: None takes the start of the first span. Spans inside another one of their lane, as calls on a stack,
    are left out. ValueError where no span is left.
    """
    place = np.full(max(1, len(columns.lanes)), -1)
    for index, key in enumerate(order):
        place[columns.lanes[key]] = index
    lane = place[np.frombuffer(columns.lane, dtype=np.int32)] if columns.lane else np.empty(0, dtype=int)
    start, end = np.array(columns.start), np.array(columns.end)
    what = np.array(columns.what, dtype=np.int32)
    if not (np.isfinite(start).all() and np.isfinite(end).all()):
        raise ValueError("a span has a time that is no finite number")
    kept = (lane >= 0) & (end > start)
    if zero is not None:
        kept &= end > zero
    if not kept.any():
        raise ValueError("no spans are left to draw")
    lane, start, end, what = lane[kept], start[kept], end[kept], what[kept]
    origin = start.min() if zero is None else zero
    start, end = np.maximum(start - origin, 0) * scale, (end - origin) * scale
    by = np.lexsort((-end, start, lane))
    lane, start, end, what = lane[by], start[by], end[by], what[by]
    outer = _outermost(lane, start, end)
    lane, start, end, what = lane[outer], start[outer], end[outer], what[outer]
    labels = list(columns.whats)
    if len(lane) <= MOST_SPANS:
        rows = zip(lane.tolist(), start.tolist(), end.tolist(), what.tolist(), strict=True)
        spans = [Span(ln, s, e, labels[w][0], labels[w][1], -1, labels[w][2]) for ln, s, e, w in rows]
        return Made(timeline(names, spans, unit), len(spans), False, float(origin))
    spans = _condensed(lane, start, end, what, labels)
    return Made(timeline(names, spans, unit, float(end.max())), len(lane), True, float(origin))


def _outermost(lane: Any, start: Any, end: Any) -> Any:
    """Which spans do not lie inside an earlier one of their lane; one that overlaps in part is made to start later."""
    # One running maximum serves all lanes: the times of each are shifted beyond those of the lane before.
    shift = lane * (float(end.max()) + 1.0)
    reached = np.maximum.accumulate(end + shift)
    before = np.concatenate(([-np.inf], reached[:-1]))
    start[:] = np.maximum(start, np.minimum(before - shift, end))
    return end > start


def _condensed(lane: Any, start: Any, end: Any, what: Any, labels: list[tuple[str, str, int]]) -> list[Span]:
    kinds = sorted({kind for kind, _, _ in labels})
    kind_of = np.array([kinds.index(kind) for kind, _, _ in labels])
    width = float(end.max()) / BINS
    lanes = int(lane.max()) + 1
    time = np.zeros((lanes, BINS, len(kinds)))
    first = np.minimum((start / width).astype(int), BINS - 1)
    last = np.minimum((end / width).astype(int), BINS - 1)
    kind = kind_of[what]
    inside = first == last
    np.add.at(time, (lane[inside], first[inside], kind[inside]), (end - start)[inside])
    for ln, a, b, k, s, e in zip(
        *(column[~inside].tolist() for column in (lane, first, last, kind, start, end)), strict=True
    ):
        time[ln, a, k] += (a + 1) * width - s
        time[ln, a + 1 : b, k] += width
        time[ln, b, k] += e - b * width
    spans = []
    for ln, cell in np.argwhere(time.sum(axis=2) > 0).tolist():
        now, room = cell * width, (cell + 1) * width
        for k, length in enumerate(time[ln, cell].tolist()):
            if length > 0:
                spans.append(Span(ln, now, min(now + length, room), kinds[k]))
                now = min(now + length, room)
    return spans
