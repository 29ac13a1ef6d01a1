"""One change of a book carried out: what is due is drawn, settled and written, then what tells of all figures."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping

from figmill import versions
from figmill.engine.build import Writer
from figmill.engine.drawing.outcome import Failed, Outcome
from figmill.engine.drawing.results import EDITED, outcomes_of, still
from figmill.engine.load import is_asked
from figmill.engine.notes import judged, notes
from figmill.engine.plan import SHARED, Step
from figmill.engine.produce import Production, produce
from figmill.engine.request import Progress, Request
from figmill.engine.resident.seen import Seen
from figmill.engine.resident.views import Update
from figmill.engine.resident.warm_book import WarmBook
from figmill.engine.rows import in_order, row_of
from figmill.engine.state import BookState
from figmill.render.pool import Pool
from figmill.report.model import Report, Row
from figmill.store import ledger as ledgers
from figmill.store import parse_cache
from figmill.store.ledger import Entry, Ledger, key


class Changes:
    """What there is to do for figures that were looked at again.

    tries_again: also what failed in a way that may go otherwise the next time.
    """

    def __init__(
        self, book: WarmBook, request: Request, looked_at: set[str], seen: Seen, tries_again: bool
    ) -> None:
        self.book, self.request, self.seen, self.looked_at = book, request, seen, looked_at
        self.state: BookState = judged(book.quick_state(), request)
        again = {name for name in seen.unsettled if tries_again or _was_edited(book.steps.get(name))}
        steps = (book.steps.get(name) for name in sorted(looked_at | again | seen.postponed))
        due = (step for step in steps if step and _is_due(step, request))
        self.due = tuple(
            sorted(due, key=lambda step: len(step.turned))
        )  # who edits a script sees one picture first

    @property
    def mended(self) -> list[str]:
        """Figures that are fresh again, as they were before they failed."""
        steps = self.book.steps
        found = (name for name in self.looked_at if name in steps and not steps[name].reasons)
        return [name for name in found if is_asked(steps[name].visual.id, self.request.ids)]

    @property
    def must_write(self) -> bool:
        """Whether anything can be another than the last update left it."""
        is_known = self.book.owes_since is None and self.book.is_kept and self.state.book == self.seen.book
        return not is_known or bool(self.due) or bool(self.looked_at)

    def nothing(self) -> Update:
        """The update where there is nothing to do."""
        return self.seen.took(self.report({}, self.seen.orphans), [])

    def report(self, rows: dict[str, Row], orphans: tuple[str, ...]) -> Report:
        """The report of the whole book. rows: of the figures that were built just now."""
        request, steps = self.request, self.book.steps
        every = [
            rows.get(name) or self._row(name, step)
            for name, step in steps.items()
            if is_asked(step.visual.id, request.ids)
        ]
        ordered = in_order(every, self.state.book, request)
        return Report(ordered, orphans, shared=SHARED, notes=notes(self.state, request))

    def _row(self, name: str, step: Step) -> Row:
        """The row of a figure at which nothing was done."""
        if name in self.seen.postponed and name in self.seen.rows:
            return self.seen.rows[name]
        if not step.reasons:
            return self.seen.fresh(step, lambda: row_of(still(step, self.request), self.book.options))
        if step.failure is not None:
            return row_of(Failed(step, step.failure.errors), self.book.options)
        known = self.seen.rows.get(name)
        return known if known is not None and known.errors else row_of(Failed(step, ()), self.book.options)


# Seconds for which the manifest and the gallery may wait while one change follows another.
OWED = 1.0


def carry_out(changes: Changes, pool: Pool, progress: Progress, has_news: Callable[[], bool]) -> Update:
    """Write what is due as it comes; then the ledger, and last the manifest and the gallery.

    has_news: whether there is a newer change already. It goes first: before a figure of many pictures, which is due
    until it is built, and before what tells of all figures.
    """
    book, state, request = changes.book, changes.state, changes.request
    disk = book.disk
    if book.ledger_bytes is None:
        state.refuse_foreign_pages()
        disk.sweep_later(state.written_to)
    production = Production.of(state)
    for name in changes.mended:
        production.failures.pop(name, None)
    try:
        outcomes = _outcomes(changes, pool, progress, has_news)
        produce(state, request, outcomes, Writer(disk, state.options), production, pool)
    finally:  # what is written stays known, also where the build is interrupted
        try:
            disk.sync()
        finally:
            kept, orphans = state.partition(production.entries, production.left)
            failures = state.living(production.failures)
            data = state.ledger_of(kept, orphans, failures)
            disk.put_now(ledgers.PATH, data)
    book.wrote(Ledger(kept, orphans, failures), data)
    book.replan({key(step.visual) for step in changes.due})
    now = time.monotonic()
    owed = book.owes_since or now
    if now - owed < OWED and has_news():
        book.owes_since = owed
    else:
        _write_pages(book, state, kept, production.renewed)
        book.owes_since = None
    done = production.rows
    changes.seen.postponed = {key(step.visual) for step in changes.due} - done.keys()
    changes.seen.unsettled = {
        name for name, step in book.steps.items() if step.reasons and step.failure is None
    }
    changes.seen.book, changes.seen.orphans = state.book, orphans
    return changes.seen.took(changes.report(done, orphans), [*done.values()])


def _write_pages(book: WarmBook, state: BookState, kept: Mapping[str, Entry], renewed: set[str]) -> None:
    """Write what tells of all figures. renewed: those that were built just now."""
    disk = book.disk
    current = renewed | {name for name, step in book.steps.items() if not step.reasons}
    for path, page in state.pages(kept, current).items():
        disk.put(path, page)
    if not book.is_kept:
        packed = parse_cache.dumps(book.kept, versions.code("parse"), book.written.questions)
        disk.put(parse_cache.PATH, packed)
        book.is_kept = True
    disk.sync()


def _outcomes(
    changes: Changes, pool: Pool, progress: Progress, has_news: Callable[[], bool]
) -> Iterator[Outcome]:
    due, book = changes.due, changes.book
    alone = tuple(step for step in due if not step.turned)
    done = 0
    # Explorations come one after the other, since somebody waits for the first.
    for steps in (alone, *((step,) for step in due if step.turned)):
        stop = None if steps is alone else has_news
        for outcome in outcomes_of(steps, book.disk, book.options, changes.request, pool, stop):
            done += 1
            progress(done, len(due), outcome.step.visual.label)
            yield outcome


def _is_due(step: Step, request: Request) -> bool:
    """Whether there is anything to do; a failure from which nothing has changed is told again, and not tried again."""
    return bool(step.reasons) and step.failure is None and is_asked(step.visual.id, request.ids)


def _was_edited(step: Step | None) -> bool:
    """Whether a figure was drawn from a file that was edited meanwhile."""
    return step is not None and step.entry is not None and EDITED in step.entry.traced.rows
