"""Connectors that run through a box to which they do not belong: readers take them for two connections.

A line counts if both of its ends lie at boxes, and a third box is on its way. A box around boxes is a container, which
lines may enter and leave. A line that ends in the box, or at another one inside it, belongs to it.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

from figmill.palette import PAGE
from figmill.svg.checks.line_through_text import FAINT, short
from figmill.svg.checks.ratios import ratio
from figmill.svg.document import Draft
from figmill.svg.geometry.detours import around, path
from figmill.svg.geometry.parts import parts_of
from figmill.svg.geometry.structure import Connector, DrawnBox, LineEnd, inside, structure
from figmill.svg.passes.page import page_colour
from figmill.svg.spec import Sheet

CHECK = "edge-through-box"
SAME = 1.1  # contrast of two colours that look the same
CURVED = 12  # points of a line: with more it is a curve
INSET = 2.0  # px from the outline of the box
LEAST = 8.0  # px of the line in the box
MOST_WAYS = 8  # lines of one drawing for which a way around is searched
SHARE = 0.3  # or this share of its shorter side, if that is less


def check_edges(draft: Draft, sheet: Sheet) -> None:
    """Warn of every connector that crosses a box on its way, or runs behind it."""
    if CHECK not in sheet.checks:
        return
    page = page_colour(sheet) or PAGE[0]
    parts = parts_of(draft, page)
    ways: dict[Connector, str] = {}
    for connector, box in passing(draft, page):
        start, end = connector.start.box, connector.end.box
        assert start is not None and end is not None
        hidden = box.area.shape.fill and box.area.shape.order > connector.shape.order
        how = "behind" if hidden else "across"
        if connector not in ways:
            way = around(connector, parts) if len(ways) < MOST_WAYS else None
            ways[connector] = "" if way is None else f": {path(way)}"
        draft.warn(
            CHECK,
            connector.shape.node,
            f"the line from '{name(start)}' to '{name(end)}' runs {how} the box '{name(box)}'; "
            f"lead it around{ways[connector]}",
        )


def passing(draft: Draft, page: str) -> Iterator[tuple[Connector, DrawnBox]]:
    """The connectors that run through a box, each with that box."""
    drawing = structure(draft)
    for connector in drawing.connectors:
        start, end = connector.start.box, connector.end.box
        if start is None or end is None or _is_lifeline(start, end) or _is_grid(connector, page):
            continue
        if start.table == end.table and not connector.has_head:
            continue  # a part of the box, or of the table
        if not connector.has_head and any(map(_leaves, connector.ends, reversed(connector.ends))):
            continue  # it runs on through a box at which it seems to end, as a lifeline does through a number
        for box in drawing.boxes:
            if (
                not is_ground(box, page)
                and _is_foreign(box, connector)
                and _crosses(connector, box, drawing.px)
            ):
                yield connector, box


def name(box: DrawnBox) -> str:
    """The first words of a box, for a message; not those that only say what it is, as in <<container>>.

    A cell has the name of its table.
    """
    if box.is_cell and box.within is not None:
        return name(box.within)
    return short(next((label for label in box.labels if label.words[:1] not in "<«["), box.labels[0]))


def _is_lifeline(start: DrawnBox, end: DrawnBox) -> bool:
    """Whether a line joins the two boxes of one participant of a sequence, with notes and frames over it."""
    return start is not end and start.words == end.words


def _leaves(end: LineEnd, other: LineEnd) -> bool:
    """Whether a line comes out of the box at which it ends, on the side away from its other end."""
    assert end.box is not None
    left, top, right, bottom = end.box.bounds
    x, y = (left + right) / 2, (top + bottom) / 2
    along = end.point[0] - other.point[0], end.point[1] - other.point[1]
    length = math.hypot(*along) or 1.0
    past = ((end.point[0] - x) * along[0] + (end.point[1] - y) * along[1]) / length
    return past > 0.4 * min(right - left, bottom - top)


def _is_grid(connector: Connector, page: str) -> bool:
    """Whether a line is as faint as a grid."""
    return not connector.has_head and all(ratio(tone, page) < FAINT for tone in connector.shape.stroke[:1])


def is_ground(box: DrawnBox, page: str) -> bool:
    """Whether a box only sets its text off from the line behind it: it has no outline, and the colour of the page."""
    shape = box.area.shape
    return not shape.stroke and all(ratio(tone, page) < SAME for tone in shape.fill)


def _is_foreign(box: DrawnBox, connector: Connector) -> bool:
    """Whether a line is unrelated to a box: it ends neither in it nor in its table, and no box is in it."""
    if box.inside or any(end.box is not None and end.box.table == box.table for end in connector.ends):
        return False
    if any(box.area.holds(end.point) for end in connector.ends):
        return False
    return connector.has_head or not _visits(connector, box)


def _visits(connector: Connector, box: DrawnBox) -> bool:
    """Whether a line without a head bends at a box: it leads from one station to the next."""
    left, top, right, bottom = box.bounds
    room = INSET + 0.1 * min(right - left, bottom - top)
    bends = [point for piece in connector.pieces for point in piece.points[1:-1]]
    return len(bends) < CURVED and any(
        left - room <= x <= right + room and top - room <= y <= bottom + room for x, y in bends
    )


def _crosses(connector: Connector, box: DrawnBox, px: float) -> bool:
    left, top, right, bottom = box.bounds
    least = min(LEAST, SHARE * min(right - left, bottom - top) * px)
    return sum(inside(piece, box, INSET / px) for piece in connector.pieces) * px >= least
