"""Questions as records of the journal, and back: a question file is parsed once. Pure.

Only files without errors are kept. A value of the wrong type raises one of `MALFORMED`, and the file is parsed again.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Mapping
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple, TypeAlias, TypeVar

from figmill.book.fields import COLOURS, COUNTED, LAYOUTS
from figmill.book.misspelled_keys import FIGURES, Suspect
from figmill.book.question import Declaration, Problem, Question, Reference
from figmill.book.value_types import THEMES
from figmill.checks import CHECKS
from figmill.config.readers import LANGUAGE
from figmill.kinds import KINDS
from figmill.model import Expect, ExpectedFact, FactSource, Origin
from figmill.store import checked
from figmill.store.rows import Codecs

T = TypeVar("T")

MALFORMED = (ValueError, KeyError, TypeError, IndexError, AttributeError)


class ParsedFile(NamedTuple):
    """A file with questions: its digest, the questions in it, and what is wrong with it. There may be ten thousand.

    A question file has one question at most; a page has one for each code block that is a figure.
    """

    digest: str
    questions: tuple[Question, ...]
    problems: tuple[Problem, ...] = ()


ParsedFiles: TypeAlias = Mapping[str, ParsedFile]  # by path: files without errors


def packed(file: ParsedFile) -> list[Any]:
    """The value of a file's record."""
    assert not file.problems
    return [file.digest, *map(_packed, file.questions)]


def unpacked(path: str, value: Any) -> ParsedFile:
    digest, *rows = checked.items(value)
    return ParsedFile(checked.text(digest), tuple([_unpacked(path, *row) for row in rows]))


def _packed(question: Question) -> list[Any]:
    row: list[Any] = [
        question.id,
        question.track,
        question.title,
        question.origin.line,
        question.origin.column,
    ]
    if question.names or question.suspects:
        row += [
            [_packed_declaration(declaration) for declaration in question.declarations],
            [[r.name, r.ref, r.origin.line, r.origin.column] for r in question.references],
            list(question.names),
            [[s.key, s.meant, s.origin.line, s.origin.column] for s in question.suspects],
            *((question.language,) if question.language else ()),
        ]
    return row


def _packed_declaration(declaration: Declaration) -> list[Any]:
    origins = {key: [at.line, at.column] for key, at in declaration.origins.items()}
    return [origins, *(codec.pack(getattr(declaration, name)) for name, codec in _FIELDS.items())]


MANY = 1024  # validated tracks to remember
_TRACKS: set[str] = set()


def _unpacked(path: str, id_: Any, track: Any, title: Any, line: Any, column: Any, *more: Any) -> Question:
    is_known = type(line) is int and type(column) is int
    at = Origin(path, line, column) if is_known else checked.origin(path, line, column)
    if track not in _TRACKS:  # a book has few
        if len(_TRACKS) >= MANY:
            _TRACKS.clear()
        _TRACKS.add(checked.name(track))
    if title is not None and type(title) is not str:
        raise ValueError("no text")
    question = Question(checked.name(id_), track, title, path, at)
    if not more:
        return question
    declarations, references, names, suspects, *language = more
    return replace(
        question,
        declarations=tuple(_unpacked_declaration(path, *row) for row in declarations),
        references=tuple(
            Reference(_or_none(checked.name, name), checked.text(ref), checked.origin(path, *at))
            for name, ref, *at in references
        ),
        names=tuple(_or_none(checked.text, name) for name in names),
        suspects=tuple(
            Suspect(checked.text(key), _one_of(FIGURES, meant), checked.origin(path, *at))
            for key, meant, *at in suspects
        ),
        language=checked.text(language[0]) if language else "",
    )


def _unpacked_declaration(path: str, places: Mapping[str, Any], *values: Any) -> Declaration:
    origins = {key: checked.origin(path, *at) for key, at in places.items()}
    if "" not in origins:
        raise ValueError("a figure always knows its own origin")
    fields = {name: codec.read(value) for (name, codec), value in zip(_FIELDS.items(), values, strict=True)}
    return Declaration(origins=origins, **fields)


def _or_none(read: Callable[[Any], T], value: Any) -> T | None:
    return None if value is None else read(value)


def _one_of(choices: Container[str], value: Any) -> str:
    if checked.text(value) not in choices:
        raise ValueError("an unknown word")
    return str(value)


def _paths(value: Any) -> tuple[str, ...]:
    return tuple(map(checked.path, checked.items(value)))


def _themes(value: Any) -> tuple[str, ...]:
    return tuple(_one_of(THEMES, item) for item in checked.items(value))


def _languages(value: Any) -> tuple[str, ...]:
    codes = tuple(map(checked.text, checked.items(value)))
    if not all(map(LANGUAGE.fullmatch, codes)):
        raise ValueError("no language")
    return codes


def _seconds(value: Any) -> float:
    if not 0 < checked.number(value) <= 86_400:
        raise ValueError("no time")
    return float(value)


def _lint(value: Any) -> dict[str, str]:
    return {_one_of(CHECKS, check): checked.text(reason) for check, reason in checked.mapping(value).items()}


def _explore(value: Any) -> dict[str, tuple[Any, ...]]:
    return {
        name: tuple(map(checked.finite, checked.items(values)))
        for name, values in checked.mapping(value).items()
    }


def _describe(value: Any) -> str | bool:
    return value if isinstance(value, bool) else checked.text(value)


def _counts(value: Any) -> dict[str, int]:
    return {_one_of(COUNTED, noun): checked.count(n) for noun, n in checked.mapping(value).items()}


def _value(value: Any) -> Any:
    return [checked.finite(item) for item in value] if isinstance(value, list) else checked.finite(value)


# What the annotations of these types do not say.
_STRICTER: Mapping[type, Mapping[str, Callable[[Any], Any]]] = {
    ExpectedFact: {"value": _value},
    FactSource: {"file": checked.path},
    Expect: {"counts": _counts},
    Declaration: {
        "name": partial(_or_none, checked.name),
        "kind": partial(_or_none, partial(_one_of, KINDS)),
        "source": partial(_or_none, checked.path),
        "path": partial(_or_none, checked.path),
        "params": checked.mapping,
        "rendered": partial(_or_none, checked.name),
        "engine": partial(_or_none, partial(_one_of, LAYOUTS)),
        "inputs": _paths,
        "image": _paths,
        "themes": partial(_or_none, _themes),
        "languages": partial(_or_none, _languages),
        "timeout": partial(_or_none, _seconds),
        "colours": partial(_or_none, partial(_one_of, COLOURS)),
        "width": partial(_or_none, _seconds),
        "lint": _lint,
        "explore": _explore,
        "describe": _describe,
        "narrow": checked.mapping,
    },
}
# The origins of a declaration stand first in its row, without the path of the file.
_FIELDS = Codecs(_STRICTER).fields(Declaration, without=("origins",))
