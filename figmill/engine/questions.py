"""The files of a book that declare figures: question files, and pages with code blocks that are figures.

Each is parsed once, and again only after its bytes have changed. Writes nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from figmill import config, kinds
from figmill.book.question import Problem, Question, read
from figmill.config import Options
from figmill.errors import AuthorError, held
from figmill.fastpath import PAGES
from figmill.model import Origin
from figmill.store import private
from figmill.store.disk import Disk
from figmill.store.question_records import ParsedFile

SUFFIXES = (".yaml", ".yml")


def read_files(disk: Disk, options: Options, before: Mapping[str, ParsedFile]) -> dict[str, ParsedFile]:
    """Every file that declares figures, by path. before: the files as they were parsed last.

    Raises ToolError if the settings name a language that no kind draws, or pages without any.
    """
    paths = disk.files(options.questions, SUFFIXES)
    if options.page_folders:
        _refuse_unknown(disk, options)
        paths = [*paths, *disk.files(options.page_folders, PAGES)]
    parsed = {path: read_file(path, disk, options, before.get(path)) for path in paths}
    if options.pages and not options.fences and not options.images:
        _refuse_idle(disk, parsed)
    return parsed


def read_file(path: str, disk: Disk, options: Options, before: ParsedFile | None) -> ParsedFile:
    """One file that declares figures."""
    own, data = disk.digest_and_bytes(path)
    if before is not None and before.digest == _digest(path, own, disk, options, before.questions):
        return before
    questions, problems = _parsed(path, disk, options, data)
    return ParsedFile(_digest(path, own, disk, options, questions), questions, problems)


def _digest(path: str, own: str, disk: Disk, options: Options, questions: tuple[Question, ...]) -> str:
    """The digest of everything that a file's questions depend on. own: of the file."""
    if not is_page(path):
        return own
    chosen = (*options.fences, *map(".{}".format, options.images), *options.page_folders)
    return " ".join((own, *chosen, *map(disk.digest, sorted(includes(questions)))))


def includes(questions: Iterable[Question]) -> set[str]:
    """The files that the code blocks of a page include."""
    return {
        name
        for question in questions
        for declaration in question.declarations
        if declaration.fence
        for name in declaration.inputs
    }


def images(parsed: Mapping[str, ParsedFile]) -> set[str]:
    """Where the images of pages are or may be."""
    return {
        path
        for file in parsed.values()
        for question in file.questions
        for declaration in question.declarations
        for path in declaration.image
    }


def of_book(disk: Disk) -> Callable[[str], bytes | None]:
    """Reads a file that a page includes. The messages of its errors follow the name of the file."""

    def read_file(name: str) -> bytes | None:
        if private.is_below(name):
            raise AuthorError(Origin(name), "is figmill's own, and not for pages")
        return disk.read(name)

    return read_file


def is_page(path: str) -> bool:
    """Whether a file is a page, and no question file."""
    return path.endswith(PAGES)


def _parsed(
    path: str, disk: Disk, options: Options, data: bytes | None
) -> tuple[tuple[Question, ...], tuple[Problem, ...]]:
    """The questions in a file, and what is wrong with it. data: its bytes, where they are known already."""
    try:
        content = disk.read(path) or b"" if data is None else data
        if is_page(path):
            from figmill.book.pages import questions as pages  # its parsers load only for a book with pages

            chosen = pages.PageSources(options.fences, options.images, options.page_folders)
            return pages.read(path, content, chosen, kinds.of_fences(), of_book(disk))
        question, problems = read(path, content)
        return () if question is None else (question,), problems
    except Exception as error:
        return (), (Problem(held(Origin(path), "reading this question", error)),)


def _refuse_unknown(disk: Disk, options: Options) -> None:
    from figmill.book.pages import front_matter  # as above

    languages = kinds.of_fences()
    for language in options.fences:
        if language not in languages:
            raise config.wrong(disk.root, ("fences",), front_matter.unknown(language, languages), language)
    for suffix in options.images:
        if kinds.kind_of_name(f"x.{suffix}") is None and not kinds.is_script(f"x.{suffix}"):
            message = f"images: figmill draws no files that end in .{suffix}"
            raise config.wrong(disk.root, ("images",), message, suffix)


def _refuse_idle(disk: Disk, parsed: Mapping[str, ParsedFile]) -> None:
    """Raise ToolError if `pages` has no effect: neither the settings nor a page name any fences."""
    if not any(is_page(path) and (file.questions or file.problems) for path, file in parsed.items()):
        message = (
            "pages has no effect without fences or images; name the code blocks that are figures, like "
            'fences = ["mermaid"], or the images, like images = ["svg"]'
        )
        raise config.wrong(disk.root, ("pages",), message)


def without_errors(parsed: Mapping[str, ParsedFile]) -> dict[str, ParsedFile]:
    """The files to save."""
    return {path: file for path, file in parsed.items() if not file.problems}


def unusable(disk: Disk, options: Options) -> list[Problem]:
    """A problem for each entry that is named like a question but is not a regular file of the book."""
    text = "a question is a regular file in the book"
    return [
        Problem(AuthorError(Origin(path), problem if ";" in problem else f"{problem}; {text}"))
        for path, problem in disk.unusable(options.questions).items()
        if path.endswith(SUFFIXES)
    ]
