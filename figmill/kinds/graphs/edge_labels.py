"""Labels of edges, lifted off a level line: Graphviz leaves a point between a label and its edge, or less.

A label moves by half its height and a few points at most, and only where nothing else is. Pure.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import chain, pairwise

from lxml import etree

from figmill.kinds.graphs import room
from figmill.late_dataclasses import dataclass

SVG = "{http://www.w3.org/2000/svg}"
GAP = 3.0  # points between a label and its edge
STEPS = 24  # samples of a part of a curve
ASCENT, DESCENT = 0.72, 0.21  # em above and below the baseline
_NUMBER = re.compile(r"-?[\d.]+")

Point = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Box:
    """A rectangle in points; y grows downwards."""

    left: float
    top: float
    right: float
    bottom: float

    def moved(self, down: float) -> Box:
        return Box(self.left, self.top + down, self.right, self.bottom + down)

    def holds(self, point: Point) -> bool:
        return self.left <= point[0] <= self.right and self.top <= point[1] <= self.bottom

    def meets(self, other: Box) -> bool:
        return (
            self.left < other.right
            and other.left < self.right
            and self.top < other.bottom
            and other.top < self.bottom
        )


def lifted(drawing: etree._Element) -> bool:
    """Lift the plain labels of edges off them; whether one moved."""
    groups = [group for group in drawing.iter(f"{SVG}g") if group.get("class") in ("node", "edge", "cluster")]
    lines = {
        group: list(chain.from_iterable(map(samples, group.iter(f"{SVG}path"))))
        for group in groups
        if group.get("class") == "edge"
    }
    labels = {group: box for group in lines if (box := _label(group)) is not None}
    nodes = [_around(group) for group in groups if group.get("class") == "node"]
    changed = False
    for group, box in labels.items():
        down = _way(box, lines[group])
        moved = box.moved(down)
        obstacles = [*nodes, *(other for owner, other in labels.items() if owner is not group)]
        points = chain.from_iterable(line for owner, line in lines.items() if owner is not group)
        if (
            not down
            or any(moved.meets(other) and not box.meets(other) for other in obstacles)
            or any(moved.holds(point) and not box.holds(point) for point in points)
        ):
            continue
        changed = True
        for text in group.iter(f"{SVG}text"):
            text.set("y", f"{float(text.get('y', 0)) + down:.2f}")
        labels[group] = moved
    return changed


def _way(box: Box, line: Sequence[Point]) -> float:
    """How far down a label has to move; negative: up. 0 if the line is far enough, or passes through its middle."""
    heights = [y for x, y in line if box.left <= x <= box.right]
    if not heights:
        return 0.0
    middle = (box.top + box.bottom) / 2
    if min(heights) >= middle:
        return -max(0.0, GAP - (min(heights) - box.bottom))
    return max(0.0, GAP - (box.top - max(heights))) if max(heights) < middle else 0.0


def _label(group: etree._Element) -> Box | None:
    """The box of a plain label; None if the edge has none, or one of several parts."""
    texts = list(group.iter(f"{SVG}text"))
    if not texts or len({(text.get("x"), text.get("text-anchor")) for text in texts}) > 1:
        return None
    if texts[0].get("text-anchor") != "middle":
        return None
    size, family = float(texts[0].get("font-size", 14)), str(texts[0].get("font-family", ""))
    half = max(room.of((text.text or "").encode(), family.encode(), size).natural for text in texts) / 2
    x, heights = float(texts[0].get("x", 0)), [float(text.get("y", 0)) for text in texts]
    return Box(x - half, min(heights) - ASCENT * size, x + half, max(heights) + DESCENT * size)


def _around(group: etree._Element) -> Box:
    """The box around a node's outline."""
    points: list[Point] = []
    for shape in group.iter(f"{SVG}path", f"{SVG}polygon", f"{SVG}polyline"):
        points += points_in(str(shape.get("d") or shape.get("points", "")))
    for round_ in group.iter(f"{SVG}ellipse"):
        x, y, wide, high = (float(round_.get(name, 0)) for name in ("cx", "cy", "rx", "ry"))
        points += [(x - wide, y - high), (x + wide, y + high)]
    for text in group.iter(f"{SVG}text"):
        points.append((float(text.get("x", 0)), float(text.get("y", 0))))
    xs, ys = zip(*(points or [(0.0, 0.0)]), strict=True)
    return Box(min(xs), min(ys), max(xs), max(ys))


def samples(path: etree._Element) -> Iterator[Point]:
    """Points along an edge, which Graphviz draws as cubic Bézier curves in a row."""
    points = points_in(str(path.get("d", "")))
    for start, end in pairwise(range(0, len(points), 3)):
        (x0, y0), (x1, y1), (x2, y2), (x3, y3) = points[start : end + 1]
        for part in range(STEPS + 1):
            t = part / STEPS
            a, b, c, d = (1 - t) ** 3, 3 * (1 - t) ** 2 * t, 3 * (1 - t) * t * t, t**3
            yield a * x0 + b * x1 + c * x2 + d * x3, a * y0 + b * y1 + c * y2 + d * y3


def points_in(text: str) -> list[Point]:
    """The points of a path or a polygon."""
    numbers = [float(number) for number in _NUMBER.findall(text)]
    return list(zip(numbers[::2], numbers[1::2], strict=False))
