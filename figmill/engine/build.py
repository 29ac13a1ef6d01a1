"""A build: load, plan, draw, settle, write. What only compares shares all of it but the last (dry_run.py)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path

from figmill import fastpath, versions
from figmill.checks import WARN
from figmill.config import Options
from figmill.engine import partial
from figmill.engine.drawing.outcome import Built, Fresh, Outcome
from figmill.engine.drawing.results import still
from figmill.engine.dry_run import compare
from figmill.engine.exports import due
from figmill.engine.load import asked, look
from figmill.engine.notes import judged, notes
from figmill.engine.plan import SHARED, installation
from figmill.engine.produce import Production, asked_outcomes, produce
from figmill.engine.request import Progress, Request
from figmill.engine.rows import exported_row, in_order, row_of
from figmill.engine.state import BookState, all_files, published
from figmill.errors import ReadOnlyError
from figmill.fastpath import Seen
from figmill.model import Change, Published
from figmill.publish import export_plan
from figmill.publish.export_plan import Wanted
from figmill.publish.exporting import LIBRARY
from figmill.render import temp_dirs
from figmill.render.pool import Pool
from figmill.report.model import WELL, Diagnostic, Report, Row
from figmill.report.text import Style, warning_lines
from figmill.store import ledger as ledgers
from figmill.store import parse_cache
from figmill.store.disk import Disk
from figmill.store.ledger import Entry, key
from figmill.store.lock import lock

JUST_NOW = 250_000_000  # ns


def build(
    root: Path,
    options: Options,
    request: Request,
    pool: Pool,
    progress: Progress = lambda *_: None,
    seen: Seen | None = None,
) -> Report:
    """Bring a book's figures up to date.

    pool: the processes to draw with. seen: the book's files as they were just now, where somebody has looked already.
    Where nobody may write, the book must be as a build would leave it.
    """
    assert request.writes  # dry_run.compare is for what writes nothing
    report, known = _build_part(root, options, request, pool, progress, seen)
    if report is not None:
        return report
    state = judged(look(root, options, request, seen), request)
    state.refuse_foreign_pages()
    if state.is_settled() and not due(state, state.ledger.entries, request):
        _sweep(state)  # the last build may have been killed at its very end
        return apply(state, (still(step, request) for step in asked(state, request)), request, pool)
    with ExitStack() as held:
        try:
            waited = held.enter_context(lock(root))
        except ReadOnlyError:
            report = compare(root, options, replace(request, check=True), pool, progress)
            if report.code != WELL or report.orphans:
                raise
            return replace(report, dry=False, check=False)
        if waited or state.ledger_bytes != state.disk.read(ledgers.PATH):
            state = judged(look(root, options, request), request)  # another build was here meanwhile
        _sweep(state)
        done = [outcome for outcome in known if outcome.step in state.steps]
        settled = [outcome.step for outcome in done]
        left = replace(state, steps=tuple(step for step in state.steps if step not in settled))
        outcomes = chain(done, asked_outcomes(left, request, pool, progress))
        return apply(state, outcomes, request, pool, progress)


def _build_part(
    root: Path, options: Options, request: Request, pool: Pool, progress: Progress, seen: Seen | None
) -> tuple[Report | None, Sequence[Outcome]]:
    """The report of a build that looked only at figures of changed files; None if all of the book has to be looked at.

    And what has come of these figures meanwhile.
    """
    part = partial.part_of(root, options, request, seen)
    if part is None:
        return None, ()
    with ExitStack() as held:
        try:
            waited = held.enter_context(lock(root, depth=0))
        except ReadOnlyError:
            return None, ()
        if waited or part.state.ledger_bytes != part.state.disk.read(ledgers.PATH):
            return None, ()
        disk = part.state.disk
        _sweep(part.state)
        outcomes = tuple(asked_outcomes(part.state, request, pool, progress))
        return partial.carry_out(part, outcomes, request, Writer(disk, options), pool), outcomes


def _sweep(state: BookState) -> None:
    """Remove what killed builds left behind, while others are busy: a build that starts no process sweeps, too."""
    state.disk.sweep_later(state.written_to)
    state.disk.later(temp_dirs.sweep)


@dataclass(frozen=True, slots=True)
class Writer:
    """Puts what is produced where it is to lie; what lies there already is not touched."""

    disk: Disk
    options: Options
    doing = "writing it"
    writes = True
    then: Mapping[str, Published] | None = None  # by figure; None: nobody is shown the changes

    def figure(self, outcome: Fresh | Built, svgs: Mapping[str, bytes]) -> Row:
        if isinstance(outcome, Fresh):
            return row_of(outcome, self.options)
        changes = (
            () if self.then is None else tuple(Change(p, self.disk.read(p), svg) for p, svg in svgs.items())
        )
        is_new = [self.disk.put(path, data) for path, data in svgs.items()]
        row = row_of(outcome, self.options, "rendered" if any(is_new) else "unchanged")
        if self.then is None:
            return row
        then = self.then.get(key(outcome.step.visual))
        return replace(row, changes=changes, then=then, now=published(outcome, self.options))

    def export(self, want: Wanted, data: bytes, row: Row) -> Row:
        return exported_row(row, want, "exported" if self.disk.put(want.path, data) else None)


def apply(
    state: BookState,
    outcomes: Iterable[Outcome],
    request: Request,
    pool: Pool,
    progress: Progress = lambda *_: None,
) -> Report:
    """Write what changed as it comes; then the ledger, the manifest and the gallery."""
    disk = state.disk
    production = Production.of(state)
    then = {name: e.published for name, e in state.ledger.entries.items()} if request.shows else None
    try:
        produce(state, request, outcomes, Writer(disk, state.options, then), production, pool, progress)
    finally:  # what is written stays known, also where the build is interrupted
        try:
            disk.sync()
        finally:
            kept, orphans = state.partition(production.entries, production.left)
            disk.put_now(ledgers.PATH, state.ledger_of(kept, orphans, production.failures))
    current = production.renewed | {key(step.visual) for step in state.steps if not step.reasons}
    for path, data in state.pages(kept, current).items():
        disk.put(path, data)
    if state.kept is not None:
        data = parse_cache.dumps(state.kept, versions.code("parse"), state.written.questions)
        disk.later(disk.keep, parse_cache.PATH, data)
    disk.remember()
    ordered = in_order([*production.rows.values()], state.book, request)
    report = Report(ordered, orphans, shared=SHARED, notes=notes(state, request))
    if current >= {key(step.visual) for step in state.steps} and report.code == WELL and not orphans:
        found = snapshot_of(state, kept)
        if found is not None:
            disk.keep(fastpath.PATH, found)
    return report


def snapshot_of(state: BookState, entries: Mapping[str, Entry]) -> bytes | None:
    """What the next build has to look at to know that nothing has changed; None where something just has."""
    options, root = state.options, str(state.disk.root)
    traced = {
        name
        for entry in entries.values()
        for inputs in (entry.declared, entry.traced)
        for name, _ in inputs.rows
    }
    since = state.disk.began - JUST_NOW  # the settings were read a moment before
    if any(state.disk.has_changed(name, since) for name in (*fastpath.CONFIGURATION, *options.fonts)):
        return None
    if any(state.disk.has_changed(name, state.disk.began) for name in traced):
        return None
    outputs_ = {file.path for entry in entries.values() for file in all_files(entry)}
    forms = export_plan.complete(entries, options, state.disk.root)
    library = [versions.folder(LIBRARY)] if forms else []
    ours = (ledgers.PATH, parse_cache.PATH, *state.page_paths)
    also = sorted({*fastpath.CONFIGURATION, *options.fonts, *traced, *outputs_, *ours})
    ordered = sorted(entries.values(), key=lambda entry: entry.published.order)
    found = [
        Diagnostic.of_check(warning, WARN, entry.published.id, entry.published.name)
        for entry in ordered
        for warning in entry.warnings
    ]
    warnings = [str(line) for line in warning_lines([*found, *notes(state, Request())], Style())]
    also += [*installation(), *library]
    others = fastpath.state_of(root, also)
    last = fastpath.LastBuild(forms, len(state.steps), warnings, also, others, state.sources)
    return fastpath.dumps(last, options.folders)
