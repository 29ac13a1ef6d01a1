"""The page behind a figure: replaces the renderer's page with the book's.

A renderer's page is recognised by its geometry and colour alone: an upright, opaque rectangle in the page's colour over
the whole view, painted before anything else. It does not matter which renderer drew it.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TypeAlias

from figmill.late_dataclasses import dataclass
from figmill.palette import PAGE
from figmill.svg.colour import canonical, lightness, tone
from figmill.svg.document import Draft, Element
from figmill.svg.geometry.display_list import SHOWS, framed
from figmill.svg.geometry.outlines import Bounds, Point, outline
from figmill.svg.geometry.precision import ViewBox, view_box
from figmill.svg.passes.ids import is_settled, sweep
from figmill.svg.spec import Sheet
from figmill.svg.xml import vocabulary
from figmill.svg.xml.numbers import UNITY, Matrix, matrix, multiply, plain

PageTest: TypeAlias = Callable[[str], bool]
NEARLY_WHITE = re.compile("#(f[0-9a-f]){3}")
NEARLY_BLACK = re.compile("#([0-2][0-9a-f]){3}")
# A group with one of these changes how its content looks.
VEILS = vocabulary.words(
    "opacity fill-opacity filter mask clip-path display visibility style transform-origin"
)
NOT_PAINTED = vocabulary.RESOURCES | {"title", "desc", "defs"}
PALE = 0.9  # lightness (OKLCH)
EVEN = 1e-4  # share of a side: corners that are nearer lie on it
LONGEST = 400  # characters of a path that may be a rectangle
COVERS = 0.99  # of the view's width and height; Graphviz rounds the view up to whole points


def settle_page(draft: Draft, sheet: Sheet) -> None:
    """Replace the renderer's page with the book's: a rectangle before everything else, or nothing."""
    root = draft.root
    colour = page_colour(sheet)
    box = view_box(root)
    if box is None or is_settled(root, sheet):
        return
    pages = _pages(sheet, draft.is_dark)
    covers = COVERS if sheet.theme == "light" else SHOWS
    above = Above(
        fill=root.attrib.get("fill", "black"),
        stroke=root.attrib.get("stroke", "none"),
        clips=whole_clips(root, box),
    )
    shaded = _pale_gradients(root) if sheet.theme == "dark" else frozenset[str]()

    def is_its(shape: Element, around: Above) -> bool:
        seen = replace(around, fill=PAGE[0]) if around.fill in shaded else around
        return is_page(shape, seen, box, pages, covers)

    first = _without_pages(root, above, box, is_its)
    if shaded:
        sweep(draft, sheet)  # a gradient that only the page used
    if root.attrib.get("style") and (rest := _plain_style(root.attrib.pop("style"), pages)):
        root.attrib["style"] = rest
    if colour is not None and not (first is not None and is_page(*first, box, None)):
        x, y, width, height = root.attrib["viewBox"].split()
        place = {} if x == "0" else {"x": x}
        place |= {} if y == "0" else {"y": y}
        page = {**place, "width": width, "height": height, "fill": colour}
        if root.attrib.get("stroke", "none") != "none":
            page["stroke"] = "none"
        root.children.insert(0, Element("rect", page))


def _pale_gradients(root: Element) -> frozenset[str]:
    """The paints of gradients that are pale throughout: behind everything they are a page, as in flame graphs."""
    references = set()
    for node in root.walk():
        if node.tag in ("linearGradient", "radialGradient") and "id" in node.attrib:
            tones = [
                tone(stop.attrib.get("stop-color", "#000000"))
                for stop in node.elements()
                if stop.tag == "stop"
            ]
            if tones and all(
                each is not None and each[1] >= 1 and lightness(each[0]) > PALE for each in tones
            ):
                references.add(f"url(#{node.attrib['id']})")
    return frozenset(references)


def take_pages(root: Element, box: ViewBox, pages: PageTest) -> list[str]:
    """Remove the pages in such colours from a drawing, and return their colours."""
    above = Above(
        fill=root.attrib.get("fill", "black"),
        stroke=root.attrib.get("stroke", "none"),
        clips=whole_clips(root, box),
    )
    taken: list[str] = []

    def is_taken(shape: Element, around: Above) -> bool:
        is_paper = is_page(shape, around, box, pages)
        if is_paper:
            taken.append(canonical(around.fill))
        return is_paper

    _without_pages(root, above, box, is_taken)
    return taken


def page_colour(sheet: Sheet) -> str | None:
    """The opaque colour behind a figure of this sheet; None if transparent, as dark figures are."""
    if sheet.background == "none" or sheet.theme != "light":
        return None
    return canonical(PAGE[0] if sheet.background == "page" else sheet.background)


def _pages(sheet: Sheet, is_dark: bool) -> PageTest:
    """The test for page colours: white and the book's own; for a dark figure also nearly white.

    is_dark: the drawing has colours for a dark page, so nearly black counts too.
    """
    book = page_colour(replace(sheet, theme="light"))
    if sheet.theme == "light":
        return lambda colour: colour in ("#ffffff", book)
    return lambda colour: (
        colour == book
        or bool(NEARLY_WHITE.fullmatch(colour))
        or (is_dark and bool(NEARLY_BLACK.fullmatch(colour)))
    )


def _plain_style(style: str, pages: PageTest) -> str:
    """The root's style without a background in a page colour."""
    kept = []
    for part in style.split("; "):
        name, _, value = part.partition(": ")
        if name != "background-color" or not pages(canonical(value)):
            kept.append(part)
    return "; ".join(kept)


