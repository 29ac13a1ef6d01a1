"""Timelines as Gantt charts: panels of lanes under one title and on one time axis.

The layout is computed in points first and drawn afterwards. `cells` draws the inside of a panel, `legends` the
legend. This module knows no schedule and no trace.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import fsum

from matplotlib.figure import Figure

from figmill_timelines import quantities
from figmill_timelines.charts import cells, legends, table_rows
from figmill_timelines.charts.canvas import (
    BODY,
    INK,
    PAPER,
    QUIET,
    SMALL,
    TINY,
    TITLE,
    Canvas,
    text_width,
    wrapped,
)
from figmill_timelines.charts.layout import ChartOptions, Frame
from figmill_timelines.palette import GRID, role
from figmill_timelines.spans import Timeline

__all__ = ["Band", "ChartOptions", "Curve", "Panel", "draw", "ticks"]

PLAIN = ChartOptions()
NARROW = 3.6  # inches: a phone of 375 px, less the margins of a page
MARGIN = 14.0
TITLE_ROW, LEGEND_ROW, HEADER_ROW, CURVE_ROW, AXIS_ROW = 24.0, 16.0, 20.0, 40.0, 34.0
TITLE_LINE, NOTE_LINE = 16.0, 13.0  # each additional line of a title, and a note below its panel's name
TALL, TALLEST = 30.0, 720.0  # points: a lane with room for a rotated label; then every lane has it
BAND_ROW, BAND_GAP = 14.0, 3.0  # the height of a band above the lanes, and the space below it
BETWEEN = 14.0  # above each panel except the first


@dataclass(frozen=True, slots=True)
class Curve:
    """A count over time, drawn below the lanes. steps: (time, value), at least one. peak: the text at the right.
    unit: of the values, for the figure's table.

    Before the first step, the count is not known and nothing is drawn.
    """

    name: str
    steps: tuple[tuple[float, float], ...]
    peak: str = ""
    unit: str = ""


@dataclass(frozen=True, slots=True)
class Band:
    """A row above the lanes that names stretches of time, none of which overlap: (start, end, name)."""

    name: str
    stretches: tuple[tuple[float, float, str], ...]


@dataclass(frozen=True, slots=True)
class Panel:
    """One timeline, with its name above at the left, a note at the right, bands above the lanes, and curves below."""

    timeline: Timeline
    name: str = ""
    note: str = ""
    curves: tuple[Curve, ...] = ()
    bands: tuple[Band, ...] = ()
    marks: tuple[float, ...] = ()  # times at which a dashed line crosses the lanes, as the end of a step


def width(narrow: bool) -> float:
    """The width of a chart in inches, for a page or for a narrow screen."""
    return NARROW if narrow else PLAIN.width


def draw(panels: Timeline | Sequence[Panel], title: str = "", options: ChartOptions = PLAIN) -> Figure:
    """A figure of these panels, top to bottom on one time axis.

    panels: a timeline stands for one panel without a name. title: what the figure shows. The number of lanes sets the
    height. ValueError for a timeline without time.
    """
    shown = (Panel(panels),) if isinstance(panels, Timeline) else tuple(panels)
    end = max((panel.timeline.makespan for panel in shown), default=0.0)
    if end <= 0:
        raise ValueError("a timeline with no time in it cannot be drawn")
    lanes = sum(len(panel.timeline.lanes) for panel in shown)
    pitch = min(27.0, max(2.0, 420 / max(1, lanes)))
    names = [text_width(name, BODY) for panel in shown for name in panel.timeline.lanes]
    names += [text_width(curve.name, TINY) for panel in shown for curve in panel.curves]
    names += [text_width(band.name, TINY) for panel in shown for band in panel.bands]
    left = MARGIN + max(names) + 7
    most = max((value for panel in shown for curve in panel.curves for _, value in curve.steps), default=1)
    right = options.width * 72 - MARGIN
    frame = Frame(left, right, pitch, pitch * (0.78 if pitch > 10 else 0.84), end, most)
    plans = [cells.plan(panel.timeline, frame, options) for panel in shown]
    if any(plan.lost for plan in plans) and lanes * TALL <= TALLEST and pitch < TALL:
        taller = replace(frame, pitch=TALL, height=TALL * 0.78)
        grown = [cells.plan(panel.timeline, taller, options) for panel in shown]
        if fsum(plan.lost for plan in grown) < fsum(plan.lost for plan in plans):
            frame, plans = taller, grown
    legend = legends.entries([panel.timeline for panel in shown], max(plan.every for plan in plans), options)
    beside = left + text_width(title, TITLE, bold=True) + 24 + legends.width(legend) <= right
    lines = [title] if beside else wrapped(title, right - left, TITLE, bold=True)
    below = MARGIN + TITLE_LINE * max(0, len(lines) - 1) + (TITLE_ROW if title or beside else 0)
    rows = [legend] if beside else legends.wrap(legend, right - left)
    top = below + (0 if beside else LEGEND_ROW * len(rows)) + 4
    heights = [_panel_height(panel, frame) for panel in shown]
    axis = wrapped(options.axis, right - MARGIN, SMALL)
    height = top + fsum(heights) + BETWEEN * (len(shown) - 1) + AXIS_ROW + NOTE_LINE * (len(axis) - 1)
    canvas = Canvas(options.width * 72, height)
    for number, line in enumerate(lines):
        canvas.text(left, MARGIN + 7 + TITLE_LINE * number, line, TITLE, bold=True)
    for number, row in enumerate(rows):
        start = right - legends.width(row) if beside else left
        legends.draw(canvas, row, start, MARGIN + 7 if beside else below + LEGEND_ROW * number + 4)
    for panel, plan, height in zip(shown, plans, heights, strict=True):
        _draw_panel(canvas, panel, plan, top, frame, options)
        top += height + BETWEEN
        table_rows.tell(canvas, panel.name, panel.timeline, options)
        across = f"time{table_rows.unit_of(options.axis)}"
        for curve in panel.curves:
            up = f"{curve.name} ({curve.unit})" if curve.unit else curve.name
            canvas.tell(
                curve.name, ({across: time * options.scale, up: value} for time, value in curve.steps)
            )
    _draw_axis(canvas, frame, top - BETWEEN, options, axis)
    return canvas.figure


def _header(panel: Panel, frame: Frame) -> list[str]:
    """The lines of a panel's note. If the whole note fits beside the name, it is one line there; otherwise all lines
    are below.
    """
    room = frame.right - frame.left
    name_width = text_width(panel.name, BODY + 0.5, bold=True) + 12 if panel.name else 0.0
    if name_width + text_width(panel.note, BODY) <= room:
        return [panel.note]
    return ["", *wrapped(panel.note, room, BODY)]


def _panel_height(panel: Panel, frame: Frame) -> float:
    header = HEADER_ROW if panel.name or panel.note else 0
    header += NOTE_LINE * (len(_header(panel, frame)) - 1)
    bands = len(panel.bands) * BAND_ROW
    return header + bands + len(panel.timeline.lanes) * frame.pitch + len(panel.curves) * CURVE_ROW


def _draw_panel(
    canvas: Canvas, panel: Panel, plan: cells.Cells, top: float, frame: Frame, options: ChartOptions
) -> None:
    timeline = panel.timeline
    if panel.name or panel.note:
        canvas.text(frame.left, top + 7, panel.name, BODY + 0.5, bold=True)
        notes = _header(panel, frame)
        for number, line in enumerate(notes):
            x, align = (frame.left, "left") if number else (frame.right, "right")
            canvas.text(x, top + 7 + NOTE_LINE * number, line, BODY, QUIET, align=align)
        top += HEADER_ROW + NOTE_LINE * (len(notes) - 1)
    for band in panel.bands:
        _draw_band(canvas, band, top, frame)
        top += BAND_ROW
    step = 1 if frame.pitch > 9.5 else 2 ** math.ceil(math.log2(20 / frame.pitch))
    for lane, name in enumerate(timeline.lanes):
        if lane % step == 0:
            middle = top + lane * frame.pitch + frame.height / 2
            canvas.text(frame.left - 7, middle, name, BODY if frame.pitch > 11 else TINY, align="right")
    cells.draw_idle(canvas, timeline, plan, top, frame, options)
    if plan.as_shares:
        cells.draw_shares(canvas, timeline, plan, top, frame)
    else:
        cells.draw_cells(canvas, timeline, plan, top, frame, options.critical)
    for mark in panel.marks:
        bottom = top + len(timeline.lanes) * frame.pitch
        canvas.line([(frame.x(mark), top - 3), (frame.x(mark), bottom)], INK, 1.0, (4, 2))
    if options.critical and plan.as_shares:
        cells.draw_critical(canvas, timeline, top, frame)
    top += len(timeline.lanes) * frame.pitch
    for curve in panel.curves:
        _draw_curve(canvas, curve, top, frame, timeline.makespan)
        top += CURVE_ROW


def _draw_band(canvas: Canvas, band: Band, top: float, frame: Frame) -> None:
    """Draw the stretches, with the names that fit."""
    middle, bottom = top + (BAND_ROW - BAND_GAP) / 2, top + BAND_ROW - BAND_GAP
    canvas.text(frame.left - 7, middle, band.name, TINY, QUIET, align="right")
    boxes = [(frame.x(start), top, frame.x(end), bottom) for start, end, _ in band.stretches]
    canvas.boxes(boxes, role("neutral").fill, PAPER, 0.8)
    for (left, _, right, _), (_, _, name) in zip(boxes, band.stretches, strict=True):
        if text_width(name, TINY) + 4 <= right - left:
            canvas.text((left + right) / 2, middle, name, TINY, align="center")


def _draw_curve(canvas: Canvas, curve: Curve, top: float, frame: Frame, end: float) -> None:
    base, height = top + CURVE_ROW - 6, CURVE_ROW - 20
    colours, most = role("compute"), max(frame.most, 1e-12)
    (first, value), *later = curve.steps
    points = [(frame.x(first), base - height * value / most)]
    for time, after in later:
        points += [
            (frame.x(time), base - height * value / most),
            (frame.x(time), base - height * after / most),
        ]
        value = after
    points.append((frame.x(end), base - height * value / most))
    canvas.area([*points, (frame.x(end), base), (frame.x(first), base)], colours.fill)
    canvas.line(points, colours.line, 1.2)
    canvas.line([(frame.x(0), base), (frame.x(end), base)], GRID[0], 0.6)
    canvas.text(frame.left - 7, base - height / 2 - 0.5, curve.name, TINY, QUIET, align="right")
    canvas.text(frame.right, top + 6, curve.peak, SMALL, QUIET, align="right")


def _draw_axis(canvas: Canvas, frame: Frame, top: float, options: ChartOptions, lines: Sequence[str]) -> None:
    for tick in ticks(frame.end * options.scale):
        x = frame.x(tick / options.scale)
        canvas.text(x, top + 7, quantities.significant(tick, 6), SMALL, QUIET, align="center")
    for number, line in enumerate(lines):
        half = text_width(line, SMALL) / 2
        middle = min((frame.left + frame.right) / 2, frame.right - half)
        canvas.text(middle, top + 21 + NOTE_LINE * number, line, SMALL, QUIET, align="center")


def ticks(end: float, most: int = 12) -> list[float]:
    """Round numbers from 0 to `end` in at most `most` steps of 1, 2, 3, 4 or 5 times a power of ten."""
    power = 10.0 ** math.floor(math.log10(end / most))
    step = next(power * n for n in (1, 2, 3, 4, 5, 10, 20) if end / (power * n) <= most)
    return [round(n * step, 12) for n in range(int(end / step * (1 + 1e-12)) + 1)]
