"""Text on a colour of the author's: black or white, whichever is legible. Pure.

A source sets the fill of a shape and leaves its text to the theme, whose ink may be as dark as the fill. An author who
sets the colour of the text too keeps both.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import tinycss2.color4
from lxml import etree

from figmill.kind import PAGE, TEXT

SVG = "{http://www.w3.org/2000/svg}"
SHAPES = frozenset(f"{SVG}{name}" for name in ("rect", "circle", "ellipse", "path", "polygon"))
NAMES = frozenset(("node", "cluster"))
INK, SEEN = "data-ink", 1.6  # the colour of words, from driver.js; contrast below which nobody sees them
LEAST = 4.5  # contrast of text, by WCAG 2.1
BLACK, WHITE = "#000000", "#ffffff"
_FILL = re.compile(r"(?:^|;)\s*fill\s*:\s*([^;!]+)")
_WHITE = re.compile(r"(?i)fill\s*:\s*(?:#fff(?:fff)?|white)\b")
_COLOURS = re.compile(r"(?:^|(?<=;))\s*(?:fill|color)\s*:[^;]*;?")
_COLOUR = re.compile(r"(?:^|;)\s*(?:fill|color)\s*:")


def chosen(root: etree._Element, usual: str = "") -> None:
    """Give the text of each node or group with a fill of its own the ink that is legible on it.

    usual: the ink of an author's theme; empty: the palette's.
    """
    _on_shapes_of_c4(root)
    _on_the_page(root)
    for node in root.iter(f"{SVG}g"):
        if NAMES.isdisjoint(str(node.get("class", "")).split()):
            continue
        fill = next(filter(None, map(_fill, node.iter(*SHAPES))), None)
        if fill is None or contrast(usual or TEXT[0], fill) >= LEAST:
            continue
        ink = max((WHITE, BLACK), key=lambda colour: contrast(colour, fill))
        for text in node.iter(f"{SVG}text"):
            if not any(_COLOUR.search(str(part.get("style", ""))) for part in _around(text, node)):
                text.set("style", f"{text.get('style', '')};fill:{ink} !important".lstrip(";"))


def _on_the_page(root: etree._Element) -> None:
    """The palette's ink for words of lines that nobody would see: the box that Mermaid puts behind them is left out."""
    for text in root.iter(f"{SVG}text"):
        if (colour := text.get(INK)) is None:
            continue
        del text.attrib[INK]
        around = text.getparent()
        boxes = () if around is None or around.tag == f"{SVG}svg" else around.iter(f"{SVG}rect")
        has_box = any(rect.get("width") for rect in boxes)
        if luminance(str(colour)) is not None and contrast(str(colour), PAGE[0]) < SEEN and not has_box:
            for part in text.iter():
                style = _COLOURS.sub("", str(part.get("style", "")))
                part.set("style", f"{style};fill:{TEXT[0]} !important".lstrip(";"))


def _on_shapes_of_c4(root: etree._Element) -> None:
    """Black on those of Mermaid's colours on which white is too pale."""
    for group in root.iter(f"{SVG}g"):
        if "c4-shape" not in str(group.get("class", "")).split():
            continue
        fill = next(filter(None, map(_fill, group.iter(*SHAPES))), None)
        if fill is None or contrast(WHITE, fill) >= LEAST:
            continue
        for part in group.iter(f"{SVG}text", f"{SVG}tspan"):
            part.set("style", _WHITE.sub(f"fill:{BLACK}", str(part.get("style", ""))))


def _fill(shape: etree._Element) -> str | None:
    """The colour that a shape has in its own style."""
    match = _FILL.search(str(shape.get("style", "")))
    return match[1].strip() if match and luminance(match[1]) is not None else None


def _around(text: etree._Element, node: etree._Element) -> Iterator[etree._Element]:
    """A text, its parts, and the groups between it and its node."""
    yield from text.iter()
    parent = text.getparent()
    while parent is not None and parent is not node:
        yield parent
        parent = parent.getparent()


def is_dark(ground: str) -> bool:
    """Whether the ink of the palette would not be legible on a colour; False if `ground` is not a colour."""
    return luminance(ground) is not None and contrast(TEXT[0], ground) < LEAST


def grounded(root: etree._Element, ground: str) -> None:
    """Put a drawing on a page of its own: a theme for dark pages has letters that a light one would not show."""
    box = dict(zip(("x", "y", "width", "height"), str(root.get("viewBox")).split(), strict=True))
    root.insert(0, etree.Element(f"{SVG}rect", {**box, "style": f"fill: {ground}; stroke: none"}))


def contrast(one: str, other: str) -> float:
    """The contrast of two opaque colours, from 1 to 21, by WCAG 2.1; 1 if either is not a colour."""
    both = luminance(one), luminance(other)
    if both[0] is None or both[1] is None:
        return 1.0
    darker, lighter = sorted((both[0], both[1]))
    return (lighter + 0.05) / (darker + 0.05)


def luminance(colour: str) -> float | None:
    """The relative luminance of a colour in CSS, from 0 to 1; None if it cannot be read, or is not opaque."""
    read = tinycss2.color4.parse_color(colour.strip())
    if read is None or read == "currentcolor" or read.alpha < 1:
        return None
    parts = (
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4
        for part in read.to("srgb").coordinates
    )
    return float(sum(share * part for share, part in zip((0.2126, 0.7152, 0.0722), parts, strict=True)))
