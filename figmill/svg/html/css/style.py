"""The computed style of an element in a label: inherited values and its own declarations.

Unaware of selectors and of where boxes stand. Raises NotSimpleError for what this package does not lay out.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any

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

LARGEST_TYPE = 10_000.0
SMALLER = 1.2
INITIAL = 16.0
FIXED = 13 / 16  # of the usual size: browsers' default for code without a size of its own
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
    """The line along one side."""

    width: float = 0.0
    colour: str = BLACK
    dash: str = "solid"


@dataclass(frozen=True, slots=True)
class Style:
    """Everything that decides how an element looks. Children inherit the first part."""

    em: float = INITIAL
    is_absolute: bool = False  # the size was given in px, and code keeps it
    bold: bool = False
    italic: bool = False
    mono: bool = False
    colour: str = BLACK
    line: float | None = None  # in em; None: the font's own line height
    leading: float | None = None  # px
    align: str = "start"
    space: str = "normal"
    letters: float = 0.0
    words: float = 0.0
    case: str = "none"
    bullet: str = "disc"
    wrap: str = "normal"  # overflow-wrap
    breaks: str = "normal"  # word-break
    indent: float = 0.0
    is_visible: bool = True
    spacing: float = 2.0  # between cells
    lines: frozenset[str] = frozenset()  # of text-decoration
    is_own: bool = False  # the author chose the colour for the current theme
    strength: float = 1.0  # opacity, multiplied with that of all ancestors
    variables: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    # Not inherited from here on.
    display: str = "inline"
    width: Size | str | None = None
    height: Size | None = None
    least: tuple[Size | None, Size | None] = (None, None)
    most: tuple[Size | None, Size | None] = (None, None)
    margin: Edges = Edges()
    padding: Edges = Edges()
    borders: tuple[Border, Border, Border, Border] = (Border(),) * 4
    is_border_box: bool = False
    ground: str = CLEAR
    is_own_ground: bool = False
    radius: float = 0.0
    vertical: str = "baseline"
    clips: bool = False
    across: str = "normal"  # justify-content
    along: str = "normal"  # align-items
    mine: str = "auto"  # align-self
    is_column: bool = False
    grow: float = 0.0
    gap: float = 0.0

    @property
    def ink(self) -> str:
        return faded(self.colour, self.strength) if self.strength < 1 else self.colour

    @property
    def height_of_line(self) -> float | None:
        """The line height in px; None for the font's own."""
        return (
            self.leading if self.leading is not None else None if self.line is None else self.line * self.em
        )


INITIAL_STYLE = Style()
OWN: dict[str, Any] = {
    name: getattr(INITIAL_STYLE, name)
    for name in ("display", "width", "height", "least", "most", "margin", "padding", "borders", "is_border_box",
                 "ground", "is_own_ground", "radius", "vertical", "clips", "across", "along", "mine",
                 "is_column", "grow", "gap")
}  # fmt: skip
CLEAR_BOX: dict[str, Any] = {
    name: OWN[name] for name in ("margin", "padding", "borders", "ground", "width", "height")
}


def below(style: Style) -> Style:
    """The initial style of a child."""
    return replace(style, **OWN)


SCHEMED = " own"  # lists the longhands whose colours are for the current theme; no property has this name
Declared = Mapping[str, str]  # longhands and variables after the cascade


def of(parent: Style, declared: Declared) -> Style:
    """The style of an element inside `parent`. Raises NotSimpleError."""
    own = declared.get(SCHEMED, "").split()
    variables = {name: text for name, text in declared.items() if name.startswith("--")}
    if variables:
        variables = {**parent.variables, **variables}
    known = variables or parent.variables
    said = {}
    for name, text in declared.items():
        if not name.startswith("--") and (value := filled(text, known)) is not None:
            said[name] = value.strip()
    found: dict[str, Any] = {**OWN}
    if variables:
        found["variables"] = MappingProxyType(variables)
    _inherit(parent, said)
    _type(parent, said, found)
    em = found.get("em", parent.em)
    current = found["colour"] = _colour(said.get("color"), parent.colour, parent.colour)
    for name, text in said.items():
        if name in READERS:
            READERS[name](text, em, found)
        elif name in REFUSERS and text.lower() not in REFUSERS[name]:
            raise NotSimpleError(f"`{name}: {text[:40]}`")
    _boxes(said, em, current, found)
    if "color" in said:
        found["is_own"] = "color" in own or any(name in declared["color"] for name in own)
    found["is_own_ground"] = "background-color" in own
    ground = said.get("background-color")
    strength = found.get("strength", 1.0) * parent.strength
    found["strength"] = strength
    found["ground"] = faded(_colour(ground, CLEAR, current), strength) if ground else CLEAR
    if (
        found["display"] in ("inline-block", "inline-flex", "inline-table", "table-cell")
        and "lines" not in found
    ):
        found["lines"] = frozenset()  # underlines of the surrounding words stop here
    elif "lines" in found:
        found["lines"] = found["lines"] | parent.lines
    return replace(parent, **found)