@dataclass(frozen=True, slots=True)
class Above:
    """The properties that a shape gets from the groups around it."""

    is_veiled: bool = False
    fill: str = "black"
    stroke: str = "none"
    ctm: Matrix = UNITY
    clips: frozenset[str] = frozenset()  # references to clips that hide nothing of the view

    @property
    def paints(self) -> bool:
        """Whether a shape with these properties is visible at all."""
        return self.fill != "none" or self.stroke != "none"

    def of(self, node: Element) -> Above:
        attrib = node.attrib
        ctm = _placed(node, self.ctm)
        is_whole = ctm == UNITY and attrib.get("clip-path") in self.clips
        return Above(
            self.is_veiled or not (VEILS - {"clip-path"} if is_whole else VEILS).isdisjoint(attrib),
            attrib.get("fill", self.fill),
            attrib.get("stroke", self.stroke),
            ctm,
            self.clips,
        )


def whole_clips(root: Element, box: ViewBox) -> frozenset[str]:
    """The references to clips that are one upright rectangle over the whole view: Figma clips its frame like this."""
    references = set()
    for node in root.walk():
        if node.tag == "clipPath" and node.attrib.keys() <= {"id"} and len(node.elements()) == 1:
            (shape,) = node.elements()
            is_plain = {"clip-path", "transform", "display", "visibility"}.isdisjoint(shape.attrib)
            extent = _extent(shape, UNITY, box) if is_plain else None
            if extent is not None and _is_over(extent, box, SHOWS):
                references.add(f"url(#{node.attrib.get('id', '')})")
    return frozenset(references)


def _placed(node: Element, ctm: Matrix) -> Matrix:
    """The transform inside an element."""
    if "transform" in node.attrib:
        ctm = multiply(ctm, matrix(node.attrib["transform"]))
    return framed(node, ctm) if node.tag == "svg" else ctm


def _without_pages(
    node: Element, above: Above, box: ViewBox, is_page: Callable[[Element, Above], bool]
) -> tuple[Element, Above] | None:
    """Remove pages painted before everything else, and groups that become empty; each child is visited once.

    Returns the first shape that is not a page, with the properties of its ancestors; None if that cannot be decided.
    """
    first: tuple[Element, Above] | None = None
    gone: set[Element] = set()
    for child in node.elements():
        if child.tag in NOT_PAINTED:
            continue
        inside = above.of(child)
        if child.tag in vocabulary.SHAPES:
            if not inside.paints:
                continue
            if not is_page(child, inside):
                first = child, inside
                break
        elif holds_all(child, above, box):
            first = _without_pages(child, inside, box, is_page)
            if first is not None or child.children or _is_referred_to(child):
                break
        else:
            break
        gone.add(child)
    if gone:
        node.children = [child for child in node.children if isinstance(child, str) or child not in gone]
    return first


