"""Text outside the box that it clearly belongs to.

A box is a closed shape that is large enough for the text. Either of two signs is enough: the text lies across an edge
of a box that holds no other text; or all boxes of the same form but one hold text, and the text stands alone beside
that one, not in a row such as that of an axis. text_fit.py checks text whose middle lies in its box.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import field

from figmill.late_dataclasses import dataclass
from figmill.svg.checks.line_through_text import short
from figmill.svg.document import Draft
from figmill.svg.geometry.areas import SMALLEST, Area, Areas
from figmill.svg.geometry.backdrop import HIDES
from figmill.svg.geometry.display_list import drawn
from figmill.svg.geometry.label_fit import clipped_texts, lettering
from figmill.svg.geometry.labels import Label
from figmill.svg.geometry.outlines import Bounds
from figmill.svg.geometry.parts import placed
from figmill.svg.geometry.scene import PaintedShape, rings
from figmill.svg.spec import Sheet

CHECK = "text-astray"
ACROSS = 0.15  # the least share of a label that lies in the box
BESIDE = 1.6  # em, the greatest distance between a box and its text
ALIKE = 3  # the least number of boxes of one form
HELD = 0.75  # the least share of the boxes of one form that hold text
COLUMNS, HEIGHTS = 12, (0.2, 0.5, 0.8)  # where the ink of a label is sampled
ROW = 4  # the least number of texts in a row
INSET = 0.15  # share of a box's sides: a line may end on its edge
FRAMED = 1  # the most boxes inside a box; one with more is a panel: a frame, a gloss
MOST = 400  # boxes, and labels: a drawing with more is data


@dataclass(slots=True, eq=False)
class LabelledArea:
    """A closed shape, and the labels with their middle in it."""

    area: Area
    labels: list[Label] = field(default_factory=list)
    contents: int = 0  # how many other boxes it contains


def check_strays(draft: Draft, sheet: Sheet) -> None:
    """Warn of every label outside the box that it belongs to."""
    if CHECK not in sheet.checks:
        return
    for label, (box, how) in strays(draft).items():
        left, top, right, bottom = box.area.box
        middle = placed(((left + right) / 2, (top + bottom) / 2))
        draft.warn(
            CHECK,
            label.text.node,
            f"the text '{short(label)}' {how} its {box.area.shape.node.tag}; its middle would be at {middle}",
        )


def strays(draft: Draft) -> dict[Label, tuple[LabelledArea, str]]:
    """The labels outside the box that they belong to, in paint order; each with that box, and where it lies."""
    fit = lettering(draft)
    if not fit.every or len(fit.every) > MOST:
        return {}
    shapes = drawn(draft).shapes
    areas = Areas(shapes, fit.view, fit.px)
    boxes = [LabelledArea(area) for area in areas.all() if _is_box(area, fit.px)]
    if not boxes or len(boxes) > MOST:
        return {}
    _sort_in(boxes, fit.every)
    cut = clipped_texts(draft)
    astray = _strays(boxes, [label for label in fit.every if label.text.node not in cut], shapes)
    return {label: astray[label] for label in fit.every if label in astray}


def _is_box(area: Area, px: float) -> bool:
    """Whether an area is large enough, and has an edge that readers see."""
    shape = area.shape
    if not shape.stroke and (len(shape.fill) != 1 or shape.fill[0][1] < HIDES):
        return False
    left, top, right, bottom = area.box
    return min(right - left, bottom - top) * px >= 1.5 * SMALLEST


def _sort_in(boxes: list[LabelledArea], labels: Iterable[Label]) -> None:
    """Record in each box the labels whose middle lies in it, and how many other boxes it contains."""
    for box in boxes:
        box.labels = [label for label in labels if box.area.holds(label.centre())]
        box.contents = sum(1 for other in boxes if other is not box and _within(other.area.box, box.area.box))


def _within(inner: Bounds, outer: Bounds) -> bool:
    return outer[0] <= inner[0] and outer[1] <= inner[1] and inner[2] <= outer[2] and inner[3] <= outer[3]


def _strays(
    boxes: list[LabelledArea], labels: list[Label], shapes: list[PaintedShape]
) -> dict[Label, tuple[LabelledArea, str]]:
    """Each label outside its box, with the box, and where it lies."""
    empty = [box for box in boxes if not box.labels and not box.contents]
    owned = {
        label
        for box in boxes
        if box.contents <= FRAMED
        for label in box.labels
        if not box.contents or _within(label.bounds(label.width), box.area.box)
    }
    free = [label for label in labels if label not in owned]
    regular, in_rows = _regular(boxes, shapes), _in_rows(free)
    strays: dict[Label, tuple[LabelledArea, str]] = {}
    for box in empty:
        near = [
            (_apart(label, box), label) for label in free if label not in strays and _has_room(box, label)
        ]
        near = [(far, label) for far, label in near if far <= BESIDE * label.size]
        later = [label for _, label in near if label.text.order > box.area.shape.order]
        across = [label for label in later if _share(label, box) >= ACROSS]
        if across:
            strays[across[0]] = box, "lies across the edge of"
        elif box in regular and (near := [(far, label) for far, label in near if label not in in_rows]):
            strays[min(near, key=lambda row: (row[0], row[1].text.order))[1]] = box, "is outside"
    return strays


def _in_rows(labels: Iterable[Label]) -> set[Label]:
    """The labels of rows: of one size, at one height."""
    rows: dict[tuple[float, float], list[Label]] = defaultdict(list)
    for label in labels:
        rows[round(label.bounds(label.width)[1], 1), label.size].append(label)
    return {label for row in rows.values() if len(row) >= ROW for label in row}


def _regular(boxes: list[LabelledArea], shapes: list[PaintedShape]) -> set[LabelledArea]:
    """The boxes without content whose form nearly always holds text."""
    forms: dict[tuple[object, ...], list[LabelledArea]] = defaultdict(list)
    for box in boxes:
        _left, top, _right, bottom = box.area.box
        shape = box.area.shape
        forms[shape.node.tag, round(bottom - top), len(shape.fill)].append(box)
    regular: set[LabelledArea] = set()
    for alike in forms.values():
        held = sum(1 for box in alike if box.labels)
        if len(alike) >= ALIKE and held >= max(2, HELD * (len(alike) - 1)) and held < len(alike):
            regular |= {box for box in alike if not box.labels and _is_blank(box, shapes)}
    return regular


def _is_blank(box: LabelledArea, shapes: list[PaintedShape]) -> bool:
    """Whether no line ends in a box, and it contains nothing."""
    left, top, right, bottom = box.area.box
    dx, dy = INSET * (right - left), INSET * (bottom - top)
    return not any(
        left + dx < x < right - dx and top + dy < y < bottom - dy
        for shape in shapes
        if shape is not box.area.shape
        for ring in rings(shape)
        for x, y in ring
    )


def _has_room(box: LabelledArea, label: Label) -> bool:
    """Whether the label would fit into the box."""
    left, top, right, bottom = box.area.box
    x0, y0, x1, y1 = label.bounds(label.width)
    return x1 - x0 <= right - left and y1 - y0 <= bottom - top


def _share(label: Label, box: LabelledArea) -> float:
    """The share of a label's ink that lies in a box."""
    start, end = label.span(label.width)
    points = [
        label.at(start + (column + 0.5) / COLUMNS * (end - start), height * label.top)
        for column in range(COLUMNS)
        for height in HEIGHTS
    ]
    return sum(map(box.area.holds, points)) / len(points)


def _apart(label: Label, box: LabelledArea) -> float:
    """The distance between a label and a box; 0 if they meet."""
    x0, y0, x1, y1 = label.bounds(label.width)
    left, top, right, bottom = box.area.box
    return math.hypot(max(0.0, left - x1, x0 - right), max(0.0, top - y1, y0 - bottom))
