"""The colours of a gradient at a point: its stops, mixed by the point's offset along it (SVG 1.1, 13.2).

Knows nothing of what is painted over it.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from typing import TypeAlias

from figmill.late_dataclasses import dataclass
from figmill.svg.colour import Tone, tone
from figmill.svg.document import Element
from figmill.svg.geometry.outlines import Bounds, Point, outline
from figmill.svg.geometry.precision import ViewBox
from figmill.svg.xml.numbers import Matrix, matrix, multiply, plain

Stop: TypeAlias = tuple[float, Tone]
MOST = 64  # tones at one place: if there are more, only a sample is tried
DEEPEST = 16  # length of a chain of gradients that refer to each other
INSIDE = 0.999  # share of the radius: a focus outside the circle is moved to here
INITIAL = {"x1": "0%", "y1": "0%", "x2": "100%", "y2": "0%", "cx": "50%", "cy": "50%", "r": "50%"}


@dataclass(frozen=True, slots=True)
class Gradient:
    """A gradient as one shape uses it.

    - inverse: from root units to its own.
    """

    is_round: bool
    inverse: Matrix
    places: tuple[float, ...]  # x1 y1 x2 y2, or cx cy r fx fy
    spread: str
    stops: tuple[Stop, ...]

    def tones(self, points: Iterable[Point]) -> tuple[Tone, ...]:
        """All tones between the smallest and largest offset of these points."""
        far = [self._along(point) for point in points]
        first, last = _within(min(far), max(far), self.spread)
        inner = [offset for offset, _ in self.stops if first < offset < last]
        ends = [first, *inner[:: 1 + 2 * len(inner) // MOST], last]
        between = [(start + end) / 2 for start, end in pairwise(ends)]  # two hues are darkest where they mix
        colours = [self._at(offset) for offset in sorted({*ends, *between})]
        # Two stops at one offset are a sharp edge between their colours.
        sharp = [colour for offset, colour in self.stops if first < offset < last]
        return tuple(dict.fromkeys((*colours, *sharp[:MOST])))

    def _along(self, point: Point) -> float:
        a, b, c, d, e, f = self.inverse
        x, y = a * point[0] + c * point[1] + e, b * point[0] + d * point[1] + f
        if self.is_round:
            return _out(x, y, *self.places)
        x1, y1, x2, y2 = self.places
        dx, dy = x2 - x1, y2 - y1
        length = dx * dx + dy * dy
        return ((x - x1) * dx + (y - y1) * dy) / length if length else 1.0

    def _at(self, offset: float) -> Tone:
        before = self.stops[0]
        for stop in self.stops:
            if stop[0] > offset:
                return _mixed(before, stop, offset)
            before = stop
        return before[1]


def gradient(
    node: Element, opacity: float, shape: Element, ctm: Matrix, ids: Mapping[str, Element], view: ViewBox
) -> Gradient | None:
    """The gradient of a shape; None if the shape has no extent, or the gradient fewer than two stops.

    opacity: applied to all its stops; ctm: from the shape's units to the root's.
    """
    attrib, stops = _inherited(node, ids)
    box = _bounds(shape)
    if len(stops) < 2 or box is None:
        return None
    width, height = view[2:]
    own = ctm
    if attrib.get("gradientUnits") != "userSpaceOnUse":
        own = multiply(ctm, (box[2] - box[0], 0, 0, box[3] - box[1], box[0], box[1]))
        width = height = 1.0
    inverse = _inverse(multiply(own, matrix(attrib.get("gradientTransform", ""))))
    if inverse is None:
        return None
    sides = {"x": width, "y": height, "r": math.hypot(width, height) / math.sqrt(2)}
    is_round = node.tag == "radialGradient"
    names = ("cx", "cy", "r") if is_round else ("x1", "y1", "x2", "y2")
    places = [_length(attrib.get(name, INITIAL[name]), sides[name.strip("c12")]) for name in names]
    if is_round:
        for name, centre in (("fx", places[0]), ("fy", places[1])):
            places.append(_length(attrib[name], sides[name[1]]) if name in attrib else centre)
    faint = tuple((offset, (colour, alpha * opacity)) for offset, (colour, alpha) in stops)
    return Gradient(is_round, inverse, tuple(places), attrib.get("spreadMethod", "pad"), faint)


def mixtures(tones: Sequence[Tone]) -> tuple[str, ...]:
    """The colours of a gradient's stops, and the mixture halfway between each two neighbours."""
    middles = (_mixed((0.0, first), (1.0, second), 0.5) for first, second in pairwise(tones))
    return tuple(colour for colour, _ in (*tones, *middles))


