"""The shortest route of right angles around obstacles, by A* on the grid of their sides (Hanan's grid).

Knows nothing of drawings: rectangles and points in, a polyline out.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Sequence

from figmill.late_dataclasses import dataclass
from figmill.svg.geometry.outlines import Bounds, Point

MOST, MOST_TRIES = 100_000, 20_000  # points of the grid; states that are tried
TINY = 1e-6
RIGHT, DOWN, LEFT, UP = (1, 0), (0, 1), (-1, 0), (0, -1)
WAYS = (RIGHT, DOWN, LEFT, UP)

Part = tuple[Point, Point]


@dataclass(frozen=True, slots=True)
class Port:
    """Where a route may begin or end: the way out of the box there, and what it costs."""

    point: Point
    way: tuple[int, int]
    cost: float = 0.0


@dataclass(frozen=True, slots=True)
class Prices:
    """What a route costs besides its length, in root units."""

    bend: float
    crossing: float


def route(
    starts: Sequence[Port],
    ends: Sequence[Port],
    blocks: Sequence[Bounds],
    lines: Sequence[Part],
    view: Bounds,
    room: float,
    prices: Prices,
) -> tuple[Point, ...] | None:
    """The cheapest route from one of the starts to one of the ends; None if there is none.

    blocks: what it must not touch, with its room around it already. room: how far it runs before its first bend.
    """
    stubs = [
        (port.point[0] + room * port.way[0], port.point[1] + room * port.way[1]) for port in (*starts, *ends)
    ]
    xs = _lines((block[0], block[2]) for block in blocks) | {x for x, _ in stubs}
    ys = _lines((block[1], block[3]) for block in blocks) | {y for _, y in stubs}
    across = sorted(x for x in xs if view[0] <= x <= view[2])
    down = sorted(y for y in ys if view[1] <= y <= view[3])
    if not across or not down or len(across) * len(down) > MOST:
        return None
    grid = _Grid(across, down, blocks, lines, prices.crossing)
    column, row = {x: at for at, x in enumerate(across)}, {y: at for at, y in enumerate(down)}
    goals: dict[tuple[int, int, tuple[int, int]], Port] = {}
    for port, (x, y) in zip(ends, stubs[len(starts) :], strict=True):
        if x in column and y in row:
            goals[column[x], row[y], (-port.way[0], -port.way[1])] = port
    if not goals:
        return None
    xs, ys = {across[at] for at, _, _ in goals}, {down[at] for _, at, _ in goals}
    left, right, top, bottom = min(xs), max(xs), min(ys), max(ys)

    def rest(x: int, y: int) -> float:
        """The least that the way from a point of the grid to an end can cost."""
        aside = max(left - across[x], across[x] - right, 0.0)
        return aside + max(top - down[y], down[y] - bottom, 0.0)

    queue: list[tuple[float, float, int, int, int]] = []  # cost with the rest, cost, column, row, way
    best: dict[tuple[int, int, int], tuple[float, tuple[int, int, int] | None, Port]] = {}
    for port, (x, y) in zip(starts, stubs, strict=False):
        if x in column and y in row and _is_free((port.point, (x, y)), blocks):
            state = column[x], row[y], WAYS.index(port.way)
            if state not in best or port.cost < best[state][0]:
                best[state] = port.cost, None, port
                heapq.heappush(queue, (port.cost + rest(state[0], state[1]), port.cost, *state))
    finished: tuple[float, tuple[int, int, int], Port] | None = None
    while queue and len(best) <= MOST_TRIES:
        least, cost, x, y, way = heapq.heappop(queue)
        if finished is not None and least >= finished[0]:
            break
        state = x, y, way
        if cost > best[state][0]:
            continue
        here = across[x], down[y]
        for turned in range(4):
            goal = goals.get((x, y, WAYS[turned]))
            if goal is not None and turned != (way + 2) % 4 and _is_free((here, goal.point), blocks):
                whole = cost + goal.cost + (prices.bend if turned != way else 0.0)
                if finished is None or whole < finished[0]:
                    finished = whole, state, goal
        for turned in range(4):
            if turned == (way + 2) % 4:
                continue
            step = grid.step(x, y, WAYS[turned])
            if step is None:
                continue
            further = cost + step + (prices.bend if turned != way else 0.0)
            next_ = x + WAYS[turned][0], y + WAYS[turned][1], turned
            if next_ not in best or further < best[next_][0] - 1e-9:
                best[next_] = further, state, best[state][2]
                heapq.heappush(queue, (further + rest(next_[0], next_[1]), further, *next_))
    if finished is None:
        return None
    _, last, goal = finished
    points = [goal.point]
    at: tuple[int, int, int] | None = last
    start = best[last][2]
    while at is not None:
        points.append((across[at[0]], down[at[1]]))
        at = best[at][1]
    return _straight([start.point, *reversed(points)])


class _Grid:
    """What the steps between neighbouring points of a grid cost, each found when it is asked for."""

    def __init__(
        self,
        across: Sequence[float],
        down: Sequence[float],
        blocks: Sequence[Bounds],
        lines: Sequence[Part],
        crossing: float,
    ) -> None:
        self.across, self.down, self.blocks, self.lines, self.crossing = across, down, blocks, lines, crossing
        self.steps: dict[tuple[int, int, int], float | None] = {}
        self.near: dict[tuple[int, int], tuple[list[Bounds], list[Part]]] = {}

    def step(self, x: int, y: int, way: tuple[int, int]) -> float | None:
        """The cost of a step, without its bend; None if it is blocked, or leads out of the grid."""
        nx, ny = x + way[0], y + way[1]
        if not (0 <= nx < len(self.across) and 0 <= ny < len(self.down)):
            return None
        axis = 0 if way[0] else 1
        key = min(x, nx), min(y, ny), axis
        if key not in self.steps:
            part = (self.across[x], self.down[y]), (self.across[nx], self.down[ny])
            blocks, lines = self._near(axis, y if axis == 0 else x)
            far = abs(part[1][axis] - part[0][axis])
            self.steps[key] = far + self.crossing * crossings(part, lines) if _is_free(part, blocks) else None
        return self.steps[key]

    def _near(self, axis: int, at: int) -> tuple[list[Bounds], list[Part]]:
        """The blocks and lines that a row of the grid meets, or a column."""
        if (axis, at) not in self.near:
            other = 1 - axis
            place = (self.across, self.down)[other][at]
            blocks = [block for block in self.blocks if block[other] < place < block[other + 2]]
            lines = [
                line
                for line in self.lines
                if min(line[0][other], line[1][other]) <= place <= max(line[0][other], line[1][other])
            ]
            self.near[axis, at] = blocks, lines
        return self.near[axis, at]


def _lines(pairs: Iterable[tuple[float, float]]) -> set[float]:
    return {value for pair in pairs for value in pair}


def _is_free(part: Part, blocks: Sequence[Bounds]) -> bool:
    """Whether a straight part along an axis crosses no block; it may run along a side of one."""
    (x0, y0), (x1, y1) = part
    left, right, top, bottom = min(x0, x1), max(x0, x1), min(y0, y1), max(y0, y1)
    return not any(
        block[0] + TINY < right
        and left < block[2] - TINY
        and block[1] + TINY < bottom
        and top < block[3] - TINY
        for block in blocks
    )


def crossings(part: Part, lines: Sequence[Part]) -> int:
    """How many lines cross a part, or run along it."""
    (x0, y0), (x1, y1) = part
    left, right, top, bottom = min(x0, x1), max(x0, x1), min(y0, y1), max(y0, y1)
    count = 0
    for (a, b), (c, d) in lines:
        if max(a, c) < left or min(a, c) > right or max(b, d) < top or min(b, d) > bottom:
            continue
        sides = [(x1 - x0) * (y - y0) - (y1 - y0) * (x - x0) for x, y in ((a, b), (c, d))]
        others = [(c - a) * (y - b) - (d - b) * (x - a) for x, y in part]
        count += sides[0] * sides[1] <= 0 and others[0] * others[1] <= 0
    return count


def _straight(points: Sequence[Point]) -> tuple[Point, ...]:
    """A route without the points that lie on the straight line between their neighbours."""
    kept: list[Point] = []
    for point in points:
        if kept and abs(kept[-1][0] - point[0]) + abs(kept[-1][1] - point[1]) < 1e-9:
            continue
        if len(kept) > 1 and (
            abs(kept[-2][0] - kept[-1][0]) < 1e-9 > abs(kept[-1][0] - point[0])
            or abs(kept[-2][1] - kept[-1][1]) < 1e-9 > abs(kept[-1][1] - point[1])
        ):
            kept[-1] = point
        else:
            kept.append(point)
    return tuple(kept)
