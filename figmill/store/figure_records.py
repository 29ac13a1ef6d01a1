"""Figures and failures as records of the journal, and back. Pure.

A record states the rows of inputs that belong to its figure alone; all others are shared by many figures, and stand in
a record of their own for each group of rows. A value of the wrong type raises one of `MALFORMED`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import fields
from typing import Any, TypeAlias

from figmill.errors import AuthorError
from figmill.kinds.answer import WrongAnswerError, facts_of
from figmill.model import (
    DataFile,
    Description,
    Exploration,
    ExploredPicture,
    File,
    Inputs,
    Published,
    Warned,
)
from figmill.store import checked
from figmill.store.ledger import Entry, Export, Failure, name_of

MALFORMED = (ValueError, KeyError, TypeError, IndexError, AttributeError, WrongAnswerError)

Rows: TypeAlias = frozenset[tuple[str, str]]
Groups: TypeAlias = Mapping[str, Any]  # name -> rows

# The rows that belong to one figure; so does a row with a slash, a file. All others are tools, fonts and settings,
# which figures share as whole groups. The rule decides only the grouping, never what is kept.
OWN = frozenset(("id", "track", "title", "alt", "caption", "expect", "params", "output"))
PUBLISHED = tuple(field.name for field in fields(Published))
FILE = tuple(field.name for field in fields(File))
DATA = tuple(field.name for field in fields(DataFile))


class RecordReader:
    """Turns records into figures and failures. groups: the records of shared rows."""

    def __init__(self, groups: Groups) -> None:
        self.groups = {"": frozenset(), **{name: frozenset(_rows(rows)) for name, rows in groups.items()}}
        self.used: set[str] = set()  # the names of the groups that a record refers to
        self._paths: dict[str, bool] = {}  # whether a name is a valid path of a traced file

    def inputs(self, packed: Any, own: list[tuple[str, str]]) -> Inputs:
        group, *numbers = checked.items(packed)
        if numbers and (set(map(type, numbers)) != {int} or min(numbers) < 0):
            raise ValueError("no row")
        shared = self.groups[checked.text(group)]
        self.used.add(group)
        return Inputs(shared.union([own[number] for number in numbers]) if numbers else shared)

    def traced(self, packed: Any, own: list[tuple[str, str]]) -> Inputs:
        found = self.inputs(packed, own)
        if not all(self._is_path(name) for name, _ in found.rows):
            raise ValueError("no file of the book")
        return found

    def _is_path(self, name: str) -> bool:
        known = self._paths.get(name)
        if known is None:
            known = self._paths[name] = _is_path(name)
        return known

    def entry(self, name: str, row: Mapping[str, Any]) -> Entry:
        published = _published(row["published"])
        if name != name_of(published.id, published.name):
            raise ValueError("another figure's entry")
        own = _rows(row["rows"])
        return Entry(
            question=checked.path(row["question"]),
            declared=self.inputs(row["declared"], own),
            traced=self.traced(row["traced"], own),
            settling=self.inputs(row["settling"], own),
            published=published,
            warnings=tuple(warning(*one) for one in checked.items(row["warnings"])),
            exports=tuple(Export(_file(*file), self.inputs(made, own)) for file, made in row["exports"]),
        )

    def failure(self, row: Any) -> Failure:
        rows, inputs, traced, errors = checked.items(row)
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
    id_, name, track, title, kind, source, alt, caption, facts, explore, description, narrow, files = row
    return Published(
        checked.text(id_), checked.text_or_none(name), checked.text(track), checked.text_or_none(title),
        checked.text(kind), checked.path(source), checked.text(alt), checked.text_or_none(caption), facts_of(facts),
        tuple(_file(*file) for file in checked.items(files)), None if explore is None else _exploration(*explore),
        None if description is None else _description(*description),
        tuple(_file(*file) for file in checked.items(narrow)),
    )  # fmt: skip


def _description(is_shown: Any, text: Any, tables: Any) -> Description:
    if type(is_shown) is not bool:
        raise ValueError("neither shown nor hidden")
    return Description(
        is_shown, checked.text_or_none(text), tuple(_data_file(*one) for one in checked.items(tables))
    )


def _data_file(title: Any, form: Any, rows: Any, total: Any, path: Any, digest: Any) -> DataFile:
    return DataFile(
        checked.text(title), checked.text(form), checked.count(rows), checked.count(total), checked.path(path),
        checked.text(digest),
    )  # fmt: skip


def _exploration(parameters: Any, declared: Any, pictures: Any, size: Any) -> Exploration:
    known = {
        checked.text(name): tuple(map(checked.finite, checked.items(values))) for name, values in parameters
    }
    found = tuple(_explored_picture(tuple(known), *picture) for picture in checked.items(pictures))
    if checked.count(declared) >= len(found):
        raise ValueError("no picture")
    return Exploration(known, declared, found, checked.count(size))


def _explored_picture(
    names: tuple[str, ...], values: Any, alt: Any, caption: Any, facts: Any, files: Any
) -> ExploredPicture:
    params = dict(zip(names, map(checked.finite, checked.items(values)), strict=True))
    own = tuple(_file(*file) for file in checked.items(files))
    return ExploredPicture(params, checked.text(alt), checked.text_or_none(caption), facts_of(facts), own)


def _file(theme: Any, form: Any, path: Any, digest: Any, width: Any, height: Any, smallest: Any) -> File:
    return File(
        checked.text(theme),
        checked.text(form),
        checked.path(path),
        checked.text(digest),
        checked.number(width),
        checked.number(height),
        checked.number(smallest),
    )


def _error(path: Any, line: Any, column: Any, message: Any, detail: Any) -> AuthorError:
    at = checked.origin(checked.text(path), line, column)
    return AuthorError(at, checked.text(message), checked.text(detail))


def warning(path: Any, line: Any, column: Any, message: Any, check: Any) -> Warned:
    return Warned(
        checked.origin(checked.text(path), line, column), checked.text(message), checked.text(check)
    )


def _rows(value: Any) -> list[tuple[str, str]]:
    return [(checked.text(name), checked.text(digest)) for name, digest in checked.items(value)]


class RecordWriter:
    """Turns figures and failures into values of records.

    groups: every group of shared rows that a value refers to, by its name, which is made of the rows.
    """

    def __init__(self) -> None:
        self.groups: dict[str, list[tuple[str, str]]] = {}
        self._names: dict[Rows, str] = {}

    def entry(self, entry: Entry) -> dict[str, Any]:
        own = _Own(self, (entry.declared, entry.traced, entry.settling, *(one.made for one in entry.exports)))
        return {
            "rows": own.rows,
            "question": entry.question,
            "declared": own.packed(entry.declared),
            "traced": own.packed(entry.traced),
            "settling": own.packed(entry.settling),
            "published": _plain(entry.published),
            "warnings": [plain_warning(one) for one in entry.warnings],
            "exports": [[_values(export.file), own.packed(export.made)] for export in entry.exports],
        }

    def failure(self, failure: Failure) -> list[Any]:
        own = _Own(self, (failure.inputs, failure.traced))
        errors = [_plain_error(error) for error in failure.errors]
        return [own.rows, own.packed(failure.inputs), own.packed(failure.traced), errors]

    def group(self, rows: Rows) -> str:
        """The name of a group, which is a record of its own."""
        name = self._names.get(rows)
        if name is None:
            name = self._names[rows] = Inputs(rows).digest[:16]
            self.groups[name] = sorted(rows)
        return name


class _Own:
    """The rows of one figure's inputs that belong to it alone, each once."""

    def __init__(self, writer: RecordWriter, every: Iterable[Inputs]) -> None:
        self._writer = writer
        self.rows = sorted({row for one in every for row in one.rows if row[0] in OWN or "/" in row[0]})
        self._numbers = {row: number for number, row in enumerate(self.rows)}

    def packed(self, inputs: Inputs) -> list[Any]:
        """The name of a group, or "" for none, then the numbers of own rows."""
        mine = [self._numbers[row] for row in inputs.rows if row in self._numbers]
        shared = inputs.rows.difference(self._numbers)
        return [self._writer.group(shared) if shared else "", *sorted(mine)]


