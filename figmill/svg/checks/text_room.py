"""Text that nearly touches a line or another text, so that the eye takes them for one.

A line through the letters is `line-through-text`, and a text over another one `text-overlap`. Not counted: underlines,
lines that end at a text, lines that an area hides, the lines of one paragraph, and drawings that connect nothing, such
as charts and tables.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import suppress
from itertools import pairwise

from figmill.svg.checks.line_through_text import FAINT, has_halo, short
from figmill.svg.checks.ratios import ratio
from figmill.svg.document import Element
from figmill.svg.geometry.backdrop import Ground
from figmill.svg.geometry.labels import LEVEL, Label, is_twice
from figmill.svg.geometry.outlines import Bounds, Point
from figmill.svg.geometry.parts import Parts, gap
from figmill.svg.geometry.rectangles import has
from figmill.svg.geometry.stripes import Stripes
from figmill.svg.geometry.strokes import Stroke, clipped, strokes
from figmill.svg.steps import SpentError, Steps

CLEAR = 2.0  # px between the ink of a text and a line
APART = 1.0  # px between two texts
LEAST = 0.5  # em of a line beside a text
INSIDE = 0.1  # em: a line this far in the letters runs through them
BAND = 0.7  # em: a broader line is an area
MOST, MOST_SHAPES = 1500, 20_000  # labels, shapes: a drawing with more is data
MAX_STEPS = 1_000_000
ANCHORS = 0.5  # em between the starts, middles or ends of two lines of a paragraph


def close_lines(parts: Parts) -> Iterator[tuple[Element, str]]:
    """The part of `clearance` about lines beside a text."""
    if not parts.joining:
        return
    for label, far, cure in beside_lines(parts, CLEAR, 2.0):
        yield label.text.node, f"the text '{short(label)}' is {far:.0f} px from a line; {cure}"


def beside_lines(parts: Parts, least: float, more: float = 0.0) -> Iterator[tuple[Label, float, str]]:
    """Each text that is less than so many px from a line: the distance, and where to move it to be `more` px clear."""
    if len(parts.labels) > MOST or len(parts.scene.shapes) > MOST_SHAPES:
        return
    room = least / parts.px
    boxes = Stripes([_grown(label, room) for label in parts.labels], lambda box: box, parts.view)
    near = Stripes(strokes(parts.scene.shapes, boxes), lambda stroke: stroke.box, parts.view)
    layers = sorted([*parts.scene.shapes, *parts.scene.pictures], key=lambda shape: shape.order)
    ground = Ground(layers, parts.view, Steps(MAX_STEPS), parts.scene.ids)
    with suppress(SpentError):
        for label in parts.labels:
            nearest = min(_beside(label, near, ground, parts, room), default=None)
            if nearest is not None and nearest[0] < least:
                far, _, way = nearest
                yield label, far, f"move it {math.ceil(10 * (least + more - far)) / 10:g} px {way}"


def _grown(label: Label, room: float) -> Bounds:
    left, top, right, bottom = label.bounds(label.width)
    return left - 2 * room, top - 2 * room, right + 2 * room, bottom + 2 * room


def _beside(
    label: Label, near: Stripes[Stroke], ground: Ground, parts: Parts, clear: float
) -> Iterator[tuple[float, int, str]]:
    """The lines so close to a text: the distance of each in px, its place in paint order, and the way from it."""
    if has_halo(label):
        return
    em = label.size
    start, end = label.span(label.width)
    inset = INSIDE * em
    core = start + inset, label.bottom + inset, end - inset, label.top - inset
    for stroke in near.meeting(_grown(label, clear)):
        shape, half = stroke.shape, stroke.width / 2
        room = clear + half
        if stroke.width >= BAND * em or shape.rough or not _is_dark(stroke, parts.page):
            continue
        framed = [label.frame(point) for point in stroke.points]
        if _is_own(framed, label) or any(clipped(pair, core) is not None for pair in pairwise(framed)):
            continue
        wide = start - room, label.bottom - room, end + room, label.top + room
        pieces = [part for pair in pairwise(framed) if (part := clipped(pair, wide)) is not None]
        if sum(_long(part) for part in pieces) < LEAST * em:
            continue
        if not stroke.is_closed and any(has(wide, point) for point in (framed[0], framed[-1])):
            continue  # it ends at the text
        ink = start, label.bottom, end, label.top
        longest = max(pieces, key=_long)
        middle = (longest[0][0] + longest[1][0]) / 2, (longest[0][1] + longest[1][1]) / 2
        place = label.at(*middle)
        if shape.clip is not None and not has(shape.clip, place):
            continue
        top = ground.top(place, 1 << 60)
        if top is not None and top is not shape and top.order > shape.order:
            continue
        closest = min(pieces, key=lambda part: _distance(ink, part))
        far = max(0.0, _distance(ink, closest) - half) * parts.px
        yield far, shape.order, _away(closest, ink) if label.along == LEVEL else "away"


def _away(part: tuple[Point, Point], ink: Bounds) -> str:
    """The way from a line to a level text; up is positive in its frame."""
    (x0, y0), (x1, y1) = part
    x, y = (x0 + x1) / 2, (y0 + y1) / 2
    if x < ink[0] or x > ink[2]:
        return "right" if x < ink[0] else "left"
    return "up" if y < (ink[1] + ink[3]) / 2 else "down"


def _is_dark(stroke: Stroke, page: str) -> bool:
    return all(ratio(tone, page) >= FAINT for tone in stroke.shape.stroke[:1])


def _is_own(framed: list[Point], label: Label) -> bool:
    """Whether a line belongs to a text: it is about as long, as an underline or a frame is."""
    along = [x for x, _ in framed]
    up = [y for _, y in framed]
    em = label.size
    start, end = label.span(label.width)
    return start - em <= min(along) and max(along) <= end + em and -em <= min(up) and max(up) <= 1.6 * em


def _long(part: tuple[Point, Point]) -> float:
    (x0, y0), (x1, y1) = part
    return float(((x1 - x0) ** 2 + (y1 - y0) ** 2) ** 0.5)


def _distance(box: Bounds, part: tuple[Point, Point]) -> float:
    """The distance of a straight line from a rectangle that it does not cross, by its ends and middle."""
    (x0, y0), (x1, y1) = part
    points = ((x0, y0), ((x0 + x1) / 2, (y0 + y1) / 2), (x1, y1))
    return min(gap(box, (x, y, x, y)) for x, y in points)


def close_texts(parts: Parts) -> Iterator[tuple[Element, str]]:
    """The part of `clearance` about texts beside each other on different heights."""
    if not parts.joining or len(parts.labels) > MOST:
        return
    room = APART / parts.px
    level = [label for label in parts.labels if label.along == LEVEL]
    index = Stripes(level, lambda label: label.bounds(label.width), parts.view)
    number = {label: at for at, label in enumerate(level)}
    for label in level:
        left, top, right, bottom = box = label.bounds(label.width)
        for other in index.meeting((left - room, top - room, right + room, bottom + room)):
            if number[other] <= number[label] or other.text is label.text or is_twice(label, other):
                continue
            far = gap(box, other.bounds(other.width))
            if 0 < far < room and not _are_lines(label, other):
                way = "down" if other.y >= label.y else "up"
                by = math.ceil(10 * (2 * APART - far * parts.px)) / 10
                yield (
                    other.text.node,
                    f"the texts '{short(label)}' and '{short(other)}' nearly touch; "
                    f"move '{short(other)}' {by:g} px {way}",
                )


def _are_lines(label: Label, other: Label) -> bool:
    """Whether two texts are set as one: on one baseline, or as lines of a paragraph."""
    em = max(label.size, other.size)
    if abs(label.y - other.y) <= 0.15 * em:
        return True
    edges = [(text.x - text.share * text.width, text.width) for text in (label, other)]
    (left, width), (other_left, other_width) = edges
    starts, ends = left - other_left, left + width - other_left - other_width
    return min(abs(starts), abs(ends), abs(starts + ends) / 2) <= ANCHORS * em
