"""A progress bar on the terminal while figures are made."""

from __future__ import annotations

import sys

from figmill.streams import redraw

WIDTH = 30  # characters


class ProgressLine:
    """A bar on standard error if that is a terminal, otherwise nothing."""

    def __init__(self, is_wanted: bool) -> None:
        self.is_shown = is_wanted and sys.stderr.isatty()

    def __enter__(self) -> ProgressLine:
        return self

    def __call__(self, done: int, total: int, label: str) -> None:
        if self.is_shown:
            bar = "━" * (WIDTH * done // total)
            redraw(f"{bar:{WIDTH}} {done}/{total} {label}")

    def __exit__(self, *_: object) -> None:
        if self.is_shown:
            redraw("")
