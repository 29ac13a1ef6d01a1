"""New routes of lines: around the box that they run through, or by right angles where the others run so."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import pairwise

from figmill.svg.checks.edge_through_box import name, passing
from figmill.svg.document import Draft
from figmill.svg.geometry.detours import around, is_among_level, is_straight, own_labels
from figmill.svg.geometry.labels import Label
from figmill.svg.geometry.outlines import Point
from figmill.svg.geometry.parts import distance, from_segment, segments
from figmill.svg.geometry.structure import Connector
from figmill.svg.repair.moves import Change, Move, Reroute, Shift
from figmill.svg.repair.room import FreeRoom

MOST_BENDS = 4  # of a new route


def bypass(draft: Draft, room: FreeRoom) -> Iterator[Iterator[Move]]:
    """`edge-through-box`: the arrow is led around the box. A line without a head may mean to stop there."""
    seen: set[Connector] = set()
    for line, box in passing(draft, room.parts.page):
        if line not in seen and line.has_head:
            seen.add(line)
            yield _led(line, f"it ran through the box '{name(box)}'", room)


def straighten(draft: Draft, room: FreeRoom) -> Iterator[Iterator[Move]]:
    """`mixed-routes`: the line runs by right angles."""
    nodes = {node for node, _, check in draft.warnings if check == "mixed-routes"}
    for line in room.parts.joining:
        if line.shape.node in nodes:
            yield _led(line, "it was slanted, and the others run along the axes", room, 2)


def _led(line: Connector, why: str, room: FreeRoom, most: int = MOST_BENDS) -> Iterator[Move]:
    """The new route of a line, with its own texts beside it. A curve among curves stays."""
    start, end, parts = line.start.box, line.end.box, room.parts
    if start is None or end is None or start is end or len(line.pieces) != 1 or line.shape.rough:
        return
    if not is_straight(line) and not is_among_level(line, parts):
        return
    points = around(line, parts)
    if points is not None and len(points) - 2 <= most:
        changes: list[Change] = [Reroute(line.shape.node, line.shape.ctm, points)]
        for label in own_labels(line, parts):
            changes.append(Shift(label.text.node, label.text.ctm, _beside(label, line, points)))
        far = max(distance((*point, *point), line) for point in points) * parts.px
        said = f"led the line from '{name(start)}' to '{name(end)}' around: {why}"
        yield Move(tuple(changes), far, said)


def _beside(label: Label, line: Connector, points: tuple[Point, ...]) -> Point:
    """How a text of the old route moves to be beside the longest level part of the new one, or beside its longest."""
    box = label.bounds(label.width)
    parts = sorted(pairwise(points), key=lambda part: (part[0][1] != part[1][1], -math.dist(*part)))
    wide = box[2] - box[0]
    (x0, y0), (x1, y1) = next(
        (part for part in parts if part[0][1] == part[1][1] and abs(part[0][0] - part[1][0]) > wide),
        max(parts, key=lambda part: math.dist(*part)),
    )
    near = max(0.35 * label.size, min(from_segment(box, part) for part in segments(line)))
    if y0 == y1:
        return (x0 + x1 - box[0] - box[2]) / 2, y0 - near - box[3]
    return x0 + near - box[0], (y0 + y1 - box[1] - box[3]) / 2
