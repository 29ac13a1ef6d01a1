"""The data of a figure as CSV files, as RFC 4180 and spreadsheets have them. Pure: equal tables give equal bytes."""

from __future__ import annotations

import csv
import hashlib
import io
import posixpath
import re
from collections.abc import Iterator, Sequence

from figmill.model import Cell, DataFile, FigureTable

# The end of these files' names: a build may remove such a file once no figure has it.
ENDING = re.compile(r"\.data(?:-[a-z0-9-]+)?\.csv$")
_ACTS = ("=", "+", "-", "@", "\t", "\r")  # text that begins with these is a formula to a spreadsheet


def dumps(table: FigureTable) -> bytes:
    """A table as UTF-8, with a header."""
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(map(_written, table.columns))
    writer.writerows([_written(cell) for cell in row] for row in table.rows)
    return stream.getvalue().encode()


def _written(cell: Cell) -> str:
    if cell is None:
        return ""
    if isinstance(cell, bool):
        return str(cell).lower()
    if isinstance(cell, str):
        return f"'{cell}" if cell.startswith(_ACTS) else cell
    return (
        str(int(cell)) if isinstance(cell, float) and cell.is_integer() and abs(cell) < 1e15 else repr(cell)
    )


def files_of(tables: Sequence[FigureTable], place: str) -> Iterator[tuple[DataFile, bytes]]:
    """Each table's file and its bytes. place: the path of the figure without a suffix."""
    taken = set[str]()
    for number, table in enumerate(tables, 1):
        slug = re.sub("[^a-z0-9]+", "-", table.title.casefold()).strip("-")[:40].strip("-") or str(number)
        slug = slug if slug not in taken else f"{slug}-{number}"
        taken.add(slug)
        name = f"{place}.data.csv" if len(tables) == 1 else f"{place}.data-{slug}.csv"
        data = dumps(table)
        digest = hashlib.sha256(data).hexdigest()
        yield (
            DataFile(table.title, table.form, len(table.rows), table.total, posixpath.normpath(name), digest),
            data,
        )
