"""What libraries call a graph is laid out by Graphviz: the same nodes and edges as its DOT text."""

from __future__ import annotations

import re
import subprocess
import sys

import pytest
from helpers.book import Space

NETWORKX = """import networkx
def draw():
    graph = networkx.DiGraph(rankdir="LR")
    graph.add_node("a", label='say "hi" <now>', shape="box")
    graph.add_edge("a", 2, label="sends", weight=3)
    graph.add_edge(2, (3, "c"), color="#4a90c4")
    return graph
"""
GRAPHS = {
    "networkx": NETWORKX,
    "networkx, in a Drawing": NETWORKX.replace(
        "return graph", "from figmill import Drawing\n    return Drawing(graph, {'n': 1})"
    ),
    "pygraphviz": """import pygraphviz
def draw():
    graph = pygraphviz.AGraph(directed=True, rankdir="LR")
    graph.add_node("a", label='say "hi" <now>', shape="box")
    graph.add_edge("a", 2, label="sends", weight=3)
    graph.add_edge(2, "(3, 'c')", color="#4a90c4")
    return graph
""",
    "text": """def draw():
    return r'''digraph { rankdir=LR; a [label="say \\"hi\\" <now>", shape=box]
    a -> 2 [label=sends, weight=3]; 2 -> "(3, 'c')" [color="#4a90c4"] }'''
""",
}


def test_every_graph_is_drawn_alike(space: Space) -> None:
    if subprocess.run([sys.executable, "-c", "import pygraphviz"], capture_output=True).returncode:
        pytest.skip("pygraphviz itself needs GLib and X11 of the system")
    drawn_alike(space, GRAPHS)


def test_graphs_that_need_no_pygraphviz_are_drawn_alike(space: Space) -> None:
    drawn_alike(
        space, {name: script for name, script in GRAPHS.items() if name != "pygraphviz"}, "--id", "g0"
    )


def drawn_alike(space: Space, scripts: dict[str, str], *again: str) -> None:
    """again: what is drawn a second time, everything by default."""
    for number, script in enumerate(scripts.values()):
        space.write({f"visuals/g{number}.py": script})
        space.question(f"g{number}", f"kind: dot, source: g{number}.py, alt: three nodes in a row")
    ran = space.run()
    assert (ran.code, ran.err) == (0, "")
    drawings = {
        re.sub(rb"g[0-9]-light", b"g-light", data)
        for name, data in space.outputs().items()
        if "dark" not in name
    }
    assert len(drawings) == 1
    assert (
        b">say &quot;hi&quot; &lt;now&gt;<" in (only := drawings.pop()) or b'>say "hi" &lt;now&gt;<' in only
    )
    before = space.outputs()
    assert space.run("--force", *again).code == 0 and space.outputs() == before


def test_what_is_no_graph_is_one_line(space: Space) -> None:
    values = ["None", "3", "[1, 2]", "__import__('networkx')"]
    for number, value in enumerate(values):
        space.write({f"visuals/g{number}.py": f"def draw():\n    return {value}\n"})
        space.question(f"g{number}", f"kind: dot, source: g{number}.py, alt: three nodes in a row")
    ran = space.run()
    assert ran.code == 1
    words = "draw() must return a graph of graphviz, pygraphviz or networkx, or DOT text, not"
    lines = [line for line in ran.err.splitlines() if words in line]
    assert [line.partition(":")[0] for line in lines] == [
        f"visuals/g{number}.py" for number in range(len(values))
    ]
