"""What usvg reads otherwise than browsers, said in its words. usvg reads the SVGs of resvg and of typst.

In place, in a published SVG that is to be drawn and not to be kept.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from lxml.etree import _Element

DPI = 96  # of lengths in inches and points, as in browsers
LANGUAGES = ("en-US", "en")  # of <switch>
NEARLY = 0.02  # the relative difference below which two aspect ratios count as equal
MARKERS = ("marker-start", "marker-mid", "marker-end")
CLOSED = ("rect", "circle", "ellipse")  # on which browsers draw no markers
SHARE = {"middle": 0.5, "end": 1.0}  # of the words, before their anchor


def retell(root: _Element) -> None:
    """Change a drawing so that usvg makes of it what a browser makes of the original."""
    marked = any(node.get(name) for name in MARKERS for node in root.iter("{*}*"))
    for node in root.iter("{*}*"):
        tag = str(node.tag).rpartition("}")[2]
        if node.get("lengthAdjust") == "spacingAndGlyphs" and (len(node) or _is_spaced(node)):
            # given to each part of a text, and not to the spaces between letters; the fonts are known here
            del node.attrib["lengthAdjust"]
            node.attrib.pop("textLength", "")
        if node.get("image-rendering") in ("pixelated", "crisp-edges"):
            node.set("image-rendering", "optimizeSpeed")
        if marked and tag in CLOSED:
            for name in MARKERS:
                node.set(name, "none")
        if tag == "text":
            _anchor(node)
    width, height = (_number(root.get(name, "")) for name in ("width", "height"))
    if "preserveAspectRatio" not in root.attrib and _is_near(root.get("viewBox", ""), width, height):
        root.set("preserveAspectRatio", "none")  # else a hairline of the background shows at the edges


def _inherited(node: _Element, name: str) -> str:
    """An inherited attribute, as it is in force."""
    found = next((above.get(name) for above in (node, *node.iterancestors()) if above.get(name)), None)
    return found or ""


def _is_spaced(node: _Element) -> bool:
    return _inherited(node, "letter-spacing") not in ("", "0", "normal")


def _anchor(text: _Element) -> None:
    """Shifts within a line count for its length, by which it is centred; usvg leaves them out.

    A text of several lines, or with words along a path, stays as it is.
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
    text.set("x", f"{x[0] - share * math.fsum(found or 0.0 for found in shifts[1:]):.3f}")


def _shift(part: _Element, found: list[float | None]) -> None:
    """Add the shift of each letter of a part: the innermost one that is given."""
    begin = len(found)
    found += [None] * len(part.text or "")
    for child in part:
        _shift(child, found)
        found += [None] * len(child.tail or "")
    for at, value in enumerate(_numbers(part.get("dx", "")), begin):
        if at < len(found) and found[at] is None:
            found[at] = value


def _numbers(text: str) -> list[float]:
    """A list of lengths; those in em count nothing, as nobody here knows the size of letters."""
    return [_number(word) for word in text.replace(",", " ").split()]


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return 0.0


def _is_near(view_box: str, width: float, height: float) -> bool:
    sides = [float(number) for number in view_box.replace(",", " ").split()[2:]]
    return len(sides) == 2 and abs(sides[0] * height - sides[1] * width) <= NEARLY * sides[1] * width
