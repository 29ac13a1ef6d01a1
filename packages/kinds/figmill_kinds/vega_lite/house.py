"""The look of the book's other charts, for a chart of Vega-Lite: what its own source states takes precedence.

A title at the left; the title of the vertical axis above it, and upright; light lines at values, without a frame;
areas in the palette's fills and lines, and room above the highest bar. Pure.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from lxml import etree

from figmill.kind import GRID, MUTED, TEXT, role

SVG = "{http://www.w3.org/2000/svg}"
TONES = tuple(role(name) for name in ("compute", "routing", "data", "error", "accent", "neutral"))
SMALL = 11  # px of titles of axes
ABOVE = 9  # px between the title of the vertical axis and the plot
BESIDE = 8  # px between the values of the vertical axis and the lines at them, as in the book's other plots
# What says where the title of an axis stands.
PLACES = frozenset(
    f"title{part}" for part in ("Angle", "Align", "Anchor", "Baseline", "Orient", "Padding", "X", "Y")
)
FACETS = frozenset({"row", "column", "facet"})
DATA = frozenset({"data", "datasets", "values"})
HEADROOM = 1.1
SHARES = (1.0, 100.0)  # a scale of shares ends here
FREE = 1.05  # times its highest value: a domain that ends above needs no more room
ALONE = frozenset({"x", "y", "tooltip", "text", "href", "description"})  # channels that stack no bars
THIN = 4.0  # px of a bar whose outline would be all of it
_BAR = re.compile(r"h(-?[\d.]+)v(-?[\d.]+)")


def config(chart: Mapping[str, Any]) -> dict[str, Any]:
    """The palette and the look as Vega-Lite's `config`, below the chart's own."""
    ink, lines = TEXT[0], role("neutral").line
    text_colours = {"labelColor": ink, "titleColor": ink}
    titles = {**text_colours, "titleFontSize": SMALL, "titleFontWeight": "normal"}
    marks = [tone.line for tone in TONES]
    settings: dict[str, Any] = {
        "mark": {"color": marks[0]},
        "text": {"color": ink},
        "rule": {"color": lines},
        "axis": {**titles, "domainColor": lines, "tickColor": lines, "gridColor": GRID[0]},
        "legend": titles,
        "header": titles,
        "boxplot": {"median": {"color": ink}},
        "title": {
            "color": ink,
            "subtitleColor": MUTED[0],
            "anchor": "start",
            "frame": "group",
            "fontSize": 14,
            "offset": 10,
        },
        "view": {"stroke": None},
        "range": {"category": marks},
    }
    if _has_lines(chart):
        settings["axisYQuantitative"] = {"domain": False, "ticks": False, "labelPadding": BESIDE}
    if _has_room_above(chart):
        settings["axisY"] = {
            "titleAngle": 0,
            "titleAlign": "left",
            "titleBaseline": "bottom",
            "titleX": 0,
            "titleY": -ABOVE,
        }
    return settings


def _has_lines(chart: Mapping[str, Any]) -> bool:
    """Whether lines at its values replace the line and the ticks of a vertical axis: the chart has not removed them."""
    is_plain = not any(name.startswith("axis") for name in _mapping(chart.get("config")))
    return is_plain and not any("bin" in mapping or "grid" in mapping for mapping in _mappings(chart))


def _has_room_above(chart: Mapping[str, Any]) -> bool:
    """Whether nothing else stands above the plot, and the chart does not place titles of axes itself."""
    for mapping in _mappings(chart):
        if not (PLACES | FACETS | {"resolve"}).isdisjoint(mapping):
            return False
        axes = (_mapping(value) for name, value in mapping.items() if name.startswith("axis"))
        if any(axis.get("orient") in ("top", "right") for axis in axes):
            return False
    return True


def with_headroom(chart: Mapping[str, Any], rows: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """The chart with a domain that ends above its highest bar; the same chart if it computes or states its domain.

    rows: of the chart's data.
    """
    mark, encoding = chart.get("mark"), _mapping(chart.get("encoding"))
    kind = mark.get("type") if isinstance(mark, dict) else mark
    y = _mapping(encoding.get("y"))
    is_plain = y.get("type") == "quantitative" and {"field", "type", "title", "axis"}.issuperset(y)
    fields = {name for name, channel in encoding.items() if "field" in _mapping(channel)}
    if kind != "bar" or not is_plain or "transform" in chart or not fields <= ALONE:
        return dict(chart)
    try:
        highest = max(float(row[y["field"]]) for row in rows)
    except (KeyError, TypeError, ValueError):
        return dict(chart)
    if not 0 < highest < math.inf or highest in SHARES or nice(highest) > FREE * highest:
        return dict(chart)
    roomy = {**y, "scale": {"domainMax": HEADROOM * highest}}
    return {**chart, "encoding": {**encoding, "y": roomy}}


def nice(highest: float) -> float:
    """Where Vega ends a domain from 0 by default: at a multiple of 1, 2 or 5 times a power of 10, as in d3-array."""
    share = highest / 10
    power = 10.0 ** math.floor(math.log10(share))
    factor = next((each for each in (10, 5, 2) if share / power >= math.sqrt(each * each / 2)), 1)
    return math.ceil(highest / (factor * power)) * factor * power


def outlined(drawing: etree._Element, text: str) -> None:
    """Give areas in a line colour of the palette its role's fill and line. text: the source, which may ask for it."""
    tones = {tone.line: tone for tone in TONES if tone.line not in text.casefold()}
    bars = [list(_bars(group)) for group in _groups(drawing, "mark-rect", "role-mark")]
    areas = [bar for group in bars if _are_wide(group) for bar in group]
    for kind in ("mark-arc", "mark-area"):
        areas += _paths(drawing, kind, "role-mark")
    points = {point.get("fill") for point in _paths(drawing, "mark-symbol", "role-mark")}
    changed = set()
    for area in areas:
        colour = str(area.get("fill"))
        is_plain = {area.get("opacity", "1"), area.get("fill-opacity", "1")} == {"1"}
        if colour in tones and is_plain and area.get("stroke") is None:
            changed.add(colour)
            _paint(area, tones[colour].fill, colour)
    for sign in _paths(drawing, "mark-symbol", "role-legend-symbol"):
        colour = str(sign.get("fill"))
        if colour in changed - points and sign.get("stroke") is None:
            _paint(sign, tones[colour].fill, colour)


