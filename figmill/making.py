"""What is asked for, made one by one: figures drawn and settled, and exports of them. Writes nothing of a book."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Mapping
from contextlib import closing, nullcontext
from typing import TypeAlias

from figmill import editions, presses
from figmill.editions import Wanted
from figmill.errors import AuthorError
from figmill.foresight import crew_of
from figmill.ledger import Entry, key
from figmill.outcomes import Built, Outcome, Request, outcomes_of
from figmill.pool import Crew
from figmill.report import Row
from figmill.shelf import Shelf, entry_of
from figmill.survey import asked

Progress: TypeAlias = Callable[[int, int, str], None]  # done, total, label


def drawn(shelf: Shelf, request: Request, progress: Progress, crew: Crew | None = None) -> Iterator[Outcome]:
    """The outcomes of the steps that are asked for, told one by one to whoever shows the progress.

    crew: processes that draw, where some are there already; the caller ends them.
    """
    steps = asked(shelf, request)
    with nullcontext(crew) if crew else crew_of(shelf.disk.root, shelf.options) as hands:
        outcomes = outcomes_of(steps, shelf.disk, shelf.options, request, hands)
        for done, outcome in enumerate(outcomes, 1):
            progress(done, len(steps), outcome.step.visual.label)
            yield outcome
        hands.release()


def successor(outcome: Built, shelf: Shelf) -> Entry:
    """A figure's new entry, with the exports that still show it."""
    old = shelf.ledger.entries.get(key(outcome.step.visual))
    return editions.true(entry_of(outcome, shelf.options), shelf.disk.digest, old.exports if old else ())


def due(
    shelf: Shelf, entries: Mapping[str, Entry], request: Request, rows: Mapping[str, Row] | None = None
) -> list[Wanted]:
    """The exports that are asked for and not there. rows: of the figures so far; none is made of a failed one."""
    if not request.forms:
        return []
    shared = editions.shared(shelf.options, shelf.disk.root)
    found: list[Wanted] = []
    for step in asked(shelf, request):
        name = key(step.visual)
        if rows is None or rows[name].status != "failed":
            found += editions.wanted(
                step.visual, entries[name], step.entry, request.forms, shared, shelf.disk.digest,
                force=request.force,
            )  # fmt: skip
    return [want for want in found if want.reasons]


def exported(
    wants: list[Wanted], shelf: Shelf, entries: Mapping[str, Entry], request: Request,
    pages: Mapping[str, bytes], progress: Progress,
) -> Generator[tuple[Wanted, bytes | AuthorError], None, None]:  # fmt: skip
    """Each export with its bytes, or with what kept it from being made. pages: SVGs that do not lie there yet."""
    options, disk = shelf.options, shelf.disk
    taken = editions.taken(shelf.book.visuals, entries.values()) if options.in_place else set()
    free = [want for want in wants if want.path not in taken]
    for want in wants:
        if want.path in taken:
            yield want, want.error(f"it would overwrite {want.path}, which a figure is drawn from")
    tasks = [editions.task(want, disk, options, pages) for want in free]
    fonts = [disk.root / name for name in options.fonts]
    with closing(presses.export_all(tasks, disk.root, request.jobs, fonts, options.memory)) as products:
        for done, (want, product) in enumerate(zip(free, products, strict=True), 1):
            progress(done, len(free), want.path)
            yield want, want.error(product.message) if isinstance(product, presses.Failed) else product
