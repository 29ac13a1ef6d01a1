"""Changes attributes of a parsed graph that Graphviz cannot serve, or would serve differently in every run.

- `overlap=prism`, and the defaults of sfdp and fdp, need a library (GTS) that the Graphviz of pygraphviz lacks. They
  are replaced by `vpsc`, which moves nodes as little as possible, on a layout widened as prism would do.
- `start=random` without a number uses the time as its seed.
- `rank=same` over a cluster's edge takes nodes out of their cluster and then crashes; `newrank` lays it out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Any

from figmill.kind.job import Remark
from figmill.kinds.graphs import items, places

CHECK = "graphviz"
_PRISM = re.compile(r"(?:(?P<tries>[0-9]*):)?prism", re.IGNORECASE)
_SEEDED = re.compile(r"(?:random)?[0-9]|self|regular")
_FALSE = ("", "false", "no", "0")
# Engine -> the factor by which a layout is widened before vpsc; None: the engine leaves enough room between nodes.
WIDER: Mapping[str, str | None] = MappingProxyType(
    {"sfdp": "3", "neato": "1.5", "fdp": None, "circo": None, "twopi": None}
)
TRIES = "9"  # fdp's own default number of tries before it removes overlaps
SEEDED = ("neato", "fdp", "sfdp")
RANKS = ("same", "min", "max", "source", "sink")


def chosen(gv: Any, graph: Any, engine: str) -> str:
    """The engine that lays a graph out: the graph's own attribute wins over the question."""
    return items.get(gv, graph, "layout") or engine


def amend(gv: Any, graph: Any, engine: str, text: str) -> tuple[Remark, ...]:
    """Change the attributes of a graph; returns remarks about visible changes. engine: from `chosen`."""
    if engine in SEEDED and (start := items.get(gv, graph, "start")) and not _SEEDED.match(start):
        items.put(gv, graph, graph, "start", "random1")
    if engine in WIDER:
        return tuple(_without_prism(gv, graph, engine, text))
    if engine == "dot":
        return tuple(_with_newrank(gv, graph, text))
    return ()


def _without_prism(gv: Any, graph: Any, engine: str, text: str) -> Iterator[Remark]:
    written = items.get(gv, graph, "overlap")
    prism = _PRISM.match(written)
    by_default = {"sfdp": written.casefold() in _FALSE, "fdp": not written}
    if not prism and not by_default.get(engine, False):
        return
    tries = f"{(prism and prism['tries']) or TRIES}:" if engine == "fdp" else ""
    for each in (graph, *items.all_below(gv, graph)):  # a cluster has its own copy
        items.put(gv, graph, each, "overlap", f"{tries}vpsc")
    if (wider := WIDER[engine]) and not items.get(gv, graph, "scale"):
        items.put(gv, graph, graph, "scale", wider)
    if prism:
        at = places.of_attribute(text, "overlap", value=written.casefold())
        message = "overlap=prism needs a library that this Graphviz lacks; it is drawn with overlap=vpsc: write that"
        yield Remark(CHECK, message, at.line if at else None)


def _with_newrank(gv: Any, graph: Any, text: str) -> Iterator[Remark]:
    if items.is_true(items.get(gv, graph, "newrank")):
        return
    if items.get(gv, graph, "clusterrank").casefold() in ("global", "none"):
        return
    stray = _stray(gv, graph)
    if stray is not None:
        items.put(gv, graph, graph, "newrank", "true")
        message = (
            f"this rank joins '{stray}' of a cluster to others; it is drawn with newrank=true: write that"
        )
        yield Remark(CHECK, message, places.of_rank(text, stray))


def _stray(gv: Any, graph: Any) -> str | None:
    """A node that a rank takes out of a cluster: the node is in the cluster, but the rank is not."""
    clusters: dict[str, set[int]] = {}  # node -> the clusters that contain it
    ranks: list[tuple[Any, frozenset[int]]] = []  # subgraphs with a rank, and the clusters around each

    def visit(parent: Any, around: frozenset[int]) -> None:
        for subgraph in items.subgraphs(gv, parent):
            inside = around
            if items.name(gv, subgraph).startswith("cluster") or items.is_true(
                items.get(gv, subgraph, "cluster")
            ):
                number = len(numbers)
                numbers.append(number)
                inside = around | {number}
                for node in items.nodes(gv, subgraph):
                    clusters.setdefault(items.name(gv, node), set()).add(number)
            elif items.get(gv, subgraph, "rank") in RANKS:
                ranks.append((subgraph, around))
            visit(subgraph, inside)

    numbers: list[int] = []
    visit(graph, frozenset())
    names = (
        (items.name(gv, node), around) for subgraph, around in ranks for node in items.nodes(gv, subgraph)
    )
    return next((name for name, around in names if clusters.get(name, set()) - around), None)
