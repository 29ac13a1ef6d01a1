"""Boxes of one role whose sizes or gaps nearly agree.

A box that its text makes wider is as it should be: programs give each box the size of its label. So a size counts only
if the others have one in common, whatever their labels, and the text would fit into it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import pairwise

from figmill.late_dataclasses import dataclass
from figmill.svg.checks.edge_through_box import name
from figmill.svg.document import Element
from figmill.svg.geometry.parts import (
    ACROSS,
    ALONG,
    AXES,
    DOWN,
    SIZES,
    WIDE,
    Parts,
    middle,
    roles,
    side,
    written,
)
from figmill.svg.geometry.structure import DrawnBox

EXACT = 0.5  # px between equal sizes
LEAST, MOST = 0.01, 0.2  # share by which a size differs
SMALLEST = 1.0  # px of a difference
WIDER = 0.35  # share by which a gap may differ: gaps are smaller than boxes
SAME_GAP, WORST_GAP = 2.0, 4.0  # px between equal gaps; the least difference that is reported
PADDING = 0.6  # em between a text and the border of its box
ROUND = 1.42  # times the width of a text: that of an ellipse around it
EQUAL = 0.5  # share of the other boxes that have the usual size
FEW = 0.34  # share of the others that may differ
SAME_ROW = 6.0  # px between the middles of boxes in one row
BOXES = 400


@dataclass(frozen=True, slots=True)
class OddSize:
    """A box whose size along an axis differs from the usual size of its role, in px."""

    box: DrawnBox
    axis: int
    size: float
    usual: float


@dataclass(frozen=True, slots=True)
class OddGap:
    """A gap in a row, before the box at a place in it, that differs from the others; in px."""

    row: tuple[DrawnBox, ...]
    place: int
    axis: int
    size: float
    usual: float


def unequal(parts: Parts) -> Iterator[tuple[Element, str]]:
    """`unequal`: each box and each gap that differs a little from the others, and what those have."""
    for odd in odd_sizes(parts):
        yield (
            odd.box.area.shape.node,
            f"the box '{name(odd.box)}' is {odd.size:.0f} px {WIDE[odd.axis]}, "
            f"the others like it {odd.usual:.0f} px: {SIZES[odd.axis]} = {written(odd.usual / parts.px)}",
        )
    for gap in odd_gaps(parts):
        box, other = gap.row[gap.place - 1 : gap.place + 1]
        right = box.bounds[gap.axis + 2] + gap.usual / parts.px
        yield (
            other.area.shape.node,
            f"the gap between '{name(box)}' and '{name(other)}' is {gap.size:.0f} px, "
            f"others in this {ALONG[gap.axis]} {gap.usual:.0f} px: "
            f"move '{name(other)}' to {AXES[gap.axis]} = {written(right)}",
        )


def odd_sizes(parts: Parts) -> Iterator[OddSize]:
    """The boxes whose size differs a little from that of the others."""
    for group in roles(parts.leaves):
        for axis in (ACROSS, DOWN) if len(group) <= BOXES else ():
            yield from _sizes(group, axis, parts.px)


def odd_gaps(parts: Parts) -> Iterator[OddGap]:
    """The gaps that differ a little from the others of their row or column."""
    for group in roles(parts.leaves):
        for axis in (ACROSS, DOWN) if len(group) <= BOXES else ():
            yield from _gaps(group, axis, parts.px)


def _sizes(group: Sequence[DrawnBox], axis: int, px: float) -> Iterator[OddSize]:
    sizes = {box: side(box, axis) * px for box in group}
    counts = Counter(round(size / EXACT) for size in sizes.values())
    (most, count), *_ = counts.most_common(1)
    usual = most * EXACT
    others = [box for box in group if abs(sizes[box] - usual) > SMALLEST]
    if count < 2 or count < EQUAL * (len(group) - 1) or len(others) > max(1, FEW * count):
        return
    for box in others:
        share = abs(sizes[box] / usual - 1)
        if counts[round(sizes[box] / EXACT)] > 1:
            continue  # two boxes that differ alike are meant to
        if LEAST <= share <= MOST and room_for(box, axis, px) <= usual:
            yield OddSize(box, axis, sizes[box], usual)


def room_for(box: DrawnBox, axis: int, px: float) -> float:
    """The least size of a box in px that has room for its text."""
    em = max(label.size for label in box.labels)
    every = [label.bounds(label.width) for label in box.labels]
    text = max(bounds[axis + 2] for bounds in every) - min(bounds[axis] for bounds in every)
    return (text * (ROUND if box.area.is_round else 1.0) + 2 * PADDING * em) * px


def _gaps(group: Sequence[DrawnBox], axis: int, px: float) -> Iterator[OddGap]:
    """The gaps in each row (across) or column (down) of three boxes or more."""
    for row in _rows(group, axis, px):
        gaps = [(other.bounds[axis] - box.bounds[axis + 2]) * px for box, other in pairwise(row)]
        usual = usual_gap(gaps, ())
        for place, (far, box) in enumerate(zip(gaps, row, strict=False), 1):
            off = abs(far - usual)
            if off >= WORST_GAP and off <= WIDER * usual and usual <= _longer(box) * px:
                yield OddGap(tuple(row), place, axis, far, usual)


def _longer(box: DrawnBox) -> float:
    return max(side(box, ACROSS), side(box, DOWN))


def _rows(group: Sequence[DrawnBox], axis: int, px: float) -> Iterator[list[DrawnBox]]:
    """Boxes of about one size side by side, from the first to the last, without a seam between them."""
    across = 1 - axis
    rows: list[list[DrawnBox]] = []
    for box in sorted(group, key=lambda box: middle(box, across)):
        if rows and _is_in(rows[-1], box, across, px):
            rows[-1].append(box)
        else:
            rows.append([box])
    for row in rows:
        row.sort(key=lambda box: box.bounds[axis])
        gaps = [other.bounds[axis] - box.bounds[axis + 2] for box, other in pairwise(row)]
        if len(gaps) > 1 and min(gaps) * px > SAME_GAP:
            yield row


def _is_in(row: Sequence[DrawnBox], box: DrawnBox, across: int, px: float) -> bool:
    last = row[-1]
    return (
        last.within is box.within
        and (middle(box, across) - middle(row[0], across)) * px <= SAME_ROW
        and abs(side(last, 1 - across) / side(box, 1 - across) - 1) <= MOST
    )


def usual_gap(gaps: Sequence[float], every: Sequence[float]) -> float:
    """The gap that most others are near to; of several, that to which most of every row are, then the first."""

    def near(gap: float, others: Sequence[float]) -> int:
        return sum(1 for other in others if abs(other - gap) <= SAME_GAP)

    return max(gaps, key=lambda gap: (near(gap, gaps), near(gap, every)))
