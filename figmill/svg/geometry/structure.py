"""The structure of a drawing that connects things: its boxes with their words, and the lines between boxes.

It is recovered from what is painted, so it is the same for every tool. A box is the smallest closed shape around a
text; a container is a shape around boxes. A connector is an open line that begins and ends at boxes. Judges nothing.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import field
from itertools import groupby, pairwise
from operator import attrgetter

from figmill.late_dataclasses import dataclass
from figmill.svg.document import Draft
from figmill.svg.geometry.areas import Area, Areas
from figmill.svg.geometry.arrows import LARGEST, Arrow, arrows
from figmill.svg.geometry.display_list import drawn
from figmill.svg.geometry.label_fit import lettering
from figmill.svg.geometry.labels import Label
from figmill.svg.geometry.outlines import Bounds, Point, meeting, nearest_on, to_line
from figmill.svg.geometry.rectangles import around, holds
from figmill.svg.geometry.scene import PaintedShape, Scene, bounds, rings
from figmill.svg.geometry.stripes import Stripes
from figmill.svg.geometry.strokes import CLOSED, Stroke, clipped, coarse, strokes

# px from a line's end to the outline of its box; from that of a line with a head there.
TOUCH, HEAD = 8.0, 14.0
DEEP = 30.0  # px into a box that a head may reach
SAME = 4.0  # px between the sides of two shapes that form one box, such as a box and its shadow
FEWEST = 2  # boxes of a drawing that connects things
LEAST = 12.0  # px, the shortest side of a box
SHORTEST = 12.0  # px, of a connector
GAP, AHEAD = 160.0, 0.8  # px of a gap in a line, and the cosine of the angle by which it may turn there
# em: a shape without an outline backs its text if it is no wider and no higher than this.
TIGHT, LINE = 1.2, 1.7
SEAM = 1.5  # px between the cells of a table
FINE = 180  # steps around an ellipse
MOST = 2000  # shapes with a text, and lines: a drawing with more is data


@dataclass(slots=True, eq=False)
class DrawnBox:
    """A shape with the texts in it.

    - shapes: all that form it.
    - inside: the boxes that it contains.
    - within: the smallest box around it.
    - table: the number of the group of touching boxes that it belongs to.
    """

    area: Area
    labels: tuple[Label, ...]
    shapes: frozenset[PaintedShape]
    inside: list[DrawnBox] = field(default_factory=list)
    within: DrawnBox | None = None
    table: int = 0
    is_cell: bool = False  # others belong to the same table

    @property
    def bounds(self) -> Bounds:
        return self.area.box

    @property
    def words(self) -> str:
        return " ".join(label.words for label in self.labels)


@dataclass(frozen=True, slots=True, eq=False)
class LineEnd:
    """One end of a line: its point, or the tip of its head.

    - box: where it lies; None: at no box.
    """

    point: Point
    has_head: bool
    box: DrawnBox | None

    @property
    def gap(self) -> float:
        """The distance from the outline of its box, in root units; negative within the box."""
        assert self.box is not None
        far = _far(self.box, self.point)
        return -far if self.box.area.holds(self.point) else far


@dataclass(frozen=True, slots=True, eq=False)
class Connector:
    """A line with at least one end at a box.

    - own: the shapes that form it, with its heads.
    - pieces: its parts, in order; a line with labels on it may have gaps there.
    """

    pieces: tuple[Stroke, ...]
    start: LineEnd
    end: LineEnd
    own: frozenset[PaintedShape]

    @property
    def ends(self) -> tuple[LineEnd, LineEnd]:
        return self.start, self.end

    @property
    def shape(self) -> PaintedShape:
        return self.pieces[0].shape

    @property
    def has_head(self) -> bool:
        return self.start.has_head or self.end.has_head

    @property
    def leads(self) -> bool:
        """Whether it leads anywhere: the strokes of a box's own outline do not."""
        return self.has_head or self.start.box is not self.end.box