def _inherited(node: Element, ids: Mapping[str, Element]) -> tuple[dict[str, str], tuple[Stop, ...]]:
    """A gradient's attributes and stops, its own or inherited from the gradient it refers to."""
    attrib: dict[str, str] = {}
    for _ in range(DEEPEST):
        attrib = {**node.attrib, **attrib}
        stops = [child for child in node.elements() if child.tag == "stop"]
        further = ids.get(node.attrib.get("href", "")[1:])
        if stops or further is None:
            return attrib, _stops(stops)
        node = further
    return attrib, ()


def _stops(nodes: Iterable[Element]) -> tuple[Stop, ...]:
    """Each stop with its offset, which never decreases."""
    stops: list[Stop] = []
    least = 0.0
    for node in nodes:
        colour = tone(node.attrib.get("stop-color", "#000000"))
        least = max(least, min(1.0, _length(node.attrib.get("offset", "0"), 1.0)))
        if colour is not None:
            alpha = max(0.0, min(1.0, _length(node.attrib.get("stop-opacity", "1"), 1.0)))
            stops.append((least, (colour[0], colour[1] * alpha)))
    return tuple(stops)


def _length(text: str, whole: float) -> float:
    """A number, or a percentage of the whole."""
    value = plain(text.removesuffix("%")) or 0.0
    return value / 100 * whole if text.endswith("%") else value


def _bounds(shape: Element) -> Bounds | None:
    points = [point for ring in outline(shape) for point in ring]
    xs, ys = [x for x, _ in points], [y for _, y in points]
    if not points or min(xs) == max(xs) or min(ys) == max(ys):
        return None
    return min(xs), min(ys), max(xs), max(ys)


def _inverse(m: Matrix) -> Matrix | None:
    a, b, c, d, e, f = m
    size = a * d - b * c
    if not size or not math.isfinite(1 / size):
        return None
    return d / size, -b / size, -c / size, a / size, (c * f - d * e) / size, (b * e - a * f) / size


def _out(x: float, y: float, cx: float, cy: float, r: float, fx: float, fy: float) -> float:
    """The offset of a point between the focus (0) and the circle (1)."""
    if r <= 0:
        return 1.0
    ex, ey = cx - fx, cy - fy
    away = math.hypot(ex, ey)
    if away > INSIDE * r:
        ex, ey = ex * INSIDE * r / away, ey * INSIDE * r / away
        fx, fy = cx - ex, cy - ey
    qx, qy = x - fx, y - fy
    a, half = ex * ex + ey * ey - r * r, qx * ex + qy * ey
    return (half - math.sqrt(max(0.0, half * half - a * (qx * qx + qy * qy)))) / a


def _within(first: float, last: float, spread: str) -> tuple[float, float]:
    """An interval of offsets mapped into the range of the stops, 0 to 1."""
    if spread not in ("repeat", "reflect"):
        return max(0.0, min(1.0, first)), max(0.0, min(1.0, last))
    turn = math.floor(first)
    if last - turn > 1:
        return 0.0, 1.0
    first, last = first - turn, last - turn
    return (1 - last, 1 - first) if spread == "reflect" and turn % 2 else (first, last)


def _mixed(start: Stop, end: Stop, offset: float) -> Tone:
    """The colour between two stops as browsers mix it: in gamma-encoded sRGB."""
    part = (offset - start[0]) / (end[0] - start[0]) if end[0] > start[0] else 1.0
    (first, alpha), (second, beta) = start[1], end[1]
    pairs = ((int(first[at : at + 2], 16), int(second[at : at + 2], 16)) for at in (1, 3, 5))
    colour = "#" + "".join(f"{round((1 - part) * a + part * b):02x}" for a, b in pairs)
    return colour, (1 - part) * alpha + part * beta
