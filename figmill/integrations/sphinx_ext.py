"""Sphinx and MyST-Parser: the directive `figmill`, the role `figmill-fact`, and `figmill:` as an address.

A thin file over `page.py`. The book is built once before Sphinx reads; a page is read again only if something it
shows of a figure has changed.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, ClassVar

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.transforms import SphinxTransform
from sphinx.util import logging
from sphinx.util.docutils import SphinxDirective, SphinxRole

from figmill import __version__
from figmill.errors import ToolError
from figmill.host.lines import shown
from figmill.integrations import page, sphinx_nodes
from figmill.integrations.html import Look
from figmill.integrations.opened import find, open_book
from figmill.integrations.page import Embedding, Missing, Target
from figmill.integrations.sphinx_ask import Asker, digest, uses
from figmill.integrations.sphinx_nodes import books
from figmill.paths import PACKAGE

STATIC = PACKAGE / "integrations" / "files"
_log = logging.getLogger(__name__)


def setup(app: Sphinx) -> dict[str, Any]:
    """Register everything; Sphinx calls this for `extensions = ["figmill.sphinx"]`."""
    app.add_config_value("figmill_root", None, "env", types=(str, type(None)))
    app.add_config_value("figmill_build", True, "", types=(bool,))
    app.add_config_value("figmill_inline", False, "env", types=(bool,))
    sphinx_nodes.register(app)
    app.add_directive("figmill", FigureDirective)
    app.add_role("figmill-fact", FactRole())
    app.add_transform(ReadAddresses)
    app.connect("config-inited", _know_the_scheme)
    app.connect("builder-inited", _open)
    app.connect("env-get-outdated", _outdated)
    app.connect("env-purge-doc", lambda _, env, docname: uses(env).pop(docname, None))
    app.connect("env-merge-info", _merge)
    app.add_css_file("figmill.css")
    app.connect("html-page-context", _add_script)
    return {
        "version": __version__, "env_version": 2, "parallel_read_safe": True, "parallel_write_safe": True,
    }  # fmt: skip


def _know_the_scheme(app: Sphinx, config: Any) -> None:
    """Register `figmill:` with MyST-Parser, which otherwise takes an unknown scheme for a reference and warns."""
    if "myst_url_schemes" in config:
        known = config.myst_url_schemes
        is_list = isinstance(known, list | tuple | set)
        config.myst_url_schemes = {**(dict.fromkeys(known) if is_list else known), "figmill": None}
        _keep_all_words()


def _keep_all_words() -> None:
    """MyST-Parser drops code and the ends of lines from an image's words, and these are the words of a caption."""
    from myst_parser.mdit_to_docutils.base import DocutilsRenderer

    renderer: Any = DocutilsRenderer
    plain = getattr(renderer, "renderInlineAsText", None)
    if plain is None or plain.__module__ == __name__:  # a version that works otherwise keeps its own way
        return

    def words(self: Any, tokens: Sequence[Any]) -> str:
        own = {"softbreak": " ", "hardbreak": " "}
        return "".join(
            token.content if token.type == "code_inline" else own.get(token.type) or plain(self, [token])
            for token in tokens
        )

    renderer.renderInlineAsText = words


def _open(app: Sphinx) -> None:
    app.config.html_static_path += [str(STATIC / "css"), str(STATIC / "js")]
    forms = ("pdf",) if app.builder.format == "latex" else ()
    try:
        root = find(Path(app.confdir), app.config.figmill_root)
        book = books[app] = open_book(root, build=app.config.figmill_build, forms=forms)
    except ToolError as error:
        books[app] = error
        _log.warning("figmill: %s", shown(str(error)), type="figmill", subtype="book")
        return
    for line in book.told:
        _log.info("figmill: %s", shown(line))
    for line in book.failures.values():
        _log.warning("figmill: %s", shown(line), type="figmill", subtype="build")


def _add_script(app: Sphinx, *page: Any) -> None:
    """Give the script to a page with a figure that readers turn, and to no other: each file costs every page time."""
    _, _, context, _ = page
    if "data-figmill-explore" in context.get("body", ""):
        app.add_js_file("figmill-explore.js", loading_method="defer")


def _merge(_: Sphinx, env: BuildEnvironment, docnames: Sequence[str], other: BuildEnvironment) -> None:
    theirs = uses(other)
    uses(env).update({name: theirs[name] for name in docnames if name in theirs})


def _outdated(app: Sphinx, env: BuildEnvironment, *_: object) -> list[str]:
    """The pages whose figures have changed. The pictures' files are separate dependencies of the pages."""
    return [
        docname
        for docname, shown in uses(env).items()
        if any(digest(books[app], label) != before for label, before in shown.items())
    ]


