"""An empty x-y chart in the book's style: a title, two named axes, pale ticks. It does not use pyplot or rcParams.

The name of the y axis is above it, so that it is horizontal.
"""

from __future__ import annotations

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.transforms import ScaledTranslation

from figmill_timelines.charts.canvas import BODY, INK, PAPER, QUIET, SMALL, TITLE, font
from figmill_timelines.palette import GRID

NAME = 7.0  # points from the plot to the name of the y axis
LEFT, RIGHT, TOP, BOTTOM = 0.72, 0.25, 0.55, 0.6  # inches around the plot, for its labels


def figure(width: float = 7.6, height: float = 4.2) -> Figure:
    """An empty page; width and height in inches."""
    return Figure(figsize=(width, height), facecolor=PAPER)


def axes(
    page: Figure,
    title: str = "",
    x: str = "",
    y: str = "",
    box: tuple[float, float, float, float] | None = None,
) -> Axes:
    """A plot in `box` (left, bottom, width, height in inches; default: the page less its margins)."""
    width, height = page.get_size_inches()
    left, bottom, across, up = box or (LEFT, BOTTOM, width - LEFT - RIGHT, height - BOTTOM - TOP)
    plot = page.add_axes((left / width, bottom / height, across / width, up / height))
    plot.set_facecolor("none")
    plot.spines[["top", "right", "left"]].set_visible(False)
    plot.spines["bottom"].set_color(GRID[0])
    plot.grid(axis="y", color=GRID[0], linewidth=0.6)
    plot.set_axisbelow(True)
    plot.tick_params(length=0, pad=5, colors=QUIET)
    for label in (plot.xaxis, plot.yaxis):
        label.set_tick_params(labelfontfamily=font(SMALL).get_family()[0], labelsize=SMALL)
    plot.set_xlabel(x, fontproperties=font(SMALL), color=QUIET, labelpad=7)
    if y:
        across = ScaledTranslation(0.0, NAME / 72, page.dpi_scale_trans)
        plot.text(0, 1, y, fontproperties=font(SMALL), color=QUIET, transform=plot.transAxes + across)
    if title:
        above = (height - bottom - up) / height
        place = 1 - above * (0.35 if y else 0.55)
        page.text(left / width, place, title, fontproperties=font(TITLE, bold=True), color=INK)
    return plot


def note(
    plot: Axes, x: float, y: float, text: str, colour: str = INK, align: str = "left", size: float = BODY
) -> None:
    """A label at a point of the data."""
    plot.text(x, y, text, fontproperties=font(size), color=colour, ha=align, va="center")
