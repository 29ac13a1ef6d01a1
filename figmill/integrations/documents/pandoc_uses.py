"""The places where a pandoc document shows figures, and which of them have the ids that links lead to. Pure."""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping
from typing import Any

from figmill.book.names import anchor_of
from figmill.integrations import lookup
from figmill.integrations.documents import pandoc_nodes as nodes
from figmill.integrations.documents.pandoc_nodes import PandocNode
from figmill.integrations.lookup import Target
from figmill.late_dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class PandocUse:
    """A place of the document that shows a figure.

    - id: as written there.
    - caption: its blocks.
    """

    image: PandocNode
    target: Target
    id: str
    is_by_itself: bool
    caption: list[PandocNode]

    def wish(self, name: str) -> str | None:
        """An attribute that the author gave the image."""
        return dict(self.image["c"][0][2]).get(name)


@dataclass(frozen=True, slots=True)
class ShownFigures:
    """What the document shows, by label.

    - anchors: the image that has the id `fig-LABEL`.
    - ids: where links lead.
    - labels: of all figures.
    - by_itself: of those outside lines of text.
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
        case {"t": "Figure", "c": [[id_, *_], [_, caption], blocks]} if image := _lone(blocks):
            return _use(image, id_, caption)
        case {"t": "Para"} if image := _lone([node]):
            inlines = image["c"][1]
            return _use(image, nodes.id_of(image), [nodes.plain(inlines)] if inlines else [])
    return None


def _lone(blocks: list[PandocNode]) -> PandocNode | None:
    """The image that is the whole content of some blocks."""
    if len(blocks) != 1 or blocks[0]["t"] not in ("Plain", "Para") or len(blocks[0]["c"]) != 1:
        return None
    image: PandocNode = blocks[0]["c"][0]
    return image if image["t"] == "Image" else None


def _use(image: PandocNode, id_: str, caption: list[PandocNode] | None) -> PandocUse | None:
    """caption: None for an image in a line."""
    target = lookup.target(image["c"][2][0])
    return None if target is None else PandocUse(image, target, id_, caption is not None, caption or [])


def uses(content: Any) -> Iterator[PandocUse]:
    """All places that show a figure, in the order of the document."""
    if isinstance(content, list):
        for item in content:
            yield from uses(item)
    elif isinstance(content, dict):
        if "t" in content and (use := use_of(content)):
            yield use
            yield from uses(use.caption)
        else:
            yield from uses(list(content.values()))


def shown(content: Any, labels: Container[str]) -> ShownFigures:
    """Which of the book's figures a document shows. labels: of these figures."""
    seen = [use for use in uses(content) if use.target.label in labels]
    taken = {nodes.id_of(node) for node in nodes.walk(content)}
    anchors = {use.target.label: use.image for use in reversed(seen)}
    # A figure by itself takes precedence over one in a line.
    anchors |= {use.target.label: use.image for use in reversed(seen) if use.is_by_itself}
    anchors = {label: image for label, image in anchors.items() if anchor_of(label) not in taken}
    ids: dict[str, str] = {}
    for label, image, id_ in ((use.target.label, use.image, use.id) for use in seen):
        anchor = anchor_of(label)
        if anchor in taken:
            ids[label] = anchor
        elif id_ or anchors[label] is image:
            ids.setdefault(label, id_ or anchor)
    by_itself = frozenset(use.target.label for use in seen if use.is_by_itself)
    return ShownFigures(anchors, ids, frozenset(use.target.label for use in seen), by_itself)
