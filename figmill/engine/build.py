"""A build: read the book, or the part of it that may have changed, and update it. Writes nothing else."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import ExitStack
from dataclasses import replace
from itertools import chain
from pathlib import Path

from figmill.config import Options
from figmill.engine import partial, snapshot
from figmill.engine.book_state import BookState
from figmill.engine.drawing.outcome import Outcome, Skipped
from figmill.engine.exports import due
from figmill.engine.load import look
from figmill.engine.partial import Part
from figmill.engine.report import judged, report_of
from figmill.engine.request import Progress, Request
from figmill.engine.update import requested_outcomes, update
from figmill.engine.writer import Writer
from figmill.errors import ReadOnlyError
from figmill.exit_codes import WELL
from figmill.fastpath import Seen
from figmill.late import imported
from figmill.render import temp_dirs
from figmill.render.pool import Pool
from figmill.report.model import Report
from figmill.store.cache import cache_of
from figmill.store.ledger import key
from figmill.store.lock import lock

COMPARE = "figmill.engine.dry_run:compare"  # only a read-only book needs it


def build(
    root: Path,
    options: Options,
    request: Request,
    pool: Pool,
    progress: Progress = lambda *_: None,
    seen: Seen | None = None,
) -> Report:
    """Bring a book's figures up to date.

    pool: the processes to draw with. seen: a listing of the book's files that was made just now, if there is one. If
    the book is read-only, it must already be as a build would leave it.
    """
    assert request.writes  # dry_run.compare serves requests that write nothing
    report, early = _build_part(root, options, request, pool, progress, seen)
    if report is not None:
        return report
    state = _judged_book(root, options, request, seen)
    state.refuse_foreign_pages()
    is_settled = state.is_settled() and not due(
        state, state.ledger.entries, request.forms, force=request.force
    )
    with ExitStack() as held:
        try:
            waited = held.enter_context(lock(root, depth=0 if is_settled else 3))
        except ReadOnlyError:
            if is_settled:
                as_it_is = map(Skipped, state.requested)
                return _apply(state, as_it_is, request, _writer(state, request, may_fail=True), pool)
            compared: Report = imported(COMPARE)(root, options, replace(request, check=True), pool, progress)
            if compared.code != WELL or compared.orphans:
                raise
            return replace(compared, dry=False, check=False)
        if waited or state.memory.journal.is_outdated:
            state = _judged_book(root, options, request)  # another build has finished meanwhile
        _sweep(state)  # the last build may have been killed just before its end
        done = [outcome for outcome in early if outcome.step in state.steps]
        settled = [outcome.step for outcome in done]
        left = replace(state, steps=tuple(step for step in state.steps if step not in settled))
        cache = cache_of(root, options, finds=not request.force)
        outcomes = chain(done, requested_outcomes(left, cache, pool, progress))
        return _apply(state, outcomes, request, _writer(state, request), pool, progress)


def _judged_book(root: Path, options: Options, request: Request, seen: Seen | None = None) -> BookState:
    state = look(root, options, request.ids, force=request.force, seen=seen)
    return judged(state, is_strict=request.strict)


def _build_part(
    root: Path, options: Options, request: Request, pool: Pool, progress: Progress, seen: Seen | None
) -> tuple[Report | None, Sequence[Outcome]]:
    """The report of a build of the changed figures alone; None if the whole book has to be built.

    Also returns the outcomes of these figures, so that a whole build does not draw them again.
    """
    part = partial.part_of(root, options, seen) if request.is_plain else None
    if part is None:
        return None, ()
    with ExitStack() as held:
        try:
            waited = held.enter_context(lock(root, depth=0))
        except ReadOnlyError:
            return None, ()
        if waited or part.state.memory.journal.is_outdated:
            return None, ()
        _sweep(part.state)
        outcomes = tuple(requested_outcomes(part.state, cache_of(root, options), pool, progress))
        if not all(partial.stays_within(part, outcome) for outcome in outcomes):
            return None, outcomes
        keeper = _writer(part.state, request)
        return _apply(part.state, outcomes, request, keeper, pool, part=part), outcomes


def _sweep(state: BookState) -> None:
    """Remove what killed builds left behind, in the background. A build that starts no process does this, too."""
    state.disk.sweep_later(state.written_to)
    state.disk.later(temp_dirs.sweep)


def _apply(
    state: BookState,
    outcomes: Iterable[Outcome],
    request: Request,
    keeper: Writer,
    pool: Pool,
    progress: Progress = lambda *_: None,
    part: Part | None = None,
) -> Report:
    """Update the book, and write the snapshot. part: the part of the book that was read; None: all of it."""
    updated = update(state, outcomes, request, keeper, pool, progress)
    entries, orphans = updated.ledger.entries, updated.ledger.orphans
    report = report_of(state, updated.rows.values(), entries, orphans, is_strict=request.strict)
    if part is not None:
        others = part.last.figures - len(report.rows)
        report = replace(report, others=others, standing=tuple(part.last.warnings))
    is_current = updated.current >= {key(step.visual) for step in state.steps}
    is_well = is_current and report.code == WELL and not orphans
    snapshot.leave(state, entries, updated.pages if is_well else None, part)
    return report


def _writer(state: BookState, request: Request, *, may_fail: bool = False) -> Writer:
    then = {name: e.published for name, e in state.ledger.entries.items()} if request.shows_changes else None
    return Writer(state.disk, state.options, then, may_fail=may_fail)
