"""The ledger as bytes: each entry is one line that depends only on this entry, so a change rewrites one line.

Pure. `ledger.py` reads it.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias, TypeVar

from figmill.errors import AuthorError
from figmill.model import Explored, File, Inputs, Published, Warned
from figmill.store.ledger import FILE, PUBLISHED, VERSION, Entry, Failure, Ledger

T = TypeVar("T")

# The rows that belong to one figure; so does a row with a slash, a file. All others are tools, fonts and settings,
# which figures share as whole groups. The rule decides only the grouping, never what is kept.
OWN = frozenset(("id", "track", "title", "alt", "caption", "expect", "params", "output"))

Groups: TypeAlias = frozenset[tuple[str, str]]


@dataclass(slots=True)
class Fragments:
    """The text of each entry and failure, reused while the value is the same."""

    entries: dict[str, tuple[Entry, str, tuple[str, ...]]] = field(default_factory=dict)
    failures: dict[str, tuple[Failure, str, tuple[str, ...]]] = field(default_factory=dict)
    groups: dict[Groups, str] = field(default_factory=dict)  # rows -> the name of their group
    rows: dict[str, str] = field(default_factory=dict)  # group name -> its rows as text


def dumps(ledger: Ledger, kept: Fragments | None = None) -> bytes:
    """The ledger as bytes, one line per entry, which depends only on that entry. kept: texts from earlier calls."""
    kept = kept or Fragments()
    used: set[str] = set()
    entries = _texts(ledger.entries, kept.entries, lambda entry: _packed_entry(entry, kept), used)
    failures = _texts(ledger.failures, kept.failures, lambda failure: _packed_failure(failure, kept), used)
    if len(kept.groups) > 2 * len(used) + 64:  # most groups are outdated
        kept.groups = {rows: name for rows, name in kept.groups.items() if name in used}
        kept.rows = {name: text for name, text in kept.rows.items() if name in used}
    groups = ",\n".join(f'"{name}":{kept.rows[name]}' for name in sorted(used))
    orphans = _json(sorted(ledger.orphans))
    whole = (
        f'{{"version":{VERSION},"groups":{{\n{groups}}},\n"entries":{{\n{entries}}},\n'
        f'"orphans":{orphans},\n"failures":{{\n{failures}}}}}'
    )
    return whole.encode("utf-8", "surrogatepass")  # a file's name need not be UTF-8


def _texts(
    values: Mapping[str, T],
    kept: dict[str, tuple[T, str, tuple[str, ...]]],
    pack: Callable[[T], tuple[str, tuple[str, ...]]],
    used: set[str],
) -> str:
    """The text of all values by name; adds the names of their groups to `used`."""
    texts: list[str] = []
    for name in sorted(values):
        found, value = kept.get(name), values[name]
        if found is None or found[0] is not value:
            text, groups = pack(value)
            found = kept[name] = value, f"{_json(name)}:{text}", groups
        texts.append(found[1])
        used.update(found[2])
    if len(kept) > len(values):
        for name in kept.keys() - values.keys():
            del kept[name]
    return ",\n".join(texts)


def line(name: str, entry: Entry) -> tuple[str, frozenset[str]]:
    """An entry's line in a ledger, and the names of the groups that it refers to."""
    text, groups = _packed_entry(entry, Fragments())
    return f"{_json(name)}:{text}", frozenset(groups)


def _packed_entry(entry: Entry, kept: Fragments) -> tuple[str, tuple[str, ...]]:
    packing = _Packing(kept, _inputs(entry))
    row = {
        "rows": packing.own,
        "question": entry.question,
        "declared": packing.packed(entry.declared),
        "traced": packing.packed(entry.traced),
        "settling": packing.packed(entry.settling),
        "published": _plain(entry.published),
        "warnings": [_plain_warning(w) for w in entry.warnings],
        "exports": [[_values(export.file), packing.packed(export.made)] for export in entry.exports],
    }
    return _json(row), tuple(packing.used)


def _packed_failure(failure: Failure, kept: Fragments) -> tuple[str, tuple[str, ...]]:
    packing = _Packing(kept, (failure.inputs, failure.traced))
    errors = [_plain_error(error) for error in failure.errors]
    packed = [packing.own, packing.packed(failure.inputs), packing.packed(failure.traced), errors]
    return _json(packed), tuple(packing.used)


class _Packing:
    """Packs the inputs of one figure: its own rows once each, all others by the name of their group."""

    def __init__(self, kept: Fragments, every: Iterable[Inputs]) -> None:
        self.kept = kept
        self.used: dict[str, None] = {}
        found = {row for inputs in every for row in inputs.rows if row[0] in OWN or "/" in row[0]}
        self.own = sorted(found)
        self.numbers = {row: number for number, row in enumerate(self.own)}

    def packed(self, inputs: Inputs) -> list[Any]:
        """The name of a group, or "" for none, then the numbers of own rows."""
        numbers = self.numbers
        mine = [numbers[row] for row in inputs.rows if row in numbers]
        shared = inputs.rows.difference(numbers)
        return [self._group(shared) if shared else "", *sorted(mine)]

    def _group(self, rows: Groups) -> str:
        name = self.kept.groups.get(rows)
        if name is None:
            name = self.kept.groups[rows] = Inputs(rows).digest[:16]
            self.kept.rows[name] = _json(sorted(rows))
        self.used[name] = None
        return name


def _json(value: object) -> str:
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False)


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
    """The fields of a figure; its exploration and its files come last, in the same form."""
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
