"""Which shape a label belongs to, and how much room it has there.

If a label fits into an area in the book's font, the smallest such area is its room. If it fits into none, the area may
not be its box at all: it may be a bar with its value written across it, a panel, or a region of a chart. So a label
counts as overflowing a shape only if the two clearly belong together.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import field
from itertools import islice

from figmill.late_dataclasses import dataclass
from figmill.svg.document import Draft, Element
from figmill.svg.geometry.areas import Area, Areas
from figmill.svg.geometry.display_list import drawn
from figmill.svg.geometry.labels import (
    CAPITAL,
    LEVEL,
    MIDDLE,
    WITHIN,
    Interval,
    Label,
    Meeting,
    labels,
    meetings,
)
from figmill.svg.geometry.outlines import Bounds, Point
from figmill.svg.geometry.precision import view_box
from figmill.svg.geometry.rectangles import holds
from figmill.svg.geometry.scene import PaintedShape, Scene, rings
from figmill.svg.geometry.text_layout import length
from figmill.svg.xml.references import URL

NEAR = 0.5  # px that are ignored
THIN = 2.0  # px, the width of a line between two compartments
SHORT = 60  # greatest length of a straight line's path data, in characters
LONGEST = 1.5  # times the height of a shape: a longer line does not divide it
PARTS = 200  # lines beside a text: if there are more, they do not form compartments
DEEPEST = 6  # shapes around a label that are tried
MEETINGS = 20_000  # the most overlapping pairs of labels that are kept: nobody reads more labels in one place
PAIRS = 4_000_000  # of labels and shapes: beyond this, shapes are ignored
CLIPS = frozenset(("clip-path", "mask"))
# The signs that an area is the box of a label that does not fit.
CENTRED = 0.12  # share of its width: the greatest distance between its middle and the label's
PADDING = 1.6  # em between its edge and the label's start
LOWEST = 0.65  # em: a lower area is a line or a bar
TALLEST = 4.0  # em: greatest height of a box whose label is not centred vertically
WIDEST = 3.0  # share of its width: a wider label is only placed over it
BUSY = 6  # areas inside: with this many or more, it is a panel
RAGGED = 16  # corners of an outline of straight lines: with more, it is a region of a map
CURVES = frozenset("CcSsQqTtAa")
DISCS = frozenset(("circle", "ellipse"))
ON = 0.5  # em between the middles of a number and of the disc that it stands on


@dataclass(slots=True, eq=False)
class Seat:
    """A label in its shape.

    - room: the shape's free interval along the label.
    - over, above: px that are missing.
    """

    label: Label
    area: Area
    room: Interval
    over: float = 0.0
    above: float = 0.0

    def lacks(self, width: float) -> float:
        """How far the label overflows its room at this width, in root units."""
        start, end = self.label.span(width)
        return max(0.0, self.room[0] - start, end - self.room[1])


@dataclass(slots=True)
class Lettering:
    """The labels of a drawing, and those that lack room at their widest or even in the book's font.

    - px: px per root unit.
    """

    view: Bounds
    px: float
    every: list[Label] = field(default_factory=list)  # all labels, in paint order
    outside: list[Label] = field(default_factory=list)  # labels that leave the view
    tight: list[Seat] = field(default_factory=list)  # labels that overflow their shape
    crowded: list[Label] = field(default_factory=list)  # labels that meet a shape only at their widest
    meetings: list[Meeting] = field(default_factory=list)
    # the width each label is squeezed to, in root units
    squeezed: dict[Label, float] = field(default_factory=dict)


def lettering(draft: Draft) -> Lettering:
    """Where the text of a drawing is placed, computed once."""
    return draft.once(_look)


def _look(draft: Draft) -> Lettering:
    box = view_box(draft.root)
    if box is None:
        return Lettering((0.0, 0.0, 0.0, 0.0), 1.0)
    left, top, width, height = box
    view = left, top, left + width, top + height
    px = min(float(draft.root.attrib["width"]) / width, float(draft.root.attrib["height"]) / height)
    fit = Lettering(view, px)
    scene = drawn(draft)
    every = fit.every = labels(scene, px)
    if every:
        areas = Areas(scene.shapes if len(every) * len(scene.shapes) <= PAIRS else (), view, px)
        parts = _compartments(draft.root, scene.shapes)
        fit.outside = [label for label in every if not holds(view, label.box)]
        if fit.outside:
            clipped = clipped_texts(draft)
            fit.outside = [label for label in fit.outside if label.text.node not in clipped]
        for label in every:
            around, beside = areas.near(label)
            if around:
                seat = _seat(label, around, every, areas, parts.get(label.text.node, ()), px)
                if seat is not None and (seat.above or seat.lacks(label.wide)):
                    fit.tight.append(seat)
            if beside and _meets(label, beside):
                fit.crowded.append(label)
        if fit.tight:
            dots = _dots(scene)
            fit.tight = [seat for seat in fit.tight if not _is_on_one(seat.label, dots)]
        fit.meetings = list(islice(meetings(every), MEETINGS))
    return fit


def _dots(scene: Scene) -> list[Point]:
    """Where a line begins or ends with a marker that is a disc: it may hold the number of a step."""
    points = []
    for shape in scene.shapes:
        for name, ring, at in (("marker-start", 0, 0), ("marker-end", -1, -1)):
            match = URL.fullmatch(shape.values.get(name, "none"))
            marker = scene.ids.get(match[1]) if match else None
            tags = {part.tag for part in marker.elements()} if marker is not None else set()
            if tags and tags <= DISCS:
                points.append(rings(shape)[ring][at])
    return points


def _is_on_one(label: Label, points: Iterable[Point]) -> bool:
    return any(math.dist(label.centre(), point) <= ON * label.size for point in points)


def clipped_texts(draft: Draft) -> set[Element]:
    """The texts whose visibility a clip or mask around them decides."""
    return _clipped(draft.root, False, set())


def _clipped(node: Element, clipped: bool, texts: set[Element]) -> set[Element]:
    clipped = clipped or not CLIPS.isdisjoint(node.attrib)
    if clipped and node.tag == "text":
        texts.add(node)
    for child in node.children:
        if child.__class__ is Element:
            _clipped(child, clipped, texts)
    return texts


def _meets(label: Label, beside: list[Area]) -> bool:
    """Whether a horizontal or vertical label meets an area only because its widest form is so wide."""
    if label.wide <= label.width or min(map(abs, label.along)) > 0.01:
        return False
    left, top, right, bottom = label.bounds(label.width)
    return any(
        (area.is_upright or area.is_round)
        and not (area.box[0] < right and left < area.box[2] and area.box[1] < bottom and top < area.box[3])
        for area in beside
    )


def _seat(
    label: Label,
    around: list[Area],
    every: list[Label],
    areas: Areas,
    lines: Iterable[PaintedShape],
    px: float,
) -> Seat | None:
    """A label in the smallest shape that it fits into or belongs to; None if there is none, or ample room."""
    near = NEAR / px
    for area in around[:DEEPEST]:
        inner = None if lines else area.inner
        if inner is not None and holds(inner, label.box):
            return None
        room = area.room(label, WITHIN)
        if room is None or Seat(label, area, room).lacks(label.width) > near:
            room = area.room(label, (MIDDLE,))
            if room is None:
                continue
        seat = Seat(label, area, room)
        if seat.lacks(label.width) <= near:
            _, lowest, _, highest = _framed(label, area)
            seat.room = _between(label, room, lines, px, LONGEST * (highest - lowest))
            if seat.lacks(label.width) > near:  # crosses a line that divides the shape
                seat.over = seat.lacks(label.width) * px
            elif (above := _above(label, area)) > near and _belongs(label, area, every, areas):
                seat.above = above * px
            return seat
        if _belongs(label, area, every, areas):
            seat.over = seat.lacks(label.width) * px
            return seat
    return None


def _above(label: Label, area: Area) -> float:
    """How far a label that is taller than its shape overflows it, above and below together."""
    _, low, _, high = _framed(label, area)
    return max(0.0, (label.top - label.bottom) - (high - low))


def _framed(label: Label, area: Area) -> Bounds:
    """The bounds of an area in a label's frame: first along, lowest, last along, highest."""
    if label.along == LEVEL:
        left, top, right, bottom = area.box
        return left - label.x, label.y - bottom, right - label.x, label.y - top
    xs, ys = zip(*(label.frame(point) for point in area.ring), strict=True)
    return min(xs), min(ys), max(xs), max(ys)


