"""The ledger: what each figure was built from, as of the last build. Bytes in, bytes out.

A ledger that cannot be read, or that holds a value of the wrong type, counts as empty: then every figure is checked
again, and nothing is lost.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields
from typing import Any

from figmill.errors import AuthorError
from figmill.kinds.answer import WrongAnswerError, facts_of
from figmill.model import Explored, File, Inputs, Published, Turned, Visual, Warned
from figmill.store import checked

PATH = ".figmill/ledger.json"
VERSION = 5

PUBLISHED = tuple(field.name for field in fields(Published))
FILE = tuple(field.name for field in fields(File))


@dataclass(frozen=True, slots=True)
class Export:
    """A published figure as PNG or PDF: the file, and all that its bytes depend on."""

    file: File
    made: Inputs


@dataclass(frozen=True, slots=True)
class Entry:
    """One figure: its declared inputs, the files its script read, the inputs of settling, and what was published."""

    question: str  # the file that declares it
    declared: Inputs
    traced: Inputs
    settling: Inputs
    published: Published
    warnings: tuple[Warned, ...] = ()
    exports: tuple[Export, ...] = ()


@dataclass(frozen=True, slots=True)
class Failure:
    """A figure that failed: all that this came from, the files that its script read, and what is wrong."""

    inputs: Inputs
    traced: Inputs
    errors: tuple[AuthorError, ...]


@dataclass(frozen=True, slots=True)
class Ledger:
    """Entries and failures by figure, and the outputs of figures that are gone, which `clean` removes."""

    entries: Mapping[str, Entry] = field(default_factory=dict)
    orphans: tuple[str, ...] = ()
    failures: Mapping[str, Failure] = field(default_factory=dict)


def key(visual: Visual) -> str:
    """A figure's name in the ledger; an id cannot hold a slash."""
    return _key(visual.id, visual.name)


def _key(id_: str, name: str | None) -> str:
    return id_ if name is None else f"{id_}/{name}"


def dumps(ledger: Ledger) -> bytes:
    """The ledger as bytes. Each row is kept once: figures share most of theirs (tools, fonts, settings)."""
    rows = sorted(
        set().union(
            *(inputs.rows for entry in ledger.entries.values() for inputs in _inputs(entry)),
            *(f.inputs.rows | f.traced.rows for f in ledger.failures.values()),
        )
    )
    numbers = {row: number for number, row in enumerate(rows)}

    def packed(inputs: Inputs) -> list[int]:
        return sorted([numbers[row] for row in inputs.rows])

    entries = {
        name: {
            "question": entry.question,
            "declared": packed(entry.declared),
            "traced": packed(entry.traced),
            "settling": packed(entry.settling),
            "published": _plain(entry.published),
            "warnings": [_plain_warning(w) for w in entry.warnings],
            "exports": [[_values(export.file), packed(export.made)] for export in entry.exports],
        }
        for name, entry in sorted(ledger.entries.items())
    }
    failures = {
        name: [packed(failure.inputs), packed(failure.traced), [_plain_error(e) for e in failure.errors]]
        for name, failure in sorted(ledger.failures.items())
    }
    whole = {
        "version": VERSION, "rows": rows, "entries": entries, "orphans": sorted(ledger.orphans),
        "failures": failures,
    }  # fmt: skip
    text = json.dumps(whole, separators=(",", ":"), ensure_ascii=False)
    return text.encode("utf-8", "surrogatepass")  # a file's name need not be UTF-8


def _inputs(entry: Entry) -> Iterator[Inputs]:
    yield from (entry.declared, entry.traced, entry.settling)
    yield from (export.made for export in entry.exports)


def _plain_warning(warning: Warned) -> list[Any]:
    at = warning.origin
    return [at.path, at.line, at.column, warning.message, warning.check]


def _plain_error(error: AuthorError) -> list[Any]:
    at = error.origin
    return [at.path, at.line, at.column, error.message, error.detail]


def _plain(figure: Published) -> list[Any]:
    """The fields of a figure; what readers turn and its files come last, in the same form."""
    *values, files, explore = (getattr(figure, name) for name in PUBLISHED)
    return [*values, None if explore is None else _explored(explore), [_values(file) for file in files]]


def _explored(explore: Explored) -> list[Any]:
    pictures = [
        [list(one.params.values()), one.alt, one.caption, one.facts, [_values(file) for file in one.files]]
        for one in explore.pictures
    ]
    parameters = [[name, list(values)] for name, values in explore.parameters.items()]
    return [parameters, explore.declared, pictures, explore.size]


