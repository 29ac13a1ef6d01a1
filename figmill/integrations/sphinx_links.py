"""The links of drawings in Sphinx's pages, resolved as those of the pages' own text are.

Each link is a reference below the first picture of its figure: to a page as `doc` makes it, to a part of this page or
to a label as `ref` does, or to a figure.
"""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.transforms.post_transforms import SphinxPostTransform
from sphinx.util import logging

from figmill.host.lines import shown
from figmill.integrations import links, lookup

_log = logging.getLogger(__name__)


class figmill_link(nodes.inline):  # noqa: N801 - docutils names its nodes so
    """A link of a drawing: its target, the fragment of its address, and below it the reference that Sphinx resolves."""


def add(image: nodes.Element, svg: str) -> None:
    """Add the links of a drawing to its picture."""
    for target in links.outward(svg):
        if links.is_elsewhere(target):
            continue
        link = figmill_link("", figmill_target=target, figmill_fragment="")
        if lookup.target(target):
            link += nodes.reference("", "", nodes.Text(target), refuri=target)
        image += link


def settle_words(document: nodes.document) -> None:
    """Drop the words of links, which no index should find."""
    for link in document.findall(figmill_link):
        for reference in link.findall(nodes.reference):
            reference.clear()


def addresses(image: nodes.Element) -> dict[str, str]:
    """Target -> address of the links in a drawing, once they are resolved. image: one picture of the figure."""
    return dict(_resolved(image.parent))


def _resolved(wrapper: nodes.Element) -> Iterator[tuple[str, str]]:
    for link in wrapper.findall(figmill_link):
        for reference in link.findall(nodes.reference):
            address = reference["refuri"] if "refuri" in reference else f"#{reference['refid']}"
            yield link["figmill_target"], f"{address}{link['figmill_fragment']}"


class AskForLinks(SphinxPostTransform):
    """Let Sphinx resolve the links of drawings that lead to pages and parts of them."""

    default_priority = 8  # before all that resolve references

    def run(self, **_: Any) -> None:
        tree = cache(self.env.get_doctree)
        for link in list(self.document.findall(figmill_link)):
            path, fragment = links.parts(link["figmill_target"])
            if len(link) or _is_defined(link):
                continue
            if not path and fragment:
                self._part(link, fragment)
            elif path.endswith(tuple(self.config.source_suffix)):
                self._page(link, path, fragment, tree)

    def _part(self, link: figmill_link, fragment: str) -> None:
        here = self.env.current_document.docname
        id_ = _id(self.env, here, self.document, fragment)
        link += (
            _pending(here, "ref", fragment.lower(), link)
            if id_ is None
            else nodes.reference("", "", refid=id_)
        )

    def _page(
        self, link: figmill_link, path: str, fragment: str, tree: Callable[[str], nodes.document]
    ) -> None:
        here = self.env.current_document.docname
        docname = self.env.path2doc(self.env.relfn2path(path, here)[1]) or posixpath.splitext(path)[0]
        link += _pending(here, "doc", f"/{docname}", link)
        if not fragment or docname not in self.env.all_docs:
            return
        id_ = _id(self.env, docname, tree(docname), fragment)
        if id_ is None:
            message = links.no_part(link["figmill_target"])
            _log.warning("figmill: %s", shown(message), location=link, type="figmill", subtype="missing")
        link["figmill_fragment"] = f"#{id_ or fragment}"


def _is_defined(node: nodes.Node) -> bool:
    """Whether a node belongs to the definition of a substitution, whose copies the page shows."""
    while node.parent is not None and not isinstance(node, nodes.substitution_definition):
        node = node.parent
    return isinstance(node, nodes.substitution_definition)


def _pending(here: str, kind: str, target: str, link: figmill_link) -> addnodes.pending_xref:
    """A reference as the role `doc` or `ref` makes it, with words of its own: none."""
    pending = addnodes.pending_xref(
        "",
        nodes.inline("", ""),
        refdomain="std",
        reftype=kind,
        reftarget=target,
        refexplicit=True,
        refwarn=True,
        refdoc=here,
    )
    pending.source, pending.line = link.source, link.line
    return pending


def _id(env: BuildEnvironment, docname: str, document: nodes.document, fragment: str) -> str | None:
    """The id of a part of a page. MyST-Parser has further names for headings."""
    if fragment in document.ids:
        return fragment
    slugs = env.metadata[docname].get("myst_slugs", {})
    return str(slugs[fragment][1]) if fragment in slugs else None


def keep_out(document: nodes.document) -> None:
    """Remove the links, where pictures are images."""
    for link in list(document.findall(figmill_link)):
        link.parent.remove(link)


def register(app: Sphinx) -> None:
    """Register the node and the transform."""
    app.add_node(figmill_link)
    app.add_post_transform(AskForLinks)
