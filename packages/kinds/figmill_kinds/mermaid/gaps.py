"""Lines end at their labels: gaps in the lines of a drawing, in place of boxes in the colour of the page. Pure.

Mermaid puts a box behind the label of a line, to hide the line. Such a box shows on every ground that has not quite
its colour: on a group, or on a page with a dark colour of its own. Here each line gets a gap instead, and the box goes.
moves.js asks for more gaps with the attribute `data-gaps`, where text has no other place than on a line.
"""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from lxml import etree

SVG = "{http://www.w3.org/2000/svg}"
Point = tuple[float, float]
Bezier = tuple[Point, ...]  # the points of a line (2) or a cubic curve (4)
STEPS = 64  # parts in which a curve is searched for the edge of a box
HALVINGS = 24
BESIDE = 2.0  # px between a label and its line
ASKED = "data-gaps"  # "left,top,right,bottom;..." in the coordinates of the line
ENDS = ("x1", "y1", "x2", "y2")
_TOKEN = re.compile(r"[A-Za-z]|[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?")
_MOVE = re.compile(r"translate\(\s*(-?[\d.e-]+)(?:[\s,]+(-?[\d.e-]+))?\s*\)")


@dataclass(frozen=True, slots=True)
class LabelBox:
    """The place of a label, in the coordinates of its lines."""

    left: float
    top: float
    right: float
    bottom: float

    def holds(self, at: Point) -> bool:
        return self.left < at[0] < self.right and self.top < at[1] < self.bottom

    def meets(self, other: LabelBox) -> bool:
        """Whether the outline of `other` passes through this box."""
        apart = (
            other.left >= self.right
            or other.right <= self.left
            or other.top >= self.bottom
            or other.bottom <= self.top
        )
        within = (
            other.left < self.left
            and self.right < other.right
            and other.top < self.top
            and self.bottom < other.bottom
        )
        return not apart and not within


def opened(root: etree._Element) -> None:
    """Give lines gaps where moves.js asks for them; give the lines of each group gaps at its labels, without boxes."""
    of_lines: dict[etree._Element, list[LabelBox]] = {}
    for line in root.iter(f"{SVG}path", f"{SVG}line"):
        if (asked := line.get(ASKED)) is not None:
            del line.attrib[ASKED]
            of_lines[line] = [LabelBox(*map(float, box.split(","))) for box in str(asked).split(";")]
    for labels in root.iter(f"{SVG}g"):
        group = labels.getparent()
        if not _is(labels, "edgeLabels") or group is None:
            continue
        lines = [line for part in group if _is(part, "edgePaths") for line in part.iter(f"{SVG}path")]
        frames = [box for part in group if _is(part, "clusters") for box in _frames(part)]
        boxes: list[LabelBox] = []
        for rect in list(labels.iter(f"{SVG}rect")):
            box = _box(rect, labels)
            if box is None or any(box.meets(frame) for frame in frames):
                continue  # the box also hides the frame of a group
            boxes.append(box)
            _remove(rect)
        for line in lines if boxes else ():
            of_lines.setdefault(line, []).extend(boxes)
    for line, boxes in of_lines.items():
        _open(line, boxes)


def _is(group: etree._Element, name: str) -> bool:
    """Whether a group has a class. The one of lines has two with ELK: the layout's, and the drawing's."""
    return name in str(group.get("class", "")).split()


def _open(line: etree._Element, boxes: Sequence[LabelBox]) -> None:
    """Give a path or a line gaps at boxes. A line becomes a path."""
    d = str(line.get("d", ""))
    if line.tag == f"{SVG}line":
        x1, y1, x2, y2 = (line.get(name, "0") for name in ENDS)
        d = f"M{x1},{y1}L{x2},{y2}"
    if (opened := cut(d, boxes)) is None:
        return
    if line.tag == f"{SVG}line":
        line.tag = f"{SVG}path"
        for name in ENDS:
            del line.attrib[name]
    line.set("d", opened)


def _remove(node: etree._Element) -> None:
    parent = node.getparent()
    if parent is not None:
        parent.remove(node)


def _frames(clusters: etree._Element) -> Iterator[LabelBox]:
    for rect in clusters.iter(f"{SVG}rect"):
        if (box := _box(rect, clusters)) is not None:
            yield box


def _box(rect: etree._Element, above: etree._Element) -> LabelBox | None:
    """The place of a rectangle in the coordinates of a group around it; None if it has no size."""
    try:
        x, y, width, height = (float(str(rect.get(name, ""))) for name in ("x", "y", "width", "height"))
    except ValueError:
        return None
    node: etree._Element | None = rect
    while node is not None and node is not above:
        if (transform := node.get("transform")) is not None:
            if (move := _MOVE.fullmatch(str(transform).strip())) is None:
                return None
            x, y = x + float(move[1]), y + float(move[2] or 0)
        node = node.getparent()
    return LabelBox(x - BESIDE, y, x + width + BESIDE, y + height) if width > 0 and height > 0 else None


