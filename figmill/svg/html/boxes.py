"""The box tree of a label, built from its elements and styles, within limits; and the parts of a layout.

It knows no positions.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import field, replace
from typing import TypeAlias

from figmill.late_dataclasses import dataclass
from figmill.svg.document import Element
from figmill.svg.html.css.properties import NotSimpleError
from figmill.svg.html.css.rules import StyleSheet
from figmill.svg.html.css.style import CLEAR_BOX, ComputedStyle, below, of
from figmill.svg.html.css.values import Size
from figmill.svg.html.elements import LISTS, NESTED_BULLETS, SIMPLE, XHTML

MAX_DEPTH = 60
MAX_ELEMENTS = 2_000  # the most per label
MAX_WORDS = 20_000  # characters per label


@dataclass(slots=True, eq=False)
class StyledText:
    """Characters of one style."""

    text: str
    style: ComputedStyle
    href: str | None = None


@dataclass(slots=True, eq=False)
class LineBreak:
    """<br>, or <wbr> if not forced."""

    style: ComputedStyle
    is_forced: bool = True


@dataclass(slots=True, eq=False)
class CssBox:
    """One element: its style and its content."""

    style: ComputedStyle
    children: list[BoxContent] = field(default_factory=list)
    marker: str | None = None  # of a list item: its bullet's kind, or its number as text
    href: str | None = None

    @property
    def is_inline(self) -> bool:
        return self.style.display in ("inline", "contents")

    @property
    def is_block(self) -> bool:
        return not self.is_inline and not self.style.display.startswith("inline-")


BoxContent: TypeAlias = "CssBox | StyledText | LineBreak"


@dataclass(frozen=True, slots=True)
class LinePiece:
    """Text of one style in a line.

    - shift: px below the line's baseline.
    """

    text: str
    style: ComputedStyle
    shift: float
    href: str | None


@dataclass(frozen=True, slots=True)
class LineBox:
    """Text on one baseline, `width` px wide from its start."""

    pieces: tuple[LinePiece, ...]
    width: float
    anchor: str  # start, middle or end: the point that keeps its place if a reader's font is wider


@dataclass(frozen=True, slots=True)
class Plate:
    """The background and borders of a box."""

    width: float
    height: float
    style: ComputedStyle


@dataclass(frozen=True, slots=True)
class Bullet:
    """The marker of a list item without a number."""

    kind: str
    width: float
    style: ComputedStyle


@dataclass(slots=True, eq=False)
class LaidBox:
    """A laid-out box: its size, and its content with positions.

    - first, last: the baselines, from the top.
    """

    width: float
    height: float
    first: float | None = None
    last: float | None = None
    parts: list[tuple[float, float, LaidPart]] = field(default_factory=list)
    top: float = 0.0  # margins, including those of children that collapse through it
    bottom: float = 0.0
    left: float = 0.0
    right: float = 0.0
    clips: bool = False


LaidPart: TypeAlias = "LaidBox | LineBox | Plate | Bullet"


def grow(node: Element, parent: ComputedStyle, sheet: StyleSheet) -> CssBox:
    """The boxes of a <foreignObject> whose own style is `parent`. Raises NotSimpleError, BreachError."""
    budget = [MAX_ELEMENTS, MAX_WORDS]
    root = CssBox(parent)
    root.children = list(_children(node, parent, sheet, budget, 0, None, 0))
    return root


def _children(
    node: Element,
    style: ComputedStyle,
    sheet: StyleSheet,
    budget: list[int],
    depth: int,
    href: str | None,
    nesting: int,
) -> Iterator[BoxContent]:
    if depth > MAX_DEPTH:
        raise NotSimpleError(f"elements {MAX_DEPTH} deep")
    number = _begins(node)
    for child in node.children:
        if isinstance(child, str):
            budget[1] -= len(child)
            if budget[1] < 0:
                raise NotSimpleError(f"more than {MAX_WORDS:,} characters")
            yield StyledText(child, style, href)
            continue
        budget[0] -= 1
        if budget[0] < 0:
            raise NotSimpleError(f"more than {MAX_ELEMENTS:,} elements")
        content = _element(child, style, sheet, budget, depth, href, nesting)
        if isinstance(content, CssBox):
            if content.style.display == "list-item" and content.marker is not None:
                number = _whole(child.attrib.get("value"), number)
                content.marker = marker(content.marker, number)
                number += 1
            yield content
        elif content is not None:
            yield content


def _element(
    node: Element,
    parent: ComputedStyle,
    sheet: StyleSheet,
    budget: list[int],
    depth: int,
    href: str | None,
    nesting: int,
) -> BoxContent | None:
    space, _, tag = node.tag.removeprefix("{").partition("}")
    if space != XHTML or tag not in SIMPLE:
        raise NotSimpleError(f"<{tag or space}>")
    style = of(below(parent), sheet.declared(node))
    if style.display == "none":
        return None
    if tag in ("br", "wbr"):
        return LineBreak(style, tag == "br")
    if tag in ("td", "th") and {node.attrib.get("colspan", "1"), node.attrib.get("rowspan", "1")} != {"1"}:
        raise NotSimpleError("a table with joined cells")
    box = CssBox(style)
    if tag == "a":
        href = node.attrib.get("href", "").strip() or href
    if tag in LISTS and nesting:
        style = box.style = _tight(style, node)
    if tag in LISTS:
        if (
            tag == "ul"
            and style.list_style_type == "disc"
            and "list-style-type" not in node.attrib.get("style", "")
        ):
            style = box.style = replace(style, list_style_type=NESTED_BULLETS[min(nesting, 2)])
        nesting += 1
    if style.display == "list-item":
        box.marker = style.list_style_type if style.list_style_type != "none" else None
    box.children = list(_children(node, style, sheet, budget, depth + 1, href, nesting))
    if box.is_inline and any(isinstance(child, CssBox) and child.is_block for child in box.children):
        box.style = replace(style, display="block", **CLEAR_BOX)  # an inline box around blocks paints nothing
    if tag == "q":
        box.children = [StyledText("\u201c", style, href), *box.children, StyledText("\u201d", style, href)]
    return box


def _tight(style: ComputedStyle, node: Element) -> ComputedStyle:
    """The style of a nested list, which has no vertical margins in browsers."""
    if "margin" in node.attrib.get("style", ""):
        return style
    return replace(style, margin=replace(style.margin, top=Size(0), bottom=Size(0)))


def _begins(node: Element) -> int:
    return _whole(node.attrib.get("start"), 1)


def _whole(text: str | None, otherwise: int) -> int:
    return int(text) if text and text.lstrip("-").isdecimal() and len(text) < 7 else otherwise


def marker(kind: str, number: int) -> str:
    """The text of a list item's number; for a bullet, the kind itself."""
    if kind in NESTED_BULLETS:
        return kind
    if kind.endswith(("alpha", "latin")) and number > 0:
        letters = ""
        while number:
            number, place = divmod(number - 1, 26)
            letters = chr(ord("a") + place) + letters
        return f"{letters.upper() if kind.startswith('upper') else letters}."
    if kind.endswith("roman") and 0 < number < 4000:
        roman = ""
        for value, digits in _ROMAN:
            count, number = divmod(number, value)
            roman += digits * count
        return f"{roman.upper() if kind.startswith('upper') else roman}."
    return f"{number}."


_ROMAN = (
    (1000, "m"),
    (900, "cm"),
    (500, "d"),
    (400, "cd"),
    (100, "c"),
    (90, "xc"),
    (50, "l"),
    (40, "xl"),
    (10, "x"),
    (9, "ix"),
    (5, "v"),
    (4, "iv"),
    (1, "i"),
)
