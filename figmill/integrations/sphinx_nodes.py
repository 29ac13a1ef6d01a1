"""The figure as Sphinx's nodes, and how its builders write a picture."""

from __future__ import annotations

import posixpath
from dataclasses import replace
from functools import cache
from html import escape
from pathlib import Path
from typing import Any
from urllib.parse import quote
from weakref import WeakKeyDictionary
from xml.etree import ElementTree

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.locale import _ as localised
from sphinx.transforms.post_transforms import SphinxPostTransform
from sphinx.util import logging
from sphinx.writers.latex import LaTeXTranslator
from sphinx.writers.manpage import ManualPageTranslator
from sphinx.writers.texinfo import TexinfoTranslator
from sphinx.writers.text import TextTranslator

from figmill import page_words
from figmill.errors import ToolError
from figmill.host import files
from figmill.host.lines import shown
from figmill.integrations import figures, html, links, long_description, searched, sphinx_links
from figmill.integrations.figures import Catalogue, DataTable, Figure, PictureFile
from figmill.integrations.html import FigureLook
from figmill.integrations.lookup import Embedding, Missing
from figmill.integrations.opened import Opened
from figmill.paths import relative
from figmill.publish.legible import box_class

_log = logging.getLogger(__name__)
# The book of each run of Sphinx, or the error that keeps it from being opened.
books: WeakKeyDictionary[Sphinx, Opened | ToolError] = WeakKeyDictionary()


class figmill_image(nodes.image):  # noqa: N801 - docutils names its nodes so
    """One picture of a figure, with its theme, size and print form as attributes."""


class figmill_pictures(nodes.container):  # noqa: N801 - docutils names its nodes so
    """The wrapper of a figure's pictures, with the attributes by which a web page scrolls it."""


class figmill_below(nodes.General, nodes.Element):  # noqa: N801 - docutils names its nodes so
    """What stands below a figure for scripts, as HTML; only in web pages. It has a label if readers can change it."""


class figmill_details(nodes.General, nodes.Element):  # noqa: N801 - docutils names its nodes so
    """The long description of a figure, with its label and its files; in web pages and electronic books."""


class figmill_fact(nodes.inline):  # noqa: N801 - docutils names its nodes so
    """A fact that follows the controls of a figure in web pages, with its label and its texts as attributes."""


class figmill_words(nodes.General, nodes.TextElement):  # noqa: N801 - docutils names its nodes so
    """The text of a picture for the search index; it is not written."""


def is_in_title(node: nodes.Node) -> bool:
    """Whether a node stands in the title of a section."""
    while node.parent is not None and not isinstance(node, nodes.title):
        node = node.parent
    return isinstance(node, nodes.title)


def with_line(node: nodes.Node) -> nodes.Node:
    """The node, or its nearest ancestor with a line: MyST-Parser gives none to images in a paragraph."""
    while not node.line and node.parent is not None:
        node = node.parent
    return node


def path_from(source: str, catalogue: Catalogue, picture: PictureFile | DataTable) -> str:
    """A picture's address for Sphinx: relative to the source folder, even if it lies outside.

    On another drive it is absolute, and stays so when Sphinx joins it to the source folder.
    """
    return f"/{_way(source, str(catalogue.folder))}/{picture.path}"


@cache
def _way(source: str, folder: str) -> str:
    return relative(folder, source)


def pictures(
    embedding: Embedding,
    catalogue: Catalogue,
    source: str,
    look: FigureLook,
    svg: dict[str, str] | None = None,
) -> list[nodes.Element]:
    """A node for each theme. svg: theme -> SVG text, for drawings inline in the page."""
    images: list[nodes.Element] = []
    forms = (
        html.shown(embedding, look.width) if svg is None else [(*pair, "") for pair in embedding.alternates]
    )
    for theme, picture, form in forms:
        names = f"{html.classes(theme, 'sphinx', form)} {html.legible(picture, look.width)}".split()
        node = figmill_image(
            uri=path_from(source, catalogue, picture),
            alt=embedding.alt,
            classes=names,
            figmill_theme="dark" if form == "narrow" else theme,  # which only web pages show
            figmill_label=embedding.label,
            figmill_sizes=html.sizes(picture, look.width, is_whole=True),
        )
        if look.width and "%" in look.width:
            # not `width` yet: Sphinx would turn a scaled image into a link
            node["figmill_width"] = look.width
        if svg is not None:
            node["figmill_svg"] = svg[theme]
        images.append(node)
    return images


