"""Finds the data file that a question names, and reads the rows of a CSV file."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from pathlib import Path
from typing import Protocol, TypeVar

Row_co = TypeVar("Row_co", covariant=True)


class CsvReader(Protocol[Row_co]):
    """`csv.reader` or `csv.DictReader`."""

    @property
    def line_num(self) -> int: ...
    def __next__(self) -> Row_co: ...


def csv_rows(reader: CsvReader[Row_co], place: str) -> Iterator[Row_co]:
    """The rows of a CSV file. ValueError, with `place` and the line, if the csv module cannot read on."""
    while True:
        try:
            row = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            counts = getattr(reader, "reader", reader)  # a DictReader counts a line only after reading it
            raise ValueError(f"{place}{counts.line_num}: {error}") from None
        yield row


def beside(script: str, name: str) -> Path:
    """The file or folder with this name in data/ beside the script, otherwise beside the script itself.

    script: the generator's `__file__`. FileNotFoundError names both places. ValueError if `name` is a path.
    """
    if Path(name).name != name:
        raise ValueError(f"'{name}': give the bare name of a file in data/ beside {Path(script).name}")
    for folder in (Path(script).parent / "data", Path(script).parent):
        if (folder / name).exists():
            return folder / name
    raise FileNotFoundError(f"no '{name}' in data/ beside {Path(script).name}, nor beside it")
