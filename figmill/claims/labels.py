"""The texts in a published picture. Pure.

It is in normal form, which a search for `text` elements reads in a tenth of the time that a tree of it takes.
"""

from __future__ import annotations

import re
from html import unescape

_TEXT = re.compile(r'<text\b(?:[^<>"]|"[^"]*")*>(.*?)</text>', re.DOTALL)
_TAG = re.compile("<[^>]*>")


def labels(svg: bytes) -> tuple[str, ...]:
    """The texts of a published SVG that have a letter, each once, in their order."""
    inside = _TEXT.findall(svg.decode("utf-8", "replace"))
    texts = (" ".join(unescape(_TAG.sub("", text)).split()) for text in inside)
    return tuple(dict.fromkeys(text for text in texts if any(letter.isalpha() for letter in text)))
