"""A list below a chart, in columns, that explains the short words and letters in the chart."""

from __future__ import annotations

import math
from collections.abc import Collection

from figmill_timelines.charts.canvas import QUIET, SMALL, Canvas, text_width

ROW = 12.5
BETWEEN = 18.0  # two columns, at least

Entries = Collection[tuple[str, str]]  # (short, what it means)


def height(entries: Entries, room: float) -> float:
    """The height of the list, with some space below it; 0 if it is empty."""
    return ROW * _layout(entries, room)[0] + 10 if entries else 0.0


def draw(canvas: Canvas, entries: Entries, left: float, top: float, room: float) -> None:
    """Draw the list column by column from (left, top), in `room` points across."""
    rows, each, indent = _layout(entries, room)
    for number, (short, name) in enumerate(entries):
        x, y = left + each * (number // rows), top + ROW * (number % rows) + 6
        canvas.text(x, y, short, SMALL, bold=True)
        canvas.text(x + indent, y, name, SMALL, QUIET)


def _layout(entries: Entries, room: float) -> tuple[int, float, float]:
    """How many rows the list has, how wide a column is, and where names begin in it."""
    indent = max((text_width(short, SMALL, bold=True) for short, _ in entries), default=0.0) + 8
    each = indent + max((text_width(name, SMALL) for _, name in entries), default=0.0) + BETWEEN
    columns = max(1, min(len(entries) or 1, int((room + BETWEEN) / each)))
    return math.ceil(len(entries) / columns), min(each + 24, (room + BETWEEN) / columns), indent
