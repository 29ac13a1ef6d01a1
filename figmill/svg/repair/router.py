"""The shortest route of right angles around obstacles, by Dijkstra on the grid of their sides (Hanan's grid).

Knows nothing of drawings: rectangles and points in, a polyline out.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from figmill.svg.geometry.outlines import Bounds, Point

MOST = 20_000  # points of the grid
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
    column, row = {x: at for at, x in enumerate(across)}, {y: at for at, y in enumerate(down)}
    goals: dict[tuple[int, int, tuple[int, int]], Port] = {}
    for port, (x, y) in zip(ends, stubs[len(starts) :], strict=True):
        if x in column and y in row:
            goals[column[x], row[y], (-port.way[0], -port.way[1])] = port
    queue: list[tuple[float, int, int, int, int]] = []  # cost, number, column, row, way
    best: dict[tuple[int, int, int], tuple[float, tuple[int, int, int] | None, Port]] = {}
    for port, (x, y) in zip(starts, stubs, strict=False):
        if x in column and y in row and _is_free((port.point, (x, y)), blocks):
            state = column[x], row[y], WAYS.index(port.way)
            if state not in best or port.cost < best[state][0]:
                best[state] = port.cost, None, port
                heapq.heappush(queue, (port.cost, *state, 0))
    finished: tuple[float, tuple[int, int, int], Port] | None = None
    while queue:
        cost, x, y, way, _ = heapq.heappop(queue)
        state = x, y, way
        if cost > best[state][0] or (finished is not None and cost >= finished[0]):
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
            step = WAYS[turned]
            nx, ny = x + step[0], y + step[1]
            if not (0 <= nx < len(across) and 0 <= ny < len(down)):
                continue
            part = here, (across[nx], down[ny])
            if not _is_free(part, blocks):
                continue
            further = (
                cost
                + abs(part[1][0] - here[0])
                + abs(part[1][1] - here[1])
                + (prices.bend if turned != way else 0.0)
                + prices.crossing * crossings(part, lines)
            )
            next_ = nx, ny, turned
            if next_ not in best or further < best[next_][0] - 1e-9:
                best[next_] = further, state, best[state][2]
                heapq.heappush(queue, (further, *next_, 0))
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