def _values(file: File) -> list[Any]:
    return [getattr(file, name) for name in FILE]


def loads(data: bytes | None) -> Ledger:
    """The ledger in `data`; an empty one if there is none, or if it is torn, forged or of another version."""
    try:
        whole = checked.loads(data or b"")
        if whole["version"] != VERSION:
            return Ledger()
        rows = [(checked.text(name), checked.text(digest)) for name, digest in whole["rows"]]
        reading = _Reading(rows)
        entries = {name: reading.entry(name, row) for name, row in checked.mapping(whole["entries"]).items()}
        failures = {name: reading.failure(*row) for name, row in checked.mapping(whole["failures"]).items()}
        return Ledger(entries, tuple(map(checked.path, checked.items(whole["orphans"]))), failures)
    except (ValueError, KeyError, TypeError, IndexError, AttributeError, WrongAnswerError):
        return Ledger()


class _Reading:
    """Reads the entries of a ledger with these rows. Raises the exceptions at which `loads` returns an empty one."""

    def __init__(self, rows: list[tuple[str, str]]) -> None:
        self.rows = rows
        self.files = {row for row in rows if _is_path(row[0])}  # the rows that a script may have read

    def inputs(self, numbers: Any) -> Inputs:
        if checked.items(numbers) and (set(map(type, numbers)) != {int} or min(numbers) < 0):
            raise ValueError("no row")
        rows = self.rows
        return Inputs.of([rows[number] for number in numbers])

    def entry(self, name: str, row: Mapping[str, Any]) -> Entry:
        published = _published(row["published"])
        if name != _key(published.id, published.name):
            raise ValueError("another figure's entry")
        traced = self.inputs(row["traced"])
        if not traced.rows <= self.files:
            raise ValueError("no file of the book")
        return Entry(
            question=checked.path(row["question"]),
            declared=self.inputs(row["declared"]),
            traced=traced,
            settling=self.inputs(row["settling"]),
            published=published,
            warnings=tuple(_warning(*warning) for warning in row["warnings"]),
            exports=tuple(Export(_file(*file), self.inputs(made)) for file, made in row["exports"]),
        )

    def failure(self, inputs: Any, traced: Any, errors: Any) -> Failure:
        read = self.inputs(traced)
        if not read.rows <= self.files or not checked.items(errors):
            raise ValueError("no file of the book, or no error")
        return Failure(self.inputs(inputs), read, tuple(_error(*error) for error in errors))


def _is_path(name: str) -> bool:
    try:
        checked.path(name)
    except ValueError:
        return False
    return True


def _published(row: list[Any]) -> Published:
    id_, name, track, title, kind, source, alt, caption, facts, explore, files = row
    return Published(
        checked.text(id_), checked.text_or_none(name), checked.text(track), checked.text_or_none(title),
        checked.text(kind), checked.path(source), checked.text(alt), checked.text_or_none(caption), facts_of(facts),
        tuple(_file(*file) for file in checked.items(files)), None if explore is None else _exploration(*explore),
    )  # fmt: skip


def _exploration(parameters: Any, declared: Any, pictures: Any, size: Any) -> Explored:
    known = {
        checked.text(name): tuple(map(checked.finite, checked.items(values))) for name, values in parameters
    }
    found = tuple(_turned(tuple(known), *picture) for picture in checked.items(pictures))
    if checked.count(declared) >= len(found):
        raise ValueError("no picture")
    return Explored(known, declared, found, checked.count(size))


def _turned(names: tuple[str, ...], values: Any, alt: Any, caption: Any, facts: Any, files: Any) -> Turned:
    params = dict(zip(names, map(checked.finite, checked.items(values)), strict=True))
    own = tuple(_file(*file) for file in checked.items(files))
    return Turned(params, checked.text(alt), checked.text_or_none(caption), facts_of(facts), own)


def _file(theme: Any, form: Any, path: Any, digest: Any, width: Any, height: Any) -> File:
    return File(
        checked.text(theme),
        checked.text(form),
        checked.path(path),
        checked.text(digest),
        checked.number(width),
        checked.number(height),
    )


def _error(path: Any, line: Any, column: Any, message: Any, detail: Any) -> AuthorError:
    at = checked.origin(checked.text(path), line, column)
    return AuthorError(at, checked.text(message), checked.text(detail))


def _warning(path: Any, line: Any, column: Any, message: Any, check: Any) -> Warned:
    return Warned(
        checked.origin(checked.text(path), line, column), checked.text(message), checked.text(check)
    )
