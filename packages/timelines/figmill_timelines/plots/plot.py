"""An x-y plot on a canvas: two axes, curves cut at its edges, hatched ranges, dots and labels.

Linear or logarithmic axes; ticks are round numbers. The name of the y axis is above it, so that it is horizontal.
The name of a curve stands at its end, in its colour. The grid is interrupted behind every label.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from matplotlib.lines import Line2D

from figmill_timelines.charts.canvas import (
    BODY,
    INK,
    QUIET,
    SMALL,
    Bounds,
    Canvas,
    PagePoint,
    TableCell,
    text_width,
)
from figmill_timelines.charts.gantt import ticks
from figmill_timelines.palette import GRID, PAGE, ROLES, role
from figmill_timelines.plots import curve_labels, gaps
from figmill_timelines.plots.clipping import inside
from figmill_timelines.plots.curve_labels import LabelledCurve
from figmill_timelines.plots.curve_labels import spread as spread  # where copies of generators look for it
from figmill_timelines.plots.labels import PageSegment, Patch
from figmill_timelines.quantities import tick

SAMPLES = 24  # points of a curve in its table
STRIP = 5.0  # the height of a mark below an axis, in points
ROOM = 12.0  # points between the plot and the labels at its right
APART = 6.0  # points between the tick at the end of an axis and the one before
GRID_GAP = 1.5  # points between a label and the grid, which it interrupts
SHIFTED = 3.0  # a label this far from the end of its curve is joined to it


def beside(labels: Iterable[str]) -> float:
    """The room that labels at the right of a plot take, in points."""
    return ROOM + max((text_width(label, SMALL) for label in labels), default=-ROOM)


def ink(colour: str) -> str:
    """The colour of a label at a line of this colour."""
    return next((each.ink for each in ROLES if each.line == colour), colour)


@dataclass(frozen=True, slots=True)
class _DrawnCurve:
    """A curve on the page.

    - pieces: its parts inside the plot.
    """

    label: str
    colour: str
    dash: tuple[float, ...]
    pieces: tuple[tuple[PagePoint, ...], ...]

    @property
    def segments(self) -> tuple[PageSegment, ...]:
        return tuple(pair for piece in self.pieces for pair in pairwise(piece))


@dataclass(slots=True)
class _GridLine:
    """A horizontal line of the grid, and the gaps in it.

    - ends, gaps: (left, right) on the page.
    """

    height: float
    ends: tuple[float, float]
    artist: Line2D
    gaps: list[tuple[float, float]] = field(default_factory=list)

    def leave_out(self, patch: Patch) -> None:
        """Interrupt the line where it would run through a label."""
        edges = pairwise([*(corners := patch.corners(GRID_GAP)), corners[0]])
        crossings = [
            x + (u - x) * (self.height - y) / (v - y)
            for (x, y), (u, v) in edges
            if (y <= self.height) != (v <= self.height)
        ]
        if not crossings:
            return
        self.gaps.append((min(crossings), max(crossings)))
        pieces = gaps.between(self.ends, self.gaps)
        across = [x for piece in pieces for x in (*piece, math.nan)][:-1]
        self.artist.set_data(across, [math.nan if math.isnan(x) else self.height for x in across])


@dataclass(frozen=True, slots=True)
class Axis:
    """An axis.

    - low, high: its ends.
    - text: how a tick is written.
    - log: logarithmic; low must be above 0.
    - unit: of the values in the figure's table, if the label does not state it.
    - scale: what they are multiplied by there, such as 100 for shares whose ticks are percentages.
    - last: a further tick at the high end of a logarithmic x axis, unless it would touch a round one.
    """

    label: str
    low: float
    high: float
    log: bool = False
    text: Callable[[float], str] = tick
    unit: str = ""
    scale: float = 1.0
    last: bool = False

    @property
    def column(self) -> str:
        """The name of its column in the figure's table."""
        return f"{self.label} ({self.unit})" if self.unit else self.label

    def share(self, value: float) -> float:
        """Where a value lies on the axis: 0 at its low end, 1 at its high end."""
        if self.log:
            return math.log(max(value, 1e-300) / self.low) / math.log(self.high / self.low)
        return (value - self.low) / (self.high - self.low)

    def ticks(self, most: int = 8) -> list[float]:
        """Round values on the axis; on a logarithmic axis powers of ten, with 2 and 5 between them if there is room."""
        if not self.log:
            step = ticks(self.high - self.low, most)[1]
            first, last = math.ceil(self.low / step - 1e-9), math.floor(self.high / step + 1e-9)
            return [round(n * step, 12) for n in range(first, last + 1)]
        low, high = math.floor(math.log10(self.low) - 1e-9), math.ceil(math.log10(self.high) + 1e-9)
        for steps in ((1, 2, 5), (1,)):
            places = [n * 10.0**power for power in range(low, high + 1) for n in steps]
            places = [place for place in places if self.low * (1 - 1e-9) <= place <= self.high * (1 + 1e-9)]
            if len(places) <= most + 1:
                return places
        every = math.ceil(len(places) / most)
        return places[::every]


