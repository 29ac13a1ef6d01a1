"""The routes of draw.io's connectors: from ends, waypoints and a style to points. Pure.

The routes are like draw.io's: straight lines, elbows, and lines with right angles that leave a shape at the side that
faces the other shape. A route with right angles is the shortest one with the fewest bends around both shapes.
"""

from __future__ import annotations

import heapq
import itertools
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from figmill_kinds.drawio.model import Box, Point
from figmill_kinds.drawio.styles import Style, number

JETTY = 10.0  # px of the straight piece at a shape
ER = 30.0  # the same, in entity relation diagrams
BEND = 40.0  # px of detour that a bend is worth
NEAR = 0.5  # px
SIDES: Mapping[str, Point] = MappingProxyType({"N": (0, -1), "E": (1, 0), "S": (0, 1), "W": (-1, 0)})
_OPPOSITE = {"N": "S", "S": "N", "E": "W", "W": "E"}


@dataclass(frozen=True, slots=True)
class End:
    """One end of a connector. edge: the outline of its shape; fixed: a place that the author chose; side: its side.
    is_level: lines meet it at right angles, if they can.

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


def attached(box: Box, edge: tuple[Point, ...], style: Style, which: str) -> End:
    """An end at a shape. which: `exit` or `entry`, the prefix of the style's names."""
    edge = edge or corners(box)
    if not (f"{which}X" in style and f"{which}Y" in style):
        return End(box, edge)
    u, v = number(style, f"{which}X"), number(style, f"{which}Y")
    point = (
        box.x + u * box.width + number(style, f"{which}Dx"),
        box.y + v * box.height + number(style, f"{which}Dy"),
    )
    near = {"W": u, "E": 1 - u, "N": v, "S": 1 - v}
    side, distance = min(near.items(), key=lambda item: item[1])
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
    manner = _MANNERS.get(style.get("edgeStyle", ""), _straight)
    if start.box == stop.box and start.fixed is None and stop.fixed is None and not via and start.box.width:
        return _loop(start)
    points = _plain(_clipped(manner(start, stop, via, style), start, stop))
    return points if len(points) > 1 else [start.point, stop.point]


def _clipped(points: Sequence[Point], start: End, stop: End) -> list[Point]:
    """The points from outline to outline, where an end does not have a fixed place."""
    made = list(points)
    for end, order in ((start, 1), (stop, -1)):
        made = made[::order]
        if end.fixed is None and end.edge:
            while len(made) > 2 and _within(end.box, made[1]):
                del made[0]
            made[0] = leaving(end.edge, made[0], made[1])
        made = made[::order]
    return made


def _within(box: Box, point: Point) -> bool:
    return box.x < point[0] < box.right and box.y < point[1] < box.bottom


def _plain(points: Sequence[Point]) -> list[Point]:
    """Points without repetitions, and without those in the middle of a straight line."""
    made: list[Point] = []
    for point in points:
        if made and math.dist(made[-1], point) < 0.01:
            continue
        if len(made) > 1 and _is_straight(made[-2], made[-1], point):
            made.pop()
        made.append(point)
    return made


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


def _loop(end: End) -> list[Point]:
    box, by = end.box, 2 * JETTY
    x, y = box.centre
    begin, finish = (
        leaving(end.edge, (x, y), (box.right + 1, y)),
        leaving(end.edge, (x, y), (x, box.bottom + 1)),
    )
    return [begin, (box.right + by, y), (box.right + by, box.bottom + by), (x, box.bottom + by), finish]


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
    return _around(ends[0], sides[0], start.box, ends[1], sides[1], stop.box)


def _facing(start: End, stop: End) -> tuple[str, str]:
    """The sides at which a line leaves and arrives: with one bend if both allow it, else on the sides that face."""
    a, b = start.box, stop.box
    left, right, above, below = a.x - b.right, b.x - a.right, a.y - b.bottom, b.y - a.bottom
    across, down = max(left, right), max(above, below)
    flat, tall = ("W" if left >= right else "E"), ("N" if above >= below else "S")
    if across > 0 and down > 0:
        wanted = (
            (tall, _OPPOSITE[flat])
            if start.side in ("N", "S") or stop.side in ("E", "W")
            else (flat, _OPPOSITE[tall])
        )
    elif down > 0 or across <= 0:
        wanted = (tall, _OPPOSITE[tall])
    else:
        wanted = (flat, _OPPOSITE[flat])
    return start.side or wanted[0], stop.side or wanted[1]


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


def _around(begin: Point, out: str, a: Box, end: Point, into: str, b: Box) -> list[Point]:
    """The shortest route with right angles and few bends around both boxes."""
    (u, v), (s, t) = SIDES[out], SIDES[into]
    gap = JETTY
    if _OPPOSITE[out] == into:
        ahead = (end[0] - begin[0]) * u + (end[1] - begin[1]) * v
        gap = max(1.0, min(JETTY, ahead / 2)) if ahead > 0 else JETTY
    first, last = (begin[0] + u * gap, begin[1] + v * gap), (end[0] + s * gap, end[1] + t * gap)
    middle = ((first[0] + last[0]) / 2, (first[1] + last[1]) / 2)
    xs = sorted({first[0], last[0], middle[0], a.x - JETTY, a.right + JETTY, b.x - JETTY, b.right + JETTY})
    ys = sorted({first[1], last[1], middle[1], a.y - JETTY, a.bottom + JETTY, b.y - JETTY, b.bottom + JETTY})
    found = _search(first, out, last, _OPPOSITE[into], xs, ys, [box.grown(gap / 2) for box in (a, b)], middle)
    return [begin, *found, end]


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


_MANNERS: Mapping[str, Callable[[End, End, Sequence[Point], Style], list[Point]]] = MappingProxyType(
    {
        "orthogonalEdgeStyle": _orthogonal,
        "segmentEdgeStyle": _orthogonal,
        "elbowEdgeStyle": _elbow,
        "entityRelationEdgeStyle": _relation,
        "sideToSideEdgeStyle": _elbow,
        "topToBottomEdgeStyle": _elbow,
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
