"""A limit on the work of a pass, counted in steps instead of time, so that it is the same on every machine."""

from __future__ import annotations

from figmill.late_dataclasses import dataclass


class SpentError(Exception):
    """More steps were needed than a figure may take."""


@dataclass(slots=True)
class Steps:
    """The number of steps left."""

    left: int

    def spend(self, count: int) -> None:
        """Take `count` steps; raises SpentError if fewer are left."""
        self.left -= count
        if self.left < 0:
            raise SpentError
