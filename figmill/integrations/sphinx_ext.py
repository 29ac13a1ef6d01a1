"""Sphinx and MyST-Parser: the directive `figmill`, the role `figmill-fact`, and `figmill:` as an address.

A thin file over `lookup.py`. The book is built once before Sphinx reads; a page is read again only if something it
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
from figmill.book.names import anchor_of
from figmill.errors import ToolError
from figmill.host.lines import shown
from figmill.integrations import (
    claims,
    leftover,
    links,
    lookup,
    sources,
    sphinx_fences,
    sphinx_images,
    sphinx_links,
    sphinx_nodes,
    sphinx_places,
)
from figmill.integrations.html import FigureLook
from figmill.integrations.lookup import Embedding, Missing, Target
from figmill.integrations.opened import find, open_book
from figmill.integrations.sphinx_ask import Asker, digest, uses
from figmill.integrations.sphinx_nodes import books
from figmill.paths import PACKAGE

STATIC = PACKAGE / "integrations" / "files"
_log = logging.getLogger(__name__)


def setup(app: Sphinx) -> dict[str, Any]:
    """Register everything; Sphinx calls this for `extensions = ["figmill.sphinx"]`."""
    app.add_config_value("figmill_root", None, "env", types=(str, type(None)))
    app.add_config_value("figmill_build", True, "", types=(bool,))
    app.add_config_value("figmill_inline", links.AUTO, "env", types=(bool, str))
    app.add_config_value("figmill_zoom", True, "html", types=(bool,))
    sphinx_nodes.register(app)
    sphinx_places.register(app)
    sphinx_links.register(app)
    sphinx_fences.register(app)
    sphinx_images.register(app)
    app.add_directive("figmill", SphinxFigureDirective)
    app.add_role("figmill-fact", FactRole())
    app.add_transform(ReadAddresses)
    app.connect("config-inited", _know_the_scheme)
    app.connect("builder-inited", _open)
    app.connect("env-get-outdated", _outdated)
    app.connect("env-purge-doc", lambda _, env, docname: uses(env).pop(docname, None))
    app.connect("env-merge-info", _merge)
    app.add_css_file("figmill.css")
    app.connect("html-page-context", _add_script)
    app.connect("html-page-context", _report_left_over)
    app.connect("doctree-read", _judge)
    return {
        "version": __version__,
        "env_version": 5,
        "parallel_read_safe": True,
        "parallel_write_safe": True,
    }


def _know_the_scheme(app: Sphinx, config: Any) -> None:
    """Register `figmill:` with MyST-Parser, which otherwise takes an unknown scheme for a reference and warns."""
    if "myst_url_schemes" in config:
        schemes = config.myst_url_schemes
        is_list = isinstance(schemes, list | tuple | set)
        config.myst_url_schemes = {**(dict.fromkeys(schemes) if is_list else schemes), "figmill": None}
        _keep_words()


def _keep_words() -> None:
    """Have MyST-Parser keep the text of figmill's images as their only child: it drops markup, code and line ends."""
    from myst_parser.mdit_to_docutils.base import DocutilsRenderer

    renderer: Any = DocutilsRenderer
    plain = getattr(renderer, "render_image", None)
    if plain is None or plain.__module__ == __name__:  # a version that works differently is left as it is
        return

    def render_image(self: Any, token: Any) -> None:
        plain(self, token)
        image = self.current_node[-1]
        if isinstance(image, nodes.image) and lookup.target(image["uri"]) and token.children:
            caption = nodes.inline()
            for part in (node for child in token.children for node in child.walk()):
                for inner in (part.token, *(part.nester_tokens or ())):
                    # which MyST-Parser passes on to a line, but not to an image
                    if inner is not None and not inner.map:
                        inner.map = token.map
            with self.current_node_context(caption):
                self.render_children(token)
            image["alt"] = _plain(caption)
            image += caption

    renderer.render_image = render_image