# Properties that are inherited only if the element says `inherit`.
INHERITABLE: Mapping[str, Callable[[Style], str]] = {"vertical-align": lambda style: style.vertical}


def _inherit(parent: Style, said: dict[str, str]) -> None:
    for name in [name for name, text in said.items() if text in ("inherit", "unset", "revert", "initial")]:
        word = said.pop(name)
        if word == "inherit" and name in INHERITABLE:
            said[name] = INHERITABLE[name](parent)
        elif word == "inherit" and name == "background-color":
            said[name] = parent.ground
        elif word == "initial" and name in FIRST:
            said[name] = FIRST[name]


FIRST = {"font-weight": "normal", "font-style": "normal", "font-size": "medium", "line-height": "normal",
         "color": BLACK, "text-align": "start", "white-space": "normal", "text-transform": "none"}  # fmt: skip


def _type(parent: Style, said: Declared, found: dict[str, Any]) -> None:
    """Read family, size, weight and slant first, because the size defines em for all other properties."""
    if "font-family" in said:
        found["mono"] = choose(said["font-family"], "sans-serif", "monospace") == "monospace"
    found["em"], found["is_absolute"] = parent.em, parent.is_absolute
    if "font-size" in said:
        text = said["font-size"].lower()
        length = size(text, parent.em)
        relative = text.endswith(("%", "em")) and not text.endswith("rem")
        if text in NAMED:
            found["em"], found["is_absolute"] = INITIAL * NAMED[text], False
        elif text in ("smaller", "larger"):
            found["em"] = parent.em / SMALLER if text == "smaller" else parent.em * SMALLER
        elif length is not None:
            found["em"] = min(LARGEST_TYPE, max(0.0, length.of(parent.em)))
            found["is_absolute"] = found["is_absolute"] or not relative
    elif found.get("mono", parent.mono) != parent.mono and not parent.is_absolute and _is_only_mono(said):
        found["em"] = parent.em * FIXED
    if "font-weight" in said:
        weight = said["font-weight"].lower()
        found["bold"] = weight in ("bold", "bolder", "600", "700", "800", "900")
    if "font-style" in said:
        found["italic"] = said["font-style"].lower().startswith(("italic", "oblique"))


def _is_only_mono(said: Declared) -> bool:
    return [name.lower() for name in split(said["font-family"])] == ["monospace"]


def _colour(text: str | None, otherwise: str, current: str) -> str:
    return (colour(text, current) if text else None) or otherwise


def _boxes(said: Declared, em: float, current: str, found: dict[str, Any]) -> None:
    if any(name.startswith("margin-") for name in said):
        found["margin"] = Edges(*(_edge(said.get(f"margin-{side}"), em) for side in SIDES))
    if any(name.startswith("padding-") for name in said):
        found["padding"] = Edges(*(_edge(said.get(f"padding-{side}"), em) or Size(0) for side in SIDES))
    if any(name.startswith("border-") for name in said):
        found["borders"] = tuple(_border(said, side, em, current) for side in SIDES)
    if "width" in said:
        text = said["width"].lower()
        found["width"] = text if text in ("max-content", "min-content", "fit-content") else size(text, em)
    if "height" in said:
        found["height"] = size(said["height"], em)
    for name, key in (("min", "least"), ("max", "most")):
        if f"{name}-width" in said or f"{name}-height" in said:
            found[key] = tuple(size(said.get(f"{name}-{side}", "none"), em) for side in ("width", "height"))


def _edge(text: str | None, em: float) -> Size | None:
    return Size(0) if text is None else size(text, em)


def _border(said: Declared, side: str, em: float, current: str) -> Border:
    dash = said.get(f"border-{side}-style", "none").lower()
    if dash not in DRAWN:
        return Border()
    text = said.get(f"border-{side}-width", "medium")
    length = size(text, em)
    width = WIDTHS.get(text.lower(), 3.0) if length is None else max(0.0, length.px)
    return Border(width, _colour(said.get(f"border-{side}-color"), current, current), dash)
