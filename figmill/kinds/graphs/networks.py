"""A graph of networkx as DOT text, with the attributes that networkx's own `to_agraph` gives to it.

It does not import networkx: the script that made the graph has done so.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

# A graph's attributes with these names contain its defaults.
DEFAULTS = ("graph", "node", "edge")


def dot_text(graph: Any) -> str:
    """The DOT text of a graph."""
    return "\n".join(_lines(graph))


def _lines(graph: Any) -> Iterator[str]:
    is_multigraph = graph.is_multigraph()
    loops = any(tail == head for tail, head in graph.edges())
    strict = "" if loops or is_multigraph else "strict "
    sort, arrow = ("digraph", "->") if graph.is_directed() else ("graph", "--")
    yield f"{strict}{sort} {_quoted(graph.name)} {{"
    for name in DEFAULTS:
        yield f"{name}{_listed(graph.graph.get(name, {}))}"
    own = {key: value for key, value in graph.graph.items() if key not in DEFAULTS and key != "name"}
    yield f"graph{_listed(own)}"
    for node, attributes in graph.nodes(data=True):
        yield f"{_quoted(node)}{_listed(_placed(attributes))}"
    for tail, head, attributes in graph.edges(data=True):
        yield f"{_quoted(tail)} {arrow} {_quoted(head)}{_listed(attributes)}"
    yield "}"


def _placed(attributes: Mapping[Any, Any]) -> Mapping[Any, Any]:
    """The attributes of a node; a place, which is a pair of numbers, in Graphviz's form."""
    place = attributes.get("pos")
    if place is None or isinstance(place, str):
        return attributes
    return {**attributes, "pos": f"{place[0]},{place[1]}!"}


def _listed(attributes: Mapping[Any, Any]) -> str:
    return f" [{', '.join(f'{_quoted(key)}={_value(value)}' for key, value in attributes.items())}]"


def _value(value: Any) -> str:
    """A value; one between < and > is HTML-like, and stays so."""
    text = str(value)
    return text if text.startswith("<") and text.endswith(">") else _quoted(text)


def _quoted(value: Any) -> str:
    """A quoted string. A backslash stays, because it has a meaning in Graphviz's labels; but one at the end would
    escape the quote."""
    text = str(value).replace('"', '\\"')
    return f'"{text} "' if text.endswith("\\") else f'"{text}"'
