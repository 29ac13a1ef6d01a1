"""The shapes and connectors of a draw.io page as tables. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from figmill.kind import FigureTable, tables
from figmill_kinds.drawio.model import Connector, Shape


def tables_of(cells: Sequence[Shape | Connector]) -> tuple[FigureTable, ...]:
    """The shapes with the label of the shape around them, and the connectors between two shapes, with their labels."""
    shapes = {cell.id: cell for cell in cells if isinstance(cell, Shape) and not cell.on_edge}
    lines = [cell for cell in cells if isinstance(cell, Connector)]
    ends = {end for line in lines for end in (line.source, line.target)}
    names = {
        id_: shape.label or (f"{shape.form} {number}" if id_ in ends else "")
        for number, (id_, shape) in enumerate(shapes.items(), 1)
    }
    beside: dict[str, list[str]] = {}
    for cell in cells:
        if isinstance(cell, Shape) and cell.on_edge and cell.label:
            beside.setdefault(cell.on_edge, []).append(cell.label)
    edges = [
        (
            names[line.source],
            names[line.target],
            ", ".join(filter(None, (line.label, *beside.get(line.id, ())))) or None,
        )
        for line in lines
        if line.source in names and line.target in names
    ]
    around = {id_: _around(shape, shapes.values()) for id_, shape in shapes.items()}
    holders = {holder.id for holder in around.values() if holder is not None}
    nodes = [
        (name, holder.label if (holder := around[id_]) is not None else None)
        for id_, name in names.items()
        if name and (id_ not in holders or id_ in ends)
    ]
    return tables.graph(nodes, edges)


def _around(shape: Shape, others: Iterable[Shape]) -> Shape | None:
    """The smallest shape with a label whose box contains this one's."""
    holders = [
        other
        for other in others
        if other.label and other.box.area > shape.box.area and other.box.contains(shape.box)
    ]
    return min(holders, key=lambda holder: holder.box.area, default=None)
