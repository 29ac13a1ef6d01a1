"""Finds ink that is invisible because it has the colour of the light page, as in a drawing made for dark slides.

White counts only directly on the page. Deliberate white is not reported: gaps between areas, hollow shapes with an
outline, halos under a line, paper behind everything, grids.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import field
from itertools import pairwise
from math import fsum

from figmill.late_dataclasses import dataclass
from figmill.palette import PAGE
from figmill.svg.checks.ratios import ratio
from figmill.svg.colour import Tone, tone
from figmill.svg.document import Draft, Element
from figmill.svg.geometry.backdrop import Ground
from figmill.svg.geometry.display_list import drawn
from figmill.svg.geometry.outlines import Point
from figmill.svg.geometry.precision import ViewBox, view_box
from figmill.svg.geometry.scene import Paint, PaintedShape, PaintedText, Scene, bounds, rings
from figmill.svg.passes.keeps import MARK, marked
from figmill.svg.passes.page import page_colour
from figmill.svg.spec import Sheet
from figmill.svg.steps import SpentError, Steps

LEAST = 1.1  # contrast below which a line is invisible: white on near-white
FAMILY = 3  # parallel lines of equal length
SAMPLES = 8  # points along an outline
MAX_STEPS = 1_000_000
SHARE = 0.25  # share of the length of all lines: fewer white lines are the edges of something else
FORM = frozenset(
    ["d", "points", "x", "y", "width", "height", "x1", "y1", "x2", "y2", "cx", "cy", "r", "rx", "ry"]
)
ADVICE = "if it is made for a dark page, begin the drawing with that page: a <rect> over the whole view"


@dataclass(slots=True)
class Unseen:
    """Shapes and text in the page's colour on the page, and how much of the drawing is visible."""

    lines: list[PaintedShape] = field(default_factory=list)
    areas: list[PaintedShape] = field(default_factory=list)
    words: list[tuple[Element, str]] = field(default_factory=list)
    seen: int = 0
    drawn: float = 0.0  # total length of the visible lines

    @property
    def is_worth_a_warning(self) -> bool:
        """Whether nothing else is visible, or text or many of the lines are lost."""
        if not self.seen:
            return bool(self.lines or self.areas or self.words)
        lost = fsum(map(_extent, self.lines))
        return bool(self.words) or lost > SHARE * (lost + self.drawn)


def check_unseen(draft: Draft, sheet: Sheet) -> None:
    """Warn in one line if nothing of a figure is visible, or if its text or lines are white on white."""
    invisible = unseen(draft, sheet)
    if invisible is None or not invisible.is_worth_a_warning:
        return
    parts = [_counted(len(invisible.lines), "line"), _counted(len(invisible.words), "text")]
    if invisible.words:
        parts[1] += f" ('{invisible.words[0][1].strip()[:30]}')"
    if not invisible.lines and not invisible.words:
        parts.append(_counted(len(invisible.areas), "area"))
    what = " and ".join(part for part in parts if part[0] != "0")
    alone = "" if invisible.seen else ", and there is nothing else"
    first = next((shape.node for shape in (*invisible.lines, *invisible.areas)), None)
    node = invisible.words[0][0] if first is None else first
    draft.warn("invisible", node, f"nobody sees {what} in the colour of the page{alone}; {ADVICE}")
    draft.reported |= {content for content, _ in invisible.words}


def unseen(draft: Draft, sheet: Sheet) -> Unseen | None:
    """The invisible parts of a light figure; None if the check is off or would take too many steps."""
    view = view_box(draft.root)
    page = tone(page_colour(sheet) or PAGE[0])
    if view is None or page is None or sheet.theme != "light" or "invisible" not in sheet.checks:
        return None
    invisible, scene = Unseen(), drawn(draft)
    on_purpose = _on_purpose(draft)
    shapes = [shape for shape in scene.shapes if on_purpose.isdisjoint((shape.node, *shape.writers))]
    pale_shapes = [shape for shape in shapes if _is_pale_shape(shape, page[0])]
    pale = {shape.order for shape in pale_shapes}
    pale_words = [text for text in scene.texts if _has_pale_ink(text, page[0])]
    invisible.seen = len(scene.shapes) - len(pale) + len(scene.texts) - len(pale_words) + len(scene.pictures)
    if not pale_words and invisible.seen and not any(shape.stroke for shape in pale_shapes):
        return invisible
    invisible.drawn = fsum(_extent(shape) for shape in shapes if shape.stroke and shape.order not in pale)
    layers = sorted([*scene.shapes, *scene.pictures], key=lambda shape: shape.order)
    ground = Ground(layers, view, Steps(MAX_STEPS), scene.ids)
    with suppress(SpentError):
        _look(invisible, scene, pale_shapes, pale_words, ground, page[0], view)
        if invisible.seen:
            invisible.lines = list(_without_grids(invisible.lines))
        return invisible
    return None


