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
ASIDE = 4.0  # points between a leader, or an upright line, and a label that it passes
GRID = 8.0  # the distance of places that are tried, if there is no room beside a point


@dataclass(frozen=True, slots=True)
class PointLabel:
    """A point or a heap of points with one label. marks: their places. width, height: of the label."""

    marks: tuple[PagePoint, ...]
    width: float
    height: float

    @property
    def middle(self) -> PagePoint:
        x, y = (math.fsum(axis) / len(self.marks) for axis in zip(*self.marks, strict=True))
        return x, y


@dataclass(frozen=True, slots=True)
class PlacedLabel:
    """A label's place; its leader is the line from it to its points, or None if it stands beside them."""

    patch: Patch
    leader: PageSegment | None


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
    for at in sorted(
        range(len(labels)), key=lambda at: -len(labels[at].marks)
    ):  # heaps have the least choice
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


def stairs(
    marks: Sequence[PagePoint],
    extents: Sequence[Callable[[float], tuple[float, float]]],
    box: Bounds,
    lines: Sequence[PageSegment] = (),
    taken: Sequence[Patch] = (),
    size: float = 8.0,
) -> list[PlacedLabel] | None:
    """Labels in rows below marks at one height, each at the end of an upright leader; None: there is no room.

    marks: from left to right. extents: the width and height of each label, from the room across. lines, taken: further
    lines and labels, which no label covers. The rows begin with the label of the mark at the left, or of the one at the
    right, whichever takes less height: no leader then crosses a label.
    """
    walls = [x for (x, _), (u, _) in lines if abs(u - x) < 0.5]
    low = max([box[0], *(x + ASIDE for x in walls if x < marks[0][0])])
    high = min([box[2], *(x - ASIDE for x in walls if x > marks[-1][0])])
    flights = [
        _flight(marks, extents, low, high, size, order)
        for order in (range(len(marks)), range(len(marks) - 1, -1, -1))
    ]
    fitting = [
        flight for flight in flights if flight and _fits([label.patch for label in flight], box, lines, taken)
    ]
    return min(fitting, key=lambda flight: max(label.patch.y for label in flight), default=None)


def _flight(
    marks: Sequence[PagePoint],
    extents: Sequence[Callable[[float], tuple[float, float]]],
    low: float,
    high: float,
    size: float,
    order: Sequence[int],
) -> list[PlacedLabel] | None:
    """The labels of `stairs` between low and high, with rows in this order; in the order of the marks."""
    is_rightwards = order[0] <= order[-1]
    spans = []
    for row, n in enumerate(order):
        after = marks[order[row + 1]][0] if row + 1 < len(order) else None  # its leader passes this row
        start = low if is_rightwards or after is None else after + ASIDE
        end = high if not is_rightwards or after is None else after - ASIDE
        width, height = extents[n](end - start)
        if width > end - start:
            return None
        spans.append((n, start, end - width, width, height))
    common = (
        min(last for _, _, last, _, _ in spans) if is_rightwards else max(start for _, start, *_ in spans)
    )
    placed: dict[int, PlacedLabel] = {}
    top = marks[0][1] + size / 2 + 2 * NEAR
    for n, start, last, width, height in spans:
        x, y = marks[n]
        left = min(max(common, x - width - 1, start), x - 2, last)  # a leader may end at the label's corner
        if not left <= x <= left + width + 1:
            return None
        patch = Patch(left + width / 2, top + height / 2, width, height)
        placed[n] = PlacedLabel(patch, ((x, y), (x, top - 2)))
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