def _plain(content: nodes.Node) -> str:
    """The text of nodes on one line, without nodes that are raw for one output format."""
    texts = (" " if isinstance(node, nodes.raw) else node.astext() for node in content.findall(_is_leaf))
    return " ".join("".join(texts).split())


def _is_leaf(node: nodes.Node) -> bool:
    return isinstance(node, nodes.raw) or (
        isinstance(node, nodes.Text) and not isinstance(node.parent, nodes.raw)
    )


def _open(app: Sphinx) -> None:
    app.config.html_static_path += [str(STATIC / "css"), str(STATIC / "js")]
    forms = ("pdf",) if app.builder.format == "latex" else ()
    try:
        root = find(Path(app.confdir), app.config.figmill_root)
        book = open_book(root, build=app.config.figmill_build, forms=forms)
        # gettext collects the text that translators start from
        books[app] = book = book.in_language(app.config.language if app.builder.name != "gettext" else None)
        links.wish(app.config.figmill_inline, "figmill_inline")
    except ToolError as error:
        books[app] = error
        _log.warning("figmill: %s", shown(str(error)), type="figmill", subtype="book")
        return
    for line in book.lines:
        _log.warning("figmill: %s", shown(line), type="figmill", subtype="build")
    sphinx_fences.take_directives(app)


def _add_script(app: Sphinx, *page: Any) -> None:
    """Add the scripts to pages with a figure that needs them, and to no other: each file slows down a page."""
    _, _, context, _ = page
    body = context.get("body", "")
    if "data-figmill-explore" in body:
        app.add_js_file("figmill-explore.js", loading_method="defer")
    if app.config.figmill_zoom and "figmill-picture" in body and app.builder.name != "epub":
        app.add_js_file("figmill-zoom.js", loading_method="defer")


def _report_left_over(app: Sphinx, docname: str, _: str, context: dict[str, Any], doctree: Any) -> None:
    """Warn of addresses that a page still shows as text, at their lines."""
    left = leftover.left_over(context.get("body", "")) if doctree is not None else ()
    for target in left:
        path = app.env.doc2path(docname)
        line = sources.line_of(Path(path).read_text("utf-8", "replace"), target)
        _log.warning(
            "figmill: %s",
            shown(leftover.message(target)),
            location=(docname, line),
            type="figmill",
            subtype="missing",
        )


def _judge(app: Sphinx, _: nodes.document) -> None:
    """Warn of numbers of a page that its figures contradict, in every build."""
    book, docname = books[app], app.env.docname
    if isinstance(book, ToolError) or docname not in uses(app.env):
        return
    path = Path(app.env.doc2path(docname))
    for line, message in claims.contradicted(book, path, path.read_text("utf-8", "replace")):
        _log.warning(
            "figmill: %s", shown(message), location=(docname, line), type="figmill", subtype="claims"
        )
        # so that the next build reads the page again
        uses(app.env)[docname] = dict.fromkeys(uses(app.env)[docname], "")


def _merge(_: Sphinx, env: BuildEnvironment, docnames: Sequence[str], other: BuildEnvironment) -> None:
    theirs = uses(other)
    uses(env).update({name: theirs[name] for name in docnames if name in theirs})


def _outdated(app: Sphinx, env: BuildEnvironment, *_: object) -> list[str]:
    """The pages whose figures have changed, and those with a warning. The pictures' files are dependencies as well."""
    return [
        docname
        for docname, shown in uses(env).items()
        if any(not before or digest(books[app], label) != before for label, before in shown.items())
    ]


