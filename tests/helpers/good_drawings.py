"""Drawings that are as they should be, as Graphviz and matplotlib write them: what the checks must leave alone.

Also where to find others: exports of many tools, if a folder of them is there.
"""

from __future__ import annotations

import io
import os
import random
from collections.abc import Iterator
from pathlib import Path

from helpers.book import REPOSITORY

# A folder of real exports, which is no part of the project.
EXPORTS = Path(os.environ.get("FIGMILL_EXPORTS", REPOSITORY.parent / "shared/corpus/exports"))
WORDS = [
    "cache",
    "queue",
    "index",
    "parser",
    "router",
    "worker",
    "token",
    "shard",
    "replica",
    "log",
    "batch",
    "buffer",
]
SHAPES = ("box", "ellipse", "diamond", "hexagon", "record", "cylinder", "note", "plaintext")
ENGINES = ("dot", "neato", "circo", "twopi")


def graphs(count: int) -> Iterator[tuple[str, bytes]]:
    """Random graphs of 4 to 12 nodes with labels, clusters and labelled edges, straight from Graphviz."""
    import pygraphviz

    for number in range(count):
        chance = random.Random(number)
        nodes = chance.randint(4, 12)
        graph = pygraphviz.AGraph(
            directed=number % 3 > 0, rankdir=("TB", "LR")[number % 2], name=f"g{number}"
        )
        graph.graph_attr["overlap"] = "false"
        shape = SHAPES[number % len(SHAPES)]
        for node in range(nodes):
            label = " ".join(chance.sample(WORDS, chance.randint(1, 2)))
            label = f"{{{label}|{chance.choice(WORDS)}}}" if shape == "record" else label
            graph.add_node(node, label=label, shape=shape)
        for node in range(1, nodes):
            label = {"label": f" {chance.choice(WORDS)} "} if number % 4 == 0 else {}
            graph.add_edge(chance.randrange(node), node, **label)
        if number % 8 == 0:
            graph.add_subgraph(list(range(nodes // 2)), name="cluster_0", label="first half", style="rounded")
        graph.layout(prog=ENGINES[number % len(ENGINES)] if number % 4 else "dot")
        yield f"graphviz-{number}.svg", graph.draw(format="svg")


def plots(count: int) -> Iterator[tuple[str, bytes]]:
    """Plots of eight sorts with axes, legends, titles and grids, straight from matplotlib."""
    import matplotlib as mpl
    import numpy as np
    from matplotlib.figure import Figure

    for number in range(count):
        numbers = np.random.default_rng(number)
        with mpl.rc_context({"svg.fonttype": "none", "svg.hashsalt": str(number)}):
            figure = Figure((4.8, 3.6), layout="constrained")
            axes = figure.add_subplot()
            match number % 8:
                case 0:
                    for name in WORDS[:3]:
                        axes.plot(numbers.normal(size=20).cumsum(), label=name)
                    axes.legend(loc="center left", bbox_to_anchor=(1, 0.5))
                case 1:
                    axes.bar_label(axes.bar(WORDS[:5], numbers.integers(3, 30, size=5)))
                    axes.margins(y=0.15)
                case 2:
                    axes.scatter(*numbers.normal(size=(2, 80)))
                    axes.grid()
                case 3:
                    figure.colorbar(axes.imshow(numbers.random((6, 6))), label="share")
                case 4:
                    axes.hist(numbers.normal(size=300), bins=20)
                    axes.axvline(0, linestyle="--", color="k")
                case 5:
                    axes.pie([4, 3, 2], labels=WORDS[:3], autopct="%d %%")
                case 6:
                    axes.barh(WORDS[:6], numbers.integers(3, 30, size=6))
                case 7:
                    axes.annotate("peak", (1, 1), (0.2, 0.5), arrowprops={"arrowstyle": "->"})
                    axes.plot([0, 1, 2], [0, 1, 0])
            axes.set_title(f"{WORDS[number % len(WORDS)]} over time")
            data = io.BytesIO()
            figure.savefig(data, format="svg")
            yield f"matplotlib-{number}.svg", data.getvalue()


def exports() -> Iterator[tuple[str, bytes]]:
    """Exports of many tools, each with the name of its tool; none if their folder is not there."""
    for path in sorted(EXPORTS.glob("*/*.svg")):
        yield f"{path.parent.name}/{path.name}", path.read_bytes()


def own() -> Iterator[tuple[str, bytes]]:
    """The figures that the documents of this repository show."""
    for path in sorted((REPOSITORY / "docs/pictures").glob("*.svg")):
        yield f"docs/{path.name}", path.read_bytes()