def cut(d: str, boxes: Sequence[LabelBox]) -> str | None:
    """A path without its parts in the boxes; None if it does not change, or is not made of lines and curves.

    A path that would lose an end stays: its arrowhead would move.
    """
    curves = _curves(d)
    if curves is None:
        return None
    ends = (curves[0][0], curves[-1][-1]) if curves else ()
    near = [box for box in boxes if not any(box.holds(end) for end in ends)]
    parts: list[Bezier] = []
    is_cut = False
    for curve in curves:
        places = [place for box in near for place in _crossings(curve, box)]
        marks = sorted({0.0, 1.0, *places})
        for begin, end in itertools.pairwise(marks):
            if any(box.holds(_at(curve, (begin + end) / 2)) for box in near):
                is_cut = True
            else:
                parts.append(_part(curve, begin, end))
    return _written(parts) if is_cut and parts else None


def _curves(d: str) -> list[Bezier] | None:
    """The lines and cubic curves of a path with absolute commands M, L, C and Q; None for any other path."""
    tokens = _TOKEN.findall(d)
    curves: list[Bezier] = []
    here: Point | None = None
    index = 0
    while index < len(tokens):
        command, index = tokens[index], index + 1
        numbers: list[float] = []
        while index < len(tokens) and not tokens[index].isalpha():
            numbers.append(float(tokens[index]))
            index += 1
        points = list(zip(numbers[::2], numbers[1::2], strict=False))
        if len(numbers) % 2 or not points:
            return None
        if command == "M" and here is None:
            here, points = points[0], points[1:]
            command = "L"
        step = {"L": 1, "Q": 2, "C": 3}.get(command)
        if step is None or here is None or len(points) % step:
            return None
        for first in range(0, len(points), step):
            curve = (here, *points[first : first + step])
            curves.append(_cubic(curve) if command == "Q" else curve)
            here = curve[-1]
    return curves


def _cubic(curve: Bezier) -> Bezier:
    """The same curve, raised from degree 2 to 3."""
    begin, bend, end = curve
    return begin, _between(bend, begin, 1 / 3), _between(bend, end, 1 / 3), end


def _at(curve: Bezier, place: float) -> Point:
    """The point of a curve at a place from 0 to 1 (de Casteljau)."""
    points: Sequence[Point] = curve
    while len(points) > 1:
        points = [_between(one, other, place) for one, other in itertools.pairwise(points)]
    return points[0]


def _between(one: Point, other: Point, place: float) -> Point:
    return one[0] + (other[0] - one[0]) * place, one[1] + (other[1] - one[1]) * place


def _crossings(curve: Bezier, box: LabelBox) -> Iterator[float]:
    """Where a curve enters or leaves a box."""
    xs, ys = ([point[axis] for point in curve] for axis in (0, 1))
    if max(xs) <= box.left or min(xs) >= box.right or max(ys) <= box.top or min(ys) >= box.bottom:
        return
    was = box.holds(_at(curve, 0))
    for step in range(STEPS):
        begin, end = step / STEPS, (step + 1) / STEPS
        now = box.holds(_at(curve, end))
        if now != was:
            for _ in range(HALVINGS):
                middle = (begin + end) / 2
                begin, end = (middle, end) if box.holds(_at(curve, middle)) == was else (begin, middle)
            yield end
        was = now


def _part(curve: Bezier, begin: float, end: float) -> Bezier:
    """The part of a curve between two places."""
    if end < 1:
        curve = _first(curve, end)
        begin /= end
    return tuple(reversed(_first(tuple(reversed(curve)), 1 - begin))) if begin > 0 else curve


def _first(curve: Bezier, place: float) -> Bezier:
    """The first part of a curve, up to a place."""
    points, kept = list(curve), [curve[0]]
    while len(points) > 1:
        points = [_between(one, other, place) for one, other in itertools.pairwise(points)]
        kept.append(points[0])
    return tuple(kept)


def _written(parts: Sequence[Bezier]) -> str:
    commands: list[str] = []
    here: Point | None = None
    for first, *others in parts:
        if here is None or math.dist(here, first) > 1e-6:
            commands.append("M" + _pair(first))
        commands.append(("L" if len(others) == 1 else "C") + " ".join(map(_pair, others)))
        here = others[-1]
    return "".join(commands)


def _pair(point: Point) -> str:
    return ",".join(
        f"{round(value, 3) + 0.0:g}" if abs(value) < 1000 else f"{round(value, 3):.10g}" for value in point
    )
