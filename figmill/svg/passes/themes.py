"""The dark theme: every colour of a drawing gets its counterpart for a dark page.

Palette colours have theirs in the palette. Any other colour keeps its hue and changes in lightness (OKLCH): greys and
pale tints swap light and dark; strong colours stay, or are made lighter until they stand out on a dark page. Different
colours stay different. Contrast is checked later, in contrast.py.

A drawing that is already dark, as its ids show, is not changed. Only this makes the pass idempotent; no rule about
colours could. A dark blue area is a plain fill in a light drawing, and the counterpart of pale blue in a dark one.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from figmill.palette import GRID, MUTED, PAGE, ROLES, TEXT, Role
from figmill.svg.colour import (
    CURRENT,
    GREY,
    canonical,
    chroma,
    distance,
    lightness,
    moved_to,
    tone,
    with_alpha_of,
)
from figmill.svg.document import Draft, Element
from figmill.svg.geometry.display_list import drawn, forget_colours, paints_of
from figmill.svg.geometry.precision import view_box
from figmill.svg.geometry.scene import PaintedShape, bounds
from figmill.svg.passes.ids import is_settled
from figmill.svg.passes.keeps import KeptColours, kept_in_the_dark, mark, marked, write_out
from figmill.svg.passes.page import take_pages
from figmill.svg.passes.paints import COLOURED
from figmill.svg.spec import Sheet
from figmill.svg.xml import vocabulary
from figmill.svg.xml.references import references

# Inside these elements, colours stand for brightness or shape.
UNSEEN = vocabulary.words("mask clipPath filter")
MAPPED = COLOURED - vocabulary.words("flood-color lighting-color")
MOST_PAPERS = 64  # more white areas than this are cells
APART = 0.02  # OKLab distance kept between different colours: just noticeable
MOST_APART = 500  # colours that are compared with each other
SCALE = 24  # more colours outside the palette are a colour scale, where only the order matters
# OKLCH chroma up to which a colour is a tint, and from which it is strong.
TINT, STRONG = 0.08, 0.17
LIMIT = 0.19
NIGHT = 0.35  # lightness below which a page is dark
PIVOT = 0.62  # strong colours darker than this are lifted
CEILING = 0.97
NONE: frozenset[str] = frozenset()
WRITTEN = vocabulary.words("text tspan textPath")


def settle_theme(draft: Draft, sheet: Sheet) -> None:
    """Give all colours of a dark sheet's figure dark counterparts, including initial black; light figures stay."""
    if sheet.theme != "dark" or is_settled(draft.root, sheet):
        return
    _clear_paper(draft, PAGE[0])
    nodes = draft.root.walk()
    own = draft.own  # the author chose these for a dark page
    kept = kept_in_the_dark(draft)
    if kept:
        write_out(draft.root, kept)
    kept = KeptColours(kept.whole | _protect(draft.root, nodes), kept.fills)
    used, areas = set(), set()
    for node in nodes:
        for name in (MAPPED & node.attrib.keys()) - own.get(node, NONE):
            seen_tone = None if kept.holds(node, name) else tone(node.attrib[name])
            if seen_tone is not None:
                used.add(seen_tone[0])
                if name != "stroke" and node.tag not in WRITTEN:
                    areas.add(seen_tone[0])
    table = places(frozenset(used), sheet.palette, frozenset(used - areas))
    for node in nodes:
        if node in kept.whole:
            continue
        if node.tag == "stop":
            node.attrib.setdefault("stop-color", "#000000")
        for name in (MAPPED & node.attrib.keys()) - own.get(node, NONE):
            seen_tone = None if kept.holds(node, name) else tone(node.attrib[name])
            if seen_tone is not None and (seen_tone[0] in table or node.tag == "stop"):
                node.attrib[name] = with_alpha_of(node.attrib[name], table.get(seen_tone[0], TEXT[1]))
    black = {"fill", "color"} - draft.root.attrib.keys() - own.get(draft.root, NONE)
    if "fill" in black and _shows_initial(draft.root):
        draft.root.attrib["fill"] = TEXT[1]
    if "color" in black and any(CURRENT in n.attrib.values() for n in nodes):
        draft.root.attrib["color"] = TEXT[1]
    forget_colours(draft)


