"""The page behind a figure: the renderer's goes, the book's takes its place.

A renderer's page is known by its measures alone: an upright, opaque rectangle in the page's colour over the
whole view, before anything else is painted. Unaware of who drew it.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from typing import TypeAlias

from figmill.palette import PAGE
from figmill.svg.document import Draft, Node
from figmill.svg.geometry.precision import view_box
from figmill.svg.passes.ids import is_settled
from figmill.svg.passes.paints import canonical
from figmill.svg.spec import Sheet
from figmill.svg.xml import vocabulary
from figmill.svg.xml.numbers import NUMBER, UNITY, Matrix, matrix, multiply, plain
from figmill.svg.xml.path_data import parse

Pages: TypeAlias = Callable[[str], bool]
NEARLY_WHITE = re.compile("#(f[0-9a-f]){3}")
# A group with one of these shows its content as something else than it says.
VEILS = vocabulary.words(
    "opacity fill-opacity filter mask clip-path display visibility style transform-origin"
)
COVERS = 0.99  # of the view's width and height; Graphviz rounds the view up to whole points
SHOWS = 0.9  # the same in the dark theme, where the rest of a page would stand out


def settle_page(draft: Draft, sheet: Sheet) -> None:
    """The renderer's page goes, and the book's stands in its place: a rectangle first of all, or nothing."""
    root = draft.root
    colour = page_colour(sheet)
    box = view_box(root)
    if box is None or is_settled(root, sheet):
        return
    pages = _pages(sheet)
    covers = COVERS if sheet.theme == "light" else SHOWS
    first = _first_shape(root)
    while first is not None and _is_page(first, box, pages, covers):
        _remove(first)
        first = _first_shape(root)
    if root.attrib.get("style") and (rest := _without_page(root.attrib.pop("style"), pages)):
        root.attrib["style"] = rest
    if colour is not None and not (first is not None and _is_page(first, box, None)):
        x, y, width, height = root.attrib["viewBox"].split()
        place = {} if x == "0" else {"x": x}
        place |= {} if y == "0" else {"y": y}
        root.children.insert(0, Node("rect", {**place, "width": width, "height": height, "fill": colour}))


def page_colour(sheet: Sheet) -> str | None:
    """The opaque colour behind a figure of this sheet; None: whatever the figure is put on, as dark ones are."""
    if sheet.background == "none" or sheet.theme != "light":
        return None
    return canonical(PAGE[0] if sheet.background == "page" else sheet.background)


def _pages(sheet: Sheet) -> Pages:
    """Which colours are a page's: white and the book's own; for a dark figure also what is nearly white."""
    book = page_colour(replace(sheet, theme="light"))
    if sheet.theme == "light":
        return lambda colour: colour in ("#ffffff", book)
    return lambda colour: colour == book or bool(NEARLY_WHITE.fullmatch(colour))


def _without_page(style: str, pages: Pages) -> str:
    """The root's style without a background that is the page's."""
    kept = []
    for part in style.split("; "):
        name, _, value = part.partition(": ")
        if name != "background-color" or not pages(canonical(value)):
            kept.append(part)
    return "; ".join(kept)


def _first_shape(root: Node) -> list[Node] | None:
    """The first thing that is painted, after the groups around it; None where that cannot be told."""
    trail = [root]
    while True:
        painted = [
            c for c in trail[-1].elements() if c.tag not in vocabulary.RESOURCES | {"title", "desc", "defs"}
        ]
        if not painted:
            return None
        trail.append(painted[0])
        if painted[0].tag in vocabulary.SHAPES:
            return trail
        if painted[0].tag != "g":
            return None


def _is_page(
    trail: list[Node], box: tuple[float, float, float, float], pages: Pages | None, covers: float = COVERS
) -> bool:
    """Whether the shape at the end is a plain opaque rectangle over the whole view; of these colours, if given."""
    if any(VEILS & node.attrib.keys() for node in trail[1:]) or any(
        "id" in n.attrib for n in trail[-1].walk()
    ):
        return False
    fill = next((node.attrib["fill"] for node in reversed(trail) if "fill" in node.attrib), "black")
    stroke = next((node.attrib["stroke"] for node in reversed(trail) if "stroke" in node.attrib), "none")
    fill = canonical(fill)
    if not re.fullmatch("#[0-9a-f]{6}", fill) or (pages is not None and not pages(fill)):
        return False
    if pages is not None and stroke != "none" and canonical(stroke) != fill:
        return False
    ctm = UNITY
    for node in trail[1:]:
        ctm = multiply(ctm, matrix(node.attrib.get("transform", "")))
    extent = _extent(trail[-1], ctm, box)
    if extent is None:
        return False
    x0, y0, x1, y1 = extent
    slack_x, slack_y = box[2] * (1 - covers) + 0.5, box[3] * (1 - covers) + 0.5
    return (
        x0 <= box[0] + slack_x
        and y0 <= box[1] + slack_y
        and x1 >= box[0] + box[2] - slack_x
        and y1 >= box[1] + box[3] - slack_y
    )


def _extent(
    shape: Node, ctm: Matrix, box: tuple[float, float, float, float]
) -> tuple[float, float, float, float] | None:
    """The bounds of an upright rectangle in the root's units; None where the shape is not one."""
    corners = _corners(shape, box)
    if corners is None or (ctm[1], ctm[2]) != (0, 0):
        return None
    xs, ys = {x for x, _ in corners}, {y for _, y in corners}
    if len(xs) != 2 or len(ys) != 2:
        return None
    found_x = [ctm[0] * x + ctm[4] for x in xs]
    found_y = [ctm[3] * y + ctm[5] for y in ys]
    return min(found_x), min(found_y), max(found_x), max(found_y)


