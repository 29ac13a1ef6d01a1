"""What was built from what: one entry a figure, as of the last build that wrote it.

Bytes in, bytes out. A ledger that cannot be read is an empty one: everything is looked at again, nothing is
lost.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields
from typing import Any

from figmill.manifest import File, Published
from figmill.model import Inputs, Origin, Visual, Warned

PATH = ".figmill/ledger.json"
VERSION = 3

PUBLISHED = tuple(field.name for field in fields(Published))
FILE = tuple(field.name for field in fields(File))


@dataclass(frozen=True, slots=True)
class Export:
    """A published SVG in another form: the file, and all that its bytes depend on."""

    file: File
    made: Inputs


@dataclass(frozen=True, slots=True)
class Entry:
    """What a figure was drawn from, what was read meanwhile, how it was settled, and what came of it."""

    question: str  # the file that declares it
    declared: Inputs
    traced: Inputs
    settling: Inputs
    published: Published
    warnings: tuple[Warned, ...] = ()
    exports: tuple[Export, ...] = ()


@dataclass(frozen=True, slots=True)
class Ledger:
    """Entries by figure, and outputs of figures that are no more, which `clean` removes."""

    entries: Mapping[str, Entry] = field(default_factory=dict)
    orphans: tuple[str, ...] = ()


def key(visual: Visual) -> str:
    """A figure's name in the ledger; an id cannot hold a slash."""
    return visual.id if visual.name is None else f"{visual.id}/{visual.name}"


def dumps(ledger: Ledger) -> bytes:
    """The ledger as bytes. Rows are kept once, since figures share most of theirs (tools, fonts, settings)."""
    rows = sorted(
        set().union(*(inputs.rows for entry in ledger.entries.values() for inputs in _inputs(entry)))
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
    whole = {"version": VERSION, "rows": rows, "entries": entries, "orphans": sorted(ledger.orphans)}
    text = json.dumps(whole, separators=(",", ":"), ensure_ascii=False)
    return text.encode("utf-8", "surrogatepass")  # a file's name need not be UTF-8


def _inputs(entry: Entry) -> Iterator[Inputs]:
    yield from (entry.declared, entry.traced, entry.settling)
    yield from (export.made for export in entry.exports)


def _plain_warning(warning: Warned) -> list[Any]:
    at = warning.origin
    return [at.path, at.line, at.column, warning.message, warning.check]


def _plain(figure: Published) -> list[Any]:
    """The fields of a figure in their order; its files, likewise, come last."""
    *values, files = (getattr(figure, name) for name in PUBLISHED)
    return [*values, [_values(file) for file in files]]


def _values(file: File) -> list[Any]:
    return [getattr(file, name) for name in FILE]


def loads(data: bytes | None) -> Ledger:
    """The ledger in `data`; an empty one where there is none, or it is torn or of another version."""
    try:
        whole = json.loads(data or b"")
        if whole["version"] != VERSION:
            return Ledger()
        rows = [(str(name), str(digest)) for name, digest in whole["rows"]]
        entries = {name: _entry(row, rows) for name, row in whole["entries"].items()}
        return Ledger(entries, tuple(whole["orphans"]))
    except (ValueError, KeyError, TypeError, IndexError, AttributeError, RecursionError):
        return Ledger()


def _entry(row: dict[str, Any], rows: list[tuple[str, str]]) -> Entry:
    *values, files = row["published"]
    return Entry(
        question=row["question"],
        declared=Inputs.of([rows[n] for n in row["declared"]]),
        traced=Inputs.of([rows[n] for n in row["traced"]]),
        settling=Inputs.of([rows[n] for n in row["settling"]]),
        published=Published(
            **dict(zip(PUBLISHED, values, strict=False)), files=tuple(File(*f) for f in files)
        ),
        warnings=tuple(Warned(Origin(*at), message, check) for *at, message, check in row["warnings"]),
        exports=tuple(Export(File(*file), Inputs.of(rows[n] for n in made)) for file, made in row["exports"]),
    )
