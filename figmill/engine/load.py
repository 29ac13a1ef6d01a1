"""The book as it stands: what it declares, what was built of it, and what is stale.

Reads questions and the ledger, and writes nothing. Unaware of how anything is drawn.
"""

from __future__ import annotations

import gc
from dataclasses import replace
from fnmatch import fnmatchcase
from pathlib import Path

from figmill import fastpath, versions
from figmill.book.question import Problem, Question, read
from figmill.book.resolve import Book, resolve
from figmill.config import Options
from figmill.engine.drawing.failures import recalled
from figmill.engine.fonts import with_fonts
from figmill.engine.plan import Step, plan
from figmill.engine.request import Request
from figmill.engine.state import BookState
from figmill.errors import AuthorError, ToolError, did_you_mean, held
from figmill.fastpath import Seen
from figmill.model import Origin
from figmill.publish import export_plan
from figmill.store import ledger as ledgers
from figmill.store import parse_cache
from figmill.store.disk import Disk

QUESTIONS = (".yaml", ".yml")


def look(root: Path, options: Options, request: Request, seen: Seen | None = None) -> BookState:
    """The book as it stands: what it declares, what was built of it, and what is stale."""
    gc.disable()  # what is read here stays, and has no circles: to look for some takes a tenth of the time
    try:
        return _looked(root, with_fonts(options, root), request, seen)
    finally:
        gc.freeze()
        gc.enable()


def _looked(root: Path, options: Options, request: Request, seen: Seen | None) -> BookState:
    if seen is None or seen.folders != options.folders:
        seen = fastpath.look(str(root), options.folders)
    fastpath.settle_clock(seen.rows)
    disk = Disk(root, seen.rows)
    book, kept = load(disk, options)
    check_asked(book, request.ids)
    ledger_bytes = disk.read(ledgers.PATH)
    ledger = ledgers.loads(ledger_bytes)
    steps = plan(book.visuals, options, disk.digest, ledger, root=root, force=request.force)
    if not request.force:
        steps = recalled(steps, ledger.failures, options, disk.digest)
    ledger = export_plan.without_stale_exports(ledger, disk.digest)
    return BookState(disk, options, book, kept, ledger, ledger_bytes, steps, seen.state)


def asked(state: BookState, request: Request) -> tuple[Step, ...]:
    """The steps of the figures that the request is for."""
    return tuple(step for step in state.steps if is_asked(step.visual.id, request.ids))


def is_asked(id_: str | None, ids: tuple[str, ...]) -> bool:
    return not ids or (id_ is not None and any(fnmatchcase(id_, pattern) for pattern in ids))


def check_asked(book: Book, ids: tuple[str, ...]) -> None:
    """ToolError where a pattern asks for no question."""
    known = {visual.id for visual in book.visuals} | {p.id for p in book.problems if p.id}
    known |= {id_ for id_, _ in book.suspects}
    for pattern in ids:
        if not any(fnmatchcase(name, pattern) for name in known):
            raise ToolError(
                f"--id {pattern}: no question with a figure has that id{did_you_mean(pattern, known)}"
            )


def load(disk: Disk, options: Options) -> tuple[Book, parse_cache.Kept | None]:
    """Read every question file that has changed, and find every source.

    Returns the book and what to remember of its files; None where that is remembered already.
    """
    kept = parse_cache.loads(disk.read(parse_cache.PATH), versions.code("parse"))
    questions: dict[str, tuple[str, Question]] = {}
    clean: set[str] = set()
    problems: list[Problem] = []
    for path in disk.files(options.questions, QUESTIONS):
        digest, data = disk.digest_and_bytes(path)
        if path in kept and kept[path][0] == digest:
            questions[path] = kept[path]
            clean.add(path)
            continue
        question, wrong = read_question(path, disk, data)
        problems += wrong
        if question is not None:
            questions[path] = digest, question
            if not wrong:
                clean.add(path)
    problems += unusable_questions(disk, options)
    found = tuple(question for _, question in questions.values())
    files = frozenset(disk.files(options.visuals))
    book = resolve(found, files, options, disk.unusable(options.visuals), disk.read)
    book = replace(book, problems=(*problems, *book.problems))
    now = {path: row for path, row in questions.items() if path in clean}
    return book, None if now == kept else now


def unusable_questions(disk: Disk, options: Options) -> list[Problem]:
    """What looks like a question by its name, and is no regular file of the book."""
    unusable = disk.unusable(options.questions)
    text = "a question is a regular file in the book"
    return [
        Problem(AuthorError(Origin(path), f"{words}; {text}"))
        for path, words in unusable.items()
        if path.endswith(QUESTIONS)
    ]


def read_question(path: str, disk: Disk, data: bytes | None) -> tuple[Question | None, tuple[Problem, ...]]:
    """The question in a file, and what is wrong with it. data: its bytes, where they are known already."""
    try:
        return read(path, disk.read(path) or b"" if data is None else data)
    except Exception as error:
        return None, (Problem(held(Origin(path), "reading this question", error)),)
