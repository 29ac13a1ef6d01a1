"""The outline of a shape as polygons through the endpoints and midpoints of its curves; arcs in short steps.

Knows nothing of what is painted.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from functools import lru_cache
from itertools import accumulate, pairwise
from typing import TypeAlias

from figmill.svg.document import Element
from figmill.svg.xml.numbers import plain
from figmill.svg.xml.path_data import parse, parse_points

Point: TypeAlias = tuple[float, float]
Ring: TypeAlias = tuple[Point, ...]
Bounds: TypeAlias = tuple[float, float, float, float]  # left, top, right, bottom

ARC = math.pi / 8  # radians of a step along an arc
STRAIGHT = re.compile("(?:ML*Z?)*")  # rings of lines only


def outline(node: Element) -> tuple[Ring, ...]:
    """The polygons of a shape in its own units."""
    tag, attrib = node.tag, node.attrib
    if tag == "path":
        return _of_path(attrib.get("d", ""))
    if tag in ("polygon", "polyline"):
        return (_of_points(attrib.get("points", "")),)
    if tag in ("rect", "image"):
        x, y, width, height = (coordinate(attrib, name) for name in ("x", "y", "width", "height"))
        return (((x, y), (x + width, y), (x + width, y + height), (x, y + height)),)
    if tag == "line":
        x1, y1, x2, y2 = (coordinate(attrib, name) for name in ("x1", "y1", "x2", "y2"))
        return (((x1, y1), (x2, y2)),)
    cx, cy = coordinate(attrib, "cx"), coordinate(attrib, "cy")
    rx, ry = (coordinate(attrib, "r") or coordinate(attrib, name) for name in ("rx", "ry"))
    return (_of_ellipse(cx, cy, rx, ry),)


def coordinate(attrib: dict[str, str], name: str) -> float:
    """A number of the normal form; 0 if the attribute is missing."""
    return _plain(attrib.get(name, "0"))


@lru_cache(maxsize=4096)
def _plain(text: str) -> float:
    return plain(text) or 0.0


@lru_cache(maxsize=2048)
def _of_points(text: str) -> Ring:
    """The corners of a points list."""
    numbers, _ = parse_points(text)
    return tuple(zip(numbers[::2], numbers[1::2], strict=False))


_CIRCLE = tuple((math.cos(math.pi * n / 8), math.sin(math.pi * n / 8)) for n in range(16))


@lru_cache(maxsize=2048)
def _of_ellipse(cx: float, cy: float, rx: float, ry: float) -> Ring:
    return tuple([(cx + rx * cos, cy + ry * sin) for cos, sin in _CIRCLE])


@lru_cache(maxsize=2048)
def _of_path(d: str) -> tuple[Ring, ...]:
    """The polygons of path data, without single points."""
    return rings_of_path(d, 2)


def rings_of_path(d: str, steps: int) -> tuple[Ring, ...]:
    """The polygons of path data, without single points; each curve is divided into `steps` parts."""
    path = parse(d)
    if steps == 2 and STRAIGHT.fullmatch(path.commands):
        points = [*zip(path.numbers[::2], path.numbers[1::2], strict=True)]
        ends = [*accumulate(len(ring.rstrip("Z")) + 1 for ring in path.commands.split("M")[1:])]
        return tuple([tuple(points[at:end]) for at, end in pairwise([0, *ends]) if end - at > 1])
    polygons: list[list[Point]] = []
    for command, values in path.segments():
        if command == "Z":
            polygons.append([polygons[-1][0]])
        elif command == "M":
            polygons.append([(values[0], values[1])])
        else:
            polygons[-1] += _ends(command, values, polygons[-1][-1], steps)
    return tuple(tuple(ring) for ring in polygons if len(ring) > 1)


def _ends(command: str, values: tuple[float, ...], start: Point, steps: int) -> list[Point]:
    """The end of a segment, preceded by points of its curve."""
    x, y = start
    if command == "H":
        return [(values[0], y)]
    if command == "V":
        return [(x, values[0])]
    end = values[-2:]
    if command == "C" and steps == 2:
        x0, y0, x1, y1 = values[:4]
        return [((x + 3 * (x0 + x1) + end[0]) / 8, (y + 3 * (y0 + y1) + end[1]) / 8), (end[0], end[1])]
    if command == "Q" and steps == 2:
        return [((x + 2 * values[0] + end[0]) / 4, (y + 2 * values[1] + end[1]) / 4), (end[0], end[1])]
    if command in "CQ":
        controls = [start, *zip(values[::2], values[1::2], strict=True)]
        return [*(_on_curve(controls, step / steps) for step in range(1, steps)), (end[0], end[1])]
    if command == "A":
        return _arc(start, values)
    return [(end[0], end[1])]


def _on_curve(controls: list[Point], at: float) -> Point:
    """A point of a Bézier curve, by de Casteljau."""
    while len(controls) > 1:
        controls = [(x0 + at * (x1 - x0), y0 + at * (y1 - y0)) for (x0, y0), (x1, y1) in pairwise(controls)]
    return controls[0]


def _arc(start: Point, values: tuple[float, ...]) -> list[Point]:
    """Points along an elliptical arc, its end included, by the centre parameterisation (SVG 1.1, F.6.5 and F.6.6)."""
    rx, ry, turn, is_large, is_right, x, y = values
    rx, ry = abs(rx), abs(ry)
    if not rx or not ry or start == (x, y):
        return [(x, y)]
    cos, sin = math.cos(math.radians(turn)), math.sin(math.radians(turn))
    dx, dy = (start[0] - x) / 2, (start[1] - y) / 2
    u, v = (cos * dx + sin * dy) / rx, (cos * dy - sin * dx) / ry  # from the midpoint, in radii
    away = math.hypot(u, v)
    if away > 1:  # radii too small to reach: scaled up
        rx, ry, u, v, away = rx * away, ry * away, u / away, v / away, 1.0
    if not away:
        return [(x, y)]
    far = math.sqrt(max(0.0, 1 - away * away)) / away
    far = far if bool(is_large) != bool(is_right) else -far
    centre = far * v, -far * u
    first = math.atan2(v - centre[1], u - centre[0])
    sweep = math.atan2(-v - centre[1], -u - centre[0]) - first
    if is_right and sweep < 0:
        sweep += 2 * math.pi
    elif not is_right and sweep > 0:
        sweep -= 2 * math.pi
    steps = max(2, math.ceil(abs(sweep) / ARC))
    points = []
    for step in range(1, steps):
        angle = first + sweep * step / steps
        px, py = rx * (math.cos(angle) + centre[0]), ry * (math.sin(angle) + centre[1])
        points.append((cos * px - sin * py + (start[0] + x) / 2, sin * px + cos * py + (start[1] + y) / 2))
    return [*points, (x, y)]


def to_line(point: Point, line: Sequence[Point]) -> float:
    """The distance of a point from a line of several points."""
    return min(_to_segment(point, a, b) for a, b in pairwise(line))


def _to_segment(point: Point, start: Point, end: Point) -> float:
    """The distance of a point from a line between two points."""
    return math.dist(point, nearest_on(point, (start, end)))


def nearest_on(point: Point, line: tuple[Point, Point]) -> Point:
    """The point of a line between two points that is nearest to another point."""
    start, end = line
    dx, dy = end[0] - start[0], end[1] - start[1]
    whole = dx * dx + dy * dy
    at = ((point[0] - start[0]) * dx + (point[1] - start[1]) * dy) / whole if whole else 0.0
    at = max(0.0, min(1.0, at))
    return start[0] + at * dx, start[1] + at * dy


def meeting(first: tuple[Point, Point], second: tuple[Point, Point]) -> Point | None:
    """Where two straight lines cross; None if they do not, or run along each other."""
    (x0, y0), (x1, y1) = first
    (x2, y2), (x3, y3) = second
    if max(x0, x1) < min(x2, x3) or max(x2, x3) < min(x0, x1):
        return None
    turn = (x1 - x0) * (y3 - y2) - (y1 - y0) * (x3 - x2)
    if abs(turn) < 1e-9:
        return None
    along = ((x2 - x0) * (y3 - y2) - (y2 - y0) * (x3 - x2)) / turn
    across = ((x2 - x0) * (y1 - y0) - (y2 - y0) * (x1 - x0)) / turn
    if not (0 <= along <= 1 and 0 <= across <= 1):
        return None
    return x0 + along * (x1 - x0), y0 + along * (y1 - y0)
