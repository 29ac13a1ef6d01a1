"""What a drawing shows, as tables of text and numbers: the schema for tables of a drawing process. Pure.

A graph is described by its nodes and edges, a plot by its points. Tables are cut to size here, and say how many rows
there were.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeGuard

from figmill.model import Cell, FigureTable

TABLES, COLUMNS, ROWS = 12, 40, 1_000  # the most in a figure, in a table; further rows are left out evenly
TEXT, WHOLE = 300, 400_000  # characters of a cell, and of all tables
# How a page shows it: as a table, whose words are an author's (table) or figmill's (rows); as a list of nodes or edges;
# as nested lists by the column `level`, numbered (steps) or not (outline).
FORMS = ("table", "rows", "nodes", "edges", "links", "steps", "outline")
SIGNIFICANT = 6  # digits of a sampled number


class WrongTableError(ValueError):
    """A drawing's table is malformed; the message says what would be right."""


def table(
    title: str,
    columns: Sequence[str],
    rows: Iterable[Sequence[Any]],
    form: str = "table",
    total: int | None = None,
) -> FigureTable:
    """A table cut to size. Raises WrongTableError."""
    every = list(rows)
    names = tuple(_text(name) for name in columns)
    if not names or len(names) > COLUMNS:
        raise WrongTableError(f"table '{title[:60]}' has {len(names)} columns; it has 1 to {COLUMNS}")
    if any(len(row) != len(names) for row in every):
        raise WrongTableError(f"table '{title[:60]}' has rows of other lengths than its {len(names)} columns")
    kept = tuple(tuple(map(cell, row)) for row in evenly(every, ROWS))
    return FigureTable(_text(title) or "Data", names, kept, form, max(len(every), total or 0))


def graph(
    nodes: Iterable[tuple[str, str | None]], edges: Iterable[tuple[str, str, str | None]], arrows: bool = True
) -> tuple[FigureTable, ...]:
    """The tables of a graph: nodes, each with its group, and edges (from, to, label); none without an edge."""
    named, joined = list(nodes), list(edges)
    if not joined:
        return ()
    columns = ("node", "group") if any(group for _, group in named) else ("node",)
    rows = [row[: len(columns)] for row in named]
    ends = table("Edges", ("from", "to", "label"), joined, "edges" if arrows else "links")
    return fitting((table("Nodes", columns, rows, "nodes"), ends))


def evenly(rows: Sequence[Any], most: int) -> Sequence[Any]:
    """At most this many rows, including the first and the last."""
    if len(rows) <= most:
        return rows
    if most == 1:
        return rows[:1]
    return [rows[round(number * (len(rows) - 1) / (most - 1))] for number in range(most)]


def cell(value: Any) -> Cell:
    """A value of a cell: numpy's scalars and dates become Python's numbers and text."""
    plain = value.item() if hasattr(value, "item") and not hasattr(value, "columns") else value
    if plain is None or isinstance(plain, bool | str):
        return _text(plain) if isinstance(plain, str) else plain
    if isinstance(plain, int) and abs(plain) < 10**15:
        return plain
    if isinstance(plain, float):
        if not math.isfinite(plain):
            return None
        return plain if plain.is_integer() and abs(plain) < 1e15 else float(f"{plain:.{SIGNIFICANT}g}")
    return _text(str(plain))


def _text(value: object) -> str:
    """One line of at most TEXT characters that UTF-8 can encode."""
    if _is_text(value):
        return value
    line = " ".join("".join(c if c.isprintable() else " " for c in str(value)[: 2 * TEXT]).split())
    line = line.encode("utf-8", "replace").decode()
    return line if len(line) <= TEXT else f"{line[: TEXT - 1]}…"


def stated(value: Any) -> tuple[FigureTable, ...]:
    """The tables that a generator states: title -> rows as mappings, columns as sequences, or a data frame.

    Raises WrongTableError.
    """
    if not isinstance(value, Mapping):
        raise WrongTableError(f"tables must be a mapping of titles to tables, not {type(value).__name__}")
    if len(value) > TABLES:
        raise WrongTableError(f"there are {len(value)} tables; a figure has at most {TABLES}")
    tables = tuple(_stated(str(title), content) for title, content in value.items())
    return tuple(figure_table for figure_table in tables if figure_table.rows)


