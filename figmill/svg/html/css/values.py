"""CSS values of HTML: lengths, colours, var() and shorthands. Values that cannot be read are ignored.

More tolerant than xml/css.py: browsers skip what they do not know, and none of the text reaches the published
drawing. A colour leaves as #rrggbb or rgba() only, a length as a number.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any, NamedTuple

import tinycss2

from figmill.svg.colour import MIX, mixed, tone
from figmill.svg.styles.variables import has_variables, resolve
from figmill.svg.xml.css import CssError
from figmill.svg.xml.numbers import LARGEST
from figmill.svg.xml.units import PX

ROOT_SIZE = 16.0
SIDES = ("top", "right", "bottom", "left")
WIDTHS = {"thin": 1.0, "medium": 3.0, "thick": 5.0}
DRAWN = ("solid", "dashed", "dotted", "double", "inset", "outset", "groove", "ridge")
CLEAR = "transparent"


class Size(NamedTuple):
    """A length: px plus a fraction (1 is all) of the property's reference length."""

    px: float
    share: float = 0.0

    def of(self, whole: float) -> float:
        return self.px + self.share * whole


def px(length: Size | None) -> float:
    """A length in px; percentages count as 0, because their reference length is unknown."""
    return 0.0 if length is None else length.px


@lru_cache(maxsize=4096)
def size(text: str, em: float) -> Size | None:
    """A length or percentage; None for `auto` and anything else. em: the current font size."""
    tokens = [t for t in tinycss2.parse_component_value_list(text) if t.type not in ("whitespace", "comment")]
    if len(tokens) == 1 and tokens[0].type == "function" and tokens[0].lower_name == "calc":
        return _sum(tokens[0].arguments, em)
    return _term(tokens[0], em) if len(tokens) == 1 else None


def _sum(tokens: list[Any], em: float) -> Size | None:
    """A calc() of lengths added and subtracted, as drawing tools write it; None for anything else."""
    px, share, sign, expected = 0.0, 0.0, 1.0, True
    for token in tokens:
        if token.type in ("whitespace", "comment"):
            continue
        if expected:
            term = _term(token, em)
            if term is None:
                return None
            px, share = px + sign * term.px, share + sign * term.share
        elif token in ("+", "-"):
            sign = 1.0 if token == "+" else -1.0
        else:
            return None
        expected = not expected
    return None if expected else Size(px, share)


def _term(token: Any, em: float) -> Size | None:
    if token.type not in ("number", "percentage", "dimension") or not math.isfinite(token.value):
        return None
    value = max(-LARGEST, min(LARGEST, token.value))
    if token.type == "percentage":
        return Size(0.0, value / 100)
    if token.type == "number":
        return Size(0.0) if value == 0 else None
    unit = token.lower_unit
    if unit in ("em", "ex", "ch"):
        return Size(value * em * (1.0 if unit == "em" else 0.5))
    return Size(value * (ROOT_SIZE if unit == "rem" else PX[unit])) if unit in PX else None


@lru_cache(maxsize=4096)
def colour(text: str, current: str) -> str | None:
    """#rrggbb, rgba() or `transparent`; None if the text is not a colour."""
    lowered = text.strip().lower()
    if lowered == "currentcolor":
        return current
    if lowered == CLEAR:
        return CLEAR
    if lowered.startswith(MIX):
        mixture = mixed(lowered, current)
        if mixture is None:
            return None
        return written("#" + "".join(f"{round(255 * part):02x}" for part in mixture[:3]), mixture[3])
    opaque = tone(lowered)
    return None if opaque is None else written(*opaque)


def written(opaque: str, alpha: float) -> str:
    """A colour with this alpha in this package's notation."""
    if alpha <= 0:
        return CLEAR
    if alpha >= 1:
        return opaque
    red, green, blue = (int(opaque[at : at + 2], 16) for at in (1, 3, 5))
    return f"rgba({red}, {green}, {blue}, {alpha:.4g})"


def faded(text: str, by: float) -> str:
    """The colour with its alpha multiplied by `by`."""
    before = tone(text)
    return CLEAR if before is None else written(before[0], before[1] * by)


def _arguments(text: str) -> list[str]:
    (function,) = tinycss2.parse_component_value_list(text)[:1]
    parts = [""]
    for token in function.arguments if function.type == "function" else ():
        if token == ",":
            parts.append("")
        else:
            parts[-1] += token.serialize()
    return [part.strip() for part in parts]


