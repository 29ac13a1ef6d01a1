"""Arrowheads of one size: Svgbob draws those that point up or down half as long again as level ones. Pure."""

from __future__ import annotations

import re

EXCESS = 4  # px; of 12, which leaves the 8 of a level arrowhead
_POINT = r"(-?[\d.]+),(-?[\d.]+)"
_TRIANGLE = re.compile(rf'(?<=<polygon points="){_POINT} {_POINT} {_POINT}(?=" class="filled">)')


def level_sized(svg: str) -> str:
    """Svgbob's SVG with the tips of its upright arrowheads nearer to their lines, which begin at the base."""
    return _TRIANGLE.sub(_shortened, svg)


def _shortened(match: re.Match[str]) -> str:
    points = [(float(x), float(y)) for x, y in zip(match.groups()[::2], match.groups()[1::2], strict=True)]
    (left, base), (x, tip), (right, other) = sorted(points)
    length = tip - base
    if base != other or right - left != 8 or x - left != 4 or abs(length) != 12:
        return match[0]
    tip -= EXCESS if length > 0 else -EXCESS
    return f"{left:g},{base:g} {x:g},{tip:g} {right:g},{base:g}"
