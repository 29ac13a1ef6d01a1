"""Compare what a build would write with the present files or with an earlier commit: --dry-run and --check."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from figmill.config import Options
from figmill.engine.commits.before import Before, at_commit, failure_key, files_of, inputs_of, lying
from figmill.engine.drawing.outcome import Built, Fresh, Outcome
from figmill.engine.load import look
from figmill.engine.notes import judged, notes
from figmill.engine.outputs import published
from figmill.engine.plan import SHARED
from figmill.engine.request import Progress, Request
from figmill.engine.rows import exported_row, in_order, row_of
from figmill.engine.state import BookState
from figmill.engine.update import requested_outcomes, update
from figmill.fastpath import Seen
from figmill.model import Change, Published
from figmill.publish.export_plan import Wanted
from figmill.render.pool import Pool
from figmill.report.diff import verb
from figmill.report.model import Report, Row
from figmill.report.sides import row_between, status_of
from figmill.store.disk import Disk
from figmill.store.ledger import Entry, Ledger, key


@dataclass(frozen=True, slots=True)
class Comparer:
    """The keeper of a dry run: compares each product with the present file or with an earlier commit."""

    disk: Disk
    options: Options
    before: Before | None
    then: Mapping[str, Published]  # by figure, on the other side of the comparison
    doing = "comparing it with what is there"
    writes = False

    def figure(self, outcome: Fresh | Built, svgs: Mapping[str, bytes]) -> Row:
        after = svgs if isinstance(outcome, Built) else lying(outcome, self.disk)
        row = row_of(outcome, self.options)
        then, now = self.then.get(key(outcome.step.visual)), published(outcome, self.options)
        changes = tuple(Change(path, self._old(path), data) for path, data in after.items())
        if self.before is not None:  # a build removes nothing, but between two commits a theme may have gone
            gone = {path: data for path, data in files_of(self.before, then).items() if path not in after}
            changes += tuple(Change(path, data, None) for path, data in gone.items())
        if (change := status_of(changes)) is not None:
            status = change
        # a caption, say, which is in no file of the figure
        elif self.before is not None and (then and then.shown) != (now and now.shown):
            status = "would-change"
        else:
            status = "fresh" if isinstance(outcome, Fresh) else "unchanged"
        reasons = self._reasons(outcome, row)
        return replace(row, status=status, changes=changes, reasons=reasons, then=then, now=now)

    def export(self, want: Wanted, data: bytes, row: Row) -> Row:
        change = Change(want.path, self.disk.read(want.path), data)
        what = verb(change)
        row = replace(row, changes=(*row.changes, change))
        return exported_row(row, want, f"would-{what}" if what else None)

    def remember(self, state: BookState, ledger: Ledger) -> Ledger:
        """A comparison saves nothing."""
        return ledger

    def pages(self, state: BookState, ledger: Ledger, current: set[str]) -> None:
        """The manifest matters only if no figure differs; then `show` compares it."""

    def _old(self, path: str) -> bytes | None:
        return self.disk.read(path) if self.before is None else self.before.files.get(path)

    def _reasons(self, outcome: Fresh | Built, row: Row) -> tuple[str, ...]:
        """Why a figure differs from the other side of the comparison."""
        if self.before is None:
            return row.reasons
        name = key(outcome.step.visual)
        then = self.before.inputs.get(name)
        if name in self.before.failures:
            return ("failed before",)
        return ("new",) if then is None else inputs_of(outcome).reasons(then)


def compare(
    root: Path,
    options: Options,
    request: Request,
    pool: Pool,
    progress: Progress = lambda *_: None,
    seen: Seen | None = None,
) -> Report:
    """What a build would change, or what differs between two commits.

    Takes the arguments of `build` and writes nothing.
    """
    if request.against and ".." in request.against:
        return between(root, options, request)
    state = judged(look(root, options, request, seen), request)
    state.refuse_foreign_pages()
    return show(state, requested_outcomes(state, request, pool, progress), request, pool)


def show(state: BookState, outcomes: Iterable[Outcome], request: Request, pool: Pool) -> Report:
    """Compare what a build would write with the present files, or with an earlier commit."""
    before = None if request.against is None else at_commit(state.disk.root, state.options, request)
    then = before.published if before else {name: e.published for name, e in state.ledger.entries.items()}
    updated = update(state, outcomes, request, Comparer(state.disk, state.options, before, then), pool)
    failed_then = before.failures if before else {}
    rows = updated.rows
    others: list[Row] = []
    if before is not None and not request.ids:
        others += _gone(before, state)
    if before is None and all(row.status in ("fresh", "unchanged") for row in rows.values()):
        others += _changed_pages(state, updated.ledger.entries)
    ordered = tuple(
        replace(row, failed_before=failed_then.get(f"{row.id}/{row.name}" if row.name else row.id or "", ()))
        for row in in_order([*rows.values(), *others], state.book, request)
    )
    return Report(
        ordered,
        updated.ledger.orphans,
        dry=True,
        check=request.check,
        shared=SHARED,
        notes=notes(state, request),
    )


def _changed_pages(state: BookState, entries: Mapping[str, Entry]) -> list[Row]:
    """The manifest, if it would change although no figure does: after a change of a title, for example."""
    path = state.page_paths[0]
    after = state.pages(entries, set(entries)).files[path]
    if state.disk.read(path) in (after, None):
        return []
    return [Row(None, None, None, "would-change", path=path)]


def _gone(before: Before, state: BookState) -> list[Row]:
    """The figures that the book no longer has. A figure whose question exists but cannot be read is not one of them."""
    here = {key(step.visual) for step in state.steps}
    failing = {failure_key(problem) for problem in state.book.problems}
    return [
        row_between(then, None, files_of(before, then), {})
        for name, then in sorted(before.published.items())
        if name not in here and not {name, then.id} & failing
    ]


def between(root: Path, options: Options, request: Request) -> Report:
    """What differs between two commits, given as `A..B`. The work tree does not matter."""
    refs = (request.against or "").split("..", 1)
    old, new = (at_commit(root, options, replace(request, against=ref or "HEAD")) for ref in refs)
    rows = []
    for name in sorted({*old.published, *new.published}):
        then, now = old.published.get(name), new.published.get(name)
        reasons = new.inputs[name].reasons(old.inputs[name]) if then and now else ("new",) if now else ()
        failed = () if then else old.failures.get(name, ())
        if now is None and {name, name.partition("/")[0]} & new.failures.keys():
            continue  # reported below: it fails, and is not gone
        before, after = files_of(old, then), files_of(new, now)
        rows.append(row_between(then, now, before, after, reasons=reasons, failed_before=failed))
    for name, errors in sorted(new.failures.items()):
        id_, _, part = name.partition("/")
        rows.append(
            Row(id_, part or None, None, "failed", errors=errors, failed_before=old.failures.get(name, ()))
        )
    rows.sort(key=lambda row: (row.id or "", row.name or ""))
    return Report(tuple(rows), dry=True, check=request.check, shared=SHARED)