def _is_referred_to(node: Element) -> bool:
    """Whether a node may be referenced, or contains a reference itself."""
    return "id" in node.attrib or any("url(" in value for value in node.attrib.values())


def is_page(
    shape: Element,
    above: Above,
    box: ViewBox,
    pages: PageTest | None,
    covers: float = COVERS,
) -> bool:
    """Whether a shape is a plain opaque rectangle over the whole view, in a page colour if `pages` is given."""
    if above.is_veiled or any("id" in node.attrib for node in shape.walk()):
        return False
    fill = canonical(above.fill)
    if not re.fullmatch("#[0-9a-f]{6}", fill) or (pages is not None and not pages(fill)):
        return False
    if pages is not None and above.stroke != "none" and canonical(above.stroke) != fill:
        return False
    extent = _extent(shape, above.ctm, box)
    return extent is not None and _is_over(extent, box, covers)


def _is_over(extent: Bounds, box: ViewBox, covers: float) -> bool:
    """Whether an area covers the view, except for the share that may be missing."""
    x0, y0, x1, y1 = extent
    slack_x, slack_y = box[2] * (1 - covers) + 0.5, box[3] * (1 - covers) + 0.5
    return (
        x0 <= box[0] + slack_x
        and y0 <= box[1] + slack_y
        and x1 >= box[0] + box[2] - slack_x
        and y1 >= box[1] + box[3] - slack_y
    )


def holds_all(frame: Element, above: Above, box: ViewBox) -> bool:
    """Whether a group, or a nested drawing over the whole view, may hold the page."""
    if frame.tag == "g":
        return bool(frame.children)
    if frame.tag != "svg" or not frame.children:
        return False
    extent = _extent(Element("rect", frame.attrib), above.ctm, box)
    return extent is not None and _is_over(extent, box, SHOWS)


def _extent(shape: Element, ctm: Matrix, box: ViewBox) -> Bounds | None:
    """The bounds of an upright rectangle in root units; None for any other shape."""
    corners = _corners(shape, box)
    if corners is None:
        return None
    a, b, c, d, e, f = ctm
    placed = [(a * x + c * y + e, b * x + d * y + f) for x, y in corners]
    (left, top), (right, bottom) = (tuple(map(edge, zip(*placed, strict=True))) for edge in (min, max))
    near = EVEN * max(right - left, bottom - top)
    is_upright = all(min(x - left, right - x) <= near or min(y - top, bottom - y) <= near for x, y in placed)
    area = (
        abs(math.fsum(x * v - u * y for (x, y), (u, v) in zip(placed, placed[1:] + placed[:1], strict=True)))
        / 2
    )
    whole = (right - left) * (bottom - top)
    return (left, top, right, bottom) if is_upright and 0 < whole <= area + EVEN * whole else None


def _corners(shape: Element, box: ViewBox) -> Sequence[Point] | None:
    """The outline of a possible rectangle, in any notation."""
    if shape.tag == "rect" and not {"rx", "ry"} & shape.attrib.keys():
        x, y, width, height = (_length(shape, name, box[side]) for name, side in _SIDES)
        if x is None or y is None or width is None or height is None:
            return None
        return [(x, y), (x + width, y), (x + width, y + height), (x, y + height)]
    if shape.tag == "polygon" or (shape.tag == "path" and len(shape.attrib.get("d", "")) < LONGEST):
        areas = [ring for ring in outline(shape) if len(set(ring)) > 2]
        return areas[0] if len(areas) == 1 else None
    return None


_SIDES = (("x", 2), ("y", 3), ("width", 2), ("height", 3))


def _length(shape: Element, name: str, whole: float) -> float | None:
    text = shape.attrib.get(name, "0")
    value = plain(text.removesuffix("%"))
    return value * whole / 100 if value is not None and text.endswith("%") else value
