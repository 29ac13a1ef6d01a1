"""A reader for each CSS property that affects labels, and the properties that make an element more than a label.

Only readers and two tables. Unaware of inheritance.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from figmill.svg.html.css.values import size


class NotSimpleError(Exception):
    """A label is more than words in boxes; the message names the reason."""


Reader = Callable[[str, float, dict[str, Any]], None]  # arguments: value, em, and the style to write to


def _line(text: str, em: float, found: dict[str, Any]) -> None:
    try:
        found["line"], found["leading"] = max(0.0, min(100.0, float(text))), None
    except ValueError:
        length = size(text, em)
        if length is not None:
            found["leading"] = max(0.0, length.of(em))
        elif text.lower() == "normal":
            found["line"] = found["leading"] = None


def _word(name: str, *words: str) -> Reader:
    """A reader of one keyword, limited to `words` if given; a leading `safe` or `unsafe` is ignored."""

    def read(text: str, _em: float, found: dict[str, Any]) -> None:
        word = text.lower().removeprefix("unsafe ").removeprefix("safe ").strip()
        if not words or word in words:
            found[name] = word

    return read


def _px(name: str) -> Reader:
    def read(text: str, em: float, found: dict[str, Any]) -> None:
        length = size(text, em)
        if length is not None:
            found[name] = length.px
        elif text.lower() == "normal":
            found[name] = 0.0

    return read


def _decoration(text: str, _em: float, found: dict[str, Any]) -> None:
    found["lines"] = frozenset(text.lower().split()) & {"underline", "line-through", "overline"}


def _number(name: str, most: float) -> Reader:
    def read(text: str, _em: float, found: dict[str, Any]) -> None:
        try:
            share = float(text[:-1]) / 100 if text.endswith("%") else float(text)
        except ValueError:
            return
        found[name] = max(0.0, min(most, share)) if share == share else 0.0

    return read


def _flag(name: str, *words: str) -> Reader:
    def read(text: str, _em: float, found: dict[str, Any]) -> None:
        found[name] = text.lower() in words

    return read


def _collapse(text: str, _em: float, found: dict[str, Any]) -> None:
    if text.lower() == "collapse":
        found["spacing"] = 0.0


def _display(text: str, _em: float, found: dict[str, Any]) -> None:
    word = text.lower()
    if word not in DISPLAYS:
        raise NotSimpleError(f"`display: {text[:40]}`")
    found["display"] = DISPLAYS[word]


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
    "text-align": _word("align", "start", "end", "left", "right", "center", "justify", "-webkit-center"),
    "white-space": _word("space", "normal", "nowrap", "pre", "pre-wrap", "pre-line", "break-spaces"),
    "letter-spacing": _px("letters"),
    "word-spacing": _px("words"),
    "text-transform": _word("case", "none", "uppercase", "lowercase", "capitalize"),
    "list-style-type": _word("bullet"),
    "overflow-wrap": _word("wrap", "normal", "anywhere", "break-word"),
    "word-break": _word("breaks", "normal", "break-all", "keep-all", "break-word"),
    "text-indent": _px("indent"),
    "visibility": _flag("is_visible", "visible"),
    "border-spacing": _px("spacing"),
    "text-decoration-line": _decoration,
    "opacity": _number("strength", 1.0),
    "box-sizing": _flag("is_border_box", "border-box"),
    "border-radius": _px("radius"),
    "vertical-align": _word("vertical"),
    "overflow": _flag("clips", "hidden", "clip", "auto", "scroll"),
    "justify-content": _word("across"),
    "align-items": _word("along"),
    "align-self": _word("mine"),
    "flex-direction": _flag("is_column", "column"),
    "flex-grow": _number("grow", 1000.0),
    "gap": _px("gap"),
    "border-collapse": _collapse,
}
# Properties that move words elsewhere or paint what this package cannot. The listed values are harmless.
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
