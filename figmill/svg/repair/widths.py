"""Room for texts that do not fit in their shape: the shape grows where there is room, or the text gets two lines."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain, pairwise

from figmill.svg.checks.line_through_text import short
from figmill.svg.document import Draft
from figmill.svg.geometry.areas import Area
from figmill.svg.geometry.label_fit import Seat, lettering
from figmill.svg.geometry.labels import LEVEL, Label
from figmill.svg.geometry.outlines import Bounds
from figmill.svg.geometry.parts import ACROSS, Parts, gap, role, side
from figmill.svg.geometry.rectangles import around, holds
from figmill.svg.geometry.scene import PaintedShape, bounds
from figmill.svg.geometry.strokes import clipped
from figmill.svg.geometry.structure import DrawnBox
from figmill.svg.repair.apply import place
from figmill.svg.repair.boxes import carried
from figmill.svg.repair.moves import Break, Change, Move, Resize, Shift, Squeeze, direction
from figmill.svg.repair.room import FreeRoom

SLACK = 1.05  # times the width of a text: fonts differ
PADDING = 0.35  # em between a text and the border that is moved for it
TIGHTEST = 0.85  # of its width, to which a text may be squeezed
EQUAL = 0.5  # px between equal widths
WIDEST = 1.6  # times its width, to which a shape may grow
APART = 6.0  # px between a shape that has grown and others
LEADING = 1.2  # em between two lines
LOW = 1.0  # px of a text that may be outside
SIDE = 3.0  # px between a squeezed text and the border, which is a line
MIDDLE = 0.35  # em from the middle of a line to its baseline
MOST = 2.0  # times its width, by which an area behind a text may grow
TALLEST = 2.0  # em for each line of text: a higher area is more than the ground of a text
RIM = 0.15  # em of an area around the text that it sets off
EDGE = 1.0  # px at the edge of an area, where others may touch it
END = 10.0  # px from the end of a line, which may have a head
LONGEST = 0.7  # share of a text that one of its two lines may have


def fit(draft: Draft, room: FreeRoom) -> Iterator[Iterator[Move]]:
    """`text-overflow`: the text moves, its shape grows, or the text is broken or squeezed."""
    parts = room.parts
    owners = {label: box for box in parts.boxes for label in box.labels}
    for seat in lettering(draft).tight:
        if seat.over <= LOW or seat.label.along != LEVEL:
            continue
        box = owners.get(seat.label)
        if box is None:
            labels = [label for label in room.labels.meeting(seat.area.box) if _is_in(label, seat.area, room)]
            yield chain(_inside(seat, labels, parts), _backed(seat, labels, room))
        elif box.area is seat.area or box.area.shape is seat.area.shape:
            yield chain(
                _inside(seat, box.labels, parts, SLACK),
                _wider(seat, box, parts),
                _broken(seat, box, parts),
                _inside(seat, box.labels, parts, TIGHTEST),
                () if _has_peers(box, parts) else _backed(seat, box.labels, room),
            )


def _is_in(label: Label, area: Area, room: FreeRoom) -> bool:
    return any(other.shape is area.shape for other in room.around(label))


def _backed(seat: Seat, labels: Sequence[Label], room: FreeRoom) -> Iterator[Move]:
    """The area that only sets a text off from what is behind gets as wide as the text, if it hides nothing more."""
    parts, shape, before = room.parts, seat.area.shape, seat.area.box
    if not seat.area.is_upright or len(shape.fill) != 1 or (shape.stroke and shape.stroke != shape.fill):
        return
    if before[3] - before[1] > TALLEST * seat.label.size * len(labels):
        return
    pad = RIM * seat.label.size
    for ink in (
        around(label.bounds(label.width) for label in labels),
        around(label.bounds(label.wide) for label in labels),
    ):
        after = min(before[0], ink[0] - pad), before[1], max(before[2], ink[2] + pad), before[3]
        by = after[2] - after[0] - before[2] + before[0]
        if by <= MOST * (before[2] - before[0]) and _hides_lines_only(shape, before, after, labels, room):
            why = f"made the area behind '{short(seat.label)}' {by * parts.px:.0f} px wider: the text ran out of it"
            yield Move((Resize(shape.node, shape.ctm, before, after),), by * parts.px, why)


def _hides_lines_only(
    shape: PaintedShape, before: Bounds, after: Bounds, labels: Sequence[Label], room: FreeRoom
) -> bool:
    """Whether an area may grow: it hides only straight lines that run on beyond it, and more of those behind it."""
    near, edge = END / room.parts.px, EDGE / room.parts.px
    top, bottom = after[1] + edge, after[3] - edge
    sides = (after[0], top, before[0], bottom), (before[2], top, after[2], bottom)
    for new in sides:
        left, top, right, bottom = new
        if left >= right:
            continue
        if room.pictures.meeting(new) or any(label not in labels for label in room.labels.meeting(new)):
            return False
        wide = left - near, top - near, right + near, bottom + near
        for stroke in room.lines.meeting(new):
            if _is_like(stroke.shape, shape) or not any(
                clipped(part, new) for part in pairwise(stroke.points)
            ):
                continue
            ends = stroke.points[0], stroke.points[-1]
            if (
                stroke.is_closed
                or not (
                    len(stroke.points) == 2 or any(clipped(part, before) for part in pairwise(stroke.points))
                )
                or any(gap(wide, (*end, *end)) <= 0 for end in ends)
            ):
                return False
    return True


def _is_like(shape: PaintedShape, other: PaintedShape) -> bool:
    """Whether nobody sees where one of two shapes ends on the other."""
    return shape.fill == other.fill and not shape.stroke


def _inside(seat: Seat, labels: Sequence[Label], parts: Parts, least: float = 1.0) -> Iterator[Move]:
    """The text moves along its line to the middle of its room, which has at least this share of its width.

    If that is less than 1, the text is squeezed.
    """
    label, node = seat.label, seat.label.text.node
    low, high = seat.room
    pad = PADDING * label.size if least > 1 else 0.0
    if high - low < least * label.width + pad or len(labels) > 1:
        return
    if any(other.text.node is node and other is not label for other in parts.labels):
        return
    width = label.width
    if len(label.runs) == 1:
        width = min(width, max(TIGHTEST * width, high - low - 2 * SIDE / parts.px))
    if width > high - low:
        return
    start, end = label.span(width)
    by = (low + high - start - end) / 2
    changes: list[Change] = [Shift(node, label.text.ctm, (by, 0.0))]
    did = f"moved the text '{short(label)}' {direction(by * parts.px, 0.0)}"
    if width < label.width:
        changes.append(Squeeze(label.runs[0].node, label.text.ctm, width / label.scale))
        did = f"squeezed the text '{short(label)}' into its shape"
    yield Move(tuple(changes), abs(by) * parts.px, f"{did}: it ran {seat.over:.0f} px out of it")


def _wider(seat: Seat, box: DrawnBox, parts: Parts) -> Iterator[Move]:
    """The shape with room for its texts: on both sides, or on the side where a text runs out."""
    if box.is_cell or box.inside:
        return
    label = seat.label
    if _has_peers(box, parts) and seat.room[1] - seat.room[0] >= TIGHTEST * label.width:
        return  # the text can be squeezed instead
    left, top, right, bottom = box.bounds
    pad = PADDING * label.size
    start, end = label.span(SLACK * label.width)
    low, high = (by + pad if by > 0 else 0.0 for by in (seat.room[0] - start, end - seat.room[1]))
    if not (box.area.is_upright or box.area.is_round):  # its sides slope, so it grows in proportion
        low = high = (right - left) / (seat.room[1] - seat.room[0]) * max(low, high)
    elif label.share == 0.5 or (low and high):
        low = high = max(low, high)
    after = left - low, top, right + high, bottom
    if after[2] - after[0] > WIDEST * (right - left) or not _has_room(box, after, parts):
        return
    by = (low + high) * parts.px
    why = f"made the box of '{short(label)}' {by:.0f} px wider: the text ran {seat.over:.0f} px out of it"
    yield Move(tuple(carried(box, after, parts, with_contents=False)), by, why)


def _has_peers(box: DrawnBox, parts: Parts) -> bool:
    """Whether another box of the same role is as wide."""
    return any(
        other is not box
        and role(other) == role(box)
        and abs(side(other, ACROSS) - side(box, ACROSS)) * parts.px < EQUAL
        for other in parts.leaves
    )


def _has_room(box: DrawnBox, after: Bounds, parts: Parts) -> bool:
    """Whether a box with these bounds keeps a distance from what it does not contain, and stays in what contains it."""
    room = APART / parts.px
    left, _, right, _ = box.bounds
    low, high = room * (after[0] < left), room * (after[2] > right)
    wide = after[0] - low, after[1], after[2] + high, after[3]
    if after[0] < parts.view[0] + room or after[2] > parts.view[2] - room:
        return False
    for shape in (*parts.scene.shapes, *parts.scene.pictures):
        its = bounds(shape)
        if shape in box.shapes or holds(box.bounds, its) or gap(wide, its) > 0:
            continue
        if holds(its, wide):  # it contains the box
            continue
        if gap(box.bounds, its) > 0 or holds(its, box.bounds):
            return False
    return not any(
        label not in box.labels and gap(box.bounds, its) > 0 and gap(wide, its) <= 0
        for label in parts.labels
        for its in [label.bounds(label.width)]
    )


def _broken(seat: Seat, box: DrawnBox, parts: Parts) -> Iterator[Move]:
    """The text in two lines, if they fit in the shape."""
    label = seat.label
    if len(box.labels) > 1 or len(label.runs) != 1 or label.text.node.text().strip() != label.words:
        return
    lines = halves(label)
    if lines is None:
        return
    widest = max(lines, key=len)
    room = seat.room[1] - seat.room[0]
    high = (LEADING + 1.0) * label.size
    if label.width * len(widest) / len(label.words) * SLACK > room or high > box.bounds[3] - box.bounds[1]:
        return
    run = label.runs[0]
    left, top, right, bottom = box.bounds
    middle = place(label.text.ctm, ((left + right) / 2, (top + bottom) / 2))
    base = middle[1] + MIDDLE * run.type.size  # of a single line in the middle of the box
    change = Break(label.text.node, label.text.ctm, lines, middle[0], base, LEADING * run.type.size)
    yield Move(
        (change,),
        LEADING / 2 * label.size * parts.px,
        f"set the text '{short(label)}' in two lines: it ran {seat.over:.0f} px out of its box",
    )


def halves(label: Label) -> tuple[str, str] | None:
    """The two parts of a text, broken at the space nearest to its middle; None if there is none near enough."""
    words = label.words
    spaces = [at for at, letter in enumerate(words) if letter == " "]
    if not spaces:
        return None
    at = min(spaces, key=lambda at: (abs(at - len(words) / 2), at))
    first, second = words[:at].strip(), words[at:].strip()
    if max(len(first), len(second)) > LONGEST * len(words):
        return None
    return first, second
