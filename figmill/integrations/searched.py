"""The text of a figure for a host's search index: its alt text, and the labels in its picture.

A search index cannot read an `<img>`, so the text is put into the page beside the picture.
"""

from __future__ import annotations

import re
from pathlib import Path
from xml.etree.ElementTree import Element

from figmill.integrations.figures import Figure
from figmill.integrations.picture_content import content

MOST = 4000  # characters of one figure
_HIDDEN = re.compile('<span class="figmill-words" hidden="hidden">[^<]*</span>')


def words(figure: Figure, folder: Path, alt: str | None = None) -> str:
    """The text by which a search finds the figure, on one line. folder: of the pictures; alt: the page's own.

    Its caption is text in the page.
    """
    picture = figure.picture("light") or figure.picture("dark")
    labels = content(folder, picture.path).texts if picture else ()
    return " ".join(" \N{MIDDLE DOT} ".join((figure.alt if alt is None else alt, *labels)).split())[:MOST]


def hidden(text: str) -> Element:
    """The text as an element that a search index reads, but neither readers nor screen readers."""
    element = Element("span", {"class": "figmill-words", "hidden": "hidden"})
    element.text = f" {text} "
    return element


def without(page: str) -> str:
    """A page without the elements that `hidden` makes."""
    return _HIDDEN.sub("", page)
