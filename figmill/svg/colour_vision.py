"""Colours as other readers see them: without one type of cone, or printed in greyscale.

Without the cones for long or middle waves: Vienot, Brettel and Mollon 1999; for short ones: Brettel, Vienot and Mollon
1997. The numbers of both follow from the cone sensitivities of Smith and Pokorny 1975, and are those of coloraide.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from functools import lru_cache, partial
from types import MappingProxyType

from figmill.svg import oklab
from figmill.svg.colour import rgb
from figmill.svg.oklab import Matrix, Triple, times

_PROTANOPIA: Matrix = (
    (0.11238276122216405, 0.8876172387778362, 0.0),
    (0.11238276122216405, 0.8876172387778362, 0.0),
    (0.0040057682730469425, -0.0040057682730469425, 1.0),
)
_DEUTERANOPIA: Matrix = (
    (0.2927501142784356, 0.7072498857215644, 0.0),
    (0.2927501142784356, 0.7072498857215644, 0.0),
    (-0.022336587034129083, 0.022336587034129083, 1.0),
)
# Tritanopia: the cones of a colour; where the two half planes meet that all colours fall onto; and the colour of each.
_CONES: Matrix = (
    (0.178824041258, 0.4351609057, 0.04119349692),
    (0.034556423182, 0.27155382458, 0.03867130836),
    (0.000299565576, 0.0018430896, 0.01467086136),
)
_MEETING = (0.344781556122, -0.655178443878)  # of long and middle waves
_BELOW: Matrix = (
    (7.392856536180033, -11.148044821248138, 0.0),
    (-0.3419401242193065, 3.5501661175064, 0.0),
    (-4.205069271644859, 10.89115898202731, 0.0),
)
_ABOVE: Matrix = (
    (8.0643934576311, -12.42414705871019, 0.0),
    (-0.9956078228581946, 4.7923119863996835, 0.0),
    (-0.2150297288038942, 3.3090019545637928, 0.0),
)
_GREY: Matrix = ((0.2126, 0.7152, 0.0722),) * 3
# OKLab distance below which two colours that do not touch look the same: two and a half times the just noticeable
# difference side by side.
MERGED = 0.05


def _tritanopia(linear: Triple) -> Triple:
    cones = times(_CONES, linear)
    return times(_ABOVE if _MEETING[0] * cones[0] + _MEETING[1] * cones[1] > 0 else _BELOW, cones)


# Each vision: what is seen for a colour, both in linear sRGB.
VISIONS: MappingProxyType[str, Callable[[Triple], Triple]] = MappingProxyType(
    {
        "protanopia": partial(times, _PROTANOPIA),
        "deuteranopia": partial(times, _DEUTERANOPIA),
        "tritanopia": _tritanopia,
        "greyscale": partial(times, _GREY),
    }
)


@lru_cache(maxsize=4096)
def seen(text: str, vision: str) -> Triple:
    """#rrggbb as a reader with this vision sees it, in OKLab."""
    return oklab.of_linear(VISIONS[vision](oklab.linear(rgb(text))))


@lru_cache(maxsize=4096)
def distance_for(first: str, second: str, vision: str) -> float:
    """The OKLab distance of two colours for that reader."""
    return math.dist(seen(first, vision), seen(second, vision))


def merging(couples: Iterable[tuple[str, str]]) -> tuple[str, ...]:
    """The visions in which every pair of paints (fill and fill, line and line) looks the same."""
    pairs = tuple(couples)
    return tuple(
        vision
        for vision in VISIONS
        if all(distance_for(first, second, vision) < MERGED for first, second in pairs)
    )