def _paint(area: etree._Element, fill: str, line: str) -> None:
    for name, value in (("fill", fill), ("stroke", line), ("stroke-width", "1")):
        area.set(name, value)


def _bars(group: etree._Element) -> Iterator[etree._Element]:
    """The bars of a group that have an area."""
    for path in group.iterfind(f"{SVG}path"):
        sides = _BAR.search(str(path.get("d", "")))
        if sides is None or (float(sides[1]) and float(sides[2])):
            yield path


def _are_wide(bars: Iterable[etree._Element]) -> bool:
    sides = [_BAR.search(str(bar.get("d", ""))) for bar in bars]
    return all(
        max((abs(float(each[side])) for each in sides if each), default=THIN) >= THIN for side in (1, 2)
    )


def _paths(drawing: etree._Element, *classes: str) -> Iterator[etree._Element]:
    for group in _groups(drawing, *classes):
        yield from group.iterfind(f"{SVG}path")


def _groups(drawing: etree._Element, *classes: str) -> Iterator[etree._Element]:
    for group in drawing.iter(f"{SVG}g"):
        if set(classes) <= set(str(group.get("class", "")).split()):
            yield group


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}


def _mappings(value: Any) -> Iterator[Mapping[str, Any]]:
    """Every mapping of a chart, except those in its data."""
    waiting = [value]
    while waiting:
        item = waiting.pop()
        if isinstance(item, dict):
            yield item
            waiting += [child for name, child in item.items() if name not in DATA]
        elif isinstance(item, list):
            waiting += item
