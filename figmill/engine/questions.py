"""The question files of a book. Each is parsed once, and again only after its bytes have changed. Writes nothing."""

from __future__ import annotations

from collections.abc import Mapping

from figmill.book.question import Problem, Question, read
from figmill.config import Options
from figmill.errors import AuthorError, held
from figmill.model import Origin
from figmill.store.disk import Disk
from figmill.store.question_records import ParsedFile

SUFFIXES = (".yaml", ".yml")


def read_files(disk: Disk, options: Options, known: Mapping[str, ParsedFile]) -> dict[str, ParsedFile]:
    """Every question file of the book, by path. known: the files as they were parsed before."""
    paths = disk.files(options.questions, SUFFIXES)
    return {path: read_file(path, disk, known.get(path)) for path in paths}


def read_file(path: str, disk: Disk, known: ParsedFile | None) -> ParsedFile:
    """One question file."""
    digest, data = disk.digest_and_bytes(path)
    if known is not None and known.digest == digest:
        return known
    return ParsedFile(digest, *_parsed(path, disk, data))


def _parsed(path: str, disk: Disk, data: bytes | None) -> tuple[Question | None, tuple[Problem, ...]]:
    """The question in a file, and its problems. data: its bytes, if they are known already."""
    try:
        return read(path, disk.read(path) or b"" if data is None else data)
    except Exception as error:
        return None, (Problem(held(Origin(path), "reading this question", error)),)


def without_errors(parsed: Mapping[str, ParsedFile]) -> dict[str, ParsedFile]:
    """The files to save."""
    return {path: file for path, file in parsed.items() if file.question is not None and not file.problems}


def unusable(disk: Disk, options: Options) -> list[Problem]:
    """A problem for each entry that is named like a question but is not a regular file of the book."""
    text = "a question is a regular file in the book"
    return [
        Problem(AuthorError(Origin(path), f"{words}; {text}"))
        for path, words in disk.unusable(options.questions).items()
        if path.endswith(SUFFIXES)
    ]
