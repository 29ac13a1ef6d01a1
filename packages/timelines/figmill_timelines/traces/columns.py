"""Many spans in little memory, and their timeline, complete or condensed.

A span takes 20 bytes, so five million fit into memory; as Span objects they would not. Spans beyond MOST_SPANS are
condensed: in each lane and hairline of time, each kind keeps exactly the time that it took.
"""

from __future__ import annotations

import math
from array import array
from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

import numpy as np

from figmill_timelines.spans import Span, Timeline, timeline

MOST_SPANS = 20_000  # a timeline of more spans is condensed
BINS = 600  # a figure is some 500 points wide
CHUNK = 1 << 18  # spans worked on at once
FARTHEST = 1e19  # a time; in nanoseconds, three hundred years

FileTime = int | Decimal  # as the file states it: a float of microseconds since 1970 has a grain of 0.25


class TraceError(ValueError):
    """A file is not a trace of its format; the message has the place."""


@dataclass(slots=True)
class _Lane:
    """The spans of one lane as columns.

    - what: the number of their kind, label and microbatch.
    """

    start: array[float] = field(default_factory=lambda: array("d"))
    end: array[float] = field(default_factory=lambda: array("d"))
    what: array[int] = field(default_factory=lambda: array("i"))


@dataclass(slots=True)
class Columns:
    """Spans as columns.

    - lanes, whats: the number of each lane and (kind, label, microbatch), in order of arrival.
    - base: the time of the file, a whole number near its first, that all times here count from; None before the first.
    """

    base: Decimal | None = None
    lanes: dict[Hashable, int] = field(default_factory=dict)
    whats: dict[tuple[str, str, int], int] = field(default_factory=dict)
    spans: list[_Lane] = field(default_factory=list)  # the spans of each lane

    def since(self, time: FileTime) -> float:
        """A time of the file from `base` on. The difference is exact before it becomes a float."""
        if self.base is None:
            self.base = Decimal(math.floor(time) if abs(float(time)) < FARTHEST else 0)
        return float(time - self.base)

    def add(self, lane: Hashable, start: float, end: float, what: tuple[str, str, int]) -> None:
        """Add a span, with times from `base` on; what: its kind, label and microbatch."""
        number = self.lanes.get(lane)
        if number is None:
            number = self.lanes[lane] = len(self.spans)
            self.spans.append(_Lane())
        spans = self.spans[number]
        spans.start.append(start)
        spans.end.append(end)
        code = self.whats.get(what)
        spans.what.append(self.whats.setdefault(what, len(self.whats)) if code is None else code)


@dataclass(frozen=True, slots=True)
class Made:
    """A timeline, the number of spans in it, whether they were condensed, and the time that became 0."""

    timeline: Timeline
    spans: int
    condensed: bool
    origin: float


LaneArrays = tuple[Any, Any, Any]  # arrays of one lane: start, end, number of what it is


@dataclass(frozen=True, slots=True)
class Cut:
    """The spans of some lanes that lie between two times, lane by lane, sorted by start, the longer first.

    - origin, end: these times in the file's unit; by default, the first start and the last end.
    """

    rows: tuple[LaneArrays, ...]
    origin: float
    end: float


def cut(
    columns: Columns, order: Sequence[Hashable], zero: float | None = None, until: float | None = None
) -> Cut:
    """The spans of the lanes in `order` from `zero` to `until`; a span that crosses one of them is cut there.


    ValueError for a time that is not a finite number.
    """
    rows = tuple(_sorted(columns.spans[columns.lanes[key]], zero, until) for key in order)
    held = [row for row in rows if len(row[0])]
    first = zero if zero is not None else min((float(start[0]) for start, _, _ in held), default=0.0)
    last = until if until is not None else max((float(end.max()) for _, end, _ in held), default=first)
    return Cut(rows, first, last)


def to_timeline(
    columns: Columns,
    order: Sequence[Hashable],
    names: Sequence[str],
    unit: str,
    scale: float = 1.0,
    zero: float | None = None,
) -> Made:
    """A timeline of the lanes in `order`, called `names`. A time t becomes (t - zero) x scale.

    zero: None takes the start of the first span. Spans inside another span of their lane, such as calls on
    a stack, are left out. ValueError if no span is left.
    """
    part = cut(columns, order, zero)
    if not any(len(start) for start, _, _ in part.rows):
        raise ValueError("no spans are left to draw")
    return drawn(part, list(columns.whats), names, unit, scale)