def keep_dark_drawing(draft: Draft, sheet: Sheet) -> None:
    """Keep the colours of a drawing on a dark page of its own, and remove that page like any other."""
    root, box = draft.root, view_box(draft.root)
    if sheet.theme != "dark" or box is None or is_settled(root, sheet):
        return
    pages = take_pages(root, box, _is_night)
    if pages:
        _clear_paper(draft, pages[-1])
        forget_colours(draft)
        mark(draft, [draft.root])


def _is_night(colour: str) -> bool:
    return lightness(colour) < NIGHT and chroma(colour) < TINT


def _clear_paper(draft: Draft, paper: str) -> None:
    """Make paper-like areas transparent if they have no outline and hide nothing: matplotlib's axes background.

    The same applies to paper-like outlines around nothing, which Graphviz draws for clusters without a box. If a whole
    drawing keeps its fills, only large areas count.
    """
    if paper == PAGE[0] and not any(
        paper in (node.attrib.get("fill"), node.attrib.get("stroke")) for node in draft.root.walk()
    ):
        return
    scene = drawn(draft)
    white = [shape for shape in scene.shapes if shape.fill == ((paper, 1.0),) and not shape.stroke]
    kept, view = marked(draft), view_box(draft.root)
    least = view[2] * view[3] / 4 if view is not None else 0.0
    papers = {
        s.order: s
        for s in white
        if s.writers[0] is s.node
        and "id" not in s.node.attrib
        and s.node not in kept.whole
        and (s.node not in kept.fills or _size(s) >= least)
    }
    boxes = {
        s.order: s
        for s in scene.shapes
        if s.stroke == ((paper, 1.0),) and not s.fill and s.writers[1] is s.node and s.node not in kept.whole
    }
    if paper == PAGE[0]:  # white that the author chose for a dark page is not paper
        own = draft.own
        papers = {at: s for at, s in papers.items() if "fill" not in own.get(s.node, NONE)}
        boxes = {at: s for at, s in boxes.items() if "stroke" not in own.get(s.node, NONE)}
    papers, boxes = ({} if len(some) > MOST_PAPERS else some for some in (papers, boxes))
    if not (papers or boxes):
        return
    runs = ((text.order, points) for text in scene.texts for _, _, points in text.runs())
    hidden = [(order, (x, y, x, y)) for order, points in runs for x, y in points]
    hidden += [(picture.order, bounds(picture)) for picture in scene.pictures]
    for shape in scene.shapes:
        if shape.order > max((*papers, *boxes)):
            return
        box = _shown(shape)
        if box is None:
            continue
        is_blank = (shape.order in papers or shape.order in boxes) and not any(
            _meet(box, b) for order, b in hidden if order < shape.order
        )
        if is_blank:
            shape.node.attrib["fill" if shape.order in papers else "stroke"] = "none"
        else:
            hidden.append((shape.order, box))


def _shown(shape: PaintedShape) -> tuple[float, float, float, float] | None:
    """The bounds of what the clips around a shape leave of it; None if nothing is left, as for a curve outside its
    axes.
    """
    box = bounds(shape)
    if shape.clip is None:
        return box
    left, top, right, bottom = (
        pick(side, limit) for pick, side, limit in zip((max, max, min, min), box, shape.clip, strict=True)
    )
    return (left, top, right, bottom) if left <= right and top <= bottom else None


def _size(shape: PaintedShape) -> float:
    left, top, right, bottom = bounds(shape)
    return (right - left) * (bottom - top)


def _meet(first: tuple[float, ...], second: tuple[float, ...]) -> bool:
    return first[0] < second[2] and second[0] < first[2] and first[1] < second[3] and second[1] < first[3]


