"""pandoc's document as JSON: how its nodes are written, and a walk over them. Pure; unaware of figures.

A node is `{"t": type, "c": content}`; the attributes of a node are `[id, [class, ...], [[key, value], ...]]`. The types
are those of the Haskell package pandoc-types.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import chain
from typing import Any, TypeAlias

PandocNode: TypeAlias = dict[str, Any]

# Where the attributes of a node stand in its content.
_ATTRIBUTES: Mapping[str, int] = {
    "Header": 1,
    **dict.fromkeys(("Code", "CodeBlock", "Div", "Figure", "Image", "Link", "Span", "Table"), 0),
}


def attributes(
    id_: str = "", classes: Iterable[str] = (), pairs: Iterable[tuple[str, str]] = ()
) -> list[Any]:
    """The attributes of a node."""
    return [id_, list(classes), [[key, value] for key, value in pairs]]


def string(text: str) -> PandocNode:
    """Text with its blanks as it is."""
    return {"t": "Str", "c": text}


def words(text: str) -> list[PandocNode]:
    """Text that is broken into lines wherever it has a blank."""
    parts = ([string(word), {"t": "Space"}] for word in text.split())
    return list(chain.from_iterable(parts))[:-1]


def plain(inlines: list[PandocNode]) -> PandocNode:
    """A block without the space of a paragraph around it."""
    return {"t": "Plain", "c": inlines}


def paragraph(inlines: list[PandocNode]) -> PandocNode:
    """A paragraph."""
    return {"t": "Para", "c": inlines}


def strong(inlines: list[PandocNode]) -> PandocNode:
    """Inlines in bold."""
    return {"t": "Strong", "c": inlines}


def span(inlines: list[PandocNode], attr: list[Any]) -> PandocNode:
    """Inlines with attributes."""
    return {"t": "Span", "c": [attr, inlines]}


def div(blocks: list[PandocNode], attr: list[Any]) -> PandocNode:
    """Blocks with attributes."""
    return {"t": "Div", "c": [attr, blocks]}


def image(alt: list[PandocNode], address: str, attr: list[Any]) -> PandocNode:
    """A picture."""
    return {"t": "Image", "c": [attr, alt, [address, ""]]}


def link(inlines: list[PandocNode], address: str, attr: list[Any], title: str = "") -> PandocNode:
    """A link."""
    return {"t": "Link", "c": [attr, inlines, [address, title]]}


def figure(blocks: list[PandocNode], caption: list[PandocNode], attr: list[Any]) -> PandocNode:
    """A figure; without blocks in its caption it has none."""
    return {"t": "Figure", "c": [attr, [None, caption], blocks]}


def html_block(text: str) -> PandocNode:
    """HTML as it is, between other blocks."""
    return {"t": "RawBlock", "c": ["html", text]}


def html_in_line(text: str) -> PandocNode:
    """HTML as it is, inside a line."""
    return {"t": "RawInline", "c": ["html", text]}


def typst_block(text: str) -> PandocNode:
    """Typst as it is, between other blocks."""
    return {"t": "RawBlock", "c": ["typst", text]}


def typst_in_line(text: str) -> PandocNode:
    """Typst as it is, inside a line."""
    return {"t": "RawInline", "c": ["typst", text]}


def id_of(node: PandocNode) -> str:
    """The id of a node; empty if it has none."""
    at = _ATTRIBUTES.get(node["t"])
    return "" if at is None else str(node["c"][at][0])


def walk(tree: Any) -> Iterator[PandocNode]:
    """All nodes of a tree, each before those inside it."""
    if isinstance(tree, list):
        for item in tree:
            yield from walk(item)
    elif isinstance(tree, dict):
        if "t" in tree:
            yield tree
        for item in tree.values():
            yield from walk(item)


def rewritten(tree: Any, change: Callable[[PandocNode], list[PandocNode]]) -> Any:
    """The tree with each topmost node of a list replaced; `change` goes on below it."""
    if isinstance(tree, list):
        return [
            new
            for item in tree
            for new in (change(item) if isinstance(item, dict) and "t" in item else [rewritten(item, change)])
        ]
    if isinstance(tree, dict):
        return {key: rewritten(item, change) for key, item in tree.items()}
    return tree


_TEXTS: Mapping[str, Callable[[Any], str]] = {
    "Str": str,
    "MetaString": str,
    "Space": lambda _: " ",
    "SoftBreak": lambda _: " ",
    "Code": lambda content: str(content[1]),
}


def stringified(tree: Any) -> str:
    """The text of nodes without their markup."""
    return "".join(_TEXTS[node["t"]](node.get("c")) for node in walk(tree) if node["t"] in _TEXTS)
