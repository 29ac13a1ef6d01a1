"""A reader for each CSS property that affects labels, and the properties that labels may not have.

Knows nothing of inheritance.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from figmill.svg.html.css.values import size


class NotSimpleError(Exception):
    """A label is more than text in boxes; the message names the reason."""


Reader = Callable[[str, float, dict[str, Any]], None]  # arguments: value, em, and the style to write to


def _line(text: str, em: float, style: dict[str, Any]) -> None:
    try:
        style["line_height"], style["line_height_px"] = max(0.0, min(100.0, float(text))), None
    except ValueError:
        length = size(text, em)
        if length is not None:
            style["line_height_px"] = max(0.0, length.of(em))
        elif text.lower() == "normal":
            style["line_height"] = style["line_height_px"] = None


def _word(name: str, *keywords: str) -> Reader:
    """A reader of one keyword, limited to `words` if given; a leading `safe` or `unsafe` is ignored."""

    def reader(text: str, _em: float, style: dict[str, Any]) -> None:
        word = text.lower().removeprefix("unsafe ").removeprefix("safe ").strip()
        if not keywords or word in keywords:
            style[name] = word

    return reader


def _px(name: str) -> Reader:
    def reader(text: str, em: float, style: dict[str, Any]) -> None:
        length = size(text, em)
        if length is not None:
            style[name] = length.px
        elif text.lower() == "normal":
            style[name] = 0.0

    return reader


def _decoration(text: str, _em: float, style: dict[str, Any]) -> None:
    style["text_decoration_line"] = frozenset(text.lower().split()) & {
        "underline",
        "line-through",
        "overline",
    }


def _number(name: str, most: float) -> Reader:
    def reader(text: str, _em: float, style: dict[str, Any]) -> None:
        try:
            share = float(text[:-1]) / 100 if text.endswith("%") else float(text)
        except ValueError:
            return
        style[name] = max(0.0, min(most, share)) if share == share else 0.0

    return reader


def _flag(name: str, *keywords: str) -> Reader:
    def reader(text: str, _em: float, style: dict[str, Any]) -> None:
        style[name] = text.lower() in keywords

    return reader


def _collapse(text: str, _em: float, style: dict[str, Any]) -> None:
    if text.lower() == "collapse":
        style["border_spacing"] = 0.0


def _display(text: str, _em: float, style: dict[str, Any]) -> None:
    word = text.lower()
    if word not in DISPLAYS:
        raise NotSimpleError(f"`display: {text[:40]}`")
    style["display"] = DISPLAYS[word]


_SAME = """none block inline inline-block flex inline-flex list-item table inline-table table-row-group table-row
    table-cell contents""".split()  # noqa: SIM905
DISPLAYS = {
    **{word: word for word in _SAME},
    "flow-root": "block",
    "table-header-group": "table-row-group",
    "table-footer-group": "table-row-group",
}
READERS: Mapping[str, Reader] = {
    "display": _display,
    "line-height": _line,
    "text-align": _word("text_align", "start", "end", "left", "right", "center", "justify", "-webkit-center"),
    "white-space": _word("white_space", "normal", "nowrap", "pre", "pre-wrap", "pre-line", "break-spaces"),
    "letter-spacing": _px("letter_spacing"),
    "word-spacing": _px("word_spacing"),
    "text-transform": _word("text_transform", "none", "uppercase", "lowercase", "capitalize"),
    "list-style-type": _word("list_style_type"),
    "overflow-wrap": _word("overflow_wrap", "normal", "anywhere", "break-word"),
    "word-break": _word("word_break", "normal", "break-all", "keep-all", "break-word"),
    "text-indent": _px("text_indent"),
    "visibility": _flag("is_visible", "visible"),
    "border-spacing": _px("border_spacing"),
    "text-decoration-line": _decoration,
    "opacity": _number("opacity", 1.0),
    "box-sizing": _flag("is_border_box", "border-box"),
    "border-radius": _px("border_radius"),
    "vertical-align": _word("vertical_align"),
    "overflow": _flag("clips_overflow", "hidden", "clip", "auto", "scroll"),
    "justify-content": _word("justify_content"),
    "align-items": _word("align_items"),
    "align-self": _word("align_self"),
    "flex-direction": _flag("is_column", "column"),
    "flex-grow": _number("flex_grow", 1000.0),
    "gap": _px("gap"),
    "border-collapse": _collapse,
}
# Properties that move text or paint something that this package cannot draw. The listed values are harmless.
REFUSERS: Mapping[str, frozenset[str]] = {
    "position": frozenset(("static", "relative")),
    "float": frozenset(("none",)),
    "transform": frozenset(("none",)),
    "writing-mode": frozenset(("horizontal-tb", "lr", "lr-tb")),
    "direction": frozenset(("ltr",)),
    "background-image": frozenset(("none",)),
    "clip-path": frozenset(("none",)),
    "mask": frozenset(("none",)),
    "filter": frozenset(("none",)),
    "column-count": frozenset(("auto", "1")),
    "flex-wrap": frozenset(("nowrap", "wrap")),
    **dict.fromkeys(("top", "right", "bottom", "left", "inset"), frozenset(("auto", "0", "0px"))),
}
