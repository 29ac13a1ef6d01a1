"""Compare what a build would write with the present files: --dry-run and --check."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from figmill.compare.books import status_of
from figmill.compare.renames import renamed
from figmill.config import Options
from figmill.engine.book_state import BookState
from figmill.engine.drawing.outcome import Built, Skipped
from figmill.engine.in_memory import present_files, unsaved
from figmill.engine.load import look
from figmill.engine.outputs import published
from figmill.engine.report import judged, report_of
from figmill.engine.report_rows import exported_row, row_of
from figmill.engine.request import Progress, Request
from figmill.fastpath import Seen
from figmill.late_dataclasses import dataclass
from figmill.model import Change, Published
from figmill.publish.export_plan import Wanted
from figmill.render.pool import Pool
from figmill.report.model import Report, Row, Status
from figmill.store.disk import Disk
from figmill.store.ledger import Entry, Ledger, key


@dataclass(frozen=True, slots=True)
class Comparer:
    """The keeper of a dry run: compares each product with the present file."""

    disk: Disk
    options: Options
    then: Mapping[str, Published]  # as published by the last build, by figure
    doing = "comparing it with the existing files"
    writes = False

    def figure(self, outcome: Skipped | Built, svgs: Mapping[str, bytes]) -> Row:
        row = row_of(outcome, self.options)
        after = svgs if isinstance(outcome, Built) else present_files(outcome, self.disk)
        changes = tuple(Change(path, self.disk.read(path), data) for path, data in after.items())
        status = status_of(changes) or (Status.FRESH if isinstance(outcome, Skipped) else Status.UNCHANGED)
        then, now = self.then.get(key(outcome.step.visual)), published(outcome, self.options)
        return replace(row, status=status, changes=changes, then=then, now=now)

    def export(self, want: Wanted, data: bytes, row: Row) -> Row:
        change = Change(want.path, self.disk.read(want.path), data)
        row = replace(row, changes=(*row.changes, change))
        return exported_row(row, want, status_of((change,)))

    def remember(self, state: BookState, ledger: Ledger) -> Ledger:
        """A comparison saves nothing."""
        return ledger

    def pages(self, state: BookState, ledger: Ledger, current: set[str]) -> None:
        """The manifest matters only if no figure differs; then `compare` compares it."""


def compare(
    root: Path,
    options: Options,
    request: Request,
    pool: Pool,
    progress: Progress = lambda *_: None,
    seen: Seen | None = None,
) -> Report:
    """What a build would change. Takes the arguments of `build` and writes nothing."""
    state = look(root, options, request.ids, force=request.force, seen=seen)
    state.refuse_foreign_pages()
    state = judged(state, is_strict=request.strict)
    then = {name: entry.published for name, entry in state.ledger.entries.items()}
    updated = unsaved(state, request, Comparer(state.disk, state.options, then), pool, progress)
    entries, orphans = updated.ledger.entries, updated.ledger.orphans
    rows = [*updated.rows.values()]
    if all(row.status in (Status.FRESH, Status.UNCHANGED) for row in rows):
        rows += _changed_pages(state, entries)
    rows = _renamed(rows, state, updated.ledger)
    report = report_of(state, rows, entries, orphans, is_strict=request.strict)
    return replace(report, dry=True, check=request.check)


def _renamed(rows: list[Row], state: BookState, ledger: Ledger) -> list[Row]:
    """The rows, with one for each figure that has another name now; its old files stay, and are orphans."""
    gone = [entry.published for name, entry in state.ledger.entries.items() if name not in ledger.entries]
    if not gone or not any(row.status is Status.WOULD_CREATE for row in rows):
        return rows
    removed = [
        Row(
            then.id,
            then.name,
            then.kind,
            Status.WOULD_REMOVE,
            changes=tuple(Change(file.path, state.disk.read(file.path), None) for file in then.all_files),
            then=then,
        )
        for then in gone
    ]
    both = renamed(Report((*rows, *removed))).rows
    return [row for row in both if row.status is not Status.WOULD_REMOVE]


def _changed_pages(state: BookState, entries: Mapping[str, Entry]) -> list[Row]:
    """The manifest, if it would change although no figure does: after a change of a title, for example."""
    path = state.page_paths[0]
    after = state.pages(entries, set(entries)).files[path]
    if state.disk.read(path) in (after, None):
        return []
    return [Row(None, None, None, Status.WOULD_CHANGE, path=path)]
