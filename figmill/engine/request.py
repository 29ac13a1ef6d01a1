"""What a build is asked to do."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

from figmill.model import Form

Progress: TypeAlias = Callable[[int, int, str], None]  # done, total, label


@dataclass(frozen=True, slots=True)
class Request:
    """A build, or what one would change.

    ids: globs of the questions that are asked for; empty: all. against: a git commit to compare with. every: the
    checks of `lint` as well. scheduler: of a Dask cluster that draws; None: this machine does. forms: wanted beside the
    SVGs.
    """

    ids: tuple[str, ...] = ()
    dry_run: bool = False  # write nothing of the book, the cache included; `against` keeps its own in .git
    check: bool = False  # the same, and the exit code says whether anything would change
    against: str | None = None
    force: bool = False
    jobs: int = 1
    strict: bool = False
    every: bool = False
    shows: bool = False  # keep each figure as it was and as it is, for who shows the changes
    scheduler: str | None = None
    forms: tuple[Form, ...] = ()
    brief: bool = False  # the report need not have a row of each figure with which there is nothing to do

    @property
    def writes(self) -> bool:
        return not (self.dry_run or self.check)
