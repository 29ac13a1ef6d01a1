"""The order for a build, from the command line. Loads little, because an unchanged book needs no more than this."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from figmill.formats import FORMATS
from figmill.model import Form


@dataclass(frozen=True, slots=True)
class Order:
    """A build as ordered on the command line. root: None: search upwards; jobs: None: one per core."""

    root: Path | None = None
    ids: tuple[str, ...] = ()
    dry_run: bool = False
    check: bool = False
    against: str | None = None
    force: bool = False
    jobs: int | None = None
    watch: bool = False
    scheduler: str | None = None
    to: tuple[str, ...] = ()
    scale: float | None = None
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
    def forms(self) -> tuple[Form, ...]:
        """The export formats in addition to SVG."""
        ink = self.ink if self.ink != "colour" else ""
        return tuple(
            Form(name, (FORMATS[name].has_pixels and self.scale) or 1.0, ink)
            for name in dict.fromkeys(self.to)
        )

    @property
    def shows_changes(self) -> bool:
        """Whether figures are to be shown before and after."""
        return self.report is not None or self.summary or self.ignore_invisible or self.form == "markdown"

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
