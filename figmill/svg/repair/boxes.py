"""Moves of boxes: one snaps to its row, size or gap, with what stands in it and with the ends of its lines."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import pairwise

from figmill.svg.checks.alignment import off_lines
from figmill.svg.checks.box_room import beside, overlapping
from figmill.svg.checks.edge_through_box import name
from figmill.svg.checks.unequal import odd_gaps, odd_sizes
from figmill.svg.document import Draft
from figmill.svg.geometry.arrows import LARGEST
from figmill.svg.geometry.outlines import Bounds, Point
from figmill.svg.geometry.parts import ACROSS, ALONG, WIDE, Parts, middle, side
from figmill.svg.geometry.rectangles import holds, moved
from figmill.svg.geometry.scene import PaintedShape, bounds
from figmill.svg.geometry.strokes import clipped
from figmill.svg.geometry.structure import Connector, DrawnBox, LineEnd
from figmill.svg.repair.moves import STILL, Change, Move, Pull, Resize, Shift, direction
from figmill.svg.repair.room import FreeRoom

LEVEL = 0.5  # px by which a line along an axis may be off
INSET = 1.0  # px within the border of a box
SLIGHT = 1.0  # px by which the end of a line may be off the middle
RIM = 2.0  # px between the end of a line and the corner of its box
OVER = 0.5  # px by which what stands in a box may stick out


def snap(draft: Draft, room: FreeRoom) -> Iterator[Iterator[Move]]:
    """`almost-aligned`: the box moves into its row or column."""
    parts = room.parts
    for off in off_lines(parts):
        if not _is_free(off.box, room):
            continue
        by = (middle(off.mates[0], off.axis) - middle(off.box, off.axis)) * parts.px
        row = ALONG[1 - off.axis]
        mates = " and ".join(f"'{name(mate)}'" for mate in off.mates[:2])
        yield iter([_shifted([off.box], off.axis, by / parts.px, f"it was off the {row} of {mates}", parts)])


def part(draft: Draft, room: FreeRoom) -> Iterator[Iterator[Move]]:
    """`boxes-overlap`: one of the two boxes moves to a free place beside the other."""
    parts = room.parts
    for box, other, _ in overlapping(parts):
        rows = [
            (far, axis, free, place - free.bounds[axis], anchor)
            for anchor, free in ((box, other), (other, box))
            if _is_free(free, room, anchor)
            for taken, far, axis, place in beside(anchor, free, parts)
            if not taken
        ]
        yield (
            _shifted([free], axis, by, f"it lay on '{name(anchor)}'", parts)
            for _, axis, free, by, anchor in sorted(rows, key=lambda row: row[0])
            if _may_follow(free, axis, by, parts)
        )


def equalise(draft: Draft, room: FreeRoom) -> Iterator[Iterator[Move]]:
    """`unequal`, sizes: the box gets the size of the others, and keeps its start, its middle or its end."""
    parts = room.parts
    for odd in odd_sizes(parts):
        if _is_free(odd.box, room):
            yield _sizes(odd.box, odd.axis, odd.usual / parts.px, parts)


def space(draft: Draft, room: FreeRoom) -> Iterator[Iterator[Move]]:
    """`unequal`, gaps: the boxes behind a gap move, or those before it."""
    parts = room.parts
    for odd in odd_gaps(parts):
        by = (odd.usual - odd.size) / parts.px
        before, after = odd.row[odd.place - 1], odd.row[odd.place]
        why = f"its gap to '{name(before)}' was {odd.size:.0f} px, others {odd.usual:.0f} px"
        other = f"its gap to '{name(after)}' was {odd.size:.0f} px, others {odd.usual:.0f} px"
        rows = (odd.row[odd.place :], by, why), (odd.row[: odd.place][::-1], -by, other)
        yield (
            _shifted(row, odd.axis, step, reason, parts)
            for row, step, reason in rows
            if not _in_line(row, odd.axis, parts)
            and all(_may_follow(box, odd.axis, step, parts) and _is_free(box, room) for box in row)
        )


def _is_free(box: DrawnBox, room: FreeRoom, but: DrawnBox | None = None) -> bool:
    """Whether a box takes everything along if it moves: nothing but its lines, and `but`, crosses its border."""
    own = {shape for line in room.parts.lines for end in line.ends if end.box is box for shape in line.own}
    inset = INSET / room.parts.px
    left, top, right, bottom = box.bounds
    core = left + inset, top + inset, right - inset, bottom - inset
    if core[0] >= core[2] or core[1] >= core[3]:
        return False
    wide = left - inset, top - inset, right + inset, bottom + inset
    return not any(
        any(clipped(pair, core) is not None for pair in pairwise(stroke.points))
        for stroke in room.lines.meeting(core)
        if stroke.shape not in box.shapes
        and stroke.shape not in own
        and (but is None or stroke.shape not in but.shapes)
        and not holds(wide, stroke.box)
    )


def _in_line(row: Sequence[DrawnBox], axis: int, parts: Parts) -> bool:
    """Whether a box of a row stands in line with one that would stay."""
    return any(
        abs(middle(box, axis) - middle(other, axis)) * parts.px < LEVEL
        for box in row
        for other in parts.leaves
        if other not in row
    )


def _may_follow(box: DrawnBox, axis: int, step: float, parts: Parts) -> bool:
    """Whether the lines in the middle of a box's side can follow it: those between two boxes can."""
    if abs(step) * parts.px <= SLIGHT:
        return True
    return not any(
        end.box is box and None in (line.start.box, line.end.box) and _normal(end.point, box.bounds) != axis
        for line in parts.lines
        for end in line.ends
    )


