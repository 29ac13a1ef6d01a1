"""What is asked for, made one by one: figures drawn and settled, and exports of them. Writes nothing of a book."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Mapping
from contextlib import closing, nullcontext
from dataclasses import replace
from typing import TypeAlias

from figmill.engine.load import asked
from figmill.engine.prestart import crew_of
from figmill.engine.results import Built, Failed, Outcome, Request, outcomes_of
from figmill.engine.state import Shelf, all_files, entry_of
from figmill.errors import AuthorError, held
from figmill.kinds.job import Raw
from figmill.publish import export_plan, gallery, manifest, typst
from figmill.publish.export_plan import Wanted
from figmill.publish.finalise import Settled
from figmill.publish.settling import settling, unpacked
from figmill.render.pool import Pool
from figmill.render.protocol import Shared
from figmill.report.model import Row
from figmill.store import ledger as ledgers
from figmill.store.ledger import Entry, Ledger, key

Progress: TypeAlias = Callable[[int, int, str], None]  # done, total, label


def drawn(shelf: Shelf, request: Request, progress: Progress, crew: Pool | None = None) -> Iterator[Outcome]:
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
    return export_plan.true(entry_of(outcome, shelf.options), shelf.disk.digest, old.exports if old else ())


def publishable(outcome: Built, shelf: Shelf) -> Entry | Failed:
    """A figure's new entry, once it is known that all that tells of it can be written.

    The ledger, the manifest and the gallery tell of all figures: what cannot be put into them must not keep the
    others out.
    """
    try:
        entry = successor(outcome, shelf)
        ledgers.dumps(Ledger({key(outcome.step.visual): entry}))
        figure = [(replace(entry.published, files=all_files(entry)), "current")]
        manifest.dumps(figure, shelf.folder)
        gallery.page(figure, shelf.folder)
        return entry
    except Exception as error:
        at = outcome.step.visual.at()
        return Failed(outcome.step, (held(at, "writing down what it shows", error),), outcome.seconds)


def due(
    shelf: Shelf, entries: Mapping[str, Entry], request: Request, rows: Mapping[str, Row] | None = None
) -> list[Wanted]:
    """The exports that are asked for and not there. rows: of the figures so far; none is made of a failed one."""
    if not request.forms:
        return []
    shared = export_plan.shared(shelf.options, shelf.disk.root)
    found: list[Wanted] = []
    for step in asked(shelf, request):
        name = key(step.visual)
        if rows is None or rows[name].status != "failed":
            found += export_plan.wanted(
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
    taken = export_plan.taken(shelf.book.visuals, entries.values()) if options.in_place else set()
    fonts = [disk.root / name for name in options.fonts]
    pages = dict(pages)
    free: list[Wanted] = []
    for want in wants:
        refused = None
        if want.path in taken:
            refused = want.error(f"it would overwrite {want.path}, which a figure is drawn from")
        elif want.svg.path == want.visual.source and want.svg.path not in pages:
            found = _as_published(want, shelf, request)
            if isinstance(found, bytes):
                pages[want.svg.path] = found
            else:
                refused = want.error(found.message)
        if refused is None:
            free.append(want)
        else:
            yield want, refused
    tasks = [export_plan.task(want, disk, pages) for want in free]
    with closing(typst.export_all(tasks, disk.root, request.jobs, fonts, options.memory)) as products:
        for done, (want, product) in enumerate(zip(free, products, strict=True), 1):
            progress(done, len(free), want.path)
            yield want, want.error(product.message) if isinstance(product, typst.Failed) else product


def _as_published(want: Wanted, shelf: Shelf, request: Request) -> bytes | AuthorError:
    """A hand drawing that stands in place, where it is not written, in the form in which others are."""
    try:
        raw = Raw(shelf.disk.read(want.svg.path) or b"")
        with crew_of(shelf.disk.root, shelf.options) as crew:
            (made,) = crew.make(raw, [settling(want.visual, Shared(shelf.options), request.every)])
        if isinstance(made, AuthorError):
            return made
        settled = unpacked(made, want.visual, raw.facts)
        if not isinstance(settled, Settled):
            return settled[0]
        return next(page.svg for page in settled.pages if page.theme == want.svg.theme)
    except Exception as error:
        return held(want.visual.at(), "reading what is to be exported", error)
