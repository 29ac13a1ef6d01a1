"""The routes of draw.io's connectors: from ends, waypoints and a style to points. Pure.

The routes are like draw.io's: straight lines, elbows, and lines with right angles that leave a shape at the side that
faces the other shape. A route with right angles is the shortest one with the fewest bends around both shapes.
"""

from __future__ import annotations

import heapq
import itertools
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType

from figmill_kinds.drawio.model import Box, Point
from figmill_kinds.drawio.styles import Style, number

JETTY = 10.0  # px of the straight piece at a shape
LOOP = 20.0  # px by which a connector from a shape to itself leaves it
ER = 30.0  # the same, in entity relation diagrams
BEND = 40.0  # px of detour that a bend is worth
NEAR = 0.5  # px
SIDES: Mapping[str, Point] = MappingProxyType({"N": (0, -1), "E": (1, 0), "S": (0, 1), "W": (-1, 0)})
_OPPOSITE = {"N": "S", "S": "N", "E": "W", "W": "E"}


@dataclass(frozen=True, slots=True)
class End:
    """One end of a connector. edge: the outline of its shape; fixed: a place that the author chose; side: its side.

    is_level: lines meet it at right angles, if they can.
    """

    box: Box
    edge: tuple[Point, ...] = ()
    fixed: Point | None = None
    side: str = ""
    is_level: bool = False

    @property
    def point(self) -> Point:
        return self.fixed or self.box.centre


def loose(point: Point) -> End:
    """An end without a shape."""
    return End(Box(*point, 0, 0), fixed=point)


def chosen(box: Box, style: Style, which: str) -> Point | None:
    """The place on a shape that the author chose. which: `exit` or `entry`, the prefix of the style's names."""
    if not (f"{which}X" in style and f"{which}Y" in style):
        return None
    return (
        box.x + number(style, f"{which}X") * box.width + number(style, f"{which}Dx"),
        box.y + number(style, f"{which}Y") * box.height + number(style, f"{which}Dy"),
    )


def attached(box: Box, edge: tuple[Point, ...], style: Style, which: str, point: Point | None = None) -> End:
    """An end at a shape. point: the chosen place, if the shape is turned or mirrored."""
    edge = edge or corners(box)
    point = point or chosen(box, style, which)
    if point is None:
        return End(box, edge)
    (left, right), (top, bottom) = ((min(along), max(along)) for along in zip(*edge, strict=True))
    u, v = (point[0] - left) / (right - left or 1.0), (point[1] - top) / (bottom - top or 1.0)
    near = {"W": u, "E": 1 - u, "N": v, "S": 1 - v}
    distance = min(near.values())
    side = "".join(name for name, far in near.items() if far - distance < 1e-6)  # two at a corner
    x, y = box.centre
    if style.get(f"{which}Perimeter", "1") != "0" and box.width and box.height and point != box.centre:
        far = (x + (point[0] - x) * 4, y + (point[1] - y) * 4)
        point = leaving(edge, (x, y), far) if edge != corners(box) else point
    return End(box, edge, point, side if distance < 0.25 else "")


def corners(box: Box) -> tuple[Point, ...]:
    return (box.x, box.y), (box.right, box.y), (box.right, box.bottom), (box.x, box.bottom)


def leaving(edge: Sequence[Point], inside: Point, outside: Point) -> Point:
    """Where the path from inside to outside crosses an outline for the last time; `inside` if it never does."""
    (x, y), (dx, dy) = inside, (outside[0] - inside[0], outside[1] - inside[1])
    last = -1.0
    for (x1, y1), (x2, y2) in zip(edge, [*edge[1:], *edge[:1]], strict=True):
        ex, ey = x2 - x1, y2 - y1
        cross = dx * ey - dy * ex
        if abs(cross) < 1e-9:
            continue
        along, across = ((x1 - x) * ey - (y1 - y) * ex) / cross, ((x1 - x) * dy - (y1 - y) * dx) / cross
        if 0 <= along <= 1 and -1e-9 <= across <= 1 + 1e-9:
            last = max(last, along)
    return inside if last < 0 else (x + dx * last, y + dy * last)


def route(start: End, stop: End, via: Sequence[Point], style: Style) -> list[Point]:
    """The points of a connector, from outline to outline."""
    manner = MANNERS.get(style.get("edgeStyle", ""), _straight)
    if start.box == stop.box and start.fixed is None and stop.fixed is None and start.box.width:
        return _clipped(_loop(start.box, via), start, stop)
    points = _headed(_plain(_clipped(manner(start, stop, via, style), start, stop)))
    return points if len(points) > 1 else [start.point, stop.point]


