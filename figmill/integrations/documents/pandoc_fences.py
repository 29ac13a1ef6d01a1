"""pandoc and Quarto: a CodeBlock or an Image that is a figure becomes figmill's image. Reads the document's sources."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from figmill.integrations.documents import pandoc_nodes as nodes
from figmill.integrations.documents.pandoc_nodes import PandocNode
from figmill.integrations.documents.request import WARNING, PageMessage
from figmill.integrations.fences import PageFences
from figmill.integrations.images import PageImages
from figmill.integrations.lookup import SCHEME
from figmill.integrations.opened import Opened

LOOKS = ("width", "height")  # attributes passed on to the picture


def with_figures(content: Any, sources: Iterable[str], book: Opened) -> tuple[Any, tuple[PageMessage, ...]]:
    """The content with images in place of blocks, and a message for each block that should be a figure and is not."""
    names = list(sources)
    pages = [PageFences(book, Path(name)) for name in names] or [PageFences(book, None)]
    shown = [PageImages(book, Path(name)) for name in names]
    messages: dict[tuple[str, str], PageMessage] = {}

    def new(node: PandocNode) -> list[PandocNode]:
        if node["t"] == "Image":
            attributes, inlines, (address, title) = node["c"]
            alt = nodes.stringified(inlines)
            label = next(filter(None, (each.label(address, alt) for each in shown)), None)
            return [
                node if label is None else {**node, "c": [attributes, inlines, [f"{SCHEME}{label}", title]]}
            ]
        if node["t"] != "CodeBlock":
            return [{**node, "c": nodes.rewritten(node["c"], new)} if "c" in node else node]
        (id_, classes, pairs), body = node["c"]
        language = classes[0].strip("{}") if classes else ""
        label = next(filter(None, (page.label(language, body) for page in pages)), None)
        if label is not None:
            look = nodes.attributes(id_, classes[1:], [pair for pair in pairs if pair[0] in LOOKS])
            return [nodes.paragraph([nodes.image([], f"{SCHEME}{label}", look)])]
        message = next(filter(None, (page.message(language, body) for page in pages)), None)
        if message is not None:
            lines = ((str(page.path), line) for page in pages if (line := page.line(language, body)))
            messages[language, body] = PageMessage(WARNING, message, *next(lines, (None, None)))
        return [node]

    return nodes.rewritten(content, new), tuple(messages.values())
