"""Hand-drawn lines: turns points into paths that waver a little, always in the same way for the same seed. Pure.

The lines are like those of the library Rough, which Excalidraw uses: each line is drawn twice, bowed and displaced.
Fills are parallel lines.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

Point = tuple[float, float]
Box = tuple[float, float, float, float]  # left, top, right, bottom
_GENERATOR = 48271  # the minimal standard generator of Park and Miller
_MODULUS = 2**31 - 1
MOST_LINES = 400  # the most lines of a fill


@dataclass(slots=True)
class Hand:
    """A hand that wavers by `roughness` (0: not at all, 1: artist, 2: cartoonist)."""

    seed: int
    roughness: float

    def __post_init__(self) -> None:
        self.seed = self.seed % _MODULUS or 1

    def _offset(self, reach: float, scale: float = 1.0) -> float:
        self.seed = self.seed * _GENERATOR % _MODULUS
        return self.roughness * scale * reach * (2 * self.seed / _MODULUS - 1)

    def line(self, start: Point, end: Point) -> str:
        """A straight line."""
        if self.roughness == 0:
            return f"M{_at(start)}L{_at(end)}"
        return self._stroke(start, end, 1.0) + self._stroke(start, end, 0.5)

    def _stroke(self, start: Point, end: Point, scale: float) -> str:
        length = math.dist(start, end)
        gain = 1.0 if length < 200 else 0.4 if length > 500 else 1.0 - 0.6 * (length - 200) / 300
        reach = min(2.0, length / 10) * scale
        (x1, y1), (x2, y2) = start, end
        bow_x, bow_y = self._offset((y2 - y1) / 200 * gain), self._offset((x1 - x2) / 200 * gain)
        middle = 0.35 + 0.15 * (self.seed / _MODULUS)

        def near(x: float, y: float) -> Point:
            return x + self._offset(reach, gain), y + self._offset(reach, gain)

        first = near(bow_x + x1 + (x2 - x1) * middle, bow_y + y1 + (y2 - y1) * middle)
        second = near(bow_x + x1 + 2 * (x2 - x1) * middle, bow_y + y1 + 2 * (y2 - y1) * middle)
        return f"M{_at(near(x1, y1))}C{_at(first)} {_at(second)} {_at(near(x2, y2))}"

    def polyline(self, points: Sequence[Point], closed: bool = False) -> str:
        """Straight lines from point to point."""
        ends = [*points[1:], points[0]] if closed else points[1:]
        if self.roughness == 0:
            return f"M{'L'.join(map(_at, points))}{'Z' * closed}"
        return "".join(self.line(start, end) for start, end in zip(points, ends, strict=False))

    def curve(self, points: Sequence[Point], closed: bool = False) -> str:
        """A smooth curve through the points, drawn twice by an unsteady hand."""
        if len(points) < 3:
            return self.polyline(points)
        strokes = [smooth(points, closed)] if self.roughness == 0 else []
        for scale in (1.0, 0.6) if self.roughness else ():
            reach = 1.5 * scale
            moved = [(x + self._offset(reach), y + self._offset(reach)) for x, y in points]
            strokes.append(smooth(moved, closed))
        return "".join(strokes)


def smooth(points: Sequence[Point], closed: bool = False) -> str:
    """A Catmull-Rom spline through the points, as cubic curves."""
    count = len(points)

    def at(index: int) -> Point:
        return points[index % count] if closed else points[max(0, min(index, count - 1))]

    path = [f"M{_at(points[0])}"]
    for index in range(count if closed else count - 1):
        (x0, y0), (x1, y1), (x2, y2), (x3, y3) = (at(index + step) for step in (-1, 0, 1, 2))
        first, second = (x1 + (x2 - x0) / 6, y1 + (y2 - y0) / 6), (x2 - (x3 - x1) / 6, y2 - (y3 - y1) / 6)
        path.append(f"C{_at(first)} {_at(second)} {_at((x2, y2))}")
    return "".join(path)


def along(points: Sequence[Point], steps: int = 8) -> list[Point]:
    """Points on the curve of `smooth`, `steps` for each piece."""
    count = len(points)

    def at(index: int) -> Point:
        return points[max(0, min(index, count - 1))]

    curve = [points[0]]
    for index in range(count - 1):
        (x0, y0), (x1, y1), (x2, y2), (x3, y3) = (at(index + step) for step in (-1, 0, 1, 2))
        for step in range(1, steps + 1):
            t = step / steps
            a, b, c, d = (1 - t) ** 3, 3 * t * (1 - t) ** 2, 3 * t * t * (1 - t), t**3
            x = a * x1 + b * (x1 + (x2 - x0) / 6) + c * (x2 - (x3 - x1) / 6) + d * x2
            y = a * y1 + b * (y1 + (y2 - y0) / 6) + c * (y2 - (y3 - y1) / 6) + d * y2
            curve.append((x, y))
    return curve


def outside(points: Sequence[Point], box: Box) -> list[list[Point]]:
    """The pieces of a line that are outside a box: Liang and Barsky's clipping for each straight piece."""
    pieces: list[list[Point]] = [[points[0]]]
    for (x1, y1), (x2, y2) in pairwise(points):
        enters, leaves = 0.0, 1.0
        for delta, near, far in ((x2 - x1, box[0] - x1, box[2] - x1), (y2 - y1, box[1] - y1, box[3] - y1)):
            if delta == 0:
                leaves = leaves if near < 0 < far else -1.0
            else:
                low, high = sorted((near / delta, far / delta))
                enters, leaves = max(enters, low), min(leaves, high)
        if enters >= leaves:
            pieces[-1].append((x2, y2))
            continue
        if enters > 0:
            pieces[-1].append((x1 + (x2 - x1) * enters, y1 + (y2 - y1) * enters))
        else:
            pieces[-1] = []
        pieces.append([] if leaves >= 1 else [(x1 + (x2 - x1) * leaves, y1 + (y2 - y1) * leaves), (x2, y2)])
    return [piece for piece in pieces if len(piece) > 1]


def hatching(outline: Sequence[Point], gap: float, angle: float) -> list[tuple[Point, Point]]:
    """Parallel lines that fill a polygon. gap: px between them; angle: radians."""
    cosine, sine = math.cos(-angle), math.sin(-angle)
    turned = [(x * cosine - y * sine, x * sine + y * cosine) for x, y in outline]
    low, high = min(y for _, y in turned), max(y for _, y in turned)
    gap = max(gap, (high - low) / MOST_LINES, 0.1)
    lines: list[tuple[Point, Point]] = []
    level = low + gap / 2
    while level < high:
        crossings = sorted(
            x1 + (level - y1) * (x2 - x1) / (y2 - y1)
            for (x1, y1), (x2, y2) in zip(turned, [*turned[1:], turned[0]], strict=True)
            if (y1 <= level) != (y2 <= level)
        )
        for left, right in zip(crossings[::2], crossings[1::2], strict=False):
            ends = ((left, level), (right, level))
            lines.append(tuple((x * cosine + y * sine, -x * sine + y * cosine) for x, y in ends))  # type: ignore[arg-type]
        level += gap
    return lines


def _at(point: Point) -> str:
    return f"{point[0]:.2f},{point[1]:.2f}"


at = _at
