"""Facts that a question takes from files of the book: `facts: {mean_ms: runs.csv#mean}`. Reads through a function.

Each suffix has a form of its own: a column of a table, a pointer into JSON, a name in printed text, a cell of a
notebook. What a place does not lead to is an error at the fact's line.
"""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import PurePosixPath
from types import MappingProxyType
from typing import Any, TypeAlias

from figmill.errors import AuthorError, did_you_mean
from figmill.host import inside
from figmill.kind.answer import WrongAnswerError, fact_of, facts_of
from figmill.kind.named import quantity, scalar
from figmill.kind.source_text import decoded, json_value
from figmill.model import Fact, FactSource, Origin, Visual

MOST = 20_000_000  # bytes of a file
_FIRST = 6  # names that a message lists
# A number as Python's libraries print it: np.float64(0.43), Decimal('0.43').
_WRAPPED = re.compile(r"[A-Za-z_][\w.]*\('?([^()']+)'?\)")
_LABEL = re.compile(r"#\|[ \t]*label:[ \t]*(\S+)")

Found: TypeAlias = "Callable[[str, str], str | Fact]"


class _MissError(Exception):
    """A place that leads to no fact; the message says why."""


def facts_from_files(
    visual: Visual, read: Callable[[str], bytes], drawn: Mapping[str, Fact]
) -> tuple[dict[str, Fact], tuple[AuthorError, ...]]:
    """The facts under `facts` of a figure, and what is wrong with the others. drawn: the facts of its drawing."""
    facts: dict[str, Fact] = {}
    errors: list[AuthorError] = []
    files: dict[str, Found | AuthorError] = {}
    for source in visual.facts:
        at = visual.at("facts", source.name)
        try:
            if source.name in drawn:
                raise _MissError(f"the drawing itself states '{source.name}'; choose another name")
            lookup = files.get(source.file) or files.setdefault(source.file, _opened(source.file, read))
            if isinstance(lookup, AuthorError):
                raise lookup
            facts[source.name] = _fact(source, lookup(source.place, source.file))
        except AuthorError as error:
            errors.append(error)
        except inside.RefusedError as error:
            errors.append(AuthorError(at, f"'{source.file}' {error.phrase}"))
        except OSError as error:
            errors.append(AuthorError(at, f"'{source.file}' cannot be read: {error.strerror}"))
        except (_MissError, WrongAnswerError) as error:
            errors.append(AuthorError(at, str(error)))
    if facts and not errors:
        try:
            facts_of({**drawn, **facts})
        except WrongAnswerError as error:
            errors.append(AuthorError(visual.at("facts"), str(error)))
    return facts, tuple(errors)


def _opened(path: str, read: Callable[[str], bytes]) -> Found | AuthorError:
    """How to find a value in a file, which is read once; the error of a file that cannot be parsed."""
    suffix = PurePosixPath(path).suffix.lower()
    if suffix not in _FORMS:
        raise _MissError(f"'{path}': facts come from files that end in {', '.join(_FORMS)}")
    try:
        return _FORMS[suffix](decoded(read(path), path), path)
    except AuthorError as error:
        return error


def _fact(source: FactSource, value: str | Fact) -> Fact:
    """A value as a fact. A text that is a quantity is its number, whose unit the name must have."""
    if not isinstance(value, str):
        return fact_of(source.name, value)
    number = quantity(value)
    if number is None:
        return fact_of(source.name, value.strip())
    if number.unit and not f"_{source.name}_".casefold().count(f"_{number.unit}_"):
        name = f"{source.name}_{number.unit}"
        raise _MissError(
            f"'{value.strip()[:60]}' has a unit that the name '{source.name}' lacks; write {name}"
        )
    return fact_of(source.name, number.value)


def _table(text: str, path: str) -> Found:
    """`COLUMN` of the only row, or `COLUMN:ROW` of the row that begins with ROW."""
    import csv  # few books have facts in tables

    header = text.partition("\n")[0]
    is_by_tabs = path.lower().endswith(".tsv")
    sign = "\t" if is_by_tabs else ";" if ";" in header and "," not in header else ","
    try:
        first, *rows = [row for row in csv.reader(io.StringIO(text), delimiter=sign) if any(row)] or [[]]
    except csv.Error as error:
        raise AuthorError(Origin(path), f"not a table: {error}") from None
    columns = [name.strip() for name in first]

    def found(place: str, file: str) -> str:
        column, key = next(
            (parts for parts in _parted(place) if parts[0] in columns), (place.partition(":")[0], None)
        )
        if columns.count(column) != 1:
            lacks = "has several columns" if column in columns else "has no column"
            raise _MissError(f"{file} {lacks} '{column}'{_near(column, columns)}")
        named = [row for row in rows if key is None or row[0].strip() == key]
        if len(named) != 1:
            if key is None:
                why = f"has {len(rows)} rows; write {column}:ROW, where ROW is in its first column"
            elif named:
                why = f"has {len(named)} rows '{key}' in its first column"
            else:
                why = f"has no row '{key}' in its first column{_near(key, [row[0].strip() for row in rows])}"
            raise _MissError(f"{file} {why}")
        at = columns.index(column)
        return named[0][at] if at < len(named[0]) else ""

    return found