def link(embedding: Embedding, images: list[nodes.Element], look: FigureLook) -> None:
    """Mark the drawings of a figure as inline for their links, so that they look as images would."""
    for image, (theme, picture) in zip(images, embedding.alternates, strict=True):
        around = html.linked(theme, picture, replace(look, host="sphinx"), is_whole=True)
        image["classes"] = around["class"].split()
        image["figmill_style"] = around.get("style", "")


def figure(embedding: Embedding, images: list[nodes.Element], look: FigureLook) -> nodes.figure:
    """A figure with its pictures in one wrapper; its caption comes later."""
    node = nodes.figure("", classes=["figmill", *look.classes])
    if look.align:
        node["align"] = look.align
    node += wrapper(embedding, images)
    node += below(embedding, images, look.width)
    if embedding.doubt:
        node["classes"].append("figmill-stale")
        node += nodes.paragraph("", embedding.figure.translated(page_words.MARK), classes=["figmill-mark"])
    return node


def wrapper(embedding: Embedding, images: list[nodes.Element]) -> nodes.Element:
    """The pictures of a figure by itself, in the box that scrolls on a narrow screen."""
    names = " ".join(name for image in images for name in image["classes"])
    is_inline = any("figmill_svg" in image and "figmill_style" not in image for image in images)
    node = figmill_pictures("", *images, classes=box_class(embedding.figure.is_leftward).split())
    node["figmill_scroller"] = {} if is_inline else html.scroller(embedding, names)
    return node


def in_line(images: list[nodes.Element]) -> nodes.Element:
    """The pictures of a figure in a line of text, where they are as small as the line needs."""
    images = [image for image in images if "figmill-narrow" not in image["classes"]]
    for image in images:
        image["classes"] = _without_least_width(image)
    return nodes.inline("", "", *images, classes=["figmill-picture"])


def _without_least_width(image: nodes.Element) -> list[str]:
    """The classes of a picture that may become as small as its place."""
    return [name for name in image["classes"] if not name.startswith((*html.KEEPS, "figmill-wide"))]


def below(embedding: Embedding, images: list[nodes.Element], width: str | None) -> nodes.Element:
    """What stands below the pictures for the scripts of a web page. width: the page's own, if any."""
    has_controls = not any("figmill_svg" in image for image in images)

    def text(*, has_zoom: bool) -> str:
        parts = html.below(embedding, width, has_zoom=has_zoom, has_controls=has_controls)
        return "".join(ElementTree.tostring(part, encoding="unicode", method="html") for part in parts)

    label = embedding.label if has_controls and embedding.figure.explore else None
    return figmill_below(
        figmill_label=label, figmill_html=text(has_zoom=False), figmill_zoom=text(has_zoom=True)
    )


def details(figure: Figure, folder: Path, files_: dict[str, str]) -> list[nodes.Element]:
    """The long description of a figure; empty if it has none. files_: path of its data -> its name in the site."""
    if long_description.details(figure, folder, lambda _: None) is None:
        return []
    return [figmill_details(figmill_label=figure.label, figmill_files=files_)]


def missing(answer: Missing) -> nodes.Node:
    """The node shown if there is no figure to show."""
    return nodes.strong("", str(answer.target), classes=["figmill-mark"])


