"""Which page of a Sphinx project shows a figure: labels for `ref` and `numref`, and links with text to other pages.

What each page shows is kept with Sphinx's environment; once all pages are read, each figure has one home.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import field

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.transforms.post_transforms import SphinxPostTransform
from sphinx.util import logging

from figmill.book.names import anchor_of
from figmill.integrations.lookup import NOWHERE
from figmill.late_dataclasses import dataclass

_log = logging.getLogger(__name__)


@dataclass
class FigurePlaces:
    """What is known about the pages.

    - shown: page -> label -> title, of figures by themselves before those in a line.
    - links: page -> (label, line) of links to figures of other pages.
    - homes: label -> the page that has it.
    - labels: those that Sphinx got from here, with their data.
    """

    shown: dict[str, dict[str, str]] = field(default_factory=dict)
    links: dict[str, list[tuple[str, int | None]]] = field(default_factory=dict)
    homes: dict[str, str] = field(default_factory=dict)
    labels: dict[str, tuple[str, str, str]] = field(default_factory=dict)


def kept(env: BuildEnvironment) -> FigurePlaces:
    """The places kept with an environment."""
    if not hasattr(env, "figmill_places"):
        env.figmill_places = FigurePlaces()  # type: ignore[attr-defined]
    return env.figmill_places  # type: ignore[attr-defined, no-any-return]


def show(env: BuildEnvironment, label: str, title: str) -> None:
    """Record that the page shows a figure. title: the text of a reference to it."""
    kept(env).shown.setdefault(env.docname, {}).setdefault(label, title)


def link(env: BuildEnvironment, node: nodes.Element, label: str, line: int | None) -> None:
    """Record a link to a figure that the page does not show."""
    node["figmill_label"] = label
    kept(env).links.setdefault(env.docname, []).append((label, line))


def purge(_: Sphinx, env: BuildEnvironment, docname: str) -> None:
    """Forget a page that is read again, or gone."""
    kept(env).shown.pop(docname, None)
    kept(env).links.pop(docname, None)


def merge(_: Sphinx, env: BuildEnvironment, docnames: Sequence[str], other: BuildEnvironment) -> None:
    """Take over what another process has read."""
    theirs, ours = kept(other), kept(env)
    for docname in docnames:
        for name in ("shown", "links"):
            if docname in getattr(theirs, name):
                getattr(ours, name)[docname] = getattr(theirs, name)[docname]


def settle(_: Sphinx, env: BuildEnvironment) -> list[str]:
    """Give each figure its home and its label, and report dead links; returns the pages whose links have moved."""
    places = kept(env)
    homes: dict[str, str] = {}
    for docname in _in_order(env):
        for label in places.shown.get(docname, ()):
            homes.setdefault(label, docname)
    moved = {label for label in {*homes, *places.homes} if homes.get(label) != places.homes.get(label)}
    places.homes = homes
    _label(env, places)
    again = []
    for docname, links in sorted(places.links.items()):
        for label, line in dict.fromkeys(links):
            if label not in homes:
                message = f"figmill: {NOWHERE.format(label)}"
                _log.warning(message, location=(docname, line), type="figmill", subtype="missing")
        if any(label in moved for label, _ in links):
            again.append(docname)
    return again


def _in_order(env: BuildEnvironment) -> Iterator[str]:
    """All pages: in the order of the tables of contents, and then by name."""
    seen: set[str] = set()
    waiting = [*sorted(env.found_docs, reverse=True), str(env.config.root_doc)]
    while waiting:
        docname = waiting.pop()
        if docname not in seen:
            seen.add(docname)
            yield docname
            waiting += reversed(env.toctree_includes.get(docname, []))


def _label(env: BuildEnvironment, places: FigurePlaces) -> None:
    """Let `fig-ID` be a label of Sphinx, unless a page has one of this name."""
    domain = env.domains["std"]
    labels, anonymous = domain.data["labels"], domain.data["anonlabels"]
    for name, (docname, id_, title) in places.labels.items():
        if labels.get(name) == (docname, id_, title):
            del labels[name], anonymous[name]
    places.labels = {}
    for label, docname in places.homes.items():
        name = anchor_of(label).lower()  # as `ref` and `numref` ask
        if name not in anonymous:
            place = (docname, anchor_of(label), places.shown[docname][label])
            places.labels[name], labels[name], anonymous[name] = place, place, place[:2]


class LeadLinks(SphinxPostTransform):
    """Point links with text at the figures of other pages."""

    default_priority = 9

    def run(self, **_: object) -> None:
        here, builder = self.env.current_document.docname, self.app.builder
        for node in self.document.findall(nodes.reference):
            docname = kept(self.env).homes.get(node.get("figmill_label", ""))
            if docname is not None and docname != here:
                place = builder.get_relative_uri(here, docname)
                node["refuri"], node["internal"] = f"{place}#{node['refid']}", True
                del node["refid"]


def register(app: Sphinx) -> None:
    """Register the events and the transform of this module."""
    app.connect("env-purge-doc", purge)
    app.connect("env-merge-info", merge)
    app.connect("env-updated", settle)
    app.add_post_transform(LeadLinks)
