"""Boxes that overlap, or that nearly touch where the others of the drawing keep a distance.

Boxes that contain each other are containers, and a small box across the border of a large one is a badge or a port.
Boxes of a role to which no line leads may be sets, bars or regions, which overlap on purpose.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from statistics import median

from figmill.svg.checks.edge_through_box import name
from figmill.svg.document import Element
from figmill.svg.geometry.areas import OPAQUE
from figmill.svg.geometry.outlines import Bounds
from figmill.svg.geometry.parts import AXES, WIDE, Parts, gap, role, side, written
from figmill.svg.geometry.rectangles import holds
from figmill.svg.geometry.scene import bounds
from figmill.svg.geometry.stripes import Stripes
from figmill.svg.geometry.structure import DrawnBox

DEEP = 2.0  # px of an overlap
ALIKE = 6.0  # times: the largest ratio of the areas of two boxes of one kind
WITHIN = 0.95  # share of a box from which it lies in the other
SAMPLES = 8  # points along each side of the common part
CLOSE, ROOMY = 4.0, 3.0  # px between two boxes; times that is usual elsewhere
FEWEST = 3  # distances that show what is usual
ROOM = 40.0  # px that a move leaves between two boxes: a line with its head has room there
SEAM = 1.5  # px: closer boxes touch on purpose
MOST = 600  # boxes: with more it is a map or a matrix


def overlaps(parts: Parts) -> Iterator[tuple[Element, str]]:
    """`boxes-overlap`: each pair of boxes that share an area, and the shortest move that separates them."""
    for box, other, common in overlapping(parts):
        across, down = (common[2] - common[0]) * parts.px, (common[3] - common[1]) * parts.px
        yield (
            other.area.shape.node,
            f"the boxes '{name(box)}' and '{name(other)}' overlap by {min(across, down):.0f} px; "
            f"{_apart(box, other, parts)}",
        )


def overlapping(parts: Parts) -> Iterator[tuple[DrawnBox, DrawnBox, Bounds]]:
    """The pairs of boxes that share an area, with what is common to their bounds.

    Copies form a stack, and what is hidden is the earlier state of a drawing: they are left out.
    """
    for box, other, common in _meeting(parts):
        across, down = (common[2] - common[0]) * parts.px, (common[3] - common[1]) * parts.px
        if min(across, down) <= DEEP or name(box) == name(other) or not _share(box, other, common):
            continue
        if not any(_is_hidden(each, parts) for each in (box, other)):
            yield box, other, common


def _is_hidden(box: DrawnBox, parts: Parts) -> bool:
    """Whether a later area hides all of a box with its words."""
    last = max(label.text.order for label in box.labels)
    return any(
        shape.order > last
        and shape.node.tag == "rect"
        and bool(shape.fill)
        and all(alpha >= OPAQUE for _, alpha in shape.fill)
        and holds(bounds(shape), box.bounds)
        for shape in parts.scene.shapes
    )


def _apart(box: DrawnBox, other: DrawnBox, parts: Parts) -> str:
    """The shortest move that puts a box beside another one, where no third one stands if there is such a place."""
    room = ROOM / parts.px
    _, _, axis, place = beside(box, other, parts)[0]
    last = place + side(other, axis)
    wider = f", and make the drawing {written(last + room - parts.view[axis])} {WIDE[axis]}"
    move = f"move '{name(other)}' to {AXES[axis]} = {written(place)}"
    return move + (wider if last > parts.view[axis + 2] else "")


def beside(box: DrawnBox, other: DrawnBox, parts: Parts) -> list[tuple[int, float, int, float]]:
    """The four places of a box beside another one, the best first.

    Each with how free it is (_taken), how far it is in root units, along which axis, and its coordinate there.
    """
    room = ROOM / parts.px
    places = (
        (axis, place)
        for axis in AXES
        for place in (box.bounds[axis] - room - side(other, axis), box.bounds[axis + 2] + room)
    )
    rows = [
        (_taken(axis, place, box, other, parts), abs(place - other.bounds[axis]), axis, place)
        for axis, place in places
    ]
    return sorted(rows, key=lambda row: row[:2])


def _taken(axis: int, place: float, box: DrawnBox, other: DrawnBox, parts: Parts) -> int:
    """0: a box would stand free at a place; 1: in a larger drawing; 2: over a third one, or left of the drawing."""
    moved = [*other.bounds]
    moved[axis], moved[axis + 2] = place, place + side(other, axis)
    left, top, right, bottom = moved
    if place < parts.view[axis] or any(
        third not in (box, other)
        and third not in other.inside
        and gap(third.bounds, (left, top, right, bottom)) == 0
        for third in parts.leaves
    ):
        return 2
    return int(moved[axis + 2] > parts.view[axis + 2])


def _meeting(parts: Parts) -> Iterator[tuple[DrawnBox, DrawnBox, Bounds]]:
    """The pairs of boxes whose bounds overlap, in paint order, with what is common to these bounds."""
    if len(parts.boxes) > MOST:
        return
    joined = {role(end.box) for line in parts.joining for end in line.ends if end.box is not None}
    number = {box: at for at, box in enumerate(parts.boxes)}
    index = Stripes(parts.boxes, lambda box: box.bounds, parts.view)
    for box in parts.boxes:
        for other in index.meeting(box.bounds):
            if number[other] <= number[box] or other in box.inside or box in other.inside:
                continue
            if box.table == other.table or not box.shapes.isdisjoint(other.shapes):
                continue
            sizes = sorted((box.area.size, other.area.size))
            if sizes[1] > ALIKE * sizes[0]:
                continue
            if not {role(box), role(other)} <= joined:
                continue
            (a, b, c, d), (e, f, g, h) = box.bounds, other.bounds
            common = max(a, e), max(b, f), min(c, g), min(d, h)
            if (common[2] - common[0]) * (common[3] - common[1]) < WITHIN * sizes[0]:
                yield box, other, common


def _share(box: DrawnBox, other: DrawnBox, common: Bounds) -> bool:
    """Whether two boxes share an area, and not only their bounds do."""
    left, top, right, bottom = common
    shares = [(2 * at + 1) / (2 * SAMPLES) for at in range(SAMPLES)]
    points = [(left + x * (right - left), top + y * (bottom - top)) for x in shares for y in shares]
    return sum(1 for point in points if box.area.holds(point) and other.area.holds(point)) > 1


def close_boxes(parts: Parts) -> Iterator[tuple[Element, str]]:
    """The part of `clearance` about boxes: each pair that is closer than boxes of this drawing are elsewhere."""
    leaves = parts.leaves
    if not FEWEST < len(leaves) <= MOST:
        return
    pairs = [
        (gap(box.bounds, other.bounds) * parts.px, box, other)
        for box, other in combinations(leaves, 2)
        if box.within is other.within and box.table != other.table
    ]
    nearest = dict.fromkeys(leaves, float("inf"))
    for far, box, other in pairs:
        nearest[box], nearest[other] = min(far, nearest[box]), min(far, nearest[other])
    usual = median(nearest.values())
    for far, box, other in pairs:
        if SEAM < far < CLOSE and usual >= ROOMY * CLOSE:
            yield (
                other.area.shape.node,
                f"the boxes '{name(box)}' and '{name(other)}' are {far:.0f} px apart, others {usual:.0f} px; "
                f"{_apart(box, other, parts)}",
            )
