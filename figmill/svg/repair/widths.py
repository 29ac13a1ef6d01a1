"""Room for texts that do not fit in their shape: the shape grows where there is room, or the text gets two lines."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain

from figmill.svg.checks.line_through_text import short
from figmill.svg.document import Draft
from figmill.svg.geometry.label_fit import Seat, lettering
from figmill.svg.geometry.labels import LEVEL, Label
from figmill.svg.geometry.outlines import Bounds
from figmill.svg.geometry.parts import ACROSS, Parts, gap, role, side
from figmill.svg.geometry.scene import bounds
from figmill.svg.geometry.structure import Box
from figmill.svg.repair.apply import place
from figmill.svg.repair.boxes import carried
from figmill.svg.repair.moves import Break, Move, Shift, direction
from figmill.svg.repair.room import Room

SLACK = 1.05  # times the width of a text: fonts differ
PADDING = 0.35  # em between a text and the border that is moved for it
TIGHTEST = 0.85  # of its width, to which a text may be squeezed
EQUAL = 0.5  # px between equal widths
WIDEST = 1.6  # times its width, to which a shape may grow
APART = 6.0  # px between a shape that has grown and others
LEADING = 1.2  # em between two lines
LOW = 1.5  # px of a text that may be outside
MIDDLE = 0.35  # em from the middle of a line to its baseline
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
