"""Bounds of a generator's parameters, with messages in the words of the question file."""

from __future__ import annotations


def within(low: float, high: float, **values: float) -> None:
    """ValueError for the first value that is not a finite number from `low` to `high` inclusive."""
    for name, value in values.items():
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise ValueError(f"{name} must be a number from {low:g} to {high:g}, not {value!r}")
        # Before anything is made of it: an integer may be too large for a float.
        if not low <= value <= high:
            huge = isinstance(value, int) and abs(value) > 10**300
            shown = "a number with more than 300 digits" if huge else f"{value:g}"
            raise ValueError(f"{name} must be from {low:g} to {high:g}, not {shown}")


def whole(low: int, high: int, **values: float) -> None:
    """As `within`, for values that count something."""
    within(low, high, **values)
    for name, value in values.items():
        if value != int(value):
            raise ValueError(f"{name} must be a whole number, not {value:g}")
