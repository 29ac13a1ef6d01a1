"""The one update of a book: take each figure as it is drawn and settled, make the exports, then write the journal and
the pages.

A build writes its products, a dry run compares them. Each has a `Keeper`, and this module does not know which.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing
from dataclasses import field, replace
from itertools import starmap
from typing import Protocol

from figmill import checks
from figmill.engine.book_state import BookState, PageSet
from figmill.engine.drawing.failures import failure_of
from figmill.engine.drawing.outcome import Built, Failed, Outcome, Skipped, strictly
from figmill.engine.drawing.results import outcomes_of
from figmill.engine.exports import due, exports
from figmill.engine.outputs import entry_of, outputs, paths, published_of
from figmill.engine.report_rows import left_row, not_exported_row, row_of
from figmill.engine.request import Progress, Request
from figmill.errors import AuthorError, held
from figmill.late_dataclasses import dataclass
from figmill.model import PublishedStatus
from figmill.publish import export_plan
from figmill.publish.export_plan import Wanted
from figmill.publish.exporting import Exported
from figmill.render.pool import Pool
from figmill.report.model import Row
from figmill.store import codec, figure_records
from figmill.store.cache import Cache
from figmill.store.ledger import Entry, Failure, Ledger, key


class Keeper(Protocol):
    """Takes the products of an update: writes them, or compares them with the files that exist.

    Makes the rows of the report.
    """

    doing: str  # what it does, for the message if that fails
    writes: bool  # whether the figures are on the disk when exports are made from them

    def figure(self, outcome: Skipped | Built, svgs: Mapping[str, bytes]) -> Row:
        """svgs: the figure's files by path; empty if nothing has changed."""

    def export(self, want: Wanted, data: bytes, row: Row) -> Row:
        """row: the figure's row so far."""

    def remember(self, state: BookState, ledger: Ledger) -> Ledger:
        """Save the ledger; returns what is saved. Called after all figures, and also if the update is interrupted."""

    def pages(self, state: BookState, ledger: Ledger, current: set[str]) -> PageSet | None:
        """Save the manifest and the gallery; None if that is postponed. current: the names of the current figures."""


@dataclass(slots=True)
class Production:
    """The products so far, by figure: new entries of the ledger, and rows of the report.

    left: outputs that may no longer belong to a figure. All fields are filled as the work goes on, so an interrupted
    build knows what it has written.
    """

    entries: dict[str, Entry]
    left: set[str]
    failures: dict[str, Failure]
    rows: dict[str, Row] = field(default_factory=dict)
    renewed: set[str] = field(default_factory=set)

    @classmethod
    def of(cls, state: BookState) -> Production:
        return cls(dict(state.ledger.entries), set(state.ledger.orphans), dict(state.ledger.failures))


@dataclass(frozen=True, slots=True)
class Updated:
    """The result of an update: rows of the report by figure, the new ledger, and the names of the current figures."""

    rows: Mapping[str, Row]
    ledger: Ledger
    current: set[str]
    pages: PageSet | None


def requested_outcomes(
    state: BookState,
    cache: Cache,
    pool: Pool,
    progress: Progress = lambda *_: None,
    *,
    every: bool = False,
) -> Iterator[Outcome]:
    """The outcomes of the requested steps, each reported to `progress`. every: also run the checks of `lint`."""
    steps = state.requested
    outcomes = outcomes_of(steps, state.disk, state.options, cache, pool, every=every)
    for done, outcome in enumerate(outcomes, 1):
        progress(done, len(steps), outcome.step.visual.label)
        yield outcome


def update(
    state: BookState,
    outcomes: Iterable[Outcome],
    request: Request,
    keeper: Keeper,
    pool: Pool,
    progress: Progress = lambda *_: None,
) -> Updated:
    """Make the requested figures and exports, and hand them to the keeper; then the ledger and the pages.

    Builds, dry runs and the resident builder all use this function, whether the book was read whole or in part.
    """
    production = Production.of(state)
    try:
        _produce(state, request, outcomes, keeper, production, pool, progress)
    finally:  # the ledger lists what was written, even if the update is interrupted
        try:
            state.disk.sync()
        finally:
            ledger = state.ledger_of(production.entries, production.left, production.failures)
            ledger = keeper.remember(state, ledger)
    current = production.renewed | {key(step.visual) for step in state.steps if step.is_fresh}
    return Updated(production.rows, ledger, current, keeper.pages(state, ledger, current))


