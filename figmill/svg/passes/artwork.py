"""Artwork, such as a logo, a badge or an emoji, keeps its colours in the dark theme, or it would look like a negative.

A drawing is artwork if nearly all that it paints are areas without an outline, a good part of these have a strong
colour or a gradient, and light and dark would be swapped somewhere. With text or many lines on the bare page, it is a
chart or a diagram, which changes with the theme.

Dark areas on the bare page still change if nothing lies on them: the letters beside a logo would otherwise be
invisible. A penguin's black body stays, because its belly lies on it.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import field
from itertools import pairwise

from figmill.late_dataclasses import dataclass
from figmill.palette import PAGE
from figmill.svg.colour import GREY, chroma, contrast, lightness
from figmill.svg.document import Draft
from figmill.svg.geometry.backdrop import Ground
from figmill.svg.geometry.display_list import drawn
from figmill.svg.geometry.outlines import Point
from figmill.svg.geometry.precision import ViewBox, view_box
from figmill.svg.geometry.scene import PaintedShape, Scene, bounds, rings
from figmill.svg.passes.ids import is_settled
from figmill.svg.passes.keeps import mark, marked
from figmill.svg.passes.page import PALE
from figmill.svg.passes.themes import TINT, counterparts, places
from figmill.svg.spec import Sheet
from figmill.svg.steps import SpentError, Steps

STRONG = 0.1  # OKLCH chroma of a strong colour
# Shares of the painted area, with and without text: strong colours and gradients; areas without an outline.
COLOURED, UNLINED = {True: 0.25, False: 0.05}, {True: 0.9, False: 0.7}
# A change in lightness (OKLCH) that swaps light and dark, and the share of the painted area that makes a negative.
SWAPPED, NEGATIVE = 0.25, 0.02
LINES = 0.25  # share of the number of areas: more lines on the bare page are those of a chart
CARD = 0.5  # share of the view: a pale box of this size with something on it is paper
CORNER = 0.08  # share of its sides: how far the outline of a box may be from its bounds
SEEN, GREY_SEEN = 3.0, 4.5  # contrast with the dark page below which an area is dark; below which grey is
SIDE = 32  # sampled points along each side of the view
LEAST = 16  # painted ones of these: less is a speck
SAMPLES = 12  # corners and sides of a shape
INWARD = 0.02  # how far sampled corners are moved towards the middle, off the edges that shapes share
BESIDE = 0.005  # share of the view: how far from a side its neighbour is sampled
TOUCHING = 0.1  # of the sampled sides: more neighbours make an area a part of something larger
TOPMOST = 1 << 60  # beyond any order of painting
MAX_STEPS = 2_000_000
MESSAGE = (
    "keeps its colours in the dark theme: most of it is areas in strong colours or gradients, without outlines, as in "
    "a logo; `colours: keep` in the question confirms that, `colours: theme` changes them"
)


@dataclass(slots=True)
class Layers:
    """What lies on what, by order of painting.

    - bare: shapes on the page.
    - carrying: areas with something on them.
    """

    bare: set[int] = field(default_factory=set)
    carrying: set[int] = field(default_factory=set)
    has_bare_words: bool = False


def keep_artwork(draft: Draft, sheet: Sheet) -> None:
    """Mark what keeps its colours in artwork, and warn of it. Other drawings are not changed."""
    view = view_box(draft.root)
    if sheet.theme != "dark" or sheet.colours != "auto" or view is None or is_settled(draft.root, sheet):
        return
    if marked(draft) or draft.own:  # its author has decided
        return
    scene, palette = drawn(draft), frozenset(counterparts(sheet.palette))
    if scene.pictures or not any(_is_coloured(shape, palette) for shape in scene.shapes):
        return
    with suppress(SpentError):  # beyond the limit, it changes like any drawing
        steps = Steps(MAX_STEPS)
        areas = [shape for shape in scene.shapes if _is_area(shape)]
        ground = Ground(areas, view, steps)
        layers = _layers(scene, ground)
        if cards := {shape.order for shape in areas if _is_card(shape, layers, view)}:
            areas = [shape for shape in areas if shape.order not in cards]
            ground = Ground(areas, view, steps)
            layers = _layers(scene, ground)
        if layers.has_bare_words or not _is_colourful(ground, view, sheet, bool(scene.texts)):
            return
        kept = [shape for shape in areas if not _is_ink(shape, layers, ground, view)]
        lines = [shape for shape in scene.shapes if shape.order in layers.bare and not _is_area(shape)]
        if len(lines) > LINES * len(kept):
            return
        nodes = {shape.node for shape in kept}
        mark(draft, [draft.root] if nodes == {shape.node for shape in scene.shapes} else nodes)
        draft.warn("artwork", None, MESSAGE)


def _layers(scene: Scene, ground: Ground) -> Layers:
    layers = Layers()
    for shape in scene.shapes:
        below = [ground.top(point, shape.order) for point in _inside(shape)]
        layers.carrying.update(area.order for area in below if area is not None)
        if not any(below):
            layers.bare.add(shape.order)
    for text in scene.texts:
        for _, _, points in text.runs():
            below = [ground.top(point, text.order) for point in points]
            layers.carrying.update(area.order for area in below if area is not None)
            layers.has_bare_words |= not any(below)
    return layers


def _is_area(shape: PaintedShape) -> bool:
    return bool(shape.fill) and any(len(ring) > 2 for ring in rings(shape))


def _inside(shape: PaintedShape) -> list[Point]:
    """Some corners of a shape, moved a little towards its middle."""
    corners = [corner for ring in rings(shape) for corner in ring]
    left, top, right, bottom = bounds(shape)
    x, y = (left + right) / 2, (top + bottom) / 2
    return [(u + INWARD * (x - u), v + INWARD * (y - v)) for u, v in corners[:: 1 + len(corners) // SAMPLES]]


def _is_card(shape: PaintedShape, layers: Layers, view: ViewBox) -> bool:
    """Whether an area is paper: a large pale box on the page, with something on it."""
    left, top, right, bottom = bounds(shape)
    width, height = right - left, bottom - top
    return (
        {shape.order} <= layers.bare & layers.carrying
        and width * height >= CARD * view[2] * view[3]
        and all(lightness(colour) > PALE and chroma(colour) < TINT for colour, _ in shape.fill)
        and all(
            min(x - left, right - x) <= CORNER * width or min(y - top, bottom - y) <= CORNER * height
            for ring in rings(shape)
            for x, y in ring
        )
    )


def _is_colourful(ground: Ground, view: ViewBox, sheet: Sheet, has_words: bool) -> bool:
    """Whether nearly all of the painted area has no outline, enough has strong colours, and some would be swapped."""
    left, top, width, height = view
    at = [(number + 0.5) / SIDE for number in range(SIDE)]
    tops = [ground.top((left + x * width, top + y * height), TOPMOST) for x in at for y in at]
    painted = [shape for shape in tops if shape is not None]
    palette = frozenset(counterparts(sheet.palette))
    coloured = sum(_is_coloured(shape, palette) for shape in painted)
    unlined = sum(not _is_outlined(shape) for shape in painted)
    table = places(frozenset(colour for shape in painted for colour, _ in shape.fill), sheet.palette)
    swapped = sum(_is_swapped(shape, table) for shape in painted)
    return (
        len(painted) >= LEAST
        and swapped >= NEGATIVE * len(painted)
        and coloured >= COLOURED[has_words] * len(painted)
        and unlined >= UNLINED[has_words] * len(painted)
    )


def _is_outlined(shape: PaintedShape) -> bool:
    return bool(shape.stroke) and shape.stroke != shape.fill


def _is_coloured(shape: PaintedShape, palette: frozenset[str]) -> bool:
    """Whether an area without an outline has a gradient, or a strong colour that is not in the palette."""
    if not shape.fill or _is_outlined(shape):
        return False
    colours = {colour for colour, _ in shape.fill}
    own = [colour for colour in colours if colour not in palette]
    return any(len(colours) > 1 or chroma(colour) >= STRONG for colour in own)


def _is_swapped(shape: PaintedShape, table: Mapping[str, str]) -> bool:
    """Whether an area would change from light to dark, or from dark to light. table: the colours of the dark theme."""
    return any(abs(lightness(table[colour]) - lightness(colour)) >= SWAPPED for colour, _ in shape.fill)


def _is_ink(shape: PaintedShape, layers: Layers, ground: Ground, view: ViewBox) -> bool:
    """Whether an area would be hard to see on a dark page: dark or grey, with the page around and nothing on it."""
    return (
        shape.order in layers.bare
        and shape.order not in layers.carrying
        and all(
            contrast(colour, PAGE[1]) < (GREY_SEEN if chroma(colour) < GREY else SEEN)
            for colour, _ in shape.fill
        )
        and _is_alone(shape, ground, view)
    )


def _is_alone(shape: PaintedShape, ground: Ground, view: ViewBox) -> bool:
    """Whether the page lies around an area: a stripe of a flag has neighbours, or ends where the picture ends."""
    left, top, width, height = view
    beside = BESIDE * max(width, height)
    pages = neighbours = 0
    sides = [side for ring in rings(shape) for side in pairwise(ring)]
    for (x0, y0), (x1, y1) in sides[:: 1 + len(sides) // SAMPLES]:
        length = math.hypot(x1 - x0, y1 - y0) or 1.0
        x, y, dx, dy = (x0 + x1) / 2, (y0 + y1) / 2, (y1 - y0) / length * beside, (x0 - x1) / length * beside
        for u, v in ((x + dx, y + dy), (x - dx, y - dy)):
            if left <= u <= left + width and top <= v <= top + height:
                neighbour = ground.top((u, v), TOPMOST)
                pages += neighbour is None
                neighbours += neighbour is not None and neighbour is not shape
    return pages > 0 and neighbours <= TOUCHING * (pages + neighbours)
