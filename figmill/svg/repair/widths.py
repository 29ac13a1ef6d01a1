"""Room for texts that do not fit in their shape: the shape grows where there is room, or the text gets two lines."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain, pairwise

from figmill.svg.checks.line_through_text import short
from figmill.svg.document import Draft
from figmill.svg.geometry.label_fit import Seat, lettering
from figmill.svg.geometry.labels import LEVEL, Label
from figmill.svg.geometry.outlines import Bounds
from figmill.svg.geometry.parts import ACROSS, Parts, gap, role, side
from figmill.svg.geometry.scene import PaintedShape, bounds
from figmill.svg.geometry.strokes import clipped
from figmill.svg.geometry.structure import Box
from figmill.svg.repair.apply import place
from figmill.svg.repair.boxes import carried
from figmill.svg.repair.moves import Break, Move, Resize, Shift, direction
from figmill.svg.repair.room import Room, around

SLACK = 1.05  # times the width of a text: fonts differ
PADDING = 0.35  # em between a text and the border that is moved for it
TIGHTEST = 0.85  # of its width, to which a text may be squeezed
EQUAL = 0.5  # px between equal widths
WIDEST = 1.6  # times its width, to which a shape may grow
APART = 6.0  # px between a shape that has grown and others
LEADING = 1.2  # em between two lines
LOW = 1.5  # px of a text that may be outside
MIDDLE = 0.35  # em from the middle of a line to its baseline
RIM = 0.15  # em of an area around the text that it sets off
END = 10.0  # px from the end of a line, which may have a head
LONGEST = 0.7  # share of a text that one of its two lines may have


def fit(draft: Draft, room: Room) -> Iterator[Iterator[Move]]:
    """`text-overflow`: the shape grows, or the text is broken."""
    owners = {label: box for box in room.parts.boxes for label in box.labels}
    for seat in lettering(draft).tight:
        if seat.over > LOW and seat.label.along == LEVEL and seat.label in owners:
            box = owners[seat.label]
            if box.area is seat.area or box.area.shape is seat.area.shape:
                parts = room.parts
                yield chain(_inside(seat, box, parts), _wider(seat, box, parts), _broken(seat, box, parts))
        elif seat.over and seat.label.along == LEVEL:
            yield _backed(seat, room)


def _backed(seat: Seat, room: Room) -> Iterator[Move]:
    """The area that only sets a text off from what is behind gets as wide as the text, if it hides nothing more."""
    parts, shape, before = room.parts, seat.area.shape, seat.area.box
    if not seat.area.is_upright or (shape.stroke and shape.stroke != shape.fill):
        return
    if any(shape in box.shapes for box in parts.boxes):
        return
    labels = [
        label
        for label in room.labels.meeting(before)
        if seat.area in room.around(label) or label is seat.label
    ]
    pad = RIM * seat.label.size
    inks = around(label.bounds(label.width) for label in labels)
    after = min(before[0], inks[0] - pad), before[1], max(before[2], inks[2] + pad), before[3]
    by = after[2] - after[0] - before[2] + before[0]
    if by > (WIDEST - 1) * (before[2] - before[0]) or not _hides_lines_only(
        shape, before, after, labels, room
    ):
        return
    why = f"made the area behind '{short(seat.label)}' {by * parts.px:.0f} px wider: the text ran out of it"
    yield Move((Resize(shape.node, shape.ctm, before, after),), by * parts.px, why)


def _hides_lines_only(
    shape: PaintedShape, before: Bounds, after: Bounds, labels: Sequence[Label], room: Room
) -> bool:
    """Whether an area may grow: it hides only straight lines that run on beyond it, and more of those behind it."""
    near = END / room.parts.px
    sides = (after[0], after[1], before[0], after[3]), (before[2], after[1], after[2], after[3])
    for new in sides:
        left, top, right, bottom = new
        if left >= right:
            continue
        if room.pictures.meeting(new) or any(label not in labels for label in room.labels.meeting(new)):
            return False
        wide = left - near, top - near, right + near, bottom + near
        for stroke in room.lines.meeting(new):
            if stroke.shape is shape or not any(clipped(part, new) for part in pairwise(stroke.points)):
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


def _inside(seat: Seat, box: Box, parts: Parts) -> Iterator[Move]:
    """The text moves along its line to where it fits, with equal room on both sides."""
    label = seat.label
    start, end = label.span(label.width)
    low, high = seat.room
    if high - low < SLACK * label.width + PADDING * label.size or len(box.labels) > 1:
        return
    by = (low + high - start - end) / 2
    far = abs(by) * parts.px
    way = direction(by * parts.px, 0.0)
    why = f"moved the text '{short(label)}' {way}: it ran {seat.over:.0f} px out of its box"
    yield Move((Shift(label.text.node, label.text.ctm, (by, 0.0)),), far, why)


def _wider(seat: Seat, box: Box, parts: Parts) -> Iterator[Move]:
    """The shape with room for its texts: on both sides, or on the side where a text runs out."""
    if not (box.area.is_upright or box.area.is_round) or box.is_cell or box.inside:
        return
    label = seat.label
    if _has_peers(box, parts) and seat.room[1] - seat.room[0] >= TIGHTEST * label.width:
        return  # the text can be squeezed instead
    left, top, right, bottom = box.bounds
    pad = PADDING * label.size
    start, end = (label.x + at for at in label.span(SLACK * label.width))
    low, high = max(0.0, label.x + seat.room[0] - start + pad), max(0.0, end + pad - label.x - seat.room[1])
    if label.share == 0.5 or (low and high):
        low = high = max(low, high)
    after = left - low, top, right + high, bottom
    if after[2] - after[0] > WIDEST * (right - left) or not _has_room(box, after, parts):
        return
    by = (low + high) * parts.px
    why = f"made the box of '{short(label)}' {by:.0f} px wider: the text ran {seat.over:.0f} px out of it"
    yield Move(tuple(carried(box, after, parts)), by, why)


def _has_peers(box: Box, parts: Parts) -> bool:
    """Whether another box of the same role is as wide."""
    return any(
        other is not box
        and role(other) == role(box)
        and abs(side(other, ACROSS) - side(box, ACROSS)) * parts.px < EQUAL
        for other in parts.leaves
    )


def _has_room(box: Box, after: Bounds, parts: Parts) -> bool:
    """Whether a box with these bounds keeps a distance from what it does not contain, and stays in what contains it."""
    room = APART / parts.px
    wide = after[0] - room, after[1], after[2] + room, after[3]
    if after[0] < parts.view[0] + room or after[2] > parts.view[2] - room:
        return False
    for shape in (*parts.scene.shapes, *parts.scene.pictures):
        its = bounds(shape)
        if shape in box.shapes or _holds(box.bounds, its) or gap(wide, its) > 0:
            continue
        if _holds(its, wide):  # it contains the box
            continue
        if gap(box.bounds, its) > 0 or _holds(its, box.bounds):
            return False
    return not any(
        label not in box.labels and gap(box.bounds, its) > 0 and gap(wide, its) <= 0
        for label in parts.labels
        for its in [label.bounds(label.width)]
    )


def _holds(outer: Bounds, inner: Bounds) -> bool:
    return outer[0] <= inner[0] and outer[1] <= inner[1] and inner[2] <= outer[2] and inner[3] <= outer[3]


def _broken(seat: Seat, box: Box, parts: Parts) -> Iterator[Move]:
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
