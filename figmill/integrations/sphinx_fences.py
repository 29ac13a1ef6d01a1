"""Sphinx and MyST-Parser: a code block that is a figure, as a fence, a directive of its language, or `code-block`.

The directives of other extensions with the same name still handle what is not a figure of the book, such as a block
that names a file.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, ClassVar

from docutils import nodes
from docutils.parsers.rst import Directive, directives
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.transforms import SphinxTransform
from sphinx.util import logging
from sphinx.util.docutils import SphinxDirective

from figmill import kinds
from figmill.host.lines import shown
from figmill.integrations import sphinx_nodes
from figmill.integrations.fences import PageFences
from figmill.integrations.lookup import SCHEME
from figmill.integrations.opened import Opened
from figmill.integrations.sphinx_ask import uses
from figmill.integrations.sphinx_nodes import books

_log = logging.getLogger(__name__)


class AnyOption(dict[str, Any]):
    """The options of another extension's directive: every one, as text."""

    def __bool__(self) -> bool:
        return True

    def __contains__(self, _: object) -> bool:
        return True

    def __missing__(self, _: str) -> Any:
        return directives.unchanged


class FenceDirective(SphinxDirective):
    """`.. mermaid::` and the like: the figure of its content. Anything else is left to `before`.

    - before: the directive that had this name before figmill; None: there was none.
    """

    optional_arguments = 1
    final_argument_whitespace = True
    has_content = True
    option_spec: ClassVar[Any] = AnyOption()
    before: ClassVar[type[Directive] | None] = None

    def run(self) -> list[nodes.Node]:
        body = "\n".join(self.content)
        label = None if self.arguments else _label(self.env, self.name, body, self.get_location())
        if label is None:
            return self._left(body)
        image = nodes.image(uri=f"{SCHEME}{label}")
        image["classes"] += (
            directives.class_option(self.options["class"]) if self.options.get("class") else []
        )
        if (align := self.options.get("align")) in ("left", "center", "right"):
            image["align"] = align
        paragraph = nodes.paragraph("", "", image)
        for node in (paragraph, image):
            self.set_source_info(node)
        if name := self.options.get("name") or self.options.get("label"):
            image["figmill_name"] = name
        return [paragraph]

    def _left(self, body: str) -> list[nodes.Node]:
        """The nodes of the directive that had this name before, or a code block."""
        if self.before is None or issubclass(self.before, FenceDirective):
            block = nodes.literal_block(body, body, language=self.name, figmill_seen=True)
            self.set_source_info(block)
            return [block]
        spec = self.before.option_spec or {}
        options = {key: spec[key](value) for key, value in self.options.items() if key in spec}
        directive = self.before(
            self.name,
            self.arguments,
            options,
            self.content,
            self.lineno,
            self.content_offset,
            self.block_text,
            self.state,
            self.state_machine,
        )
        return list(directive.run())


class ReadFences(SphinxTransform):
    """Turn fences and `code-block` into images of figures, before `ReadAddresses` reads those."""

    default_priority = 190

    def apply(self, **_: Any) -> None:
        languages = kinds.of_fences()
        for block in list(self.document.findall(nodes.literal_block)):
            language = block.get("language")
            if language not in languages or "figmill_seen" in block:
                continue
            label = _label(
                self.env, language, block.rawsource or block.astext(), sphinx_nodes.with_line(block)
            )
            if label is None:
                continue
            image = nodes.image(uri=f"{SCHEME}{label}")
            paragraph = nodes.paragraph("", "", image)
            for node in (paragraph, image):
                node.source, node.line = block.source, sphinx_nodes.with_line(block).line
            holder = block.parent if _is_captioned(block.parent) else block
            image["ids"] += [*holder["ids"], *(block["ids"] if holder is not block else ())]
            image["names"] += holder["names"]
            holder["classes"] = []  # which move to the figure
            holder.replace_self(paragraph)


def _is_captioned(node: nodes.Node) -> bool:
    """Whether a node is the wrapper that Sphinx puts around a code block with a caption."""
    return isinstance(node, nodes.container) and bool(node.get("literal_block"))


def _label(env: BuildEnvironment, language: str, body: str, location: Any) -> str | None:
    """The figure of a block; warns where it should have one and has none."""
    page = _page(env)
    if page is None or language not in page.languages:
        return None
    label = page.label(language, body)
    if label is None:
        # the next build reads the page again
        uses(env).setdefault(env.docname, {})[f"a block of {language}"] = ""
        if (message := page.message(language, body)) is not None:
            _log.warning("figmill: %s", shown(message), location=location, type="figmill", subtype="missing")
    return label


def _page(env: BuildEnvironment) -> PageFences | None:
    """The blocks of the page that is being read."""
    book = books.get(env.app)
    if not isinstance(book, Opened) or (
        not book.fences and not any(f.fence for f in book.catalogue.figures.values())
    ):
        return None
    cached: tuple[str, PageFences] | None = getattr(env, "_figmill_fences", None)
    if cached is None or cached[0] != env.docname:
        cached = env.docname, PageFences(book, Path(env.doc2path(env.docname)))
        env._figmill_fences = cached  # type: ignore[attr-defined]
    return cached[1]


def _begin(_: Sphinx, env: BuildEnvironment, *__: object) -> None:
    """Start counting a page's blocks afresh; the environment keeps none of them."""
    env._figmill_fences = None  # type: ignore[attr-defined]


def take_directives(app: Sphinx) -> None:
    """Register a directive for each language, unless neither settings nor pages ask for any."""
    book = books.get(app)
    if not isinstance(book, Opened):
        return
    languages = {*book.fences} if book.fences else set()
    if any(figure.fence for figure in book.catalogue.figures.values()):
        languages |= {*kinds.of_fences()}
    for language in sorted(languages):
        before = directives._directives.get(language)  # type: ignore[attr-defined]
        if before is not None and issubclass(before, FenceDirective):
            before = before.before
        app.add_directive(
            language, type("FenceDirective", (FenceDirective,), {"before": before}), override=True
        )


def register(app: Sphinx) -> None:
    """Register the code that reads code blocks."""
    app.add_transform(ReadFences)
    app.connect("env-purge-doc", lambda app, env, _: _begin(app, env))
    app.connect("doctree-read", lambda app, _: _begin(app, app.env))
