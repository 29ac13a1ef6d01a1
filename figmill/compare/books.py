"""Two published books -> the rows of their differences, such as those of two folders or two commits. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field, replace
from pathlib import PurePosixPath
from typing import TypeAlias

from figmill.errors import AuthorError
from figmill.late_dataclasses import dataclass
from figmill.model import Change, Inputs, Published
from figmill.report.diff import changes_between, verb
from figmill.report.model import Row, Status
from figmill.store.ledger import Entry, name_of

Failures: TypeAlias = Mapping[str, tuple[AuthorError, ...]]  # by figure


@dataclass(frozen=True, slots=True)
class PublishedBook:
    """A book as published. Mappings use a figure's name in the ledger.

    - files: of each figure, by path.
    - inputs: of each figure; empty if unknown.
    - rows: the report of a build; each failure has a row in any case.
    """

    figures: Mapping[str, Published]
    files: Mapping[str, Mapping[str, bytes]]
    inputs: Mapping[str, Inputs] = field(default_factory=dict)
    rows: tuple[Row, ...] = ()

    @classmethod
    def of_entries(
        cls, entries: Mapping[str, Entry], files: Mapping[str, bytes], rows: tuple[Row, ...] = ()
    ) -> PublishedBook:
        """The book with these entries of the ledger, by figure. files: of all figures, by path."""
        figures = {name: entry.published for name, entry in entries.items()}
        by_figure = {
            name: {file.path: files[file.path] for file in figure.all_files if file.path in files}
            for name, figure in figures.items()
        }
        inputs = {name: entry.declared | entry.traced | entry.settling for name, entry in entries.items()}
        return cls(figures, by_figure, inputs, rows)

    @property
    def failures(self) -> Failures:
        """Why figures could not be built."""
        failures: dict[str, tuple[AuthorError, ...]] = {}
        for row in self.rows:
            if row.errors:
                failures[name_in(row)] = (*failures.get(name_in(row), ()), *row.errors)
        return failures


def name_in(row: Row) -> str:
    """The name of a row's figure; without an id, the name of its file, which usually is the id."""
    return name_of(row.id or PurePosixPath(row.errors[0].origin.path).stem, row.name)


def between(before: PublishedBook, after: PublishedBook) -> tuple[Row, ...]:
    """A row for each figure of either book, by id and name."""
    failed, failing = before.failures, after.failures
    reported = [(name_in(row), row) for row in after.rows]
    others = {*before.figures, *after.figures} - {name for name, _ in reported}
    rows = [_row(name, before, after, failed, row) for name, row in reported]
    for name in others:
        # a figure whose question cannot be read is not gone
        if name in after.figures or before.figures[name].id not in failing:
            rows.append(_row(name, before, after, failed))
    return tuple(sorted(rows, key=lambda row: (row.id or "", row.name or "")))


def _row(
    name: str, before: PublishedBook, after: PublishedBook, failed: Failures, reported: Row | None = None
) -> Row:
    then, now = before.figures.get(name), after.figures.get(name)
    if reported is not None and reported.errors:
        return replace(reported, then=then if now else None, now=now, failed_before=failed.get(name, ()))
    shown = now or then
    assert shown is not None
    sides = before.files.get(name, {}), after.files.get(name, {})
    changes = changes_between(*sides, {*sides[0], *sides[1]})
    row = reported or Row(shown.id, shown.name, shown.kind, Status.UNCHANGED, path=_path(shown, changes))
    status = status_of(changes)
    if status is None and _texts(then) != _texts(now):
        status = Status.WOULD_CHANGE
    elif status is None:
        status = Status.FRESH if row.status is Status.FRESH else Status.UNCHANGED
    reasons = _reasons(name, before, after, failed)
    return replace(
        row,
        status=status,
        reasons=reasons,
        changes=changes,
        then=then,
        now=now,
        failed_before=failed.get(name, ()),
    )


def _reasons(name: str, before: PublishedBook, after: PublishedBook, failed: Failures) -> tuple[str, ...]:
    """Why a figure differs; nothing if it is gone, or if nobody knows what it was drawn from."""
    if name not in after.inputs:
        return ()
    if name in failed:
        return ("failed before",)
    then = before.inputs.get(name)
    return ("new",) if then is None else after.inputs[name].reasons(then)


def _path(shown: Published, changes: Sequence[Change]) -> str | None:
    """The declared picture, or else the first file: a figure's data sort before it."""
    targets = [change.target for change in changes]
    declared = (file.path for file in shown.files if file.path in targets)
    return next(declared, targets[0] if targets else None)


def _texts(figure: Published | None) -> object:
    """What a reader sees of a figure in addition to its files: a new caption is a change too."""
    return figure and figure.shown


def status_of(changes: Sequence[Change]) -> Status | None:
    """The status of a figure with these changes of its files: new or gone only as a whole. None: nothing differs."""
    verbs = {verb(change) for change in changes}
    if verbs <= {None}:
        return None
    return Status(f"would-{verbs.pop()}") if len(verbs) == 1 else Status.WOULD_CHANGE