def _protect(root: Element, nodes: list[Element]) -> set[Element]:
    """The content of masks, clips and filters, and all it refers to. It keeps its colours, inherited ones too."""
    if not any(node.tag in UNSEEN for node in nodes):
        return set()
    ids = {node.attrib["id"]: node for node in nodes if "id" in node.attrib}
    kept: set[Element] = set()
    pending = []
    for node, handed_down in _with_paints(root, {"fill": "#000000"}):
        if node.tag in UNSEEN:
            for name, value in handed_down.items():
                node.attrib.setdefault(name, value) if node.tag == "mask" else None
            pending.append(node)
    while pending:
        for part in pending.pop().walk():
            if part not in kept:
                kept.add(part)
                pending += [ids[name] for name in references(part) if name in ids]
    return kept


def _with_paints(node: Element, handed_down: dict[str, str]) -> Iterator[tuple[Element, dict[str, str]]]:
    """Each element with the paints it inherits."""
    yield node, handed_down
    mine = paints_of(node)
    below = {**handed_down, **mine} if mine else handed_down
    for child in node.elements():
        yield from _with_paints(child, below)


def _shows_initial(node: Element) -> bool:
    """Whether anything below is painted in the initial black because no fill is set."""
    if node.attrib.get("fill", "inherit") != "inherit" or node.tag in UNSEEN:
        return False
    if node.tag in vocabulary.SHAPES or node.tag == "text":
        return True
    return any(_shows_initial(child) for child in node.elements())


@lru_cache(maxsize=64)
def counterparts(palette: tuple[Role, ...]) -> dict[str, str]:
    """The palette's colours with their dark counterparts."""
    pairs = dict((TEXT, MUTED, GRID, PAGE))
    for role in {role.name: role for role in (*ROLES, *palette)}.values():
        pairs[canonical(role.fill)] = canonical(role.dark_fill)
        pairs[canonical(role.line)] = canonical(role.dark_line)
        pairs.setdefault(role.ink, role.dark_ink)
    return pairs


@lru_cache(maxsize=256)
def places(used: frozenset[str], palette: tuple[Role, ...], thin: frozenset[str] = NONE) -> dict[str, str]:
    """The dark counterpart of each colour of a drawing. thin: colours of lines and text only, not of areas."""
    fixed = counterparts(palette)
    table = {colour: fixed[colour] for colour in used & fixed.keys()}
    rest = sorted(used - fixed.keys(), key=lambda colour: (lightness(colour), colour))
    is_scale = len(rest) > SCALE
    others = table  # among hundreds of colours, only greys move, and keep apart only from each other
    if len(rest) > MOST_APART:
        others = {}
    for colour in rest:
        if is_scale and chroma(colour) > (GREY if colour in thin else 0.004):  # a pale grid is not data
            table[colour] = colour
        else:
            table[colour] = others[colour] = _apart(colour, others)
    return table


def _apart(colour: str, table: dict[str, str]) -> str:
    """The colour's counterpart, or the nearest free lightness."""
    wanted, saturation = place(colour)
    for step in (0, 1, -1, 2, -2, 3, -3, 4, -4, 5, -5, 6, -6):
        candidate = moved_to(colour, min(CEILING, wanted + step * APART), saturation)
        if all(distance(candidate, dark) >= min(APART, distance(colour, old)) for old, dark in table.items()):
            return candidate
    return candidate


def place(colour: str) -> tuple[float, float]:
    """Lightness and chroma of a colour on a dark page.

    White gets the page's lightness and black becomes almost white, as in the palette. A strong colour keeps its
    lightness or becomes lighter; between a tint and a strong colour, the two results are mixed.
    """
    light, strength = lightness(colour), chroma(colour)
    turned = lightness(PAGE[1]) + (1 - light)
    lifted = light if light >= PIVOT else PIVOT + (PIVOT - light) * 0.6
    part = max(0.0, min(1.0, (strength - TINT) / (STRONG - TINT)))
    target = min(CEILING - 0.03, (1 - part) * turned + part * lifted)
    deeper = min(2 * strength, max(strength, 0.08)) if target < 0.5 else strength
    return target, min(deeper, LIMIT)
