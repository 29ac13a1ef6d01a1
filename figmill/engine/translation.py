"""The texts of a book for its translators: a message for each, from the figures as drawn in that language.

Each kind records the texts that it looks up while it draws, so the messages are those that a build needs. Writes
nothing.
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from figmill.book import catalogues
from figmill.config import Options
from figmill.engine.book_state import BookState
from figmill.engine.drawing.exploration import in_other_languages
from figmill.engine.drawing.outcome import Built, Failed
from figmill.engine.load import look
from figmill.engine.plan import Stale, Step
from figmill.engine.processes import pool_of
from figmill.engine.request import Progress, Request
from figmill.engine.update import requested_outcomes
from figmill.errors import AuthorError, ToolError
from figmill.late_dataclasses import dataclass
from figmill.model import Visual
from figmill.store.cache import cache_of

# Lines of a header that would change every day, or that nobody has filled in.
_IDLE = re.compile(
    rb'^"(?:POT-Creation-Date|Generated-By|PO-Revision-Date: YEAR|Last-Translator: FULL NAME|'
    rb"Language-Team: \w+ <LL@|Report-Msgid-Bugs-To: EMAIL@ADDRESS|Project-Id-Version: PROJECT)[^\n]*\n",
    re.MULTILINE,
)
_PLACEHOLDER = re.compile("PROJECT|ORGANIZATION|FIRST AUTHOR")  # babel's header for a new file


@dataclass(frozen=True, slots=True)
class SourceText:
    """A text to translate. path: the file that contains it; figure: the title of its figure."""

    context: str
    text: str
    path: str
    figure: str


@dataclass(frozen=True, slots=True)
class CatalogueFile:
    """A catalogue as it should be.

    - before: the bytes of the present file; None if there is no file.
    - untranslated: the messages without a translation.
    - fuzzy: the messages whose translation a translator must check.
    - total: the number of all messages.
    """

    language: str
    path: str
    before: bytes | None
    after: bytes
    total: int
    untranslated: tuple[tuple[str, str], ...]  # (context, text)
    fuzzy: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Extracted:
    """The catalogues of the requested languages, and the errors of figures whose words are unknown."""

    files: tuple[CatalogueFile, ...]
    errors: tuple[AuthorError, ...]
    state: BookState


@dataclass(slots=True)
class _Extraction:
    """The messages so far, by language. unknown: labels of figures that failed, whose messages stay."""

    messages: dict[str, list[SourceText]]
    unknown: set[str] = field(default_factory=set)
    errors: list[AuthorError] = field(default_factory=list)


def extracted(
    root: Path,
    options: Options,
    languages: Sequence[str],
    request: Request,
    progress: Progress = lambda *_: None,
) -> Extracted:
    """The texts of every figure in each of these languages, joined with the present translations.

    languages: none: those of the settings. Raises ToolError if there are none.
    """
    wanted = tuple(languages or options.languages)
    if not wanted:
        raise ToolError("name a language, as in `figmill translate de`, or set `languages` in the settings")
    if options.language in wanted:
        raise ToolError(f"the book's own language is {options.language}; `language` in the settings says so")
    every = tuple(dict.fromkeys((*options.languages, *wanted)))
    state = look(root, replace(options, languages=every), request.ids)
    stale = replace(state, steps=tuple(map(_to_translate, state.steps)))
    extraction = _Extraction({code: [] for code in wanted})
    cache = cache_of(root, state.options)
    with pool_of(root, state.options, request.jobs) as pool:
        for outcome in requested_outcomes(stale, cache, pool, progress):
            if isinstance(outcome, Failed):
                extraction.unknown.add(outcome.step.visual.label)
                extraction.errors += outcome.errors
            elif isinstance(outcome, Built):
                for code, message in _of_figure(outcome):
                    if code in extraction.messages:
                        extraction.messages[code].append(message)
    for problem in state.book.problems:
        extraction.errors.append(problem.error)
        if problem.id is not None:
            extraction.unknown.add(problem.id if problem.name is None else f"{problem.id}-{problem.name}")
    files = tuple(_file(code, state, extraction) for code in wanted)
    return Extracted(files, tuple(extraction.errors), state)


def _to_translate(step: Step) -> Step:
    """A step that is not fresh: without a drawing, the figure's texts are unknown."""
    return replace(step, state=Stale(("translate",))) if step.is_fresh else step


