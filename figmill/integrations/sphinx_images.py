"""Sphinx and MyST-Parser: an image of a page that is a figure, as `![]()`, `image`, `figure` or a substitution."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from urllib.parse import unquote

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.transforms import SphinxTransform

from figmill.integrations import html
from figmill.integrations.images import PageImages
from figmill.integrations.lookup import SCHEME
from figmill.integrations.opened import Opened
from figmill.integrations.sphinx_ask import uses
from figmill.integrations.sphinx_nodes import books


class ReadImages(SphinxTransform):
    """Give images that are figures the address of their figure, before `ReadAddresses` reads it."""

    default_priority = 190

    def apply(self, **_: Any) -> None:
        book = books.get(self.app)
        if not isinstance(book, Opened) or not book.images:
            return
        page = PageImages(book, Path(self.env.doc2path(self.env.docname)))
        for image in list(self.document.findall(nodes.image)):
            if not page.is_wanted(image["uri"]):
                continue
            path = Path(self.env.relfn2path(unquote(image["uri"]), self.env.docname)[1])
            label = page.label_of_file(path, image.get("alt", ""))
            if label is None:
                if path.is_file():  # the next build reads the page again
                    uses(self.env).setdefault(self.env.docname, {})[f"the image {image['uri']}"] = ""
                continue
            _scale(image, book, label)
            image["uri"] = f"{SCHEME}{label}"
            image.attributes.pop("alt", None)  # which the figure has


def _scale(image: nodes.image, book: Opened, label: str) -> None:
    """Turn a share of an image's own size, or its height alone, into a width."""
    scale, height = image.attributes.pop("scale", None), image.attributes.pop("height", None)
    picture = book.catalogue.figures[label].picture("light")
    if picture is None or "width" in image:
        return
    if scale is not None:
        image["width"] = f"{picture.width * int(scale) / 100:.4g}px"
    elif (width := html.width_at(picture, height)) is not None:
        image["width"] = width


def register(app: Sphinx) -> None:
    """Register the code that reads images."""
    app.add_transform(ReadImages)
