"""The text of a figure for a host's search index: its alt text, and the labels in its picture.

A search index cannot read an `<img>`, so the text is put into the page beside the picture.
"""

from __future__ import annotations

import re
from functools import lru_cache
from pathlib import Path
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

from figmill.claims.labels import labels
from figmill.integrations import figures
from figmill.integrations.figures import Figure

MOST = 4000  # characters of one figure
_HIDDEN = re.compile('<span class="figmill-words" hidden="hidden">[^<]*</span>')


def words(figure: Figure, folder: Path, alt: str | None = None) -> str:
    """The text by which a search finds the figure, on one line. folder: of the pictures; alt: the page's own.

    Its caption is text in the page.
    """
    picture = figure.picture("light") or figure.picture("dark")
    labels = _labels(folder, picture.path) if picture else ()
    return " ".join(" \N{MIDDLE DOT} ".join((figure.alt if alt is None else alt, *labels)).split())[:MOST]


@lru_cache(maxsize=256)
def _labels_of(folder: Path, path: str, _digest: tuple[int, int]) -> tuple[str, ...]:
    return labels(figures.read(folder, path))


def _labels(folder: Path, path: str) -> tuple[str, ...]:
    """The labels of a file; none if it cannot be read, which the host reports."""
    try:
        about = (folder / path).stat()
        return _labels_of(folder, path, (about.st_mtime_ns, about.st_size))
    except (OSError, ElementTree.ParseError):
        return ()


def hidden(text: str) -> Element:
    """The text as an element that a search index reads, but neither readers nor screen readers."""
    element = Element("span", {"class": "figmill-words", "hidden": "hidden"})
    element.text = f" {text} "
    return element


def without(page: str) -> str:
    """A page without the elements that `hidden` makes."""
    return _HIDDEN.sub("", page)
