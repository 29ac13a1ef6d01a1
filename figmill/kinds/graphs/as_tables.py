"""The nodes and edges of a graph as tables, from Graphviz's output in the format `dot_json`. Pure."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from figmill.kind.source_text import unescaped
from figmill.kind.stated import Stated, stated
from figmill.kind.tables import graph as tables_of_graph
from figmill.kinds.graphs.items import is_true
from figmill.model import FigureTable

MOST = 5_000  # nodes and edges of a graph that is described at all
HTML = "html labels"  # a key of ours in the graph
_TAG = re.compile(r"<[^>]*>")
_END = re.compile(r"(?i)<br\b[^>]*>|</t[dr]>")  # the end of a line or a cell
_MARKS = frozenset("\\<&\n")  # text without these is plain
_PORT = re.compile(r"(?<!\\)<(?:\\.|[^<>|{}\\])*>")


def graph_of(data: bytes, html: frozenset[str] = frozenset()) -> Mapping[str, Any]:
    """The graph in Graphviz's JSON; empty if it cannot be read. html: its HTML-like labels."""
    try:
        graph = json.loads(data.decode("utf-8", "replace"), strict=False)
    except (ValueError, RecursionError):
        return {}
    return {**graph, HTML: html}


def tables_of(graph: Mapping[str, Any]) -> tuple[FigureTable, ...]:
    """Nodes, with the groups that they are in, and edges with their labels; nothing for a graph without edges."""
    objects = {item["_gvid"]: item for item in graph.get("objects", ()) if "_gvid" in item}
    nodes = {number: item for number, item in objects.items() if "nodes" not in item and not is_group(item)}
    edges = [edge for edge in graph.get("edges", ()) if not is_unseen(edge)]
    if not edges or len(nodes) + len(edges) > MOST:
        return ()
    groups: dict[int, str] = {}
    for item in objects.values():
        if is_group(item) and (label := _plain(item.get("label", ""), item, graph)):
            groups.update(dict.fromkeys(item.get("nodes", ()), label))  # inner groups come later
    names = {number: _node(node, graph) for number, node in nodes.items()}
    seen = [number for number, node in nodes.items() if not is_unseen(node)]
    rows = [(names[number], groups.get(number)) for number in seen]
    rows_of_edges = [
        (names[start], names[end], _edge(edge, graph))
        for edge in edges
        for start, end in [
            (edge["tail"], edge["head"]) if edge.get("dir") != "back" else (edge["head"], edge["tail"])
        ]
        if start in names and end in names
    ]
    return tables_of_graph(rows, rows_of_edges, bool(graph.get("directed")))


def is_group(item: Mapping[str, Any]) -> bool:
    """Whether an object of Graphviz's JSON is a cluster."""
    return str(item.get("name", "")).startswith("cluster") and ("nodes" in item or "subgraphs" in item)


def is_unseen(item: Mapping[str, Any]) -> bool:
    """Whether an object or an edge is laid out and not drawn."""
    return "invis" in str(item.get("style", ""))


def _node(node: Mapping[str, Any], graph: Mapping[str, Any]) -> str:
    """The text of a node: its label, or its name if the label is a picture or empty."""
    return _plain(_label(node, ", "), node, graph) or str(node.get("name", ""))


def in_lines(item: Mapping[str, Any], graph: Mapping[str, Any], key: str) -> tuple[str, ...]:
    """A label of a node, a cluster or an edge as plain text, line by line, or field by field in a record."""
    is_node = key == "label" and "nodes" not in item and "tail" not in item
    label = _label(item, "\\n") if is_node and not is_group(item) else str(item.get(key, ""))
    text = _plain(label, item, graph, "\n")
    return tuple(text.split("\n")) if text else ()