def _on_purpose(draft: Draft) -> set[Element]:
    """Grids, and the cells of a colour scale, where white is the lowest value, and the lines between them."""
    kept = marked(draft)
    return kept.quiet if MARK in draft.root.attrib else kept.quiet | kept.whole | kept.fills


def _look(
    invisible: Unseen,
    scene: Scene,
    shapes: list[PaintedShape],
    texts: list[PaintedText],
    ground: Ground,
    page: str,
    view: ViewBox,
) -> None:
    over_it = {_form(shape): shape.order for shape in scene.shapes}  # the last shape of each form
    for shape in shapes:
        if _is_aside(shape, view) or over_it[_form(shape)] > shape.order:
            continue
        if _is_lost(shape.stroke or shape.fill, _along(shape), shape.order, ground, page):
            (invisible.lines if shape.stroke else invisible.areas).append(shape)
        else:
            invisible.seen += 1
            invisible.drawn += _extent(shape)
    under = _effected(scene)
    for number, text in enumerate(texts):
        for node, content, places in text.runs():
            ink = (text.inks[node][0],)
            is_outlined = node in text.outlined or number in under
            if not is_outlined and _is_lost(ink, places, text.order, ground, page):
                invisible.words.append((text.inks[node][1], content))
            else:
                invisible.seen += 1


def _effected(scene: Scene) -> set[int]:
    """The indices of texts under a filter, which may give them a shadow."""
    filtered = [effect.texts for effect in scene.effects if "filter" in effect.node.attrib]
    return {number for first, last in filtered for number in range(first, last)}


def _is_pale_shape(shape: PaintedShape, page: str) -> bool:
    """Whether a shape has only the page's colour; the fill of a straight line does not count."""
    if not _is_pale(shape.stroke, page):
        return False
    return _is_pale(shape.fill, page) or (
        bool(shape.stroke) and not any(len(ring) > 2 for ring in rings(shape))
    )


def _is_pale(tones: Paint, page: str) -> bool:
    return all(ratio(ink, page) < LEAST for ink in tones)


def _has_pale_ink(text: PaintedText, page: str) -> bool:
    return any(_is_pale((ink,), page) for ink, _ in text.inks.values())


def _is_lost(tones: Iterable[Tone], places: list[Point], order: int, ground: Ground, page: str) -> bool:
    """Whether no colour contrasts with its backdrop, at any of the points."""
    inks = list(tones)
    for place in places:
        behind = ground.behind(place, order, page)
        if not behind or any(ratio(ink, colour) >= LEAST for colour in behind for ink in inks):
            return False
    return bool(places)


def _along(shape: PaintedShape) -> list[Point]:
    """The midpoints of some sides."""
    sides = [side for ring in rings(shape) for side in pairwise(ring)]
    some = sides[:: 1 + len(sides) // SAMPLES]
    return [((x0 + x1) / 2, (y0 + y1) / 2) for (x0, y0), (x1, y1) in some]


def _form(shape: PaintedShape) -> tuple[object, ...]:
    """A key that is equal for two shapes exactly on top of each other."""
    named: Iterator[tuple[str, str]] = (item for item in shape.node.attrib.items() if item[0] in FORM)
    return shape.node.tag, shape.ctm, tuple(sorted(named))


def _without_grids(lines: list[PaintedShape]) -> Iterator[PaintedShape]:
    """The lines without grids: a grid is three or more horizontal or vertical lines of equal length."""
    sizes = {line: _upright(line) for line in lines}
    many = Counter(sizes.values())
    return (line for line, size in sizes.items() if size is None or many[size] < FAMILY)


def _upright(line: PaintedShape) -> tuple[float, float] | None:
    left, top, right, bottom = bounds(line)
    width, height = round(right - left, 1), round(bottom - top, 1)
    return None if width and height else (width, height)


def _extent(shape: PaintedShape) -> float:
    left, top, right, bottom = bounds(shape)
    return right - left + bottom - top


def _is_aside(shape: PaintedShape, view: ViewBox) -> bool:
    """Whether a shape is outside the view, or is paper: an area over all of it."""
    left, top, right, bottom = bounds(shape)
    x, y, width, height = view
    if left >= x + width or top >= y + height or right <= x or bottom <= y:
        return True
    return right - left >= 0.98 * width and bottom - top >= 0.98 * height


def _counted(count: int, noun: str) -> str:
    return f"{count} {noun}{'' if count == 1 else 's'}"
