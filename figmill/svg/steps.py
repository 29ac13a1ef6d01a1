"""A bound on how much a pass looks at, counted in steps and not in time: the same on every machine."""

from __future__ import annotations

from dataclasses import dataclass


class SpentError(Exception):
    """There were more steps than a figure may take."""


@dataclass(slots=True)
class Steps:
    """How many steps are left."""

    left: int

    def spend(self, count: int) -> None:
        """Take so many of them; SpentError where there are not so many left."""
        self.left -= count
        if self.left < 0:
            raise SpentError