@dataclass(slots=True)
class Structure:
    boxes: list[DrawnBox] = field(default_factory=list)
    connectors: list[Connector] = field(default_factory=list)
    px: float = 1.0  # px per root unit


def structure(draft: Draft) -> Structure:
    """The boxes and connectors of a drawing, in paint order; computed once."""
    return draft.once(_recovered)


def _recovered(draft: Draft) -> Structure:
    fit, scene = lettering(draft), drawn(draft)
    if not fit.every or len(fit.every) > MOST or len(scene.shapes) > 4 * MOST:
        return Structure(px=fit.px)
    boxes = _boxes(Areas(scene.shapes, fit.view, fit.px), fit.every, fit.px)
    if len(boxes) < FEWEST:
        return Structure(boxes, px=fit.px)
    return Structure(boxes, list(_connectors(scene, boxes, fit.view, fit.px)), fit.px)


def _boxes(areas: Areas, labels: Sequence[Label], px: float) -> list[DrawnBox]:
    owned: dict[Bounds, tuple[Area, list[Label]]] = {}  # areas at one place are one box
    for label in labels:
        inner, _ = areas.near(label)
        if inner:
            owned.setdefault(inner[0].box, (inner[0], []))[1].append(label)
    boxes: list[DrawnBox] = []
    for area, its in owned.values():
        if min(_sides(area.box)) * px < LEAST or _is_backing(area, its):
            continue
        alike = [other for other in areas.inside(area.box) if _is_alike(other.box, area.box, SAME / px)]
        boxes.append(DrawnBox(area, tuple(its), frozenset(other.shape for other in alike)))
    boxes.sort(key=lambda box: box.area.shape.order)
    for box in sorted(boxes, key=lambda box: box.area.size):
        box.inside = [other for other in boxes if other is not box and holds(box.bounds, other.bounds)]
        for other in box.inside:
            other.within = other.within or box
    _number_tables(boxes, SEAM / px)
    return boxes


def _number_tables(boxes: Sequence[DrawnBox], room: float) -> None:
    """Give boxes that touch along a side the same number, as the cells of a table do."""
    group = list(range(len(boxes)))

    def first(at: int) -> int:
        while group[at] != at:
            at = group[at]
        return at

    for at, box in enumerate(boxes):
        for other in range(at):
            if (
                box.area.is_upright
                and boxes[other].area.is_upright
                and _is_beside(box.bounds, boxes[other].bounds, room)
            ):
                group[first(at)] = first(other)
    sizes = Counter(first(at) for at in range(len(boxes)))
    for at, box in enumerate(boxes):
        box.table = first(at)
        box.is_cell = sizes[box.table] > 1


def _is_beside(box: Bounds, other: Bounds, room: float) -> bool:
    """Whether two boxes share most of a side."""
    for first, second, low, high in ((0, 2, 1, 3), (1, 3, 0, 2)):
        shared = min(box[high], other[high]) - max(box[low], other[low])
        if shared > 0.5 * min(box[high] - box[low], other[high] - other[low]) and (
            abs(box[first] - other[second]) <= room or abs(box[second] - other[first]) <= room
        ):
            return True
    return False


def _sides(box: Bounds) -> tuple[float, float]:
    return box[2] - box[0], box[3] - box[1]


def _is_backing(area: Area, labels: Sequence[Label]) -> bool:
    """Whether a shape only sets a text off from the lines behind it."""
    if area.shape.stroke and area.shape.stroke != area.shape.fill:
        return False
    left, _, right, _ = around(label.bounds(label.width) for label in labels)
    em = max(label.size for label in labels)
    heights = {round(label.y / em) for label in labels}
    across, up = _sides(area.box)
    return across - (right - left) <= TIGHT * em and up <= LINE * em * len(heights)


def _is_alike(box: Bounds, other: Bounds, room: float) -> bool:
    return all(abs(a - b) <= room for a, b in zip(box, other, strict=True))