class FigureDirective(SphinxDirective):
    """`.. figmill:: ID`: the figure with this id. Its content, if any, replaces the caption."""

    required_arguments = 1
    has_content = True
    option_spec: ClassVar[Any] = {
        "name": directives.unchanged,
        "alt": directives.unchanged,
        "caption": directives.unchanged,
        "class": directives.class_option,
        "figclass": directives.class_option,
        "align": lambda text: directives.choice(text, ("left", "center", "right")),
        "width": directives.length_or_percentage_or_unitless,
        "theme": lambda text: directives.choice(text, page.THEMES),
        "inline": directives.flag,
    }

    def run(self) -> list[nodes.Node]:
        asker = Asker(self.env.app)
        options = self.options
        target = page.target(self.arguments[0]) or Target(self.arguments[0])
        wishes = {
            "words": options.get("caption"),
            "alt": options.get("alt"),
            "theme": options.get("theme", "auto"),
        }
        answer = asker.figure(target, self.get_location(), **wishes)
        if isinstance(answer, Missing):
            return [nodes.paragraph("", "", sphinx_nodes.missing(answer))]
        look = Look(tuple(options.get("figclass", ())), options.get("width"), options.get("align"))
        images = asker.nodes(answer, look, "inline" in options or self.config.figmill_inline)
        for image in images:
            image["classes"] += options.get("class", ())
            self.set_source_info(image)
        figure = sphinx_nodes.figure(answer, images, look)
        self.set_source_info(figure)
        figure += list(self._below(answer))
        self.add_name(figure)
        _anchor(figure, answer, self.state.document)
        return [figure]

    def _below(self, answer: Embedding) -> Iterator[nodes.Node]:
        """The caption, and the legend if the content has more than one paragraph."""
        content = self.parse_content_to_nodes() if self.content else []
        if content and isinstance(content[0], nodes.paragraph):
            first = content.pop(0)
            caption = nodes.caption(first.rawsource, "", *first.children)  # type: ignore[attr-defined]
            caption.source, caption.line = first.source, first.line
            yield caption
        elif answer.caption:
            yield _caption(self, answer.caption)
        if content:
            yield nodes.legend("", *content)


def _caption(place: SphinxDirective, words: str) -> nodes.caption:
    caption = nodes.caption(words, words)
    place.set_source_info(caption)
    return caption


def _anchor(figure: nodes.Element, embedding: Embedding, document: nodes.document) -> None:
    """Give the first occurrence in a page the id that links lead to."""
    if not figure["ids"] and embedding.anchor not in document.ids:
        document.ids[embedding.anchor] = figure
        figure["ids"].append(embedding.anchor)


class FactRole(SphinxRole):
    """`:figmill-fact:`ID#FACT:FORMAT``: a number of a figure, as text."""

    def run(self) -> tuple[list[nodes.Node], list[nodes.system_message]]:
        target = page.target(f"{page.SCHEME}{self.text.removeprefix(page.SCHEME)}")
        assert target is not None
        return [Asker(self.env.app).fact(target, self.get_location())], []


class ReadAddresses(SphinxTransform):
    """`figmill:` as the address of an image, or of a link without words."""

    default_priority = 200

    def apply(self, **_: Any) -> None:
        asker = None
        found = [node for node in self.document.findall() if isinstance(node, nodes.image | nodes.reference)]
        found.sort(key=lambda node: isinstance(node, nodes.reference))  # pictures first: some are in links
        for node in found:
            if isinstance(node, sphinx_nodes.figmill_image):
                node["translatable"] = False  # its alt text is; its address is not text
                continue
            address = node.get("uri") if isinstance(node, nodes.image) else node.get("refuri")
            target = page.target(address) if isinstance(address, str) else None
            if target is None:
                continue
            asker = asker or Asker(self.app)
            if isinstance(node, nodes.image):
                _replace_image(node, target, asker, self)
            elif isinstance(node, nodes.reference):
                if target.fact is None and node.astext():
                    _lead_to(node, target, self.document)
                else:
                    node.replace_self(asker.fact(target, node))


def _replace_image(node: nodes.image, target: Target, asker: Asker, place: SphinxTransform) -> None:
    """Replace an image by the figure: stand-alone, inside a line, or inside an existing figure."""
    parent = node.parent
    in_figure = isinstance(parent, nodes.figure)
    by_itself = isinstance(parent, nodes.paragraph) and len(parent) == 1
    own = node.get("alt") or None  # from a directive; the text of ![...] is a caption
    is_caption = own and isinstance(parent, nodes.TextElement) and _is_markdown(place)
    words, alt = (own, None) if is_caption else (None, own)
    answer = asker.figure(target, node, words=words, alt=alt)
    if isinstance(answer, Missing):
        node.replace_self(sphinx_nodes.missing(answer))
        return
    look = Look(tuple(node["classes"]), node.get("width"), node.get("align"))
    images = asker.nodes(answer, look, place.config.figmill_inline)
    for image in images:
        image.source, image.line = place.document["source"], sphinx_nodes.with_line(node).line
    if in_figure:
        parent["classes"].append("figmill")
        wrapper = nodes.container("", *images, classes=["figmill-picture"])
        node.replace_self([wrapper, *sphinx_nodes.knobs(answer, images)])
        if answer.caption and not any(isinstance(child, nodes.caption) for child in parent):
            parent.insert(1, _caption_at(node, answer.caption))
        _anchor(parent, answer, place.document)
    elif by_itself or not isinstance(parent, nodes.TextElement):
        figure = sphinx_nodes.figure(answer, images, look)
        figure.source, figure.line = node.source, sphinx_nodes.with_line(node).line
        if answer.caption:
            figure += _caption_at(node, answer.caption)
        figure["ids"] += node["ids"]
        figure["names"] += node["names"]
        _anchor(figure, answer, place.document)
        (parent if by_itself else node).replace_self(figure)
    else:
        node.replace_self(nodes.inline("", "", *images, classes=["figmill-picture"]))


def _is_markdown(place: SphinxTransform) -> bool:
    """Whether the page is anything but reStructuredText."""
    suffixes = place.config.source_suffix.items()
    path = str(place.env.doc2path(place.env.docname))
    return next((parser != "restructuredtext" for suffix, parser in suffixes if path.endswith(suffix)), True)


def _caption_at(node: nodes.Element, words: str) -> nodes.caption:
    caption = nodes.caption(words, words)
    caption.source, caption.line = node.source, sphinx_nodes.with_line(node).line
    return caption


def _lead_to(node: nodes.reference, target: Target, document: nodes.document) -> None:
    """Turn text with a `figmill:` address into a link to a figure on the same page."""
    del node["refuri"]
    node["refid"] = f"fig-{target.label}"


__all__ = ["setup"]
