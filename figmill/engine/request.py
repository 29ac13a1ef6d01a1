"""The request for a build or a comparison. Loads little, because an unchanged book needs no more than this."""

from __future__ import annotations

from collections.abc import Callable
from fnmatch import fnmatchcase
from pathlib import Path
from typing import TypeAlias

from figmill.formats import FORMATS
from figmill.late_dataclasses import dataclass
from figmill.model import Form

Progress: TypeAlias = Callable[[int, int, str], None]  # done, total, label


def is_among(id_: str | None, ids: tuple[str, ...]) -> bool:
    """Whether these globs request a question; empty: all. id_: None if it could not be read."""
    return not ids or (id_ is not None and any(fnmatchcase(id_, pattern) for pattern in ids))


@dataclass(frozen=True, slots=True)
class Request:
    """A request to build, or to show what a build would change, with the options of the command line.

    - root: None: the nearest book upwards.
    - ids: globs of the requested questions; empty: all.
    - against: a git commit to compare with.
    - jobs: parallel processes.
    - scheduler: the address of a Dask cluster that draws; None: draw on this machine.
    - to, scale, ink, width: of the requested exports; width in px.
    """

    root: Path | None = None
    ids: tuple[str, ...] = ()
    # write nothing in the book, not even the cache; `against` keeps its drawings in .figmill/commits
    dry_run: bool = False
    check: bool = False  # the same; the exit code says whether anything would change
    verdict: bool = False  # with dry_run: report whether each figure is well, not what would change
    against: str | None = None
    force: bool = False
    jobs: int = 1
    watch: bool = False
    scheduler: str | None = None
    to: tuple[str, ...] = ()
    scale: float | None = None
    width: float | None = None
    ink: str = "colour"
    report: Path | None = None
    pictures: Path | None = None
    summary: bool = False
    ignore_invisible: bool = False
    strict: bool = False
    explain: bool = False
    form: str = "text"
    quiet: bool = False
    verbose: bool = False
    color: str = "auto"

    @property
    def writes(self) -> bool:
        return not (self.dry_run or self.check)

    @property
    def compares_commits(self) -> bool:
        """Whether it compares two commits with each other; then the book as it is is not drawn."""
        return self.against is not None and ".." in self.against

    @property
    def forms(self) -> tuple[Form, ...]:
        """The export formats in addition to SVG."""
        ink = self.ink if self.ink != "colour" else ""
        return tuple(
            Form(name, (FORMATS[name].has_pixels and self.scale) or 1.0, ink, self.width or 0.0)
            for name in dict.fromkeys(self.to)
        )

    @property
    def shows_changes(self) -> bool:
        """Whether figures are to be shown before and after."""
        return self.report is not None or self.summary or self.ignore_invisible or self.form == "markdown"

    @property
    def needs_pixels(self) -> bool:
        """Whether it cannot be answered without comparing pixels."""
        return self.report is not None or self.pictures is not None or self.ignore_invisible

    @property
    def asks_no_details(self) -> bool:
        """Whether "all fresh" is the complete answer for an unchanged book."""
        more = (
            self.ids,
            self.against,
            self.force,
            self.strict,
            self.explain,
            self.verbose,
            self.watch,
            self.report,
            self.summary,
        )
        return self.form == "text" and not any(more)

    @property
    def is_plain(self) -> bool:
        """Whether it is to build what is stale and no more; the report may then leave out the rows of fresh figures."""
        return self.asks_no_details and self.writes and not (self.to or self.scheduler)
