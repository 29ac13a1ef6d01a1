"""Arrows that stop short of their box, or end inside it.

Tools leave a gap of their own between a head and its box, and some draw the head's last pixels over the outline. So a
head is compared with the others of its drawing: what counts is how far it is from where most of them end. An arrow that
ends at something else, such as a lifeline or a compartment, ends where it should.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from itertools import pairwise
from statistics import median

from figmill.late_dataclasses import dataclass
from figmill.svg.checks.edge_through_box import name
from figmill.svg.document import Draft
from figmill.svg.geometry.arrows import all_lines
from figmill.svg.geometry.display_list import drawn
from figmill.svg.geometry.label_fit import lettering
from figmill.svg.geometry.outlines import Point, to_line
from figmill.svg.geometry.parts import placed
from figmill.svg.geometry.stripes import Stripes
from figmill.svg.geometry.strokes import Stroke
from figmill.svg.geometry.structure import Connector, LineEnd, meets, on_outline, structure
from figmill.svg.spec import Sheet

SHORT, INSIDE = "short-arrow", "arrow-inside"
FEWEST = 3  # heads that show where a drawing's arrows end; with fewer, at the outline
OFF = 6.0  # px


@dataclass(frozen=True, slots=True)
class OddEnd:
    """A head that is `gap` px from the outline of its box, negative inside, where `usual` px are usual."""

    connector: Connector
    end: LineEnd
    gap: float
    usual: float

    @property
    def check(self) -> str:
        return SHORT if self.gap > self.usual else INSIDE


def check_ends(draft: Draft, sheet: Sheet) -> None:
    """Warn of each head that ends elsewhere than the others do."""
    if sheet.checks.isdisjoint((SHORT, INSIDE)):
        return
    for odd in odd_ends(draft):
        where = f"{odd.gap:.0f} px short of" if odd.check == SHORT else f"{-odd.gap:.0f} px inside"
        if odd.check in sheet.checks and odd.end.box is not None:
            point = placed(border(odd.connector, odd.end))
            message = f"an arrow ends {where} the box '{name(odd.end.box)}'; end it at {point}"
            draft.warn(odd.check, odd.connector.shape.node, message)


def odd_ends(draft: Draft) -> Iterator[OddEnd]:
    """The heads that end elsewhere than the others do."""
    drawing = structure(draft)
    ends = [
        (connector, end, end.gap * drawing.px)
        for connector in drawing.connectors
        if all(end.box is not None for end in connector.ends)
        for end in connector.ends
        if end.has_head and end.box is not None and not end.box.is_cell
    ]
    whole = median(gap for _, _, gap in ends) if len(ends) >= FEWEST else 0.0
    alike = defaultdict[object, list[float]](list)
    for connector, end, gap in ends:
        alike[_head(connector, end)].append(gap)
    usual = {head: median(gaps) if len(gaps) >= FEWEST else whole for head, gaps in alike.items()}
    off = [(*row, its) for row in ends if abs(row[2] - (its := usual[_head(row[0], row[1])])) > OFF]
    if not off:
        return
    fit = lettering(draft)
    lines = Stripes(all_lines(drawn(draft)), lambda stroke: stroke.box, fit.view)
    labels = Stripes(fit.every, lambda label: label.bounds(label.width), fit.view)
    for connector, end, gap, its in off:
        x, y = end.point
        room = (OFF + max(its, 0.0)) / drawing.px
        around = x - room, y - room, x + room, y + room
        if any(_may_end_at(line, end, connector, room) for line in lines.meeting(around)):
            continue
        if gap <= its or not labels.meeting(around):
            yield OddEnd(connector, end, gap, its)


def _head(connector: Connector, end: LineEnd) -> tuple[bool, float]:
    """Whether a head is a marker, and the width of its line: a marker may reach beyond the line as far as that says."""
    name = "marker-end" if end is connector.end else "marker-start"
    return connector.shape.values.get(name, "none") != "none", round(connector.pieces[0].width, 1)


def border(connector: Connector, end: LineEnd) -> Point:
    """Where a line should end: on the outline of its box, further along the way on which it comes, or back on it."""
    assert end.box is not None
    way = [point for piece in connector.pieces for point in piece.points]
    if end is connector.start:
        way.reverse()
    way[-1] = end.point
    parts = [*pairwise(way)][::-1]
    for start, tip in parts if end.box.area.holds(end.point) else parts[:1]:
        point = meets(end.box, start, tip)
        if point is not None:
            return point
    return on_outline(end.box, end.point)


def _may_end_at(line: Stroke, end: LineEnd, connector: Connector, room: float) -> bool:
    """Whether an arrow ends at another line than its own and the outline of its box."""
    if line.shape in connector.own or (end.box is not None and line.shape in end.box.shapes):
        return False
    return to_line(end.point, line.points) <= room