def _label(node: Mapping[str, Any], between: str) -> str:
    """The label of a node as written, with `between` between the fields of a record."""
    # The name goes in first, because its own escapes count too.
    name = str(node.get("name", ""))
    label = str(node.get("label", "\\N")).replace("\\N", name)
    if "record" not in str(node.get("shape", "")).lower():
        return label
    label = re.sub(r"(?<!\\)[{}]", "", _PORT.sub("", label))
    return re.sub(r"\s*(?<!\\)\|\s*", between, label)


def _edge(edge: Mapping[str, Any], graph: Mapping[str, Any]) -> str | None:
    both = ("both ways",) if edge.get("dir") == "both" else ()
    parts = (
        *(
            _plain(str(edge.get(key, "")), edge, graph)
            for key in ("taillabel", "label", "xlabel", "headlabel")
        ),
        *both,
    )
    return ", ".join(part for part in parts if part) or None


def _plain(label: str, item: Mapping[str, Any], graph: Mapping[str, Any], between: str = ", ") -> str:
    """A label as plain text, with `between` between its lines: escapes resolved, markup removed."""
    if _MARKS.isdisjoint(label):
        return " ".join(label.split())
    is_html = label in graph[HTML]
    if is_html:  # where `\n` does not end a line
        label = _TAG.sub(" ", _END.sub("\n", label))
    names = {"N": item.get("name", ""), "G": graph.get("name", ""), "E": "", "T": "", "H": "", "L": ""}

    def escaped(match: re.Match[str]) -> str:
        if is_html:
            return str(names.get(match[1], match[0]))
        return str(names.get(match[1], "\n" if match[1] in "nlr" else match[1]))

    label = unescaped(re.sub(r"\\(.)", escaped, label))
    lines = (" ".join(line.split()) for line in label.split("\n"))
    return between.join(line for line in lines if line)


_WORDLESS = ("point",)  # shapes of nodes without a label
_UNDRAWN = ("none", "")  # values of `splines` that draw no edge


def stated_of(graph: Mapping[str, Any], source: str) -> Stated:
    """The labels of a graph, its clusters, nodes and edges, and each edge by the title of its line."""
    every = [item for item in (*graph.get("objects", ()), *graph.get("edges", ())) if not is_unseen(item)]
    groups = [item for item in every if is_group(item)]
    nodes = [item for item in every if "nodes" not in item and "tail" not in item and not is_group(item)]
    edges = [item for item in every if "tail" in item]
    labels = [_said(item, graph, "label") for item in (graph, *groups)]
    labels += [
        _plain(_label(item, "\\n"), item, graph, "\n") for item in nodes if item.get("shape") not in _WORDLESS
    ]
    labels += [
        _said(item, graph, key) for item in edges for key in ("taillabel", "label", "xlabel", "headlabel")
    ]
    names = {item["_gvid"]: item for item in graph.get("objects", ()) if "_gvid" in item}
    sign = "->" if graph.get("directed") else "--"
    relations = [
        (
            _node(tail, graph),
            _node(head, graph),
            _edge(item, graph) or "",
            f"{_port(item, tail, 'tailport')}{sign}{_port(item, head, 'headport')}",
        )
        for item in (edges if _draws_each_edge(graph) else ())
        for tail, head in [(names[item["tail"]], names[item["head"]])]
    ]
    return stated(labels, relations, source)


def _draws_each_edge(graph: Mapping[str, Any]) -> bool:
    """Whether a graph asks for a line for each edge: it may want none, or edges joined."""
    return graph.get("splines", "true") not in _UNDRAWN and not is_true(str(graph.get("concentrate", "")))


def _said(item: Mapping[str, Any], graph: Mapping[str, Any], key: str) -> str:
    return _plain(str(item.get(key, "")), item, graph, "\n")


def _port(edge: Mapping[str, Any], node: Mapping[str, Any], key: str) -> str:
    """An end of an edge as the title of its line names it: with the last part of its port."""
    port = str(edge.get(key) or "").rpartition(":")[2]
    return f"{node.get('name', '')}:{port}" if port else str(node.get("name", ""))
