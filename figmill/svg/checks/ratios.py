"""Contrast ratios between an ink and its backdrop, and the nearest ink that passes. Knows colours only."""

from __future__ import annotations

from functools import lru_cache
from typing import TypeAlias

from figmill.palette import PAGE, TEXT
from figmill.svg.colour import GREY, Tone, chroma, contrast, lightness, luminance, moved_to
from figmill.svg.geometry.backdrop import over

SPREAD = 0.06  # OKLCH lightness minus the cube root of luminance: 0.045 at most in sRGB

Sides: TypeAlias = frozenset[str]  # contrast with one of these colours is enough


def passes(ink: Tone, demands: frozenset[Sides], least: float) -> bool:
    """Whether the ink contrasts with at least one colour of each demand."""
    return all(any(ratio(ink, side) >= least for side in sides) for sides in demands)


def ratio(ink: Tone, behind: str) -> float:
    """The contrast ratio of an ink with the colour under it: 1 to 21 (WCAG 2.1)."""
    return contrast(over(ink, behind), behind)


@lru_cache(maxsize=1024)
def clear(colour: str, pages: tuple[str, ...], least: float) -> tuple[float, float]:
    """The luminance interval in which a backdrop may lack contrast with this ink.

    A backdrop outside it lies on the page's side of the ink, so that every mixture of page and backdrop passes too.
    """
    low, high = _bounds(colour, least)
    return (-1.0, high) if luminance(colour) < luminance(pages[0]) else (low, 2.0)


def _bounds(colour: str, least: float) -> tuple[float, float]:
    """The luminances below and above a colour at which contrast begins to suffice."""
    mine = luminance(colour)
    return (mine + 0.05) / least - 0.05, least * (mine + 0.05) - 0.05


def own_ink(ink: Tone, demands: frozenset[Sides], least: float) -> str | None:
    """The book's own ink instead of a grey ink: light on dark, dark on bright."""
    if chroma(ink[0]) >= GREY:
        return None
    return next((own for own in (TEXT[1], PAGE[1], TEXT[0]) if passes((own, ink[1]), demands, least)), None)


@lru_cache(maxsize=1024)
def nearest(ink: Tone, demands: frozenset[Sides], least: float) -> str | None:
    """The passing colour of the same hue with the least change of lightness (OKLCH), or None."""
    colour, alpha = ink
    start = lightness(colour)
    bounds = [[_bounds(side, least) for side in sides] for sides in demands] if alpha >= 1 else []

    def may_pass(light: float) -> bool:
        """Whether any colour of this lightness may pass: a full test takes a hundred times as long."""
        darkest, lightest = max(0.0, light - SPREAD) ** 3, (light + SPREAD) ** 3
        return all(any(darkest <= low or lightest >= high for low, high in sides) for sides in bounds)

    def moved(step: float) -> str | None:
        """The first colour, this step lighter or darker, that passes."""
        for light in (start + step, start - step):
            if 0 <= light <= 1 and may_pass(light):
                candidate = moved_to(colour, light)
                if passes((candidate, alpha), demands, least):
                    return candidate
        return None

    coarse = next((step for step in range(1, 101) if moved(step / 100)), None)
    if coarse is None:
        return None
    return next(filter(None, (moved((coarse - 1 + part / 4) / 100) for part in (1, 2, 3, 4))))
