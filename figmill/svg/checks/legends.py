"""Finds the legends of a drawing: small shapes of one form, each directly before text. Does not judge them."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import defaultdict

from figmill.late_dataclasses import dataclass
from figmill.svg.document import Element
from figmill.svg.geometry.outlines import Bounds, Point
from figmill.svg.geometry.rectangles import around
from figmill.svg.geometry.scene import PaintedShape, Scene, bounds
from figmill.svg.steps import Steps

LARGEST = 200.0  # the greatest height of a legend's text


@dataclass(frozen=True, slots=True)
class LegendText:
    """A run of text: its start, its middle and its size, in root units."""

    text: str
    left: float
    middle: Point
    size: float


@dataclass(frozen=True, slots=True)
class LegendShape:
    """A shape with the properties that checks compare repeatedly."""

    shape: PaintedShape
    box: Bounds
    raw: tuple[str, str, str]  # pattern, dashes, line width


@dataclass(frozen=True, slots=True)
class Swatch:
    """One entry of a legend."""

    words: LegendText
    parts: tuple[LegendShape, ...]
    box: Bounds


def areas_of(root: Element, scene: Scene) -> list[LegendShape]:
    """The visible shapes, each with its box and its visible properties other than colour."""
    parents = {child: node for node in root.walk() for child in node.children if isinstance(child, Element)}
    values: dict[tuple[str, Element], str | None] = {}

    def handed_down(name: str, node: Element | None) -> str | None:
        trail = []
        while node is not None and name not in node.attrib and (name, node) not in values:
            trail.append((name, node))
            node = parents.get(node)
        value = None if node is None else node.attrib.get(name, values.get((name, node)))
        values.update(dict.fromkeys(trail, value))
        return value

    def property_of(shape: PaintedShape, name: str, writer: Element) -> str:
        value = handed_down(name, shape.node)
        return (handed_down(name, writer) or "") if value is None else value

    areas = []
    for shape in scene.shapes:
        fill = property_of(shape, "fill", shape.writers[0])
        pattern = scene.ids.get(fill[5:-1]) if fill.startswith("url(#") else None
        dashes = property_of(shape, "stroke-dasharray", shape.writers[1]) if shape.stroke else ""
        width = property_of(shape, "stroke-width", shape.writers[1]) if shape.stroke else ""
        hatch = _drawn(pattern) if pattern is not None and pattern.tag == "pattern" else ""
        areas.append(LegendShape(shape, bounds(shape), (hatch, "" if dashes == "none" else dashes, width)))
    return areas


def _drawn(pattern: Element) -> str:
    """A pattern's content without its colours."""
    colours = {"fill", "stroke", "id", "style"}
    return repr(
        [(n.tag, sorted((k, v) for k, v in n.attrib.items() if k not in colours)) for n in pattern.walk()]
    )


def words_of(scene: Scene) -> list[LegendText]:
    """The runs of text, in root units."""
    runs = []
    for text in scene.texts:
        scale = abs(text.ctm[0] * text.ctm[3] - text.ctm[1] * text.ctm[2]) ** 0.5
        for node, content, points in text.runs():
            size = text.type.of(node.attrib).size * scale if node is not text.node else text.type.size * scale
            start = points[1] if len(points) > 2 else points[0]
            runs.append(LegendText(" ".join(content.split()), start[0] - 0.4 * size, points[0], size))
    return runs


class TextIndex:
    """The text of a drawing, indexed by height. Raises SpentError once its steps are used up."""

    def __init__(self, runs: list[LegendText], steps: Steps) -> None:
        self.runs, self.steps = runs, steps
        self._sorted = sorted(runs, key=_height)

    def inside(self, area: LegendShape) -> list[str]:
        left, top, right, bottom = area.box
        first = bisect_left(self._sorted, top, key=_height)
        last = bisect_right(self._sorted, bottom, lo=first, key=_height)
        self.steps.spend(1 + last - first)
        return [run.text for run in self._sorted[first:last] if left <= run.middle[0] <= right]


def _height(run: LegendText) -> float:
    return run.middle[1]


def swatches_of(areas: list[LegendShape], texts: TextIndex) -> list[Swatch]:
    """Small shapes without text in them that stand directly before text."""
    swatches = []
    rows: dict[int, list[LegendShape]] = defaultdict(list)
    for area in areas:
        rows[_row((area.box[1] + area.box[3]) / 2)].append(area)
    for run in texts.runs:
        size = min(run.size, LARGEST)
        reach = range(_row(run.middle[1] - size), _row(run.middle[1] + size) + 1)
        texts.steps.spend(len(reach) + sum(len(rows.get(row, ())) for row in reach))
        near = [area for row in reach for area in rows.get(row, ()) if _is_before(area.box, run)]
        if near and not any(texts.inside(area) for area in near):
            swatches.append(Swatch(run, tuple(near), around([area.box for area in near])))
    return swatches


def _row(y: float) -> int:
    """The index row for this height."""
    return int(max(-1e6, min(1e6, y))) // 8


def _is_before(box: Bounds, label: LegendText) -> bool:
    left, top, right, bottom = box
    size = label.size
    in_line = abs((top + bottom) / 2 - label.middle[1]) < 0.7 * size
    small = 0.2 * size < right - left < 6 * size and bottom - top < 2.2 * size
    return in_line and small and label.left - 2.2 * size < right < label.left + 0.2 * size
