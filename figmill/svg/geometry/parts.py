"""What the checks of layout compare: the boxes and lines of a drawing with its labels, and the rows that boxes form.

Coordinates are in root units, which are those that the author wrote unless a transform is around them. Judges nothing.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import pairwise
from typing import TypeAlias

from figmill.late_dataclasses import dataclass
from figmill.svg.document import Draft
from figmill.svg.geometry.display_list import drawn
from figmill.svg.geometry.label_fit import lettering
from figmill.svg.geometry.labels import Label
from figmill.svg.geometry.outlines import Bounds, Point, to_line
from figmill.svg.geometry.scene import Scene
from figmill.svg.geometry.strokes import clipped
from figmill.svg.geometry.structure import Connector, DrawnBox, structure

Role: TypeAlias = tuple[object, ...]

ACROSS, DOWN = 0, 1  # the axes: a row of boxes runs across, a column down
AXES = {ACROSS: "x", DOWN: "y"}
SIZES = {ACROSS: "width", DOWN: "height"}
WIDE = {ACROSS: "wide", DOWN: "high"}
ALONG = {ACROSS: "row", DOWN: "column"}


@dataclass(frozen=True, slots=True)
class Parts:
    """The parts of one drawing.

    - lines: the connectors that lead somewhere.
    - px: px per root unit.
    """

    boxes: tuple[DrawnBox, ...]
    lines: tuple[Connector, ...]
    labels: tuple[Label, ...]
    view: Bounds
    px: float
    scene: Scene
    page: str  # its colour

    @property
    def joining(self) -> tuple[Connector, ...]:
        """The lines with a box at each end."""
        return tuple(line for line in self.lines if line.start.box is not None and line.end.box is not None)

    @property
    def leaves(self) -> tuple[DrawnBox, ...]:
        """The boxes that contain no other box and are not cells of a table."""
        return tuple(box for box in self.boxes if not box.inside and not box.is_cell)


def parts_of(draft: Draft, page: str) -> Parts:
    drawing, fit = structure(draft), lettering(draft)
    lines = tuple(connector for connector in drawing.connectors if connector.leads)
    return Parts(tuple(drawing.boxes), lines, tuple(fit.every), fit.view, fit.px, drawn(draft), page)


def role(box: DrawnBox) -> Role:
    """What boxes that mean the same have in common: their form, their paints and their lines of text."""
    shape = box.area.shape
    return shape.node.tag, shape.fill, shape.stroke, shape.dashes


def roles(boxes: tuple[DrawnBox, ...]) -> list[list[DrawnBox]]:
    """The boxes by role, in paint order."""
    groups: dict[Role, list[DrawnBox]] = {}
    for box in boxes:
        groups.setdefault(role(box), []).append(box)
    return list(groups.values())


def side(box: DrawnBox, axis: int) -> float:
    """The size of a box along an axis."""
    return box.bounds[axis + 2] - box.bounds[axis]


def middle(box: DrawnBox, axis: int) -> float:
    return (box.bounds[axis] + box.bounds[axis + 2]) / 2


def segments(line: Connector) -> Iterator[tuple[Point, Point]]:
    """The straight parts of a line."""
    for piece in line.pieces:
        yield from pairwise(piece.points)


def gap(box: Bounds, other: Bounds) -> float:
    """The distance between two rectangles; 0 if they meet."""
    across = max(box[0] - other[2], other[0] - box[2], 0.0)
    down = max(box[1] - other[3], other[1] - box[3], 0.0)
    return math.hypot(across, down)


def distance(box: Bounds, line: Connector) -> float:
    """The distance of a rectangle from a line."""
    return min(from_segment(box, part) for part in segments(line))


def from_segment(box: Bounds, part: tuple[Point, Point]) -> float:
    """The distance of a rectangle from a straight line."""
    if clipped(part, box) is not None:
        return 0.0
    corners = ((box[0], box[1]), (box[2], box[1]), (box[2], box[3]), (box[0], box[3]))
    return min(
        *(gap(box, (*point, *point)) for point in part), *(to_line(corner, part) for corner in corners)
    )


def placed(point: Point) -> str:
    """A point for a message."""
    return f"{written(point[0])}, {written(point[1])}"


def written(number: float) -> str:
    """A coordinate for a message, with one decimal at most."""
    return f"{round(number, 1) + 0.0:g}"
