"""Bounds of a generator's parameters, with messages in the words of the question file."""

from __future__ import annotations

import math


def within(low: float, high: float, **values: float) -> None:
    """ValueError for the first value that is not a finite number from `low` to `high` inclusive."""
    for name, value in values.items():
        if not (math.isfinite(value) and low <= value <= high):
            raise ValueError(f"{name} must be from {low:g} to {high:g}, not {value:g}")
