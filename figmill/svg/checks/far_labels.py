"""Labels of lines that lie further from their line than the others do, so that readers look for their line."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from figmill.svg.checks.edge_through_box import name
from figmill.svg.checks.line_through_text import short
from figmill.svg.checks.loose_arrows import is_page
from figmill.svg.document import Element
from figmill.svg.geometry.arrows import all_lines
from figmill.svg.geometry.labels import Label
from figmill.svg.geometry.outlines import nearest_on
from figmill.svg.geometry.parts import Parts, distance, from_segment, gap, segments
from figmill.svg.geometry.stripes import Stripes
from figmill.svg.geometry.strokes import Stroke
from figmill.svg.geometry.structure import Connector

FAR, FARTHEST = 1.5, 4.0  # em between a label and its line
NEAR = 1.0  # em: the others are closer
BESIDE_LINE = 0.5  # em between a text and its line, where it should be
FEWEST = 1  # others
TITLE = 1.1  # times the size of the texts beside lines: a larger one is a title
NEARER = 0.6  # times the distance to the line: the text belongs to a closer shape
BESIDE = 1.1  # times the distance to the line: how far its ends are from a text beside it
MOST = 500  # labels and lines


def far_labels(parts: Parts) -> Iterator[tuple[Element, str]]:
    """`label-far-from-line`: each label of a line that is further away than the others."""
    lines = tuple(line for line in parts.joining if _is_apart(line))
    if not lines or len(parts.labels) > MOST or len(lines) > MOST or len(parts.scene.shapes) > 10 * MOST:
        return
    owned = {label for box in parts.boxes if not box.inside for label in box.labels}
    free = [label for label in parts.labels if label not in owned]
    places = [(label, *_nearest(label, lines)) for label in free]
    close = [label for label, far, _ in places if far <= NEAR * label.size]
    if len(close) < FEWEST:
        return
    largest = TITLE * max(label.size for label in close)
    every = [stroke for stroke in all_lines(parts.scene) if not is_page(stroke.box, parts.view)]
    things = Stripes(every, lambda stroke: stroke.box, parts.view)
    for label, far, line in places:
        if not FAR * label.size < far <= FARTHEST * label.size or label.size > largest:
            continue
        if _is_past(label, far, line) or _has_other(label, NEARER * far, free, things, line):
            continue
        start, end = line.start.box, line.end.box
        assert start is not None and end is not None
        yield (
            label.text.node,
            f"the text '{short(label)}' is {far * parts.px:.0f} px from the line from '{name(start)}' to "
            f"'{name(end)}', and the others are closer; move it {_towards(label, line, parts.px)}",
        )


def _is_apart(line: Connector) -> bool:
    """Whether an arrow joins two boxes with room between them, where a text could be."""
    start, end = line.start.box, line.end.box
    return line.has_head and start is not None and end is not None and gap(start.bounds, end.bounds) > 0


def _nearest(label: Label, lines: tuple[Connector, ...]) -> tuple[float, Connector]:
    box = label.bounds(label.width)
    rows = ((distance(box, line), number) for number, line in enumerate(lines))
    far, number = min(rows)
    return far, lines[number]


def _towards(label: Label, line: Connector, px: float) -> str:
    """How far a text must move to lie beside its line, along the axis on which it is further away."""
    left, top, right, bottom = box = label.bounds(label.width)
    corners = (left, top), (right, top), (right, bottom), (left, bottom)
    places = (
        place for part in segments(line) for place in (*part, *(nearest_on(at, part) for at in corners))
    )
    x, y = min(places, key=lambda place: gap(box, (*place, *place)))
    across, down = max(left - x, x - right, 0.0), max(top - y, y - bottom, 0.0)
    way = ("left" if x < left else "right") if across > down else ("up" if y < top else "down")
    return f"{(max(across, down) - BESIDE_LINE * label.size) * px:.0f} px {way}"


def _is_past(label: Label, far: float, line: Connector) -> bool:
    """Whether a text lies beyond an end of a line, as a title does, and not beside it."""
    box = label.bounds(label.width)
    return any(gap(box, (*end.point, *end.point)) < BESIDE * far for end in line.ends)


def _has_other(label: Label, far: float, free: list[Label], things: Stripes[Stroke], line: Connector) -> bool:
    """Whether a label is as near to anything else: a shape, a box, or another free label."""
    box = label.bounds(label.width)
    around = box[0] - far, box[1] - far, box[2] + far, box[3] + far
    for stroke in things.meeting(around):
        if stroke.shape not in line.own and any(
            from_segment(box, part) <= far for part in pairwise(stroke.points)
        ):
            return True
    return any(
        other is not label and gap(box, other.bounds(other.width)) <= 0.8 * label.size for other in free
    )
