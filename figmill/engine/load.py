"""Load a book: its figures, the records of the last build, and which figures are stale.

Reads questions and the journal, and writes nothing. Unaware of drawing.
"""

from __future__ import annotations

import gc
from dataclasses import replace
from pathlib import Path

from figmill import fastpath
from figmill.book.resolve import Book, resolve
from figmill.config import Options
from figmill.engine import questions
from figmill.engine.book_state import BookState
from figmill.engine.drawing.failures import recalled
from figmill.engine.fonts import with_fonts
from figmill.engine.plan import plan
from figmill.engine.request import is_among
from figmill.errors import ToolError, did_you_mean
from figmill.fastpath import Seen
from figmill.publish import export_plan
from figmill.store.disk import Disk
from figmill.store.memory import Memory
from figmill.store.question_records import ParsedFiles


def look(
    root: Path, options: Options, ids: tuple[str, ...] = (), *, force: bool = False, seen: Seen | None = None
) -> BookState:
    """The current state of a book: its figures, the records of the last build, and which figures are stale.

    ids: globs of the requested questions; empty: all. force: every figure is stale. seen: a listing of the book's files
    that was made just now, if there is one. Raises ToolError, for a glob that matches no question too.
    """
    gc.disable()  # the objects made here stay and form no cycles; searching for cycles takes a tenth of the time
    try:
        return _looked(root, with_fonts(options, root), ids, force, seen)
    finally:
        gc.freeze()
        gc.enable()


def _looked(root: Path, options: Options, ids: tuple[str, ...], force: bool, seen: Seen | None) -> BookState:
    if seen is None or seen.folders != options.listed:
        seen = fastpath.look(str(root), options.listed)
    fastpath.settle_clock(seen.rows)
    sources = seen.state  # its lines need as much memory as a tenth of a large book, so before that is read
    memory = Memory(root)
    disk = Disk(root, seen.rows, memory.digests(), options.own_words)
    del seen  # the disk has taken what it needs
    with disk.in_a_row():
        book, kept = load(disk, options, memory)
        check_requested(book, ids)
        ledger = memory.ledger()
        steps = plan(book.visuals, options, disk.digest, ledger, root=root, force=force)
        if not force:
            steps = recalled(steps, ledger.failures, options, disk.digest)
    ledger = export_plan.without_stale_exports(ledger, disk.digest)
    return BookState(disk, options, book, memory, kept, ledger, steps, sources, ids=ids)


def check_requested(book: Book, ids: tuple[str, ...]) -> None:
    """Raise ToolError if a pattern matches no question."""
    ids_of_book = {visual.id for visual in book.visuals} | {p.id for p in book.problems if p.id}
    ids_of_book |= {id_ for id_, _ in book.suspects}
    for pattern in ids:
        if not any(is_among(name, (pattern,)) for name in ids_of_book):
            raise ToolError(
                f"--id {pattern}: no question with a figure has that id{did_you_mean(pattern, ids_of_book)}"
            )


def load(disk: Disk, options: Options, memory: Memory) -> tuple[Book, ParsedFiles]:
    """Read every question file that has changed, and find every source. Returns the book, and the questions to save."""
    parsed = questions.read_files(disk, options, memory.questions())
    declared = tuple(question for file in parsed.values() for question in file.questions)
    problems = [problem for file in parsed.values() for problem in file.problems]
    files = frozenset(disk.files(options.visuals))
    book = resolve(
        declared, files, options, disk.unusable(options.visuals), disk.read, disk.hidden, disk.image
    )
    problems += (*questions.unusable(disk, options), *book.problems)
    return replace(book, problems=tuple(problems)), questions.without_errors(parsed)
