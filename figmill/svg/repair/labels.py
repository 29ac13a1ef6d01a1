"""Moves of texts: each to the nearest free place, along its line or within its box, that clears a finding.

The alternatives of a finding come in the order of how far they move anything.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from itertools import chain

from figmill.svg.checks.astray_text import strays
from figmill.svg.checks.line_through_text import short
from figmill.svg.checks.text_fit import overlapping
from figmill.svg.document import Draft
from figmill.svg.geometry.label_fit import lettering
from figmill.svg.geometry.labels import Label
from figmill.svg.geometry.outlines import Bounds, Point
from figmill.svg.geometry.parts import Parts, distance, gap
from figmill.svg.geometry.rectangles import around
from figmill.svg.geometry.scene import PaintedShape, bounds
from figmill.svg.geometry.structure import Connector
from figmill.svg.repair.moves import Move, Shift, direction
from figmill.svg.repair.room import BlockPlaces, FreeRoom, TextBlock

FARTHEST, LEAST = 3.0, 8.0  # em, px: how far a text may move
SLIGHTLY = 0.6  # em, for a note
STEP = 1.0  # px of the grid of places
STEPS = ((1, 8.0), (2, 24.0), (3, math.inf))  # of the grid, up to this distance
FEW = 12  # texts of a block
SAME_SIZE = 0.15  # share by which the sizes of texts of one block may differ
LINE, TOUCHING = 1.7, 0.75  # em between the baselines of two lines of a paragraph
WORD, INTO = 0.6, 0.5  # em between two parts of a line, and of one over the other in another font
ANCHORS = 0.5  # em between the starts, middles or ends of two lines of a paragraph
HUG = 1.3, 0.8  # em, beside and above: the room in an area that only backs its text
ALONG = 0.9  # cosine of the angle to a line below which a text moves along it

Alternatives = Iterator[Move]


def apart(draft: Draft, room: FreeRoom) -> Iterator[Alternatives]:
    """`text-overlap`: one of the two texts moves."""
    for meeting in overlapping(draft):
        pair = meeting.one, meeting.other
        if are_one(*pair):
            continue  # parts of a line that are set in another font: only that font would put them right
        yield nearest(
            [
                (block(label, room.parts, other), f"it lay on '{short(other)}'")
                for label, other in (pair[::-1], pair)
            ],
            room,
        )


def clear_of_lines(draft: Draft, room: FreeRoom) -> Iterator[Alternatives]:
    """`line-through-text`: the text moves off the line."""
    yield from _each(draft, room, "line-through-text", "a line ran through it")


def with_clearance(draft: Draft, room: FreeRoom) -> Iterator[Alternatives]:
    """`clearance` of a text: it moves away from the line or the text beside it."""
    yield from _each(draft, room, "clearance", "it nearly touched what is beside it", SLIGHTLY)


def _each(
    draft: Draft, room: FreeRoom, check: str, why: str, farthest: float = FARTHEST
) -> Iterator[Alternatives]:
    nodes = {node for node, _, its in draft.warnings if its == check}
    for label in lettering(draft).every:
        if label.text.node in nodes:
            yield nearest([(block(label, room.parts), why)], room, farthest=farthest)


def to_lines(draft: Draft, room: FreeRoom) -> Iterator[Alternatives]:
    """`label-far-from-line`: the text moves beside its line."""
    nodes = {node for node, _, its in draft.warnings if its == "label-far-from-line"}
    for label in lettering(draft).every:
        near = room.near(label)
        if label.text.node not in nodes or not near:
            continue
        far, line = near[0]

        def is_near(dx: float, dy: float, label: Label = label, line: Connector = line) -> bool:
            box = label.bounds(label.width)
            return distance((box[0] + dx, box[1] + dy, box[2] + dx, box[3] + dy), line) <= 0.8 * label.size

        why = f"it was {far * room.parts.px:.0f} px from its line"
        yield nearest([(block(label, room.parts), why)], room, is_near, 4.5)


def into_boxes(draft: Draft, room: FreeRoom) -> Iterator[Alternatives]:
    """`text-astray`: the text moves to the middle of its box, or as near to it as it can."""
    parts = room.parts
    for label, (box, how) in strays(draft).items():
        area, mine = box.area, TextBlock((label,))
        left, top, right, bottom = area.box
        middle = mine.box
        by = (left + right - middle[0] - middle[2]) / 2, (top + bottom - middle[1] - middle[3]) / 2
        reach = math.hypot(*by) + max(right - left, bottom - top)
        places = room.for_block(mine, reach, goal=area)
        inside = (
            (by[0] + x * STEP / parts.px, by[1] + y * STEP / parts.px)
            for x, y in spiral(math.ceil(min(right - left, bottom - top) * parts.px / 2))
        )
        verb = "lay across the edge of" if how.startswith("lies") else "was outside"
        yield (
            _move(mine, places, (dx, dy), f"it {verb} its box", parts)
            for dx, dy in chain((by,), inside)
            if places.is_free(dx, dy)
        )


def nearest(
    subjects: Sequence[tuple[TextBlock, str]],
    room: FreeRoom,
    wanted: Callable[[float, float], bool] = lambda dx, dy: True,
    farthest: float = FARTHEST,
) -> Alternatives:
    """The moves of one of several blocks to free places, the nearest first."""
    rows = [_moves(block, why, room, wanted, farthest, at) for at, (block, why) in enumerate(subjects)]
    for _, _, _, move in heapq.merge(*rows, key=lambda row: row[:3]):
        yield move


def _moves(
    block: TextBlock,
    why: str,
    room: FreeRoom,
    wanted: Callable[[float, float], bool],
    farthest: float,
    at: int,
) -> Iterator[tuple[float, int, int, Move]]:
    px = room.parts.px
    reach = max(farthest * block.em * px, LEAST)
    if len(block.labels) > FEW or not all(map(room.stands_out, block.labels)):
        return
    if any(map(room.is_in_a_gap, block.labels)):
        return
    places = room.for_block(block, reach / px, farthest == SLIGHTLY)
    for number, (x, y) in enumerate(spiral(math.ceil(reach / STEP))):
        dx, dy = x * STEP / px, y * STEP / px
        if wanted(dx, dy) and places.is_free(dx, dy):
            far = math.hypot(x, y) * STEP
            yield far, at, number, _move(block, places, (dx, dy), why, room.parts)


@lru_cache(maxsize=64)
def spiral(reach: int) -> tuple[tuple[int, int], ...]:
    """The places of a grid around its middle by distance, without the middle; up and sideways before down."""
    every = range(-reach, reach + 1)
    places = ((x, y) for x in every for y in every if 0 < x * x + y * y <= reach * reach)
    coarser = [at for at in places if not any(at[axis] % _step(at) for axis in (0, 1))]
    return tuple(sorted(coarser, key=lambda at: (at[0] ** 2 + at[1] ** 2, abs(at[0]), at[1], at[0])))


def _step(at: tuple[int, int]) -> int:
    """The distance between places: the farther away, the larger."""
    far = math.hypot(*at)
    return next(step for step, most in STEPS if far <= most)


def _move(block: TextBlock, places: BlockPlaces, by: Point, why: str, parts: Parts) -> Move:
    texts = {label.text.node: label.text for label in block.labels}
    changes = [Shift(text.node, text.ctm, by) for text in texts.values()]
    changes += [Shift(shape.node, shape.ctm, by) for shape in block.backing]
    words = short(block.labels[0])
    more = f" and {len(texts) - 1} more" if len(texts) > 1 else ""
    way = direction(by[0] * parts.px, by[1] * parts.px)
    line = " along its line" if _is_along(block, places, by) else ""
    return Move(
        tuple(changes),
        math.hypot(*by) * parts.px,
        f"moved the text '{words}'{more} {way}{line}: {why}",
        frozenset(texts) if places.is_free_to_leave else frozenset(),
        joins=places.goal is not None,
    )


def _is_along(block: TextBlock, places: BlockPlaces, by: Point) -> bool:
    """Whether a text moves along the only line that it belongs to."""
    lines = {line for label in block.labels for line in places.lines[label][0]}
    if len(lines) != 1:
        return False
    (line,) = lines
    (x0, y0), (x1, y1) = line.pieces[0].points[0], line.pieces[-1].points[-1]
    whole = math.hypot(x1 - x0, y1 - y0) * math.hypot(*by)
    return bool(whole) and abs((x1 - x0) * by[0] + (y1 - y0) * by[1]) >= ALONG * whole


def block(label: Label, parts: Parts, but: Label | None = None) -> TextBlock:
    """The texts that are read as one with a label, without `but`; and the areas that only back them."""
    mine = [label]
    owners = {each: box for box in parts.boxes for each in box.labels}
    for member in mine:  # grows
        for other in parts.labels:
            if other in mine or other is but or (but is not None and other.text is but.text):
                continue
            if other.text is member.text or (
                owners.get(member) is owners.get(other) and are_one(member, other)
            ):
                mine.append(other)
    box = around(each.bounds(each.width) for each in mine)
    inside = {other for other in parts.labels if gap(box, other.bounds(other.width)) <= 0}
    backing = (
        tuple(
            shape
            for shape in parts.scene.shapes
            if shape.order < label.text.order and _backs(shape, box, max(each.size for each in mine))
        )
        if inside <= {*mine, but}
        else ()
    )
    return TextBlock(tuple(mine), backing)


def are_one(label: Label, other: Label) -> bool:
    """Whether two texts are parts of one line, or neighbouring lines of one paragraph."""
    if label.along != other.along or abs(label.size / other.size - 1) > SAME_SIZE:
        return False
    em = max(label.size, other.size)
    along, up = label.frame((other.x, other.y))
    (start, end), (first, last) = label.span(label.width), other.span(other.width)
    first, last = first + along, last + along
    if abs(up) <= 0.15 * em:
        return -INTO * em <= max(first - end, start - last) <= WORD * em
    if not TOUCHING * em <= abs(up) <= LINE * em:
        return False
    return min(abs(first - start), abs(last - end), abs(first + last - start - end) / 2) <= ANCHORS * em


def _backs(shape: PaintedShape, box: Bounds, em: float) -> bool:
    """Whether a shape without an outline lies close around a text."""
    if not shape.fill or (shape.stroke and shape.stroke != shape.fill):
        return False
    left, top, right, bottom = bounds(shape)
    across, up = HUG[0] * em, HUG[1] * em
    return (
        left <= box[0] + 0.1 * em
        and right >= box[2] - 0.1 * em
        and top <= box[1] + 0.1 * em
        and bottom >= box[3] - 0.1 * em
        and (right - left) - (box[2] - box[0]) <= across
        and (bottom - top) - (box[3] - box[1]) <= 2 * up
    )
