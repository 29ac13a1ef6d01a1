"""The data of a plot as tables, from the artists of matplotlib's figure: lines, points and bars, by their axes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any

from figmill.kind.tables import WrongTableError, evenly, fitting, stated, table
from figmill.model import FigureTable

ATTRIBUTE = "figmill_tables"  # attribute of a Figure: the chart's own tables, title -> rows
SERIES, POINTS = 12, 200  # the most per axes, and per series
FEWEST = 2  # points; a single one is a mark


def tables_of(figure: Any) -> tuple[FigureTable, ...]:
    """The tables of a figure; empty if its artists cannot be read. Changes nothing."""
    own = getattr(figure, ATTRIBUTE, None)
    if own is not None:
        with suppress(WrongTableError):
            return fitting(stated(own))
    tables: list[FigureTable] = []
    for number, axes in enumerate(getattr(figure, "axes", ()), 1):
        with suppress(Exception):  # artists of other libraries can be anything
            if axes.get_visible() and axes.axison and (table := _axes(axes, number)) is not None:
                tables.append(table)
    return fitting(tables)


def _axes(axes: Any, number: int) -> FigureTable | None:
    """One table of an axes: a column for x, and one for each series where all have the same x; else three columns."""
    name = str(axes.get_title() or axes.get_title("left") or "").strip() or f"Plot {number}"
    across, up = str(axes.get_xlabel()).strip() or "x", str(axes.get_ylabel()).strip() or "y"
    series = list(_series(axes))[:SERIES]
    if not series:
        return None
    total = max(len(points) for _, points in series)
    series = [(label, evenly(points, POINTS)) for label, points in series]
    first = [x for x, _ in series[0][1]]
    if all([x for x, _ in points] == first for _, points in series):
        labels = [
            label or (up if len(series) == 1 else f"series {n}") for n, (label, _) in enumerate(series, 1)
        ]
        rows = [(x, *(points[at][1] for _, points in series)) for at, x in enumerate(first)]
        return table(name, (across, *labels), rows, total=total)
    rows = [(label or f"series {n}", x, y) for n, (label, points) in enumerate(series, 1) for x, y in points]
    return table(name, ("series", across, up), rows, total=max(total, len(rows)))


def _series(axes: Any) -> Iterator[tuple[str, Sequence[tuple[Any, Any]]]]:
    """The label and the points of each line, cloud of points and group of bars."""
    ticks = _names(axes)
    for line in axes.get_lines():
        if line.get_visible() and line.get_transform().contains_branch(axes.transData):
            points = list(zip(line.get_xdata(orig=True), line.get_ydata(orig=True), strict=False))
            if len(points) >= FEWEST:
                yield _label(line), [(_value(x), _value(y)) for x, y in points]
    for cloud in axes.collections:
        offsets = cloud.get_offsets() if type(cloud).__name__ == "PathCollection" else ()
        if len(offsets) >= FEWEST:
            yield _label(cloud), [(float(x), float(y)) for x, y in offsets]
    for bars in axes.containers:
        if type(bars).__name__ == "BarContainer" and len(bars) >= 1:
            is_upright = getattr(bars, "orientation", "vertical") != "horizontal"
            yield _label(bars), [_bar(patch, is_upright, ticks[not is_upright]) for patch in bars.patches]


def _bar(patch: Any, is_upright: bool, names: Mapping[float, str]) -> tuple[Any, Any]:
    middle = patch.get_x() + patch.get_width() / 2 if is_upright else patch.get_y() + patch.get_height() / 2
    length = patch.get_height() if is_upright else patch.get_width()
    near = next((name for at, name in names.items() if abs(at - middle) < 0.45), None)
    return near or round(float(middle), 9), float(length)


def _names(axes: Any) -> tuple[Mapping[float, str], Mapping[float, str]]:
    """The labels at the ticks of both axes, if they name things."""
    names = []
    for axis in (axes.xaxis, axes.yaxis):
        kind = type(axis.get_major_formatter()).__name__
        is_named = kind in ("FixedFormatter", "StrCategoryFormatter", "FuncFormatter")
        labels = [tick.get_text() for tick in axis.get_ticklabels()] if is_named else []
        names.append({float(at): text for at, text in zip(axis.get_ticklocs(), labels, strict=False) if text})
    return names[0], names[1]


def _label(artist: Any) -> str:
    label = str(artist.get_label())
    return "" if label.startswith("_") else label


def _value(value: Any) -> Any:
    plain = value.item() if hasattr(value, "item") and getattr(value, "ndim", 0) == 0 else value
    if hasattr(value, "dtype") and getattr(value.dtype, "kind", "") == "M":
        return str(value)
    return plain
