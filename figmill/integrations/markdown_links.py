"""Python-Markdown: the links of drawings in a page, resolved by whatever resolves the links of the host's pages.

MkDocs, Zensical and other extensions change the addresses of `<a>` in the tree of a page. A drawing stands in the
stash, which nobody reads. So each of its links also stands at the end of the tree until all processors have run.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from xml.etree.ElementTree import Element, SubElement

from markdown import Markdown
from markdown.treeprocessors import Treeprocessor

from figmill.integrations import links
from figmill.integrations.markdown_places import Place
from figmill.late_dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class StashedDrawing:
    """A drawing in the stash, by its number there.

    - links: target -> the link that stands for it in the tree.
    - where: the beginning of a message about it.
    """

    number: int
    alt: str
    where: Callable[[], str]
    links: Mapping[str, Element]


class LinkedDrawings(Treeprocessor):
    """The drawings with links. `add` puts links into the tree; `run`, the last of all, takes their addresses over."""

    def __init__(self, md: Markdown, place: Place) -> None:
        super().__init__(md)
        self.place = place
        self._root = Element("div")
        self._box: Element | None = None
        self._drawings: list[StashedDrawing] = []

    def enter(self, root: Element) -> None:
        """Begin a page."""
        self._root, self._box, self._drawings = root, None, []

    def add(self, svg: str, alt: str, links_: dict[str, Element], where: Callable[[], str]) -> str:
        """Stash a drawing; returns what stands for it in the tree. links_: of the figure so far."""
        for target in links.outward(svg):
            if target not in links_ and not links.is_elsewhere(target):
                if self._box is None:
                    self._box = SubElement(self._root, "p")
                links_[target] = SubElement(self._box, "a", {"href": target})
                links_[target].text = target
        self._drawings.append(StashedDrawing(len(self.md.htmlStash.rawHtmlBlocks), alt, where, links_))
        return self.md.htmlStash.store(svg)

    def run(self, root: Element) -> None:
        stash = self.md.htmlStash.rawHtmlBlocks
        if self._drawings:
            ids = frozenset(self._ids(root))
            told = dict.fromkeys(
                f"{drawing.where()}{message}"
                for drawing in self._drawings
                for target in drawing.links
                if (message := self.place.lost(target, ids))
            )
            for message in told:
                self.place.warn(message)
        for drawing in self._drawings:
            addresses = {target: link.get("href", "") for target, link in drawing.links.items()}
            stash[drawing.number] = links.led(str(stash[drawing.number]), addresses, drawing.alt)
        if self._box is not None:
            self._root.remove(self._box)
        self._box, self._drawings = None, []

    def _ids(self, root: Element) -> Iterator[str]:
        """The ids of the page so far."""
        yield from filter(None, (element.get("id") for element in root.iter()))
        for text in self.md.htmlStash.rawHtmlBlocks:
            if isinstance(text, str):
                yield from links.ids(text)