def _connectors(scene: Scene, boxes: Sequence[DrawnBox], view: Bounds, px: float) -> Iterator[Connector]:
    index = Stripes(boxes, lambda box: box.bounds, view)
    outlines = {shape for box in boxes for shape in box.shapes}
    lines = {
        shape
        for shape in scene.shapes
        if shape.stroke and shape not in outlines and _may_connect(shape, index, (HEAD + LARGEST) / px)
    }
    if not lines:
        return
    small = [
        shape for shape in scene.shapes if shape not in lines and max(_sides(bounds(shape))) * px <= LARGEST
    ]
    pointed = list(
        arrows(scene, [stroke for shape in (*lines, *small) for stroke in coarse(shape)], view, px)
    )
    tips: dict[PaintedShape, list[Arrow]] = {}
    for arrow in pointed:
        tips.setdefault(arrow.line.shape, []).append(arrow)
    own = {shape for arrow in pointed for shape in arrow.own if shape is not arrow.line.shape}
    fine = strokes(
        [shape for shape in scene.shapes if shape in lines and shape not in own],
        Stripes([view], lambda box: box, view),
    )
    for shape, its in groupby(fine, attrgetter("shape")):
        drawn_before: list[tuple[Point, Point]] = []
        for pieces in _chained([stroke for stroke in its if len(stroke.points) > 1], GAP / px):
            first, last = pieces[0].points[0], pieces[-1].points[-1]
            if any(piece.is_closed for piece in pieces):
                continue
            if any(_is_again(first, last, ends, TOUCH / px) for ends in drawn_before):
                continue  # a line that is drawn twice, as by hand
            drawn_before.append((first, last))
            pointed_here = tips.get(shape, ())
            start = _end(first, last, pointed_here, index, px)
            end = _end(last, first, pointed_here, index, px)
            # with its heads, which may be most of it
            whole = sum(map(_length, pieces)) + math.dist(first, start.point) + math.dist(last, end.point)
            if whole * px >= SHORTEST and (start.box is not None or end.box is not None):
                shapes = frozenset((shape,)).union(*(arrow.own for arrow in pointed_here))
                yield Connector(pieces, start, end, shapes)


def _is_again(first: Point, last: Point, ends: tuple[Point, Point], room: float) -> bool:
    """Whether a line begins and ends where an earlier one does."""
    return any(
        math.dist(first, start) <= room and math.dist(last, end) <= room for start, end in (ends, ends[::-1])
    )


def _may_connect(shape: PaintedShape, index: Stripes[DrawnBox], room: float) -> bool:
    """Whether a shape has an open line with an end near a box, judged by its coarse outline."""
    if shape.node.tag in CLOSED:
        return False
    return any(
        index.meeting((x - room, y - room, x + room, y + room))
        for ring in rings(shape)
        if ring[0] != ring[-1]
        for x, y in (ring[0], ring[-1])
    )


def _chained(strokes: Sequence[Stroke], gap: float) -> Iterator[tuple[Stroke, ...]]:
    """The lines of one shape; parts that continue each other across a gap, as at a label, are one line."""
    chain: list[Stroke] = []
    for stroke in strokes:
        if chain and not _continues(chain[-1], stroke, gap):
            yield tuple(chain)
            chain = []
        chain.append(stroke)
    if chain:
        yield tuple(chain)


def _continues(line: Stroke, other: Stroke, gap: float) -> bool:
    (x0, y0), (x1, y1) = line.points[-1], other.points[0]
    far = math.dist((x0, y0), (x1, y1))
    if line.is_closed or other.is_closed or not 0 < far <= gap:
        return False
    (xa, ya), (xb, yb) = line.points[-2:]
    step = math.dist((xa, ya), (xb, yb)) or 1.0
    return (x1 - x0) * (xb - xa) + (y1 - y0) * (yb - ya) >= AHEAD * far * step


