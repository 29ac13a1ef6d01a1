"""A page measured in points from its top left corner, with boxes, lines and text.

A thin layer over matplotlib's artists. Boxes of one style share one path, so that a figure of thousands of spans stays
small. It does not use pyplot or rcParams, and does not save anything.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache

import numpy as np
from matplotlib.figure import Figure
from matplotlib.font_manager import FontProperties, fontManager
from matplotlib.lines import Line2D
from matplotlib.patches import PathPatch
from matplotlib.path import Path
from matplotlib.text import Text
from matplotlib.textpath import text_to_path
from matplotlib.transforms import TransformedPath

from figmill_timelines.language import in_lines
from figmill_timelines.palette import MUTED, PAGE, TEXT

TableCell = None | bool | int | float | str  # a cell of a table
Bounds = tuple[float, float, float, float]  # left, top, right, bottom
PagePoint = tuple[float, float]  # distance from the left and from the top

INK, QUIET, PAPER = TEXT[0], MUTED[0], PAGE[0]
BODY, SMALL, TINY = 9.0, 8.0, 7.0  # sizes of text in points
TITLE = 12.0


def family() -> str:
    """The book's typeface if it is registered, else matplotlib's sans-serif."""
    return _family(len(fontManager.ttflist))


@lru_cache(maxsize=1)
def _family(_registered: int) -> str:
    """The typeface; the number of registered fonts is the cache's key."""
    return "Arimo" if any(font.name == "Arimo" for font in fontManager.ttflist) else "sans-serif"


def font(size: float, bold: bool = False) -> FontProperties:
    """The book's typeface at `size` points."""
    return FontProperties(family=family(), size=size, weight="bold" if bold else "normal")


def text_width(text: str, size: float, bold: bool = False) -> float:
    """The width of a text in points."""
    return _text_width(text, size, bold, len(fontManager.ttflist))


@lru_cache(maxsize=8192)
def _text_width(text: str, size: float, bold: bool, _registered: int) -> float:
    """The width; as long as no font is registered, a text of a chart is measured once and not for each place tried."""
    width, _, _ = text_to_path.get_text_width_height_descent(text, font(size, bold), ismath=False)
    return float(width)


def wrapped(text: str, room: float, size: float, bold: bool = False) -> list[str]:
    """A text in lines of at most `room` points, broken between words, or between Chinese and Japanese characters."""
    return in_lines(text, lambda phrase: _lines(phrase, room, size, bold))


def _lines(text: str, room: float, size: float, bold: bool) -> list[str]:
    lines: list[str] = []
    for gap, word in _BREAKS.findall(text):
        joined = f"{lines[-1]}{' ' if gap else ''}{word}" if lines else word
        if lines and text_width(joined, size, bold) <= room:
            lines[-1] = joined
        elif joined != word or not lines:
            lines.append(word)
    return lines


# A word, or a character of a script without spaces and the marks after it, each with the spaces before it.
# The spaces inside of a number are part of a word.
_BREAKS = re.compile(
    r"([^\S\xa0\u202f]*)([\u3041-\u30ff\u3400-\u9fff][\u3001-\u3020\u30fc\uff01-\uff0f\uff1a-\uff1f]*"
    r"|(?:[^\s\u3041-\u30ff\u3400-\u9fff]|[\xa0\u202f])+)"
)


