"""The figure as Sphinx's nodes, and how its builders write a picture."""

from __future__ import annotations

import posixpath
from functools import cache
from html import escape
from os.path import relpath
from pathlib import Path
from typing import Any
from urllib.parse import quote
from weakref import WeakKeyDictionary

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.transforms.post_transforms import SphinxPostTransform
from sphinx.util import logging
from sphinx.writers.latex import LaTeXTranslator
from sphinx.writers.manpage import ManualPageTranslator
from sphinx.writers.texinfo import TexinfoTranslator
from sphinx.writers.text import TextTranslator

from figmill.errors import ToolError
from figmill.host import files
from figmill.integrations import html
from figmill.integrations.figures import Catalogue, Picture
from figmill.integrations.html import Look
from figmill.integrations.opened import Opened
from figmill.integrations.page import Embedding, Missing

_log = logging.getLogger(__name__)
# The book of each run of Sphinx, or the error that keeps it from being opened.
books: WeakKeyDictionary[Sphinx, Opened | ToolError] = WeakKeyDictionary()


class figmill_image(nodes.image):  # noqa: N801 - docutils names its nodes so
    """One picture of a figure, with its theme, size and print form as attributes."""


class figmill_knobs(nodes.General, nodes.Element):  # noqa: N801 - docutils names its nodes so
    """The place of a figure's controls; only in web pages."""


def with_line(node: nodes.Node) -> nodes.Node:
    """The node, or its nearest ancestor with a line: MyST-Parser gives none to images in a paragraph."""
    while not node.line and node.parent is not None:
        node = node.parent
    return node


def path_from(source: str, catalogue: Catalogue, picture: Picture) -> str:
    """A picture's address for Sphinx: relative to the source folder, even if it lies outside."""
    return f"/{_way(source, str(catalogue.folder))}/{picture.path}"


@cache
def _way(source: str, folder: str) -> str:
    return relpath(folder, source).replace("\\", "/")


def pictures(
    embedding: Embedding, catalogue: Catalogue, source: str, look: Look, svg: dict[str, str] | None = None
) -> list[nodes.Element]:
    """A node for each theme. svg: theme -> SVG text, for drawings inline in the page."""
    found: list[nodes.Element] = []
    for theme, picture in embedding.alternates:
        names = html.classes(theme, "sphinx").split()
        node = figmill_image(
            uri=path_from(source, catalogue, picture),
            alt=embedding.alt,
            classes=names,
            figmill_theme=theme,
            figmill_label=embedding.label,
            figmill_sizes=html.sizes(picture, look.width),
        )
        if look.width and "%" in look.width:
            # not `width` yet: Sphinx would turn a scaled image into a link
            node["figmill_width"] = look.width
        if svg is not None:
            node["figmill_svg"] = svg[theme]
        found.append(node)
    return found


def figure(embedding: Embedding, images: list[nodes.Element], look: Look) -> nodes.figure:
    """A figure with its pictures in one wrapper; its caption comes later."""
    node = nodes.figure("", classes=["figmill", *look.classes])
    if look.align:
        node["align"] = look.align
    node += nodes.container("", *images, classes=["figmill-picture"])
    node += knobs(embedding, images)
    if embedding.doubt:
        node["classes"].append("figmill-stale")
        node += nodes.paragraph("", html.MARK, classes=["figmill-mark"])
    return node


def knobs(embedding: Embedding, images: list[nodes.Element]) -> list[nodes.Element]:
    """The place for the controls of an explorable figure; empty for an inline drawing."""
    explore = embedding.figure.explore
    if explore is None or any("figmill_svg" in image for image in images):
        return []
    return [figmill_knobs(figmill_label=embedding.label, **html.knobs(explore))]


def missing(answer: Missing) -> nodes.Node:
    """The node shown if there is no figure to show."""
    return nodes.strong("", str(answer.target), classes=["figmill-mark"])


