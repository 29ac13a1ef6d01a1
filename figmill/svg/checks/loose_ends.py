"""Lines that begin or end at nothing, in a drawing whose other lines join boxes.

The tip of an arrow at nothing is `loose-arrow`. An arrow may come from nowhere, as into the first state of a machine,
so its tail counts only if a box lies behind it.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

from figmill.late_dataclasses import dataclass
from figmill.svg.checks.edge_through_box import name
from figmill.svg.document import Element
from figmill.svg.geometry.arrows import all_lines
from figmill.svg.geometry.outlines import Point, to_line
from figmill.svg.geometry.parts import Parts, placed, segments
from figmill.svg.geometry.scene import bounds, rings
from figmill.svg.geometry.stripes import Stripes
from figmill.svg.geometry.strokes import clipped
from figmill.svg.geometry.structure import Connector, DrawnBox, LineEnd, meets, on_outline

NEAR = 12.0  # px from the end of a line
FEWEST, ATTACHED = 2, 0.7  # lines that join boxes, and their share of the others
AHEAD = 200.0  # px: how far on the box may lie
EDGE = 0.02  # share of the view: lines may leave a drawing
HUGGING = 0.3  # times the size of a box: how far from it the strokes of its outline may be
MOST = 20_000  # shapes


@dataclass(frozen=True, slots=True)
class LooseEnd:
    """An end of a line that is near nothing, and the end at the box.

    - ahead: how far the first box in its direction is, that box, and where the line would meet it.
    """

    line: Connector
    loose: LineEnd
    held: LineEnd
    ahead: tuple[float, DrawnBox, Point] | None


def nowhere(parts: Parts) -> Iterator[tuple[Element, str]]:
    """`edge-ends-nowhere`: each end of a line that is near nothing."""
    for end in loose_ends(parts):
        assert end.held.box is not None
        does = "begins" if end.held.has_head else "ends"
        far, box, point = end.ahead or _nearest(end.loose, end.held.box, parts)
        lies = f"the box '{name(box)}' lies {far * parts.px:.0f} px ahead"
        other = lies if end.ahead else f"the nearest box is '{name(box)}'"
        yield (
            end.line.shape.node,
            f"a line at the box '{name(end.held.box)}' {does} at nothing at {placed(end.loose.point)}; "
            f"{other}: end it at {placed(point)}",
        )


def loose_ends(parts: Parts) -> Iterator[LooseEnd]:
    """The ends of lines that are near nothing."""
    joining = len(parts.joining)
    if joining < max(FEWEST, ATTACHED * (len(parts.lines) - 1)) or len(parts.scene.shapes) > MOST:
        return
    ends = [
        (line, loose, held)
        for line in parts.lines
        for loose, held in (line.ends, line.ends[::-1])
        if loose.box is None
        and held.box is not None
        and not loose.has_head
        and not _is_outline(line, held.box)
    ]
    if not ends:
        return
    room = NEAR / parts.px
    things = Stripes(all_lines(parts.scene), lambda stroke: stroke.box, parts.view)
    labels = Stripes(parts.labels, lambda label: label.bounds(label.width), parts.view)
    pictures = Stripes(parts.scene.pictures, bounds, parts.view)
    for line, loose, held in ends:
        x, y = loose.point
        around = x - room, y - room, x + room, y + room
        if labels.meeting(around) or pictures.meeting(around) or not _is_in_view(loose.point, parts):
            continue
        if any(
            stroke.shape not in line.own and to_line(loose.point, stroke.points) <= room
            for stroke in things.meeting(around)
        ):
            continue
        if _returns(line, loose, room):
            continue
        ahead = _ahead(line, loose, parts)
        if ahead is None and held.has_head:
            continue
        yield LooseEnd(line, loose, held, ahead)


def _is_outline(line: Connector, box: DrawnBox) -> bool:
    """Whether a line belongs to a box's own outline, as a shade does, or is one of several that form a shape."""
    if len(rings(line.shape)) > len(line.pieces):
        return True
    left, top, right, bottom = box.bounds
    room = HUGGING * min(right - left, bottom - top)
    return all(
        left - room <= x <= right + room and top - room <= y <= bottom + room
        for piece in line.pieces
        for x, y in piece.points
    )


def _is_in_view(point: Point, parts: Parts) -> bool:
    left, top, right, bottom = parts.view
    edge = EDGE * max(right - left, bottom - top)
    return left + edge <= point[0] <= right - edge and top + edge <= point[1] <= bottom - edge


def _returns(line: Connector, loose: LineEnd, room: float) -> bool:
    """Whether a line comes back to its own end, as the outline of a block arrow does."""
    every = [*segments(line)]
    walked = 0.0
    for start, end in every[::-1] if loose is line.end else every:
        if walked > 3 * room and to_line(loose.point, (start, end)) <= 2 * room:
            return True
        walked += math.dist(start, end)
    return False


def _nearest(loose: LineEnd, held: DrawnBox, parts: Parts) -> tuple[float, DrawnBox, Point]:
    """The box that is nearest to a loose end, but the one at the other end; how far it lies, and where."""
    rows = []
    for number, box in enumerate(parts.boxes):
        if box is not held:
            point = on_outline(box, loose.point)
            rows.append((math.dist(point, loose.point), number, box, point))
    far, _, box, point = min(rows)
    return far, box, point


def _ahead(line: Connector, loose: LineEnd, parts: Parts) -> tuple[float, DrawnBox, Point] | None:
    """The first box in the direction in which a line ends; how far it lies, and where the line would meet it."""
    every = list(segments(line))
    (x0, y0), (x1, y1) = every[-1] if loose is line.end else every[0][::-1]
    step = math.dist((x0, y0), (x1, y1))
    if not step:
        return None
    far = AHEAD / parts.px / step
    beyond = (x1, y1), (x1 + far * (x1 - x0), y1 + far * (y1 - y0))
    reached = [
        (math.dist((x1, y1), point), number, box, point)
        for number, box in enumerate(parts.boxes)
        if clipped(beyond, box.bounds) is not None
        and not box.area.holds((x1, y1))
        and (point := meets(box, (x0, y0), (x1, y1))) is not None
    ]
    if not reached:
        return None
    nearest, _, box, point = min(reached)
    return nearest, box, point
