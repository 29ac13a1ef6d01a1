"""Stacked bars from zero, one below the other, with a limit across them, and what each amounts to at its end.

What lies beyond the limit is hollow. Parts have numbers inside if they fit.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from math import fsum

from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from figmill_timelines.charts.canvas import BODY, INK, QUIET, SMALL, Canvas, text_width
from figmill_timelines.charts.gantt import ticks
from figmill_timelines.charts.legends import draw_boxes
from figmill_timelines.charts.looks import CellLook
from figmill_timelines.palette import GRID, role
from figmill_timelines.plots import gaps, page
from figmill_timelines.quantities import number

PITCH, HEIGHT = 30.0, 19.0
BAR = 2.0  # the bar of a look
GAP = 6.0  # between a bar and the text at its end
LEAST, NAME = 190.0, 13.0  # the least room for bars beside their names; the row of a name above its bar


@dataclass(frozen=True, slots=True)
class Bar:
    """A row: its name at the left, its parts from zero, a text at its end, a note in a column at the right."""

    name: str
    parts: tuple[tuple[CellLook, float], ...]
    end: str = ""
    note: str = ""

    @property
    def length(self) -> float:
        return fsum(value for _, value in self.parts)


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
    notes: str = "",
    width: float = page.WIDTH,
) -> Figure:
    """A figure of these bars. text: formats a tick and a number inside a bar. notes: the heading of the notes.

    width: of the page, in points; names stand above the bars of a narrow one.
    """
    seen = dict.fromkeys(look for bar in bars for look, value in bar.parts if value > 0)
    keys = [page.Key(look.label, look) for look in seen] if len(seen) > 1 else []
    if limit and any(bar.length > limit.value for bar in bars):
        hollow = CellLook(f"Beyond {limit.name}", "none", role("neutral").line)
        keys.append(page.Key(hollow.label, hollow))
    named = page.MARGIN + max(text_width(bar.name, BODY) for bar in bars) + 8
    outer = width - page.MARGIN
    right = outer - max(
        text_width(note, SMALL) + 14 if note else 0.0 for bar in bars for note in (bar.note, notes)
    )
    is_stacked = right - named < LEAST  # names stand above bars
    left, pitch = (page.MARGIN, PITCH + NAME) if is_stacked else (named, PITCH)
    above = (18.0 if limit or notes else 2.0) + (NAME if is_stacked else 0.0)
    canvas, top = page.start(title, keys, above + pitch * len(bars) + 40, left, width)
    scale = _scale(bars, limit.value if limit else None, right - left)
    first = top + above
    places = [first + pitch * n for n in range(len(bars))]
    base = places[-1] + HEIGHT
    grid = []
    for tick in ticks((right - left) / scale, min(8, int((right - left) / 32))):
        x = left + tick * scale
        grid.append(canvas.line([(x, first), (x, base + 4)], GRID[0], 0.6))
        canvas.text(x, base + 13, text(tick), SMALL, QUIET, align="center")
    axis_middle = max((left + right) / 2, page.MARGIN + text_width(axis, SMALL) / 2)
    canvas.text(axis_middle, base + 28, axis, SMALL, QUIET, align="center")
    canvas.text(outer, top + 8, notes, SMALL, QUIET, align="right")
    at = left + limit.value * scale if limit else math.inf
    for bar, place in zip(bars, places, strict=True):
        if is_stacked:
            canvas.text(left, place - 7, bar.name, BODY)
            for line in grid:
                gaps.leave_out(
                    line, (left - 2, place - NAME, left + text_width(bar.name, BODY) + 2, place - 1)
                )
        else:
            canvas.text(left - 8, place + HEIGHT / 2, bar.name, BODY, align="right")
        _draw_bar(canvas, bar, left, place, scale, at, text, grid)
        canvas.text(outer, place + HEIGHT / 2, bar.note, SMALL, QUIET, align="right")
        parts = {look.label: value for look, value in bar.parts}
        canvas.tell(
            axis, [{"bar": bar.name, **parts, "note": ", ".join(filter(None, (bar.end, bar.note))) or None}]
        )
    for line in grid:
        gaps.drop_stubs(line)
    if limit:
        colour = role("accent").line
        canvas.line([(at, top + 16), (at, base + 4)], colour, 1.4)
        half = text_width(limit.name, SMALL) / 2
        middle = min(max(at, left + half), right - half)
        canvas.text(middle, top + 8, limit.name, SMALL, colour, align="center")
    return canvas.figure


def _scale(bars: Sequence[Bar], limit: float | None, room: float) -> float:
    """Points for each unit, so that the limit, and each bar with the text at its end, fit into the room.

    A text that would lie across the line of the limit stands behind it.
    """
    ends = [(bar.length, text_width(bar.end, SMALL) + 2 * GAP if bar.end else GAP) for bar in bars]
    scale = min((room - taken) / length for length, taken in ends if length > 0)
    if limit is None:
        return scale
    scale = min(scale, (room - GAP) / limit)
    for length, taken in sorted(ends, reverse=True):
        if length <= limit < length + taken / scale:
            scale = min(scale, (room - taken) / limit)
    return scale


def _draw_bar(
    canvas: Canvas,
    bar: Bar,
    left: float,
    top: float,
    scale: float,
    limit: float,
    text: Callable[[float], str],
    grid: Sequence[Line2D],
) -> None:
    """limit: where it is on the page. grid: it is interrupted behind what the bar leaves free."""
    middle = top + HEIGHT / 2
    x = left
    parts = [(look, value) for look, value in bar.parts if value * scale > 0.3]
    for look, value in parts:
        width = value * scale
        edge = min(max(x, limit), x + width)
        if edge > x:
            draw_boxes(canvas, [(x, top, edge, top + HEIGHT)], look, 0.8, BAR)
        if edge < x + width:
            beyond = (edge, top, x + width, top + HEIGHT)
            draw_boxes(canvas, [beyond], replace(look, fill="none", hatch=None), 0.8, BAR)
            for line in grid:
                gaps.leave_out(line, beyond)
        label = text(value)
        half = text_width(label, SMALL) / 2
        if len(parts) > 1 and (centre := _centre(x, x + width, edge, half + 3)) is not None:
            if look.hatch and centre < edge:
                plate = (centre - half - 2, middle - 5.5, centre + half + 2, middle + 5.5)
                canvas.boxes([plate], look.fill)
            canvas.text(centre, middle, label, SMALL, INK, align="center")
        x += width
    x += GAP
    if x < limit + GAP and x + text_width(bar.end, SMALL) > limit - GAP:
        x = limit + GAP  # not across the line of the limit
    if bar.end:
        for line in grid:
            gaps.leave_out(line, (x - 2, middle - 5.5, x + text_width(bar.end, SMALL) + 2, middle + 5.5))
        canvas.text(x, middle, bar.end, SMALL, INK)


def _centre(start: float, end: float, edge: float, half: float) -> float | None:
    """The middle of a part, or beside the line of the limit that crosses it at `edge`; None: no room for the label."""
    middle = (start + end) / 2
    if start < edge < end and abs(middle - edge) < half:
        middle = edge - half if middle <= edge else edge + half
    return middle if start <= middle - half and middle + half <= end else None