class KeepWhatIsSeen(SphinxPostTransform):
    """Outside web pages, which cannot switch: keep only the light picture, without a wrapper, and as PDF for LaTeX."""

    default_priority = 40

    def run(self, **_: Any) -> None:
        builder = self.app.builder
        if builder.format == "html" and builder.name != "epub":
            return
        for place in list(self.document.findall(figmill_knobs)):
            place.parent.remove(place)
        for image in list(self.document.findall(figmill_image)):
            wrapper = image.parent
            if image["figmill_theme"] == "dark":
                wrapper.remove(image)
                continue
            if "figmill_width" in image:
                image["width"] = image["figmill_width"]
            if builder.format == "latex":
                self._print_form(image)
            if isinstance(wrapper.parent, nodes.figure) and "figmill-picture" in wrapper["classes"]:
                wrapper.replace_self([image])

    def _print_form(self, image: nodes.Element) -> None:
        """Add the PDF. Done here because a page read for another builder may be written for LaTeX."""
        book = books[self.app]
        figure = None if isinstance(book, ToolError) else book.catalogue.figures.get(image["figmill_label"])
        pdf = figure.picture("light", "pdf") if figure else None
        if pdf and isinstance(book, Opened):
            path = path_from(str(self.app.srcdir), book.catalogue, pdf).lstrip("/")
            image["candidates"] = {"application/pdf": path}  # instead of `*`, which would win
            self.env.images.add_file(self.env.current_document.docname, path)
        elif figure:
            words = "LaTeX takes a PDF, and figure '%s' has none; pip install 'figmill[export]'"
            _log.warning(
                f"figmill: {words}", figure.label, location=with_line(image), type="figmill", subtype="print"
            )


def visit_in_html(self: Any, node: nodes.Element) -> None:
    """Write one `img` with its size, which reserves the space; or the drawing itself."""
    if "figmill_svg" in node:
        names = escape(" ".join(node["classes"]))
        self.body.append(f'<span class="{names}">{node["figmill_svg"]}</span>')
        raise nodes.SkipNode
    builder = self.builder
    uri = node["uri"]
    if uri in builder.images:
        uri = posixpath.join(builder.imgpath, quote(builder.images[uri]))
    found = {"class": " ".join(node["classes"]), "src": uri, "alt": node["alt"], **node["figmill_sizes"]}
    if builder.name != "epub":
        found |= {"loading": "lazy", "decoding": "async"}
    attributes = "".join(f' {key}="{escape(value)}"' for key, value in found.items())
    self.body.append(f"<img{attributes} />")
    raise nodes.SkipNode


TURNED = "figmill"  # subfolder of a site's images for the pictures of explorations


def visit_knobs(self: Any, node: nodes.Element) -> None:
    """The place for the controls. It names the pictures' folder, because Sphinx puts all images into one folder."""
    base = posixpath.join(self.builder.imgpath, TURNED, "")
    found = {"class": node["class"], "data-figmill-base": base, **_data(node)}
    attributes = "".join(f' {key}="{escape(value)}"' for key, value in found.items())
    self.body.append(f"<div{attributes}></div>")
    raise nodes.SkipNode


def _data(node: nodes.Element) -> dict[str, str]:
    return {key: value for key, value in node.attributes.items() if key.startswith("data-")}


def copy_pictures(app: Sphinx, error: Exception | None) -> None:
    """Copy the pictures of explorations into the site, once its pages are written."""
    book = books.get(app)
    if error or app.builder.format != "html" or app.builder.name == "epub" or not isinstance(book, Opened):
        return
    labels = {label for shown in getattr(app.env, "figmill_uses", {}).values() for label in shown}
    for label in sorted(labels):
        figure = book.catalogue.figures.get(label)
        for picture in figure.explore.pictures if figure and figure.explore else ():
            name = f"{app.builder.imagedir}/{TURNED}/{picture.path.removeprefix('../')}"
            path, data = Path(app.outdir, name), files.read(book.catalogue.folder / picture.path)
            if not path.exists() or files.read(path) != data:
                files.own_folder(Path(app.outdir), name.rpartition("/")[0])
                files.replace_whole(str(path), data)


def register(app: Sphinx) -> None:
    """Register the nodes with Sphinx."""
    built_in = {
        "latex": (LaTeXTranslator.visit_image, LaTeXTranslator.depart_image),
        "text": (TextTranslator.visit_image, None),
        "man": (ManualPageTranslator.visit_image, None),
        "texinfo": (TexinfoTranslator.visit_image, TexinfoTranslator.depart_image),
    }
    app.add_node(figmill_image, html=(visit_in_html, None), **built_in)  # type: ignore[arg-type]
    app.add_node(figmill_knobs, html=(visit_knobs, None))
    app.add_post_transform(KeepWhatIsSeen)
    app.connect("build-finished", copy_pictures)
