"""Which boxes have moved against the others, and which only made room. Pure."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from figmill.compare.parts import Bounds, Pair, Point, Sorted, centre
from figmill.svg import Skeleton

FAR = 12.0  # px by which a box has moved
ALIKE = 4.0  # px between two shifts that count as equal


def moved_boxes(old: Skeleton, new: Skeleton, boxes: Sorted) -> tuple[list[Pair], Point, bool]:
    """The boxes that have moved against most others, the shift of those, and whether more than half have moved."""
    leaves = [(i, j) for i, j in boxes.pairs if not old.boxes[i].holds and not new.boxes[j].holds]
    if not leaves:
        return [], (0.0, 0.0), False
    shifts = {pair: _shifts(old.boxes[pair[0]].bounds, new.boxes[pair[1]].bounds) for pair in leaves}
    candidates = [(0.0, 0.0), *(its[1] for its in shifts.values())]
    common = max(
        candidates,
        key=lambda shift: (sum(_off(its, shift) <= ALIKE for its in shifts.values()), -math.hypot(*shift)),
    )
    moved = [pair for pair in leaves if _off(shifts[pair], common) > FAR]
    if len(moved) > len(leaves) / 2:
        return [], common, True
    # one cell stands for its table
    first = {old.boxes[i].table: i for i, _ in reversed(moved)}
    moved = [(i, j) for i, j in moved if old.boxes[i].table is None or first[old.boxes[i].table] == i]
    return moved, common, False


def _shifts(before: Bounds, after: Bounds) -> tuple[Point, Point, Point]:
    """By how much the left top corner of a box, its centre and its right bottom corner have moved."""
    (x0, y0), (x1, y1) = centre(before), centre(after)
    return (
        (after[0] - before[0], after[1] - before[1]),
        (x1 - x0, y1 - y0),
        (after[2] - before[2], after[3] - before[3]),
    )


def _off(shifts: Sequence[Point], common: Point) -> float:
    """How far a box is off a common shift; one that only grew is at its place."""
    across, down = (min(abs(shift[axis] - common[axis]) for shift in shifts) for axis in (0, 1))
    return math.hypot(across, down)


def passes(pair: Pair, old: Skeleton, new: Skeleton, pairs: Iterable[Pair]) -> bool:
    """Whether a box has moved past another one, and not only made room."""
    then, now = centre(old.boxes[pair[0]].bounds), centre(new.boxes[pair[1]].bounds)
    for i, j in pairs:
        before, after = centre(old.boxes[i].bounds), centre(new.boxes[j].bounds)
        if any(_side(then[axis] - before[axis]) * _side(now[axis] - after[axis]) < 0 for axis in (0, 1)):
            return True
    return False


def _side(distance: float) -> int:
    return 0 if abs(distance) <= FAR else int(math.copysign(1, distance))


def touched_boxes(boxes: Sorted, lines: Sorted, old: Skeleton, new: Skeleton) -> set[int]:
    """The boxes before whose lines have changed, with all cells of their tables."""
    touched = {end for number in lines.gone for end in old.lines[number].ends if end is not None}
    ends = {end for number in lines.new for end in new.lines[number].ends}
    touched |= {i for i, j in boxes.pairs if j in ends}
    tables = {old.boxes[i].table for i in touched} - {None}
    return touched | {i for i, box in enumerate(old.boxes) if box.table in tables}