class SphinxFigureDirective(SphinxDirective):
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
        "theme": lambda text: directives.choice(text, lookup.THEMES),
        "inline": lambda text: directives.choice(text, links.WISHES) if text else links.ALWAYS,
    }

    def run(self) -> list[nodes.Node]:
        asker = Asker(self.env.app)
        options = self.options
        target = lookup.target(self.arguments[0]) or Target(self.arguments[0])
        wishes = {
            "caption": options.get("caption"),
            "alt": options.get("alt"),
            "theme": options.get("theme", "auto"),
        }
        answer = asker.figure(target, self.get_location(), **wishes)
        if isinstance(answer, Missing):
            return [nodes.paragraph("", "", sphinx_nodes.missing(answer))]
        look = FigureLook(tuple(options.get("figclass", ())), options.get("width"), options.get("align"))
        wanted = options.get("inline", links.wish(self.config.figmill_inline))
        images = asker.nodes(answer, look, wanted, self.get_location())
        for image in images:
            image["classes"] += options.get("class", ())
            self.set_source_info(image)
        figure = sphinx_nodes.figure(answer, images, look)
        self.set_source_info(figure)
        figure += list(self._below(answer))
        self.add_name(figure)
        _anchor(figure, answer, self.state.document, self.env)
        return [figure, *asker.details(answer, images, self.state.document)]

    def _below(self, answer: Embedding) -> Iterator[nodes.Node]:
        """The caption, and the legend if the content has more than one paragraph."""
        content = self.parse_content_to_nodes() if self.content else []
        if content and isinstance(content[0], nodes.paragraph):
            first = content.pop(0)
            caption = nodes.caption(first.rawsource, "", *first.children)  # type: ignore[attr-defined]
            caption.source, caption.line = first.source, first.line
            yield caption
        elif answer.caption:
            yield self._caption(answer.caption)
        if content:
            yield nodes.legend("", *content)

    def _caption(self, default: str) -> nodes.caption:
        """The caption from the option, with its markup, or else the figure's."""
        caption = nodes.caption(default, default)
        if text := self.options.get("caption", "").strip():
            parsed, messages = self.state.inline_text(text, self.lineno)
            caption = nodes.caption(text, "", *parsed, *messages)
        self.set_source_info(caption)
        return caption


def _anchor(
    figure: nodes.Element, embedding: Embedding, document: nodes.document, env: BuildEnvironment
) -> None:
    """Give a figure the id that links lead to, unless the page has it already, and record its place."""
    if embedding.anchor not in document.ids:
        document.ids[embedding.anchor] = figure
        figure["ids"].append(embedding.anchor)
    caption = next((child.astext() for child in figure if isinstance(child, nodes.caption)), None)
    sphinx_places.show(env, embedding.label, caption or embedding.figure.title or embedding.label)


class FactRole(SphinxRole):
    """`:figmill-fact:`ID#FACT:FORMAT``: a number of a figure, as text."""

    def run(self) -> tuple[list[nodes.Node], list[nodes.system_message]]:
        target = lookup.target(f"{lookup.SCHEME}{self.text.removeprefix(lookup.SCHEME)}")
        assert target is not None
        return [Asker(self.env.app).fact(target, self.get_location())], []


class ReadAddresses(SphinxTransform):
    """`figmill:` as the address of an image, or of a link without words."""

    default_priority = 200

    def apply(self, **_: Any) -> None:
        asker = None
        in_lines: list[tuple[nodes.Element, Embedding]] = []
        leading: list[tuple[nodes.Element, Target]] = []
        for node in _uses(self.document):
            if isinstance(node, sphinx_nodes.figmill_image):
                node["translatable"] = False  # translators get its alt text, not its address
                continue
            address = node.get("uri") if isinstance(node, nodes.image) else node.get("refuri")
            target = lookup.target(address) if isinstance(address, str) else None
            if target is None:
                continue
            asker = asker or Asker(self.app)
            if isinstance(node, nodes.image):
                in_lines += _replace_image(node, target, asker, self)
            elif isinstance(node, nodes.reference) and (target.fact is not None or not node.astext()):
                node.replace_self(asker.fact(target, node))
            else:
                leading.append((node, target))
        for wrapper, embedding in in_lines:  # last: a figure by itself takes precedence
            _anchor(wrapper, embedding, self.document, self.env)
        for link, target in leading:
            del link["refuri"]
            link["refid"] = anchor_of(target.label)
            if asker and link["refid"] not in self.document.ids and not asker.lost(target, link):
                sphinx_places.link(self.env, link, target.label, sphinx_nodes.with_line(link).line)
        sphinx_links.settle_words(self.document)
        for fact in list(self.document.findall(sphinx_nodes.figmill_fact)):
            if sphinx_nodes.is_in_title(fact):  # which also appears in menus
                fact.replace_self(nodes.Text(fact.astext()))