def _shifted(boxes: Sequence[DrawnBox], axis: int, by: float, why: str, parts: Parts) -> Move:
    """Boxes move along an axis. by: root units."""
    step = (by, 0.0) if axis == ACROSS else (0.0, by)
    changes = [change for box in boxes for change in carried(box, moved(box.bounds, step), parts)]
    more = f" and {len(boxes) - 1} more" if len(boxes) > 1 else ""
    way = direction(step[0] * parts.px, step[1] * parts.px)
    return Move(_merged(changes), abs(by) * parts.px, f"moved the box '{name(boxes[0])}'{more} {way}: {why}")


def _sizes(box: DrawnBox, axis: int, usual: float, parts: Parts) -> Iterator[Move]:
    if not (box.area.is_upright or box.area.is_round):
        return
    size = side(box, axis)
    edges = [[other.bounds[axis], middle(other, axis), other.bounds[axis + 2]] for other in parts.leaves]

    def lost(share: float) -> tuple[int, float]:
        """How many boxes stand in line with an edge or the middle of this one, which would move."""
        mine = box.bounds[axis], middle(box, axis), box.bounds[axis + 2]
        moves = share, 0.5 - share, 1 - share  # of the difference in size, for each of these
        return sum(
            abs(mine[at] - other[at]) * parts.px < LEVEL and abs(moves[at]) > 0
            for other in edges
            for at in range(3)
        ), share

    for share in sorted((0.0, 0.5, 1.0), key=lost):
        after = list(box.bounds)
        after[axis] += share * (size - usual)
        after[axis + 2] = after[axis] + usual
        changes = carried(box, (after[0], after[1], after[2], after[3]), parts)
        why = (
            f"made the box '{name(box)}' {usual * parts.px:.0f} px {WIDE[axis]}, as the others like it: "
            f"it was {size * parts.px:.0f} px"
        )
        yield Move(tuple(changes), abs(size - usual) * parts.px, why)


def carried(box: DrawnBox, after: Bounds, parts: Parts, with_contents: bool = True) -> Iterator[Change]:
    """What changes if a box gets these bounds: its shapes, what stands in it, and the ends of its lines."""
    before = box.bounds
    by = (after[0] + after[2] - before[0] - before[2]) / 2, (after[1] + after[3] - before[1] - before[3]) / 2
    is_same = all(abs(after[at + 2] - after[at] - before[at + 2] + before[at]) < 1e-9 for at in (0, 1))
    for shape in sorted(box.shapes, key=lambda shape: shape.order):
        if is_same:
            yield Shift(shape.node, shape.ctm, by)
        else:
            its = bounds(shape)
            ends = tuple(its[at] + after[at] - before[at] for at in range(4))
            yield Resize(shape.node, shape.ctm, its, (ends[0], ends[1], ends[2], ends[3]))
    family = {box, *box.inside}
    lines = {shape for line in parts.lines for shape in line.own}
    if with_contents and math.hypot(*by) > 0:
        yield from _contents(box, lines, by, parts)
    for line in parts.lines:
        at_box = [end for end in line.ends if end.box in family]
        if len(at_box) == 2:
            yield from (Shift(shape.node, shape.ctm, by) for shape in _own(line))
        for end in at_box if len(at_box) == 1 else ():
            yield from _followed(line, end, before, after, parts)


