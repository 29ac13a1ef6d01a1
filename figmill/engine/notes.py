"""The warnings about a book rather than a figure: keys that were probably meant to be `visual`."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from figmill import checks
from figmill.book.misspelled_keys import CHECK, Suspect
from figmill.book.question import Problem
from figmill.engine.request import Request
from figmill.engine.state import BookState
from figmill.errors import as_errors
from figmill.report.model import Diagnostic


def judged(state: BookState, request: Request) -> BookState:
    """The same book, with a problem for each suspicious key that is an error by the settings or --strict."""
    level = checks.levels(state.options.lint)[CHECK]
    if level in (checks.OFF, checks.NOTE) or (level == checks.WARN and not request.strict):
        return state
    why = "an error in this book" if level == checks.ERROR else "a warning, with --strict"
    problems = (
        Problem(error, id_)
        for id_, suspect in _asked(state, request)
        for error in as_errors([suspect.warning], why)
    )
    return replace(state, book=replace(state.book, problems=(*state.book.problems, *problems)))


def notes(state: BookState, request: Request) -> tuple[Diagnostic, ...]:
    """The warnings of the book."""
    if request.strict or checks.levels(state.options.lint)[CHECK] != checks.WARN:
        return ()
    return tuple(
        Diagnostic.of_check(suspect.warning, checks.WARN, id_, None)
        for id_, suspect in _asked(state, request)
    )


def _asked(state: BookState, request: Request) -> Iterator[tuple[str, Suspect]]:
    return ((id_, suspect) for id_, suspect in state.book.suspects if request.wants(id_))
