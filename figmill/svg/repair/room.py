"""Where a text may stand: whether its ink is clear of everything painted, and still belongs to what it belonged to.

A place is free if no line, no edge of an area, no picture and no other text is in the way, and if the areas around the
text are among those that were around it before. Knows nothing of findings.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import pairwise

from figmill.late_dataclasses import dataclass
from figmill.svg.checks.line_through_text import FAINT, stands_out
from figmill.svg.checks.loose_arrows import is_page
from figmill.svg.checks.ratios import ratio
from figmill.svg.geometry.areas import Area, Areas
from figmill.svg.geometry.backdrop import Ground
from figmill.svg.geometry.labels import Label
from figmill.svg.geometry.outlines import Bounds, Point
from figmill.svg.geometry.parts import Parts, distance, gap
from figmill.svg.geometry.rectangles import around, holds, moved
from figmill.svg.geometry.scene import PaintedShape, bounds
from figmill.svg.geometry.stripes import Stripes
from figmill.svg.geometry.strokes import Stroke, clipped, fine
from figmill.svg.geometry.structure import Connector
from figmill.svg.steps import SpentError, Steps

CLEAR = 2.3  # px between text and a line, a little more than `clearance` asks for
EDGE = 1.0  # px between text and the edge of an area without a line
APART = 2.0  # px between two texts
RIM = 1.0  # px between text and the end of the picture
PALE = 0.3  # opacity of a watermark: other text may lie over it
OWN, BESIDE = 1.0, 0.9  # em between a text and its line: at most where it stands, and where it may go
NEARER = 1.2  # times further than its own line must another line be
MAX_STEPS = 2_000_000
LONGEST = 3000  # points of a line: with more it is a map

Segment = tuple[Point, Point]


@dataclass(frozen=True, slots=True)
class TextBlock:
    """Texts that are read as one and move together, with the areas that set them off from what is behind."""

    labels: tuple[Label, ...]
    backing: tuple[PaintedShape, ...] = ()

    @property
    def box(self) -> Bounds:
        return around(label.bounds(label.width) for label in self.labels)

    @property
    def em(self) -> float:
        return max(label.size for label in self.labels)


class FreeRoom:
    """The free places of one drawing."""

    def __init__(self, parts: Parts) -> None:
        self.parts = parts

    @cached_property
    def lines(self) -> Stripes[Stroke]:
        """The outlines that readers see."""
        parts = self.parts
        shapes = [
            shape
            for shape in parts.scene.shapes
            if not is_page(bounds(shape), parts.view) and len(shape.node.attrib.get("d", "")) < 10 * LONGEST
        ]
        every = [stroke for shape in shapes if _is_seen(shape, parts.page) for stroke in fine(shape)]
        return Stripes(
            [stroke for stroke in every if len(stroke.points) < LONGEST],
            lambda stroke: stroke.box,
            parts.view,
        )

    @cached_property
    def labels(self) -> Stripes[Label]:
        return Stripes(self.parts.labels, lambda label: label.bounds(label.width), self.parts.view)

    @cached_property
    def areas(self) -> Areas:
        return Areas(self.parts.scene.shapes, self.parts.view, self.parts.px)

    @cached_property
    def pictures(self) -> Stripes[PaintedShape]:
        return Stripes(self.parts.scene.pictures, bounds, self.parts.view)

    @cached_property
    def ground(self) -> Ground:
        left, top, right, bottom = self.parts.view
        scene = self.parts.scene
        layers = sorted([*scene.shapes, *scene.pictures], key=lambda shape: shape.order)
        return Ground(layers, (left, top, right - left, bottom - top), Steps(MAX_STEPS), scene.ids)

    @cached_property
    def cut_open(self) -> Stripes[Stroke]:
        """The lines in masks, which tools cut open for text."""
        scene = self.parts.scene
        places = {
            at for effect in scene.effects if "mask" in effect.node.attrib for at in range(*effect.shapes)
        }
        strokes = [
            stroke for at in sorted(places) if scene.shapes[at].stroke for stroke in fine(scene.shapes[at])
        ]
        return Stripes(strokes, lambda stroke: stroke.box, self.parts.view)

    def is_in_a_gap(self, label: Label) -> bool:
        """Whether a text stands in a line that a mask cuts open for it: the gap would stay."""
        box = label.bounds(label.width)
        return any(
            clipped(pair, box) is not None
            for stroke in self.cut_open.meeting(box)
            for pair in pairwise(stroke.points)
        )

    def stands_out(self, label: Label) -> bool:
        """Whether readers see a text on what is known to be behind it."""
        try:
            return stands_out(label, self.ground, self.parts.page)
        except SpentError:
            return False

    def around(self, label: Label) -> frozenset[Area]:
        """The areas that are painted before a text and hold its middle."""
        return frozenset(self.areas.near(label)[0])

    def home(self, label: Label, areas: frozenset[Area]) -> Area | None:
        """The area in which a text must stay: the smallest around it, if it holds all of its ink, or no other text."""
        area = min(areas, key=lambda area: area.size, default=None)
        if area is not None and any(
            box.area.shape is area.shape and box.labels == (label,) for box in self.parts.boxes
        ):
            return area  # without it, the box has no words
        if area is None or not all(area.holds(corner) for corner in label.corners(label.width)):
            return None
        return area

    def for_block(
        self, block: TextBlock, reach: float, is_strict: bool = False, goal: Area | None = None
    ) -> BlockPlaces:
        """The places of a block within `reach` (root units).

        is_strict: no line may be as near as now. goal: the area into which it moves.
        """
        return BlockPlaces(self, block, reach, is_strict, goal)

    def near(self, label: Label) -> list[tuple[float, Connector]]:
        """The lines that a text may belong to, nearest first, with their distances."""
        box = label.bounds(label.width)
        rows = [(distance(box, line), number, line) for number, line in enumerate(self.parts.lines)]
        return [(far, line) for far, _, line in sorted(rows, key=lambda row: row[:2])]


def _is_seen(shape: PaintedShape, page: str) -> bool:
    """Whether readers see the outline of a shape; a faint line, as of a grid, may lie behind text."""
    if shape.stroke:
        return len(shape.stroke) > 1 or ratio(shape.stroke[0], page) >= FAINT or bool(shape.fill)
    return bool(shape.fill)


@dataclass(frozen=True, slots=True)
class _Barrier:
    """A straight part of an outline in a label's frame, with the room that text must leave it."""

    start: Point
    end: Point
    room: float


