"""Warns of pictures that a renderer made: how many elements they replace, and whether they contain text."""

from __future__ import annotations

from figmill.svg.document import Draft
from figmill.svg.spec import Sheet

DOTS = "data-figmill-dots"
WORDS = "data-figmill-words"


def check_pictures(draft: Draft, _sheet: Sheet) -> None:
    """Turn the renderer's marks into warnings, and remove the marks."""
    for node in draft.root.walk():
        dots, text = node.attrib.pop(DOTS, ""), node.attrib.pop(WORDS, "")
        if dots.isascii() and dots.isdigit():
            message = f"{int(dots[:12]):,} elements of a plot are drawn as a picture"
            draft.warn("rasterised", node, f"{message}; `rasterise = 0` in the settings draws each by itself")
        if text:
            draft.warn("words-in-picture", node, "text is part of a picture; draw it with rasterized=False")
