"""Lengths: a number and a unit, and what a unit is in CSS px."""

from __future__ import annotations

import re

from figmill.svg.xml.numbers import ABSOLUTE, NUMBER

# CSS px a unit. em and ex count with the initial font size, as there is no font around a figure.
PX = {**ABSOLUTE, "em": 16.0, "ex": 8.0}
LENGTH = re.compile(rf"\s*({NUMBER})([A-Za-z]*|%)\s*")
