"""Styles of draw.io: `rounded=1;fillColor=#dae8fc` as names and values, on top of the defaults of its style sheet.
Pure.

The named styles are those of draw.io's own sheet `default.xml` that change what figmill draws.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from types import MappingProxyType

Style = Mapping[str, str]

_FONT = {
    "fontSize": "12",
    "fontColor": "default",
    "align": "center",
    "verticalAlign": "middle",
    "strokeColor": "default",
}
VERTEX: Style = MappingProxyType({**_FONT, "shape": "rectangle", "fillColor": "default"})
EDGE: Style = MappingProxyType(
    {
        **_FONT,
        "shape": "connector",
        "fontSize": "11",
        "endArrow": "classic",
        "rounded": "1",
        "labelBackgroundColor": "default",
    }
)
_TEXT = {
    "shape": "rectangle",
    "fillColor": "none",
    "strokeColor": "none",
    "align": "left",
    "verticalAlign": "top",
}
_LABEL = {
    "fontStyle": "1",
    "align": "left",
    "spacingLeft": "52",
    "imageWidth": "42",
    "imageHeight": "42",
    "rounded": "1",
    "shape": "label",
}
_IMAGE = {"shape": "image", "verticalAlign": "top", "verticalLabelPosition": "bottom"}
_TINTS = {
    "gray": ("F5F5F5", "666666"),
    "blue": ("DAE8FC", "6C8EBF"),
    "green": ("D5E8D4", "82B366"),
    "turquoise": ("D5E8D4", "6A9153"),
    "yellow": ("FFF2CC", "D6B656"),
    "orange": ("FFCD28", "D79B00"),
    "red": ("F8CECC", "B85450"),
    "pink": ("E6D0DE", "996185"),
    "purple": ("E1D5E7", "9673A6"),
}
NAMED: Mapping[str, Style] = MappingProxyType(
    {
        "text": _TEXT,
        "edgeLabel": {**_TEXT, "labelBackgroundColor": "default", "fontSize": "11"},
        "label": _LABEL,
        "icon": {
            **_LABEL,
            "align": "center",
            "imageAlign": "center",
            "verticalLabelPosition": "bottom",
            "verticalAlign": "top",
            "spacingLeft": "0",
            "spacingTop": "6",
            "fontStyle": "0",
        },
        "swimlane": {"shape": "swimlane", "fontStyle": "1", "startSize": "23"},
        "group": {"verticalAlign": "top", "fillColor": "none", "strokeColor": "none"},
        "ellipse": {"shape": "ellipse", "perimeter": "ellipsePerimeter"},
        "rhombus": {"shape": "rhombus", "perimeter": "rhombusPerimeter"},
        "triangle": {"shape": "triangle", "perimeter": "trianglePerimeter"},
        "line": {"shape": "line", "strokeWidth": "4", "verticalAlign": "top", "spacingTop": "8"},
        "image": _IMAGE,
        "roundImage": {**_IMAGE, "perimeter": "ellipsePerimeter"},
        "rhombusImage": {**_IMAGE, "perimeter": "rhombusPerimeter"},
        "arrow": {"shape": "arrow", "edgeStyle": "none", "fillColor": "default"},
        **{
            f"{plain}{name}": {"fillColor": f"#{fill}", "strokeColor": f"#{line}"}
            for plain in ("", "plain-")
            for name, (fill, line) in _TINTS.items()
        },
    }
)
# Words without a value that name a shape, not a style.
BARE_SHAPES = (
    "actor",
    "cloud",
    "cylinder",
    "doubleEllipse",
    "hexagon",
    "umlActor",
    "startState",
    "endState",
    "shape",
)
_COLOUR = re.compile(r"#(?:[0-9a-fA-F]{3}|[0-9a-fA-F]{6}|[0-9a-fA-F]{8})|[a-zA-Z]{3,20}|rgba?\([\d\s.,%/]+\)")
_TWO = re.compile(r"light-dark\(\s*((?:[^(),]|\([^)]*\))+),.*\)", re.DOTALL)


def style_of(text: str, default: Style) -> Style:
    """All values of a cell's style."""
    style = {} if text.startswith(";") else dict(default)
    for part in text.split(";"):
        name, is_pair, value = part.strip().partition("=")
        if is_pair:
            style[name] = value.strip()
        elif name in NAMED:
            style.update(NAMED[name])
        elif name in BARE_SHAPES or name.startswith("mxgraph."):
            style["shape"] = name
    return style


def number(style: Style, name: str, default: float = 0.0) -> float:
    """A finite number from a style."""
    try:
        value = float(style.get(name, default))
    except ValueError:
        return default
    return value if math.isfinite(value) and abs(value) < 1e6 else default


def is_on(style: Style, name: str, default: str = "0") -> bool:
    return style.get(name, default) == "1"


def colour(style: Style, name: str, default: str = "none", otherwise: str = "#000000") -> str:
    """A colour for SVG; empty for none. otherwise: what `default` stands for."""
    value = style.get(name, default).strip()
    if two := _TWO.fullmatch(value):
        value = two[1].strip()
    if re.fullmatch(r"[0-9a-fA-F]{6}", value):
        value = f"#{value}"
    if value in ("none", "", "transparent") or not _COLOUR.fullmatch(value):
        return ""
    return otherwise if value in ("default", "inherit", "swimlane", "strokeColor") else value
