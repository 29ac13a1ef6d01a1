"""Lines as they are drawn: fine polylines with their width, and how much of one lies in a box.

They are finer than the polygons of outlines.py, which are enough for areas but cut the bends of a connector. Knows
nothing of text.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from functools import lru_cache

from figmill.late_dataclasses import dataclass
from figmill.svg.document import Element
from figmill.svg.geometry.outlines import Bounds, Point, Ring, outline, rings_of_path
from figmill.svg.geometry.scene import PaintedShape, bounds, rings
from figmill.svg.geometry.stripes import Stripes
from figmill.svg.geometry.text_layout import length
from figmill.svg.xml.numbers import UNITY, Matrix

STEPS = 12  # the steps of a curve
BULGE = 0.2  # share of a shape's size
CLOSED = frozenset(("rect", "circle", "ellipse", "polygon"))


@dataclass(slots=True, eq=False)
class Stroke:
    """One line of a shape, in root units.

    - is_closed: it ends where it begins.
    """

    shape: PaintedShape
    points: Ring
    width: float
    is_closed: bool
    box: Bounds


def strokes(shapes: Iterable[PaintedShape], boxes: Stripes[Bounds]) -> Iterator[Stroke]:
    """The fine lines of the shapes that have a stroke and may meet one of the boxes, in paint order."""
    for shape in shapes:
        if shape.stroke:
            left, top, right, bottom = bounds(shape)
            more = BULGE * max(right - left, bottom - top)  # a curve may reach beyond its polygon
            if boxes.meeting((left - more, top - more, right + more, bottom + more)):
                yield from fine(shape)


def fine(shape: PaintedShape) -> Iterator[Stroke]:
    """The outline of one shape, painted or not, with many points on its curves."""
    return _strokes(shape, _fine(shape.node), shape.ctm)


def coarse(shape: PaintedShape) -> Iterator[Stroke]:
    """The outline of one shape, painted or not, with few points on its curves."""
    node = shape.node
    is_closed = node.tag in CLOSED or (node.tag == "path" and "z" in node.attrib.get("d", "").lower())
    return _strokes(shape, [(ring, is_closed or ring[0] == ring[-1]) for ring in rings(shape)], UNITY)


def _strokes(shape: PaintedShape, rings: Iterable[tuple[Ring, bool]], ctm: Matrix) -> Iterator[Stroke]:
    a, b, c, d, e, f = ctm
    m = shape.ctm
    wide = length(shape.values.get("stroke-width", "1"), 16.0, 1.0) * math.sqrt(
        abs(m[0] * m[3] - m[1] * m[2])
    )
    for ring, is_closed in rings:
        if ctm != UNITY:
            ring = tuple([(a * x + c * y + e, b * x + d * y + f) for x, y in ring])
        if is_closed and ring[0] != ring[-1]:
            ring = (*ring, ring[0])
        xs, ys = zip(*ring, strict=True)
        yield Stroke(shape, ring, wide, is_closed, (min(xs), min(ys), max(xs), max(ys)))


def _fine(node: Element) -> list[tuple[Ring, bool]]:
    if node.tag == "path":
        return _of_path(node.attrib.get("d", ""))
    return [(ring, node.tag in CLOSED) for ring in outline(node) if len(ring) > 1]


@lru_cache(maxsize=2048)
def _of_path(d: str) -> list[tuple[Ring, bool]]:
    rings = rings_of_path(d, STEPS)
    return [(ring, len(ring) > 2 and math.dist(ring[0], ring[-1]) < 1e-6) for ring in rings]


def clipped(segment: tuple[Point, Point], box: Bounds) -> tuple[Point, Point] | None:
    """The part of a segment in a box, by Liang and Barsky (1984); None if there is none."""
    (x0, y0), (x1, y1) = segment
    left, top, right, bottom = box
    dx, dy = x1 - x0, y1 - y0
    first, last = 0.0, 1.0
    for step, room in ((-dx, x0 - left), (dx, right - x0), (-dy, y0 - top), (dy, bottom - y0)):
        if step == 0.0:
            if room < 0:
                return None
            continue
        at = room / step
        if step < 0:
            first = max(first, at)
        else:
            last = min(last, at)
        if first > last:
            return None
    return (x0 + first * dx, y0 + first * dy), (x0 + last * dx, y0 + last * dy)