def _clipped(points: Sequence[Point], start: End, stop: End) -> list[Point]:
    """The points from outline to outline, where an end does not have a fixed place."""
    line = list(points)
    for end, order in ((start, 1), (stop, -1)):
        line = line[::order]
        if end.fixed is None and end.edge:
            while len(line) > 2 and _within(end.box, line[1]):
                del line[0]
            line[0] = leaving(end.edge, line[0], line[1])
        line = line[::order]
    return line


def _headed(points: list[Point]) -> list[Point]:
    """Points without a piece at an end that is too short to give a head its direction."""
    line = list(points)
    for place in (1, -2):
        while len(line) > 2 and math.dist(line[place], line[0 if place == 1 else -1]) < 1:
            del line[place]
    return line


def _within(box: Box, point: Point) -> bool:
    return box.x < point[0] < box.right and box.y < point[1] < box.bottom


def _plain(points: Sequence[Point]) -> list[Point]:
    """Points without repetitions, and without those in the middle of a straight line."""
    vertices: list[Point] = []
    for point in points:
        if vertices and math.dist(vertices[-1], point) < 0.01:
            continue
        if len(vertices) > 1 and _is_straight(vertices[-2], vertices[-1], point):
            vertices.pop()
        vertices.append(point)
    return vertices


def _is_straight(a: Point, b: Point, c: Point) -> bool:
    return (a[0] == b[0] == c[0] and (b[1] - a[1]) * (c[1] - b[1]) > 0) or (
        a[1] == b[1] == c[1] and (b[0] - a[0]) * (c[0] - b[0]) > 0
    )


def _straight(start: End, stop: End, via: Sequence[Point], style: Style) -> list[Point]:
    first, last = (via[0], via[-1]) if via else (stop.point, start.point)
    return [_level(start, first), *via, _level(stop, last)]


def _level(end: End, other: Point) -> Point:
    """The point of an end; if lines meet it at right angles, the point at the height or the width of the other end."""
    box = end.box
    if not end.is_level or end.fixed is not None:
        return end.point
    x, y = other
    if box.y <= y <= box.bottom:
        return box.centre[0], y
    return (x, box.centre[1]) if box.x <= x <= box.right else end.point


def _loop(box: Box, via: Sequence[Point]) -> list[Point]:
    """Out of a shape and back, on its right, or on the side of a waypoint."""
    x, y = box.centre
    u, v = via[0] if via else (box.right + LOOP, y)
    if box.x <= u <= box.right and not box.y <= v <= box.bottom:
        return [(x, y), (x - box.width / 4, v), (x + box.width / 4, v), (x, y)]
    return [(x, y), (u, y - box.height / 4), (u, y + box.height / 4), (x, y)]


def _elbow(start: End, stop: End, via: Sequence[Point], style: Style) -> list[Point]:
    """Two parallel lines and one across, which a waypoint may move."""
    a, b = start.box, stop.box
    upright = style.get("elbow") == "vertical"
    if via:
        (x, y) = via[0]
        is_aside = x < min(a.x, b.x) or x > max(a.right, b.right)
        is_above = y < min(a.y, b.y) or y > max(a.bottom, b.bottom)
        upright = not is_aside and (is_above or upright)
    turned = _turned if upright else _kept
    (sx, sy), (tx, ty) = turned(start.point), turned(stop.point)
    first, second = _box(a, turned), _box(b, turned)
    x = (min(first.right, second.right) + max(first.x, second.x)) / 2
    if via:
        x, y = turned(via[0])
        if start.fixed is None and first.y <= y <= first.bottom:
            sy = y
        if stop.fixed is None and second.y <= y <= second.bottom:
            ty = y
    return [turned(point) for point in ((sx, sy), (x, sy), (x, ty), (tx, ty))]


def _kept(point: Point) -> Point:
    return point


def _turned(point: Point) -> Point:
    return point[1], point[0]


def _box(box: Box, turned: Callable[[Point], Point]) -> Box:
    return Box(*turned((box.x, box.y)), *turned((box.width, box.height)))


def _relation(start: End, stop: End, via: Sequence[Point], style: Style) -> list[Point]:
    """From side to side, with a straight piece at each end."""
    points = []
    for end, other in ((start, stop), (stop, start)):
        side = end.side if end.side in ("E", "W") else "W" if other.point[0] < end.box.x else "E"
        x, y = end.fixed or (end.box.right if side == "E" else end.box.x, end.box.centre[1])
        points.append(((x, y), (x + ER * SIDES[side][0], y)))
    (a, b), (d, c) = points
    return [a, b, *via, c, d]


