"""The nodes and edges of a graph as tables, from Graphviz's output in the format `dot_json`. Pure."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from html import unescape
from typing import Any

from figmill.kinds.tables import graph as tables_of_graph
from figmill.model import FigureTable

MOST = 5_000  # nodes and edges of a graph that is described at all
_TAG = re.compile(r"<[^>]*>")
_END = re.compile(r"(?i)<br\b[^>]*>|</t[dr]>")  # the end of a line or a cell
_MARKS = frozenset("\\<&\n")  # text without these is plain
_PORT = re.compile(r"<[^<>|{}]*>")


def tables_of(data: bytes) -> tuple[FigureTable, ...]:
    """Nodes, with the groups that they are in, and edges with their labels; nothing for a graph without edges."""
    try:
        graph = json.loads(data.decode("utf-8", "replace"), strict=False)
    except (ValueError, RecursionError):
        return ()
    objects = {one["_gvid"]: one for one in graph.get("objects", ()) if "_gvid" in one}
    nodes = {number: one for number, one in objects.items() if "nodes" not in one and not _is_group(one)}
    edges = [one for one in graph.get("edges", ()) if not _is_unseen(one)]
    if not edges or len(nodes) + len(edges) > MOST:
        return ()
    groups: dict[int, str] = {}
    for one in objects.values():
        if _is_group(one) and (label := _plain(one.get("label", ""), one, graph)):
            groups.update(dict.fromkeys(one.get("nodes", ()), label))  # inner groups come later
    names = {number: _node(one, graph) for number, one in nodes.items()}
    seen = [number for number, one in nodes.items() if not _is_unseen(one)]
    rows = [(names[number], groups.get(number)) for number in seen]
    found = [
        (names[start], names[end], _edge(one, graph))
        for one in edges
        for start, end in [
            (one["tail"], one["head"]) if one.get("dir") != "back" else (one["head"], one["tail"])
        ]
        if start in names and end in names
    ]
    return tables_of_graph(rows, found, bool(graph.get("directed")))


def _is_group(one: Mapping[str, Any]) -> bool:
    return str(one.get("name", "")).startswith("cluster") and ("nodes" in one or "subgraphs" in one)


def _is_unseen(one: Mapping[str, Any]) -> bool:
    return "invis" in str(one.get("style", ""))


def _node(one: Mapping[str, Any], graph: Mapping[str, Any]) -> str:
    """The text of a node: its label, or its name if the label is a picture or empty."""
    label = str(one.get("label", "\\N"))
    if "record" in str(one.get("shape", "")).lower():
        label = re.sub(r"(?<!\\)[{}]", "", _PORT.sub("", label))
        label = re.sub(r"\s*(?<!\\)\|\s*", ", ", label)
    return _plain(label, one, graph) or str(one.get("name", ""))


def _edge(one: Mapping[str, Any], graph: Mapping[str, Any]) -> str | None:
    both = ("both ways",) if one.get("dir") == "both" else ()
    parts = (
        *(_plain(str(one.get(key, "")), one, graph) for key in ("taillabel", "label", "xlabel", "headlabel")),
        *both,
    )
    return ", ".join(part for part in parts if part) or None


def _plain(label: str, one: Mapping[str, Any], graph: Mapping[str, Any]) -> str:
    """A label as one line of plain text: escapes resolved, markup removed."""
    if _MARKS.isdisjoint(label):
        return " ".join(label.split())
    if _TAG.search(label):
        label = unescape(_TAG.sub(" ", _END.sub("\\\\n", label)))
    names = {"N": one.get("name", ""), "G": graph.get("name", ""), "E": "", "T": "", "H": "", "L": ""}

    def escaped(match: re.Match[str]) -> str:
        return str(names.get(match[1], "\n" if match[1] in "nlr" else match[1]))

    lines = (" ".join(line.split()) for line in re.sub(r"\\(.)", escaped, label).split("\n"))
    return ", ".join(line for line in lines if line)
