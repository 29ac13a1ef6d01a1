"""Handle one change of a book: build the figures that are due, then write the journal and the pages."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterator
from dataclasses import replace

from figmill.engine.book_state import BookState
from figmill.engine.drawing.outcome import Failed, Outcome, Skipped, strictly
from figmill.engine.drawing.results import EDITED, outcomes_of
from figmill.engine.plan import FailedBefore, Stale, Step, Unreadable
from figmill.engine.report import judged, report_of
from figmill.engine.report_rows import row_of
from figmill.engine.request import Progress, Request
from figmill.engine.resident.reported import Reported
from figmill.engine.resident.views import Update
from figmill.engine.resident.warm_book import WarmBook
from figmill.engine.update import update
from figmill.engine.writer import Writer
from figmill.kinds import is_script
from figmill.render.pool import Pool
from figmill.report.model import Report, Row
from figmill.store.cache import cache_of
from figmill.store.ledger import key

NOT_TRIED = Stale | Unreadable  # with the present inputs
PICTURES = (".svg", ".png", ".jpg", ".jpeg", ".webp")  # that a hand drawing or a graph may show


class Changes:
    """The work for figures with a new step.

    tries_again: also retry failures that may not happen again. changed: the files that may have changed.
    """

    def __init__(
        self,
        book: WarmBook,
        request: Request,
        looked_at: set[str],
        seen: Reported,
        tries_again: bool,
        changed: Collection[str] = (),
    ) -> None:
        self.book, self.request, self.seen, self.looked_at = book, request, seen, looked_at
        state = replace(book.quick_state(), ids=request.ids)
        self.state: BookState = judged(state, is_strict=request.strict)
        has_picture = any(name.lower().endswith(PICTURES) for name in changed)
        unsettled = ((name, book.steps.get(name)) for name in seen.unsettled)
        again = {
            name
            for name, step in unsettled
            if tries_again or _was_edited(step) or (has_picture and _may_show_pictures(step))
        }
        steps = (book.steps.get(name) for name in sorted(looked_at | again | seen.postponed))
        due = (step for step in steps if step and self._is_due(step))
        self.due = tuple(
            sorted(due, key=lambda step: len(step.variants))
        )  # an author who edits a script sees one picture first

    @property
    def mended(self) -> list[str]:
        """Figures that have failed and are fresh again, as they were before."""
        steps = self.book.steps
        fresh = (name for name in self.looked_at if name in steps and steps[name].is_fresh)
        return [name for name in fresh if self.state.wants(steps[name].visual.id)]

    @property
    def must_write(self) -> bool:
        """Whether anything may differ from the state after the last update."""
        is_known = self.book.owes_since is None and self.book.is_written and self.state.book == self.seen.book
        return not is_known or bool(self.due) or bool(self.looked_at)

    def nothing(self) -> Update:
        """The update if there is nothing to do."""
        return self.seen.took(self.report({}, self.seen.orphans), [])

    def report(self, rows: dict[str, Row], orphans: tuple[str, ...]) -> Report:
        """The report of the whole book. rows: of the figures that this update built."""
        every = (
            rows.get(name) or self._row(name, step)
            for name, step in self.book.steps.items()
            if self.state.wants(step.visual.id)
        )
        return report_of(self.state, every, self.book.ledger.entries, orphans, is_strict=self.request.strict)

    def _is_due(self, step: Step) -> bool:
        """Whether to build a figure. A failure with the same inputs is reported again but not retried."""
        return isinstance(step.state, NOT_TRIED) and self.state.wants(step.visual.id)

    def _row(self, name: str, step: Step) -> Row:
        """The row of a figure that this update did not build."""
        if name in self.seen.postponed and name in self.seen.rows:
            return self.seen.rows[name]
        if step.is_fresh:
            outcome = strictly(Skipped(step)) if self.request.strict else Skipped(step)
            return self.seen.fresh(step, lambda: row_of(outcome, self.book.options))
        if isinstance(step.state, FailedBefore):
            return row_of(Failed(step, step.state.failure.errors), self.book.options)
        row = self.seen.rows.get(name)
        return row if row is not None and row.errors else row_of(Failed(step, ()), self.book.options)


# Seconds for which the manifest and the gallery may wait while one change follows another.
OWED = 1.0


def apply(changes: Changes, pool: Pool, progress: Progress, has_news: Callable[[], bool]) -> Update:
    """Build the figures that are due, and update the book.

    has_news: whether there is a newer change already. It takes precedence over a figure with many pictures, which then
    stays due, and over the journal and the pages.
    """
    book, state = changes.book, changes.state
    if book.memory.journal.status is None:
        state.refuse_foreign_pages()
        book.disk.sweep_later(state.written_to)

    def pages_wait() -> bool:
        now = time.monotonic()
        owed = book.owes_since or now
        waits = now - owed < OWED and has_news()
        book.owes_since = owed if waits else None
        return waits

    mended = frozenset(changes.mended)
    failures = {name: failure for name, failure in state.ledger.failures.items() if name not in mended}
    state = replace(state, ledger=replace(state.ledger, failures=failures))
    outcomes = _outcomes(changes, pool, progress, has_news)
    keeper = Writer(state.disk, state.options, pages_wait=pages_wait)
    updated = update(state, outcomes, changes.request, keeper, pool)
    book.ledger, book.is_written = updated.ledger, True
    book.replan({key(step.visual) for step in changes.due})
    done, orphans = dict(updated.rows), updated.ledger.orphans
    changes.seen.postponed = {key(step.visual) for step in changes.due} - done.keys()
    changes.seen.unsettled = {name for name, step in book.steps.items() if isinstance(step.state, NOT_TRIED)}
    changes.seen.book, changes.seen.orphans = state.book, orphans
    return changes.seen.took(changes.report(done, orphans), [*done.values()])


def _outcomes(
    changes: Changes, pool: Pool, progress: Progress, has_news: Callable[[], bool]
) -> Iterator[Outcome]:
    due, book = changes.due, changes.book
    cache = cache_of(book.root, book.options)
    alone = tuple(step for step in due if not step.variants)
    done = 0
    # Explorations come one after the other, since an author waits for the first.
    for steps in (alone, *((step,) for step in due if step.variants)):
        stop = None if steps is alone else has_news
        for outcome in outcomes_of(steps, book.disk, book.options, cache, pool, stop=stop):
            done += 1
            progress(done, len(due), outcome.step.visual.label)
            yield outcome


def _may_show_pictures(step: Step | None) -> bool:
    """Whether a figure may have failed for a picture that it shows: which pictures it names is then unknown."""
    return step is not None and not is_script(step.visual.source)


def _was_edited(step: Step | None) -> bool:
    """Whether a figure was drawn from a file that was edited at that time."""
    return step is not None and step.entry is not None and EDITED in step.entry.traced.rows
