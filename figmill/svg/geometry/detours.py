"""Ways for a line along the axes: straight where its boxes face each other, and around other boxes. Judges nothing."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import TypeAlias

from figmill.svg.geometry.outlines import Bounds, Point
from figmill.svg.geometry.parts import ACROSS, AXES, DOWN, gap, middle, side, written
from figmill.svg.geometry.strokes import clipped
from figmill.svg.geometry.structure import Box, Connector

Way: TypeAlias = tuple[Point, ...]

OPPOSITE = 0.2  # share of the smaller of two boxes: from here on they face each other
ROOM = 16.0  # px between a way and the boxes that it passes
LANES = 4  # lanes of this width on each side that are tried


def by_right_angles(line: Connector) -> Way:
    """A way along the axes from the box at which a line begins to that at which it ends, whatever lies between."""
    start, end = line.start.box, line.end.box
    assert start is not None and end is not None
    for axis in AXES:
        low = max(start.bounds[axis], end.bounds[axis])
        high = min(start.bounds[axis + 2], end.bounds[axis + 2])
        if high - low > OPPOSITE * min(side(start, axis), side(end, axis)):
            at = line.start.point[axis] if low < line.start.point[axis] < high else (low + high) / 2
            first, last = _facing(start, end, 1 - axis)
            return _turned(axis, (at, first), (at, last))
    if gap(start.bounds, end.bounds) == 0:  # one in the other
        (x, y), (right, lower) = line.start.point, line.end.point
        return (x, y), (right, y), (right, lower)
    first, last = _facing(start, end, DOWN)
    half = (first + last) / 2
    x, right = middle(start, ACROSS), middle(end, ACROSS)
    return (x, first), (x, half), (right, half), (right, last)


def _facing(start: Box, end: Box, axis: int) -> tuple[float, float]:
    """Where the sides of two boxes lie that face each other."""
    if middle(start, axis) <= middle(end, axis):
        return start.bounds[axis + 2], end.bounds[axis]
    return start.bounds[axis], end.bounds[axis + 2]


def _turned(axis: int, *points: Point) -> Way:
    """Points whose first number is along the axis."""
    return points if axis == ACROSS else tuple(point[::-1] for point in points)


def around(line: Connector, boxes: Sequence[Box], view: Bounds, px: float) -> Way | None:
    """The shortest way along the axes that crosses no box, except those around its ends. None if none was found."""
    start, end = line.start.box, line.end.box
    assert start is not None and end is not None
    others = [box for box in boxes if box not in (start, end) and not box.inside]
    free = [way for way in _ways(start, end, ROOM / px) if not _is_blocked(way, start, end, others, view)]
    return min(free, key=_length, default=None)


def _ways(start: Box, end: Box, room: float) -> Iterator[Way]:
    """Ways with one bend, with two between the boxes, and along a lane beside both, out of and into the same side."""
    for axis in AXES:
        along = 1 - axis
        at, to = middle(start, axis), middle(end, axis)
        near, far = middle(start, along), middle(end, along)
        leaves = start.bounds[along + 2] if far > near else start.bounds[along]
        enters = end.bounds[axis] if at < to else end.bounds[axis + 2]
        yield _turned(axis, (at, leaves), (at, far), (enters, far))
        first, last = _facing(start, end, along)
        if (first < last) == (near < far):  # there is room between them
            half = (first + last) / 2
            yield _turned(axis, (at, first), (at, half), (to, half), (to, last))
        for sign, edge in ((-1, along), (1, along + 2)):
            first, last = start.bounds[edge], end.bounds[edge]
            outer = max(sign * first, sign * last)
            for lane in range(1, LANES + 1):
                place = sign * (outer + lane * room)
                yield _turned(axis, (at, first), (at, place), (to, place), (to, last))


def _is_blocked(way: Way, start: Box, end: Box, others: Sequence[Box], view: Bounds) -> bool:
    """Whether a way leaves the drawing, or crosses a box or one of its own."""
    if any(not (view[0] <= x <= view[2] and view[1] <= y <= view[3]) for x, y in way):
        return True
    parts = [*pairwise(way)]
    own = [(part, start.bounds) for part in parts[1:]] + [(part, end.bounds) for part in parts[:-1]]
    foreign = [(part, box.bounds) for part in parts for box in others]
    return any(clipped(part, bounds) is not None for part, bounds in (*own, *foreign))


def _length(way: Way) -> float:
    return sum(math.dist(*part) for part in pairwise(way))


def path(way: Way) -> str:
    """The data of a path, for a message."""
    return "M" + "L".join(f"{written(x)} {written(y)}" for x, y in way)