def _end(
    point: Point, other: Point, pointed: Sequence[Arrow], index: Stripes[DrawnBox], px: float
) -> LineEnd:
    """One end of a line. other: the point at its other end. pointed: the arrows that its shape forms."""
    tips = [
        arrow.tip
        for arrow in pointed
        if math.dist(arrow.tip, point) * px <= LARGEST
        and math.dist(arrow.tip, point) <= math.dist(arrow.tip, other)
    ]
    if not tips:
        return LineEnd(point, False, _at(point, index, TOUCH / px, TOUCH / px))
    return LineEnd(tips[0], True, _at(tips[0], index, HEAD / px, DEEP / px))


def _length(stroke: Stroke) -> float:
    return sum(math.dist(a, b) for a, b in pairwise(stroke.points))


def _at(point: Point, index: Stripes[DrawnBox], room: float, deep: float) -> DrawnBox | None:
    """The box at whose outline a point lies, up to `room` outside of it or `deep` inside; the innermost of several.

    A box around others holds many points, so only its outline counts. Where two boxes overlap, it is the one whose
    outline is nearer.
    """
    x, y = point
    near = index.meeting((x - room, y - room, x + room, y + room))
    rows = []
    for number, box in enumerate(near):
        holds = box.area.holds(point)
        far = _far(box, point)
        if far <= (deep if holds and not box.inside else room):
            rows.append((0.0 if holds and not box.inside else far, far, box.area.size, number, box))
    return min(rows)[4] if rows else None


def _far(box: DrawnBox, point: Point) -> float:
    """The distance of a point from the outline of a box."""
    ring = box.area.ring
    return to_line(point, (*ring, ring[0]))


def on_outline(box: DrawnBox, point: Point) -> Point:
    """The point of a box's outline that is nearest to another point."""
    ring = box.area.ring
    every = (nearest_on(point, side) for side in pairwise((*ring, ring[0])))
    return min(every, key=lambda at: math.dist(at, point))


def meets(box: DrawnBox, start: Point, tip: Point) -> Point | None:
    """Where a straight line meets the outline of a box, nearest to its tip; led on if the tip is outside of the box."""
    far = math.dist(start, tip)
    if not far:
        return None
    end = tip
    if not box.area.holds(tip):
        left, top, right, bottom = box.bounds
        on = math.dist(tip, ((left + right) / 2, (top + bottom) / 2)) + math.dist(
            box.bounds[:2], box.bounds[2:]
        )
        end = tip[0] + on / far * (tip[0] - start[0]), tip[1] + on / far * (tip[1] - start[1])
    ring = _ellipse(box.bounds) if box.area.is_round else box.area.ring
    points = (meeting((start, end), side) for side in pairwise((*ring, ring[0])))
    return min(
        (point for point in points if point is not None), key=lambda at: math.dist(at, tip), default=None
    )


def _ellipse(box: Bounds) -> tuple[Point, ...]:
    """An ellipse in finer steps than those of its area."""
    left, top, right, bottom = box
    x, y, rx, ry = (left + right) / 2, (top + bottom) / 2, (right - left) / 2, (bottom - top) / 2
    turns = [2 * math.pi * at / FINE for at in range(FINE)]
    return tuple([(x + rx * math.cos(turn), y + ry * math.sin(turn)) for turn in turns])


def inside(line: Stroke, box: DrawnBox, inset: float) -> float:
    """How much of a line lies in a box, further than `inset` from its bounds and within its outline."""
    left, top, right, bottom = box.bounds
    room = left + inset, top + inset, right - inset, bottom - inset
    if room[0] >= room[2] or room[1] >= room[3] or not _meet(line.box, room):
        return 0.0
    length = 0.0
    for pair in pairwise(line.points):
        part = clipped(pair, room)
        if part is None:
            continue
        middle = (part[0][0] + part[1][0]) / 2, (part[0][1] + part[1][1]) / 2
        if box.area.holds(middle):
            length += math.dist(*part)
    return length


def _meet(box: Bounds, other: Bounds) -> bool:
    return box[0] <= other[2] and other[0] <= box[2] and box[1] <= other[3] and other[1] <= box[3]