def _corners(shape: Node, box: tuple[float, float, float, float]) -> list[tuple[float, float]] | None:
    if shape.tag == "rect" and not {"rx", "ry"} & shape.attrib.keys():
        x, y, width, height = (_length(shape, name, box[side]) for name, side in _SIDES)
        if x is None or y is None or width is None or height is None:
            return None
        return [(x, y), (x + width, y), (x + width, y + height), (x, y + height)]
    if shape.tag == "polygon":
        numbers = [float(number) for number in re.findall(NUMBER, shape.attrib.get("points", ""))]
        corners = list(zip(numbers[::2], numbers[1::2], strict=False))
    elif shape.tag == "path" and len(shape.attrib.get("d", "")) < 200:
        segments, _ = parse(shape.attrib.get("d", ""))
        if "".join(command for command, _ in segments) not in ("MLLLZ", "MLLLLZ", "MLLLL", "MHVHZ", "MHVH"):
            return None
        corners = []
        for command, values in segments:
            if command in "ML":
                corners.append((values[0], values[1]))
            elif command == "H":
                corners.append((values[0], corners[-1][1]))
            elif command == "V":
                corners.append((corners[-1][0], values[0]))
    else:
        return None
    if corners[4:] == corners[:1]:
        corners = corners[:4]
    turns = [
        (a[0] == b[0]) != (a[1] == b[1]) for a, b in zip(corners, corners[1:] + corners[:1], strict=True)
    ]
    return corners if len(corners) == 4 and all(turns) else None


_SIDES = (("x", 2), ("y", 3), ("width", 2), ("height", 3))


def _length(shape: Node, name: str, whole: float) -> float | None:
    text = shape.attrib.get(name, "0")
    value = plain(text.removesuffix("%"))
    return value * whole / 100 if value is not None and text.endswith("%") else value


def _remove(trail: list[Node]) -> None:
    """Take the shape out, and groups that it leaves empty."""
    for parent, child in zip(trail[-2::-1], trail[:0:-1], strict=True):
        parent.children.remove(child)
        if parent.children or "id" in parent.attrib or any("url(" in v for v in parent.attrib.values()):
            return