def _orthogonal(start: End, stop: End, via: Sequence[Point], style: Style) -> list[Point]:
    if via:
        return _through(start, stop, via)
    sides = _facing(start, stop)
    ends = []
    for end, side in zip((start, stop), sides, strict=True):
        (x, y), (u, v) = end.box.centre, SIDES[side]
        far = (x + u * (end.box.width / 2 + 1), y + v * (end.box.height / 2 + 1))
        ends.append(end.fixed or (leaving(end.edge, (x, y), far) if end.edge else (x, y)))
    room = (_jetty(style, "start"), _jetty(style, "end"))
    return _around(ends[0], sides[0], start.box, ends[1], sides[1], stop.box, room)


def _facing(start: End, stop: End) -> tuple[str, str]:
    """The sides at which a line leaves and arrives: with one bend if both allow it, else on the sides that face."""
    a, b = start.box, stop.box
    left, right, above, below = a.x - b.right, b.x - a.right, a.y - b.bottom, b.y - a.bottom
    across, down = max(left, right), max(above, below)
    across, down = (gap if gap > NEAR else min(gap, 0.0) for gap in (across, down))
    flat, tall = ("W" if left >= right else "E"), ("N" if above >= below else "S")
    start = replace(start, side=_one_of(start.side, tall if down > 0 else flat))
    stop = replace(stop, side=_one_of(stop.side, _OPPOSITE[tall if down > 0 else flat]))
    if across > 0 and down > 0 and start.side in ("", flat) and stop.side in ("", _OPPOSITE[tall]):
        wanted = (flat, _OPPOSITE[tall])
    elif across > 0 and down > 0:
        side = start.side or _OPPOSITE[stop.side]
        wanted = (side, _OPPOSITE[side])
    elif down > 0 or across <= 0:
        wanted = (tall, _OPPOSITE[tall])
    else:
        wanted = (flat, _OPPOSITE[flat])
    return start.side or wanted[0], stop.side or wanted[1]


def _one_of(sides: str, wanted: str) -> str:
    """The side of an end: at a corner, the one that is wanted if it is one of its two."""
    return wanted if wanted in sides and sides else sides[:1]


def _through(start: End, stop: End, via: Sequence[Point]) -> list[Point]:
    """Right angles through waypoints: each moves one piece of the line, horizontal and vertical in turn."""
    x, y = start.point
    hint = via[0]
    flat = start.side in ("E", "W")
    if start.fixed is None:
        flat = start.box.y <= hint[1] <= start.box.bottom
        x, y = (x, hint[1]) if flat else (hint[0], y) if start.box.x <= hint[0] <= start.box.right else (x, y)
    elif abs(hint[1] - y) < NEAR:
        flat = True
    elif abs(hint[0] - x) < NEAR:
        flat = False
    points = [(x, y)]
    for hint in via:
        x, y = (hint[0], y) if flat else (x, hint[1])
        flat = not flat
        points.append((x, y))
    tx, ty = stop.point
    if stop.fixed is None:
        hint = via[-1]
        if stop.box.y <= hint[1] <= stop.box.bottom:
            ty = hint[1]
        elif stop.box.x <= hint[0] <= stop.box.right:
            tx = hint[0]
    # The last waypoint counts in both directions.
    hint = via[-1]
    if flat and abs(hint[0] - x) > NEAR and abs(tx - hint[0]) > NEAR:
        x, flat = hint[0], False
        points.append((x, y))
    elif not flat and abs(hint[1] - y) > NEAR and abs(ty - hint[1]) > NEAR:
        y, flat = hint[1], True
        points.append((x, y))
    if abs(tx - x) > NEAR and abs(ty - y) > NEAR:
        points.append((tx, y) if flat else (x, ty))
    else:
        tx, ty = (
            (x if abs(tx - x) <= NEAR and stop.fixed is None else tx),
            (y if abs(ty - y) <= NEAR and stop.fixed is None else ty),
        )
    return [*points, (tx, ty)]


def _jetty(style: Style, name: str) -> float:
    """How far a line runs straight at one end: farther where it has a head."""
    if style.get("jettySize", "auto") != "auto":
        return max(0.0, number(style, "jettySize", JETTY))
    if style.get(f"{name}Arrow", "none") == "none":
        return JETTY
    return max(2, math.ceil((number(style, f"{name}Size", 6) + JETTY) / JETTY)) * JETTY


