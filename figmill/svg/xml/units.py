"""Lengths: a number and a unit, and the size of each unit in CSS px."""

from __future__ import annotations

import re

from figmill.svg.xml.numbers import NUMBER

# CSS px per unit. em and ex use the initial font size, since a figure has no surrounding font.
PX = {
    "": 1.0,
    "px": 1.0,
    "pt": 4 / 3,
    "pc": 16.0,
    "in": 96.0,
    "cm": 96 / 2.54,
    "mm": 96 / 25.4,
    "q": 96 / 101.6,
    "em": 16.0,
    "rem": 16.0,
    "ex": 8.0,
}
LENGTH = re.compile(rf"\s*({NUMBER})([A-Za-z]*|%)\s*")
