"""A drawing's own page: a background colour of the root becomes a rectangle, because viewers treat it differently.

A drawing on a dark page of its own is already dark, so it keeps its colours in the dark theme. So does a drawing on a
dark plate that is rounded, or has an outline or a small margin, such as a terminal window.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from figmill.svg.colour import lightness, tone
from figmill.svg.document import Draft, Element
from figmill.svg.geometry.precision import ViewBox, view_box
from figmill.svg.intake.inverted import claim_all
from figmill.svg.passes.ids import is_settled
from figmill.svg.passes.page import NOT_PAINTED, PALE, Above, holds_all, is_page, whole_clips
from figmill.svg.spec import Sheet
from figmill.svg.xml import vocabulary
from figmill.svg.xml.numbers import UNITY

DARK = 0.35  # lightness (OKLCH)
PLATE = 0.94  # share of the view's width and height that a plate covers
BACKGROUND = "background-color: "


def lay_background(draft: Draft, sheet: Sheet) -> None:
    """Turn a background of the root into a rectangle over the whole view, below everything."""
    root = draft.root
    parts = root.attrib.get("style", "").split("; ")
    behind = [part for part in parts if part.startswith(BACKGROUND)]
    if not behind or is_settled(root, sheet):
        return
    rest = [part for part in parts if part not in behind]
    root.attrib["style"] = "; ".join(rest)
    if not rest:
        del root.attrib["style"]
    background = tone(behind[-1].removeprefix(BACKGROUND))
    if background is None or background[1] == 0:
        return
    x, y, width, height = root.attrib["viewBox"].split()
    place = ({} if x == "0" else {"x": x}) | ({} if y == "0" else {"y": y})
    page = {**place, "width": width, "height": height, "fill": background[0]}
    if background[1] < 1:
        page["fill-opacity"] = f"{background[1]:.4g}"
    if root.attrib.get("stroke", "none") != "none":
        page["stroke"] = "none"
    rect = Element("rect", page, [], root.number)
    root.children.insert(0, rect)
    if "fill" in draft.own.get(root, set()) or draft.is_dark:
        draft.own.setdefault(rect, set()).add("fill")


def keep_dark(draft: Draft, sheet: Sheet) -> None:
    """Treat all colours of a drawing on a dark page as chosen for a dark page."""
    box = view_box(draft.root)
    if box is None or is_settled(draft.root, sheet):
        return
    above = replace(Above(clips=whole_clips(draft.root, box)).of(draft.root), ctm=UNITY)
    shapes = _shapes(draft.root, above, box)
    lowest = next(shapes, None)
    if lowest is not None and is_page(*lowest, box, _is_pale):
        lowest = next(shapes, None)  # the book's page, in a figure that was published
    if lowest is None or not (is_page(*lowest, box, _is_dark) or _is_plate(*lowest, box)):
        return
    draft.is_dark = True
    claim_all(draft)
    draft.own.setdefault(draft.root, set()).update(("fill", "color"))  # initial black is also chosen


def _is_dark(colour: str) -> bool:
    return lightness(colour) < DARK


def _is_pale(colour: str) -> bool:
    return lightness(colour) > PALE


def _is_plate(shape: Element, above: Above, box: ViewBox) -> bool:
    """Whether a shape is a dark rectangle over nearly all of the view, regardless of its corners and its outline."""
    attrib = {name: value for name, value in shape.attrib.items() if name not in ("rx", "ry")}
    return is_page(Element(shape.tag, attrib), replace(above, stroke="none"), box, _is_dark, PLATE)


def _shapes(node: Element, above: Above, box: ViewBox) -> Iterator[tuple[Element, Above]]:
    """The shapes in paint order, with the properties of their ancestors, up to the first element of another kind."""
    for child in node.elements():
        if child.tag in NOT_PAINTED:
            continue
        inside = above.of(child)
        if child.tag in vocabulary.SHAPES:
            if inside.paints:
                yield child, inside
        elif holds_all(child, above, box):
            yield from _shapes(child, inside, box)
            return
        else:
            return
