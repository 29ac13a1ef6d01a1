"""New routes of lines: around the box that they run through, or by right angles where the others run so."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import pairwise

from figmill.svg.checks.edge_through_box import name, passing
from figmill.svg.document import Draft
from figmill.svg.geometry.labels import Label
from figmill.svg.geometry.outlines import Bounds, Point
from figmill.svg.geometry.parts import segments
from figmill.svg.geometry.strokes import clipped
from figmill.svg.geometry.structure import Box, Connector, End
from figmill.svg.repair.moves import Change, Move, Reroute, Shift
from figmill.svg.repair.room import Room, distance, from_segment
from figmill.svg.repair.router import WAYS, Port, Prices, crossings, route

AWAY, NEAR_TEXT = 14.0, 5.0  # px between a route and a box, a text
NEAR_BOX = 6.0  # px between a slanted line and a box
MOSTLY = 0.6  # share of the lines
MOST_BENDS = 4  # of a new route
STUB = 16.0  # px that a route runs straight from its box
BEND, CROSSING, OTHER_PORT, OPPOSITE, SHARED = 40.0, 150.0, 8.0, 4.0, 30.0  # px that these cost
CORNER = 8.0  # px between the end of a line and the corner of its box
LEVEL = 1.5  # px by which a line along an axis may be off
OWN = 1.0  # em between a line and its text


def around(draft: Draft, room: Room) -> Iterator[Iterator[Move]]:
    """`edge-through-box`: the arrow is led around the box. A line without a head may mean to stop there."""
    seen: set[Connector] = set()
    for line, box in passing(draft, room.parts.page):
        if line not in seen and line.has_head:
            seen.add(line)
            yield _led(line, f"it ran through the box '{name(box)}'", room)


def straighten(draft: Draft, room: Room) -> Iterator[Iterator[Move]]:
    """`mixed-routes`: the line runs by right angles."""
    nodes = {node for node, _, check in draft.warnings if check == "mixed-routes"}
    for line in room.parts.joining:
        if line.shape.node in nodes:
            yield _led(line, "it was slanted, and the others run along the axes", room, 2)


def _led(line: Connector, why: str, room: Room, most: int = MOST_BENDS) -> Iterator[Move]:
    """The new route of a line, with its own texts beside it."""
    start, end = line.start.box, line.end.box
    if start is None or end is None or start is end or len(line.pieces) != 1 or line.shape.rough:
        return
    px = room.parts.px
    said = f"led the line from '{name(start)}' to '{name(end)}' around: {why}"
    own = [label for label in room.parts.labels if _is_own(label, line, room)]
    if _is_level(line, px) or _are_level(room):
        points = _best(line, start, end, own, room)
    elif len(line.pieces[0].points) == 2:
        points = _bent(line, start, end, own, room)
    else:
        return  # a curve among curves
    if points is not None and len(points) - 2 <= most:
        changes: list[Change] = [Reroute(line.shape.node, line.shape.ctm, points)]
        for label in own:
            changes.append(Shift(label.text.node, label.text.ctm, _beside(label, line, points)))
        yield Move(tuple(changes), max(_from_old(point, line) for point in points) * px, said)


def _is_level(line: Connector, px: float) -> bool:
    """Whether a line runs along the axes."""
    return all(min(abs(x1 - x0), abs(y1 - y0)) * px <= LEVEL for (x0, y0), (x1, y1) in segments(line))


def _are_level(room: Room) -> bool:
    """Whether most lines of the drawing run along the axes."""
    lines = room.parts.joining
    return sum(_is_level(line, room.parts.px) for line in lines) >= MOSTLY * len(lines)


def _bent(line: Connector, start: Box, end: Box, own: list[Label], room: Room) -> tuple[Point, ...] | None:
    """The shortest line with one bend, or two along a side, around the boxes and texts; it crosses no more lines."""
    px = room.parts.px
    family = {start, end, *start.inside, *end.inside}
    containers = {box for box in room.parts.boxes if start in box.inside or end in box.inside}
    boxes = [box.bounds for box in room.parts.boxes if box not in family | containers]
    blocks = [_grown(box, NEAR_BOX / px) for box in boxes]
    held = {label for box in room.parts.boxes for label in box.labels}
    blocks += [
        _grown(label.bounds(label.width), NEAR_TEXT / px)
        for label in room.parts.labels
        if label not in held and label not in own
    ]
    others = [part for other in room.parts.lines if other is not line for part in segments(other)]
    first, last = line.pieces[0].points
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
        if all(_holds(room.parts.view, point) for point in points)
        and not any(clipped(part, block) is not None for part in pairwise(points) for block in blocks)
        and sum(crossings(part, others) for part in pairwise(points)) <= most
    ]
    return min(free)[2] if free else None


def _holds(box: Bounds, point: Point) -> bool:
    return box[0] < point[0] < box[2] and box[1] < point[1] < box[3]


def _from_old(point: Point, line: Connector) -> float:
    return distance((*point, *point), line)


def _is_own(label: Label, line: Connector, room: Room) -> bool:
    """Whether a text belongs to a line: it is near it, in no box, and nearer to it than to any other."""
    if any(label in box.labels for box in room.parts.boxes if not box.inside):
        return False
    near = room.near(label)
    return bool(near) and near[0][1] is line and near[0][0] <= OWN * label.size


def _best(line: Connector, start: Box, end: Box, own: list[Label], room: Room) -> tuple[Point, ...] | None:
    """The best route; its ends may move along the outlines of their boxes."""
    px, parts = room.parts.px, room.parts
    others = [other for other in parts.lines if other is not line]
    taken = [each.point for other in others for each in other.ends]
    away = AWAY / px
    family = {start, end, *start.inside, *end.inside}
    containers = {box for box in parts.boxes if start in box.inside or end in box.inside}
    blocks = [_grown(box.bounds, away) for box in parts.boxes if box not in family | containers]
    blocks += [start.bounds, end.bounds]
    held = {label for box in parts.boxes for label in box.labels if box not in containers}
    texts = [label.bounds(label.width) for label in parts.labels if label not in held and label not in own]
    blocks += [_grown(box, NEAR_TEXT / px) for box in texts]
    prices = Prices(BEND / px, CROSSING / px)
    lines = [part for other in others for part in segments(other)]
    rim = 2.0 / px
    view = parts.view[0] + rim, parts.view[1] + rim, parts.view[2] - rim, parts.view[3] - rim
    return route(
        list(_ports(line, line.start, start, line.end, taken, px)),
        list(_ports(line, line.end, end, line.start, taken, px)),
        blocks,
        lines,
        view,
        STUB / px,
        prices,
    )


def _grown(box: Bounds, by: float) -> Bounds:
    return box[0] - by, box[1] - by, box[2] + by, box[3] + by


def _ports(line: Connector, end: End, box: Box, other: End, taken: list[Point], px: float) -> Iterator[Port]:
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


def _beside(label: Label, line: Connector, points: tuple[Point, ...]) -> Point:
    """How a text of the old route moves to be beside the longest level part of the new one, or beside its longest."""
    box = label.bounds(label.width)
    parts = sorted(pairwise(points), key=lambda part: (part[0][1] != part[1][1], -math.dist(*part)))
    wide = box[2] - box[0]
    (x0, y0), (x1, y1) = next(
        (part for part in parts if part[0][1] == part[1][1] and abs(part[0][0] - part[1][0]) > wide),
        max(parts, key=lambda part: math.dist(*part)),
    )
    near = max(0.35 * label.size, min(from_segment(box, part) for part in segments(line)))
    if y0 == y1:
        return (x0 + x1 - box[0] - box[2]) / 2, y0 - near - box[3]
    return x0 + near - box[0], (y0 + y1 - box[1] - box[3]) / 2