def _produce(
    state: BookState,
    request: Request,
    outcomes: Iterable[Outcome],
    keeper: Keeper,
    production: Production,
    pool: Pool,
    progress: Progress = lambda *_: None,
) -> None:
    """Hand each figure, and then each requested export, to the keeper, and note the result."""
    if request.forms:
        # report a missing library before anything is drawn
        export_plan.shared(state.options, state.disk.root)
    svgs: dict[str, bytes] = {}  # for the exports
    for outcome in outcomes:
        produced = _figure(outcome, state, keeper, production, request.strict)
        if request.forms and not keeper.writes:  # else they are on the disk
            svgs |= produced
    if not request.forms:
        pool.release()
        return
    wants = due(state, production.entries, request.forms, production.rows, force=request.force)
    if wants and keeper.writes:
        state.disk.sync()
    with closing(exports(wants, state, production.entries, svgs, pool, progress)) as products:
        for want, product in products:
            _export(want, product, state, keeper, production)


def _figure(
    outcome: Outcome, state: BookState, keeper: Keeper, production: Production, is_strict: bool
) -> Mapping[str, bytes]:
    """Hand a figure to the keeper, and note the result. Returns the SVGs by path of a figure that was built."""
    name, svgs = key(outcome.step.visual), dict[str, bytes]()
    if is_strict:
        outcome = strictly(outcome)
    outcome, entry = _with_entry(outcome, state)
    if not isinstance(outcome, Failed):
        try:
            svgs = _svgs(outcome, state)
            for path, svg in svgs.items():
                state.disk.refuse_folder(path)
                state.refuse_foreign(path, svg, outcome.step.visual)
            production.rows[name] = keeper.figure(outcome, svgs)
        except Exception as error:
            outcome = Failed(outcome.step, (held(outcome.step.visual.at(), keeper.doing, error),))
    production.failures.pop(name, None)
    if isinstance(outcome, Failed):
        if (failure := failure_of(outcome, state.options)) is not None:
            production.failures[name] = failure
        row = row_of(outcome, state.options)
        is_image = outcome.step.visual.is_image and not is_strict
        level = checks.levels(state.options.lint)[checks.IMAGE_LEFT]
        production.rows[name] = left_row(row, level) if is_image else row
        return {}
    if entry is not None:
        row = production.rows[name]
        about_exports = (warned for warned in entry.warnings if warned not in row.warnings)
        production.rows[name] = replace(row, warnings=(*row.warnings, *about_exports))
        old = production.entries.get(name)
        production.left |= paths(old) | export_plan.paths(old)
        production.entries[name] = entry
        production.renewed.add(name)
    return svgs


def _export(
    want: Wanted, product: Exported | AuthorError, state: BookState, keeper: Keeper, production: Production
) -> None:
    """Hand an export to the keeper, and note the result in its figure's row."""
    name = key(want.visual)
    row = production.rows[name]
    if isinstance(product, AuthorError):
        production.rows[name] = not_exported_row(row, product)
        return
    try:
        state.disk.refuse_folder(want.path)
        state.refuse_foreign(want.path, product.data, want.visual)
        findings = tuple(starmap(want.finding, product.findings))
        row = replace(row, warnings=export_plan.with_findings(row.warnings, want.path, findings))
        entry = export_plan.added(production.entries[name], want.export(product.data), findings)
        production.rows[name] = keeper.export(want, product.data, row)
        production.entries[name] = entry
    except Exception as error:
        production.rows[name] = not_exported_row(row, held(want.visual.at(), keeper.doing, error))


def _svgs(outcome: Skipped | Built, state: BookState) -> dict[str, bytes]:
    if isinstance(outcome, Skipped):
        return {}
    return dict(outputs(outcome, state.options))


def _with_entry(outcome: Outcome, state: BookState) -> tuple[Outcome, Entry | None]:
    """A built figure with its new entry in the ledger; a failure if its texts cannot be encoded.

    The journal, the manifest and the gallery cover all figures, so one figure that cannot be encoded must not keep the
    others out.
    """
    if not isinstance(outcome, Built):
        return outcome, None
    try:
        entry = _successor(outcome, state)
        codec.text_of(figure_records.RecordWriter().entry(entry))
        figure = published_of(entry)
        text = state.page_text(figure.label, figure, PublishedStatus.CURRENT)
        (text.line + text.card).encode()
        return outcome, entry
    except Exception as error:
        at = outcome.step.visual.at()
        return Failed(outcome.step, (held(at, "describing what it shows", error),), outcome.seconds), None


def _successor(outcome: Built, state: BookState) -> Entry:
    """A figure's new entry, with the exports that are still valid, and what was found about these."""
    entry, old = entry_of(outcome, state.options), state.ledger.entries.get(key(outcome.step.visual))
    if old is None or not old.exports:
        return entry
    entry = export_plan.with_valid_exports(entry, state.disk.digest, old.exports)
    return replace(entry, warnings=(*entry.warnings, *export_plan.findings_of(entry.exports, old)))
