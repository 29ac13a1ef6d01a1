"""The request for a build or a comparison."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

from figmill.model import Form

Progress: TypeAlias = Callable[[int, int, str], None]  # done, total, label


@dataclass(frozen=True, slots=True)
class Request:
    """A request to build, or to show what a build would change.

    ids: globs of the requested questions; empty: all. against: a git commit to compare with. every: also run the checks
    of `lint`. scheduler: the address of a Dask cluster that draws; None: draw on this machine. forms: the requested
    exports.
    """

    ids: tuple[str, ...] = ()
    # write nothing in the book, not even the cache; `against` keeps its drawings in .figmill/commits
    dry_run: bool = False
    check: bool = False  # the same; the exit code says whether anything would change
    against: str | None = None
    force: bool = False
    jobs: int = 1
    strict: bool = False
    every: bool = False
    shows: bool = False  # keep the old and the new form of each figure, to show the changes
    scheduler: str | None = None
    forms: tuple[Form, ...] = ()
    brief: bool = False  # the report may leave out the rows of fresh figures

    @property
    def writes(self) -> bool:
        return not (self.dry_run or self.check)
