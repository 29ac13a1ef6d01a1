"""Whether text and lines contrast with what lies behind them: WCAG 2.1, 1.4.3 and 1.4.11.

Text needs 4.5:1 on everything behind it; a line needs 3:1 against one of its two sides. The shadow of a text, which is
the same text below it, is exempt. So are lines without a meaning of their own: grids, spines, ticks and frames (upright
lines in grey), gaps (in the page's colour) and outlines of areas that stand out by themselves. In the light theme,
a failing pair is a warning. In the dark theme, the lightness of text and lines is changed until they pass; a warning
follows only if no lightness passes, or if the drawing keeps its colours.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import field
from functools import cached_property, lru_cache
from itertools import pairwise
from typing import TypeAlias

from figmill.late_dataclasses import dataclass
from figmill.palette import GRID, PAGE, ROLES, Role
from figmill.svg.checks.ratios import Sides, clear, nearest, own_ink, passes, ratio
from figmill.svg.checks.text_shadows import shadows
from figmill.svg.colour import (
    GREY,
    Tone,
    chroma,
    contrast,
    luminance,
    tone,
    with_alpha_of,
)
from figmill.svg.document import Draft, Element
from figmill.svg.geometry.backdrop import Ground, over
from figmill.svg.geometry.display_list import drawn, paints_of, scene
from figmill.svg.geometry.gradients import mixtures
from figmill.svg.geometry.outlines import Point, Ring
from figmill.svg.geometry.precision import ViewBox, view_box
from figmill.svg.geometry.scene import PaintedShape, Scene, rings
from figmill.svg.passes.ids import is_settled, sweep
from figmill.svg.passes.keeps import BESIDE, KEEP, MARK, kept_in_the_dark, marked
from figmill.svg.passes.page import page_colour
from figmill.svg.pictures.ink import is_ground
from figmill.svg.spec import Sheet
from figmill.svg.steps import SpentError, Steps

WORDS, LINES = 4.5, 3.0
# Contrast that the palette's own lines need on its own fills (nested boxes in two roles): they were chosen to match.
PALETTE_LINES = 2.3
# The darkest and the lightest page colour of dark sites.
DARK_PAGES = ("#121212", PAGE[1])
MAX_STEPS = 5_000_000  # takes a second or two
MOST_LOOKS = 1000  # failing pairs of ink and ground: more are data

Couples: TypeAlias = frozenset[tuple[str, str]]  # line and fill


@dataclass(slots=True)
class JudgedPaint:
    """A paint that must contrast with its background, wherever it appears."""

    node: Element
    name: str  # "fill" for text, "stroke" for a line
    ink: Tone
    demands: set[Sides] = field(default_factory=set)  # each demand must be met
    words: str = ""

    @property
    def least(self) -> float:
        return WORDS if self.name == "fill" else LINES


def check_contrast(draft: Draft, sheet: Sheet) -> None:
    """Warn of all text and meaningful lines without enough contrast; in the dark theme, try to repair them first."""
    if "contrast" not in sheet.checks:
        return
    page = tone(page_colour(sheet) or PAGE[0])
    pages = DARK_PAGES if sheet.theme == "dark" else (page[0] if page else PAGE[0],)
    may_move = sheet.theme == "dark" and not is_settled(draft.root, sheet)
    replaced: list[str] = []
    kept = kept_in_the_dark(draft) if sheet.theme == "dark" else marked(draft)
    # a drawing that keeps all its colours is checked but not repaired
    is_whole = draft.root.attrib.get(MARK) == KEEP
    may_move = may_move and not is_whole
    for mark in failing(draft, pages, couples(sheet.palette)):
        if mark.node in draft.reported:
            continue
        if (mark.node in kept.whole and not is_whole) or (mark.name == "stroke" and mark.node in kept.quiet):
            continue  # data keep their colours; a grid need not contrast with the page
        demands = frozenset(mark.demands)
        if sheet.theme == "dark" and any(mark.ink[0] in sides for sides in demands):
            continue  # invisible in the light theme too, where a warning was given
        better = (own_ink(mark.ink, demands, mark.least) if may_move else None) or nearest(
            mark.ink, demands, mark.least
        )
        if may_move and better is not None:
            replaced.append(mark.node.attrib.get(mark.name, ""))
            _write(mark, better)
        elif mark.ink[0] not in (sheet.unjudged_lines if mark.name == "stroke" else sheet.unjudged):
            is_changed = may_move and sheet.colours != "keep"
            draft.warn("contrast", mark.node, _message(mark, demands, better, sheet.theme, is_changed))
    if any("url(" in value for value in replaced):
        sweep(draft, sheet)  # removes gradients of one colour, which are now written where they were used


def _write(mark: JudgedPaint, colour: str) -> None:
    """Give the mark its colour at its old opacity; the dots of a hatch take the colour of its lines as fill."""
    old = mark.node.attrib.get(mark.name, "")
    both = (
        ("fill", "stroke") if mark.node.attrib.get("fill") == old and mark.name == "stroke" else (mark.name,)
    )
    for name in both:
        mark.node.attrib[name] = with_alpha_of(old, colour)


def _message(
    mark: JudgedPaint, demands: frozenset[Sides], better: str | None, theme: str, is_changed: bool
) -> str:
    """The finding. is_changed: the theme has changed the colours of areas, and the author may keep them."""
    best = (max((ratio(mark.ink, side), side) for side in sides) for sides in demands)
    ratio_, behind = min(best)
    what = f"the text '{mark.words[:30].strip()}' in" if mark.name == "fill" else "a line in"
    alpha = "" if mark.ink[1] >= 1 else f" at {mark.ink[1]:.2g} opacity"
    hint = f"the nearest colour that passes is {better}" if better else "no lightness of it passes"
    message = f"{what} {mark.ink[0]}{alpha} on {behind}: contrast {ratio_:.2f}:1, {mark.least:g}:1 is needed; {hint}"
    advice = "; `colours: keep` in the question keeps the colours of areas" if is_changed else ""
    return message if theme == "light" else f"{theme} theme: {message}{advice}"


@lru_cache(maxsize=64)
def couples(palette: tuple[Role, ...]) -> Couples:
    """Each line of the palette, paired with each fill that may lie under it, in the light theme."""
    lines, fills = ({getattr(role, name).lower() for role in (*ROLES, *palette)} for name in ("line", "fill"))
    return frozenset((line, fill) for line in lines for fill in fills)


def failing(draft: Draft, pages: tuple[str, ...], couples: Couples) -> Iterator[JudgedPaint]:
    """The text and lines of a drawing that lack contrast on one of these pages."""
    root = draft.root
    view = view_box(root)
    if view is None:
        return
    ids = drawn(draft).ids
    steps = Steps(MAX_STEPS)
    searches = [Search(drawn(draft), view, pages, couples, steps)]
    with suppress(SpentError):  # keep the marks found so far
        searches[0].look_at_words()
        searches[0].look_at_lines()
        for node in ids.values():
            if node.tag == "pattern":
                searches.append(Search(scene(node, ids, paints_of(root)), view, pages, couples, steps))
                searches[-1].look_at_lines(is_hatch=True)
    looks: set[object] = set()
    for mark in (mark for search in searches for mark in search.marks.values()):
        demands = frozenset(mark.demands)
        if not passes(mark.ink, demands, mark.least):
            looks.add((mark.ink, demands))
            if len(looks) > MOST_LOOKS:
                return
            yield mark


class Search:
    """Searches one drawing for marks that may fail. Looks at positions only if the colours alone do not decide."""

    def __init__(
        self, scene: Scene, view: ViewBox, pages: tuple[str, ...], couples: Couples, steps: Steps
    ) -> None:
        self.scene, self.view, self.pages, self.couples, self.steps = scene, view, pages, couples, steps
        self._fills: dict[str, float] | None = None
        areas = scene.shapes
        pictures = [picture for picture in scene.pictures if is_ground(picture.node.attrib.get("href", ""))]
        if pictures:
            areas = sorted([*areas, *pictures], key=lambda shape: shape.order)
        self.ground = Ground(areas, view, steps, scene.ids)
        self.marks: dict[tuple[Element, str], JudgedPaint] = {}
        self._risks: dict[tuple[str, float], Ground | None] = {}
        self._grounds: dict[frozenset[str], Ground] = {}

    @property
    def fills(self) -> dict[str, float]:
        """The luminance of each fill, computed on first use."""
        if self._fills is None:
            colours = {colour for shape in self.scene.shapes for colour in _shown(shape)}
            self._fills = {fill: luminance(fill) for fill in colours}
        return self._fills

    def risk(self, ink: Tone, least: float) -> Ground | None:
        """The areas that may lack contrast with this ink, or None if there are none."""
        if (ink[0], least) not in self._risks:
            below, above = clear(ink[0], self.pages, least)
            fills = frozenset(fill for fill, light in self.fills.items() if below < light < above)
            is_clear = not fills and not any(below < luminance(page) < above for page in self.pages)
            self._risks[ink[0], least] = None if is_clear else self._areas(fills)
        return self._risks[ink[0], least] if ink[1] >= 1 else self.ground

    def _areas(self, fills: frozenset[str]) -> Ground:
        """The areas that have one of these fills."""
        if fills not in self._grounds:
            areas = [shape for shape in self.scene.shapes if any(c in fills for c in _shown(shape))]
            self._grounds[fills] = Ground(areas, self.view, self.steps, self.scene.ids)
        return self._grounds[fills]

    def look_at_words(self) -> None:
        for text in self.scene.texts:
            if all(self.risk(ink, WORDS) is None for ink, _ in text.inks.values()):
                continue
            for part, content, places, corners in text.looks():
                ink, node = text.inks[part]
                if self._is_clear(ink, WORDS, places, text.order, all):
                    continue
                if text.order in self._shadows:
                    break
                mark = self.marks.setdefault((node, "fill"), JudgedPaint(node, "fill", ink, words=content))
                for page in self.pages:
                    behind = (
                        self.ground.behind(place, text.order, page, corners=corners) for place in places
                    )
                    mark.demands |= {frozenset((colour,)) for colours in behind for colour in colours}

    @cached_property
    def _shadows(self) -> frozenset[int]:
        return shadows(self.scene.texts)

    def look_at_lines(self, is_hatch: bool = False) -> None:
        for shape in self.scene.shapes:
            if len(shape.stroke) != 1 or self._is_fine(shape, is_hatch) or self._is_edge(shape):
                continue
            ink, node = shape.stroke[0], shape.writers[1]
            mark = self.marks.setdefault((node, "stroke"), JudgedPaint(node, "stroke", ink))
            mark.demands |= {
                sides
                for sides in _sides(shape, self.ground, self.pages)
                if not any(self._suit(ink, side) for side in sides)
            }

    def _is_clear(
        self, ink: Tone, least: float, places: list[Point], order: int, of: Callable[[Iterable[bool]], bool]
    ) -> bool:
        """Whether the points (all or any: `of`) are clear of the areas that may lack contrast with the ink."""
        risk = self.risk(ink, least)
        if risk is None:
            return True
        if ink[1] < 1 or ratio(ink, self.pages[0]) < least or ratio(ink, self.pages[-1]) < least:
            return False
        return of(not risk.touches(place, order) for place in places)

    def _suit(self, ink: Tone, side: str) -> bool:
        """Whether the palette allows this ink on this fill."""
        return (ink[0], side) in self.couples and ratio(ink, side) >= PALETTE_LINES

    def _is_fine(self, shape: PaintedShape, is_hatch: bool) -> bool:
        """Whether a line passes or is exempt. In a hatch no line is exempt, because a hatch distinguishes areas."""
        ink = shape.stroke[0]
        if self.risk(ink, LINES) is None:
            return True
        if len(shape.fill) == 1 and shape.fill[0][1] >= 1:
            own = shape.fill[0][0]
            if ratio(ink, own) >= LINES or self._suit(ink, own):
                return True
        if not is_hatch and (ink[0] in GRID or ink[0] in self.pages or shape.fill == shape.stroke):
            return True
        polygons = rings(shape)
        if self._is_clear(ink, LINES, _samples(polygons), shape.order, any):
            return True
        return not is_hatch and chroma(ink[0]) < GREY and _is_upright(polygons)

    def _is_edge(self, shape: PaintedShape) -> bool:
        """Whether a line is the edge of an area in its own colour: pandas draws both, and only the area is visible."""
        ink = shape.stroke[0][0]
        if ink not in self.fills:
            return False
        pairs = [
            [ink in self.ground.behind(place, shape.order, self.pages[0]) for place in pair]
            for pair in _beside(rings(shape))
        ]
        return bool(pairs) and all(colour != other for colour, other in pairs)


def _shown(shape: PaintedShape) -> tuple[str, ...]:
    """The colours of an area, including the mixtures between the stops of a gradient."""
    return tuple([c for c, _ in shape.fill]) if shape.server is None else mixtures(shape.fill)


def _is_upright(polygons: list[Ring]) -> bool:
    """Whether the outline is horizontal and vertical lines, apart from rounded corners."""
    whole = slanted = 0.0
    for ring in polygons:
        for (x0, y0), (x1, y1) in pairwise(ring):
            dx, dy = abs(x0 - x1), abs(y0 - y1)
            whole += dx + dy
            slanted += min(dx, dy)
    return slanted <= 0.1 * whole


def _sides(shape: PaintedShape, ground: Ground, pages: tuple[str, ...]) -> Iterator[Sides]:
    """For each page, the colours beside a line: its own fill, and what lies behind three of its points."""
    for page in pages:
        ink = shape.stroke[0][0]
        behind = frozenset(
            c for p in _samples(rings(shape)) for c in ground.behind(p, shape.order, page, ink)
        )
        own = frozenset(over(tone, back) for tone in shape.fill for back in behind)
        apart = any(contrast(colour, back) >= LINES for colour in own for back in behind)
        if behind and not apart:  # otherwise the area stands out by itself, and may have any outline
            yield own | behind


def _samples(polygons: list[Ring]) -> list[Point]:
    """The midpoints of three sides."""
    return [((x0 + x1) / 2, (y0 + y1) / 2) for (x0, y0), (x1, y1) in _chosen(polygons)]


def _beside(polygons: list[Ring]) -> Iterator[tuple[Point, Point]]:
    """A point on each side of each sample."""
    for (x0, y0), (x1, y1) in _chosen(polygons):
        length = math.hypot(x1 - x0, y1 - y0) or 1.0
        x, y, dx, dy = (x0 + x1) / 2, (y0 + y1) / 2, (y1 - y0) / length * BESIDE, (x0 - x1) / length * BESIDE
        yield (x + dx, y + dy), (x - dx, y - dy)


def _chosen(polygons: list[Ring]) -> list[tuple[Point, Point]]:
    """Three sides: of the first, middle and last polygon, or spread over the only one."""
    sides = [list(pairwise(ring)) for ring in polygons if len(ring) > 1]
    if not sides:
        return []
    if len(sides) == 1:
        return [sides[0][len(sides[0]) * sixth // 6] for sixth in (1, 3, 5)]
    return [some[len(some) // 2] for some in (sides[0], sides[len(sides) // 2], sides[-1])]
