"""Draw a book in memory, as a build would publish it. Reads no published file of a figure that it draws."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field, replace

from figmill.compare.books import PublishedBook, name_in
from figmill.config import Options
from figmill.engine.book_state import BookState
from figmill.engine.drawing.outcome import Built, Skipped
from figmill.engine.outputs import paths, published
from figmill.engine.report import judged, report_of
from figmill.engine.report_rows import exported_row, row_of
from figmill.engine.request import Progress, Request
from figmill.engine.update import Keeper, Updated, requested_outcomes, update
from figmill.late_dataclasses import dataclass
from figmill.publish.export_plan import Wanted
from figmill.render.pool import Pool
from figmill.report.model import Report, Row
from figmill.store.cache import cache_of
from figmill.store.disk import Disk
from figmill.store.ledger import Entry, Ledger


@dataclass(frozen=True, slots=True)
class Collector:
    """The keeper of a book in memory: collects the files of all figures, by path."""

    disk: Disk
    options: Options
    files: dict[str, bytes] = field(default_factory=dict)
    doing = "collecting its files"
    writes = False

    def figure(self, outcome: Skipped | Built, svgs: Mapping[str, bytes]) -> Row:
        row = replace(row_of(outcome, self.options), now=published(outcome, self.options))
        self.files.update(svgs if isinstance(outcome, Built) else present_files(outcome, self.disk))
        return row

    def export(self, want: Wanted, data: bytes, row: Row) -> Row:
        self.files[want.path] = data
        return exported_row(row, want, None)

    def remember(self, state: BookState, ledger: Ledger) -> Ledger:
        """Nothing is saved."""
        return ledger

    def pages(self, state: BookState, ledger: Ledger, current: set[str]) -> None:
        """The entries say all that the pages say."""


@dataclass(frozen=True, slots=True)
class DrawnBook:
    """A book drawn in memory.

    - report: of the requested figures, each with its error if it could not be drawn.
    - entries: that a build would save, by figure; of those that could be drawn.
    - files: of these figures, by path.
    """

    report: Report
    entries: Mapping[str, Entry]
    files: Mapping[str, bytes]

    @property
    def published(self) -> PublishedBook:
        """The book as a build would publish it, with the rows of its figures."""
        return PublishedBook.of_entries(self.entries, self.files, self.report.rows)


def drawn(state: BookState, request: Request, pool: Pool, progress: Progress = lambda *_: None) -> DrawnBook:
    """Draw the requested figures of a book, and take those that are fresh from their files."""
    state = judged(state, is_strict=request.strict)
    collector = Collector(state.disk, state.options)
    updated = unsaved(state, request, collector, pool, progress)
    entries, orphans = updated.ledger.entries, updated.ledger.orphans
    report = report_of(state, updated.rows.values(), entries, orphans, is_strict=request.strict)
    names = [name_in(row) for row in report.rows if row.now is not None]
    rows = tuple(row for row in report.rows if row.errors or row.now is not None)
    report = replace(report, rows=rows, dry=True, check=request.check)
    return DrawnBook(report, {name: entries[name] for name in names}, collector.files)


def unsaved(state: BookState, request: Request, keeper: Keeper, pool: Pool, progress: Progress) -> Updated:
    """An update that leaves no drawing in the cache. state: as `judged`."""
    cache = cache_of(state.disk.root, state.options, finds=not request.force, keeps=False)
    return update(state, requested_outcomes(state, cache, pool, progress), request, keeper, pool)


def present_files(outcome: Skipped, disk: Disk) -> dict[str, bytes]:
    """The files of a fresh figure, by path."""
    return {path: disk.read(path) or b"" for path in sorted(paths(outcome.step.entry))}