def _uses(document: nodes.document) -> Iterator[nodes.image | nodes.reference]:
    """Pictures first: some are in links, and some get links of their own."""
    yield from list(document.findall(nodes.image))
    yield from list(document.findall(nodes.reference))


def _replace_image(
    node: nodes.image, target: Target, asker: Asker, place: SphinxTransform
) -> list[tuple[nodes.Element, Embedding]]:
    """Replace an image by the figure: stand-alone, inside a line, or inside an existing figure.

    Returns the wrapper of pictures in a line.
    """
    parent = node.parent
    in_figure = isinstance(parent, nodes.figure)
    by_itself = isinstance(parent, nodes.paragraph) and len(parent) == 1
    text = node.get("alt") or None  # from a directive; the text of ![...] is a caption
    is_caption = text and isinstance(parent, nodes.TextElement) and _is_markdown(place)
    caption, alt = (text, None) if is_caption else (None, text)
    answer = asker.figure(target, node, caption=caption, alt=alt)
    if isinstance(answer, Missing):
        node.replace_self(sphinx_nodes.missing(answer))
        return []
    look = FigureLook(tuple(node["classes"]), node.get("width"), node.get("align"))
    images = asker.nodes(answer, look, links.wish(place.config.figmill_inline), node)
    for image in images:
        image.source, image.line = place.document["source"], sphinx_nodes.with_line(node).line
    if in_figure:
        parent["classes"].append("figmill")
        container = sphinx_nodes.wrapper(answer, images)
        node.replace_self([container, sphinx_nodes.below(answer, images, look.width)])
        if answer.caption and not any(isinstance(child, nodes.caption) for child in parent):
            parent.insert(1, _caption_at(node, answer.caption))
        _anchor(parent, answer, place.document, place.env)
        for part in asker.details(answer, images, place.document):
            parent.parent.insert(parent.parent.index(parent) + 1, part)
    elif by_itself or not isinstance(parent, nodes.TextElement):
        figure = sphinx_nodes.figure(answer, images, look)
        figure.source, figure.line = node.source, sphinx_nodes.with_line(node).line
        if answer.caption:
            is_own = len(node) and _plain(node[0]) == answer.caption  # a translation has no markup
            figure += _caption_at(node, answer.caption, node[0].children if is_own else ())
        figure["ids"] += node["ids"]
        figure["names"] += node["names"]
        if name := node.get("figmill_name"):  # of a directive, for references
            figure["names"].append(nodes.fully_normalize_name(name))
            place.document.note_explicit_target(figure, figure)
        _anchor(figure, answer, place.document, place.env)
        below = asker.details(answer, images, place.document)
        (parent if by_itself else node).replace_self([figure, *below])
    else:
        wrapper = sphinx_nodes.in_line(images)
        wrapper["ids"] += node["ids"]
        node.replace_self(wrapper)
        return [(wrapper, answer)]
    return []


def _is_markdown(place: SphinxTransform) -> bool:
    """Whether the page is anything but reStructuredText."""
    suffixes = place.config.source_suffix.items()
    path = str(place.env.doc2path(place.env.docname))
    return next((parser != "restructuredtext" for suffix, parser in suffixes if path.endswith(suffix)), True)


def _caption_at(node: nodes.Element, text: str, marked: Sequence[nodes.Node] = ()) -> nodes.caption:
    """A caption. marked: the text with its markup."""
    caption = nodes.caption(text, "", *marked) if marked else nodes.caption(text, text)
    caption.source, caption.line = node.source, sphinx_nodes.with_line(node).line
    return caption


__all__ = ["setup"]
