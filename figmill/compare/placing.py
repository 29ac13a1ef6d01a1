"""Where the marks of a change go: free places beside the drawing, routes that follow their boxes. Pure.

Positions are in px; a box is left, top, right, bottom.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import field
from itertools import pairwise

from figmill.compare.parts import Bounds, Point, centre
from figmill.late_dataclasses import dataclass

CLEAR = 3.0  # px between a mark and anything else
STEP = 12.0  # px between the places that are tried
WAYS = 16  # directions
FARTHEST = 240.0  # px
CROSSED = 40.0  # px that it is worth to go further if that crosses a line less
CURVE = 12  # straight parts of a curve
OUTSIDE = 60.0  # px that it is worth to stay in the view


@dataclass(slots=True)
class MarkPlaces:
    """What is taken in a picture."""

    view: Bounds  # its own extent
    taken: list[Bounds]
    used: list[Bounds] = field(default_factory=list)  # by marks
    lines: list[tuple[Sequence[Point], Bounds]] = field(default_factory=list)  # each with its extent

    def avoid(self, line: Sequence[Point]) -> None:
        """Cover this line with no mark, if there is another place."""
        self.lines.append((line, around((x, y, x, y) for x, y in line)))

    def take(self, box: Bounds) -> Bounds:
        self.taken.append(box)
        self.used.append(box)
        return box

    def is_free(self, box: Bounds) -> bool:
        return not any(meet(box, other, CLEAR) for other in self.taken)

    def crossed(self, box: Bounds) -> int:
        """How many lines run through a box."""
        return sum(meets(line, box) for line, extent in self.lines if meet(extent, box))

    def near(self, box: Bounds, farthest: float = FARTHEST) -> Point:
        """The shift to the nearest free place for a box; none if everything around is taken."""
        best, least = (0.0, 0.0), math.inf
        for dx, dy in _around():
            far = math.hypot(dx, dy)
            if far >= min(least, farthest + 1):
                break  # what follows is further
            moved = shifted(box, (dx, dy))
            if self.is_free(moved) and (cost := far + self._cost(moved)) < least:
                best, least = (dx, dy), cost
        return best

    def first(self, boxes: Sequence[Bounds]) -> Bounds:
        """The first free box, preferring one that covers no line and lies in the view."""
        return min(
            boxes, key=lambda box: (not self.is_free(box), self.crossed(box) > 0, self._outside(box) > 0)
        )

    def _cost(self, box: Bounds) -> float:
        out = self._outside(box)
        return CROSSED * self.crossed(box) + (OUTSIDE + out if out else 0.0)

    def _outside(self, box: Bounds) -> float:
        """By how much a box leaves the view."""
        left, top, right, bottom = self.view
        return max(left - box[0], top - box[1], box[2] - right, box[3] - bottom, 0.0)


def _around() -> Iterator[Point]:
    yield 0.0, 0.0
    for ring in range(1, int(FARTHEST / STEP) + 1):
        for way in range(WAYS):
            angle = 2 * math.pi * way / WAYS
            yield round(ring * STEP * math.cos(angle), 2), round(ring * STEP * math.sin(angle), 2)


def meet(box: Bounds, other: Bounds, room: float = 0.0) -> bool:
    return (
        box[0] < other[2] + room
        and other[0] < box[2] + room
        and box[1] < other[3] + room
        and other[1] < box[3] + room
    )


def shifted(box: Bounds, by: Point) -> Bounds:
    return box[0] + by[0], box[1] + by[1], box[2] + by[0], box[3] + by[1]


def grown(box: Bounds, by: float) -> Bounds:
    return box[0] - by, box[1] - by, box[2] + by, box[3] + by


def around(boxes: Iterable[Bounds]) -> Bounds:
    lefts, tops, rights, bottoms = zip(*boxes, strict=True)
    return min(lefts), min(tops), max(rights), max(bottoms)


def mean(points: Sequence[Point]) -> Point:
    return sum(x for x, _ in points) / len(points), sum(y for _, y in points) / len(points)


def stretched(route: Sequence[Point], start: Point, end: Point) -> list[Point]:
    """A route whose ends are shifted, and what is between them in proportion."""
    lengths = [0.0]
    for one, other in pairwise(route):
        lengths.append(lengths[-1] + math.dist(one, other))
    whole = lengths[-1] or 1.0
    return [
        (x + start[0] + (end[0] - start[0]) * at / whole, y + start[1] + (end[1] - start[1]) * at / whole)
        for (x, y), at in zip(route, lengths, strict=True)
    ]


def bow(box: Bounds, other: Bounds, bend: float) -> list[Point]:
    """A curve from one box to another whose middle is `bend` px off the straight way."""
    (x0, y0), (x1, y1) = centre(box), centre(other)
    far = math.dist((x0, y0), (x1, y1)) or 1.0
    middle = (x0 + x1) / 2 - 2 * bend * (y1 - y0) / far, (y0 + y1) / 2 + 2 * bend * (x1 - x0) / far
    (x0, y0), (x1, y1) = (
        border(box, middle if bend else centre(other)),
        border(other, middle if bend else centre(box)),
    )
    if not bend:
        return [(x0, y0), (x1, y1)]
    shares = [step / CURVE for step in range(CURVE + 1)]
    return [
        (
            (1 - t) ** 2 * x0 + 2 * t * (1 - t) * middle[0] + t * t * x1,
            (1 - t) ** 2 * y0 + 2 * t * (1 - t) * middle[1] + t * t * y1,
        )
        for t in shares
    ]


def meets(line: Sequence[Point], box: Bounds) -> bool:
    return any(_enters(pair, box) for pair in pairwise(line))


def beside(route: Sequence[Point], by: float) -> list[Point]:
    """A route at some distance from itself, across its direction from end to end."""
    (x0, y0), (x1, y1) = route[0], route[-1]
    whole = math.dist(route[0], route[-1]) or 1.0
    dx, dy = -(y1 - y0) / whole * by, (x1 - x0) / whole * by
    return [(x + dx, y + dy) for x, y in route]


def along(route: Sequence[Point], share: float) -> Point:
    """The point of a route at a share of its length."""
    whole = sum(math.dist(a, b) for a, b in pairwise(route))
    left = share * whole
    for (x0, y0), (x1, y1) in pairwise(route):
        step = math.dist((x0, y0), (x1, y1))
        if step and left <= step:
            return x0 + (x1 - x0) * left / step, y0 + (y1 - y0) * left / step
        left -= step
    return route[-1]


def border(box: Bounds, toward: Point) -> Point:
    """Where the line from the centre of a box to a point leaves the box; its centre if the point lies in the box."""
    x, y = centre(box)
    dx, dy = toward[0] - x, toward[1] - y
    reach = [(side / 2) / abs(way) for side, way in ((box[2] - box[0], dx), (box[3] - box[1], dy)) if way]
    share = min(reach, default=1.0)
    return (x, y) if share >= 1 else (x + share * dx, y + share * dy)


def _enters(pair: tuple[Point, Point], box: Bounds) -> bool:
    """Whether a straight line meets a box."""
    (x0, y0), (x1, y1) = pair
    low, high = 0.0, 1.0
    for at, step, first, last in ((x0, x1 - x0, box[0], box[2]), (y0, y1 - y0, box[1], box[3])):
        if not step:
            if not first <= at <= last:
                return False
            continue
        ends = sorted(((first - at) / step, (last - at) / step))
        low, high = max(low, ends[0]), min(high, ends[1])
    return low <= high
