"""The numbers of a graph as rows for facts: in its labels, and in attributes of the author's own. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from figmill.kind.named import Row, quantity, row_of
from figmill.kinds.graphs.as_tables import in_lines, is_group, is_unseen
from figmill.kinds.graphs.attributes import KNOWN

_ENDS = ("taillabel", "label", "xlabel", "headlabel")
_OF_JSON = frozenset(("name", "tail", "head"))


def rows_of(graph: Mapping[str, Any], weights: bool = False) -> Iterator[Row]:
    """The numbers of nodes, clusters, edges and the graph itself, in the order of Graphviz's JSON.

    weights: those of edges count: a library writes them as data, an author for the layout.
    """
    layout_keys = KNOWN - {"weight"} if weights else KNOWN
    objects = [item for item in graph.get("objects", ()) if not is_unseen(item)]
    names = {item["_gvid"]: _name(item, graph) for item in objects if "_gvid" in item}
    for item in objects:
        if is_group(item) or "nodes" not in item:
            name = names.get(item.get("_gvid", -1), "")
            lines = () if quantity(str(item.get("name", ""))) else in_lines(item, graph, "label")
            # A cluster also has the attributes of the graph.
            own = {key: value for key, value in item.items() if not is_group(item) or graph.get(key) != value}
            yield from _rows(own, layout_keys, (name,), lines, "cluster" if is_group(item) else "node")
    for edge in graph.get("edges", ()):
        if not is_unseen(edge) and edge.get("tail") in names and edge.get("head") in names:
            lines = tuple(line for key in _ENDS for line in in_lines(edge, graph, key))
            yield from _rows(
                edge, layout_keys, (names[edge["tail"]], "to", names[edge["head"]]), lines, "edge"
            )
    yield from _rows(graph, layout_keys, (), (), "graph")


def _name(item: Mapping[str, Any], graph: Mapping[str, Any]) -> str:
    """The words of a node or a cluster that are not numbers; its name in the source if it has none."""
    lines = [line for line in in_lines(item, graph, "label") if quantity(line) is None]
    return " ".join(lines) or str(item.get("name", "")).removeprefix("cluster_")


def _rows(
    item: Mapping[str, Any],
    layout_keys: frozenset[str],
    words: tuple[str, ...],
    lines: tuple[str, ...],
    noun: str,
) -> Iterator[Row]:
    for line in lines:
        yield from row_of(words, line, noun)
    for key, value in item.items():
        if isinstance(value, str) and not key.startswith("_") and key not in layout_keys | _OF_JSON:
            yield from row_of((*words, key), value, noun)
