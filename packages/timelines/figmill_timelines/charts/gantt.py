"""Timelines as Gantt charts: panels of lanes under one title and on one time axis.

The layout is computed in points first and drawn afterwards. `cells` draws the inside of a panel, `legends` the
legend. This module knows no schedule and no trace.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from math import fsum

from matplotlib.figure import Figure

from figmill_timelines import quantities
from figmill_timelines.charts import cells, density, legends, looks, table_rows
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
from figmill_timelines.charts.density import LOW, Cells
from figmill_timelines.charts.layout import ChartOptions, Frame
from figmill_timelines.charts.looks import CellLook
from figmill_timelines.palette import GRID, role
from figmill_timelines.spans import Timeline

__all__ = ["Band", "ChartOptions", "Curve", "Panel", "draw", "ticks"]

PLAIN = ChartOptions()
NARROW = 3.6  # inches: a phone of 375 px, less the margins of a page
MARGIN = 14.0
TITLE_ROW, LEGEND_ROW, HEADER_ROW, CURVE_ROW, AXIS_ROW = 24.0, 16.0, 20.0, 40.0, 34.0
NAME = BODY + 0.5  # the size of a panel's name
STRIP = 8.5  # the size of a curve's label
TITLE_LINE, NOTE_LINE = 16.0, 13.0  # each additional line of a title, and a note below its panel's name
PITCH, LEAST = 27.0, 1.5  # points from lane to lane: of few lanes, and of many
LANES, CROWDED = 420.0, 300.0  # points that all lanes take: of cells, and of the areas of one panel
TALLEST = 700.0  # points that lanes may take rather than become areas
MARK_ROW = 9.0  # the room above the lanes for the names of dashed lines
BAND_ROW, BAND_GAP = 14.0, 3.0  # the height of a band above the lanes, and the space below it
BETWEEN = 14.0  # above each panel except the first


@dataclass(frozen=True, slots=True)
class Curve:
    """A count over time, drawn below the lanes.

    Before the first step, the count is not known and nothing is drawn.

    - steps: (time, value), at least one.
    - peak: the text at its highest, after the name unless that is part of it.
    - unit: of the values, for the figure's table.
    - limit: a dashed line at the value that the count cannot exceed.
    """

    name: str
    steps: tuple[tuple[float, float], ...]
    peak: str = ""
    unit: str = ""
    limit: float | None = None


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
    # times at which a dashed line crosses the lanes, each with or without what begins there
    marks: tuple[float | tuple[float, str], ...] = ()
    above: tuple[tuple[float, str], ...] = ()  # times with a word above the lanes, in order, where it fits
    behind: tuple[tuple[int, str], ...] = ()  # lanes with a word behind their last span
    upward: bool = False  # odd chunks run up the pipeline
    intervals: tuple[tuple[int, float, float, str], ...] = ()  # lane, start, end, length; drawn where it fits


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
    frame = _frame(shown, end, options)
    left, right = frame.left, options.width * 72 - MARGIN
    plans = [density.plan(panel.timeline, frame, options.every) for panel in shown]
    numbered = all(plan.numbers for plan in plans if plan.style == "cells")
    if not numbered:
        plans = [
            density.without_numbers(plan, panel.timeline, options.every)
            for panel, plan in zip(shown, plans, strict=True)
        ]
    styles = density.of_areas({area.kinds for plan in plans for area in plan.areas} - {frozenset(["beside"])})
    hollow = numbered or any(panel.upward for panel in shown)
    outline = min(density.outline(panel.timeline, frame) for panel in shown)
    plans = [
        replace(plan, odd=_of_odd_chunks(panel, hollow), outline=outline, styles=styles)
        for panel, plan in zip(shown, plans, strict=True)
    ]
    drawn = [(panel.timeline, plan) for panel, plan in zip(shown, plans, strict=True)]
    of_cells = [timeline for timeline, plan in drawn if plan.style == "cells"]
    ticked = {
        kind: name
        for kind, name in options.runs.items()
        if any(cells.runs(timeline, 0.0, frame, kind) for timeline in of_cells)
    }
    legend = legends.with_runs(legends.entries(drawn, options), ticked)
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
        _draw_panel(canvas, panel, _lane_names(shown, panel), plan, top, frame, options)
        top += height + BETWEEN
        table_rows.tell(canvas, panel.name, panel.timeline, options, dict(panel.behind), panel.upward)
        across = f"time{table_rows.unit_of(options.axis)}"
        for curve in panel.curves:
            up = f"{curve.name} ({curve.unit})" if curve.unit else curve.name
            canvas.tell(
                curve.name, ({across: time * options.scale, up: value} for time, value in curve.steps)
            )
    _draw_axis(canvas, shown, frame, top - BETWEEN, options, axis)
    return canvas.figure


def _of_odd_chunks(panel: Panel, hollow: bool) -> CellLook | None:
    """The style of forwards of odd chunks; None: their cells are hollow. It means one thing in a figure."""
    if panel.upward:
        return looks.UPWARD_FORWARD
    return None if hollow else looks.ODD_FORWARD


def _frame(panels: Sequence[Panel], end: float, options: ChartOptions) -> Frame:
    """Where the lanes lie. The words behind bars have room at the right."""
    lanes = [len(panel.timeline.lanes) for panel in panels]
    crowd = density.is_crowd(max(lanes), PITCH)
    height = CROWDED if crowd and len(panels) == 1 else LANES
    least = LEAST if crowd or LOW * sum(lanes) > TALLEST else LOW
    pitch = min(PITCH, max(least, height / max(1, sum(lanes))))
    names = [text_width(name, BODY) for panel in panels for name in _lane_names(panels, panel)]
    names += [text_width(band.name, SMALL) for panel in panels for band in panel.bands]
    left = MARGIN + (max(names) + 7 if any(names) else 0.0)
    behind = [text_width(word, SMALL) + 6 for panel in panels for _, word in panel.behind]
    right = options.width * 72 - MARGIN - max(behind, default=0.0)
    curves = [curve for panel in panels for curve in panel.curves]
    most = max((value for curve in curves for value in (curve.limit or 0, *_values(curve))), default=1)
    tight = density.is_crowd(max(lanes), pitch)
    return Frame(left, right, pitch, pitch * (1.0 if tight else 0.78), end, most)


def _lane_names(panels: Sequence[Panel], panel: Panel) -> Sequence[str]:
    """The names beside the lanes: none if each of several panels has one lane, since its own name is above it."""
    alone = len(panels) > 1 and all(len(panel.timeline.lanes) == 1 and panel.name for panel in panels)
    return ("",) if alone else panel.timeline.lanes


def _header(panel: Panel, frame: Frame) -> tuple[list[str], list[str]]:
    """The lines of a panel's name, and those of its note. If the whole note fits beside the name, it is one line there;
    otherwise all its lines are below the name.
    """
    room = frame.right - frame.left
    names = wrapped(panel.name, room, NAME, bold=True) or [""]
    name_width = text_width(panel.name, NAME, bold=True) + 12 if panel.name else 0.0
    if name_width + text_width(panel.note, BODY) <= room:
        return names, [panel.note]
    return names, [*[""] * len(names), *wrapped(panel.note, room, BODY)]


def _panel_height(panel: Panel, frame: Frame) -> float:
    header = HEADER_ROW if panel.name or panel.note else 0
    header += NOTE_LINE * (max(map(len, _header(panel, frame))) - 1)
    bands = len(panel.bands) * BAND_ROW + (MARK_ROW if panel.marks or panel.above else 0)
    return header + bands + len(panel.timeline.lanes) * frame.pitch + len(panel.curves) * CURVE_ROW


def _draw_panel(
    canvas: Canvas,
    panel: Panel,
    names: Sequence[str],
    plan: Cells,
    top: float,
    frame: Frame,
    options: ChartOptions,
) -> None:
    timeline = panel.timeline
    if panel.name or panel.note:
        lines, notes = _header(panel, frame)
        for number, line in enumerate(lines):
            canvas.text(frame.left, top + 7 + NOTE_LINE * number, line, NAME, bold=True)
        for number, line in enumerate(notes):
            x, align = (frame.left, "left") if number else (canvas.width - MARGIN, "right")
            canvas.text(x, top + 7 + NOTE_LINE * number, line, BODY, QUIET, align=align)
        top += HEADER_ROW + NOTE_LINE * (max(len(lines), len(notes)) - 1)
    for band in panel.bands:
        _draw_band(canvas, band, top, frame)
        top += BAND_ROW
    lanes = len(timeline.lanes)
    top += MARK_ROW if panel.marks or panel.above else 0
    step = 2 ** max(0, round(math.log2(lanes / 4))) if density.is_crowd(lanes, frame.pitch) else 1
    named = range(0, lanes, step)
    for lane in (*named, *([lanes - 1] if (lanes - 1 - named[-1]) * frame.pitch > BODY + 3 else [])):
        middle = top + lane * frame.pitch + frame.height / 2
        canvas.text(frame.left - 7, middle, names[lane], BODY, align="right")
    cells.draw(canvas, timeline, plan, top, frame, options)
    for lane, word in panel.behind if frame.pitch >= LOW else ():
        last = max((span.end for span in timeline.spans if span.lane == lane), default=0.0)
        middle = top + lane * frame.pitch + frame.height / 2
        canvas.text(frame.x(last) + 5, middle, word, SMALL, role("error").line)
    _draw_marks(canvas, panel, top, frame)
    _draw_above(canvas, panel, top, frame)
    _draw_intervals(canvas, panel, top, frame)
    top += len(timeline.lanes) * frame.pitch
    for curve in panel.curves:
        _draw_curve(canvas, curve, top, frame, timeline.makespan)
        top += CURVE_ROW


def _draw_marks(canvas: Canvas, panel: Panel, top: float, frame: Frame) -> None:
    """Draw the dashed lines across the lanes, each with its name at its head if there is room."""
    bottom, free = top + (len(panel.timeline.lanes) - 1) * frame.pitch + frame.height, 0.0
    for mark in panel.marks:
        time, name = mark if isinstance(mark, tuple) else (mark, "")
        x = frame.x(time)
        canvas.line([(x, top - MARK_ROW - 2), (x, bottom)], INK, 1.0, (4, 2))
        if name and x + 4 >= free and x + 4 + text_width(name, SMALL) <= frame.right:
            canvas.text(x + 4, top - 7, name, SMALL)
            free = x + 4 + text_width(name, SMALL) + 4


def _draw_above(canvas: Canvas, panel: Panel, top: float, frame: Frame) -> None:
    """Draw a tick down to the lanes at each time, with its word beside it; none touches the word before."""
    free = frame.left - 1
    for time, word in panel.above:
        x, width = frame.x(time), text_width(word, TINY) + 3
        left = x if x + width <= canvas.width - 3 else x - width
        if left >= free:
            canvas.line([(x, top - MARK_ROW - 0.5), (x, top - 1)], QUIET, 0.7)
            canvas.text(left + (3 if left == x else 0), top - 6, word, TINY, QUIET)
            free = left + width + 4


def _draw_intervals(canvas: Canvas, panel: Panel, top: float, frame: Frame) -> None:
    """Draw a line with two ends in the lower half of a lane, and how long it is above, if that has room."""
    for lane, start, end, length in panel.intervals:
        left, right = frame.x(start), frame.x(end)
        if frame.height >= LOW and text_width(length, TINY) + 4 <= right - left:
            upper, low = top + lane * frame.pitch, top + lane * frame.pitch + 0.72 * frame.height
            canvas.text((left + right) / 2, upper + 0.27 * frame.height, length, TINY, align="center")
            canvas.line([(left + 1.5, low), (right - 1.5, low)], INK, 0.7)
            canvas.lines([[(x, low - 2), (x, low + 2)] for x in (left + 1.5, right - 1.5)], INK, 0.7)


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
    canvas.line([(frame.x(0), base), (frame.x(end), base)], GRID[0], 0.6)
    canvas.line(points, colours.line, 1.2)
    limit = min(y for _, y in points)
    if curve.limit is not None:
        limit = base - height * curve.limit / most
        canvas.line([(frame.x(0), limit), (frame.x(end), limit)], INK, 0.6, (4, 2))
    label = (
        curve.peak
        if curve.name.removesuffix("s") in curve.peak
        else f"{curve.name}: {curve.peak}".removesuffix(": ")
    )
    x, y = _place(label, points, limit, frame)
    canvas.text(x, y, label, STRIP, align="center")


def _values(curve: Curve) -> list[float]:
    return [value for _, value in curve.steps]


def _place(
    label: str, points: Sequence[tuple[float, float]], upper: float, frame: Frame
) -> tuple[float, float]:
    """The middle of a curve's label, above the longest plateau of its peak and above `upper`."""
    highest = min(y for _, y in points)
    levels = ([x for x, _ in level] for y, level in groupby(points, key=lambda at: at[1]) if y == highest)
    plateaus = [(xs[-1] - xs[0], (xs[0] + xs[-1]) / 2) for xs in levels]
    half = text_width(label, STRIP) / 2
    _, middle = max(plateaus)
    x = min(max(middle, frame.left + half), frame.right - half)
    return x, upper - STRIP / 2 - 2.8


