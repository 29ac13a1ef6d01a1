"""Graphs of networkx as DOT text: laid out as the text that networkx makes with pygraphviz.

Left out of the comparison: several edges between two nodes. networkx gives the attributes of each to the first.
"""

from __future__ import annotations

from typing import Any

import networkx
import pytest

from figmill.kinds import dot
from figmill.kinds.graphs import networks


def plain() -> Any:
    graph = networkx.DiGraph(
        rankdir="LR", node={"shape": "box"}, edge={"color": "red"}, graph={"bgcolor": "white"}
    )
    graph.add_node("a", label='say "hi" <now>', shape="ellipse")
    graph.add_edge("a", 2, label="sends\\nit", weight=3)
    graph.add_edge(2, (3, "c"), color="#4a90c4")
    return graph


def html() -> Any:
    graph = networkx.Graph(name="named")
    graph.add_node("x", label="<<b>bold</b> &amp; <i>not</i>>")
    graph.add_edge("x", "node")
    return graph


def loops() -> Any:
    graph = networkx.MultiDiGraph([("a", "b"), ("a", "b"), ("b", "b"), ("b", "a")])
    graph.add_edge("a", "b", label="third")
    return graph


def placed() -> Any:
    graph = networkx.path_graph(4)
    for node in graph:
        graph.nodes[node]["pos"] = (node, node % 2)
    return graph


def empty() -> Any:
    return networkx.Graph()


@pytest.mark.parametrize("make", [plain, html, placed, empty])
def test_it_is_laid_out_as_by_networkx_itself(make: Any) -> None:
    pytest.importorskip(
        "pygraphviz", reason="pygraphviz itself needs GLib and X11 of the system", exc_type=ImportError
    )
    from networkx.drawing import nx_agraph

    dot.warm([])
    graph = make()
    for engine in ("dot", "neato"):
        own = dot._layout(networks.dot_text(graph), engine)
        theirs = dot._layout(nx_agraph.to_agraph(graph).to_string(), engine)
        assert own.svg and own.svg == theirs.svg


def test_its_nodes_and_edges_are_all_there() -> None:
    dot.warm([])
    for make in (plain, html, loops, placed, empty):
        graph = make()
        laid = dot._layout(networks.dot_text(graph), "dot")
        assert (laid.nodes, laid.edges) == (graph.number_of_nodes(), graph.number_of_edges())


def test_a_backslash_at_the_end_does_not_run_on() -> None:
    dot.warm([])
    graph = networkx.DiGraph([("C:\\", "b")])
    assert dot._layout(networks.dot_text(graph), "dot").nodes == 2
