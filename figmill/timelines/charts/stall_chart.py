"""The nine scenarios of a stall sweep in one figure: a bar for each mean step, with numbers beside it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from matplotlib.figure import Figure

from figmill.palette import GRID
from figmill.timelines.charts import looks
from figmill.timelines.charts.canvas import BODY, QUIET, SMALL, TITLE, Canvas, text_width
from figmill.timelines.charts.gantt import MARGIN, ticks

FETCH = {"none": "Fetches as measured", "min": "All as fast as the fastest", "mean": "All of mean length"}
START = {"none": "starts as measured", "min": "all start with the first", "midrange": "all start midway"}
COLUMNS = (("step", "ms"), ("± sd", "ms"), ("stall", "ms"), ("delayed", "steps"), ("samples", "per s"))
ROW, GROUP, COLUMN = 20.0, 26.0, 44.0
WIDTH = 7.6 * 72


def draw(sweep: Mapping[tuple[str, str], Mapping[str, Any]], title: str) -> Figure:
    """One row for each (fetch_align, start_align) of `stalls.sweep`, in three groups.

    A bar is the mean step from zero: first the work, then the stall of the slowest GPU.
    """
    left = MARGIN + max(text_width(name, BODY) for name in START.values()) + 18
    right = WIDTH - MARGIN - COLUMN * len(COLUMNS) - 14
    longest = max(1000 * facts["iteration_mean"] for facts in sweep.values()) * 1.02
    top = MARGIN + 66
    canvas = Canvas(WIDTH, top + len(FETCH) * GROUP + len(sweep) * ROW + 36)
    canvas.text(MARGIN, MARGIN + 7, title, TITLE, bold=True)
    _draw_legend(canvas, MARGIN, MARGIN + 29)
    for number, names in enumerate(COLUMNS):
        for line, name in enumerate(names):
            x = right + 14 + COLUMN * (number + 1)
            canvas.text(x, top - 14 + 10 * line, name, SMALL, QUIET, align="right")
    for fetch, heading in FETCH.items():
        canvas.text(MARGIN, top + GROUP / 2, heading, BODY, bold=True)
        top += GROUP
        for start, name in START.items():
            facts = sweep[fetch, start]
            middle = top + ROW / 2
            canvas.text(MARGIN + 10, middle, name, BODY)
            _draw_bar(canvas, facts, left, middle, (right - left) / longest)
            for number, text in enumerate(_numbers(facts)):
                canvas.text(right + 14 + COLUMN * (number + 1), middle, text, SMALL, align="right")
            top += ROW
    canvas.line([(left, top + 4), (right, top + 4)], GRID[0], 0.6)
    for tick in ticks(longest, most=6):
        x = left + tick * (right - left) / longest
        canvas.text(x, top + 12, f"{tick:g}", SMALL, QUIET, align="center")
    canvas.text((left + right) / 2, top + 26, "Mean step in ms", SMALL, QUIET, align="center")
    return canvas.figure


def _draw_legend(canvas: Canvas, x: float, middle: float) -> None:
    for label, kind in (("Training and exchange", "compute"), ("Stall of the slowest GPU", "stall")):
        look = looks.of(kind)
        canvas.boxes([(x, middle - 4.5, x + 13, middle + 4.5)], look.fill, look.line)
        if kind == "stall":
            canvas.boxes([(x, middle - 4.5, x + 13, middle + 4.5)], look.fill, look.line, hatch="////")
        canvas.text(x + 18, middle, label, SMALL)
        x += 18 + text_width(label, SMALL) + 14


def _draw_bar(canvas: Canvas, facts: Mapping[str, Any], left: float, middle: float, scale: float) -> None:
    whole = left + 1000 * facts["iteration_mean"] * scale
    split = whole - 1000 * facts["slowest_stall_mean"] * scale
    compute, stall = looks.of("compute"), looks.of("stall")
    canvas.boxes([(left, middle - 6, split, middle + 6)], compute.fill, compute.line)
    if whole - split > 0.5:
        canvas.boxes([(split, middle - 6, whole, middle + 6)], stall.fill, stall.line, hatch="////")
        canvas.line(
            [(split, middle - 6), (whole, middle - 6), (whole, middle + 6), (split, middle + 6)], stall.line
        )


def _numbers(facts: Mapping[str, Any]) -> tuple[str, ...]:
    return (
        f"{1000 * facts['iteration_mean']:.1f}",
        f"{1000 * facts['iteration_sd']:.1f}",
        f"{1000 * facts['stall_mean']:.1f}",
        f"{facts['effective_delay_percent']:.0f} %",
        f"{facts['samples_per_s']:.0f}",
    )