def _draw_axis(
    canvas: Canvas,
    panels: Sequence[Panel],
    frame: Frame,
    top: float,
    options: ChartOptions,
    lines: Sequence[str],
) -> None:
    """Draw the ticks and the name of the axis. Its end has a tick unless a panel's header states that number."""
    end = frame.end * options.scale
    last = quantities.significant(end, options.end_digits) if options.end_digits else _end_tick(end)
    half = text_width(last, SMALL) / 2
    place = min(frame.right, canvas.width - half - 3)
    is_stated = any(_states(header, last) for panel in panels for header in (panel.name, panel.note))
    room = math.inf if is_stated else place - half - 5
    for tick in ticks(end):
        x, text = frame.x(tick / options.scale), quantities.significant(tick, 6)
        if x + text_width(text, SMALL) / 2 < room:
            canvas.text(x, top + 7, text, SMALL, QUIET, align="center")
    if not is_stated:
        canvas.text(place, top + 7, last, SMALL, QUIET, align="center")
    for number, line in enumerate(lines):
        half = text_width(line, SMALL) / 2
        middle = min((frame.left + frame.right) / 2, frame.right - half)
        canvas.text(middle, top + 21 + NOTE_LINE * number, line, SMALL, QUIET, align="center")


def _states(header: str, number: str) -> bool:
    """Whether a header has this number, and not as a part of another one or as a percentage."""
    return re.search(rf"(?<![\d.,]){re.escape(number)}(?![.,]?\d|\s?%)", header) is not None


def _end_tick(end: float) -> str:
    """When the longest panel ends, in as many digits as its place on the axis shows: within 0.3 %."""
    if end == round(end) and end < 10_000:
        return f"{end:.0f}"
    enough = (n for n in (1, 2, 3) if abs(float(f"{end:.{n - 1}e}") - end) <= 0.003 * end)
    return quantities.significant(end, next(enough, 4))


def ticks(end: float, most: int = 12) -> list[float]:
    """Round numbers from 0 to `end` in at most `most` steps of 1, 2, 3, 4 or 5 times a power of ten."""
    power = 10.0 ** math.floor(math.log10(end / most))
    step = next(power * n for n in (1, 2, 3, 4, 5, 10, 20) if end / (power * n) <= most)
    return [round(n * step, 12) for n in range(int(end / step * (1 + 1e-12)) + 1)]
