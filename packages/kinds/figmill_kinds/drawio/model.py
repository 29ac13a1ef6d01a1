"""One page of draw.io: turns <mxGraphModel> into a GraphModel with absolute positions, in paint order. Pure.

It leaves out what draw.io does not show: hidden layers and cells, and the content of collapsed cells.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from graphlib import CycleError, TopologicalSorter
from typing import TYPE_CHECKING

from figmill.kind import AuthorError, Origin
from figmill.kind.links import address
from figmill_kinds.drawio.files import Page, line_of
from figmill_kinds.drawio.styles import EDGE, VERTEX, Style, style_of

if TYPE_CHECKING:
    from lxml import etree

LARGEST = 20_000  # cells
FARTHEST = 1e6  # px
Point = tuple[float, float]
_PLACEHOLDER = re.compile(r"%([^%\s'\"<>]+)%")


@dataclass(frozen=True, slots=True)
class Box:
    """A rectangle in px of the page."""

    x: float
    y: float
    width: float
    height: float

    @property
    def right(self) -> float:
        return self.x + self.width

    @property
    def bottom(self) -> float:
        return self.y + self.height

    @property
    def centre(self) -> Point:
        return self.x + self.width / 2, self.y + self.height / 2

    def grown(self, by: float) -> Box:
        return Box(self.x - by, self.y - by, self.width + 2 * by, self.height + 2 * by)


@dataclass(frozen=True, slots=True)
class Shape:
    """A vertex. label: HTML or plain text. on_edge: the connector that it is placed on; `box` is then relative to it.

    along: the place, from -1 at the connector's start to 1 at its end; beside: px from the connector.
    """

    id: str
    label: str
    style: Style
    link: str
    box: Box
    on_edge: str = ""
    along: float = 0.0
    beside: float = 0.0
    parent: str = ""
    line: int | None = None


@dataclass(frozen=True, slots=True)
class Connector:
    """An edge. source and target: ids of its ends; start and stop: the positions of loose ends."""

    id: str
    label: str
    style: Style
    link: str
    source: str
    target: str
    start: Point | None
    stop: Point | None
    via: tuple[Point, ...]
    along: float
    beside: float
    offset: Point
    line: int | None = None


@dataclass(frozen=True, slots=True)
class GraphModel:
    """The visible content of a page, from the lowest to the highest. page: its colour, or empty.

    formulas: whether draw.io sets what is written between `$$`.
    """

    cells: tuple[Shape | Connector, ...]
    page: str
    formulas: bool = False


@dataclass(frozen=True, slots=True)
class _Cell:
    id: str
    parent: str
    node: etree._Element
    around: etree._Element  # <object>, or the cell itself
    line: int | None = None

    @property
    def is_edge(self) -> bool:
        return self.node.get("edge") == "1"


def read(page: Page, path: str) -> GraphModel:
    """The diagram of a page. Raises AuthorError."""
    at = Origin(path, line_of(page.model))
    cells = {cell.id: cell for cell in _cells(page)}
    if len(cells) > LARGEST:
        raise AuthorError(at, f"has {len(cells):,} cells; a figure has at most {LARGEST:,}")
    below: dict[str, list[_Cell]] = {}
    for cell in cells.values():
        below.setdefault(cell.parent if cell.parent in cells else "", []).append(cell)
    _check_chain(
        {cell.id: {cell.parent} for cell in cells.values()},
        cells,
        path,
        "lies in itself",
        "lie in each other",
    )
    seen = tuple(_seen(below))
    if not seen:
        raise AuthorError(at, f"page '{page.name}' is empty; draw something, and save it again")
    ends = {cell.id: {cell.source, cell.target} for cell in seen if isinstance(cell, Connector)}
    _check_chain(ends, cells, path, "ends on itself", "end on each other")
    return GraphModel(seen, page.model.get("background") or "", page.model.get("math") == "1")


def _check_chain(
    after: Mapping[str, set[str]], cells: Mapping[str, _Cell], path: str, single: str, several: str
) -> None:
    """Raise AuthorError for cells of which each needs the next to be placed first. after: id -> those that it needs."""
    try:
        TopologicalSorter({id_: needed & after.keys() for id_, needed in after.items()}).prepare()
    except CycleError as error:
        names = sorted(set(error.args[1]))
        at = Origin(path, line_of(cells[names[0]].around))
        if len(names) == 1:
            raise AuthorError(at, f"the cell '{names[0]}' {single}; draw.io cannot place it") from None
        listed = ", ".join(f"'{name}'" for name in names[:3]) + ", ..." * (len(names) > 3)
        raise AuthorError(at, f"the cells {listed} {several}; draw.io cannot place them") from None


def _cells(page: Page) -> Iterator[_Cell]:
    root = page.model.find("root")
    for number, around in enumerate(root if root is not None else ()):
        node = around if around.tag == "mxCell" else around.find("mxCell")
        if node is not None:
            line = line_of(around) if page.is_plain else None
            yield _Cell(around.get("id") or f"cell {number}", node.get("parent") or "", node, around, line)


def _seen(below: Mapping[str, list[_Cell]]) -> Iterator[Shape | Connector]:
    """Visible cells, each after the cell that contains it."""
    # A cell, the box around it, the style around it, the texts for its placeholders, and whether its parent is an edge.
    stack: list[tuple[_Cell, Box, Style, Mapping[str, str], bool]]
    stack = [(cell, Box(0, 0, 0, 0), {}, {}, False) for cell in reversed(below.get("", []))]
    while stack:
        cell, box, around, texts, on_edge = stack.pop()
        if cell.node.get("visible") == "0":
            continue
        texts = {**texts, **_words(cell)} if cell.around is not cell.node else texts
        item: Shape | Connector | None = None
        if cell.is_edge:
            item = _connector(cell, box, texts)
        elif cell.node.get("vertex") == "1":
            item = _shape(cell, box, around, texts, on_edge)
            box, around = (box, around) if on_edge else (item.box, item.style)
        if item is not None:
            yield item
        if cell.node.get("collapsed") != "1":
            stack += [(child, box, around, texts, cell.is_edge) for child in reversed(below.get(cell.id, []))]


def _words(cell: _Cell) -> dict[str, str]:
    return {str(name): str(value) for name, value in cell.around.attrib.items()}


def _label(cell: _Cell, texts: Mapping[str, str]) -> str:
    text = cell.node.get("value") or cell.around.get("label") or ""
    if cell.around.get("placeholders") == "1":
        text = _PLACEHOLDER.sub(lambda match: texts.get(match[1], match[0]), text)
    return text


def _shape(cell: _Cell, box: Box, around: Style, texts: Mapping[str, str], on_edge: bool) -> Shape:
    geometry = cell.node.find("mxGeometry")
    x, y, width, height = (_number(geometry, name) for name in ("x", "y", "width", "height"))
    dx, dy = _point(geometry, "offset") or (0.0, 0.0)
    style = style_of(cell.node.get("style") or "", VERTEX)
    style = {
        name: around.get(name, "default") if value in ("swimlane", "inherit") and name != "shape" else value
        for name, value in style.items()
    }
    if on_edge:
        place = Box(dx, dy, width, height)
        along = max(-1.0, min(1.0, x))
        return Shape(
            cell.id, _label(cell, texts), style, _link(cell), place, cell.parent, along, y, line=cell.line
        )
    if geometry is not None and geometry.get("relative") == "1":
        x, y = x * box.width, y * box.height
    x, y = x + dx, y + dy
    place = Box(box.x + x, box.y + y, max(0.0, width), max(0.0, height))
    return Shape(cell.id, _label(cell, texts), style, _link(cell), place, parent=cell.parent, line=cell.line)


def _connector(cell: _Cell, box: Box, texts: Mapping[str, str]) -> Connector:
    geometry = cell.node.find("mxGeometry")

    def moved(point: Point | None) -> Point | None:
        return None if point is None else (point[0] + box.x, point[1] + box.y)

    listed = geometry.find("Array") if geometry is not None else None
    via = [
        (_number(point, "x") + box.x, _number(point, "y") + box.y)
        for point in (listed if listed is not None else ())
    ]
    return Connector(
        cell.id,
        _label(cell, texts),
        style_of(cell.node.get("style") or "", EDGE),
        _link(cell),
        cell.node.get("source") or "",
        cell.node.get("target") or "",
        moved(_point(geometry, "sourcePoint")),
        moved(_point(geometry, "targetPoint")),
        tuple(via),
        max(-1.0, min(1.0, _number(geometry, "x"))),
        _number(geometry, "y"),
        _point(geometry, "offset") or (0.0, 0.0),
        cell.line,
    )


def _link(cell: _Cell) -> str:
    return address(cell.around.get("link") or "")


def _point(geometry: etree._Element | None, name: str) -> Point | None:
    point = geometry.find(f"mxPoint[@as='{name}']") if geometry is not None else None
    return None if point is None else (_number(point, "x"), _number(point, "y"))


def _number(node: etree._Element | None, name: str) -> float:
    try:
        value = float(node.get(name, "0")) if node is not None else 0.0
    except ValueError:
        return 0.0
    return value if math.isfinite(value) and abs(value) <= FARTHEST else 0.0
