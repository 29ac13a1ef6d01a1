"""How many decimals coordinates need, which depends on how far they are magnified on the page.

Reads sizes and transforms after they are rounded, so a second run gives the same result.
"""

from __future__ import annotations

import math
from typing import TypeAlias

from figmill.svg.document import Element
from figmill.svg.xml import vocabulary
from figmill.svg.xml.numbers import DECIMALS, matrix, plain
from figmill.svg.xml.references import references

# Half a unit of the third decimal, magnified 14 times, is 0.007 px. No drawing magnifies by exactly 14, so rounding
# never moves a drawing across this limit.
HARMLESS = 14.0
MAX_DECIMALS = 9
FARTHEST = 1e12  # more magnification does not need more decimals
REFRAMING = frozenset(
    ("viewBox", "clipPathUnits", "maskContentUnits", "patternContentUnits", "primitiveUnits")
)
CONTENT_UNITS = ("clipPathUnits", "maskContentUnits", "patternContentUnits", "primitiveUnits")
ViewBox: TypeAlias = tuple[float, float, float, float]  # x, y, width, height


def decimals(root: Element) -> dict[Element, int]:
    """The nodes that need more than three decimals, with their number; empty for nearly every drawing."""
    width, height = _number(root, "width"), _number(root, "height")
    box = view_box(root) or (0, 0, width, height)
    scale = max(width / box[2], height / box[3])
    nodes = root.walk()
    if scale <= HARMLESS and not any(_magnifies(node) for node in nodes if node is not root):
        return {}
    ids = {node.attrib["id"]: node for node in nodes if "id" in node.attrib}
    scales: dict[Element, float] = {}
    _visit(root, scale, max(width, height), ids, scales)
    return {
        node: min(MAX_DECIMALS, DECIMALS + math.ceil(math.log10(scale / HARMLESS)))
        for node, scale in scales.items()
        if scale > HARMLESS
    }


def _magnifies(node: Element) -> bool:
    attrib = node.attrib
    if "transform" in attrib and _stretch(attrib["transform"]) > 1.000001:
        return True
    return not attrib.keys().isdisjoint(REFRAMING)


def _stretch(transform: str) -> float:
    a, b, c, d, _, _ = matrix(transform)
    stretched = math.hypot(a, b), math.hypot(c, d)
    return max(stretched) if max(stretched) <= FARTHEST else FARTHEST  # also for NaN


def view_box(node: Element) -> ViewBox | None:
    """The viewBox; None if it is malformed or empty."""
    numbers = [plain(word) for word in node.attrib.get("viewBox", "").replace(",", " ").split()]
    match numbers:
        case [float(x), float(y), float(width), float(height)] if width > 0 and height > 0:
            return x, y, width, height
    return None


def _number(node: Element, name: str) -> float:
    return plain(node.attrib.get(name, "")) or 0.0


def _visit(
    node: Element, scale: float, page: float, ids: dict[str, Element], scales: dict[Element, float]
) -> None:
    """Note the largest scale of `node` and of everything it draws. page: the figure's longer side, px."""
    if scales.get(node, 0.0) >= scale:
        return
    attrib = node.attrib
    if "transform" in attrib:
        scale = min(FARTHEST, scale * _stretch(attrib["transform"]))
    scales[node] = scale
    for name in references(node):
        if name in ids and node.tag != "a":
            _visit(ids[name], scale, page, ids, scales)
    if node.tag in vocabulary.RESOURCES or node.tag == "svg":
        scale = min(FARTHEST, _inside(node, scale, page, is_root=node.number == 0))
    for child in node.children:
        if isinstance(child, Element):
            _visit(child, scale, page, ids, scales)


def _inside(node: Element, scale: float, page: float, is_root: bool) -> float:
    """The scale inside a resource or a nested viewport; an upper bound if it depends on the use."""
    if any(node.attrib.get(units) == "objectBoundingBox" for units in CONTENT_UNITS):
        return max(scale, page)
    box = view_box(node)
    if box is None or is_root:
        return scale
    if node.tag == "marker":
        return scale * max(1.0, (_number(node, "markerWidth") or 3.0) / box[2])
    return max(scale, page / min(box[2], box[3]))
