"""Colours as other readers see them: without one type of cone, or printed in greyscale.

The simulations are coloraide's: Brettel, Vienot and Mollon 1997 and Vienot, Brettel and Mollon 1999.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from types import MappingProxyType
from typing import TYPE_CHECKING

from figmill.svg.colour import colour

if TYPE_CHECKING:
    from coloraide import Color

# Each vision, and coloraide's filter for it.
VISIONS = MappingProxyType(
    {
        "protanopia": "protan",
        "deuteranopia": "deutan",
        "tritanopia": "tritan",
        "greyscale": "grayscale",
    }
)
# OKLab distance below which two colours that do not touch look the same: two and a half times the just noticeable
# difference side by side.
MERGED = 0.05


@lru_cache(maxsize=4096)
def seen(text: str, vision: str) -> Color:
    """#rrggbb as a reader with this vision sees it, in OKLCH."""
    return colour(text).convert("srgb").filter(VISIONS[vision], 1).convert("oklch")


@lru_cache(maxsize=4096)
def distance_for(first: str, second: str, vision: str) -> float:
    """The OKLab distance of two colours for that reader."""
    return float(seen(first, vision).delta_e(seen(second, vision), method="ok"))


def merging(couples: Iterable[tuple[str, str]]) -> tuple[str, ...]:
    """The visions in which every pair of paints (fill and fill, line and line) looks the same."""
    pairs = tuple(couples)
    return tuple(
        vision
        for vision in VISIONS
        if all(distance_for(first, second, vision) < MERGED for first, second in pairs)
    )
