"""Writes lengths as plain numbers: percentages and units such as mm become user units.

The drawing looks the same. Later passes then need to read only plain numbers. Lengths used in several viewports of
different sizes stay as written, as do lengths relative to a font.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TypeAlias

from figmill.svg.document import Draft, Element
from figmill.svg.geometry.precision import view_box
from figmill.svg.geometry.text_layout import INITIAL_SIZE, TextStyle
from figmill.svg.spec import Sheet
from figmill.svg.xml import vocabulary
from figmill.svg.xml.numbers import LARGEST, UNIT, fixed, plain
from figmill.svg.xml.references import references
from figmill.svg.xml.units import PX, without_rem

Viewport: TypeAlias = tuple[float, float]  # width and height that percentages refer to

PLACED = vocabulary.SHAPES | vocabulary.words("text tspan use image svg")
ALONG = vocabulary.words("x x1 x2 cx rx dx width")
DOWN = vocabulary.words("y y1 y2 cy ry dy height")
LENGTHS = ALONG | DOWN | {"r"}
# their own position does not matter
SEEN_AS_USED = vocabulary.words("clipPath mask pattern symbol marker defs")
OWN_UNITS = ("clipPathUnits", "maskContentUnits", "patternContentUnits")
FONT_UNITS = ("em", "rem", "ex")  # relative to a font size
DECIMALS = 9


def settle_rem(draft: Draft) -> None:
    """Write lengths in rem in px, where the root has a font size of its own."""
    root = draft.root
    size = TextStyle().of(root.attrib).size
    if size == INITIAL_SIZE:
        return
    for node in root.walk():
        for name in (vocabulary.COORDINATES | {"style"}) & node.attrib.keys():
            if node is not root or name != "font-size":
                node.attrib[name] = without_rem(node.attrib[name], size)


def settle_lengths(draft: Draft, _sheet: Sheet) -> None:
    """Write every length of drawn elements as a plain number."""
    root = draft.root
    box = view_box(root)
    nodes = root.walk()
    if box is None or not any(_is_open(node) for node in nodes if node is not root):
        return
    ids = {node.attrib["id"]: node for node in nodes if "id" in node.attrib}
    rooms: dict[Element, set[Viewport]] = {}
    try:
        for child in root.elements():
            _visit(child, (box[2], box[3]), ids, rooms)
    except RecursionError:
        return
    for node, viewports in rooms.items():
        if len(viewports) == 1 and node.tag in PLACED:
            _settle(node, next(iter(viewports)))


def _is_open(node: Element) -> bool:
    if node.tag not in PLACED:
        return False
    attrib = node.attrib
    if node.tag == "svg" and not ("width" in attrib and "height" in attrib):
        return True
    return any(attrib[name][-1:].isalpha() or "%" in attrib[name] for name in LENGTHS & attrib.keys())


def _visit(
    node: Element, room: Viewport, ids: dict[str, Element], rooms: dict[Element, set[Viewport]]
) -> None:
    """Record the viewport size in which a node is drawn, and do the same for everything that it holds or uses."""
    viewports = rooms.setdefault(node, set())
    if room in viewports or len(viewports) > 1:
        return
    viewports.add(room)
    for name in references(node):
        target = ids.get(name)
        if target is None or node.tag == "a":
            continue
        if node.tag != "use":  # a clip, a mask, a pattern
            for child in target.elements() if not _has_own_units(target) else ():
                _visit(child, room, ids, rooms)
        elif target.tag != "symbol":
            _visit(target, room, ids, rooms)
        elif (box := view_box(target)) is not None:
            for child in target.elements():
                _visit(child, (box[2], box[3]), ids, rooms)
    if node.tag in SEEN_AS_USED:
        return
    inside = _inside(node, room) if node.tag == "svg" else room
    for child in node.elements():
        _visit(child, inside, ids, rooms)


def _has_own_units(node: Element) -> bool:
    is_framed = "viewBox" in node.attrib or node.tag == "marker"
    return is_framed or any(node.attrib.get(name) == "objectBoundingBox" for name in OWN_UNITS)


def _inside(node: Element, room: Viewport) -> Viewport:
    """The viewport size inside a nested drawing: that of its viewBox, or its own size."""
    box = view_box(node)
    if box is not None:
        return box[2], box[3]
    sides = (
        _number(node.attrib.get(name, "100%"), whole)
        for name, whole in zip(("width", "height"), room, strict=True)
    )
    width, height = (side if side is not None else whole for side, whole in zip(sides, room, strict=True))
    return width, height


def _settle(node: Element, room: Viewport) -> None:
    width, height = room
    attrib = node.attrib
    if node.tag == "svg":
        attrib.setdefault("width", "100%")
        attrib.setdefault("height", "100%")
    for name in sorted(LENGTHS & attrib.keys()):
        whole = (
            width if name in ALONG else height if name in DOWN else math.hypot(width, height) / math.sqrt(2)
        )
        parts = list(_numbers(attrib[name], whole))
        if parts and all(part is not None and abs(part) <= LARGEST for part in parts):
            attrib[name] = " ".join(fixed(part, DECIMALS) for part in parts if part is not None)


def _numbers(text: str, whole: float) -> Iterator[float | None]:
    """Each length of a list; None for one that cannot be converted. Empty if all are already plain numbers."""
    items = text.replace(",", " ").split()
    if any(plain(word) is None for word in items):
        yield from (_number(word, whole) for word in items)


def _number(word: str, whole: float) -> float | None:
    match = UNIT.fullmatch(word)
    if match is None or match[2].lower() in FONT_UNITS:
        return None
    value, unit = plain(match[1]), match[2].lower()
    if value is None:
        return None  # out of range: the rounding pass reports it at its place
    return value * whole / 100 if unit == "%" else value * PX[unit] if unit in PX else None
