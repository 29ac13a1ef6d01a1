"""The numbers of a graph are facts: in labels of nodes and edges, and in attributes of the author's own."""

from __future__ import annotations

import json
from typing import Any

from helpers.book import Space

GRAPH = """\
digraph {
  budget="3 s"
  node [shape=box, fontsize=12]
  subgraph cluster_rack { label="Rack"; power="2 kW"; a [label="Cache\\n64 GB", latency=3] }
  b [label="42"]
  ghost [label="9 s", style=invis]
  r [shape=record, label="{Disk|4 kB}"]
  h [label=<Host<br/><b>5 ms</b>>]
  a -> b [label="30 ms", weight=5, bandwidth="1.5 GB/s", penwidth=3]
  a -> b [label="7"]
  b -> h [taillabel="2 workers", label="two ways"]
  r -> h [label="v2"]
  ghost -> h [style=invis, label="8 s"]
  1 -> 2 [label="10 %"]
}
"""
FACTS = {
    "nodes": 7,
    "edges": 6,
    "rack_power_kw": 2,
    "cache_gb": 64,
    "cache_latency": 3,
    "b": 42,
    "disk_kb": 4,
    "host_ms": 5,
    "cache_to_b_ms": 30,
    "cache_to_b_bandwidth_gb_per_s": 1.5,
    "cache_to_b": 7,
    "b_to_host_workers": 2,
    "edge_1_to_2_percent": 10,
    "budget_s": 3,
}
SCRIPT = """\
from figmill import Drawing


def draw():
    return Drawing('digraph { a -> b [label="30 ms"] }', {"own": 1})
"""


NETWORK = """\
import networkx


def draw():
    graph = networkx.Graph()
    graph.add_edge("Left", "Right", weight=2.5, capacity=10)
    return graph
"""


def manifest(space: Space) -> dict[str, Any]:
    return {row["id"]: row for row in json.loads(space.read("build/manifest.json"))["figures"]}


def test_labels_and_own_attributes_are_facts(space: Space) -> None:
    space.write({"visuals/a.dot": GRAPH, "visuals/s.py": SCRIPT})
    space.question("a", "source: a.dot, alt: '{cache_to_b_ms:si}', expect: {facts: {cache_gb: 64}}")
    space.question("s", "source: s.py, kind: dot, alt: '{own}'")
    space.write({"visuals/n.py": NETWORK}).question(
        "n", "source: n.py, kind: dot, alt: '{left_to_right_capacity}'"
    )
    done = space.run()
    assert done.code == 0, done.err
    rows = manifest(space)
    weighed = {"nodes": 2, "edges": 1, "left_to_right_weight": 2.5, "left_to_right_capacity": 10}
    assert rows["n"]["facts"] == weighed
    assert rows["a"]["facts"] == FACTS and rows["a"]["alt"] == "30 ms"
    assert rows["s"]["facts"] == {"nodes": 2, "edges": 1, "own": 1}  # all that it states


def test_in_another_language_they_have_the_same_names(space: Space) -> None:
    po = 'msgid ""\nmsgstr "Language: de\\n"\n\nmsgctxt "a"\nmsgid "Cache {1} GB"\nmsgstr "Ein Lager mit {1} GB"\n'
    space.write({"figmill.toml": 'languages = ["de"]\n', "visuals/a.dot": GRAPH, "visuals/locale/de.po": po})
    space.question("a", "source: a.dot, alt: '{cache_gb} {cache_to_b_bandwidth_gb_per_s}'")
    done = space.run()
    assert done.code == 0, done.err
    assert "Lager" in space.read("build/global/a.de.svg")
    edition = manifest(space)["a"]["languages"]["de"]
    assert edition["alt"] == "64 1,5", edition
