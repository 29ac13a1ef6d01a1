"""The shapes and connectors of a draw.io page as tables. Pure."""

from __future__ import annotations

from collections.abc import Iterable

from figmill.kind import FigureTable, tables
from figmill.kind.stated import NAMELESS, Stated, stated
from figmill_kinds.drawio.labels import cleaned
from figmill_kinds.drawio.model import Connector, GraphModel, Shape
from figmill_kinds.drawio.styles import is_on


def tables_of(diagram: GraphModel) -> tuple[FigureTable, ...]:
    """The shapes with the label of the shape around them, and the connectors between two shapes, with their labels."""
    shapes = {cell.id: cell for cell in diagram.cells if isinstance(cell, Shape) and not cell.on_edge}
    names = {id_: _words(cell) for id_, cell in shapes.items()}
    lines = [cell for cell in diagram.cells if isinstance(cell, Connector)]
    ends = {end for line in lines for end in (line.source, line.target)}
    for number, id_ in enumerate(shapes, 1):
        if not names[id_] and id_ in ends:
            names[id_] = f"{shapes[id_].style.get('shape', 'shape')} {number}"
    beside: dict[str, list[str]] = {}
    for cell in diagram.cells:
        if isinstance(cell, Shape) and cell.on_edge and (text := _words(cell)):
            beside.setdefault(cell.on_edge, []).append(text)
    edges = []
    for line in lines:
        start, end = (line.target, line.source) if _is_backwards(line) else (line.source, line.target)
        if start in names and end in names:
            label = ", ".join(filter(None, (_words(line), *beside.get(line.id, ()))))
            edges.append((names[start], names[end], label or None))
    around = {id_: _around(cell, shapes.values()) for id_, cell in shapes.items()}
    holders = {cell.id for cell in around.values() if cell is not None}
    nodes = [
        (name, names[box.id] or None if (box := around[id_]) is not None else None)
        for id_, name in names.items()
        if name and (id_ not in holders or id_ in ends)
    ]
    return tables.graph(nodes, edges)


def stated_of(diagram: GraphModel) -> Stated:
    """The labels of shapes and connectors; each connector by the id of its line."""
    labels = [
        "\n".join(cleaned(cell.label, is_on(cell.style, "html"))[1])
        for cell in diagram.cells
        if _has_label(cell)
    ]
    names = {cell.id: _words(cell) or NAMELESS for cell in diagram.cells if isinstance(cell, Shape)}
    lines = [
        cell
        for cell in diagram.cells
        if isinstance(cell, Connector) and cell.style.get("strokeColor") != "none"
    ]
    relations = [
        (names.get(line.source, NAMELESS), names.get(line.target, NAMELESS), _words(line), mark(line))
        for line in lines
    ]
    return stated(labels, relations)


def mark(line: Connector) -> str:
    """The id of a connector's line in the drawing."""
    return f"edge-{line.id}"


def _has_label(cell: Shape | Connector) -> bool:
    return not is_on(cell.style, "noLabel") and "$$" not in cell.label


def _words(cell: Shape | Connector) -> str:
    return " ".join(cleaned(cell.label, is_on(cell.style, "html"))[1])


def _is_backwards(line: Connector) -> bool:
    """Whether a connector has an arrow at its start alone."""
    return line.style.get("startArrow", "none") != "none" and line.style.get("endArrow", "classic") == "none"


def _around(cell: Shape, others: Iterable[Shape]) -> Shape | None:
    """The smallest shape with a label whose box contains this one's."""
    box = cell.box
    containers = [
        other
        for other in others
        if other is not cell
        and other.label
        and other.box.x <= box.x
        and other.box.y <= box.y
        and other.box.right >= box.right
        and other.box.bottom >= box.bottom
        and other.box.width * other.box.height > box.width * box.height
    ]
    return min(containers, key=lambda other: other.box.width * other.box.height, default=None)
