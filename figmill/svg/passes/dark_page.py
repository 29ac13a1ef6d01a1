"""The page a drawing brings itself: a background colour of the root becomes a rectangle, since viewers differ.

A drawing on a dark page of its own is dark already: in the dark theme it keeps its colours.
"""

from __future__ import annotations

from figmill.svg.colour import lightness, tone
from figmill.svg.document import Draft, Node
from figmill.svg.geometry.precision import view_box
from figmill.svg.passes.ids import is_settled
from figmill.svg.passes.page import NOT_PAINTED, Above, is_page
from figmill.svg.passes.paints import COLOURED
from figmill.svg.spec import Sheet
from figmill.svg.xml import vocabulary
from figmill.svg.xml.numbers import BeyondError

DARK = 0.35  # lightness (OKLCH)
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
    found = tone(behind[-1].removeprefix(BACKGROUND))
    if found is None or found[1] == 0:
        return
    x, y, width, height = root.attrib["viewBox"].split()
    place = ({} if x == "0" else {"x": x}) | ({} if y == "0" else {"y": y})
    page = {**place, "width": width, "height": height, "fill": found[0]}
    if found[1] < 1:
        page["fill-opacity"] = f"{found[1]:.4g}"
    if root.attrib.get("stroke", "none") != "none":
        page["stroke"] = "none"
    rect = Node("rect", page, [], root.number)
    root.children.insert(0, rect)
    if "fill" in draft.own.get(root, set()) or draft.is_dark:
        draft.own.setdefault(rect, set()).add("fill")


def keep_dark(draft: Draft, sheet: Sheet) -> None:
    """Treat all colours of a drawing on a dark page as chosen for a dark page."""
    box = view_box(draft.root)
    try:
        found = _first(draft.root, Above().of(draft.root))
        if box is None or found is None or is_settled(draft.root, sheet):
            return
        if not is_page(*found, box, lambda colour: lightness(colour) < DARK):
            return
    except BeyondError:
        return  # rounding reports this with its place
    draft.is_dark = True
    for node in draft.root.walk():
        if colours := COLOURED & node.attrib.keys():
            draft.own[node] = draft.own.get(node, set()) | colours


def _first(node: Node, above: Above) -> tuple[Node, Above] | None:
    """The first painted shape, with the properties of its ancestors; None if that cannot be decided."""
    for child in node.elements():
        if child.tag in NOT_PAINTED:
            continue
        inside = above.of(child)
        if child.tag in vocabulary.SHAPES:
            return child, inside
        if child.tag == "g" and child.children:
            return _first(child, inside)
        return None
    return None