class KeepWhatIsSeen(SphinxPostTransform):
    """Only web pages can switch themes: elsewhere keep the light picture, without a wrapper, and as PDF for LaTeX."""

    default_priority = 40

    def run(self, **_: Any) -> None:
        builder = self.app.builder
        is_web = builder.format == "html" and builder.name != "epub"
        interactive = (
            {place["figmill_label"] for place in self.document.findall(figmill_below)} if is_web else set()
        )
        for fact in list(self.document.findall(figmill_fact)):
            if fact["figmill_label"] not in interactive:
                fact.replace_self(nodes.Text(fact.astext()))
        if is_web:
            self._let_search()
            return
        if builder.format != "html":
            sphinx_links.keep_out(self.document)
        for place in list(self.document.findall(figmill_below)):
            place.parent.remove(place)
        for below in list(self.document.findall(figmill_details)):
            if builder.format != "html":
                below.parent.remove(below)
        for image in list(self.document.findall(figmill_image)):
            wrapper = image.parent
            if image["figmill_theme"] == "dark":
                wrapper.remove(image)
                continue
            if "figmill_width" in image:
                image["width"] = image["figmill_width"]
            image["classes"] = _without_least_width(image)  # a page of a book does not scroll sideways
            is_printed = builder.format != "latex" or self._print_form(image)
            shown = image if is_printed and builder.format not in IN_WORDS else _in_words(image)
            if isinstance(wrapper.parent, nodes.figure) and "figmill-picture" in wrapper["classes"]:
                wrapper.replace_self([shown])
            elif shown is not image:
                image.replace_self(shown)
        if builder.format in IN_WORDS:
            self._let_captions_end()

    def _let_captions_end(self) -> None:
        """Turn captions into paragraphs: in manual pages the last one runs into the command after it."""
        for caption in list(self.document.findall(nodes.caption)):
            if "figmill" in caption.parent["classes"]:
                caption.replace_self(nodes.paragraph("", "", *caption.children))

    def _let_search(self) -> None:
        """Put the text of each picture beside it, for Sphinx's index, which does not read drawings."""
        book = books[self.app]
        for image in list(self.document.findall(figmill_image)):
            if isinstance(book, Opened) and image["figmill_theme"] != "dark":
                figure = book.catalogue.figures.get(image["figmill_label"])
                text = searched.words(figure, book.catalogue.folder, image["alt"]) if figure else image["alt"]
                image.parent.append(figmill_words("", text))

    def _print_form(self, image: nodes.Element) -> bool:
        """Add the PDF, if there is one. Done here because a page read for another builder may be written for LaTeX."""
        book = books[self.app]
        figure = None if isinstance(book, ToolError) else book.catalogue.figures.get(image["figmill_label"])
        pdf = figure.picture("light", "pdf") if figure else None
        if pdf and isinstance(book, Opened):
            path = path_from(str(self.app.srcdir), book.catalogue, pdf).lstrip("/")
            image["candidates"] = {"application/pdf": path}  # instead of `*`, which would win
            self.env.images.add_file(self.env.current_document.docname, path)
        elif figure and isinstance(book, Opened):
            why = book.failures.get(figure.label) or book.unexported or "run `figmill export --to pdf`"
            message = "figmill: LaTeX needs a PDF, and figure '%s' has none: %s"
            _log.warning(
                message, figure.label, shown(why), location=with_line(image), type="figmill", subtype="print"
            )
        return pdf is not None


# The formats of builders that show no picture.
IN_WORDS = ("text", "man")


def _in_words(image: nodes.Element) -> nodes.Element:
    """The replacement of a picture that cannot be shown: its alt text, once."""
    text = nodes.Text(localised("[image: %s]") % image["alt"])
    is_in_line = isinstance(image.parent, nodes.inline)
    return nodes.inline("", "", text) if is_in_line else nodes.paragraph("", "", text)


def visit_pictures(self: Any, node: nodes.Element) -> None:
    """Write the wrapper of pictures, so that keyboards and screen readers reach the box that scrolls."""
    attributes = {"class": " ".join(["docutils container", *node["classes"]]), **node["figmill_scroller"]}
    ids = f' id="{escape(node["ids"][0])}"' if node["ids"] else ""
    self.body.append(
        f"<div{''.join(f' {key}={chr(34)}{escape(value)}{chr(34)}' for key, value in attributes.items())}{ids}>\n"
    )


def depart_pictures(self: Any, _: nodes.Element) -> None:
    """Write its end."""
    self.body.append("</div>\n")


def visit_fact(self: Any, node: nodes.Element) -> None:
    """Write a fact that follows the controls of a figure."""
    attributes = html.fact_attributes(node["figmill_label"], node["figmill_texts"])
    lines = {key: escape(value).replace("\n", "&#10;") for key, value in attributes.items()}
    self.body.append(f"<span{''.join(f' {key}={chr(34)}{value}{chr(34)}' for key, value in lines.items())}>")


