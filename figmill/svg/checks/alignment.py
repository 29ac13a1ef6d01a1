"""Boxes that nearly stand in the row or column of others.

A layout by springs puts boxes anywhere, so a box counts only beside others that stand in line exactly: two of them, or
one where the rest of the drawing is tidy.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from figmill.late_dataclasses import dataclass
from figmill.svg.checks.edge_through_box import name
from figmill.svg.document import Element
from figmill.svg.geometry.parts import ACROSS, ALONG, AXES, DOWN, Parts, middle, roles, side, written
from figmill.svg.geometry.structure import DrawnBox

EXACT = 0.2  # px between boxes in line
LEAST, MOST = 0.9, 6.0  # px: how far a box is off
SAME = 1.0  # px between the sizes of boxes that form a row
REACH = 3.0  # times the size of a box: the farthest neighbour
TIDY, PARTLY = 0.65, 0.4  # share of the other boxes that stand in line exactly; beside two of them
FEWEST = 2  # neighbours in line
BOXES = 400  # of a role
WAYS = {ACROSS: ("right of", "left of"), DOWN: ("lower than", "higher than")}


@dataclass(frozen=True, slots=True)
class OffLine:
    """A box that is a few px off a row or a column.

    - by: px.
    - axis: along which.
    - mates: the boxes in line.
    """

    box: DrawnBox
    axis: int
    by: float
    mates: tuple[DrawnBox, ...]


def almost_aligned(parts: Parts) -> Iterator[tuple[Element, str]]:
    """`almost-aligned`: each box that is a few px off its row or column, and where it would stand in line."""
    for off in off_lines(parts):
        way = WAYS[off.axis][off.by < 0]
        row = " and ".join(f"'{name(mate)}'" for mate in off.mates[:FEWEST])
        right = off.mates[0].bounds[off.axis]
        yield (
            off.box.area.shape.node,
            f"the box '{name(off.box)}' is {written(abs(off.by))} px {way} the {ALONG[1 - off.axis]} of {row}: "
            f"{AXES[off.axis]} = {written(right)}",
        )


def off_lines(parts: Parts) -> Iterator[OffLine]:
    """The boxes that are a few px off."""
    for group in roles(parts.leaves):
        if len(group) > BOXES:
            continue
        for axis in (DOWN, ACROSS):
            yield from _off(group, axis, parts.px)


def _off(group: Sequence[DrawnBox], axis: int, px: float) -> Iterator[OffLine]:
    """axis: along which a box is off; its row runs along the other one."""
    lines = {box: _neighbours(box, group, axis, px) for box in group}
    exact = {box for box, others in lines.items() if any(abs(by) <= EXACT for by, _ in others)}
    for box, others in lines.items():
        if box in exact:
            continue
        near = [(by, other) for by, other in others if LEAST <= abs(by) <= MOST]
        if not near:
            continue
        by, nearest = near[0]
        mates = [nearest, *(other for off, other in near[1:] if abs(off - by) <= EXACT)]
        rest = [other for other in group if other is not box]
        share = sum(other in exact for other in rest) / len(rest)
        if share >= (PARTLY if len(mates) >= FEWEST else TIDY):
            yield OffLine(box, axis, by, tuple(mates))


def _neighbours(
    box: DrawnBox, group: Sequence[DrawnBox], axis: int, px: float
) -> list[tuple[float, DrawnBox]]:
    """The boxes of the same size beside a box, nearest first, each with how far the box is off in px."""
    along = 1 - axis
    rows = []
    for number, other in enumerate(group):
        if (
            other is box
            or other.within is not box.within
            or abs(side(other, axis) - side(box, axis)) * px > SAME
        ):
            continue
        far = abs(middle(other, along) - middle(box, along)) - (side(box, along) + side(other, along)) / 2
        off = (middle(box, axis) - middle(other, axis)) * px
        if far >= 0 and abs(off) <= MOST:
            rows.append((far, number, off, other))
    rows.sort()
    reach = REACH * max(side(box, along), side(box, axis))
    return [(off, other) for far, _, off, other in rows if far <= reach]