class Canvas:
    """A page of `width` x `height` points. y runs down; later artists lie on top."""

    def __init__(self, width: float, height: float) -> None:
        self.width, self.height = width, height
        self.figure = Figure(figsize=(width / 72, height / 72), facecolor=PAPER)
        self.axes = self.figure.add_axes((0, 0, 1, 1))
        self.axes.set_xlim(0, width)
        self.axes.set_ylim(height, 0)
        self.axes.set_axis_off()
        self.tables: dict[str, list[dict[str, TableCell]]] = {}
        self.figure.figmill_tables = self.tables  # type: ignore[attr-defined]  # where figmill looks for them
        # colour and dash -> name, of a plot's curves
        self.curves: dict[tuple[str, tuple[float, ...]], str] = {}
        self._fonts = {bold: font(BODY, bold) for bold in (False, True)}
        self._page = TransformedPath(Path.unit_rectangle(), self.axes.transAxes)
        self._layer = 1.0

    def tell(self, title: str, rows: Iterable[Mapping[str, TableCell]]) -> None:
        """Describe what is drawn for readers who cannot see it: rows of a table, each column's name with its unit."""
        self.tables.setdefault(title, []).extend(dict(row) for row in rows)

    def boxes(
        self,
        boxes: Iterable[Bounds],
        fill: str,
        line: str | None = None,
        width: float = 0.8,
        hatch: str | None = None,
    ) -> None:
        """Boxes of one style. A hatch has the line's colour, is wider without a fill, and its box has no outline."""
        corners = np.array(list(boxes), dtype=float).reshape(-1, 4)
        if not len(corners):
            return
        ring = corners[:, [0, 1, 2, 1, 2, 3, 0, 3, 0, 1]].reshape(-1, 5, 2)
        codes = np.tile([Path.MOVETO, Path.LINETO, Path.LINETO, Path.LINETO, Path.CLOSEPOLY], len(corners))
        patch = PathPatch(
            Path(ring.reshape(-1, 2), codes),
            facecolor=fill,
            edgecolor=line or "none",
            linewidth=0 if hatch or not line else width,
            hatch=hatch,
            joinstyle="miter",
        )
        patch.set_hatch_linewidth(0.55 if fill == "none" else 0.45)
        self._add(patch)

    def area(self, points: Sequence[tuple[float, float]], fill: str) -> None:
        """A filled polygon without an outline."""
        self._add(PathPatch(Path(points), facecolor=fill, edgecolor="none", linewidth=0))

    def line(
        self,
        points: Sequence[tuple[float, float]],
        colour: str,
        width: float = 0.8,
        dash: tuple[float, ...] = (),
    ) -> Line2D:
        """A polyline through these points; it is returned so that gaps can be cut into it."""
        xs, ys = zip(*points, strict=True)
        polyline = Line2D(
            xs,
            ys,
            color=colour,
            linewidth=width,
            linestyle=(0.0, dash) if dash else "-",
            solid_joinstyle="miter",
            solid_capstyle="butt",
        )
        self._add(polyline)
        return polyline

    def lines(
        self,
        pieces: Iterable[Sequence[tuple[float, float]]],
        colour: str,
        width: float = 0.8,
        dash: tuple[float, ...] = (),
    ) -> None:
        """Many polylines of one style, as one path."""
        given = [list(piece) for piece in pieces]
        if given:
            codes = [code for piece in given for code in [Path.MOVETO, *[Path.LINETO] * (len(piece) - 1)]]
            path = Path([point for piece in given for point in piece], codes)
            patch = PathPatch(path, facecolor="none", edgecolor=colour, linewidth=width, capstyle="butt")
            patch.set_linestyle((0.0, dash) if dash else "-")
            self._add(patch)

    def areas(
        self,
        polygons: Iterable[Sequence[tuple[float, float]]],
        fill: str,
        line: str | None = None,
        width: float = 0.8,
        dash: tuple[float, ...] = (),
        hatch: str | None = None,
    ) -> None:
        """Many filled polygons of one style, as one path. No line or no width: no outline. A hatch has its colour."""
        given = [list(polygon) for polygon in polygons]
        if given:
            codes = [
                c for piece in given for c in [Path.MOVETO, *[Path.LINETO] * (len(piece) - 1), Path.CLOSEPOLY]
            ]
            path = Path([point for piece in given for point in [*piece, piece[0]]], codes)
            outlined = line is not None and width > 0
            patch = PathPatch(
                path,
                facecolor=fill,
                edgecolor=line if line and (outlined or hatch) else "none",
                linewidth=width if outlined else 0,
                hatch=hatch,
                joinstyle="miter",
            )
            patch.set_hatch_linewidth(0.55)
            if dash:
                patch.set_linestyle((0.0, dash))
            self._add(patch)

    def dots(self, points: Sequence[tuple[float, float]], colour: str, size: float) -> None:
        """Round dots of one style, as one artist."""
        xs, ys = zip(*points, strict=True)
        self._add(
            Line2D(xs, ys, marker="o", markersize=size, color=colour, markeredgecolor=colour, linewidth=0)
        )

    def dot(
        self, x: float, y: float, colour: str, shape: str = "o", size: float = 6.0, edge: str = PAPER
    ) -> None:
        """A marker in matplotlib's notation, `size` points wide, with an edge that separates it from a curve."""
        self._add(
            Line2D([x], [y], marker=shape, markersize=size, color=colour, markeredgecolor=edge, linewidth=0)
        )

    def text(
        self,
        x: float,
        middle: float,
        text: str,
        size: float = BODY,
        colour: str = INK,
        bold: bool = False,
        align: str = "left",
    ) -> None:
        """One line of text whose capitals are centred on `middle`; align: left, center or right of x."""
        properties = self._fonts[bold].copy()
        properties.set_size(size)
        # Capitals and digits are 0.72 em high, so the baseline lies half of that below the middle.
        self._add(
            Text(
                x,
                middle + 0.36 * size,
                text,
                color=colour,
                fontproperties=properties,
                ha=align,
                va="baseline",
            )
        )

    def rotated(
        self, x: float, y: float, text: str, degrees: float, colour: str = INK, size: float = SMALL
    ) -> None:
        """One line of text rotated by `degrees` about the middle of its baseline, which lies at (x, y)."""
        properties = self._fonts[False].copy()
        properties.set_size(size)
        self._add(
            Text(
                x,
                y,
                text,
                color=colour,
                fontproperties=properties,
                rotation=degrees,
                rotation_mode="anchor",
                ha="center",
                va="baseline",
            )
        )

    def _add(self, artist: PathPatch | Line2D | Text) -> None:
        artist.set_zorder(self._layer)
        self._layer += 1e-4
        # clips nothing; without it, the axes would make a path for each artist
        artist.set_clip_path(self._page)
        artist.set_clip_on(False)
        self.axes.add_artist(artist)
