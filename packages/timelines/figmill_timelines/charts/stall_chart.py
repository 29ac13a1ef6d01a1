"""The nine scenarios of a stall sweep in one figure: a bar for each mean step, with its length and stall beside it.

Scenarios of one group whose steps are equal share a row.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from matplotlib.figure import Figure

from figmill_timelines import quantities
from figmill_timelines.charts import looks
from figmill_timelines.charts.canvas import BODY, QUIET, SMALL, TITLE, Canvas, text_width, wrapped
from figmill_timelines.charts.gantt import MARGIN, ticks
from figmill_timelines.palette import GRID

FETCH = {"none": "Fetches as measured", "min": "All as fast as the fastest", "mean": "All of mean length"}
START = {"none": "starts as measured", "min": "all start with the first", "midrange": "all start midway"}
# In a model with queues, only the lengths of fetches are measured; the model decides when they start.
MODEL_FETCH = {**FETCH, "none": "Modelled, fetches as long as measured"}
MODEL_START = {"none": "own start", "min": "with the first", "midrange": "all midway"}
COLUMNS = (("step", "{unit}"), ("stall of the", "slowest, {unit}"))
ROW, GROUP = 20.0, 26.0
AT = (42.0, 102.0)  # where the columns end, in points from the end of the bars
WIDTH = 7.6 * 72

Facts = Mapping[str, Any]


def draw(
    sweep: Mapping[tuple[str, str], Facts], title: str, measured: Facts | None = None, note: str = ""
) -> Figure:
    """A row for each (fetch_align, start_align) of `stalls.sweep`, in three groups; equal ones of a group share a row.

    A bar shows the mean step from zero: first the work, then the stall of the slowest GPU. measured: the facts of the
    measured steps, which get a row of their own above those of a model. note: a line below the title.
    """
    fetches, begins = (FETCH, START) if measured is None else (MODEL_FETCH, MODEL_START)
    groups = [(heading, _merged(sweep, fetch, begins)) for fetch, heading in fetches.items()]
    indented = [name for _, merged in groups for name, _ in merged if len(merged) > 1]
    headings = ["Measured", *(heading for heading, merged in groups if len(merged) == 1)]
    widths = [text_width(name, BODY) + 10 for name in indented]
    left = MARGIN + 10 + max([*widths, *(text_width(name, BODY, bold=True) for name in headings)])
    rows = [*sweep.values(), *([measured] if measured else [])]
    longest = max(facts["iteration_mean"] for facts in rows)
    factor, unit = quantities.rescaled(longest, "s")
    columns = [tuple(line.format(unit=unit) for line in lines) for lines in COLUMNS]
    right = WIDTH - MARGIN - AT[-1]
    scale = (right - left) / (longest * factor * 1.02)
    lines = wrapped(title, WIDTH - 2 * MARGIN, TITLE, bold=True)
    lower = 16 * (len(lines) - 1)
    top = MARGIN + lower + 66 + (16 if note else 0)
    height = top + len(fetches) * GROUP + ROW * len(indented) + (GROUP if measured else 0) + 36
    canvas = Canvas(WIDTH, height)
    for row_of_title, line_of_title in enumerate(lines):
        canvas.text(MARGIN, MARGIN + 7 + 16 * row_of_title, line_of_title, TITLE, bold=True)
    if note:
        canvas.text(MARGIN, MARGIN + lower + 25, note, BODY, QUIET)
    _draw_legend(canvas, MARGIN, MARGIN + lower + (45 if note else 29))
    for number, names in enumerate(columns):
        for line, name in enumerate(names):
            x = right + AT[number]
            canvas.text(x, top - 14 + 10 * line, name, SMALL, QUIET, align="right")

    def row(label: str, facts: Facts, indent: float, group: str = "", start: str = "") -> None:
        canvas.text(MARGIN + indent, top + ROW / 2, label, BODY, bold=not indent)
        _draw_bar(canvas, facts, left, top + ROW / 2, factor * scale)
        numbers = zip((" ".join(column) for column in columns), _numbers(facts, factor), strict=True)
        canvas.tell("Steps", [{"workers": group, "start": start, **dict(numbers)}])
        for number, text in enumerate(_numbers(facts, factor)):
            canvas.text(right + AT[number], top + ROW / 2, text, SMALL, align="right")

    if measured:
        top += GROUP - ROW
        row("Measured", measured, 0, start="Measured")
        top += ROW
    for heading, merged in groups:
        if len(merged) == 1:  # where fetches start makes no difference
            top += GROUP - ROW
            row(heading, merged[0][1], 0, heading, merged[0][0])
            top += ROW
            continue
        canvas.text(MARGIN, top + GROUP / 2, heading, BODY, bold=True)
        top += GROUP
        for start, facts in merged:
            row(start, facts, 10, heading, start)
            top += ROW
    canvas.line([(left, top + 4), (right, top + 4)], GRID[0], 0.6)
    for tick in ticks(longest * factor * 1.02, most=7):
        canvas.text(left + tick * scale, top + 12, f"{tick:g}", SMALL, QUIET, align="center")
    canvas.text((left + right) / 2, top + 26, f"Mean step in {unit}", SMALL, QUIET, align="center")
    return canvas.figure


def _merged(
    sweep: Mapping[tuple[str, str], Facts], fetch: str, begins: Mapping[str, str]
) -> list[tuple[str, Facts]]:
    """The scenarios of a group, each with its name. Those whose steps and stalls are equal are one."""
    rows: list[tuple[str, Facts]] = []
    for start, name in begins.items():
        facts = sweep[fetch, start]
        for number, (names, other) in enumerate(rows):
            if _numbers(facts, 1.0) == _numbers(other, 1.0):
                rows[number] = (f"{names}, or {name}", other)
                break
        else:
            rows.append((name, facts))
    return rows


def _draw_legend(canvas: Canvas, x: float, middle: float) -> None:
    for label, kind in (("Training and exchange", "compute"), ("Stall of the slowest GPU", "stall")):
        look = looks.of(kind)
        canvas.boxes([(x, middle - 4.5, x + 13, middle + 4.5)], look.fill, look.line)
        if kind == "stall":
            canvas.boxes([(x, middle - 4.5, x + 13, middle + 4.5)], look.fill, look.line, hatch="////")
        canvas.text(x + 18, middle, label, SMALL)
        x += 18 + text_width(label, SMALL) + 14


def _draw_bar(canvas: Canvas, facts: Mapping[str, Any], left: float, middle: float, scale: float) -> None:
    whole = left + facts["iteration_mean"] * scale
    split = max(left, whole - facts["slowest_stall_mean"] * scale)
    compute, stall = looks.of("compute"), looks.of("stall")
    canvas.boxes([(left, middle - 6, split, middle + 6)], compute.fill, compute.line)
    if whole - split > 0.5:
        canvas.boxes([(split, middle - 6, whole, middle + 6)], stall.fill, stall.line, hatch="////")
        canvas.line(
            [(split, middle - 6), (whole, middle - 6), (whole, middle + 6), (split, middle + 6)], stall.line
        )


def _numbers(facts: Facts, factor: float) -> tuple[str, ...]:
    return tuple(
        quantities.significant(factor * facts[name], zeros=True)
        for name in ("iteration_mean", "slowest_stall_mean")
    )
