"""The text of a plot in another language: each text is replaced with its translation when an artist takes it.

So code that measures an artist, such as a layout or a legend, measures the text that readers see. figmill's own charts
translate long texts before they break them into lines, and measure text before an artist has it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace
from functools import wraps
from typing import Any

from figmill.model import Cell, FigureTable
from figmill.wording import Words, current


def settle() -> None:
    """Patch how an artist takes its text and how text is measured, once per process."""
    from matplotlib.text import Text
    from matplotlib.textpath import TextToPath

    artist: Any = Text
    measuring: Any = TextToPath
    take, measure = artist.set_text, measuring.get_text_width_height_descent

    @wraps(take)
    def set_text(self: Any, s: Any) -> None:
        wording = current()
        if wording is not None and isinstance(s, str) and s.strip():
            s = (
                "\n".join(map(wording, s.split("\n")))
                if "\n" in s and wording.found(s) is None
                else wording(s)
            )
        take(self, s)

    @wraps(measure)
    def measured(self: Any, s: Any, prop: Any, ismath: Any) -> Any:
        wording = current()
        translated = None if wording is None or ismath or not isinstance(s, str) else wording.found(s)
        return measure(self, s if translated is None else translated, prop, ismath)

    artist.set_text = set_text
    measuring.get_text_width_height_descent = measured


def translated(tables: Iterable[FigureTable]) -> tuple[FigureTable, ...]:
    """The tables of a figure with their titles and column headings in its language."""
    wording = current()
    return tuple(tables) if wording is None else tuple(_translated(table, wording) for table in tables)


def _translated(table: FigureTable, wording: Words) -> FigureTable:
    def say(cell: Cell) -> Cell:
        return wording(cell) if isinstance(cell, str) and not _MADE_UP.fullmatch(cell) else cell

    if table.form != "table":  # a page knows what the columns of a graph mean
        return replace(table, title=str(say(table.title)))
    columns = tuple(str(say(name)) for name in table.columns)
    rows = tuple(tuple(map(say, row)) for row in table.rows)
    return replace(table, title=str(say(table.title)), columns=columns, rows=rows)


_MADE_UP = re.compile(r"(?:Plot|series) \d+|series|[xy]")  # from plots/as_tables.py, for unnamed data