class BlockPlaces:
    """The places of one block: `are_free` tells whether it may move so far."""

    def __init__(
        self, room: FreeRoom, block: TextBlock, reach: float, is_strict: bool, goal: Area | None
    ) -> None:
        self.room, self.block, self.is_strict, self.goal = room, block, is_strict, goal
        px = room.parts.px
        own = set(block.backing)
        self.box = block.box
        self.clip = next((label.text.clip for label in block.labels if label.text.clip), None)
        self.inks = [label.bounds(label.width) for label in block.labels]
        left, top, right, bottom = self.box
        wide = left - reach, top - reach, right + reach, bottom + reach
        strokes = [stroke for stroke in room.lines.meeting(wide) if stroke.shape not in own]
        texts = {label.text.node for label in block.labels}
        self.others = [
            label.bounds(label.width)
            for label in room.labels.meeting(wide)
            if label.text.node not in texts
            and label not in block.labels
            and label.text.shown[label.runs[0].node] >= PALE
        ]
        self.pictures = [bounds(picture) for picture in room.pictures.meeting(wide)]
        self.barriers = [(label, list(self._barriers(label, strokes, px))) for label in block.labels]
        self.homes = {label: room.around(label) for label in block.labels}
        self.must = {label: room.home(label, self.homes[label]) for label in block.labels}
        if goal is not None:
            self.homes = {label: home | {goal} for label, home in self.homes.items()}
            self.must = dict.fromkeys(block.labels, goal)
        self.areas = [area for area in room.areas.all() if gap(area.box, wide) <= 0 and area.shape not in own]
        self.lines = {label: _mates(room, label) for label in block.labels}
        touched = {
            stroke.shape
            for stroke in strokes
            if any(clipped(pair, block.box) is not None for pair in pairwise(stroke.points))
        }
        self.fences = [
            pair
            for stroke in strokes
            if stroke.shape not in touched and (goal is None or stroke.shape is not goal.shape)
            for pair in pairwise(stroke.points)
        ]

    @property
    def is_free_to_leave(self) -> bool:
        """Whether no text of the block must stay in the area around it."""
        return self.goal is not None or not any(self.must.values())

    def _barriers(self, label: Label, strokes: Sequence[Stroke], px: float) -> Iterator[_Barrier]:
        ink = _ink(label, 0.0)
        for stroke in strokes:
            room = (CLEAR / px + stroke.width / 2) if stroke.shape.stroke else EDGE / px
            framed = [label.frame(point) for point in stroke.points]
            near = _ink(label, room)
            is_near = any(clipped(pair, near) is not None for pair in pairwise(framed))
            if (
                is_near
                and not self.is_strict
                and not any(clipped(pair, ink) is not None for pair in pairwise(framed))
            ):
                room = 0.0  # it was as near before, and readers could tell them apart
            for start, end in pairwise(framed):
                yield _Barrier(start, end, room)

    def is_free(self, dx: float, dy: float) -> bool:
        """Whether the block may move by this much, in root units."""
        return (
            self._is_in_view(dx, dy)
            and self._is_apart(dx, dy)
            and all(
                self._is_clear(label, barriers, dx, dy)
                and self._is_at_home(label, dx, dy)
                and self._is_at_its_line(label, dx, dy)
                for label, barriers in self.barriers
            )
            and not self._jumps(dx, dy)
        )

    def _is_in_view(self, dx: float, dy: float) -> bool:
        view, rim = self.room.parts.view, RIM / self.room.parts.px
        box = moved(self.box, (dx, dy))
        return holds(view, box, rim) and (self.clip is None or holds(self.clip, box))

    def _is_apart(self, dx: float, dy: float) -> bool:
        apart = APART / self.room.parts.px
        for ink in self.inks:
            box = moved(ink, (dx, dy))
            wide = box[0] - apart, box[1] - apart, box[2] + apart, box[3] + apart
            if any(_meet(wide, other) for other in self.others):
                return False
            if any(_meet(box, picture) for picture in self.pictures):
                return False
        return True

    def _is_clear(self, label: Label, barriers: Sequence[_Barrier], dx: float, dy: float) -> bool:
        along = dx * label.along[0] + dy * label.along[1]
        up = dx * label.up[0] + dy * label.up[1]
        first, low, last, high = _ink(label, 0.0)
        for barrier in barriers:
            room = barrier.room
            ink = first + along - room, low + up - room, last + along + room, high + up + room
            (x0, y0), (x1, y1) = barrier.start, barrier.end
            if max(x0, x1) < ink[0] or min(x0, x1) > ink[2] or max(y0, y1) < ink[1] or min(y0, y1) > ink[3]:
                continue
            if clipped((barrier.start, barrier.end), ink) is not None:
                return False
        return True

    def _is_at_home(self, label: Label, dx: float, dy: float) -> bool:
        """Whether the areas around the text are among those that were around it, and nothing would cover it."""
        x, y = label.centre()
        point = x + dx, y + dy
        home, must = self.homes[label], self.must[label]
        if must is not None and not must.holds(point):
            return False
        order = label.text.order
        shapes = {area.shape for area in home}
        return not any(
            area.shape not in shapes and area.shape.order != order and area.holds(point)
            for area in self.areas
        )

    def _is_at_its_line(self, label: Label, dx: float, dy: float) -> bool:
        mates, most = self.lines[label]
        if not mates:
            return True
        box = moved(label.bounds(label.width), (dx, dy))
        far = min(distance(box, line) for line in mates)
        if far > most:
            return False
        return all(
            line in mates or distance(box, line) > NEARER * far
            for line in self.room.parts.lines
            if line not in mates
        )

    def _jumps(self, dx: float, dy: float) -> bool:
        """Whether the middle of the block passes over a line that the block does not touch."""
        box = self.box
        middle = (box[0] + box[2]) / 2, (box[1] + box[3]) / 2
        path = middle, (middle[0] + dx, middle[1] + dy)
        return any(_cross(path, pair) for pair in self.fences)


def _mates(room: FreeRoom, label: Label) -> tuple[frozenset[Connector], float]:
    """The lines that a text belongs to, and how far from them it may be: those beside it, else those through it."""
    near = [(far, line) for far, line in room.near(label) if far <= OWN * label.size]
    if not near:
        return frozenset(), 0.0
    beside = [line for far, line in near if far > 0]
    most = max(BESIDE * label.size, near[0][0])
    return frozenset(beside or [line for _, line in near]), most


def _ink(label: Label, room: float) -> Bounds:
    """The ink of a label in its own frame, with some room around it."""
    start, end = label.span(label.width)
    return start - room, label.bottom - room, end + room, label.top + room


def _meet(box: Bounds, other: Bounds) -> bool:
    return box[0] < other[2] and other[0] < box[2] and box[1] < other[3] and other[1] < box[3]


def _cross(first: Segment, second: Segment) -> bool:
    """Whether two straight lines cross."""

    def side(a: Point, b: Point, c: Point) -> float:
        return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])

    (a, b), (c, d) = first, second
    return side(a, b, c) * side(a, b, d) < 0 and side(c, d, a) * side(c, d, b) < 0
