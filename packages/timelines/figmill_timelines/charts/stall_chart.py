"""The nine scenarios of a stall sweep in one figure: a bar for each mean step, with its length and stall beside it.

Where the start of the fetches makes no difference, its scenarios share a row.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
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
MODELLED = "Modelled, with fetches"
MODEL_FETCH = {"none": "as measured", "min": "all as fast as the fastest", "mean": "all of mean length"}
MODEL_START = {"none": "", "min": "all started with the first", "midrange": "all started halfway to the last"}
COLUMNS = ("step", "stall of the slowest")  # in the table, whose reader does not see the legend
SHOWN = ("step", "stall")
ROW, GROUP = 20.0, 26.0
AT = (42.0, 102.0)  # where the columns end, in points from the end of the bars
WIDTH = 7.6 * 72

Facts = Mapping[str, Any]
ScenarioRow = tuple[str, Facts]  # the name of a bar, and the facts of its scenario


@dataclass(frozen=True, slots=True)
class ColumnFormat:
    """How a figure prints its times: in seconds x factor, in `unit`, with so many digits after the point."""

    factor: float
    unit: str
    places: int

    def text(self, seconds: float) -> str:
        return f"{seconds * self.factor:.{self.places}f}"

    def numbers(self, facts: Facts) -> tuple[str, str]:
        """The mean step and the mean stall of the slowest GPU."""
        return self.text(facts["iteration_mean"]), self.text(facts["slowest_stall_mean"])

    @classmethod
    def of(cls, sweep: Mapping[tuple[str, str], Facts], measured: Facts | None = None) -> ColumnFormat:
        """The format in which the shortest step of a figure has three digits."""
        steps = [facts["iteration_mean"] for facts in (*sweep.values(), *([measured] if measured else []))]
        factor, unit = quantities.rescaled(max(steps), "s")
        shortest = min(steps) * factor
        return cls(factor, unit, max(0, 2 - math.floor(math.log10(shortest))) if shortest > 0 else 0)


def draw(
    sweep: Mapping[tuple[str, str], Facts], title: str, measured: Facts | None = None, note: str = ""
) -> Figure:
    """A row for each (fetch_align, start_align) of `stalls.sweep`, in groups; equal ones of a group share a row.

    A bar shows the mean step from zero: first the work, then the stall of the slowest GPU. measured: the facts of the
    measured steps, which get a row of their own above those of a model. note: a line below the title.
    """
    written = ColumnFormat.of(sweep, measured)
    groups = (
        _scenarios(sweep, written)
        if measured is None
        else [("", [("Measured", measured)]), _modelled(sweep, written)]
    )
    names = [(name, 10 if heading else 0) for heading, rows in groups for name, _ in rows]
    left = MARGIN + 10 + max(text_width(name, BODY) + indent for name, indent in names)
    longest = max(facts["iteration_mean"] for _, rows in groups for _, facts in rows)
    factor, unit = written.factor, written.unit
    right = WIDTH - MARGIN - AT[-1]
    scale = (right - left) / (longest * factor * 1.02)
    lines = wrapped(title, WIDTH - 2 * MARGIN, TITLE, bold=True)
    lower = 16 * (len(lines) - 1)
    top = MARGIN + lower + 56 + (16 if note else 0)
    gaps = sum(GROUP if heading else GROUP - ROW for heading, _ in groups)
    canvas = Canvas(WIDTH, top + gaps + ROW * len(names) + 36)
    for row_of_title, line_of_title in enumerate(lines):
        canvas.text(MARGIN, MARGIN + 7 + 16 * row_of_title, line_of_title, TITLE, bold=True)
    if note:
        canvas.text(MARGIN, MARGIN + lower + 25, note, BODY, QUIET)
    _draw_legend(canvas, MARGIN, MARGIN + lower + (45 if note else 29))
    for place, name in zip(AT, SHOWN, strict=True):
        canvas.text(right + place, top - 2, f"{name}, {unit}", SMALL, QUIET, align="right")
    for heading, rows in groups:
        top += GROUP if heading else GROUP - ROW
        canvas.text(MARGIN, top - GROUP / 2 + 2, heading, BODY, bold=True)
        for name, facts in rows:
            middle, numbers = top + ROW / 2, written.numbers(facts)
            canvas.text(MARGIN + (10 if heading else 0), middle, name, BODY)
            _draw_bar(canvas, facts, left, middle, factor * scale)
            for place, number in zip(AT, numbers, strict=True):
                canvas.text(right + place, middle, number, SMALL, align="right")
            columns = (f"{column} ({unit})" for column in COLUMNS)
            canvas.tell(
                "Steps",
                [{"group": heading or None, "scenario": name, **dict(zip(columns, numbers, strict=True))}],
            )
            top += ROW
    canvas.line([(left, top + 4), (right, top + 4)], GRID[0], 0.6)
    for tick in ticks(longest * factor * 1.02, most=7):
        canvas.text(left + tick * scale, top + 12, f"{tick:g}", SMALL, QUIET, align="center")
    canvas.text((left + right) / 2, top + 26, f"Mean step in {unit}", SMALL, QUIET, align="center")
    return canvas.figure


def _scenarios(
    sweep: Mapping[tuple[str, str], Facts], written: ColumnFormat
) -> list[tuple[str, list[ScenarioRow]]]:
    """A group for each length of fetches, under its name; one without a heading where the start makes no difference."""
    groups = []
    for fetch, heading in FETCH.items():
        rows = _merged(sweep, fetch, written)
        groups.append(
            (heading, [(", or ".join(START[start] for start in starts), facts) for starts, facts in rows])
            if len(rows) > 1
            else ("", [(heading, rows[0][1])])
        )
    return groups


def _modelled(sweep: Mapping[tuple[str, str], Facts], written: ColumnFormat) -> tuple[str, list[ScenarioRow]]:
    """All scenarios of a model, as one group."""
    named = []
    for fetch, length in MODEL_FETCH.items():
        is_one = len(_merged(sweep, fetch, written)) == 1
        for start in ("none",) if is_one else MODEL_START:
            named.append((f"{length}, {MODEL_START[start]}".removesuffix(", "), sweep[fetch, start]))
    return MODELLED, named


def wish(sweep: Mapping[tuple[str, str], Facts], written: ColumnFormat) -> str:
    """The scenario with the shortest step, as its rows name it. Of equal ones, the one that changes least."""
    scenarios = [(fetch, start) for start in START for fetch in FETCH]
    fetch, start = min(scenarios, key=lambda scenario: float(written.text(sweep[scenario]["iteration_mean"])))
    return f"Fetches {MODEL_FETCH[fetch]}" + (f", {MODEL_START[start]}," if MODEL_START[start] else "")


def _merged(
    sweep: Mapping[tuple[str, str], Facts], fetch: str, written: ColumnFormat
) -> list[tuple[list[str], Facts]]:
    """The starts with fetches of this length, and their facts. Those whose steps and stalls are equal are together."""
    rows: list[tuple[list[str], Facts]] = []
    for start in START:
        facts = sweep[fetch, start]
        for starts, other in rows:
            if written.numbers(facts) == written.numbers(other):
                starts.append(start)
                break
        else:
            rows.append(([start], facts))
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
