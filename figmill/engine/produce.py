"""What is asked for, produced one by one: figures drawn and settled, and exports of them.

One loop for all who ask. A build writes what it produces, a dry run compares it; either is a `Keeper`, and nothing
here knows which. Writes nothing of a book.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from contextlib import closing, nullcontext
from dataclasses import dataclass, field, replace
from typing import Protocol, TypeAlias

from figmill.engine.load import asked
from figmill.engine.prestart import crew_of
from figmill.engine.request import Request
from figmill.engine.results import Built, Failed, Fresh, Outcome, outcomes_of
from figmill.engine.rows import not_exported_row, row_of
from figmill.engine.state import Shelf, all_files, entry_of, output_path, outputs, paths
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


class Keeper(Protocol):
    """Takes what is produced: writes it, or compares it with what is there. Each gives the row of the report."""

    doing: str  # what it does, for the message where that fails

    def figure(self, outcome: Fresh | Built, svgs: Mapping[str, bytes]) -> Row:
        """svgs: the figure's files by path; empty where nothing has changed for it."""

    def export(self, want: Wanted, data: bytes, row: Row) -> Row:
        """row: the figure's, as it stands."""


@dataclass(slots=True)
class Production:
    """What has been produced so far, by figure: new entries of the ledger, and rows of the report.

    left: outputs that may be nobody's any more. It is filled while the work goes on, so that an interrupted build
    knows what it has written.
    """

    entries: dict[str, Entry]
    left: set[str]
    rows: dict[str, Row] = field(default_factory=dict)
    renewed: set[str] = field(default_factory=set)

    @classmethod
    def of(cls, shelf: Shelf) -> Production:
        return cls(dict(shelf.ledger.entries), set(shelf.ledger.orphans))


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


def produce(
    shelf: Shelf, request: Request, outcomes: Iterable[Outcome], keeper: Keeper, production: Production,
    progress: Progress = lambda *_: None,
) -> None:  # fmt: skip
    """Hand each figure, and then each export that is asked for, to the keeper, and note what comes of it."""
    if request.forms:
        export_plan.shared(shelf.options, shelf.disk.root)  # what is missing is told before anything is drawn
    svgs: dict[str, bytes] = {}  # that exports are made of, where the disk does not have them yet
    for outcome in outcomes:
        name = key(outcome.step.visual)
        outcome, entry = _with_entry(outcome, shelf)
        if not isinstance(outcome, Failed):
            try:
                production.rows[name] = keeper.figure(outcome, _svgs(outcome, shelf))
            except Exception as error:
                outcome = Failed(outcome.step, (held(outcome.step.visual.at(), keeper.doing, error),))
        if isinstance(outcome, Failed):
            production.rows[name] = row_of(outcome, shelf.options)
        elif entry is not None and isinstance(outcome, Built):
            old = production.entries.get(name)
            production.left |= paths(old) | export_plan.paths(old)
            production.entries[name] = entry
            production.renewed.add(name)
            if request.forms:
                svgs |= {output_path(outcome.step.visual, page.theme, shelf.options): page.svg
                         for page in outcome.settled.pages}  # fmt: skip
    wants = due(shelf, production.entries, request, production.rows)
    with closing(_exported(wants, shelf, production.entries, request, svgs, progress)) as products:
        for want, product in products:
            name = key(want.visual)
            row = production.rows[name]
            if isinstance(product, bytes):
                production.rows[name] = keeper.export(want, product, row)
                entry = export_plan.added(production.entries[name], want.export(product))
                production.entries[name] = entry
            else:
                production.rows[name] = not_exported_row(row, product)


def _svgs(outcome: Fresh | Built, shelf: Shelf) -> dict[str, bytes]:
    if isinstance(outcome, Fresh):
        return {}
    return {path: page.svg for path, page in outputs(outcome, shelf.options)}


def _with_entry(outcome: Outcome, shelf: Shelf) -> tuple[Outcome, Entry | None]:
    """A figure that was built with its new entry of the ledger, once all that tells of it is known to be writable.

    The ledger, the manifest and the gallery tell of all figures: what cannot be put into them must not keep the
    others out.
    """
    if not isinstance(outcome, Built):
        return outcome, None
    try:
        entry = _successor(outcome, shelf)
        ledgers.dumps(Ledger({key(outcome.step.visual): entry}))
        figure = [(replace(entry.published, files=all_files(entry)), "current")]
        manifest.dumps(figure, shelf.folder)
        gallery.page(figure, shelf.folder)
        return outcome, entry
    except Exception as error:
        at = outcome.step.visual.at()
        return Failed(outcome.step, (held(at, "writing down what it shows", error),), outcome.seconds), None


def _successor(outcome: Built, shelf: Shelf) -> Entry:
    """A figure's new entry, with the exports that still show it."""
    old = shelf.ledger.entries.get(key(outcome.step.visual))
    return export_plan.true(entry_of(outcome, shelf.options), shelf.disk.digest, old.exports if old else ())


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


def _exported(
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
            root = str(shelf.disk.root)
            (made,) = crew.make(raw, [settling(want.visual, Shared(shelf.options), root, request.every)])
        if isinstance(made, AuthorError):
            return made
        settled = unpacked(made, want.visual, raw.facts)
        if not isinstance(settled, Settled):
            return settled[0]
        return next(page.svg for page in settled.pages if page.theme == want.svg.theme)
    except Exception as error:
        return held(want.visual.at(), "reading what is to be exported", error)
