"""Labels of connections, moved onto their curves.

D2 takes the middle of a curve's control points for the middle of the curve. At a bend, the label then stands beside the
gap that it cuts into its line. Pure.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import pairwise

from lxml import etree

from figmill_kinds.d2.names import MOVED, SVG, Point, Rectangle, boxes, polylines

STEP = 1.0  # px between two samples of a line
LEAST = 1.5  # px off the line that nobody sees
FAR = 60.0  # px along which a label may move
LEVEL = 7.0  # px by which a line may rise or fall behind half a label, and still meet its sides
END = 24.0  # px of a line that stay between each of its ends and a label that moves to a level part
NEAR = 6.0  # px between a label and another, or the side of a shape
AREA = 4.0  # px that the area behind a label reaches beyond the gap
# words and the area behind; Markdown; a formula
_PARTS = (f"{SVG}text", f"{SVG}rect", f"{SVG}svg", f"{SVG}g")


def centred(root: etree._Element, edges: Sequence[etree._Element], shapes: Sequence[etree._Element]) -> None:
    """Move each label that D2 writes on its connection to a point of it that is clear of other labels and of the sides
    of shapes: the nearest where the line is level, or else the nearest.

    edges, shapes: their groups. Labels beside a connection have no gap in it, and stay.
    """
    gaps = {
        gap: _box(gap)
        for mask in root.iter(f"{SVG}mask")
        for gap in mask.iter(f"{SVG}rect")
        if gap.get("fill") == "black"
    }
    frames = [box for shape in shapes for box in boxes(shape)]
    for edge in edges:
        for gap, box in gaps.items():
            if not (parts := list(_inside(edge, box))):
                continue
            others = [other for element, other in gaps.items() if element is not gap]
            step = _step(box, list(samples(edge)), others, frames)
            if step is not None:
                gaps[gap] = _moved(box, step)
                for part in (gap, *parts):
                    _move(part, step)


def samples(edge: etree._Element) -> Iterator[Point]:
    """Points along a connection, at most STEP apart."""
    for path in edge.iterfind(f"{SVG}path[@mask]"):
        for line in polylines(path):
            for (x, y), (u, v) in pairwise(line):
                count = max(1, math.ceil(math.dist((x, y), (u, v)) / STEP))
                for part in range(count + 1):
                    yield x + (u - x) * part / count, y + (v - y) * part / count


def _inside(edge: etree._Element, gap: Rectangle) -> Iterator[etree._Element]:
    """The elements of a label."""
    for part in edge.iterchildren(*_PARTS):
        x, y = _place(part)
        if gap.left - AREA <= x <= gap.right and gap.top - AREA <= y <= gap.bottom:
            yield part


def _step(
    gap: Rectangle, line: Sequence[Point], others: Sequence[Rectangle], frames: Sequence[Rectangle]
) -> Point | None:
    """How far a gap moves to a point of its line; None: it stands on it, or there is no room."""
    x, y = (gap.left + gap.right) / 2, (gap.top + gap.bottom) / 2
    near = sorted((math.dist(point, (x, y)), point) for point in line)
    if not near or near[0][0] < LEAST:
        return None
    steps: list[tuple[bool, float, Point]] = []
    for far, (u, v) in near:
        moved = _moved(gap, (u - x, v - y))
        is_clear = not any(_meets(moved, other) for other in others)
        if far <= FAR and is_clear and not any(_crosses(moved, frame) for frame in frames):
            steps.append((not _is_level(line, moved), far, (u - x, v - y)))
    return min(steps)[2] if steps else None


def _is_level(line: Sequence[Point], gap: Rectangle) -> bool:
    """Whether a line meets a gap at its sides, and goes on behind both."""
    x, y, half = (gap.left + gap.right) / 2, (gap.top + gap.bottom) / 2, (gap.right - gap.left) / 2
    is_at_end = any(math.dist(end, (x, y)) < half + END for end in (line[0], line[-1]))
    return not is_at_end and all(abs(v - y) <= LEVEL for u, v in line if gap.left <= u <= gap.right)


def _meets(box: Rectangle, other: Rectangle) -> bool:
    return (
        box.left < other.right + NEAR
        and other.left < box.right + NEAR
        and box.top < other.bottom + NEAR
        and other.top < box.bottom + NEAR
    )


def _crosses(box: Rectangle, frame: Rectangle) -> bool:
    """Whether a box is at a side of a frame: neither well inside nor well outside."""
    is_inside = (
        frame.left + NEAR <= box.left
        and box.right <= frame.right - NEAR
        and frame.top + NEAR <= box.top
        and box.bottom <= frame.bottom - NEAR
    )
    return _meets(box, frame) and not is_inside


def _moved(box: Rectangle, step: Point) -> Rectangle:
    return Rectangle(box.left + step[0], box.top + step[1], box.right + step[0], box.bottom + step[1])


def _box(rect: etree._Element) -> Rectangle:
    x, y, width, height = (float(rect.get(name, 0)) for name in ("x", "y", "width", "height"))
    return Rectangle(x, y, x + width, y + height)


def _place(part: etree._Element) -> Point:
    if moved := MOVED.match(str(part.get("transform", ""))):
        return float(moved[1]), float(moved[2])
    return float(part.get("x", "nan")), float(part.get("y", "nan"))


def _move(part: etree._Element, step: Point) -> None:
    if "transform" in part.attrib:
        x, y = _place(part)
        part.set("transform", f"translate({x + step[0]:.2f} {y + step[1]:.2f})")
        return
    for element in (part, *part.iterchildren(f"{SVG}tspan")):
        for name, way in zip(("x", "y"), step, strict=True):
            if name in element.attrib:
                element.set(name, f"{float(element.get(name, 0)) + way:.2f}")
