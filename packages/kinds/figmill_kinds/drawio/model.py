"""Reads one page of draw.io: its visible shapes and connectors, with their labels as plain text. Pure.

It leaves out what draw.io does not show: hidden layers and cells, and the content of collapsed cells.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from figmill.kind import AuthorError, Origin
from figmill_kinds.drawio.files import Page, line_of
from figmill_kinds.drawio.labels import text_of

if TYPE_CHECKING:
    from lxml import etree

LARGEST = 20_000  # cells
FARTHEST = 1e6  # px
_PLACEHOLDER = re.compile(r"%([^%\s'\"<>]+)%")
# Names of styles that have neither fill nor line of their own.
_BARE = ("text", "group", "edgeLabel")
Style = Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Box:
    """A rectangle in px of the page."""

    x: float = 0.0
    y: float = 0.0
    width: float = 0.0
    height: float = 0.0

    @property
    def area(self) -> float:
        return self.width * self.height

    def contains(self, other: Box) -> bool:
        return (
            self.x <= other.x
            and self.y <= other.y
            and self.x + self.width >= other.x + other.width
            and self.y + self.height >= other.y + other.height
        )


@dataclass(frozen=True, slots=True)
class Shape:
    """A vertex. form: the name of its shape. on_edge: the connector that it is placed on.

    is_node: whether it counts as a node, that is, has a fill or a line, and is neither a picture nor a rule.
    """

    id: str
    label: str
    form: str
    box: Box
    is_node: bool
    on_edge: str = ""


@dataclass(frozen=True, slots=True)
class Connector:
    """An edge, from `source` to `target`: ids of shapes, or empty for a loose end."""

    id: str
    label: str
    source: str
    target: str


@dataclass(frozen=True, slots=True)
class _Cell:
    id: str
    parent: str
    node: etree._Element
    around: etree._Element  # <object>, or the cell itself

    @property
    def is_edge(self) -> bool:
        return self.node.get("edge") == "1"


def read(page: Page, path: str) -> tuple[Shape | Connector, ...]:
    """The visible cells of a page, from the lowest to the highest. Raises AuthorError."""
    cells = {cell.id: cell for cell in _cells(page)}
    if len(cells) > LARGEST:
        at = Origin(path, line_of(page.model))
        raise AuthorError(at, f"has {len(cells):,} cells; a figure has at most {LARGEST:,}")
    below: dict[str, list[_Cell]] = {}
    for cell in cells.values():
        below.setdefault(cell.parent if cell.parent in cells else "", []).append(cell)
    return tuple(_visible(below))


def _cells(page: Page) -> Iterator[_Cell]:
    root = page.model.find("root")
    for number, around in enumerate(root if root is not None else ()):
        node = around if around.tag == "mxCell" else around.find("mxCell")
        if node is not None:
            yield _Cell(around.get("id") or f"cell {number}", node.get("parent") or "", node, around)


def _visible(below: Mapping[str, list[_Cell]]) -> Iterator[Shape | Connector]:
    """Visible cells, each after the cell that contains it. below: the cells in each cell, by its id."""
    # A cell, the box around it, the texts for its placeholders, and the id of the connector that it is in.
    stack: list[tuple[_Cell, Box, Mapping[str, str], str]]
    stack = [(cell, Box(), {}, "") for cell in reversed(below.get("", []))]
    while stack:
        cell, box, texts, on_edge = stack.pop()
        if cell.node.get("visible") == "0":
            continue
        if cell.around is not cell.node:
            texts = {**texts, **{str(name): str(value) for name, value in cell.around.attrib.items()}}
        if cell.is_edge:
            yield _connector(cell, texts)
        elif cell.node.get("vertex") == "1":
            shape = _shape(cell, box, texts, on_edge)
            yield shape
            box = box if on_edge else shape.box
        if cell.node.get("collapsed") != "1":
            holder = cell.id if cell.is_edge else ""
            stack += [(child, box, texts, holder) for child in reversed(below.get(cell.id, []))]


def _label(cell: _Cell, style: Style, texts: Mapping[str, str]) -> str:
    text = cell.node.get("value") or cell.around.get("label") or ""
    if cell.around.get("placeholders") == "1":
        text = _PLACEHOLDER.sub(lambda match: texts.get(match[1], match[0]), text)
    return text_of(text, is_html=style.get("html") == "1")


def _shape(cell: _Cell, box: Box, texts: Mapping[str, str], on_edge: str) -> Shape:
    style = _style(cell)
    place = _box(cell, box)
    return Shape(
        cell.id,
        _label(cell, style, texts),
        style["shape"],
        place,
        bool(place.area) and _has_ink(style) and not on_edge,
        on_edge,
    )


def _connector(cell: _Cell, texts: Mapping[str, str]) -> Connector:
    style = _style(cell)
    ends = cell.node.get("source") or "", cell.node.get("target") or ""
    is_backwards = style.get("startArrow", "none") != "none" and style.get("endArrow", "classic") == "none"
    source, target = reversed(ends) if is_backwards else ends
    return Connector(cell.id, _label(cell, style, texts), source, target)


def _style(cell: _Cell) -> Style:
    """The values of a cell's style, `rounded=1;fillColor=#dae8fc` with a name before it; `shape` is always there."""
    style = {"shape": "rectangle"}
    for number, part in enumerate((cell.node.get("style") or "").split(";")):
        name, is_pair, value = part.strip().partition("=")
        if is_pair:
            style[name] = value.strip()
        elif name in _BARE:
            style |= {"fillColor": "none", "strokeColor": "none"}
        elif name and not number:
            style["shape"] = name
    return style


def _has_ink(style: Style) -> bool:
    colours = (style.get("fillColor", "default"), style.get("strokeColor", "default"))
    return style["shape"] not in ("image", "line") and any(colour not in ("none", "") for colour in colours)


def _box(cell: _Cell, around: Box) -> Box:
    """The box of a shape on the page. around: that of its parent."""
    geometry = cell.node.find("mxGeometry")
    x, y, width, height = (_number(geometry, name) for name in ("x", "y", "width", "height"))
    if geometry is not None and geometry.get("relative") == "1":
        x, y = x * around.width, y * around.height
    offset = geometry.find("mxPoint[@as='offset']") if geometry is not None else None
    x, y = x + _number(offset, "x"), y + _number(offset, "y")
    return Box(around.x + x, around.y + y, max(0.0, width), max(0.0, height))


def _number(node: etree._Element | None, name: str) -> float:
    try:
        value = float(node.get(name, "0")) if node is not None else 0.0
    except ValueError:
        return 0.0
    return value if math.isfinite(value) and abs(value) <= FARTHEST else 0.0
