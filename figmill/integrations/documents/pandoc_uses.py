"""What a document of pandoc shows: every place of a figure, and which of them has the id that links lead to. Pure."""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from figmill.integrations import page
from figmill.integrations.documents import pandoc_nodes as nodes
from figmill.integrations.documents.pandoc_nodes import PandocNode
from figmill.integrations.page import Target, anchor_of


@dataclass(frozen=True, slots=True)
class PandocUse:
    """A place of the document that shows a figure. id: its own; words: blocks of a caption of its own."""

    image: PandocNode
    target: Target
    id: str
    is_by_itself: bool
    words: list[PandocNode]

    def wish(self, name: str) -> str | None:
        """An attribute that the author gave the image."""
        return dict(self.image["c"][0][2]).get(name)


@dataclass(frozen=True, slots=True)
class ShownFigures:
    """What the document shows, by label. anchors: the image that has the id `fig-LABEL`; ids: where links lead.

    labels: of all figures; by_itself: of those outside lines of text.
    """

    anchors: Mapping[str, PandocNode]
    ids: Mapping[str, str]
    labels: frozenset[str]
    by_itself: frozenset[str]


def use_of(node: PandocNode) -> PandocUse | None:
    """The figure that a node shows: a Figure or paragraph with an image alone in it, or an image in a line."""
    match node:
        case {"t": "Image"}:
            return _use(node, nodes.id_of(node), None)
        case {"t": "Figure", "c": [[id_, *_], [_, words], blocks]} if image := _lone(blocks):
            return _use(image, id_, words)
        case {"t": "Para"} if image := _lone([node]):
            own = image["c"][1]
            return _use(image, nodes.id_of(image), [nodes.plain(own)] if own else [])
    return None


def _lone(blocks: list[PandocNode]) -> PandocNode | None:
    """The image that is the whole content of some blocks."""
    if len(blocks) != 1 or blocks[0]["t"] not in ("Plain", "Para") or len(blocks[0]["c"]) != 1:
        return None
    image: PandocNode = blocks[0]["c"][0]
    return image if image["t"] == "Image" else None


def _use(image: PandocNode, id_: str, words: list[PandocNode] | None) -> PandocUse | None:
    """words: of the caption; None: the image stands in a line."""
    target = page.target(image["c"][2][0])
    return None if target is None else PandocUse(image, target, id_, words is not None, words or [])


def uses(content: Any) -> Iterator[PandocUse]:
    """All places that show a figure, in the order of the document."""
    if isinstance(content, list):
        for item in content:
            yield from uses(item)
    elif isinstance(content, dict):
        if "t" in content and (use := use_of(content)):
            yield use
            yield from uses(use.words)
        else:
            yield from uses(list(content.values()))


def shown(content: Any, known: Container[str]) -> ShownFigures:
    """Which of the book's figures a document shows. known: their labels."""
    seen = [use for use in uses(content) if use.target.label in known]
    taken = {nodes.id_of(node) for node in nodes.walk(content)}
    anchors = {use.target.label: use.image for use in reversed(seen)}
    anchors |= {
        use.target.label: use.image for use in reversed(seen) if use.is_by_itself
    }  # takes precedence over one in a line
    anchors = {label: image for label, image in anchors.items() if anchor_of(label) not in taken}
    ids: dict[str, str] = {}
    for label, image, own in ((use.target.label, use.image, use.id) for use in seen):
        anchor = anchor_of(label)
        if anchor in taken:
            ids[label] = anchor
        elif own or anchors[label] is image:
            ids.setdefault(label, own or anchor)
    by_itself = frozenset(use.target.label for use in seen if use.is_by_itself)
    return ShownFigures(anchors, ids, frozenset(use.target.label for use in seen), by_itself)
