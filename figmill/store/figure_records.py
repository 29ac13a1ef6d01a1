"""Figures and failures as records of the journal, and back. Pure.

A record states the rows of inputs that belong to its figure alone; all others are shared by many figures, and stand in
a record of their own for each group of rows. A value of the wrong type raises one of `MALFORMED`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, TypeAlias

from figmill.errors import AuthorError
from figmill.kind.answer import WrongAnswerError, facts_of
from figmill.model import DataFile, Exploration, ExploredPicture, File, Inputs, Published, Row, Warned
from figmill.store import checked
from figmill.store.ledger import Entry, Export, Failure, name_of
from figmill.store.rows import Codecs

MALFORMED = (ValueError, KeyError, TypeError, IndexError, AttributeError, WrongAnswerError)

Rows: TypeAlias = frozenset[Row]
Groups: TypeAlias = Mapping[str, Any]  # name -> rows

# The rows that belong to one figure; so does a row with a slash, a file. All others are tools, fonts and settings,
# which figures share as whole groups. The rule decides only the grouping, never what is kept.
OWN = frozenset(
    ("id", "track", "title", "alt", "caption", "expect", "params", "output", "block", "place in its page")
)


def _scalars(value: Any) -> dict[str, Any]:
    return {name: checked.finite(item) for name, item in checked.mapping(value).items()}


def _choices(value: Any) -> dict[str, tuple[Any, ...]]:
    """The values of each parameter."""
    return {
        name: tuple(map(checked.finite, checked.items(items)))
        for name, items in checked.mapping(value).items()
    }


# What the annotations of these types do not say.
CODECS = Codecs(
    {
        File: {"path": checked.path},
        DataFile: {"path": checked.path},
        ExploredPicture: {"params": _scalars, "facts": facts_of},
        Exploration: {"parameters": _choices},
        Published: {"source": checked.path, "facts": facts_of},
    }
)
PUBLISHED, FILE, WARNINGS, ERRORS = (
    CODECS[kind] for kind in (Published, File, tuple[Warned, ...], tuple[AuthorError, ...])
)


class RecordReader:
    """Turns records into figures and failures.

    - groups: the records of shared rows.
    """

    def __init__(self, groups: Groups) -> None:
        self.groups = {"": frozenset(), **{name: frozenset(_rows(rows)) for name, rows in groups.items()}}
        self.used: set[str] = set()  # the names of the groups that a record refers to
        self._paths: dict[str, bool] = {}  # whether a name is a valid path of a traced file

    def inputs(self, packed: Any, table: list[tuple[str, str]]) -> Inputs:
        group, *numbers = checked.items(packed)
        if numbers and (set(map(type, numbers)) != {int} or min(numbers) < 0):
            raise ValueError("no row")
        shared = self.groups[checked.text(group)]
        self.used.add(group)
        return Inputs(tuple([table[number] for number in numbers]), shared)

    def traced(self, packed: Any, table: list[tuple[str, str]]) -> Inputs:
        inputs = self.inputs(packed, table)
        if not all(self._is_path(name) for name, _ in inputs.rows):
            raise ValueError("no file of the book")
        return inputs

    def _is_path(self, name: str) -> bool:
        is_path = self._paths.get(name)
        if is_path is None:
            is_path = self._paths[name] = _is_path(name)
        return is_path

    def entry(self, name: str, row: Mapping[str, Any]) -> Entry:
        published: Published = PUBLISHED.read(row["published"])
        if published.explore is not None and published.explore.declared >= len(published.explore.pictures):
            raise ValueError("no picture")
        if name != name_of(published.id, published.name):
            raise ValueError("another figure's entry")
        table = _rows(row["rows"])
        return Entry(
            question=checked.path(row["question"]),
            declared=self.inputs(row["declared"], table),
            traced=self.traced(row["traced"], table),
            settling=self.inputs(row["settling"], table),
            published=published,
            warnings=WARNINGS.read(row["warnings"]),
            exports=tuple(
                Export(FILE.read(file), self.inputs(inputs, table)) for file, inputs in row["exports"]
            ),
        )

    def failure(self, row: Any) -> Failure:
        rows, inputs, traced, errors = checked.items(row)
        table = _rows(rows)
        return Failure(self.inputs(inputs, table), self.traced(traced, table), ERRORS.read(errors))


def _is_path(name: str) -> bool:
    try:
        checked.path(name)
    except ValueError:
        return False
    return True


def _rows(value: Any) -> list[tuple[str, str]]:
    return [(checked.text(name), checked.text(digest)) for name, digest in checked.items(value)]


class RecordWriter:
    """Turns figures and failures into values of records.

    - groups: every group of shared rows that a value refers to, by its name, which is made of the rows.
    """

    def __init__(self) -> None:
        self.groups: dict[str, list[tuple[str, str]]] = {}
        self._names: dict[Rows, str] = {}

    def entry(self, entry: Entry) -> dict[str, Any]:
        packer = _Own(
            self, (entry.declared, entry.traced, entry.settling, *(export.inputs for export in entry.exports))
        )
        return {
            "rows": packer.rows,
            "question": entry.question,
            "declared": packer.packed(entry.declared),
            "traced": packer.packed(entry.traced),
            "settling": packer.packed(entry.settling),
            "published": PUBLISHED.pack(entry.published),
            "warnings": WARNINGS.pack(entry.warnings),
            "exports": [[FILE.pack(export.file), packer.packed(export.inputs)] for export in entry.exports],
        }

    def failure(self, failure: Failure) -> list[Any]:
        packer = _Own(self, (failure.inputs, failure.traced))
        errors = ERRORS.pack(failure.errors)
        return [packer.rows, packer.packed(failure.inputs), packer.packed(failure.traced), errors]

    def group(self, rows: Rows) -> str:
        """The name of a group, which is a record of its own."""
        name = self._names.get(rows)
        if name is None:
            name = self._names[rows] = Inputs((), rows).digest[:16]
            self.groups[name] = sorted(rows)
        return name


class _Own:
    """The rows of one figure's inputs that belong to it alone, each once."""

    def __init__(self, writer: RecordWriter, every: Iterable[Inputs]) -> None:
        self._writer = writer
        self.rows = sorted({row for inputs in every for row in inputs.rows if row[0] in OWN or "/" in row[0]})
        self._numbers = {row: number for number, row in enumerate(self.rows)}

    def packed(self, inputs: Inputs) -> list[Any]:
        """The name of a group, or "" for none, then the numbers of own rows."""
        rows = inputs.rows
        mine = [self._numbers[row] for row in rows if row in self._numbers]
        shared = rows.difference(self._numbers)
        return [self._writer.group(shared) if shared else "", *sorted(mine)]
