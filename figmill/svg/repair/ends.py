"""Moves of the ends of lines: to the outline of their box, or on to the box ahead."""

from __future__ import annotations

import math
from collections.abc import Iterator

from figmill.svg.checks.arrow_ends import SHORT, odd_ends
from figmill.svg.checks.edge_through_box import name
from figmill.svg.checks.loose_ends import loose_ends
from figmill.svg.document import Draft
from figmill.svg.geometry.outlines import Point
from figmill.svg.geometry.structure import Connector, DrawnBox, LineEnd, meets
from figmill.svg.repair.boxes import pulled
from figmill.svg.repair.moves import Move
from figmill.svg.repair.room import FreeRoom

FARTHEST = 100.0  # px by which an end is led on


def to_outline(draft: Draft, room: FreeRoom) -> Iterator[Iterator[Move]]:
    """`short-arrow` and `arrow-inside`: the head ends where those of the others do."""
    px = room.parts.px
    for odd in odd_ends(draft):
        box, end = odd.end.box, odd.end
        assert box is not None
        by = _to_outline(_last_part(odd.connector, end), box, odd.usual / px)
        if by is not None:
            did = "extended" if odd.check == SHORT else "shortened"
            where = "short of" if odd.check == SHORT else "inside"
            why = f"{did} an arrow by {math.hypot(*by) * px:.0f} px: it ended {where} the box '{name(box)}'"
            yield iter([Move(tuple(pulled(odd.connector, end, by, (0.0, 0.0))), math.hypot(*by) * px, why)])


def to_box(draft: Draft, room: FreeRoom) -> Iterator[Iterator[Move]]:
    """`edge-ends-nowhere`: the end is led on to the box ahead, if that is near."""
    px = room.parts.px
    for loose in loose_ends(room.parts):
        if loose.ahead is None or loose.ahead[0] * px > FARTHEST:
            continue
        far, box, (x, y) = loose.ahead
        by = x - loose.loose.point[0], y - loose.loose.point[1]
        why = f"extended a line by {far * px:.0f} px to the box '{name(box)}': it ended at nothing"
        changes = tuple(pulled(loose.line, loose.loose, by, (0.0, 0.0)))
        yield iter([Move(changes, far * px, why, joins=True)])


def _last_part(line: Connector, end: LineEnd) -> tuple[Point, Point]:
    """The last straight part of a line, towards one of its ends."""
    points = line.pieces[-1].points if end is line.end else line.pieces[0].points[::-1]
    return points[-2], end.point


def _to_outline(part: tuple[Point, Point], box: DrawnBox, gap: float) -> Point | None:
    """How far an end moves along its line until it is `gap` before the outline of a box; None if it meets none."""
    point = meets(box, *part)
    if point is None:
        return None
    (x0, y0), (x1, y1) = part
    back = gap / math.dist(*part)
    return point[0] - x1 - back * (x1 - x0), point[1] - y1 - back * (y1 - y0)