class Plot:
    """The area between two axes.

    - box: left, top, right, bottom on the canvas, in points.
    """

    def __init__(self, canvas: Canvas, box: Bounds, x: Axis, y: Axis) -> None:
        self.canvas, self.box, self.x, self.y = canvas, box, x, y
        self._curves: list[_DrawnCurve] = []
        self._lines: list[Line2D] = []  # of all curves
        self.noted: list[Patch] = []  # where labels stand
        self._grid: list[_GridLine] = []

    def at(self, x: float, y: float) -> PagePoint:
        """The place of a point of the data on the canvas."""
        left, top, right, bottom = self.box
        return left + (right - left) * self.x.share(x), bottom - (bottom - top) * self.y.share(y)

    def frame(self, across: int = 8, up: int = 6, bottom: bool = True) -> None:
        """Draw the grid of the y axis, and the ticks and names of both axes. bottom: draw those of the x axis."""
        left, top, right, base = self.box
        for value in self.y.ticks(up):
            height = self.at(self.x.low, value)[1]
            line = self.canvas.line([(left, height), (right, height)], GRID[0], 0.6)
            self._grid.append(_GridLine(height, (left, right), line))
            self.canvas.text(left - 6, height, self.y.text(value), SMALL, QUIET, align="right")
        self.canvas.line([(left, base), (right, base)], QUIET, 0.6)
        self.canvas.text(left, top - 11, self.y.label, SMALL, QUIET)
        if not bottom:
            return
        for value in self._across(across):
            place = self.at(value, self.y.low)[0]
            self.canvas.text(place, base + 10, self.x.text(value), SMALL, QUIET, align="center")
        self.canvas.text((left + right) / 2, base + 25, self.x.label, SMALL, QUIET, align="center")

    def _across(self, most: int) -> list[float]:
        """The ticks of the x axis: round values, and its end if that has room beside them."""
        values = self.x.ticks(most)
        if not (self.x.last and self.x.log):
            return values
        before, end = values[-1], self.x.high
        widths = sum(text_width(self.x.text(value), SMALL) for value in (before, end)) / 2
        distance = self.at(end, self.y.low)[0] - self.at(before, self.y.low)[0]
        return [*values, end] if distance >= widths + APART else values

    def curve(
        self,
        points: Iterable[tuple[float, float]],
        colour: str,
        width: float = 1.8,
        dash: tuple[float, ...] = (),
        name: str = "",
        label: str = "",
    ) -> None:
        """A polyline through points of the data; the parts outside the plot are cut off.

        name: in the figure's description; without one, the name that the key gives to this colour and dash. label: at
        the curve's end, once `write_labels` is called.
        """
        given = list(points)
        pieces = _pieces([self.at(*point) for point in given], self.box)
        self._lines += [self.canvas.line(piece, colour, width, dash) for piece in pieces]
        self._curves.append(_DrawnCurve(label, colour, dash, tuple(map(tuple, pieces))))
        name = name or self.canvas.curves.get((colour, dash), "")
        if name:
            step = max(1, len(given) // SAMPLES)
            shown = [*given[:-1:step], *given[-1:]]
            across, up = self.x.column or "x", self.y.column or "y"
            rows: list[dict[str, TableCell]] = [
                {"curve": name, across: x * self.x.scale, up: y * self.y.scale} for x, y in shown
            ]
            self.canvas.tell(self.y.label or "Curves", rows)

    def shade(self, low: float, high: float, name: str = "error") -> None:
        """Hatch the range of x from `low` to `high` in a role's colours; `mark` leaves the curves clear."""
        self._hatch(low, high, name, (self.box[1], self.box[3]))

    def mark(self, low: float, high: float, name: str = "error") -> None:
        """Hatch a strip below the x axis from `low` to `high`, in a role's colours: no curve runs there."""
        self._hatch(low, high, name, (self.box[3], self.box[3] + STRIP))

    def _hatch(self, low: float, high: float, name: str, between: tuple[float, float]) -> None:
        look, (top, bottom) = role(name), between
        low, high = max(low, self.x.low), min(high, self.x.high)
        if high > low:
            box = (self.at(low, self.y.low)[0], top, self.at(high, self.y.low)[0], bottom)
            self.canvas.boxes([box], look.fill, look.line, hatch="////")

    def dot(self, x: float, y: float, colour: str, shape: str = "o", size: float = 6.0) -> None:
        """Mark a point of the data, if it lies in the plot. shape: a marker of matplotlib."""
        place = self.at(x, y)
        left, top, right, bottom = self.box
        if left - 1 <= place[0] <= right + 1 and top - 1 <= place[1] <= bottom + 1:
            self.canvas.dot(*place, colour, shape, size, PAGE[0])

    def note(
        self,
        x: float,
        y: float,
        text: str,
        colour: str = INK,
        align: str = "left",
        shift: PagePoint = (0.0, 0.0),
        clear: bool = False,
    ) -> None:
        """A label at a point of the data, moved by `shift` points right and down, and kept inside the plot.

        clear: the curves drawn before are interrupted behind it, as the grid always is.
        """
        left, top, right, bottom = self.box
        px, py = self.at(x, y)
        width = text_width(text, BODY)
        before = {"left": 0.0, "center": width / 2, "right": width}[align]
        px = min(max(px + shift[0], left + before + 2), right - (width - before) - 2)
        py = min(max(py + shift[1], top + 6), bottom - 6)
        if clear:
            box = (px - before - 2, py - 5.5, px - before + width + 2, py + 5.5)
            for line in self._lines:
                gaps.leave_out(line, box)
        self.canvas.text(px, py, text, BODY, colour, align=align)
        self.reserve(Patch(px - before + width / 2, py, width, BODY))

    def reserve(self, patch: Patch) -> None:
        """Keep a place for a label: the grid leaves it out, and names of curves avoid it."""
        self.noted.append(patch)
        for line in self._grid:
            line.leave_out(patch)

    def labels(self, ends: Sequence[tuple[float, str]], room: float = 6.0) -> None:
        """Texts to the right of the plot, each as near as possible to its y; `write_labels` also names curves."""
        _, top, right, bottom = self.box
        wanted = sorted((min(max(self.at(self.x.low, y)[1], top), bottom), text) for y, text in ends)
        for place, (_, text) in zip(spread([y for y, _ in wanted], top, bottom), wanted, strict=True):
            self.canvas.text(right + room, place, text, SMALL)

    @property
    def segments(self) -> list[PageSegment]:
        """The lines of all curves, on the page."""
        return [pair for curve in self._curves for pair in curve.segments]

    def write_labels(self, inside: bool = False, key_end: float | None = None) -> None:
        """Name the curves: at the right of the plot if they end there, otherwise beside them, inside the plot.

        inside: all of them inside the plot. Curves without room for a name have a key above the plot, which ends at
        `key_end` (the plot's right edge) on the page.
        """
        labelled = [curve for curve in self._curves if curve.label and curve.pieces]
        right = math.inf if inside else self.box[2] - 0.5
        self._write_beside([curve for curve in labelled if curve.pieces[-1][-1][0] >= right])
        left_over = self._write_along([curve for curve in labelled if curve.pieces[-1][-1][0] < right])
        self._write_key(left_over, self.box[2] if key_end is None else key_end)

    def _write_beside(self, curves: Sequence[_DrawnCurve]) -> None:
        _, top, right, bottom = self.box
        curves = sorted(curves, key=lambda curve: curve.pieces[-1][-1][1])
        ends = [curve.pieces[-1][-1][1] for curve in curves]
        for curve, end, place in zip(curves, ends, spread(ends, top, bottom), strict=True):
            if abs(place - end) > SHIFTED:
                self.canvas.line([(right + 1.5, end), (right + ROOM - 2, place)], curve.colour, 0.6)
            self.canvas.text(right + ROOM, place, curve.label, SMALL, ink(curve.colour))

    def _write_along(self, curves: Sequence[_DrawnCurve]) -> list[_DrawnCurve]:
        """Name curves inside the plot; those that are left have no room for a name."""
        shown = [LabelledCurve(curve.segments, text_width(curve.label, SMALL)) for curve in curves]
        lines = [pair for curve in self._curves if curve not in curves for pair in curve.segments]
        left, top, right, bottom = self.box
        within = (left + 2, top + 1, right - 2, bottom - 2)
        places = curve_labels.along(shown, within, lines, self.noted)
        for curve, place in zip(curves, places, strict=True):
            if place is not None:
                self.canvas.text(place.x, place.y, curve.label, SMALL, ink(curve.colour), align="center")
                self.reserve(place)
        return [curve for curve, place in zip(curves, places, strict=True) if place is None]

    def _write_key(self, curves: Sequence[_DrawnCurve], x: float) -> None:
        """Curves with a sample of each, in the row of the y axis's name, up to x."""
        y = self.box[1] - 11
        for curve in reversed(curves):
            self.canvas.text(x, y, curve.label, SMALL, ink(curve.colour), align="right")
            x -= text_width(curve.label, SMALL) + 4
            self.canvas.line([(x - 18, y), (x, y)], curve.colour, 1.8, curve.dash)
            x -= 18 + 12


def _pieces(points: Sequence[PagePoint], box: Bounds) -> list[list[PagePoint]]:
    """The parts of a polyline inside a box."""
    pieces: list[list[PagePoint]] = []
    for start, end in pairwise(points):
        cut = inside(start, end, box)
        if cut is None:
            continue
        if pieces and pieces[-1][-1] == cut[0]:
            pieces[-1].append(cut[1])
        else:
            pieces.append(list(cut))
    return pieces
