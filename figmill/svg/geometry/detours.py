"""Ways for a line: along the axes where its boxes face each other, and around other boxes. Judges nothing.

The checks name these ways in their messages, and the repairs take them.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import pairwise
from typing import TypeAlias

from figmill.svg.geometry.labels import Label
from figmill.svg.geometry.outlines import Bounds, Point
from figmill.svg.geometry.parts import (
    ACROSS,
    AXES,
    DOWN,
    Parts,
    distance,
    gap,
    middle,
    segments,
    side,
    written,
)
from figmill.svg.geometry.router import WAYS, Port, Prices, crossings, route
from figmill.svg.geometry.strokes import clipped
from figmill.svg.geometry.structure import Connector, DrawnBox, LineEnd

Way: TypeAlias = tuple[Point, ...]

FACING = 0.2  # share of the smaller of two boxes: from here on they face each other
AWAY, NEAR_TEXT = 14.0, 5.0  # px between a route and a box, a text
NEAR_BOX = 6.0  # px between a slanted line and a box
STUB = 16.0  # px that a route runs straight from its box
BEND, CROSSING, OTHER_PORT, OPPOSITE, SHARED = 40.0, 150.0, 8.0, 4.0, 30.0  # px that these cost
CORNER = 8.0  # px between the end of a line and the corner of its box
RIM = 2.0  # px between a route and the end of the picture
LEVEL = 1.5  # px by which a line along an axis may be off
MOSTLY = 0.6  # share of the lines
OWN = 1.0  # em between a line and its text


def by_right_angles(line: Connector) -> Way:
    """A way along the axes from the box at which a line begins to that at which it ends, whatever lies between."""
    start, end = line.start.box, line.end.box
    assert start is not None and end is not None
    for axis in AXES:
        low = max(start.bounds[axis], end.bounds[axis])
        high = min(start.bounds[axis + 2], end.bounds[axis + 2])
        if high - low > FACING * min(side(start, axis), side(end, axis)):
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


def _facing(start: DrawnBox, end: DrawnBox, axis: int) -> tuple[float, float]:
    """Where the sides of two boxes lie that face each other."""
    if middle(start, axis) <= middle(end, axis):
        return start.bounds[axis + 2], end.bounds[axis]
    return start.bounds[axis], end.bounds[axis + 2]


def _turned(axis: int, *points: Point) -> Way:
    """Points whose first number is along the axis."""
    return points if axis == ACROSS else tuple(point[::-1] for point in points)


def around(line: Connector, parts: Parts) -> Way | None:
    """A way for a line that runs through a box; None if none was found.

    It has right angles, but a straight line among slanted ones has one bend or two.
    """
    if is_straight(line) and not is_among_level(line, parts):
        return _bent(line, parts)
    return _routed(line, parts)


def is_straight(line: Connector) -> bool:
    return all(len(piece.points) == 2 for piece in line.pieces)


def is_among_level(line: Connector, parts: Parts) -> bool:
    """Whether a line runs along the axes, or most lines of its drawing do."""
    lines = parts.joining
    return _is_level(line, parts.px) or sum(_is_level(each, parts.px) for each in lines) >= MOSTLY * len(
        lines
    )


def _is_level(line: Connector, px: float) -> bool:
    return all(min(abs(x1 - x0), abs(y1 - y0)) * px <= LEVEL for (x0, y0), (x1, y1) in segments(line))


def _routed(line: Connector, parts: Parts) -> Way | None:
    """The cheapest way along the axes around boxes and texts, with few bends and crossings; None if there is none.

    Its ends may move along the outlines of their boxes.
    """
    start, end = line.start.box, line.end.box
    assert start is not None and end is not None
    px = parts.px
    others = [other for other in parts.lines if other is not line]
    taken = [each.point for other in others for each in other.ends]
    away = AWAY / px
    family = {start, end, *start.inside, *end.inside}
    containers = {box for box in parts.boxes if start in box.inside or end in box.inside}
    blocks = [_grown(box.bounds, away) for box in parts.boxes if box not in family | containers]
    blocks += [start.bounds, end.bounds]
    held = {label for box in parts.boxes for label in box.labels if box not in containers}
    own = set(own_labels(line, parts))
    texts = [label.bounds(label.width) for label in parts.labels if label not in held and label not in own]
    blocks += [_grown(box, NEAR_TEXT / px) for box in texts]
    rim = RIM / px
    view = parts.view[0] + rim, parts.view[1] + rim, parts.view[2] - rim, parts.view[3] - rim
    return route(
        list(_ports(line, line.start, start, line.end, taken, px)),
        list(_ports(line, line.end, end, line.start, taken, px)),
        blocks,
        [part for other in others for part in segments(other)],
        view,
        STUB / px,
        Prices(BEND / px, CROSSING / px),
    )


def own_labels(line: Connector, parts: Parts) -> list[Label]:
    """The texts that belong to a line: near it, in no box without boxes, and nearer to it than to any other."""
    held = {label for box in parts.boxes if not box.inside for label in box.labels}
    return [label for label in parts.labels if label not in held and _is_own(label, line, parts)]


def _is_own(label: Label, line: Connector, parts: Parts) -> bool:
    box = label.bounds(label.width)
    return (
        distance(box, line) <= OWN * label.size
        and min(parts.lines, key=lambda other: distance(box, other)) is line
    )


def _grown(box: Bounds, by: float) -> Bounds:
    return box[0] - by, box[1] - by, box[2] + by, box[3] + by


def _ports(
    line: Connector, end: LineEnd, box: DrawnBox, other: LineEnd, taken: list[Point], px: float
) -> Iterator[Port]:
    """Where a line may meet its box: where it does so now, opposite its other end, and in the middle of each side."""
    left, top, right, bottom = box.bounds
    far = max(0.0, end.gap) if end.has_head else 0.0
    x, y = min(max(end.point[0], left), right), min(max(end.point[1], top), bottom)
    sides = ((right, y), (x, bottom), (left, y), (x, top))
    now = min(range(4), key=lambda at: (math.dist(sides[at], end.point), at))
    yield _port(sides[now], WAYS[now], far, 0.0)
    if end.has_head and len(line.own) > 1:
        return  # a head that is drawn points where it points
    rim = CORNER / px
    for at, way in enumerate(WAYS):
        low, high = (top, bottom) if way[1] == 0 else (left, right)
        opposite = other.point[1] if way[1] == 0 else other.point[0]
        for place, cost in (((low + high) / 2, OTHER_PORT), (opposite, OPPOSITE)):
            if low + rim <= place <= high - rim:
                point = (sides[at][0], place) if way[1] == 0 else (place, sides[at][1])
                is_shared = any(math.dist(point, there) < rim for there in taken)
                yield _port(point, way, far, (cost + SHARED * is_shared) / px)


def _port(point: Point, way: tuple[int, int], far: float, cost: float) -> Port:
    return Port((point[0] + far * way[0], point[1] + far * way[1]), way, cost)


def _bent(line: Connector, parts: Parts) -> Way | None:
    """The shortest line with one bend, or two along a side, around the boxes and texts; it crosses no more lines."""
    start, end = line.start.box, line.end.box
    assert start is not None and end is not None
    px, own = parts.px, own_labels(line, parts)
    family = {start, end, *start.inside, *end.inside}
    containers = {box for box in parts.boxes if start in box.inside or end in box.inside}
    boxes = [box.bounds for box in parts.boxes if box not in family | containers]
    blocks = [_grown(box, NEAR_BOX / px) for box in boxes]
    held = {label for box in parts.boxes for label in box.labels}
    blocks += [
        _grown(label.bounds(label.width), NEAR_TEXT / px)
        for label in parts.labels
        if label not in held and label not in own
    ]
    others = [part for other in parts.lines if other is not line for part in segments(other)]
    first, last = line.pieces[0].points[0], line.pieces[-1].points[-1]
    most = crossings((first, last), others)
    routes = []
    for box in boxes:
        if clipped((first, last), box) is None:
            continue
        left, top, right, bottom = _grown(box, AWAY / px)
        corners = [(left, top), (right, top), (right, bottom), (left, bottom)]
        for at, corner in enumerate(corners):
            beside = corners[(at + 1) % 4]
            routes += [(first, corner, last), (first, corner, beside, last), (first, beside, corner, last)]
    free = [
        (sum(math.dist(*part) for part in pairwise(points)), number, points)
        for number, points in enumerate(routes)
        if all(_is_within(point, parts.view) for point in points)
        and not any(clipped(part, block) is not None for part in pairwise(points) for block in blocks)
        and sum(crossings(part, others) for part in pairwise(points)) <= most
    ]
    return min(free)[2] if free else None


def _is_within(point: Point, box: Bounds) -> bool:
    return box[0] < point[0] < box[2] and box[1] < point[1] < box[3]


def path(way: Way) -> str:
    """The data of a path, for a message."""
    return "M" + "L".join(f"{written(x)} {written(y)}" for x, y in way)
