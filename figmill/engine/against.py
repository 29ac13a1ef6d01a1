"""Compare the book with an earlier commit, or two commits: two books and their differences, for `diff`."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from figmill.compare import books
from figmill.compare.books import PublishedBook
from figmill.config import Options
from figmill.engine.commits.book import book_at, published_of
from figmill.engine.dry_run import dry_run
from figmill.engine.plan import SHARED
from figmill.engine.request import Progress, Request
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

    Takes the arguments of `build`. Writes nothing in the book but .figmill/commits.
    """
    first, is_range, second = (request.against or "").partition("..")
    if is_range:
        old, new = (_at(root, options, request, ref or "HEAD") for ref in (first, second))
        return Report(books.between(old, new), dry=True, check=request.check, shared=SHARED)
    old = _at(root, options, request, first)
    dry = dry_run(root, options, request, pool, progress, seen)
    return replace(dry.report, rows=books.between(old, published_of(dry)))


def _at(root: Path, options: Options, request: Request, ref: str) -> PublishedBook:
    """The requested figures of the book at a commit."""
    book = book_at(root, options, request, ref)
    figures = {name: figure for name, figure in book.figures.items() if request.wants(figure.id)}
    return replace(book, figures=figures)  # a saved book has all figures
