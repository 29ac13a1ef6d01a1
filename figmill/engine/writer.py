"""The keeper of a build: writes figures and exports as they come, then the journal, the manifest and the gallery."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import replace

from figmill.config import Options
from figmill.engine.book_state import BookState, PageSet
from figmill.engine.drawing.outcome import Built, Skipped
from figmill.engine.outputs import all_files, published
from figmill.engine.report_rows import exported_row, row_of
from figmill.errors import ReadOnlyError
from figmill.fastpath import PAGES
from figmill.late_dataclasses import dataclass
from figmill.model import Change, Published, is_made
from figmill.publish.export_plan import Wanted
from figmill.report.model import Row, Status
from figmill.store.disk import Disk
from figmill.store.ledger import Ledger, key


@dataclass(frozen=True, slots=True)
class Writer:
    """Writes each product to its path, unless the file already has these bytes.

    - then: what was published before, by figure; None: the changes are not shown.
    - pages_wait: whether to leave the pages to the next update, because something is more urgent.
    - may_fail: ignore a read-only journal, which only costs the next build time.
    """

    disk: Disk
    options: Options
    then: Mapping[str, Published] | None = None
    pages_wait: Callable[[], bool] = lambda: False
    may_fail: bool = False
    doing = "writing it"
    writes = True

    def figure(self, outcome: Skipped | Built, svgs: Mapping[str, bytes]) -> Row:
        if isinstance(outcome, Skipped):
            return row_of(outcome, self.options)
        new = self.disk.differing(svgs)
        row = row_of(outcome, self.options, Status.RENDERED if new else Status.UNCHANGED)
        if self.then is not None:
            changes = tuple(Change(path, self.disk.read(path), svg) for path, svg in svgs.items())
            then = self.then.get(key(outcome.step.visual))
            row = replace(row, changes=changes, then=then, now=published(outcome, self.options))
        self.disk.put(new)  # last, so that a figure that fails keeps all its files: the manifest states those
        return row

    def export(self, want: Wanted, data: bytes, row: Row) -> Row:
        new = self.disk.differing({want.path: data})
        row = exported_row(row, want, Status.EXPORTED if new else None)
        self.disk.put(new)
        return row

    def remember(self, state: BookState, ledger: Ledger) -> Ledger:
        with suppress(*((ReadOnlyError,) if self.may_fail else ())):
            ledger = self._without_unnamed(state, ledger)
            state.memory.save(ledger, state.questions)
        return ledger

    def _without_unnamed(self, state: BookState, ledger: Ledger) -> Ledger:
        """Remove the outputs of what pages hold, to which only figmill gave an id: each edit gives it another one."""
        gone = [
            entry
            for name, entry in state.ledger.entries.items()
            if name not in ledger.entries and entry.question.endswith(PAGES)
        ]
        if not gone:
            return ledger
        unnamed = {
            file.path for entry in gone if is_made(entry.published.id) for file in all_files(entry)
        }.intersection(ledger.orphans)
        for path in sorted(unnamed):
            self.disk.remove(path)
        return replace(ledger, orphans=tuple(path for path in ledger.orphans if path not in unnamed))

    def pages(self, state: BookState, ledger: Ledger, current: set[str]) -> PageSet | None:
        if self.pages_wait():
            return None
        pages = state.pages(ledger.entries, current)
        self.disk.put(self.disk.differing(pages.files))
        self.disk.sync()
        return pages