def _around(
    begin: Point, out: str, a: Box, end: Point, into: str, b: Box, room: tuple[float, float]
) -> list[Point]:
    """The shortest route with right angles and few bends around both boxes. room: the straight pieces at its ends."""
    (u, v), (s, t) = SIDES[out], SIDES[into]
    near, far = room
    if _OPPOSITE[out] == into:
        ahead = (end[0] - begin[0]) * u + (end[1] - begin[1]) * v
        near, far = (max(1.0, min(gap, ahead / 2)) if ahead > 0 else gap for gap in room)
    else:
        aheads = (
            (end[0] - begin[0]) * u + (end[1] - begin[1]) * v,
            (begin[0] - end[0]) * s + (begin[1] - end[1]) * t,
        )
        near, far = (min(gap, ahead) if ahead > 0 else gap for gap, ahead in zip(room, aheads, strict=True))
    first, last = (begin[0] + u * near, begin[1] + v * near), (end[0] + s * far, end[1] + t * far)
    middle = ((begin[0] + end[0]) / 2, (begin[1] + end[1]) / 2)
    xs = sorted({first[0], last[0], middle[0], a.x - near, a.right + near, b.x - far, b.right + far})
    ys = sorted({first[1], last[1], middle[1], a.y - near, a.bottom + near, b.y - far, b.bottom + far})
    boxes = [a.grown(near / 2), b.grown(far / 2)]
    path = _search(first, out, last, _OPPOSITE[into], xs, ys, boxes, middle)
    points = _plain([begin, *path, end])
    is_flat = len(points) == 4 and math.dist(points[1], points[2]) < 1
    return [begin, end] if is_flat else points


def _search(
    first: Point,
    out: str,
    last: Point,
    into: str,
    xs: list[float],
    ys: list[float],
    boxes: list[Box],
    middle: Point,
) -> list[Point]:
    """Dijkstra's route through a grid. Among equal routes, the one that crosses in the middle."""
    ties = itertools.count()
    queue: list[tuple[float, int, Point, str, tuple[Point, ...]]] = [(0.0, next(ties), first, out, (first,))]
    done: set[tuple[Point, str]] = set()
    while queue:
        cost, _, point, heading, way = heapq.heappop(queue)
        if (point, heading) in done:
            continue
        done.add((point, heading))
        if point == last:
            if heading == into:
                return list(way)
            if heading != _OPPOSITE[into]:
                heapq.heappush(queue, (cost + BEND, next(ties), point, into, way))
            continue
        for side, (u, v) in SIDES.items():
            if side == _OPPOSITE[heading]:
                continue
            there = _next(point, u, v, xs, ys)
            if there is None or any(_crosses(box, point, there) for box in boxes):
                continue
            off = abs(point[0] - middle[0]) if v else abs(point[1] - middle[1])
            step = math.dist(point, there) * (1 + 1e-5 * off)
            heapq.heappush(
                queue, (cost + step + BEND * (side != heading), next(ties), there, side, (*way, there))
            )
    corner = (last[0], first[1]) if out in ("E", "W") else (first[0], last[1])
    return [first, corner, last]


def _next(point: Point, u: float, v: float, xs: list[float], ys: list[float]) -> Point | None:
    """The next point of the grid in a direction."""
    line, here, sign = (xs, point[0], u) if u else (ys, point[1], v)
    place = line.index(here) + (1 if sign > 0 else -1)
    if not 0 <= place < len(line):
        return None
    return (line[place], point[1]) if u else (point[0], line[place])


def _crosses(box: Box, a: Point, b: Point) -> bool:
    """Whether a horizontal or vertical line runs through a box."""
    left, right = sorted((a[0], b[0]))
    top, bottom = sorted((a[1], b[1]))
    return (
        left < box.right - NEAR and right > box.x + NEAR and top < box.bottom - NEAR and bottom > box.y + NEAR
    )


MANNERS: Mapping[str, Callable[[End, End, Sequence[Point], Style], list[Point]]] = MappingProxyType(
    {
        "orthogonalEdgeStyle": _orthogonal,
        "segmentEdgeStyle": _orthogonal,
        "elbowEdgeStyle": _elbow,
        "entityRelationEdgeStyle": _relation,
    }
)


def place(points: Sequence[Point], along: float, beside: float) -> Point:
    """A point on a route. along: -1 at its start, 1 at its end; beside: px to its side."""
    lengths = [math.dist(a, b) for a, b in itertools.pairwise(points)]
    left = (along + 1) / 2 * sum(lengths)
    for (a, b), length in zip(itertools.pairwise(points), lengths, strict=True):
        if left <= length and length:
            u, v = (b[0] - a[0]) / length, (b[1] - a[1]) / length
            return a[0] + u * left + v * beside, a[1] + v * left - u * beside
        left -= length
    return points[-1]
