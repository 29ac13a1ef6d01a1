"""Messages step by step: ranks as lanes, steps as columns, an arrow from each sender to its receiver."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

from matplotlib.figure import Figure

from figmill_timelines.charts.canvas import BODY, QUIET, SMALL, TINY, Canvas, text_width
from figmill_timelines.palette import GRID, role
from figmill_timelines.plots import page

Dashed = tuple[str, tuple[float, ...]]  # a colour and a dash


@dataclass(frozen=True, slots=True)
class StepArrow:
    """An arrow from lane to lane within one step.

    - kind: an index into the strokes of the chart.
    """

    source: int
    target: int
    kind: int


@dataclass(frozen=True, slots=True)
class StepColumn:
    """One step.

    - phase: equal neighbours share a heading.
    - note: below the column, as the size of its messages.
    """

    arrows: tuple[StepArrow, ...]
    phase: str
    note: str = ""


def draw(
    lanes: Sequence[str],
    columns: Sequence[StepColumn],
    title: str,
    kinds: Sequence[tuple[str, Dashed]],
    axis: str,
) -> Figure:
    """A figure of these columns. kinds: the name and stroke of each kind of arrow, for the legend."""
    used = {arrow.kind for column in columns for arrow in column.arrows}
    keys = [page.Key(name, None, *stroke) for n, (name, stroke) in enumerate(kinds) if n in used]
    pitch = min(26.0, max(9.0, 380 / len(lanes)))
    left = page.MARGIN + max(text_width(name, BODY) for name in lanes) + 14
    right = page.WIDTH - page.MARGIN - 6
    canvas, top = page.start(title, keys, 30 + pitch * (len(lanes) - 1) + 60, left - 6)
    first, each = top + 34, (right - left) / len(columns)
    last = first + pitch * (len(lanes) - 1)
    for lane, name in enumerate(lanes):
        y = first + lane * pitch
        canvas.line([(left, y), (right, y)], GRID[0], 0.8)
        canvas.text(left - 12, y, name, BODY if pitch > 11 else TINY, align="right")
    _draw_phases(canvas, columns, (left, first, last), each)
    every = max(1, math.ceil(22 / each))
    fits = all(text_width(column.note, TINY) + 3 <= each for column in columns)
    for n, column in enumerate(columns):
        x = left + n * each
        if n % every == 0:
            canvas.text(x + each / 2, last + 16, str(n + 1), SMALL, QUIET, align="center")
        if fits:
            canvas.text(x + each / 2, last + 27, column.note, TINY, QUIET, align="center")
    for kind, (_, (colour, dash)) in enumerate(kinds):
        drawn = [
            _arrow(arrow, (left + n * each, each), (first, pitch))
            for n, column in enumerate(columns)
            for arrow in column.arrows
            if arrow.kind == kind
        ]
        canvas.lines([shaft for shaft, _ in drawn], colour, 1.1, dash)
        canvas.areas([head for _, head in drawn], colour)
    grid = [(left + n * each, first + y * pitch) for y in range(len(lanes)) for n in range(len(columns) + 1)]
    canvas.dots(grid, QUIET, 2.6)
    canvas.text((left + right) / 2, last + (42 if fits else 32), axis, SMALL, QUIET, align="center")
    canvas.tell(
        "Messages",
        (
            {
                "step": n + 1,
                "phase": column.phase,
                "from": lanes[arrow.source],
                "to": lanes[arrow.target],
                "kind": kinds[arrow.kind][0],
                "size": column.note or None,
            }
            for n, column in enumerate(columns)
            for arrow in column.arrows
        ),
    )
    return canvas.figure


def _draw_phases(
    canvas: Canvas, columns: Sequence[StepColumn], place: tuple[float, float, float], each: float
) -> None:
    left, first, last = place
    start = 0
    for phase, members in groupby(columns, key=lambda column: column.phase):
        count = len(list(members))
        x, end = left + start * each, left + (start + count) * each
        canvas.line([(x + 2, first - 13), (end - 2, first - 13)], QUIET, 0.8)
        if start:
            canvas.line([(x, first - 13), (x, last + 6)], QUIET, 0.8, (2, 2))
        for row, line in enumerate(reversed(page.wrapped(phase, end - x, SMALL))):
            canvas.text((x + end) / 2, first - 21 - 9.5 * row, line, SMALL, align="center")
        start += count


def _arrow(
    arrow: StepArrow, across: tuple[float, float], down: tuple[float, float]
) -> tuple[list[tuple[float, float]], list[tuple[float, float]]]:
    """The shaft and the head of an arrow between two dots; it keeps a distance from both."""
    x, each = across
    first, pitch = down
    start, end = (x, first + arrow.source * pitch), (x + each, first + arrow.target * pitch)
    length = math.hypot(end[0] - start[0], end[1] - start[1])
    dx, dy = (end[0] - start[0]) / length, (end[1] - start[1]) / length
    head = min(5.0, 0.4 * length)
    tip = (end[0] - 2.2 * dx, end[1] - 2.2 * dy)
    foot = (tip[0] - head * dx, tip[1] - head * dy)
    side = (-dy * head * 0.42, dx * head * 0.42)
    shaft = [(start[0] + 2 * dx, start[1] + 2 * dy), foot]
    return shaft, [tip, (foot[0] + side[0], foot[1] + side[1]), (foot[0] - side[0], foot[1] - side[1])]


ADDS: Dashed = (role("compute").line, ())
KEEPS: Dashed = (role("data").line, (3.0, 1.5))
FAR: Dashed = (role("routing").line, (6.0, 1.5))
