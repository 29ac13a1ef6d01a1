"""The figures that every tool draws: graphs, Mermaid diagrams and plots, each with its words and its description.

Pure. A changed figure has another word.
"""

from __future__ import annotations

from dataclasses import dataclass

GRAPH, MERMAID, PLOT = "graphs", "Mermaid diagrams", "plots"


@dataclass(frozen=True, slots=True)
class Figure:
    """name: of its file, without suffix. words: what a reader sees in it. alt: what its author says that it shows."""

    name: str
    source: str
    words: tuple[str, ...]
    alt: str


def graph(number: int, mark: str = "queue") -> Figure:
    words = (
        f"client {number}",
        "load balancer",
        f"worker {number}",
        "database",
        f"{mark} {number}",
        "metrics",
    )
    client, balancer, worker, database, queue, metrics = (f'"{word}"' for word in words)
    source = (
        "digraph {\n  rankdir=LR\n  node [shape=box]\n"
        f"  {client} -> {balancer} -> {worker} -> {database}\n"
        f"  {balancer} -> {queue} [style=dashed]\n"
        f"  {queue} -> {worker}\n"
        f"  {worker} -> {metrics}\n"
        f'  {database} [style=filled, fillcolor="#4a90c4"]\n'
        "}\n"
    )
    return Figure(f"graph{number:02}", source, words, f"A request of client {number} passes a load balancer.")


def mermaid(number: int, mark: str = "order") -> Figure:
    words = (f"{mark} {number}", "in stock", "pack", "ask the supplier", f"send {number}", "yes", "no")
    alt = f"An order {number} is packed, or asked from the supplier."
    source = (
        f"flowchart TD\n  accDescr: {alt}\n"
        f"  A[{words[0]}] --> B{{{words[1]}}}\n"
        f"  B -->|{words[5]}| C[{words[2]}]\n"
        f"  B -->|{words[6]}| D[{words[3]}]\n"
        "  D --> C\n"
        f"  C --> E[{words[4]}]\n"
    )
    return Figure(f"flow{number:02}", source, words, alt)


def plot(number: int, mark: str = "measured") -> Figure:
    words = (f"Latency of service {number}", "requests per second", "milliseconds", mark, "model")
    source = (
        "import matplotlib.pyplot as plt\nimport numpy as np\n\n"
        "load = np.linspace(1, 90, 60)\n"
        "figure, axes = plt.subplots(figsize=(6, 4))\n"
        f"axes.plot(load, {number + 10} / (1 - load / 100), label='{words[4]}')\n"
        f"axes.plot(load, {number + 10} / (1 - load / 100) + np.sin(load) * 3, '.', label='{words[3]}')\n"
        f"axes.set_title('{words[0]}')\n"
        f"axes.set_xlabel('{words[1]}')\n"
        f"axes.set_ylabel('{words[2]}')\n"
        "axes.legend()\n"
    )
    return Figure(f"plot{number:02}", source, words, f"The latency of service {number} grows with its load.")


MAKERS = {GRAPH: graph, MERMAID: mermaid, PLOT: plot}


def figures(kind: str, count: int) -> list[Figure]:
    return [MAKERS[kind](number) for number in range(count)]


def changed(kind: str) -> Figure:
    """The first figure with another word."""
    return MAKERS[kind](0, "changed")