def _belongs(label: Label, area: Area, every: list[Label], areas: Areas) -> bool:
    """Whether an area that is too small for a label is evidently still its box."""
    left, low, right, high = _framed(label, area)
    across, tall, em = right - left, high - low, label.size
    start, end = label.span(label.width)
    if tall < LOWEST * em or label.width > WIDEST * across or _is_ragged(area):
        return False
    is_centred = abs((start + end) / 2 - (left + right) / 2) <= CENTRED * across
    is_begun = (
        left - 0.1 * em <= start <= left + PADDING * em or right - PADDING * em <= end <= right + 0.1 * em
    )
    if not is_centred and not is_begun:
        return False
    if sum(1 for other in areas.inside(area.box) if other is not area) >= BUSY:
        return False
    bottom, top = _block(label, area, every)
    is_in_the_middle = abs((top + bottom) / 2 - (low + high) / 2) <= max(0.35 * em, 0.12 * tall)
    if is_in_the_middle and bottom >= low - 0.5 * em and top <= high + 0.5 * em:
        return True
    return is_begun and tall <= TALLEST * em


def _is_ragged(area: Area) -> bool:
    """Whether an area has the outline of a coast: no box of a label has so many corners."""
    return len(area.ring) > RAGGED and CURVES.isdisjoint(area.shape.node.attrib.get("d", "C"))


