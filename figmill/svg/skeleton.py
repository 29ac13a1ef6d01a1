"""The parts of a published drawing as values, with the elements that paint them: for programs that mark or copy these.

Positions are in px from the top left corner of the view. An element is its number in the file, in document order; the
root is 0. Judges nothing.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

from figmill.svg.checks.loose_arrows import is_page
from figmill.svg.document import BreachError, Draft
from figmill.svg.geometry.display_list import drawn
from figmill.svg.geometry.label_fit import lettering
from figmill.svg.geometry.labels import Label
from figmill.svg.geometry.outlines import Bounds, Point, Ring
from figmill.svg.geometry.parts import from_segment, gap, segments
from figmill.svg.geometry.scene import PaintedShape, bounds, rings
from figmill.svg.geometry.strokes import CLOSED
from figmill.svg.geometry.structure import Connector, DrawnBox, structure
from figmill.svg.geometry.text_layout import length
from figmill.svg.spec import BoxPart, Ink, LabelPart, LinePart, Look, Skeleton, SvgError
from figmill.svg.xml import allowlist, parser

NEAR = 1.2  # em between a label and its line
TITLE = 1.5  # em between a container's title and its upper or lower side
SPACING = 1.5  # em between the lines of one text
SEAM = 2.0  # units around a table that its own lines may take
ROOM = 0.5  # px around a box that its own shapes may take


def skeleton(data: bytes) -> Skeleton:
    """The parts of a drawing in normal form. Raises SvgError for anything else."""
    try:
        draft = parser.read(data)
        allowlist.admit(draft)
    except BreachError as breach:
        raise SvgError(breach.message) from None
    if draft.breaches or draft.placed or "viewBox" not in draft.root.attrib:
        raise SvgError("it is not in normal form")
    return _SkeletonReader(draft).skeleton()


class _SkeletonReader:
    def __init__(self, draft: Draft) -> None:
        drawing, self.fit = structure(draft), lettering(draft)
        self.scene = drawn(draft)
        self.px = drawing.px
        self.boxes = drawing.boxes
        self.lines = [line for line in drawing.connectors if line.leads and not _is_rule(line, self.boxes)]
        self.number_of_box = {box: number for number, box in enumerate(self.boxes)}
        owners = {label: box for box in self.boxes for label in box.labels}
        self.line_of = self._lines_of(owners)
        self.box_of = {label: box for label, box in owners.items() if label not in self.line_of}

    def skeleton(self) -> Skeleton:
        owned = {shape for line in self.lines for shape in line.own}
        owned |= {shape for box in self.boxes for shape in box.shapes}
        more = self._more(owned)
        rest = [
            shape
            for shape in self.scene.shapes
            if shape not in owned
            and shape not in more
            and (shape.fill or shape.stroke)
            and _extends(shape)
            and not is_page(bounds(shape), self.fit.view)
        ]
        left, top, right, bottom = self.fit.view
        return Skeleton(
            tuple(
                self._box(box, [shape for shape, owner in more.items() if owner is box]) for box in self.boxes
            ),
            tuple(map(self._line, self.lines)),
            tuple(map(self._label, self._texts())),
            Counter(map(self._look_of, rest)),
            tuple((self._at(line[0]), self._at(line[-1])) for shape in rest for line in _open_lines(shape)),
            (right - left) * self.px,
            (bottom - top) * self.px,
        )

    def _lines_of(self, owners: Mapping[Label, DrawnBox]) -> dict[Label, int]:
        """The labels of lines, each with its line: those beside one, and further lines of their texts.

        A box without boxes keeps its text.
        """
        extents = [_extent(line) for line in self.lines]
        free = [label for label in self.fit.every if not _keeps(owners.get(label), label)]
        nearest = []
        for label in free:
            around, most = label.bounds(label.width), NEAR * label.size
            rows = [
                (far, number)
                for number, whole in enumerate(extents)
                if gap(around, whole) <= most and (far := _distance(around, self.lines[number])) <= most
            ]
            if rows:
                nearest.append((*min(rows), label))
        line_of: dict[Label, int] = {}
        # the nearest first: what stands above or below it is part of its text, even if nearer to another line
        for _, number, label in sorted(nearest, key=lambda row: row[:2]):
            ready = [label] if label not in line_of else []
            while ready:
                part = ready.pop()
                line_of[part] = number
                ready += [other for other in free if other not in line_of and _is_next(part, other)]
        return line_of

    def _more(self, owned: Collection[PaintedShape]) -> dict[PaintedShape, DrawnBox]:
        """The other shapes that lie in a box, such as icons and the lines between its parts, each with its box."""
        room = ROOM / self.px
        more = {}
        leaves = sorted((box for box in self.boxes if not box.inside), key=lambda box: box.area.size)
        for shape in (*self.scene.shapes, *self.scene.pictures):
            if shape in owned or not _extends(shape):
                continue
            left, top, right, bottom = bounds(shape)
            for box in leaves:
                outer = box.bounds
                if (
                    outer[0] - room <= left
                    and outer[1] - room <= top
                    and right <= outer[2] + room
                    and bottom <= outer[3] + room
                ):
                    more[shape] = box
                    break
        return more

    def _box(self, box: DrawnBox, more: Iterable[PaintedShape]) -> BoxPart:
        shapes = {*box.shapes, box.area.shape, *more}
        labels = [label for label in box.labels if self.box_of.get(label) is box]
        numbers = {_number(shape) for shape in shapes} | {label.text.node.number for label in labels}
        return BoxPart(
            tuple(label.words for label in labels),
            self._place(box.bounds),
            None if box.within is None else self.number_of_box[box.within],
            box.table if box.is_cell else None,
            bool(box.inside),
            self._look_of(box.area.shape, with_size=False),
            self._ink(box.area.shape),
            frozenset(number for number in numbers if number is not None),
        )

    def _line(self, line: Connector) -> LinePart:
        start, end = (None if each.box is None else self.number_of_box[each.box] for each in line.ends)
        inks = (self._ink(shape) for shape in sorted(line.own, key=lambda shape: shape.order))
        return LinePart(
            (start, end),
            (line.start.has_head, line.end.has_head),
            tuple(tuple(map(self._at, piece.points)) for piece in line.pieces),
            (line.shape.stroke, line.shape.dashes),
            tuple(ink for ink in inks if ink is not None),
        )

    def _texts(self) -> list[list[Label]]:
        """The labels in paint order; lines of one text at a line are together."""
        texts: list[list[Label]] = []
        for label in self.fit.every:
            line = self.line_of.get(label)
            for text in texts if line is not None else ():
                if self.line_of.get(text[0]) == line and any(_is_next(other, label) for other in text):
                    text.append(label)
                    break
            else:
                texts.append([label])
        return [sorted(text, key=lambda label: label.y) for text in texts]

    def _label(self, text: list[Label]) -> LabelPart:
        first = text[0]
        box = self.box_of.get(first)
        lefts, tops, rights, bottoms = zip(*(label.bounds(label.width) for label in text), strict=True)
        return LabelPart(
            " ".join(label.words for label in text),
            self._place((min(lefts), min(tops), max(rights), max(bottoms))),
            first.size * self.px,
            frozenset(number for label in text if (number := label.text.node.number) is not None),
            None if box is None else self.number_of_box[box],
            self.line_of.get(first),
        )

    def _look_of(self, shape: PaintedShape, with_size: bool = True) -> Look:
        left, top, right, bottom = bounds(shape)
        size = (round((right - left) * self.px), round((bottom - top) * self.px)) if with_size else ()
        return shape.node.tag, shape.fill, shape.stroke, shape.dashes, *size

    def _ink(self, shape: PaintedShape) -> Ink | None:
        number = _number(shape)
        if number is None:
            return None
        a, b, c, d, _, _ = shape.ctm
        scale = math.sqrt(abs(a * d - b * c)) * self.px
        width = length(shape.values.get("stroke-width", "1"), 16.0, 1.0) * scale if shape.stroke else 0.0
        return Ink(number, scale or 1.0, width)

    def _at(self, point: Point) -> Point:
        left, top, _, _ = self.fit.view
        return (point[0] - left) * self.px, (point[1] - top) * self.px

    def _place(self, box: Bounds) -> Bounds:
        return (*self._at(box[:2]), *self._at(box[2:]))


def _number(shape: PaintedShape) -> int | None:
    """The number of the element that paints a shape alone; None for a shape that is used elsewhere, too."""
    is_used = any(writer is not shape.node for writer in shape.writers)
    return None if is_used else shape.node.number


def _extends(shape: PaintedShape) -> bool:
    left, top, right, bottom = bounds(shape)
    return right > left or bottom > top


def _is_rule(line: Connector, boxes: Sequence[DrawnBox]) -> bool:
    """Whether a line without a head only parts or frames the cells of a table."""
    tables = {box.table for end in line.ends if (box := end.box) is not None and box.is_cell}
    if line.has_head or not tables:
        return False
    left, top, right, bottom = _extent(line)
    cells = [box.bounds for box in boxes if box.table in tables]
    lefts, tops, rights, bottoms = zip(*cells, strict=True)
    return bool(
        min(lefts) - SEAM <= left
        and min(tops) - SEAM <= top
        and right <= max(rights) + SEAM
        and bottom <= max(bottoms) + SEAM
    )


def _open_lines(shape: PaintedShape) -> Iterator[Ring]:
    """The lines of a shape that do not end where they begin."""
    if shape.stroke and shape.node.tag not in CLOSED:
        yield from (ring for ring in rings(shape) if ring[0] != ring[-1])


def _extent(line: Connector) -> Bounds:
    lefts, tops, rights, bottoms = zip(*(piece.box for piece in line.pieces), strict=True)
    return min(lefts), min(tops), max(rights), max(bottoms)


def _is_next(label: Label, other: Label) -> bool:
    """Whether two texts are lines of one text: of one size, one above the other, and aligned in some way."""
    mine, its = label.bounds(label.width), other.bounds(other.width)
    lines = abs(label.y - other.y) / label.size
    aligned = min(abs(mine[0] - its[0]), abs(mine[2] - its[2]), abs(mine[0] + mine[2] - its[0] - its[2]) / 2)
    return (
        abs(label.size - other.size) < 0.05 * label.size
        and 0.5 < lines <= SPACING
        and aligned <= 0.3 * label.size
    )


def _keeps(box: DrawnBox | None, label: Label) -> bool:
    """Whether a text belongs to a box, and to no line: in a container, it stands at the upper or lower side."""
    if box is None or not box.inside:
        return box is not None
    _, top, _, bottom = label.bounds(label.width)
    return min(top - box.bounds[1], box.bounds[3] - bottom) <= TITLE * label.size


def _distance(box: Bounds, line: Connector) -> float:
    """The distance of a text from a line, or from the gap that a line leaves for it."""
    parts = [*segments(line)]
    parts += [
        (first.points[-1], then.points[0]) for first, then in zip(line.pieces, line.pieces[1:], strict=False)
    ]
    return min((from_segment(box, part) for part in parts), default=math.inf)
