"""Moves of the ends of lines: to the outline of their box, or on to the box ahead."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import pairwise

from figmill.svg.checks.arrow_ends import SHORT, odd_ends
from figmill.svg.checks.edge_through_box import name
from figmill.svg.checks.loose_ends import loose_ends
from figmill.svg.document import Draft
from figmill.svg.geometry.outlines import Point
from figmill.svg.geometry.structure import Box, Connector, End
from figmill.svg.repair.boxes import pulled
from figmill.svg.repair.moves import Move
from figmill.svg.repair.room import Room

FARTHEST = 100.0  # px by which an end is led on


def to_outline(draft: Draft, room: Room) -> Iterator[Iterator[Move]]:
    """`short-arrow` and `arrow-inside`: the head ends where those of the others do."""
    px = room.parts.px
    for odd in odd_ends(draft):
        box, end = odd.end.box, odd.end
        assert box is not None
        points = _to(end, odd.connector)
        by = _reached(points, box, odd.usual / px)
        if by is not None:
            did = "extended" if odd.check == SHORT else "shortened"
            where = "short of" if odd.check == SHORT else "inside"
            why = f"{did} an arrow by {math.hypot(*by) * px:.0f} px: it ended {where} the box '{name(box)}'"
            yield iter([Move(tuple(pulled(odd.connector, end, by, (0.0, 0.0))), math.hypot(*by) * px, why)])


def to_box(draft: Draft, room: Room) -> Iterator[Iterator[Move]]:
    """`edge-ends-nowhere`: the end is led on to the box ahead, if that is near."""
    px = room.parts.px
    for loose in loose_ends(room.parts):
        if loose.ahead is None or loose.ahead[0] * px > FARTHEST:
            continue
        _, box, _ = loose.ahead
        by = _reached(_to(loose.loose, loose.line), box, 0.0)
        if by is not None:
            why = f"extended a line by {math.hypot(*by) * px:.0f} px to the box '{name(box)}': it ended at nothing"
            changes = tuple(pulled(loose.line, loose.loose, by, (0.0, 0.0)))
            yield iter([Move(changes, math.hypot(*by) * px, why, joins=True)])


def _to(end: End, line: Connector) -> tuple[Point, Point]:
    """The last straight part of a line, towards one of its ends."""
    points = line.pieces[-1].points if end is line.end else line.pieces[0].points[::-1]
    return points[-2], end.point


def _reached(part: tuple[Point, Point], box: Box, gap: float) -> Point | None:
    """How far an end moves along its line until it is `gap` before the outline of a box; None if it meets none."""
    (x0, y0), (x1, y1) = part
    length = math.hypot(x1 - x0, y1 - y0)
    if not length:
        return None
    along = (x1 - x0) / length, (y1 - y0) / length
    ring = box.area.ring
    if box.area.is_round:
        ring = _round(box)
    start = x1 - 1e4 * along[0], y1 - 1e4 * along[1]
    end = x1 + 1e4 * along[0], y1 + 1e4 * along[1]
    crossings = [
        at for pair in pairwise((*ring, ring[0])) if (at := _crossing((start, end), pair)) is not None
    ]
    # where the line, on its way from its other end, meets the box nearest to its tip
    ahead = [at * 2e4 - 1e4 for at in crossings if at * 2e4 - 1e4 > -length]
    if not ahead:
        return None
    far = min(ahead, key=lambda far: (abs(far), far)) - gap
    return far * along[0], far * along[1]


def _round(box: Box) -> tuple[Point, ...]:
    left, top, right, bottom = box.bounds
    rx, ry = (right - left) / 2, (bottom - top) / 2
    turns = (2 * math.pi * at / 180 for at in range(180))
    return tuple([(left + rx + rx * math.cos(turn), top + ry + ry * math.sin(turn)) for turn in turns])


def _crossing(first: tuple[Point, Point], second: tuple[Point, Point]) -> float | None:
    """The share of the first line at which it crosses the second one."""
    (x0, y0), (x1, y1) = first
    (x2, y2), (x3, y3) = second
    turn = (x1 - x0) * (y3 - y2) - (y1 - y0) * (x3 - x2)
    if abs(turn) < 1e-9:
        return None
    along = ((x2 - x0) * (y3 - y2) - (y2 - y0) * (x3 - x2)) / turn
    across = ((x2 - x0) * (y1 - y0) - (y2 - y0) * (x1 - x0)) / turn
    return along if 0 <= along <= 1 and -1e-9 <= across <= 1 + 1e-9 else None
