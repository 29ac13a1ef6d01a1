"""The head of a chart: a title, and one legend above the data. The canvas below it is free."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate

from figmill_timelines.charts.canvas import SMALL, TITLE, Canvas, text_width, wrapped
from figmill_timelines.charts.legends import draw_boxes
from figmill_timelines.charts.looks import CellLook
from figmill_timelines.palette import role

__all__ = ["KEY_ROW", "MARGIN", "STROKES", "TITLE_LINE", "WIDTH", "Key", "start", "stroke", "wrapped"]

MARGIN = 14.0
WIDTH = 7.6 * 72
TITLE_LINE, KEY_ROW = 17.0, 16.0
SAMPLE = 22.0  # points; the usual length of a stroke in the legend
SAMPLE_STROKE = 1.8  # points; its width

# Strokes of adjacent curves: a role, and a dash in multiples of the line's width. No two differ only in colour.
STROKES: tuple[tuple[str, tuple[float, ...]], ...] = (
    ("compute", ()),
    ("routing", (4.0, 1.6)),
    ("data", (1.3, 1.3)),
    ("accent", (6.0, 1.5, 1.3, 1.5)),
    ("neutral", (7.0, 1.4, 1.2, 1.4, 1.2, 1.4)),
    ("error", (8.0, 2.0)),
)


@dataclass(frozen=True, slots=True)
class Key:
    """An entry of the legend: a box in a style, or a stroke of this colour and dash."""

    label: str
    look: CellLook | None = None
    colour: str = ""
    dash: tuple[float, ...] = ()


def stroke(number: int) -> tuple[str, tuple[float, ...]]:
    """Colour and dash of the n-th curve of a chart; after six, they repeat."""
    name, dash = STROKES[number % len(STROKES)]
    return role(name).line, dash


def start(
    title: str, keys: Sequence[Key], height: float, left: float = MARGIN, width: float = WIDTH
) -> tuple[Canvas, float]:
    """A page with its title and legend drawn, and `height` points below them; and the y at which these begin."""
    lines = wrapped(title, width - left - MARGIN, TITLE, bold=True)
    rows: list[list[Key]] = [[]]
    for key in keys:
        if rows[-1] and _width([*rows[-1], key]) > width - left - MARGIN:
            rows.append([])
        rows[-1].append(key)
    if not keys:
        rows = []
    top = MARGIN + TITLE_LINE * len(lines) + KEY_ROW * len(rows) + 8
    canvas = Canvas(width, top + height)
    canvas.curves = {(key.colour, key.dash): key.label for key in keys if key.look is None}
    for number, line in enumerate(lines):
        canvas.text(left, MARGIN + 7 + TITLE_LINE * number, line, TITLE, bold=True)
    for number, row in enumerate(rows):
        _draw_row(canvas, row, left, MARGIN + TITLE_LINE * len(lines) + KEY_ROW * (number + 0.5) + 2)
    return canvas, top


def _sample(key: Key) -> float:
    """The width of an entry's box, or of its stroke, which ends with a whole dash, at the earliest the second."""
    if key.look:
        return 13.0
    ends = list(accumulate(key.dash * 10))[2::2]
    return min((SAMPLE_STROKE * end for end in ends), key=lambda end: abs(end - SAMPLE), default=SAMPLE)


def _width(row: Sequence[Key]) -> float:
    parts = [_sample(key) + 5 + text_width(key.label, SMALL) for key in row]
    total = 14.0 * (len(row) - 1)
    for part in parts:
        total += part
    return total


def _draw_row(canvas: Canvas, row: Sequence[Key], x: float, middle: float) -> None:
    for key in row:
        if key.look:
            draw_boxes(canvas, [(x, middle - 4.5, x + 13, middle + 4.5)], key.look, 0.8, 1.8)
        else:
            canvas.line([(x, middle), (x + _sample(key), middle)], key.colour, SAMPLE_STROKE, key.dash)
        canvas.text(x + _sample(key) + 5, middle, key.label, SMALL)
        x += _sample(key) + 5 + text_width(key.label, SMALL) + 14