def drawn(
    part: Cut, labels: Sequence[tuple[str, str, int]], names: Sequence[str], unit: str, scale: float
) -> Made:
    """The timeline of a cut, whose lanes are called `names`; as long as the cut. labels: what each number means."""
    count, last = 0, (part.end - part.origin) * scale
    for _, start, end, _ in _outermost(part, scale):
        count, last = count + len(start), max(last, float(end[-1]))
    if count <= MOST_SPANS:
        spans = [
            Span(lane, s, e, labels[w][0], labels[w][1], -1, labels[w][2])
            for lane, *arrays in _outermost(part, scale)
            for s, e, w in zip(*(column.tolist() for column in arrays), strict=True)
        ]
        return Made(timeline(names, spans, unit, last), count, False, float(part.origin))
    spans = _condensed(_outermost(part, scale), len(part.rows), last, labels)
    return Made(timeline(names, spans, unit, last), count, True, float(part.origin))


def _sorted(lane: _Lane, zero: float | None, until: float | None) -> LaneArrays:
    """The spans of a lane that take time between `zero` and `until`, by start, the longer first. Sorted in place."""
    start, end = np.frombuffer(lane.start), np.frombuffer(lane.end)
    what = np.frombuffer(lane.what, dtype=np.int32)
    if not (np.isfinite(start).all() and np.isfinite(end).all()):
        raise ValueError("a span has a time that is not a finite number")
    kept = end > (start if zero is None else np.maximum(start, zero))
    if until is not None:
        kept &= start < until
    if not kept.all():
        start, end, what = start[kept], end[kept], what[kept]
    same = start[1:] == start[:-1]
    if not ((start[1:] > start[:-1]) | (same & (end[1:] <= end[:-1]))).all():
        by = np.lexsort((-end, start))
        for column in (start, end, what):  # one after the other, to save memory
            column[:] = column[by]
    return start, end if until is None else np.minimum(end, until), what


def _outermost(part: Cut, scale: float) -> Iterator[tuple[int, Any, Any, Any]]:
    """(lane, start, end, what) of the spans that do not lie inside an earlier one of their lane, in chunks.

    A span that partly overlaps an earlier one starts when that one ends. Times count from the origin, in new units.
    """
    origin = part.origin
    for lane, (starts, ends, whats) in enumerate(part.rows):
        reached = -np.inf
        for first in range(0, len(starts), CHUNK):
            piece = slice(first, first + CHUNK)
            start = np.maximum(starts[piece] - origin, 0) * scale
            end = (ends[piece] - origin) * scale
            latest = np.maximum.accumulate(end)
            before = np.maximum(np.concatenate(([reached], latest[:-1])), reached)
            start = np.maximum(start, np.minimum(before, end))
            reached = max(reached, float(latest[-1]))
            outer = end > start
            if outer.any():
                yield lane, start[outer], end[outer], whats[piece][outer]


def _condensed(
    chunks: Iterable[tuple[int, Any, Any, Any]],
    lanes: int,
    last: float,
    labels: Sequence[tuple[str, str, int]],
) -> list[Span]:
    kinds = sorted({kind for kind, _, _ in labels})
    kind_of = np.array([kinds.index(kind) for kind, _, _ in labels])
    width = last / BINS
    time = np.zeros((lanes, BINS, len(kinds)))
    for lane, start, end, what in chunks:
        first = np.minimum((start / width).astype(int), BINS - 1)
        final = np.minimum((end / width).astype(int), BINS - 1)
        kind = kind_of[what]
        inside = first == final
        np.add.at(time[lane], (first[inside], kind[inside]), (end - start)[inside])
        for a, b, k, s, e in zip(
            *(column[~inside].tolist() for column in (first, final, kind, start, end)), strict=True
        ):
            time[lane, a, k] += (a + 1) * width - s
            time[lane, a + 1 : b, k] += width
            time[lane, b, k] += e - b * width
    spans = []
    for ln, cell in np.argwhere(time.sum(axis=2) > 0).tolist():
        now, room = cell * width, (cell + 1) * width
        for k, length in enumerate(time[ln, cell].tolist()):
            if length > 0:
                spans.append(Span(ln, now, min(now + length, room), kinds[k]))
                now = min(now + length, room)
    return spans