def filled(text: str, variables: Mapping[str, str]) -> str | None:
    """The value with each var() replaced; None if a variable is undefined or variables are nested too deep."""
    try:
        return resolve(text, variables) if has_variables(text) else text
    except CssError:
        return None


def chosen(text: str, is_dark: bool) -> str:
    """The value with each light-dark() replaced by its colour for the current theme."""
    out = []
    for token in tinycss2.parse_component_value_list(text):
        now = token.serialize()
        if token.type == "function" and "light-dark(" in now.lower():
            parts = _arguments(now)
            if token.lower_name == "light-dark":
                now = chosen(parts[-1] if is_dark else parts[0], is_dark)
            else:
                now = f"{token.name}({', '.join(chosen(part, is_dark) for part in parts)})"
        out.append(now)
    return "".join(out)


def longhands(name: str, text: str) -> Iterator[tuple[str, str]]:
    """A declaration expanded to its longhands."""
    if name in ("margin", "padding"):
        parts = spaced(text)
        if 1 <= len(parts) <= 4:
            top, right, bottom, left = {
                1: parts * 4,
                2: parts * 2,
                3: [*parts, parts[1]] if len(parts) == 3 else [],
                4: parts,
            }[len(parts)]
            yield from zip((f"{name}-{side}" for side in SIDES), (top, right, bottom, left), strict=True)
    elif name == "border" or (name.startswith("border-") and name[7:] in SIDES):
        sides = SIDES if name == "border" else (name[7:],)
        for side in sides:
            yield f"border-{side}-style", "none"
            yield f"border-{side}-width", "medium"
            yield f"border-{side}-color", "currentcolor"
            for part in spaced(text):
                yield f"border-{side}-{_border_part(part)}", part
    elif name in ("border-width", "border-style", "border-color"):
        for side in SIDES:
            yield f"border-{side}-{name[7:]}", spaced(text)[0] if spaced(text) else text
    elif name == "background":
        yield "background-color", CLEAR
        for part in spaced(text):
            yield ("background-image" if _is_picture(part) else "background-color"), part
    elif name == "font":
        yield from _font(text)
    elif name == "text-decoration":
        yield "text-decoration-line", text
    elif name == "list-style":
        for part in spaced(text):
            if part not in ("inside", "outside") and not part.startswith("url("):
                yield "list-style-type", part
    elif name == "flex":
        yield "flex-grow", spaced(text)[0] if spaced(text) else "0"
    elif name == "word-wrap":
        yield "overflow-wrap", text
    elif name in ("overflow-x", "overflow-y"):
        yield "overflow", text
    else:
        yield name, text


def _border_part(part: str) -> str:
    if part in DRAWN or part in ("none", "hidden"):
        return "style"
    return "width" if part in WIDTHS or size(part, ROOT_SIZE) is not None else "color"


def _is_picture(part: str) -> bool:
    return part.lower().startswith(("url(", "linear-", "radial-", "conic-", "repeating-", "image"))


def spaced(text: str) -> list[str]:
    """The space-separated parts of a value; brackets are not split."""
    parts = [""]
    for token in tinycss2.parse_component_value_list(text):
        if token.type in ("whitespace", "comment"):
            parts.append("")
        else:
            parts[-1] += token.serialize()
    return [part for part in parts if part]


def _font(text: str) -> Iterator[tuple[str, str]]:
    head, _, tail = text.partition(",")
    parts = spaced(head.replace("/", " / "))
    for at, part in enumerate(parts):
        lowered = part.lower()
        if lowered in ("italic", "oblique"):
            yield "font-style", lowered
        elif lowered in ("bold", "bolder", "lighter") or re.fullmatch("[1-9]00", lowered):
            yield "font-weight", lowered
        elif size(part, ROOT_SIZE) is not None or lowered in (
            "small",
            "medium",
            "large",
            "smaller",
            "larger",
        ):
            yield "font-size", part
            rest = parts[at + 1 :]
            if rest[:1] == ["/"] and len(rest) > 1:
                yield "line-height", rest[1]
                rest = rest[2:]
            yield "font-family", " ".join(rest) + (f",{tail}" if tail else "")
            return
