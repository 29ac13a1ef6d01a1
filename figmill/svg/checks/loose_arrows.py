"""Arrows that end in nothing: the tip is not near any shape, text, line or picture.

A single arrow says little: an axis also ends in nothing, and so does a force. So the check looks only at drawings that
connect things, where most other arrows end at something.
"""

from __future__ import annotations

import math

from figmill.svg.document import Draft
from figmill.svg.geometry.arrows import Arrow, all_lines, arrows
from figmill.svg.geometry.display_list import SHOWS, drawn
from figmill.svg.geometry.label_fit import lettering
from figmill.svg.geometry.labels import Label
from figmill.svg.geometry.outlines import Bounds, Point, to_line
from figmill.svg.geometry.parts import placed
from figmill.svg.geometry.rectangles import has
from figmill.svg.geometry.scene import bounds
from figmill.svg.geometry.stripes import Stripes
from figmill.svg.geometry.strokes import Stroke
from figmill.svg.geometry.structure import DrawnBox, on_outline, structure
from figmill.svg.spec import Sheet

CHECK = "loose-arrow"
NEAR = 14.0  # px from the tip of an arrow, or as many of its line's widths
WIDTHS = 4.0
FEWEST = 3  # arrows of a drawing that connects things
ATTACHED = 0.7  # share of the other arrows
MOST = 20_000  # lines
AHEAD = 0.7  # cosine of the angle within which a box lies ahead
SAME = 2.0  # px between the ends of a line that is drawn twice


def check_arrows(draft: Draft, sheet: Sheet) -> None:
    """Warn of every arrow whose tip is near nothing."""
    if CHECK not in sheet.checks:
        return
    fit, scene = lettering(draft), drawn(draft)
    if len(scene.shapes) > MOST:
        return
    every = all_lines(scene)
    if len(every) > MOST:
        return
    every_arrow = list(arrows(scene, every, fit.view, fit.px))
    if len(every_arrow) < FEWEST:
        return
    targets = Stripes([stroke for stroke in every if not is_page(stroke.box, fit.view)], _box, fit.view)
    labels = Stripes(fit.every, lambda label: label.bounds(label.width), fit.view)
    pictures = [bounds(picture) for picture in scene.pictures]
    loose = [arrow for arrow in every_arrow if not _ends_at(arrow, targets, labels, pictures, fit.px)]
    if len(every_arrow) - len(loose) < max(2, ATTACHED * (len(every_arrow) - 1)):
        return
    for arrow in loose:
        if _is_in_view(arrow.tip, fit.view):
            x, y = arrow.tip
            draft.warn(
                CHECK,
                arrow.line.shape.node,
                f"an arrow points at nothing at {x:.0f}, {y:.0f}; no shape or "
                f"text is within {NEAR:g} px of its tip{_nearest_box(arrow, draft)}",
            )


def _nearest_box(arrow: Arrow, draft: Draft) -> str:
    """The nearest box, one ahead if there is one, but not that at the arrow's other end; for a message."""
    rows = []
    for number, box in enumerate(structure(draft).boxes):
        if (
            box.inside
            or box.area.holds(arrow.tail)
            or math.dist(on_outline(box, arrow.tail), arrow.tail) <= SAME
        ):
            continue
        point = on_outline(box, arrow.tip)
        rows.append((not _is_ahead(arrow, box), math.dist(arrow.tip, point), number, box, point))
    if not rows:
        return ""
    *_, box, point = min(rows)
    return f"; the nearest box is '{box.labels[0].words[:40]}': end it at {placed(point)}"


def _is_ahead(arrow: Arrow, box: DrawnBox) -> bool:
    (x0, y0), (x1, y1) = arrow.tail, arrow.tip
    left, top, right, bottom = box.bounds
    across, down = (left + right) / 2 - x1, (top + bottom) / 2 - y1
    along = across * (x1 - x0) + down * (y1 - y0)
    return along >= AHEAD * math.hypot(across, down) * math.dist(arrow.tail, arrow.tip)


def _box(stroke: Stroke) -> Bounds:
    return stroke.box


def is_page(box: Bounds, view: Bounds) -> bool:
    return box[2] - box[0] >= SHOWS * (view[2] - view[0]) and box[3] - box[1] >= SHOWS * (view[3] - view[1])


def _is_in_view(point: Point, view: Bounds) -> bool:
    """Whether a point lies well within the view: an arrow may leave a drawing at its edge."""
    x, y = point
    edge = 0.02 * max(view[2] - view[0], view[3] - view[1])
    return view[0] + edge <= x <= view[2] - edge and view[1] + edge <= y <= view[3] - edge


def _ends_at(
    arrow: Arrow, targets: Stripes[Stroke], labels: Stripes[Label], pictures: list[Bounds], px: float
) -> bool:
    """Whether something is near the tip of an arrow."""
    room = max(NEAR / px, WIDTHS * arrow.line.width)
    x, y = arrow.tip
    around = x - room, y - room, x + room, y + room
    if labels.meeting(around):
        return True
    if any(
        box[0] <= around[2] and around[0] <= box[2] and box[1] <= around[3] and around[1] <= box[3]
        for box in pictures
    ):
        return True
    for target in targets.meeting(around):
        if target.shape in arrow.own or _is_same(target, arrow.line, SAME / px):
            continue
        if to_line(arrow.tip, target.points) <= room or (
            _is_small(target, room) and has(target.box, arrow.tip)
        ):
            return True
    return False


def _is_small(stroke: Stroke, room: float) -> bool:
    left, top, right, bottom = stroke.box
    return stroke.is_closed and min(right - left, bottom - top) <= 4 * room


def _is_same(first: Stroke, second: Stroke, room: float) -> bool:
    """Whether a line is another one drawn again."""
    ends = (first.points[0], first.points[-1]), (second.points[0], second.points[-1])
    pairs = zip(*ends, strict=True), zip(ends[0], ends[1][::-1], strict=True)
    return not first.is_closed and any(all(math.dist(*pair) <= room for pair in each) for each in pairs)