def _stated(title: str, value: Any) -> FigureTable:
    if hasattr(value, "to_dict") and hasattr(value, "columns"):  # pandas, polars
        value = value.to_dict(as_series=False) if hasattr(value, "to_pandas") else value.to_dict("list")
    if isinstance(value, Mapping):
        columns = [list(column) for column in value.values()]
        if len({len(column) for column in columns}) > 1:
            raise WrongTableError(f"table '{title[:60]}' has columns of different lengths")
        return table(title, list(map(str, value)), list(zip(*columns, strict=True)))
    if isinstance(value, list | tuple) and all(isinstance(row, Mapping) for row in value):
        names = list(dict.fromkeys(str(name) for row in value for name in row))
        return table(title, names or ["value"], [[row.get(name) for name in names] for row in value])
    expected = "a list of rows like {'device': 0, 'start': 1.5}, or a mapping of columns"
    raise WrongTableError(f"table '{title[:60]}' must be {expected}, not {type(value).__name__}")


def packed(tables: Iterable[FigureTable]) -> list[Any]:
    """Tables as JSON values."""
    return [
        [
            figure_table.title,
            list(figure_table.columns),
            [list(row) for row in figure_table.rows],
            figure_table.form,
            figure_table.total,
        ]
        for figure_table in tables
    ]


def unpacked(value: object) -> tuple[FigureTable, ...]:
    """The inverse of `packed`, for an untrusted answer. Raises WrongTableError."""
    if not isinstance(value, list | tuple) or len(value) > TABLES:
        raise WrongTableError(f"tables must be a list of at most {TABLES}")
    tables = tuple(_unpacked(row) for row in value)
    size = sum(
        len(str(cell))
        for figure_table in tables
        for row in (figure_table.columns, *figure_table.rows)
        for cell in row
    )
    if size > 2 * WHOLE:
        raise WrongTableError(f"the tables take {size:,} characters; a figure has at most {2 * WHOLE:,}")
    return tables


def _unpacked(row: object) -> FigureTable:
    if isinstance(row, FigureTable):
        row = packed([row])[0]
    if not isinstance(row, list | tuple) or len(row) != 5:
        raise WrongTableError("a table is a title, columns, rows, a form and a number of rows")
    title, columns, rows, form, total = row
    is_sound = (
        _is_text(title)
        and isinstance(columns, list | tuple)
        and 0 < len(columns) <= COLUMNS
        and all(map(_is_text, columns))
        and isinstance(rows, list | tuple)
        and len(rows) <= ROWS
        and all(isinstance(line, list | tuple) and len(line) == len(columns) for line in rows)
        and all(_is_cell(cell) for line in rows for cell in line)
        and form in FORMS
        and type(total) is int
        and len(rows) <= total < 10**12
    )
    if not is_sound:
        raise WrongTableError("a table has a title, columns, and rows of text, numbers, true, false or null")
    return FigureTable(title, tuple(columns), tuple(map(tuple, rows)), form, total)


def _is_text(value: object) -> TypeGuard[str]:
    """Whether `_text` would change nothing."""
    return (
        isinstance(value, str)
        and len(value) <= TEXT
        and value.isprintable()
        and value.strip() == value
        and "  " not in value
    )


def _is_cell(value: object) -> bool:
    if value is None or isinstance(value, bool):
        return True
    if isinstance(value, str):
        return _is_text(value)
    if isinstance(value, int):
        return abs(value) < 1e300
    return isinstance(value, float) and math.isfinite(value)


def fitting(tables: Iterable[FigureTable]) -> tuple[FigureTable, ...]:
    """The first tables that fit together; one with too many rows loses some of them, like any long table."""
    kept: list[FigureTable] = []
    room = WHOLE
    for figure_table in list(tables)[:TABLES]:
        size = sum(len(str(cell)) for row in (figure_table.columns, *figure_table.rows) for cell in row) or 1
        if size > room:
            most = int(len(figure_table.rows) * room / size * 0.9)
            figure_table = FigureTable(
                figure_table.title,
                figure_table.columns,
                tuple(evenly(figure_table.rows, most)) if most > 1 else (),
                figure_table.form,
                figure_table.total,
            )
        if figure_table.rows:
            kept.append(figure_table)
            room -= min(size, room)
    return tuple(kept)