def _block(label: Label, area: Area, every: list[Label]) -> Interval:
    """The lowest and highest ink among the lines of text in an area that share a label's anchor line."""
    em = label.size
    mine = [
        up
        for other in every
        if other.along == label.along and area.holds(other.centre())
        for along, up in [label.frame((other.x, other.y))]
        if other is label or abs(along) <= 0.5 * em
    ]
    return min(mine), max(mine) + CAPITAL * em


def _compartments(root: Element, shapes: list[PaintedShape]) -> dict[Element, list[PaintedShape]]:
    """For each text, the lines drawn beside it in its group: they may divide its shape, as in a record."""
    lines = {shape.node: shape for shape in shapes if _may_part(shape)}
    if not lines:
        return {}
    dividers: dict[Element, list[PaintedShape]] = {}
    for node in root.walk():
        if len(node.children) > 2:
            beside = [lines[child] for child in node.children if child in lines]
            if 0 < len(beside) <= PARTS:
                dividers |= {part: beside for part in node.elements() if part.tag == "text"}
    return dividers


def _may_part(shape: PaintedShape) -> bool:
    attrib = shape.node.attrib
    match shape.node.tag:
        case "line" | "polyline":
            return True
        case "path":
            return len(attrib.get("d", "")) < SHORT
        case "rect":
            return min(length(attrib.get(side, "0"), 0.0, 0.0) for side in ("width", "height")) <= THIN
    return False


def _between(
    label: Label, room: Interval, lines: Iterable[PaintedShape], px: float, longest: float
) -> Interval:
    """The room between the lines that divide a shape; a line longer than `longest` only passes by."""
    low, high = room
    start, end = label.span(label.width)
    inset = min(label.size, label.width / 4)
    # A line left of `first` is before the label, a line right of `second` after it.
    first, second = {0.0: (start + inset,) * 2, 1.0: (end - inset,) * 2}.get(
        label.share, ((start + end) / 2 - inset, (start + end) / 2 + inset)
    )
    for line in lines:
        for ring in rings(line):
            if len(ring) > 5:
                continue
            framed = [label.frame(point) for point in ring]
            along, up = zip(*framed, strict=True)
            if max(up) - min(up) > longest:
                continue
            if max(along) - min(along) > THIN / px or not min(up) <= MIDDLE * label.size <= max(up):
                continue
            at = (max(along) + min(along)) / 2
            if low < at <= first:
                low = at
            elif second <= at < high:
                high = at
    return low, high
