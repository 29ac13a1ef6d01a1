"""The computed style of an element in a label: inherited values and its own declarations.

Knows nothing of selectors or of positions. Raises NotSimpleError for a property that this package does not lay out.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import field, replace
from types import MappingProxyType
from typing import Any

from figmill.late_dataclasses import dataclass
from figmill.svg.geometry.text_layout import NAMED
from figmill.svg.html.css.properties import READERS, REFUSERS, NotSimpleError
from figmill.svg.html.css.values import (
    CLEAR,
    DRAWN,
    SIDES,
    WIDTHS,
    Size,
    colour,
    faded,
    filled,
    size,
)
from figmill.svg.passes.fonts import choose, split
from figmill.svg.xml.units import without_rem

LARGEST_TYPE = 10_000.0
SMALLER = 1.2
INITIAL = 16.0
FIXED = 13 / 16  # share of the usual size: browsers' default for code without a size of its own
BLACK = "#000000"
NOTHING = Size(0.0)


@dataclass(frozen=True, slots=True)
class Edges:
    """One length per side; None means auto."""

    top: Size | None = NOTHING
    right: Size | None = NOTHING
    bottom: Size | None = NOTHING
    left: Size | None = NOTHING


@dataclass(frozen=True, slots=True)
class Border:
    """The border along one side."""

    width: float = 0.0
    color: str = BLACK
    style: str = "solid"


@dataclass(frozen=True, slots=True)
class ComputedStyle:
    """Everything that decides how an element looks. Children inherit the first part."""

    font_size: float = INITIAL
    root_size: float = INITIAL  # of the drawing, for lengths in rem
    is_font_size_absolute: bool = False  # given in px, so monospaced text is not made smaller
    bold: bool = False
    italic: bool = False
    mono: bool = False
    color: str = BLACK
    line_height: float | None = None  # as a multiple of the font size; None: the font's own line height
    line_height_px: float | None = None  # takes precedence over `line_height`
    text_align: str = "start"
    white_space: str = "normal"
    letter_spacing: float = 0.0
    word_spacing: float = 0.0
    text_transform: str = "none"
    list_style_type: str = "disc"
    overflow_wrap: str = "normal"
    word_break: str = "normal"
    text_indent: float = 0.0
    is_visible: bool = True
    border_spacing: float = 2.0  # between cells
    text_decoration_line: frozenset[str] = frozenset()
    is_own_color: bool = False  # the author chose the colour for the current theme
    opacity: float = 1.0  # multiplied by that of all ancestors
    custom_properties: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    # Not inherited from here on.
    display: str = "inline"
    width: Size | str | None = None
    height: Size | None = None
    min_size: tuple[Size | None, Size | None] = (None, None)
    max_size: tuple[Size | None, Size | None] = (None, None)
    margin: Edges = Edges()
    padding: Edges = Edges()
    borders: tuple[Border, Border, Border, Border] = (Border(),) * 4
    is_border_box: bool = False
    background_color: str = CLEAR
    is_own_background: bool = False
    border_radius: float = 0.0
    vertical_align: str = "baseline"
    clips_overflow: bool = False
    justify_content: str = "normal"
    align_items: str = "normal"
    align_self: str = "auto"
    is_column: bool = False
    flex_grow: float = 0.0
    gap: float = 0.0

    @property
    def ink(self) -> str:
        return faded(self.color, self.opacity) if self.opacity < 1 else self.color

    @property
    def height_of_line(self) -> float | None:
        """The line height in px; None for the font's own."""
        if self.line_height_px is not None:
            return self.line_height_px
        return None if self.line_height is None else self.line_height * self.font_size


INITIAL_STYLE = ComputedStyle()
OWN: dict[str, Any] = {
    name: getattr(INITIAL_STYLE, name)
    for name in (
        "display",
        "width",
        "height",
        "min_size",
        "max_size",
        "margin",
        "padding",
        "borders",
        "is_border_box",
        "background_color",
        "is_own_background",
        "border_radius",
        "vertical_align",
        "clips_overflow",
        "justify_content",
        "align_items",
        "align_self",
        "is_column",
        "flex_grow",
        "gap",
    )
}
CLEAR_BOX: dict[str, Any] = {
    name: OWN[name] for name in ("margin", "padding", "borders", "background_color", "width", "height")
}


def below(style: ComputedStyle) -> ComputedStyle:
    """The initial style of a child."""
    return replace(style, **OWN)


SCHEMED = " own"  # lists the longhands whose colours are for the current theme; no property has this name
DeclaredValues = Mapping[str, str]  # longhands and variables after the cascade