def _parted(place: str) -> Iterable[tuple[str, str | None]]:
    """A place as a column alone, then with a row, parted at each colon."""
    yield place, None
    for match in re.finditer(":", place):
        yield place[: match.start()], place[match.end() :]


def _json(text: str, path: str) -> Found:
    """A pointer of RFC 6901, as in `/runs/0/mean`; a number, text, true, false, null or a list of these."""
    value = json_value(text, path)

    def found(place: str, file: str) -> Fact:
        item = value
        if not place.startswith("/"):
            raise _MissError(f"'{place}' is not a JSON pointer; write it like /runs/0/{place}")
        for part in place.split("/")[1:]:
            key = part.replace("~1", "/").replace("~0", "~")
            if isinstance(item, list) and key.isdecimal() and len(key) < 10 and int(key) < len(item):
                item = item[int(key)]
            elif isinstance(item, dict) and key in item:
                item = item[key]
            else:
                names = list(item) if isinstance(item, dict) else []
                how = f"; the list has {len(item)} items, from 0" if isinstance(item, list) else ""
                raise _MissError(f"{file} has no '{place}': nothing is at '{part}'{how or _near(key, names)}")
        fact: Fact = item
        return fact

    return found


def _printed(text: str, path: str) -> Found:
    """The name in a line `NAME = VALUE`; the last such line counts."""
    rows = _rows_of(text.splitlines())

    def found(place: str, file: str) -> str | Fact:
        if place not in rows:
            raise _MissError(f"{file} has no line '{place} = VALUE'{_near(place, rows)}")
        return _value(rows[place], place)

    return found


def _notebook(text: str, path: str) -> Found:
    """The label or a tag of a cell whose saved output is the value, or a name in a printed line `NAME = VALUE`."""
    whole = json_value(text, path, "a notebook", strict=False)
    cells = whole.get("cells") if isinstance(whole, dict) else None
    outputs: dict[str, str] = {}
    lines: list[str] = []
    for cell in cells if isinstance(cells, list) else ():
        if isinstance(cell, dict) and cell.get("cell_type") == "code":
            own, printed = _output(cell)
            lines += printed.splitlines()
            outputs.update(dict.fromkeys(_labels(cell), own or printed.strip()))
    rows = {**_rows_of(lines), **outputs}

    def found(place: str, file: str) -> str | Fact:
        if place not in rows:
            raise _MissError(f"{file} has no cell with the label or tag '{place}'{_near(place, rows)}")
        if not rows[place]:
            raise _MissError(
                f"the cell '{place}' of {file} has no saved output; run it, and save the notebook"
            )
        if len(rows[place].splitlines()) > 1:
            raise _MissError(
                f"the output of the cell '{place}' of {file} is more than one line; end it with a value"
            )
        return _value(rows[place], place)

    return found


def _output(cell: Mapping[str, Any]) -> tuple[str, str]:
    """The value that a cell returned, as text, and what it printed."""
    returned, printed = "", ""
    outputs = cell.get("outputs")
    for output in outputs if isinstance(outputs, list) else ():
        if not isinstance(output, dict):
            continue
        data = output.get("data")
        if output.get("output_type") == "execute_result" and isinstance(data, dict):
            returned = _joined(data.get("text/plain")).strip()
        elif output.get("output_type") == "stream" and output.get("name") == "stdout":
            printed += _joined(output.get("text"))
    return returned, printed


def _labels(cell: Mapping[str, Any]) -> list[str]:
    """The tags of a cell, and its label in `#| label: NAME`."""
    about = cell.get("metadata")
    tags = about.get("tags") if isinstance(about, dict) else None
    label = _LABEL.search(_joined(cell.get("source")))
    return [*(str(tag) for tag in (tags if isinstance(tags, list) else ())), *([label[1]] if label else ())]


def _joined(text: object) -> str:
    return "".join(map(str, text)) if isinstance(text, list) else str(text or "")


def _rows_of(lines: Iterable[str]) -> dict[str, str]:
    parts = (line.removeprefix("fact ").partition("=") for line in lines)
    return {
        name.strip(): value.strip() for name, sign, value in parts if sign and name.strip() and value.strip()
    }


def _value(text: str, name: str) -> str | Fact:
    """A printed value: a quantity, a quoted text, true, false or null; Python's True and None, too."""
    wrapped = _WRAPPED.fullmatch(text)
    text = wrapped[1] if wrapped and quantity(wrapped[1]) else text
    if quantity(text) is not None:
        return text
    if text.startswith("'") and text.endswith("'"):
        return text[1:-1]
    try:
        return scalar(name, {"True": "true", "False": "false", "None": "null"}.get(text, text))
    except ValueError as error:
        raise _MissError(str(error)) from None


def _near(name: str, names: Sequence[str] | Mapping[str, object]) -> str:
    """`; did you mean ...?`, or the first names that there are."""
    listed = ", ".join(each[:40] for each in [*names][:_FIRST])
    more = ", ..." if len(names) > _FIRST else ""
    return did_you_mean(name, names) or (f"; there are {listed}{more}" if names else "")


# Suffix of a file -> what reads its places.
_FORMS: Mapping[str, Callable[[str, str], Found]] = MappingProxyType(
    {
        ".csv": _table,
        ".tsv": _table,
        ".json": _json,
        ".txt": _printed,
        ".log": _printed,
        ".out": _printed,
        ".ipynb": _notebook,
    }
)
