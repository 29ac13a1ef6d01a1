"""What a program needs to draw a published SVG with usvg, which reads SVG for resvg and for typst.

usvg reads some things differently from browsers. `adapt` changes a copy that is drawn and then thrown away.
"""

from __future__ import annotations

import math
from functools import lru_cache
from typing import TYPE_CHECKING
from unicodedata import bidirectional

from figmill.svg.symbols import FILES as SYMBOL_FONTS
from figmill.svg.symbols import cut as symbol_font
from figmill.svg.symbols import needed as needs_symbols

if TYPE_CHECKING:
    from lxml.etree import _Element

__all__ = ["DPI", "LANGUAGES", "SYMBOL_FONTS", "adapt", "family", "needs_symbols", "symbol_font"]

DPI = 96  # for lengths in inches and points, as in browsers
LANGUAGES = ("en-US", "en")  # for <switch>
NEARLY = 0.02  # the relative difference below which two aspect ratios count as equal
MARKERS = ("marker-start", "marker-mid", "marker-end")
CLOSED = ("rect", "circle", "ellipse")  # browsers do not draw markers on these
RIGHT_TO_LEFT = ("R", "AL")  # the letters of Hebrew and of Arabic
SHARE = {"middle": 0.5, "end": 1.0}  # share of the width of the text, before its anchor


def adapt(root: _Element) -> None:
    """Change a published SVG, parsed by lxml, in place: usvg then draws it as a browser draws the original."""
    marked = any(node.get(name) for name in MARKERS for node in root.iter("{*}*"))
    for node in root.iter("{*}*"):
        tag = str(node.tag).rpartition("}")[2]
        if node.get("lengthAdjust") == "spacingAndGlyphs" and (len(node) or _is_spaced(node)):
            # usvg applies it to each part of a text and ignores letter-spacing; with known fonts it is not needed
            del node.attrib["lengthAdjust"]
            node.attrib.pop("textLength", "")
        if node.get("image-rendering") in ("pixelated", "crisp-edges"):
            node.set("image-rendering", "optimizeSpeed")
        if marked and tag in CLOSED:
            for name in MARKERS:
                node.set(name, "none")
        if tag == "text":
            _anchor(node)
            _lower(node)
    width, height = (_number(root.get(name, "")) for name in ("width", "height"))
    if "preserveAspectRatio" not in root.attrib and _is_near(root.get("viewBox", ""), width, height):
        root.set("preserveAspectRatio", "none")  # otherwise a hairline of the background shows at the edges


@lru_cache(maxsize=1024)
def family(stack: str, available: tuple[str, ...], sans: str, mono: str) -> str:
    """The first available family of a font-family; if there is none, `mono` for a monospaced stack, else `sans`."""
    from figmill.svg.passes.fonts import choose, split  # loads tinycss2

    names = {name.casefold(): name for name in available}
    named = (names[name.casefold()] for name in split(stack) if name.casefold() in names)
    return next(named, choose(stack, sans, mono).strip("'"))


def _inherited(node: _Element, name: str) -> str:
    """The value of an inherited attribute for this element."""
    value = next((above.get(name) for above in (node, *node.iterancestors()) if above.get(name)), None)
    return value or ""


def _is_spaced(node: _Element) -> bool:
    return _inherited(node, "letter-spacing") not in ("", "0", "normal")


def _anchor(text: _Element) -> None:
    """Move an anchored text by its shifts within the line, which usvg leaves out of the line's length.

    A text of several lines, or along a path, is not changed.
    """
    share = SHARE.get(_inherited(text, "text-anchor"), 0.0)
    parts = list(text.iterdescendants("{*}*"))
    if not share or not any("dx" in part.attrib for part in (text, *parts)):
        return
    x = _numbers(text.get("x", "0"))
    if len(x) != 1 or any("x" in p.attrib or "text-anchor" in p.attrib or "href" in p.attrib for p in parts):
        return
    shifts: list[float | None] = []
    _shift(text, shifts)
    text.set("x", f"{x[0] - share * math.fsum(shift or 0.0 for shift in shifts[1:]):.3f}")


def _lower(text: _Element) -> None:
    """Lower the lines of a text that reads from right to left by `y`, as usvg lowers only its last letter by `dy`.

    A text with a `dy` within a line is not changed.
    """
    parts = [text, *text.iterdescendants("{*}tspan")]
    lowered = [part for part in parts if "dy" in part.attrib]
    if not lowered or any(part is not text and "x" not in part.attrib for part in lowered):
        return
    if not any(bidirectional(letter) in RIGHT_TO_LEFT for letter in "".join(map(str, text.itertext()))):
        return
    y, places = 0.0, {}
    for part in parts:
        size = _number(_inherited(part, "font-size"))
        inner = part[0] if len(part) and not (part.text or "").strip() else part
        try:
            y = _in_px(part.get("y", str(y)), size)
            if inner is part or "dy" not in inner.attrib:  # of two, the innermost counts
                y += _in_px(part.get("dy", "0"), size)
        except ValueError:
            return  # a place for each letter
        places[part] = y
    for part in lowered:
        part.set("y", f"{places[part]:.3f}")
        del part.attrib["dy"]


def _in_px(text: str, size: float) -> float:
    """A length in px or em. Raises ValueError for anything else."""
    return size * float(text.removesuffix("em")) if text.endswith("em") and size else float(text)


def _shift(part: _Element, shifts: list[float | None]) -> None:
    """Add the shift of each letter of a part. The innermost `dx` wins."""
    begin = len(shifts)
    shifts += [None] * len(part.text or "")
    for child in part:
        _shift(child, shifts)
        shifts += [None] * len(child.tail or "")
    for at, value in enumerate(_numbers(part.get("dx", "")), begin):
        if at < len(shifts) and shifts[at] is None:
            shifts[at] = value


def _numbers(text: str) -> list[float]:
    """A list of lengths; lengths in em count as 0, because the font size is not known here."""
    return [_number(word) for word in text.replace(",", " ").split()]


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return 0.0


def _is_near(view_box: str, width: float, height: float) -> bool:
    sides = [float(number) for number in view_box.replace(",", " ").split()[2:]]
    return len(sides) == 2 and abs(sides[0] * height - sides[1] * width) <= NEARLY * sides[1] * width
