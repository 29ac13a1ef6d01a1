"""How the lines of a drawing run: those that cross, and one that is slanted where the others run along the axes."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import pairwise

from figmill.svg.checks.edge_through_box import name
from figmill.svg.document import Element
from figmill.svg.geometry.detours import by_right_angles, path
from figmill.svg.geometry.outlines import Bounds, meeting, to_line
from figmill.svg.geometry.parts import Parts, segments
from figmill.svg.geometry.stripes import Stripes
from figmill.svg.geometry.structure import Connector

FEWEST, FEW = 3, 0.34  # lines along the axes, and the share of them that may be slanted
LEVEL = 1.5  # px by which a line along an axis may be off
SLANT = 8.0  # px by which a slanted one is
BOW = 0.04  # times its length: how far a straight line drawn by hand may be off
BENDS, GENTLE = 4, math.radians(40)  # of a curve: so many, none of them sharper
NEAR = 6.0  # px from the ends of a line: it may meet others there
MOST = 1500  # lines


def mixed_routes(parts: Parts) -> Iterator[tuple[Element, str]]:
    """`mixed-routes`: each slanted line among lines that run along the axes."""
    lines = [line for line in parts.joining if line.start.box is not line.end.box]
    level = [line for line in lines if _off(line) * parts.px <= LEVEL]
    slanted = [line for line in lines if _off(line) * parts.px > SLANT and not _is_curve(line)]
    others = sum(1 for line in lines if LEVEL < _off(line) * parts.px <= SLANT)
    if len(level) < FEWEST or len(slanted) > FEW * len(level) or others:
        return
    for line in slanted:
        yield (
            line.shape.node,
            f"the line {named(line)} is slanted, and {len(level)} others run along the axes; "
            f"lead it by right angles: {path(by_right_angles(line))}",
        )


def _off(line: Connector) -> float:
    """How far the most slanted part of a line is off the axes, or all of it if it is straight."""
    (x0, y0), (x1, y1) = line.pieces[0].points[0], line.pieces[-1].points[-1]
    if all(to_line(point, ((x0, y0), (x1, y1))) <= LEVEL for piece in line.pieces for point in piece.points):
        return min(abs(x1 - x0), abs(y1 - y0))
    return max(min(abs(x1 - x0), abs(y1 - y0)) for (x0, y0), (x1, y1) in segments(line))


def _is_curve(line: Connector) -> bool:
    """Whether a line never turns sharply, and is further from a straight one than a hand draws it."""
    points = [point for piece in line.pieces for point in piece.points]
    chord = points[0], points[-1]
    if max(to_line(point, chord) for point in points) < BOW * math.dist(*chord):
        return False
    ways = [math.atan2(y1 - y0, x1 - x0) for (x0, y0), (x1, y1) in pairwise(points) if (x0, y0) != (x1, y1)]
    turns = [abs(math.remainder(after - before, math.tau)) for before, after in pairwise(ways)]
    return len(turns) >= BENDS and max(turns) < GENTLE


def named(line: Connector) -> str:
    start, end = line.start.box, line.end.box
    assert start is not None and end is not None
    return f"from '{name(start)}' to '{name(end)}'"


def crossings(parts: Parts) -> Iterator[tuple[Element, str]]:
    """`crossings`: how many pairs of lines cross, reported once, at the first pair."""
    lines = parts.joining
    if len(lines) > MOST:
        return
    pairs = list(_crossing(lines, parts))
    if not pairs:
        return
    first, second = pairs[0]
    count = "2 lines cross" if len(pairs) == 1 else f"lines cross {len(pairs)} times"
    where = "" if len(pairs) == 1 else ", first "
    where = where or ": "
    yield second.shape.node, f"{count}{where}the line {named(first)} and that {named(second)}"


def _crossing(lines: tuple[Connector, ...], parts: Parts) -> Iterator[tuple[Connector, Connector]]:
    number = {line: at for at, line in enumerate(lines)}
    index = Stripes(lines, _bounds, parts.view)
    for line in lines:
        for other in index.meeting(_bounds(line)):
            if number[other] > number[line] and _cross(line, other, NEAR / parts.px):
                yield line, other


def _bounds(line: Connector) -> Bounds:
    lefts, tops, rights, bottoms = zip(*(piece.box for piece in line.pieces), strict=True)
    return min(lefts), min(tops), max(rights), max(bottoms)


def _cross(line: Connector, other: Connector, room: float) -> bool:
    ends = [end.point for each in (line, other) for end in each.ends]
    for first in segments(line):
        for at, second in enumerate(segments(other)):
            point = meeting(first, second)
            if (
                point is not None
                and all(math.dist(point, end) > room for end in ends)
                and not _merge(line, other, at, room)
            ):
                return True
    return False


def _merge(line: Connector, other: Connector, at: int, room: float) -> bool:
    """Whether two lines run on together, from where part `at` of the other meets the first, to an end of both."""
    parts = [*segments(other)]
    ways = (
        (other.start, [start for start, _ in parts[: at + 1]]),
        (other.end, [end for _, end in parts[at:]]),
    )
    return any(
        math.dist(mine.point, end.point) <= room
        and all(any(to_line(point, part) <= room for part in segments(line)) for point in way)
        for end, way in ways
        for mine in line.ends
    )
