"""Rules of a house style about boxes: where they stand, how large they are, and the room in and between them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import pairwise

from figmill.house_style import EQUAL
from figmill.svg.checks.edge_through_box import name
from figmill.svg.checks.styled import Styled, any_of, is_one_of, nearest, px
from figmill.svg.checks.unequal import SAME_GAP, SAME_ROW, room_for, usual_gap
from figmill.svg.document import Element
from figmill.svg.geometry.outlines import Bounds, coordinate
from figmill.svg.geometry.parts import (
    ACROSS,
    ALONG,
    AXES,
    DOWN,
    SIZES,
    WIDE,
    middle,
    roles,
    side,
    written,
)
from figmill.svg.geometry.structure import DrawnBox

EXACT = 0.2  # px between a box and the grid
CROPPED = 3  # boxes that show where the grid of an export begins
ROUNDING = 0.5  # px of padding, for the widths of fonts
EQUAL_SIZE = 1.0  # px between equal sizes
# shares of a box: of a side that is level, of equal corners; how many it has
LEVEL, ALIKE, CORNERS = 0.002, 0.01, 4
FULL = 0.9  # share of its bounds that a shape with straight sides fills
BOXES = 400
BEFORE, AFTER = {ACROSS: "left", DOWN: "upper"}, {ACROSS: "right", DOWN: "lower"}


def grid(styled: Styled) -> Iterator[tuple[Element, str]]:
    """`off-grid`: each box whose corner is not on the grid, and the nearest place that is."""
    parts, step = styled.parts, styled.units(styled.style.grid)
    starts = [_start(styled.boxes, axis, step) for axis in AXES]
    for box in styled.boxes:
        x, y = (
            starts[axis] + round((box.bounds[axis] - starts[axis]) / step) * step for axis in (ACROSS, DOWN)
        )
        if max(abs(x - box.bounds[0]), abs(y - box.bounds[1])) * parts.px > EXACT:
            yield (
                box.area.shape.node,
                f"the box '{name(box)}' is off the grid of {styled.style.grid:g} px: x = {written(x)}, "
                f"y = {written(y)}",
            )


def _start(boxes: Sequence[DrawnBox], axis: int, step: float) -> float:
    """Where the grid begins: at 0, or where an export was cropped, so that most boxes stand on it."""
    counts = Counter(round(box.bounds[axis] % step, 3) for box in boxes)
    if not counts:
        return 0.0
    (off, count), *_ = counts.most_common(1)
    return off if count >= CROPPED and 2 * count > len(boxes) else 0.0


def padding(styled: Styled) -> Iterator[tuple[Element, str]]:
    """`style-padding`: each text that is too close to a side of its box, and how large the box should be."""
    per_unit = styled.parts.px
    for box in styled.leaves:
        if not _is_straight(box):
            continue
        ink = _ink(box)
        for axis, least in zip(AXES, styled.style.padding, strict=True):
            low, high = ink[axis] - box.bounds[axis], box.bounds[axis + 2] - ink[axis + 2]
            room = min(low, high) * per_unit
            if room >= least - ROUNDING:
                continue
            far = f"is {px(room)} from" if room >= 0 else f"reaches {px(-room)} past"
            where = (BEFORE if low <= high else AFTER)[axis]
            needed = ink[axis + 2] - ink[axis] + 2 * styled.units(least)
            if needed <= side(box, axis):
                way = AFTER if low <= high else BEFORE
                moves = {"left": "left", "right": "right", "upper": "up", "lower": "down"}
                cure = f"move the text {px(least - room)} {moves[way[axis]]}"
            else:
                start = middle(box, axis) - needed / 2
                cure = f"{AXES[axis]} = {written(start)}, {SIZES[axis]} = {written(needed)}"
            yield (
                box.area.shape.node,
                f"the text in the box '{name(box)}' {far} its {where} side; "
                f"the style asks for {least:g} px: {cure}",
            )


def _ink(box: DrawnBox) -> Bounds:
    """The bounds of the texts in a box."""
    lefts, tops, rights, bottoms = zip(*(label.bounds(label.width) for label in box.labels), strict=True)
    return min(lefts), min(tops), max(rights), max(bottoms)


def _is_straight(box: DrawnBox) -> bool:
    """Whether a box has straight sides along the axes; its corners may be round."""
    if box.area.is_upright or box.area.is_round:
        return box.area.is_upright
    ring = box.area.ring
    area = sum(x0 * y1 - x1 * y0 for (x0, y0), (x1, y1) in pairwise((*ring, ring[0]))) / 2
    return abs(area) >= FULL * box.area.size


def gaps(styled: Styled) -> Iterator[tuple[Element, str]]:
    """`style-gaps`: each gap between neighbours in a row or a column that differs from the others, or from a number."""
    wanted, per_unit, leaves = styled.style.gaps, styled.parts.px, styled.leaves
    if len(leaves) > BOXES:
        return
    for axis in AXES:
        rows = [row for row in _rows(leaves, axis, per_unit) if len(row) > (2 if wanted == EQUAL else 1)]
        every = [gap for row in rows for gap in _gaps(row, axis, per_unit)]
        for row in rows:
            far = _gaps(row, axis, per_unit)
            usual = usual_gap(far, every) if isinstance(wanted, str) else wanted
            asked = f"others in this {ALONG[axis]} have" if wanted == EQUAL else "the style asks for"
            room = SAME_GAP if wanted == EQUAL else ROUNDING
            for gap, (box, other) in zip(far, pairwise(row), strict=True):
                is_free = gap >= usual + min(side(box, axis), side(other, axis)) * per_unit  # for another box
                if abs(gap - usual) <= room or is_free or _is_between(box, other, axis, leaves):
                    continue
                place = box.bounds[axis + 2] + styled.units(usual)
                yield (
                    other.area.shape.node,
                    f"the gap between '{name(box)}' and '{name(other)}' is {px(gap)}; {asked} {px(usual)}: "
                    f"move '{name(other)}' to {AXES[axis]} = {written(place)}",
                )


def _gaps(row: Sequence[DrawnBox], axis: int, per_unit: float) -> list[float]:
    return [(other.bounds[axis] - box.bounds[axis + 2]) * per_unit for box, other in pairwise(row)]


def _rows(leaves: Sequence[DrawnBox], axis: int, per_unit: float) -> Iterator[list[DrawnBox]]:
    """The boxes of each container whose middles are in line, from the first to the last; none if they overlap."""
    across = 1 - axis
    rows: list[list[DrawnBox]] = []
    boxes = sorted(
        leaves, key=lambda box: (box.within.area.shape.order if box.within else -1, middle(box, across))
    )
    for box in boxes:
        last = rows[-1][0] if rows else None
        if (
            last is not None
            and last.within is box.within
            and (middle(box, across) - middle(last, across)) * per_unit <= SAME_ROW
        ):
            rows[-1].append(box)
        else:
            rows.append([box])
    for row in sorted(rows, key=lambda row: min(box.area.shape.order for box in row)):
        row.sort(key=lambda box: box.bounds[axis])
        if all(gap > 0 for gap in _gaps(row, axis, per_unit)):
            yield row


def _is_between(box: DrawnBox, other: DrawnBox, axis: int, leaves: Sequence[DrawnBox]) -> bool:
    """Whether a third box stands between two neighbours, out of their line."""
    across = 1 - axis
    low = min(box.bounds[across], other.bounds[across])
    high = max(box.bounds[across + 2], other.bounds[across + 2])
    return any(
        third is not box
        and third is not other
        and box.bounds[axis + 2] < middle(third, axis) < other.bounds[axis]
        and third.bounds[across] < high
        and low < third.bounds[across + 2]
        for third in leaves
    )


def box_sizes(styled: Styled) -> Iterator[tuple[Element, str]]:
    """`style-box-sizes`: each box that is not as wide or high as most boxes of its role."""
    per_unit = styled.parts.px
    for group in _forms(styled.leaves):
        for axis in AXES:
            sizes = {box: side(box, axis) * per_unit for box in group}
            needed = max(room_for(box, axis, per_unit) for box in group)
            counts = Counter(round(size) for size in sizes.values() if size >= needed)
            most = counts.most_common(1)[0][0] if counts else round(max(sizes.values()))
            usual = next(size for size in sizes.values() if round(size) == most)
            for box, size in sizes.items():
                if abs(size - usual) > EQUAL_SIZE:
                    yield (
                        box.area.shape.node,
                        f"the box '{name(box)}' is {px(size)} {WIDE[axis]}, and the style asks for one size of each "
                        f"role: {SIZES[axis]} = {written(styled.units(usual))}",
                    )


def _forms(leaves: tuple[DrawnBox, ...]) -> Iterator[list[DrawnBox]]:
    """The boxes by role and form: a box with round corners is another one than a box without."""
    for group in roles(leaves):
        forms: dict[tuple[float, int], list[DrawnBox]] = {}
        for box in group:
            forms.setdefault((round(_radius(box) or 0.0, 1), len(box.area.ring)), []).append(box)
        yield from forms.values()


def smallest_box(styled: Styled) -> Iterator[tuple[Element, str]]:
    """`style-smallest-box`: each box that is less wide or high than the style allows."""
    for box in styled.leaves:
        for axis, least in zip(AXES, styled.style.smallest_box, strict=True):
            size = side(box, axis) * styled.parts.px
            if size < least - EXACT:
                yield (
                    box.area.shape.node,
                    f"the box '{name(box)}' is {px(size)} {WIDE[axis]}; the style asks for {least:g} px: "
                    f"{SIZES[axis]} = {written(styled.units(least))}",
                )


def radius(styled: Styled) -> Iterator[tuple[Element, str]]:
    """`style-radius`: each box with straight sides whose corners have another radius than the style asks for."""
    allowed = styled.style.radius
    for box in styled.boxes:
        if not _is_straight(box):
            continue
        round_by = _radius(box)
        here = 0.0 if round_by is None else round_by * styled.parts.px
        if round_by is not None and not is_one_of(here, allowed):
            right = styled.units(nearest(here, allowed))
            yield (
                box.area.shape.node,
                f"the corners of the box '{name(box)}' have a radius of {px(here)}; the style asks for "
                f"{any_of(allowed)}: rx = {written(right)}",
            )


def _radius(box: DrawnBox) -> float | None:
    """The radius of the corners, in root units: where the sides begin and end. None if the corners differ."""
    shape = box.area.shape
    if shape.node.tag == "rect":
        rx, ry = (coordinate(shape.node.attrib, name) for name in ("rx", "ry"))
        scale = abs(shape.ctm[0] * shape.ctm[3] - shape.ctm[1] * shape.ctm[2]) ** 0.5
        return float((rx or ry) * scale)
    left, top, right, bottom = box.bounds
    near = LEVEL * (bottom - top)
    rows = [[x for x, y in box.area.ring if abs(y - edge) <= near] for edge in (top, bottom)]
    ends = [end for row in rows if row for end in (min(row) - left, right - max(row))]
    return min(ends) if len(ends) == CORNERS and max(ends) - min(ends) <= ALIKE * (right - left) else None