def plain_warning(warned: Warned) -> list[Any]:
    at = warned.origin
    return [at.path, at.line, at.column, warned.message, warned.check]


def _plain_error(error: AuthorError) -> list[Any]:
    at = error.origin
    return [at.path, at.line, at.column, error.message, error.detail]


def _plain(figure: Published) -> list[Any]:
    """The fields of a figure; its exploration and its files come last, in the same form."""
    *values, files, explore, description, narrow = (getattr(figure, name) for name in PUBLISHED)
    return [
        *values,
        None if explore is None else _plain_exploration(explore),
        None if description is None else _plain_description(description),
        [_values(file) for file in narrow],
        [_values(file) for file in files],
    ]


def _plain_description(description: Description) -> list[Any]:
    tables = [[getattr(one, name) for name in DATA] for one in description.tables]
    return [description.is_shown, description.text, tables]


def _plain_exploration(explore: Exploration) -> list[Any]:
    pictures = [
        [list(one.params.values()), one.alt, one.caption, one.facts, [_values(file) for file in one.files]]
        for one in explore.pictures
    ]
    parameters = [[name, list(values)] for name, values in explore.parameters.items()]
    return [parameters, explore.declared, pictures, explore.size]


def _values(file: File) -> list[Any]:
    return [getattr(file, name) for name in FILE]
