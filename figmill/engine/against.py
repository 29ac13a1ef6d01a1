"""Compare the book with an earlier commit, or two commits: two books and their differences, for `diff`."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path

from figmill.compare import books
from figmill.compare.books import PublishedBook
from figmill.config import Options
from figmill.engine.commits.book import book_at
from figmill.engine.in_memory import DrawnBook, drawn
from figmill.engine.load import look
from figmill.engine.plan import SHARED
from figmill.engine.processes import pool_of
from figmill.engine.request import Progress, Request, is_among
from figmill.errors import ToolError
from figmill.fastpath import Seen
from figmill.render.pool import Pool
from figmill.report.model import Report


def compare(
    root: Path,
    options: Options,
    request: Request,
    pool: Pool,
    progress: Progress = lambda *_: None,
    seen: Seen | None = None,
) -> Report:
    """What differs between a commit and the work tree, or, given `A..B`, between two commits.

    Takes the arguments of `build`. Writes nothing in the book but .figmill/commits. Raises ToolError.
    """
    first, is_range, second = (request.against or "").partition("..")
    if second.startswith("."):
        raise ToolError(f"{request.against}: A...B is not supported; write A..B")
    if is_range:
        old, new = (_at(root, options, request, ref or "HEAD") for ref in (first, second))
        return Report(books.between(old, new), dry=True, check=request.check, shared=SHARED)
    old = _at(root, options, request, first)
    state = look(root, options, request.ids, force=request.force, seen=seen)
    state.refuse_foreign_pages()
    present = drawn(state, request, pool, progress)
    return replace(present.report, rows=books.between(old, present.published))


def _at(root: Path, options: Options, request: Request, ref: str) -> PublishedBook:
    """The requested figures of the book at a commit, to which --strict does not apply."""
    draw = partial(_draw_checkout, replace(request, strict=False), ref)
    book = book_at(root, options, ref, draw, force=request.force, is_whole=not request.ids)
    requested = {name: figure for name, figure in book.figures.items() if is_among(figure.id, request.ids)}
    return replace(book, figures=requested)  # a saved book has all figures


def _draw_checkout(request: Request, ref: str, aside: Path, options: Options) -> DrawnBook:
    """The book of a checkout, drawn in memory. Raises ToolError if it cannot be read."""
    try:
        state = look(aside, options, force=request.force)
    except ToolError as error:
        raise ToolError(f"commit {ref}: {error}") from None
    state = replace(state, ids=request.ids)  # only now: they may not exist at that commit
    with pool_of(aside, state.options, request.jobs, scheduler=request.scheduler) as pool:
        return drawn(state, request, pool)
