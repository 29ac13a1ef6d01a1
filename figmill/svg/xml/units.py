"""Lengths: a number and a unit, and the size of each unit in CSS px."""

from __future__ import annotations

import re

from figmill.svg.xml.numbers import ABSOLUTE, NUMBER, number, significant

# CSS px per unit. em and ex use the initial font size, since a figure has no surrounding font.
PX = {**ABSOLUTE, "em": 16.0, "ex": 8.0}
LENGTH = re.compile(rf"\s*({NUMBER})([A-Za-z]*|%)\s*")
REM = re.compile(rf"(?<![\w.#-])({NUMBER})rem(?![\w-])", re.I)


def without_rem(text: str, size: float) -> str:
    """A text with its lengths in rem in px. size: of the root's font, px."""
    return REM.sub(lambda match: f"{significant(number(match[1]) * size, 9)}px", text)
