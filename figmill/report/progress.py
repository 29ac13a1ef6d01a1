"""A progress bar on the terminal while figures are made."""

from __future__ import annotations

import sys
import time

from figmill.streams import redraw

WIDTH = 30  # characters
SOON = 10  # seconds for which nobody asks how long it takes


class ProgressLine:
    """A bar on standard error if that is a terminal, otherwise nothing."""

    def __init__(self, is_wanted: bool) -> None:
        self.is_shown = is_wanted and sys.stderr.isatty()
        self._begun = time.monotonic()

    def __enter__(self) -> ProgressLine:
        return self

    def __call__(self, done: int, total: int, label: str) -> None:
        if self.is_shown:
            bar = "━" * (WIDTH * done // total)
            left = time_left(time.monotonic() - self._begun, done, total)
            redraw(f"{bar:{WIDTH}} {done}/{total}{left} {label}")

    def __exit__(self, *_: object) -> None:
        if self.is_shown:
            redraw("")


def time_left(seconds: float, done: int, total: int) -> str:
    """The time that the rest takes if it is like what is done; empty if that is little. seconds: since the start."""
    left = seconds * (total - done) / done if done else 0.0
    if left < SOON:
        return ""
    return f", {left:.0f} s left" if left < 100 else f", {left / 60:.0f} min left"
