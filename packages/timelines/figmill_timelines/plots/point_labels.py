"""Where the labels of points stand: beside them, or farther away with a line to them. Pure.

Labels keep clear of lines, of other points and of each other. Points in one heap share a label.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from figmill_timelines.charts.canvas import Bounds, PagePoint
from figmill_timelines.plots.labels import LabelledPage, PageSegment, Patch, meets, overlap

NEAR = 5.0  # points between a mark and its label
BETWEEN = 5.0  # points more between one label and the next below it
APART = 14.0  # marks whose middles are nearer to each other are one heap
ASIDE = 4.0  # points between an upright line, or the first leader, and a column of labels
FIRST = 4.0  # points from the top of a label to the middle of its first line
GRID = 8.0  # the distance of places that are tried, if there is no room beside a point


@dataclass(frozen=True, slots=True)
class PointLabel:
    """A point or a heap of points with one label.

    - marks: their places.
    - width, height: of the label.
    """

    marks: tuple[PagePoint, ...]
    width: float
    height: float

    @property
    def middle(self) -> PagePoint:
        x, y = (math.fsum(axis) / len(self.marks) for axis in zip(*self.marks, strict=True))
        return x, y


@dataclass(frozen=True, slots=True)
class PlacedLabel:
    """A label's place; its leader is the line from it to its points, or None if it stands beside them.

    - foot: the rest of a leader that turns towards its label.
    """

    patch: Patch
    leader: PageSegment | None
    foot: PageSegment | None = None


def heaps(marks: Sequence[PagePoint]) -> list[list[int]]:
    """The numbers of the points in heaps: a point within APART of any point of a heap belongs to it."""
    rest, groups = list(range(len(marks))), list[list[int]]()
    while rest:
        group = [rest.pop(0)]
        for n in group:
            near = [m for m in rest if math.dist(marks[n], marks[m]) < APART]
            group += near
            rest = [m for m in rest if m not in near]
        groups.append(sorted(group))
    return groups


def place(
    labels: Sequence[PointLabel],
    box: Bounds,
    lines: Sequence[PageSegment] = (),
    taken: Sequence[Patch] = (),
    size: float = 8.0,
) -> list[PlacedLabel | None]:
    """A place for each label; None: there is none. lines, taken: further lines and labels. size: of a mark."""
    marks = [Patch(*mark, size, size) for label in labels for mark in label.marks]
    page, leaders = LabelledPage(box, lines), list[PageSegment]()
    page.taken += [*taken, *marks]
    placed: list[PlacedLabel | None] = [None] * len(labels)
    # heaps have the least choice
    for at in sorted(range(len(labels)), key=lambda at: -len(labels[at].marks)):
        label = labels[at]
        own = {Patch(*mark, size, size) for mark in label.marks}
        others = [patch for patch in page.taken if patch not in own]
        candidates = _candidates(label, box, size / 2 + NEAR)
        clear = (
            patch for patch in candidates if _is_clear(patch, _leader(label, patch), others, leaders, lines)
        )
        patch = page.place(clear, 3.0, 2.0)
        if patch is not None:
            leader = _leader(label, patch)
            placed[at] = PlacedLabel(patch, leader)
            page.taken[-1] = replace(patch, height=patch.height + 2 * BETWEEN)
            leaders += [leader] if leader else []
    return placed


def column(
    marks: Sequence[PagePoint],
    extents: Sequence[Callable[[float], tuple[float, float]]],
    box: Bounds,
    lines: Sequence[PageSegment] = (),
    taken: Sequence[Patch] = (),
    size: float = 8.0,
) -> list[PlacedLabel] | None:
    """Labels below marks at one height, with one left edge, beside all their leaders; None: there is no room.

    marks: from left to right. extents: the width and height of each label, from the room across. lines, taken: further
    lines and labels, which no label covers. An upright leader turns to each label. The label of the nearest mark is the
    highest: no leader then crosses another, or a label. The column is at the left or at the right, where it is lower.
    """
    walls = [x for (x, _), (u, _) in lines if abs(u - x) < 0.5]
    low = max([box[0], *(x + ASIDE for x in walls if x < marks[0][0])])
    high = min([box[2], *(x - ASIDE for x in walls if x > marks[-1][0])])
    columns = [
        _column(marks, extents, (low, marks[0][0] - ASIDE), size, range(len(marks))),
        _column(marks, extents, (marks[-1][0] + ASIDE, high), size, range(len(marks) - 1, -1, -1)),
    ]
    fitting = [
        labels for labels in columns if labels and _fits([label.patch for label in labels], box, lines, taken)
    ]
    return min(fitting, key=lambda labels: max(label.patch.y for label in labels), default=None)


def _column(
    marks: Sequence[PagePoint],
    extents: Sequence[Callable[[float], tuple[float, float]]],
    room: tuple[float, float],
    size: float,
    order: Sequence[int],
) -> list[PlacedLabel] | None:
    """The labels of `column` in this room across, from the top in this order; in the order of the marks."""
    low, high = room
    if high <= low:
        return None
    sizes = [extent(high - low) for extent in extents]
    widest = max(width for width, _ in sizes)
    if widest > high - low:
        return None
    is_left = high < marks[0][0]
    left = high - widest if is_left else low
    placed: dict[int, PlacedLabel] = {}
    top = marks[0][1] + size / 2 + 2 * NEAR
    for n in order:
        (x, y), (width, height) = marks[n], sizes[n]
        turn, end = (x, top + FIRST), (left + width + 1.5 if is_left else left - 1.5, top + FIRST)
        patch = Patch(left + width / 2, top + height / 2, width, height)
        placed[n] = PlacedLabel(patch, ((x, y), turn), (turn, end))
        top += height + BETWEEN
    return [placed[n] for n in range(len(marks))]


def _fits(
    patches: Sequence[Patch], box: Bounds, lines: Sequence[PageSegment], taken: Sequence[Patch]
) -> bool:
    """Whether labels lie in a box and cover neither lines nor other labels."""
    return all(
        box[0] <= patch.x - patch.width / 2
        and patch.x + patch.width / 2 <= box[2]
        and patch.y + patch.height / 2 <= box[3]
        and not any(meets(patch, line, 2.0) for line in lines)
        and not any(overlap(patch, other, 2.0) for other in taken)
        for patch in patches
    )


def _is_clear(
    patch: Patch,
    leader: PageSegment | None,
    others: Sequence[Patch],
    leaders: Sequence[PageSegment],
    lines: Sequence[PageSegment],
) -> bool:
    """Whether a label covers no leader, and its own leader no other label or mark, and does not run along a line."""
    if any(meets(patch, other) for other in leaders):
        return False
    if leader is None:
        return True
    return not any(meets(other, leader, 1.0) for other in others) and not any(
        _runs_along(leader, line) for line in lines
    )


def _runs_along(leader: PageSegment, line: PageSegment) -> bool:
    """Whether a leader that starts at a line stays so near to it that it looks like a part of it."""
    (x, y), (u, v) = leader
    (a, b), (c, d) = line
    if (a > x + 2 and c > x + 2) or (a < x - 2 and c < x - 2):  # most lines
        return False
    sine = (u - x) * (d - b) - (v - y) * (c - a)
    is_flat = abs(sine) < 0.35 * math.hypot(u - x, v - y) * math.hypot(c - a, d - b)
    return is_flat and meets(Patch(x, y, 3.0, 3.0), line)


def _candidates(label: PointLabel, box: Bounds, reach: float) -> Iterator[Patch]:
    """Places around a point: at its right, its left, below and above; then anywhere, the nearest first."""
    (x, y), w, h = label.middle, label.width, label.height
    across, down = (max(abs(mark[n] - label.middle[n]) for mark in label.marks) for n in (0, 1))
    for shift in (h / 2 - 4, 0.0, 4 - h / 2):
        for side in (1, -1):
            yield Patch(x + side * (across + reach + w / 2), y + shift, w, h)
    left, top, right, bottom = box
    for side in (1, -1):
        for shift in (0.0, w / 2 - 6, 6 - w / 2):
            middle = min(max(x + shift, left + w / 2), right - w / 2)
            yield Patch(middle, y + side * (down + reach + h / 2), w, h)
    places = [
        (left + w / 2 + GRID * n, top + h / 2 + GRID * m)
        for n in range(max(0, int((right - left - w) / GRID)) + 1)
        for m in range(max(0, int((bottom - top - h) / GRID)) + 1)
    ]
    yield from (Patch(*at, w, h) for at in sorted(places, key=lambda at: (_away(at, (x, y), w, h), at)))


def _away(at: PagePoint, point: PagePoint, width: float, height: float) -> float:
    """The distance of a point from a label around `at`."""
    across, down = (max(0.0, abs(point[n] - at[n]) - (width, height)[n] / 2) for n in (0, 1))
    return math.hypot(across, down)


def _leader(label: PointLabel, patch: Patch) -> PageSegment | None:
    """The line from the nearest point of a heap to the nearest place at its label's edge, if it is long enough."""
    x, y = min(label.marks, key=lambda mark: _away((patch.x, patch.y), mark, patch.width, patch.height))
    across, down = patch.width / 2 + 1.5, patch.height / 2
    end = (
        min(max(x, patch.x - across), patch.x + across),
        min(max(y, patch.y - down), patch.y + down),
    )
    return None if math.dist((x, y), end) < 4.0 + 2 * NEAR else ((x, y), end)
