"""Stacked bars from zero, one below the other, with a limit across them; with numbers inside if they fit."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import fsum

from matplotlib.figure import Figure

from figmill_timelines.charts.canvas import BODY, INK, QUIET, SMALL, Canvas, text_width
from figmill_timelines.charts.gantt import ticks
from figmill_timelines.charts.legends import draw_boxes
from figmill_timelines.charts.looks import CellLook
from figmill_timelines.palette import GRID, role
from figmill_timelines.plots import page
from figmill_timelines.quantities import number

PITCH, HEIGHT = 30.0, 19.0


@dataclass(frozen=True, slots=True)
class Bar:
    """A row: its name at the left, its parts from zero, a note at the right. heading: a line above it."""

    name: str
    parts: tuple[tuple[CellLook, float], ...]
    note: str = ""
    heading: str = ""


@dataclass(frozen=True, slots=True)
class Limit:
    """A value that bars may not exceed, and its name above the line."""

    value: float
    name: str


def draw(
    bars: Sequence[Bar],
    title: str,
    axis: str,
    limit: Limit | None = None,
    text: Callable[[float], str] = number,
    longest: float | None = None,
) -> Figure:
    """A figure of these bars. text: formats a tick and a number inside a bar. longest: where the axis ends."""
    seen = dict.fromkeys(look for bar in bars for look, value in bar.parts if value > 0)
    left = page.MARGIN + max(text_width(bar.name, BODY) for bar in bars) + 8
    right = page.WIDTH - page.MARGIN - max([0.0, *(text_width(bar.note, SMALL) + 10 for bar in bars)])
    above = 18.0 if limit else 2.0
    headings = sum(1 for bar in bars if bar.heading)
    canvas, top = page.start(
        title,
        [page.Key(look.label, look) for look in seen],
        above + PITCH * len(bars) + 20 * headings + 40,
        left,
    )
    end = max([fsum(value for _, value in bar.parts) for bar in bars] + [limit.value if limit else 0.0])
    end = max(longest or 0.0, 1.04 * end)
    first, row = top + above, top + above
    scale = (right - left) / end
    places = []
    for bar in bars:
        row += 20 if bar.heading else 0
        places.append(row)
        row += PITCH
    for tick in ticks(end, 8):
        x = left + tick * scale
        canvas.line([(x, first), (x, row - PITCH + HEIGHT + 4)], GRID[0], 0.6)
        canvas.text(x, row - PITCH + HEIGHT + 13, text(tick), SMALL, QUIET, align="center")
    canvas.text((left + right) / 2, row - PITCH + HEIGHT + 28, axis, SMALL, QUIET, align="center")
    for bar, place in zip(bars, places, strict=True):
        _draw_bar(canvas, bar, (left, right), place, scale, text)
        parts = {look.label: value for look, value in bar.parts}
        canvas.tell(axis, [{"bar": bar.name, **parts, "note": bar.note or None}])
    if limit:
        x = left + limit.value * scale
        colour = role("accent").line
        canvas.line([(x, first - 2), (x, row - PITCH + HEIGHT + 4)], colour, 1.4)
        half = text_width(limit.name, SMALL) / 2
        canvas.text(
            min(max(x, left + half), right - half), first - 10, limit.name, SMALL, colour, align="center"
        )
    return canvas.figure


def _draw_bar(
    canvas: Canvas,
    bar: Bar,
    between: tuple[float, float],
    top: float,
    scale: float,
    text: Callable[[float], str],
) -> None:
    left, right = between
    if bar.heading:
        canvas.text(page.MARGIN, top - 9, bar.heading, BODY, bold=True)
    middle = top + HEIGHT / 2
    canvas.text(left - 8, middle, bar.name, BODY, align="right")
    x = left
    for look, value in bar.parts:
        width = value * scale
        if width > 0.3:
            draw_boxes(canvas, [(x, top, x + width, top + HEIGHT)], look, 0.8, 2.0)
            label = text(value)
            if not look.hatch and text_width(label, SMALL) + 6 <= width:
                canvas.text(x + width / 2, middle, label, SMALL, INK, align="center")
        x += width
    canvas.text(right + 10, middle, bar.note, SMALL, QUIET)
