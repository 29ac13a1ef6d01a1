"""Colours as other eyes see them: without one kind of cone, or on paper that has no colour.

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

# How a reader may see, and coloraide's filter for it.
VISIONS = MappingProxyType(
    {
        "protanopia": "protan",
        "deuteranopia": "deutan",
        "tritanopia": "tritan",
        "greyscale": "grayscale",
    }
)
# OKLab distance under which two colours that do not touch are one: two and a half times what is just noticeable
# side by side.
MERGED = 0.05


@lru_cache(maxsize=4096)
def seen(text: str, vision: str) -> Color:
    """The colour that a reader takes #rrggbb for."""
    return colour(text).convert("srgb").filter(VISIONS[vision], 1).convert("oklch")


@lru_cache(maxsize=4096)
def distance_for(one: str, other: str, vision: str) -> float:
    """How far apart two colours are for that reader, as OKLab has it."""
    return float(seen(one, vision).delta_e(seen(other, vision), method="ok"))


def merging(couples: Iterable[tuple[str, str]]) -> tuple[str, ...]:
    """The visions in which no couple of paints (fill and fill, line and line) differs."""
    pairs = tuple(couples)
    return tuple(
        vision for vision in VISIONS if all(distance_for(one, other, vision) < MERGED for one, other in pairs)
    )