def _of_figure(built: Built) -> Iterator[tuple[str, SourceText]]:
    """A figure's messages, each with its language: first those of its question, then those of its drawings."""
    own = built.step.visual
    title = own.title or own.label
    for edition in in_other_languages(built):
        into = edition.step.visual.translation
        assert into is not None
        for key, text in _texts(own):
            yield into.language, SourceText(f"{own.label} {key}", text, own.at(key).path, title)
        if into.source is None:
            texts = (text for each in (edition, *edition.variants) for text in each.settled.asked)
            for text in dict.fromkeys(texts):
                yield into.language, SourceText(own.label, text, own.source, title)


def _texts(visual: Visual) -> Iterator[tuple[str, str]]:
    for key in catalogues.TEXTS:
        text = getattr(visual, key)
        if isinstance(text, str) and text:
            yield key, text


def _file(code: str, state: BookState, extraction: _Extraction) -> CatalogueFile:
    path = catalogues.path_of(state.options.visuals[0], code)
    before = state.disk.read(path)
    catalogue = joined(code, path, before, extraction.messages[code], extraction.unknown)
    shared = catalogues.read(path, before).messages.get(None, {})
    rows = [message for message in catalogue if message.id and message.context is not None]
    return CatalogueFile(
        code,
        path,
        before,
        written(catalogue),
        len(rows),
        tuple(
            (message.context, message.id)
            for message in rows
            if not message.string and message.id not in shared
        ),
        tuple((message.context, message.id) for message in rows if message.string and message.fuzzy),
    )


def joined(
    code: str, path: str, before: bytes | None, messages: Iterable[SourceText], unknown: Iterable[str] = ()
) -> Any:
    """babel's catalogue of these messages with the translations that the file has.

    A text that has changed takes the translation of the nearest one that its figure no longer has, else that of the
    same text elsewhere, and is fuzzy. unknown: labels whose messages stay. Messages without a context stay.
    """
    from babel import Locale  # `catalogues` has loaded babel, or said that it is missing
    from babel.messages import Catalog

    try:
        locale: Any = Locale.parse(code.replace("-", "_"))
    except Exception:
        locale = None  # a language that babel does not know
    old: Any = Catalog(locale) if before is None else catalogues.parsed(path, before)
    template = Catalog(locale)
    for text in messages:
        flags = ("python-brace-format",) if "{" in text.text else ()
        template.add(
            text.text,
            context=text.context,
            locations=[(text.path, 0)],
            flags=flags,
            auto_comments=[text.figure],
        )
    kept = set(unknown)
    for message in old:
        if message.id and (message.context is None or message.context.partition(" ")[0] in kept):
            template.add(
                message.id,
                context=message.context,
                locations=message.locations,
                flags=message.flags,
                auto_comments=message.auto_comments,
            )
    lapsed = dict(old.obsolete)
    elsewhere = {
        message.id: message.string for message in old if message.id and message.string and not message.fuzzy
    }
    old.update(template, no_fuzzy_matching=True, update_creation_date=False)
    gone = {**lapsed, **old.obsolete}
    for message in old:
        if message.id and not message.string:
            _take_over(message, gone, elsewhere)
    current = {(message.id, message.context) for message in old}
    old.obsolete = {
        key: message
        for key, message in gone.items()
        if message.string and (message.id, message.context) not in current
    }
    return old


def _take_over(message: Any, gone: Mapping[Any, Any], elsewhere: Mapping[str, str]) -> None:
    """Give an untranslated message the text of a similar one, marked as fuzzy."""
    own = {other.id: other for other in gone.values() if other.context == message.context and other.string}
    if message.id in own:
        message.string = own[message.id].string
        return
    near = get_close_matches(message.id, own, 1)
    if near:
        message.string, message.previous_id = own[near[0]].string, [near[0]]
    elif message.id in elsewhere and message.context is not None:
        message.string = elsewhere[message.id]
    else:
        return
    message.flags.add("fuzzy")


def written(catalogue: Any) -> bytes:
    """The file of a catalogue: the same messages give the same bytes."""
    from babel.messages.pofile import write_po

    lines = catalogue.header_comment.splitlines()
    own = [line for line in lines if line.strip("# ") and not _PLACEHOLDER.search(line)]
    catalogue.header_comment = "\n".join(own or ["# Words of the figures."])
    catalogue.fuzzy = False
    buffer = io.BytesIO()
    write_po(buffer, catalogue, width=0, include_previous=True, include_lineno=False)
    return _IDLE.sub(b"", buffer.getvalue()).rstrip(b"\n") + b"\n"