def of(parent: ComputedStyle, declared: DeclaredValues) -> ComputedStyle:
    """The style of an element inside `parent`. Raises NotSimpleError."""
    own = declared.get(SCHEMED, "").split()
    variables = {name: text for name, text in declared.items() if name.startswith("--")}
    if variables:
        variables = {**parent.custom_properties, **variables}
    properties = variables or parent.custom_properties
    values = {}
    for name, text in declared.items():
        if not name.startswith("--") and (value := filled(text, properties)) is not None:
            value = value if parent.root_size == INITIAL else without_rem(value, parent.root_size)
            values[name] = value.strip()
    style: dict[str, Any] = {**OWN}
    if variables:
        style["custom_properties"] = MappingProxyType(variables)
    _inherit(parent, values)
    _type(parent, values, style)
    em = style.get("font_size", parent.font_size)
    current = style["color"] = _colour(values.get("color"), parent.color, parent.color)
    for name, text in values.items():
        if name in READERS:
            READERS[name](text, em, style)
        elif name in REFUSERS and text.lower() not in REFUSERS[name]:
            raise NotSimpleError(f"`{name}: {text[:40]}`")
    _boxes(values, em, current, style)
    if "color" in values:
        style["is_own_color"] = "color" in own or any(name in declared["color"] for name in own)
    style["is_own_background"] = "background-color" in own
    background = values.get("background-color")
    opacity = style["opacity"] = style.get("opacity", 1.0) * parent.opacity
    style["background_color"] = faded(_colour(background, CLEAR, current), opacity) if background else CLEAR
    if (
        style["display"] in ("inline-block", "inline-flex", "inline-table", "table-cell")
        and "text_decoration_line" not in style
    ):
        style["text_decoration_line"] = frozenset()  # underlines of the surrounding text stop here
    elif "text_decoration_line" in style:
        style["text_decoration_line"] = style["text_decoration_line"] | parent.text_decoration_line
    return replace(parent, **style)


# Properties that are not inherited, except by the keyword `inherit`.
INHERITABLE: Mapping[str, Callable[[ComputedStyle], str]] = {
    "vertical-align": lambda style: style.vertical_align
}


def _inherit(parent: ComputedStyle, values: dict[str, str]) -> None:
    for name in [name for name, text in values.items() if text in ("inherit", "unset", "revert", "initial")]:
        word = values.pop(name)
        if word == "inherit" and name in INHERITABLE:
            values[name] = INHERITABLE[name](parent)
        elif word == "inherit" and name == "background-color":
            values[name] = parent.background_color
        elif word == "initial" and name in FIRST:
            values[name] = FIRST[name]


FIRST = {
    "font-weight": "normal",
    "font-style": "normal",
    "font-size": "medium",
    "line-height": "normal",
    "color": BLACK,
    "text-align": "start",
    "white-space": "normal",
    "text-transform": "none",
}


def _type(parent: ComputedStyle, values: DeclaredValues, style: dict[str, Any]) -> None:
    """Read family, size, weight and slant first, because the size defines em for all other properties."""
    if "font-family" in values:
        style["mono"] = choose(values["font-family"], "sans-serif", "monospace") == "monospace"
    style["font_size"], style["is_font_size_absolute"] = parent.font_size, parent.is_font_size_absolute
    if "font-size" in values:
        text = values["font-size"].lower()
        length = size(text, parent.font_size)
        relative = text.endswith(("%", "em")) and not text.endswith("rem")
        if text in NAMED:
            style["font_size"], style["is_font_size_absolute"] = INITIAL * NAMED[text], False
        elif text in ("smaller", "larger"):
            style["font_size"] = (
                parent.font_size / SMALLER if text == "smaller" else parent.font_size * SMALLER
            )
        elif length is not None:
            style["font_size"] = min(LARGEST_TYPE, max(0.0, length.of(parent.font_size)))
            style["is_font_size_absolute"] = style["is_font_size_absolute"] or not relative
    elif (
        style.get("mono", parent.mono) != parent.mono
        and not parent.is_font_size_absolute
        and _is_only_mono(values)
    ):
        style["font_size"] = parent.font_size * FIXED
    if "font-weight" in values:
        weight = values["font-weight"].lower()
        style["bold"] = weight in ("bold", "bolder", "600", "700", "800", "900")
    if "font-style" in values:
        style["italic"] = values["font-style"].lower().startswith(("italic", "oblique"))


def _is_only_mono(values: DeclaredValues) -> bool:
    return [name.lower() for name in split(values["font-family"])] == ["monospace"]


def _colour(text: str | None, otherwise: str, current: str) -> str:
    return (colour(text, current) if text else None) or otherwise


def _boxes(values: DeclaredValues, em: float, current: str, style: dict[str, Any]) -> None:
    if any(name.startswith("margin-") for name in values):
        style["margin"] = Edges(*(_edge(values.get(f"margin-{side}"), em) for side in SIDES))
    if any(name.startswith("padding-") for name in values):
        style["padding"] = Edges(*(_edge(values.get(f"padding-{side}"), em) or Size(0) for side in SIDES))
    if any(name.startswith("border-") for name in values):
        style["borders"] = tuple(_border(values, side, em, current) for side in SIDES)
    if "width" in values:
        text = values["width"].lower()
        style["width"] = text if text in ("max-content", "min-content", "fit-content") else size(text, em)
    if "height" in values:
        style["height"] = size(values["height"], em)
    for name, key in (("min", "min_size"), ("max", "max_size")):
        if f"{name}-width" in values or f"{name}-height" in values:
            style[key] = tuple(size(values.get(f"{name}-{side}", "none"), em) for side in ("width", "height"))


def _edge(text: str | None, em: float) -> Size | None:
    return Size(0) if text is None else size(text, em)


def _border(values: DeclaredValues, side: str, em: float, current: str) -> Border:
    line_style = values.get(f"border-{side}-style", "none").lower()
    if line_style not in DRAWN:
        return Border()
    text = values.get(f"border-{side}-width", "medium")
    length = size(text, em)
    width = WIDTHS.get(text.lower(), 3.0) if length is None else max(0.0, length.px)
    return Border(width, _colour(values.get(f"border-{side}-color"), current, current), line_style)
