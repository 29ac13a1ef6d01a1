"""What a resident builder has reported so far: the rows of the last report, and a view of each figure."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import field

from figmill.book.resolve import Book
from figmill.engine.outputs import published_of
from figmill.engine.plan import Step
from figmill.engine.resident.views import FigureView, Update, ViewStatus
from figmill.engine.resident.warm_book import WarmBook
from figmill.fastpath import PAGES
from figmill.late_dataclasses import dataclass
from figmill.report.model import Report, Row
from figmill.store.ledger import Entry, key


@dataclass(slots=True)
class Reported:
    """The last report. rows: by figure; why: the row of a figure's last build."""

    rows: dict[str, Row] = field(default_factory=dict)
    why: dict[str, Row] = field(default_factory=dict)
    unsettled: set[str] = field(default_factory=set)  # figures that the next check of the whole book retries
    # figures that are still due, because a newer change took precedence
    postponed: set[str] = field(default_factory=set)
    book: Book | None = None
    orphans: tuple[str, ...] = ()
    _fresh: dict[str, tuple[Step, Row]] = field(default_factory=dict)

    def fresh(self, step: Step, row_of: Callable[[], Row]) -> Row:
        """The row of a fresh figure, made once."""
        name = key(step.visual)
        cached = self._fresh.get(name)
        if cached is None or cached[0] is not step:
            cached = self._fresh[name] = step, row_of()
        return cached[1]

    def took(self, report: Report, looked_at: Iterable[Row]) -> Update:
        """Save a report, and return it as an update."""
        done = tuple(looked_at)
        rows = {_name(row): row for row in report.rows}
        built = {_name(row) for row in done}
        problems = tuple(
            row
            for name, row in rows.items()
            if row.errors and name not in built and _words(row) != _words(self.rows.get(name))
        )
        removed = tuple(sorted(self.rows.keys() - rows.keys()))
        for row in done:
            self.why[_name(row)] = row
        for name in removed:
            self.why.pop(name, None)
            self._fresh.pop(name, None)
        self.rows = rows
        return Update(report, (*done, *problems), removed)

    def views(self, book: WarmBook) -> Mapping[str, FigureView]:
        """Every current figure, and every question that cannot be read."""
        views = {name: self._view(name, step) for name, step in book.steps.items()}
        for name, row in self.rows.items():
            if name not in views and row.errors:
                entry = book.ledger.entries.get(name)
                shown = published_of(entry) if entry else None
                views[name] = FigureView(
                    row.id,
                    row.name,
                    shown.track if shown else "",
                    shown.title if shown else None,
                    row.kind,
                    row.errors[0].origin,
                    _page(row),
                    ViewStatus.FAILED,
                    shown,
                    row.errors,
                )
        return views

    def _view(self, name: str, step: Step) -> FigureView:
        visual, entry = step.visual, step.entry
        row, why = self.rows.get(name), self.why.get(name)
        status = ViewStatus.CURRENT if step.is_fresh else ViewStatus.STALE
        if row is not None and row.errors:
            status = ViewStatus.FAILED
        return FigureView(
            visual.id,
            visual.name,
            visual.track,
            visual.title,
            visual.kind,
            visual.at(),
            visual.source,
            status,
            published_of(entry) if entry else None,
            row.errors if row else (),
            row.warnings if row else (),
            _reads(entry),
            why.reasons if why else (),
            visual.params,
            visual.expect,
            why.printed if why else "",
        )


def _name(row: Row) -> str:
    if row.id is None:
        return row.errors[0].origin.path if row.errors else "?"
    return row.id if row.name is None else f"{row.id}/{row.name}"


def _page(row: Row) -> str | None:
    """The page that holds a figure whose options cannot be read; None if it is not a code block."""
    path = row.errors[0].origin.path
    return path if path.endswith(PAGES) else None


def _words(row: Row | None) -> list[str]:
    """The errors of a figure as text."""
    return [] if row is None else [f"{error}\n{error.detail}" for error in row.errors]


def _reads(entry: Entry | None) -> tuple[str, ...]:
    if entry is None:
        return ()
    traced = (name for name, _ in entry.traced.rows)
    return tuple(dict.fromkeys((entry.question, entry.published.source, *sorted(traced))))