def _contents(box: DrawnBox, lines: set[PaintedShape], by: Point, parts: Parts) -> Iterator[Change]:
    """The shapes, pictures and texts in a box."""
    room = OVER / parts.px
    left, top, right, bottom = box.bounds
    wide = left - room, top - room, right + room, bottom + room
    for shape in (*parts.scene.shapes, *parts.scene.pictures):
        if shape not in box.shapes and shape not in lines and holds(wide, bounds(shape)):
            yield Shift(shape.node, shape.ctm, by)
    labels = {label for inner in (box, *box.inside) for label in inner.labels}
    seen = set()
    for label in parts.labels:
        node = label.text.node
        if node not in seen and (label in labels or holds(wide, label.bounds(label.width))):
            seen.add(node)
            yield Shift(node, label.text.ctm, by)


def _own(line: Connector) -> list[PaintedShape]:
    return sorted(line.own, key=lambda shape: shape.order)


def _followed(line: Connector, end: LineEnd, before: Bounds, after: Bounds, parts: Parts) -> Iterator[Change]:
    """How a line changes whose end is at a box with new bounds."""
    axis = _normal(end.point, before)
    far = axis if abs(end.point[axis] - before[axis]) < abs(end.point[axis] - before[axis + 2]) else axis + 2
    out = after[far] - before[far]  # along the normal of the side
    slide = (after[1 - axis] + after[3 - axis] - before[1 - axis] - before[3 - axis]) / 2
    px = parts.px
    points = line.pieces[0].points if end is line.start else line.pieces[-1].points[::-1]
    (x0, y0), (x1, y1) = points[0], points[1]
    is_level = abs((y1 - y0, x1 - x0)[axis]) * px < LEVEL
    low, high = after[1 - axis] + RIM / px, after[3 - axis] - RIM / px
    place = end.point[1 - axis]
    centre = (after[1 - axis] + after[3 - axis]) / 2
    stays = low <= place <= high and (
        abs(slide) * px < STILL or abs(place - centre) <= abs(place + slide - centre)
    )
    other = line.end if end is line.start else line.start
    if is_level and not stays and len(line.pieces) == 1 and len(line.pieces[0].points) == 2:
        # a straight line moves as a whole, if it stays at its other box
        room = other.box.bounds if other.box is not None else None
        there = other.point[1 - axis] + slide
        if room is not None and room[1 - axis] + RIM / px <= there <= room[3 - axis] - RIM / px:
            sideways = _vector(axis, 0.0, slide)
            yield from (Shift(shape.node, shape.ctm, sideways) for shape in _own(line))
            if abs(out) * px >= STILL:
                yield from pulled(line, end, _vector(axis, out, 0.0), (0.0, 0.0))
            return
        stays = low <= place <= high
    by = _vector(axis, out, 0.0 if is_level and stays else slide)
    if math.hypot(*by) * px < STILL:
        return
    beside = _vector(axis, 0.0, 0.0 if is_level and stays else slide) if is_level else by
    yield from pulled(line, end, by, beside)


def _normal(point: Point, box: Bounds) -> int:
    """The axis across the side of a box at which a point lies."""
    across = min(abs(point[0] - box[0]), abs(point[0] - box[2]))
    down = min(abs(point[1] - box[1]), abs(point[1] - box[3]))
    return 0 if across <= down else 1


def _vector(axis: int, out: float, slide: float) -> Point:
    return (out, slide) if axis == ACROSS else (slide, out)


def pulled(line: Connector, end: LineEnd, by: Point, beside: Point) -> Iterator[Change]:
    """The end of a line moves, with the head that is drawn there."""
    is_start = end is line.start
    shape = (line.pieces[0] if is_start else line.pieces[-1]).shape
    yield Pull(shape.node, shape.ctm, is_start, by, beside)
    for own in _own(line):
        if own is not line.shape and _is_at(own, end.point):
            yield Shift(own.node, own.ctm, by)


def _is_at(head: PaintedShape, point: Point) -> bool:
    left, top, right, bottom = bounds(head)
    room = min(LARGEST, max(right - left, bottom - top))
    return left - room <= point[0] <= right + room and top - room <= point[1] <= bottom + room


def _merged(changes: Sequence[Change]) -> tuple[Change, ...]:
    """Each change once: a line between two boxes that move together moves as a whole."""
    kept: list[Change] = []
    pulls: dict[object, Pull] = {}
    for change in changes:
        if isinstance(change, Pull):
            first = pulls.get(change.node)
            if (
                first is not None
                and first.is_start != change.is_start
                and math.dist(first.by, change.by) < 1e-9
            ):
                kept[kept.index(first)] = Shift(change.node, change.ctm, change.by)
                continue
            pulls[change.node] = change
        if change not in kept:
            kept.append(change)
    return tuple(kept)
