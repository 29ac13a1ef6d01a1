"""The ledger: the inputs of each figure's last build. Parsed here; `ledger_packing.py` writes it.

A ledger that is unreadable, or has a value of the wrong type, counts as empty: every figure is then checked again,
and nothing is lost.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields
from typing import Any

from figmill.errors import AuthorError
from figmill.host.excerpt import excerpt
from figmill.kinds.answer import WrongAnswerError, facts_of
from figmill.model import Explored, File, Inputs, Published, Turned, Visual, Warned
from figmill.store import checked

PATH = ".figmill/ledger.json"
VERSION = 6

PUBLISHED = tuple(field.name for field in fields(Published))
FILE = tuple(field.name for field in fields(File))


@dataclass(frozen=True, slots=True)
class Export:
    """A published figure as PNG or PDF: the file, and all inputs of its bytes."""

    file: File
    made: Inputs


@dataclass(frozen=True, slots=True)
class Entry:
    """One figure: its declared inputs, the files its script read, the inputs of settling, and the published result."""

    question: str  # the file that declares it
    declared: Inputs
    traced: Inputs
    settling: Inputs
    published: Published
    warnings: tuple[Warned, ...] = ()
    exports: tuple[Export, ...] = ()


@dataclass(frozen=True, slots=True)
class Failure:
    """A failed figure: all inputs of the failure, the files that its script read, and the errors."""

    inputs: Inputs
    traced: Inputs
    errors: tuple[AuthorError, ...]


@dataclass(frozen=True, slots=True)
class Ledger:
    """Entries and failures by figure, and the outputs of removed figures, which `clean` deletes."""

    entries: Mapping[str, Entry] = field(default_factory=dict)
    orphans: tuple[str, ...] = ()
    failures: Mapping[str, Failure] = field(default_factory=dict)


def key(visual: Visual) -> str:
    """A figure's name in the ledger; an id cannot contain a slash."""
    return _key(visual.id, visual.name)


def _key(id_: str, name: str | None) -> str:
    return id_ if name is None else f"{id_}/{name}"


def loads(data: bytes | None) -> Ledger:
    """The ledger in `data`; an empty one if there is none, or if it is torn, forged or of another version."""
    try:
        whole = checked.loads(data or b"")
        if whole["version"] != VERSION:
            return Ledger()
        groups = {name: _rows(rows) for name, rows in checked.mapping(whole["groups"]).items()}
        reading = _Reading({"": frozenset(), **{name: frozenset(rows) for name, rows in groups.items()}})
        entries = {name: reading.entry(name, row) for name, row in checked.mapping(whole["entries"]).items()}
        failures = {name: reading.failure(*row) for name, row in checked.mapping(whole["failures"]).items()}
        return Ledger(entries, tuple(map(checked.path, checked.items(whole["orphans"]))), failures)
    except (ValueError, KeyError, TypeError, IndexError, AttributeError, WrongAnswerError):
        return Ledger()


def touching(data: bytes, paths: Iterable[str]) -> bytes:
    """The same ledger, with only those entries that may refer to one of these paths. Raises ValueError."""
    names = [json.dumps(path, ensure_ascii=False).encode("utf-8", "surrogatepass") for path in paths]
    return excerpt(
        data, b'\n"entries":{\n', b'},\n"orphans":', lambda line: any(name in line for name in names)
    )


def _rows(value: Any) -> list[tuple[str, str]]:
    return [(checked.text(name), checked.text(digest)) for name, digest in checked.items(value)]


class _Reading:
    """Reads the entries of a ledger with these groups. Its exceptions make `loads` return an empty ledger."""

    def __init__(self, groups: Mapping[str, frozenset[tuple[str, str]]]) -> None:
        self.groups = groups
        self.paths: dict[str, bool] = {}  # cached: whether a name is a valid path of a traced file

    def inputs(self, packed: Any, own: list[tuple[str, str]]) -> Inputs:
        group, *numbers = checked.items(packed)
        if numbers and (set(map(type, numbers)) != {int} or min(numbers) < 0):
            raise ValueError("no row")
        shared = self.groups[checked.text(group)]
        return Inputs(shared.union([own[number] for number in numbers]) if numbers else shared)

    def traced(self, packed: Any, own: list[tuple[str, str]]) -> Inputs:
        found = self.inputs(packed, own)
        if not all(self._is_path(name) for name, _ in found.rows):
            raise ValueError("no file of the book")
        return found

    def _is_path(self, name: str) -> bool:
        known = self.paths.get(name)
        if known is None:
            known = self.paths[name] = _is_path(name)
        return known

    def entry(self, name: str, row: Mapping[str, Any]) -> Entry:
        published = _published(row["published"])
        if name != _key(published.id, published.name):
            raise ValueError("another figure's entry")
        own = _rows(row["rows"])
        return Entry(
            question=checked.path(row["question"]),
            declared=self.inputs(row["declared"], own),
            traced=self.traced(row["traced"], own),
            settling=self.inputs(row["settling"], own),
            published=published,
            warnings=tuple(_warning(*warning) for warning in checked.items(row["warnings"])),
            exports=tuple(Export(_file(*file), self.inputs(made, own)) for file, made in row["exports"]),
        )

    def failure(self, rows: Any, inputs: Any, traced: Any, errors: Any) -> Failure:
        own = _rows(rows)
        found = tuple(_error(*error) for error in checked.items(errors))
        return Failure(self.inputs(inputs, own), self.traced(traced, own), found)


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
