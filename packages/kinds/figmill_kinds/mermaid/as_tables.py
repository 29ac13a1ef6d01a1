"""The content of a diagram as tables and numbers: the rows that the driver reads from Mermaid, in plain text. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

from figmill.kind import FigureTable
from figmill.kind.named import Row
from figmill.kind.tables import COLUMNS, TABLES, table
from figmill_kinds.mermaid.labels import plain

_BREAK, _TAG = re.compile(r"(?i)<br\b[^>]*>"), re.compile(r"</?[A-Za-z][^<>]*>")
_MIDNIGHT = "T00:00:00.000Z"


def tables_of(tables: Sequence[Sequence[Any]]) -> tuple[FigureTable, ...]:
    """The tables of a diagram. tables: each [title, columns, rows, form]; those without rows are left out."""
    return tuple(
        table(title, columns, [_row(row, len(columns)) for row in rows], form)
        for title, columns, rows, form in tables[:TABLES]
        if rows and 0 < len(columns) <= COLUMNS
    )


def numbers_of(numbers: Sequence[Sequence[Any]]) -> Iterator[Row]:
    """The numbers of a diagram. numbers: rows of [noun, words, value]."""
    return (Row(tuple(map(plain_text, words)), value, noun) for noun, words, value in numbers)


def _row(row: Sequence[Any], count: int) -> list[Any]:
    cells = [plain_text(value) if isinstance(value, str) else value for value in row[:count]]
    return cells + [None] * (count - len(cells))


def plain_text(text: str) -> str:
    """The text of a label: without tags, entities and the surrounding Markdown marks; a date without midnight."""
    words = plain(_TAG.sub("", _BREAK.sub(" ", text)))
    if words.endswith((_MIDNIGHT, ".000Z")):
        return words.removesuffix(_MIDNIGHT).removesuffix(".000Z").replace("T", " ")
    return re.sub(r"^(\*\*|__|`)(.+)\1$", r"\2", words)
