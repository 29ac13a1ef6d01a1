"""The contents of a display list: shapes, texts and effects, with their positions. display_list.py builds it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import field
from typing import TypeAlias

from figmill.late_dataclasses import dataclass
from figmill.svg.colour import Tone
from figmill.svg.document import Element
from figmill.svg.geometry.outlines import Bounds, Point, Ring, coordinate, outline
from figmill.svg.geometry.text_layout import TextStyle, places
from figmill.svg.xml.numbers import UNITY, Matrix

Paint: TypeAlias = tuple[Tone, ...]  # empty, one tone, or all tones of a gradient


@dataclass(slots=True, eq=False)
class PaintedShape:
    """One shape in paint order.

    - node: the element whose paints may be rewritten.
    """

    order: int
    node: Element
    ctm: Matrix
    fill: Paint
    stroke: Paint
    even_odd: bool
    # for fill, for stroke: the element itself, or the <use> it inherits from
    writers: tuple[Element, Element]
    rings: list[Ring] | None = None  # computed on first use
    dashes: str = "none"
    box: Bounds | None = None  # computed on first use
    clip: Bounds | None = None  # the bounds of all clips around it; None without clips
    server: tuple[Element, float] | None = None  # the gradient of its fill, and its opacity
    rough: bool = False  # a clip around it is not a rectangle, so `clip` is too large
    values: Mapping[str, str] = field(default_factory=dict)  # the properties in force, among others


@dataclass(frozen=True, slots=True)
class PaintedText:
    """One <text>.

    - inks: each element with one tone, and where that may be rewritten.
    - shown: all visible elements.
    """

    order: int
    node: Element
    ctm: Matrix
    type: TextStyle
    inks: dict[Element, tuple[Tone, Element]]
    shown: dict[Element, float]  # each visible element, with its opacity
    outlined: set[Element]  # elements whose letters are stroked
    clip: Bounds | None = None  # the bounds of all clips around it
    _laid_out: list[tuple[Element, str, list[Point], list[Point]]] = field(default_factory=list, init=False)

    def runs(self) -> Iterator[tuple[Element, str, list[Point]]]:
        """Each run of visible text: its element, the text, its middle, and a point just inside each end."""
        for node, content, points, _ in self.looks():
            yield node, content, points

    def looks(self) -> Iterator[tuple[Element, str, list[Point], list[Point]]]:
        """As `runs`, with the corners of the box that the text fills."""
        if not self._laid_out:
            for node, content, points, corners in places(self.node, self.type):
                if node in self.inks:
                    at = [[_at(self.ctm, point) for point in some] for some in (points, corners)]
                    self._laid_out.append((node, content, at[0], at[1]))
        return iter(self._laid_out)


@dataclass(frozen=True, slots=True)
class Effect:
    """A filter, mask or layer with the index ranges of the scene's shapes and texts inside it."""

    node: Element
    ctm: Matrix
    shapes: tuple[int, int]
    texts: tuple[int, int]


@dataclass(slots=True)
class Scene:
    """Everything painted, in order."""

    shapes: list[PaintedShape] = field(default_factory=list)
    texts: list[PaintedText] = field(default_factory=list)
    ids: dict[str, Element] = field(default_factory=dict)
    pictures: list[PaintedShape] = field(default_factory=list)  # numbered in one order with the shapes
    effects: list[Effect] = field(default_factory=list)
    layers: list[Effect] = field(default_factory=list)  # groups with opacity, and blended elements
    # the tones of each server at each opacity
    servers: dict[tuple[Element, float], Paint] = field(default_factory=dict)
    # the tones of each gradient's stops
    stops: dict[Element, tuple[tuple[Tone, float], ...]] = field(default_factory=dict)
    whole: bool = True
    order: int = 0


def _at(m: Matrix, point: Point) -> Point:
    return m[0] * point[0] + m[2] * point[1] + m[4], m[1] * point[0] + m[3] * point[1] + m[5]


def rings(shape: PaintedShape) -> list[Ring]:
    """The polygons of a shape, in root units."""
    if shape.rings is None:
        polygons = [ring for ring in outline(shape.node) if len(ring) > 1]
        if shape.ctm != UNITY:
            a, b, c, d, e, f = shape.ctm
            polygons = [tuple([(a * x + c * y + e, b * x + d * y + f) for x, y in ring]) for ring in polygons]
        shape.rings = polygons
    return shape.rings


def round_bounds(shape: PaintedShape) -> Bounds | None:
    """Left, top, right and bottom of a circle, or an ellipse along the axes; None for other shapes."""
    attrib = shape.node.attrib
    a, b, c, d, e, f = shape.ctm
    if shape.node.tag not in ("ellipse", "circle") or b or c:
        return None
    x, y = a * coordinate(attrib, "cx") + e, d * coordinate(attrib, "cy") + f
    radius = coordinate(attrib, "r")
    rx, ry = abs(a) * (radius or coordinate(attrib, "rx")), abs(d) * (radius or coordinate(attrib, "ry"))
    return x - rx, y - ry, x + rx, y + ry


def bounds(shape: PaintedShape) -> Bounds:
    """Left, top, right and bottom of a shape; all 0 if it has no extent."""
    if shape.box is None:
        points = [point for ring in rings(shape) for point in ring]
        xs, ys = [x for x, _ in points] or [0.0], [y for _, y in points] or [0.0]
        shape.box = min(xs), min(ys), max(xs), max(ys)
    return shape.box
