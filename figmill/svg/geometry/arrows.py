"""Arrows: lines with a marker, or with a head drawn at an end; and where each one points.

A head is a filled triangle or dart whose point lies ahead of the line's end, or two short strokes that meet there. It
does not know what an arrow should point at.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Mapping

from figmill.late_dataclasses import dataclass
from figmill.svg.document import Element
from figmill.svg.geometry.outlines import Bounds, Point, Ring
from figmill.svg.geometry.scene import PaintedShape, Scene
from figmill.svg.geometry.stripes import Stripes
from figmill.svg.geometry.strokes import Stroke, coarse
from figmill.svg.xml.references import URL

LARGEST, LEAST = 31.0, 3.0  # px, the sides of a head
TOUCH = 4.0  # px between a line's end and its head
CORNERS = 9  # of a head, at most
LONGER = 1.2  # times the size of its head: the least length of a line
SIDEWAYS = 0.25  # share of a head's size: its point lies on the line
POINTED = frozenset(("path", "polygon", "polyline", "line"))


@dataclass(frozen=True, slots=True)
class Arrow:
    """One end of a line with a head.

    - own: the shapes that form the arrow.
    """

    line: Stroke
    tip: Point
    tail: Point
    own: frozenset[PaintedShape]


def arrows(scene: Scene, every: list[Stroke], view: Bounds, px: float) -> Iterator[Arrow]:
    """The arrows of a drawing, in paint order. every: the lines of all its shapes."""
    heads = [stroke for stroke in every if _may_be_head(stroke, px)]
    near = Stripes(heads, lambda stroke: stroke.box, view)
    # a path of several parts has markers only where it begins and where it ends (SVG 1.1, 11.6.2)
    first: dict[PaintedShape, Stroke] = {}
    last: dict[PaintedShape, Stroke] = {}
    for stroke in every:
        first.setdefault(stroke.shape, stroke)
        last[stroke.shape] = stroke
    for stroke in every:
        if stroke.is_closed or not stroke.shape.stroke or len(stroke.points) < 2:
            continue
        ends = (("marker-end", stroke.points, last), ("marker-start", stroke.points[::-1], first))
        for name, points, marked in ends:
            marker = stroke.shape.values.get(name, "none") if marked[stroke.shape] is stroke else "none"
            if marker != "none":
                if _is_pointed(marker, scene.ids):
                    yield Arrow(stroke, points[-1], points[0], frozenset((stroke.shape,)))
            elif (drawn := _drawn_head(stroke, points, near, px)) is not None:
                tip, own = drawn
                yield Arrow(stroke, tip, points[0], own)


def all_lines(scene: Scene) -> list[Stroke]:
    """The outlines of all shapes."""
    return [stroke for shape in scene.shapes for stroke in coarse(shape)]


def _may_be_head(stroke: Stroke, px: float) -> bool:
    left, top, right, bottom = stroke.box
    return len(stroke.points) <= 4 * CORNERS and LEAST <= max(right - left, bottom - top) * px <= LARGEST


def _is_pointed(marker: str, ids: Mapping[str, Element]) -> bool:
    match = URL.fullmatch(marker)
    node = ids.get(match[1]) if match else None
    return node is not None and any(part.tag in POINTED for part in node.walk())


def _drawn_head(
    line: Stroke, points: Ring, near: Stripes[Stroke], px: float
) -> tuple[Point, frozenset[PaintedShape]] | None:
    """The tip of the head at a line's end, and the shapes of the arrow; None without a head."""
    end, ahead = points[-1], _direction(points)
    if ahead is None:
        return None
    room, length = TOUCH / px, sum(math.dist(a, b) for a, b in itertools.pairwise(points))
    box = end[0] - room, end[1] - room, end[0] + room, end[1] + room
    legs: list[tuple[float, Stroke]] = []
    for head in near.meeting(box):
        if head is line or not _same_ink(line.shape, head.shape):
            continue
        size = max(head.box[2] - head.box[0], head.box[3] - head.box[1])
        if length < LONGER * size:
            continue
        if (head.shape.fill or head.is_closed) and len({*head.points}) <= CORNERS:
            tip = _point_of(head.points, end, ahead, room)
            if tip is not None:
                return tip, frozenset((line.shape, head.shape))
        elif not head.is_closed:
            legs += [(side, head) for side in _sides(head.points, end, ahead, room)]
    sides = [side for side, _ in legs]
    if any(side > 0 for side in sides) and any(side < 0 for side in sides):
        return end, frozenset((line.shape, *(leg.shape for _, leg in legs)))
    return None


def _direction(points: Ring) -> Point | None:
    """The direction in which a line ends, of length 1."""
    end = points[-1]
    whole = sum(math.dist(a, b) for a, b in itertools.pairwise(points))
    for point in reversed(points[:-1]):
        far = math.dist(point, end)
        if far > min(6.0, whole / 3) and far:
            return (end[0] - point[0]) / far, (end[1] - point[1]) / far
    return None


def _framed(point: Point, origin: Point, ahead: Point) -> Point:
    x, y = point[0] - origin[0], point[1] - origin[1]
    return x * ahead[0] + y * ahead[1], x * ahead[1] - y * ahead[0]


def _point_of(ring: Ring, end: Point, ahead: Point, room: float) -> Point | None:
    """The tip of a filled head: one corner on the line, with the rest behind it on both sides. None without one."""
    corners = list(dict.fromkeys(ring))
    framed = {corner: _framed(corner, end, ahead) for corner in corners}
    tip = max(corners, key=lambda corner: framed[corner][0])
    first, side = framed[tip]
    rest = [framed[corner] for corner in corners if corner != tip]
    if len(rest) < 2:
        return None
    size = first - min(x for x, _ in rest)
    if size <= 0 or first < -room or min(x for x, _ in rest) > room:
        return None
    if abs(side) > SIDEWAYS * size or any(x > first - 0.25 * size for x, _ in rest):
        return None
    left, right = min(y for _, y in rest) - side, max(y for _, y in rest) - side
    return tip if left < -0.1 * size and right > 0.1 * size else None


def _sides(ring: Ring, end: Point, ahead: Point, room: float) -> Iterator[float]:
    """On which side of the line each short stroke of an open head lies, as the sign of a number."""
    ends = [ring[0], ring[-1]]
    middle = min(ring, key=lambda point: math.dist(point, end))
    if math.dist(middle, end) > room:
        return
    for far in ends:
        along, side = _framed(far, end, ahead)
        if far != middle and along < -0.3 * abs(side) and abs(side) > 0.15 * abs(along):
            yield side


def _same_ink(line: PaintedShape, head: PaintedShape) -> bool:
    colours = {tone[0] for paint in (head.fill, head.stroke) for tone in paint}
    return any(tone[0] in colours for tone in line.stroke)
