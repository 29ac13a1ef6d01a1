"""The report of an update: a row per figure and per question with errors, and the warnings about the book."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import PurePosixPath

from figmill import checks
from figmill.book.misspelled_keys import CHECK, Suspect
from figmill.book.question import Problem
from figmill.engine import prose
from figmill.engine.book_state import BookState
from figmill.engine.plan import SHARED
from figmill.engine.report_rows import left_row
from figmill.errors import as_errors
from figmill.report.model import Diagnostic, Report, Row, Status
from figmill.store.ledger import Entry


def judged(state: BookState, *, is_strict: bool) -> BookState:
    """The same book, with a problem for each suspicious key that is an error by the settings or --strict."""
    level = checks.levels(state.options.lint)[CHECK]
    if level in (checks.OFF, checks.NOTE) or (level == checks.WARN and not is_strict):
        return state
    why = "an error in this book" if level == checks.ERROR else "a warning, with --strict"
    problems = (
        Problem(error, id_)
        for id_, suspect in _suspects(state)
        for error in as_errors([suspect.warning], why)
    )
    return replace(state, book=replace(state.book, problems=(*state.book.problems, *problems)))


def report_of(
    state: BookState,
    rows: Iterable[Row],
    entries: Mapping[str, Entry],
    orphans: tuple[str, ...],
    *,
    is_strict: bool,
) -> Report:
    """The report of the requested figures. state: as `judged`. entries: of all figures, as they are now."""
    every = sorted((*rows, *_problem_rows(state, is_strict)), key=lambda row: (row.id or "", row.name or ""))
    notes = (*suspicions(state, is_strict=is_strict), *prose.notes(state, entries, is_strict=is_strict))
    return Report(tuple(every), orphans, shared=SHARED, notes=notes)


def suspicions(state: BookState, *, is_strict: bool) -> tuple[Diagnostic, ...]:
    """A warning for each suspicious key that is not an error."""
    if is_strict or checks.levels(state.options.lint)[CHECK] != checks.WARN:
        return ()
    return tuple(
        Diagnostic.of_check(suspect.warning, checks.WARN, id_, None) for id_, suspect in _suspects(state)
    )


def _suspects(state: BookState) -> Iterator[tuple[str, Suspect]]:
    """The keys of requested questions that were probably meant to be `visual`."""
    return ((id_, suspect) for id_, suspect in state.book.suspects if state.wants(id_))


def _problem_rows(state: BookState, is_strict: bool) -> Iterator[Row]:
    """A row for each requested question, or figure of it, whose problems keep it from being drawn."""
    broken: dict[tuple[str | None, str | None, str], list[Problem]] = {}
    for problem in state.book.problems:
        path = problem.error.origin.path
        if state.wants(problem.id or PurePosixPath(path).stem):
            broken.setdefault((problem.id, problem.name, "" if problem.id else path), []).append(problem)
    for (id_, name, _), problems in broken.items():
        first, errors = problems[0], tuple(problem.error for problem in problems)
        row = Row(id_, name, first.kind, Status.FAILED, errors=errors)
        yield left_row(row, first.left) if first.left and not is_strict else row
