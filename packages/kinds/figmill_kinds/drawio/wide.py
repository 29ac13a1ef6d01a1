"""The connectors of draw.io that have a width: a thick arrow, and two lines beside each other. Pure."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from types import MappingProxyType

from figmill_kinds.drawio.model import Point
from figmill_kinds.drawio.styles import Style, number

WIDE: Mapping[str, float] = MappingProxyType({"flexArrow": 10.0, "link": 4.0})  # and their widths in px


def wide(points: Sequence[Point], style: Style) -> str:
    """The path of a wide connector along points."""
    width = number(style, "width", WIDE[style["shape"]])
    if style["shape"] == "link":
        return "".join(_path(_beside(points, side * width / 2)) for side in (1, -1))
    pen = number(style, "strokeWidth", 1)
    ends = [_end(style, name, width, pen) for name in ("start", "end")]
    line = _shorter(_shorter(points, ends[0][0])[::-1], ends[1][0])[::-1]
    begin, finish = (
        _head(tip, near, end, pen)
        for tip, near, end in ((points[0], points[1], ends[0]), (points[-1], points[-2], ends[1]))
    )
    left, right = _beside(line, width / 2), _beside(line, -width / 2)
    return _path([*left, *finish, *right[::-1], *begin]) + "Z"


def _end(style: Style, name: str, width: float, pen: float) -> tuple[float, float]:
    """How long a head is, with its distance from the shape, and half its width; both 0 without a head."""
    if style.get(f"{name}Arrow", "none") == "none":
        return pen / 2, 0.0
    return 3 * number(style, f"{name}Size", 6) + 1.5 * pen, (
        width + number(style, f"{name}Width", 20) + pen
    ) / 2


def _head(tip: Point, near: Point, end: tuple[float, float], pen: float) -> list[Point]:
    """The corners of a head, from its left side to its right side, seen along the connector toward the tip."""
    back, half = end
    if not half:
        return []
    length = math.dist(tip, near) or 1.0
    u, v = (near[0] - tip[0]) / length, (near[1] - tip[1]) / length
    foot = (tip[0] + u * back, tip[1] + v * back)
    point = (tip[0] + u * pen / 2, tip[1] + v * pen / 2)
    return [(foot[0] - v * half, foot[1] + u * half), point, (foot[0] + v * half, foot[1] - u * half)]


def _shorter(points: Sequence[Point], by: float) -> list[Point]:
    """A line without the first px of its first piece."""
    (x, y), (u, v) = points[0], points[1]
    part = min(1.0, by / (math.dist(points[0], points[1]) or 1.0))
    return [(x + (u - x) * part, y + (v - y) * part), *points[1:]]


def _beside(points: Sequence[Point], by: float) -> list[Point]:
    """A line at a distance from another, with its corners where its pieces meet."""
    units = [
        ((b[0] - a[0]) / (math.dist(a, b) or 1.0), (b[1] - a[1]) / (math.dist(a, b) or 1.0))
        for a, b in itertools.pairwise(points)
    ]
    line = []
    for (x, y), (u, v), (s, t) in zip(points, [units[0], *units], [*units, units[-1]], strict=True):
        share = by / max(0.2, 1 + u * s + v * t)
        line.append((x + (v + t) * share, y - (u + s) * share))
    return line


def _path(points: Sequence[Point]) -> str:
    return f"M{'L'.join(f'{x:.2f},{y:.2f}' for x, y in points)}"
