"""The items of a parsed graph and their attributes, as text and iterators over Graphviz's functions."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

GRAPH, NODE, EDGE = 0, 1, 2  # the types of items that have attributes


def nodes(gv: Any, graph: Any) -> Iterator[Any]:
    """The nodes of a graph or a subgraph, in the order of the text."""
    return _all(gv.agfstnode(graph), lambda last: gv.agnxtnode(graph, last))


def edges_from(gv: Any, graph: Any, node: Any) -> Iterator[Any]:
    """The edges that begin at a node, in the order of the text."""
    return _all(gv.agfstout(graph, node), lambda last: gv.agnxtout(graph, last))


def subgraphs(gv: Any, graph: Any) -> Iterator[Any]:
    """The direct subgraphs of a graph, in the order of the text."""
    return _all(gv.agfstsubg(graph), gv.agnxtsubg)


def all_below(gv: Any, graph: Any) -> Iterator[Any]:
    """All subgraphs of a graph, each before those in it."""
    for subgraph in subgraphs(gv, graph):
        yield subgraph
        yield from all_below(gv, subgraph)


def _all(first: Any, following: Callable[[Any], Any]) -> Iterator[Any]:
    while first is not None:
        yield first
        first = following(first)


def name(gv: Any, item: Any) -> str:
    """The name of a node or a subgraph; empty if it has none, for which Graphviz makes up one that begins with %."""
    text = _text(gv.agnameof(item))
    return "" if text.startswith("%") else text


def get(gv: Any, item: Any, attribute: str) -> str:
    """The value of an attribute; empty if it is not set."""
    return _text(gv.agget(item, attribute.encode()))


def default(gv: Any, graph: Any, sort: int, attribute: str) -> str:
    """The default of an attribute in the whole graph; empty if there is none."""
    return _text(gv.default(graph, sort, attribute.encode()))


def put(gv: Any, graph: Any, item: Any, attribute: str, value: str) -> None:
    """Set an attribute of an item."""
    gv.put(graph, item, attribute.encode(), value.encode())


def html_labels(gv: Any, graph: Any) -> frozenset[str]:
    """The labels that are HTML-like; Graphviz's JSON does not tell them from others."""
    every = [graph, *all_below(gv, graph)]
    for node in nodes(gv, graph):
        every += [node, *edges_from(gv, graph, node)]
    names = ("label", "xlabel", "headlabel", "taillabel")
    return frozenset(
        get(gv, item, name) for item in every for name in names if gv.is_html(item, name.encode())
    )


def is_true(value: str) -> bool:
    """Whether Graphviz reads a value as true."""
    return value.casefold() in ("true", "yes") or (
        value.isascii() and value.isdecimal() and value.strip("0") != ""
    )


def _text(value: bytes | None) -> str:
    return (value or b"").decode("utf-8", "replace")
