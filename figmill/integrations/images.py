"""Which figure an image in a page is. The one module that every host asks.

A host identifies an image by its address and its alt text, from which the build has made the figure's id. Decides
nothing about figures: an image that the book has no figure of stays what it was.
"""

from __future__ import annotations

import posixpath
import re
from pathlib import Path

from figmill.book.pages import images
from figmill.book.pages.images import PageImage
from figmill.integrations.fences import name_in
from figmill.integrations.opened import Opened

# The attributes of an image in HTML that its figure keeps.
KEPT = ("width", "height", "class", "align", "id", "loading")
_WIDTH = re.compile(r"(?:^|;)\s*width\s*:\s*([0-9.]+(?:px|%|em|rem))\s*(?:;|$)")


def wishes(image: PageImage) -> dict[str, str]:
    """What a page states about the look of an image."""
    given = {key: value for key in KEPT if (value := image.attributes.get(key))}
    if style := _WIDTH.search(image.attributes.get("style", "")):
        given["width"] = style[1]
    return {**given, **({"title": image.title} if image.title else {})}


class PageImages:
    """The images in one page, while a host converts it.

    - path: the page; None: it is not a file.
    """

    def __init__(self, opened: Opened, path: Path | None) -> None:
        self._root, self._suffixes = opened.root, opened.images
        self._figures = opened.catalogue.figures
        self._name = name_in(opened.root, path)
        self._folder = images.folder_of(self._name or "", opened.page_folders)

    @property
    def may_be_figures(self) -> bool:
        """Whether the book makes figures of images, and this page is in the book."""
        return bool(self._suffixes) and self._name is not None

    def of(self, text: str) -> list[tuple[PageImage, str]]:
        """The images in the text of this page that are figures, each with its label, in their order."""
        if not self.may_be_figures:
            return []
        assert self._name is not None
        pairs = []
        for image in images.images(self._name, text, self._suffixes):
            places = images.places(self._name, image, self._folder)
            if places and (label := images.id_of(places[0], image.alt)) in self._figures:
                pairs.append((image, label))
        return sorted(pairs, key=lambda pair: pair[0].start)

    def label(self, address: str, alt: str) -> str | None:
        """The figure of an image with this address, as the page has it; None if it is not one."""
        if not self.is_wanted(address):
            return None
        place = images.place(posixpath.dirname(self._name or ""), address, self._folder)
        return self._known(place, alt)

    def label_of_file(self, path: Path, alt: str) -> str | None:
        """The figure of an image whose file the host has found; None if it is not one."""
        return self._known(name_in(self._root, path), alt) if self.is_wanted(path.name) else None

    def is_wanted(self, address: str) -> bool:
        """Whether an image with this address should be a figure."""
        return self.may_be_figures and images.is_local(address, self._suffixes)

    def _known(self, place: str | None, alt: str) -> str | None:
        label = images.id_of(place, alt) if place else None
        return label if label in self._figures else None