def visit_details(self: Any, node: nodes.Element) -> None:
    """Write the long description, with links to the copies of its files."""

    def url(table: DataTable) -> str | None:
        name = node["figmill_files"].get(table.path)
        is_offered = name is not None and self.builder.download_support
        return posixpath.join(self.builder.dlpath, quote(name)) if is_offered else None

    id_ = node["ids"][0] if node["ids"] else None
    book = books[self.builder.app]
    if isinstance(book, ToolError) or (figure := book.catalogue.figures.get(node["figmill_label"])) is None:
        raise nodes.SkipNode
    disclosure = long_description.details(figure, book.catalogue.folder, url, id_)
    if disclosure is not None:
        self.body.append(f"{ElementTree.tostring(disclosure, encoding='unicode')}\n")
    raise nodes.SkipNode


def depart_fact(self: Any, _: nodes.Element) -> None:
    """Write its end."""
    self.body.append("</span>")


def visit_words(_: Any, __: nodes.Element) -> None:
    """Write nothing: the index has read the text."""
    raise nodes.SkipNode


def visit_in_html(self: Any, node: nodes.Element) -> None:
    """Write one `img` with its size, which reserves the space; or the drawing itself."""
    if "figmill_svg" in node:
        names, svg, style = escape(" ".join(node["classes"])), node["figmill_svg"], ""
        if "figmill_style" in node:
            svg = links.led(svg, sphinx_links.addresses(node), node["alt"])
            style = f' style="{escape(node["figmill_style"])}"' if node["figmill_style"] else ""
        self.body.append(f'<span class="{names}"{style}>{svg}</span>')
        raise nodes.SkipNode
    builder = self.builder
    uri = node["uri"]
    if uri in builder.images:
        uri = posixpath.join(builder.imgpath, quote(builder.images[uri]))
    values = {"class": " ".join(node["classes"]), "src": uri, "alt": node["alt"], **node["figmill_sizes"]}
    if "figmill_described" in node:
        values["aria-details"] = node["figmill_described"]
    if builder.name != "epub":
        values |= {"loading": "lazy", "decoding": "async"}
    attributes = "".join(f' {key}="{escape(value)}"' for key, value in values.items())
    self.body.append(f"<img{attributes} />")
    raise nodes.SkipNode


PICTURES = "figmill"  # the subfolder of a site's images for the pictures of interactive figures


def visit_below(self: Any, node: nodes.Element) -> None:
    """The controls. They name the pictures' folder, because Sphinx puts all images into one folder."""
    text = node["figmill_zoom" if self.config.figmill_zoom else "figmill_html"]
    base = escape(posixpath.join(self.builder.imgpath, PICTURES, ""))
    self.body.append(
        text.replace('class="figmill-explore"', f'class="figmill-explore" data-figmill-base="{base}"')
    )
    raise nodes.SkipNode


def copy_pictures(app: Sphinx, error: Exception | None) -> None:
    """Copy the pictures of interactive figures into the site, once its pages are written."""
    book = books.get(app)
    if error or app.builder.format != "html" or app.builder.name == "epub" or not isinstance(book, Opened):
        return
    labels = {label for shown in getattr(app.env, "figmill_uses", {}).values() for label in shown}
    for label in sorted(labels):
        figure = book.catalogue.figures.get(label)
        for picture in figure.explore.pictures if figure and figure.explore else ():
            name = f"{app.builder.imagedir}/{PICTURES}/{picture.path.removeprefix('../')}"
            path, data = Path(app.outdir, name), figures.read(book.catalogue.folder, picture.path)
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
    app.add_node(figmill_pictures, html=(visit_pictures, depart_pictures))
    app.add_node(figmill_below, html=(visit_below, None))
    app.add_node(figmill_details, html=(visit_details, None))
    app.add_node(figmill_fact, html=(visit_fact, depart_fact))
    app.add_node(figmill_words, html=(visit_words, None))
    app.add_post_transform(KeepWhatIsSeen)
    app.connect("build-finished", copy_pictures)
