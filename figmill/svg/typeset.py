"""Where the words of a text stand: runs laid out one after another with the metrics of the book's fonts.

Unaware of paints and of what lies behind. Left out: words along a path, vertical writing, rotated glyphs.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TypeAlias

from figmill.svg.metrics import measure
from figmill.svg.tree import Node

Point: TypeAlias = tuple[float, float]
INITIAL_SIZE = 16.0
# From the baseline to the middle of small letters, by how y is meant; in em.
MIDDLE = {"middle": 0.0, "central": 0.0, "hanging": -0.35, "text-before-edge": -0.5}
BASELINE = 0.3


@dataclass(frozen=True, slots=True)
class Type:
    """The font in force, as far as it decides where words stand."""

    size: float = INITIAL_SIZE
    bold: bool = False
    italic: bool = False
    mono: bool = False
    anchor: str = "start"
    baseline: str = "auto"

    def of(self, attrib: dict[str, str]) -> Type:
        """The same with what an element says of it."""
        weight, family = attrib.get("font-weight"), attrib.get("font-family")
        return replace(
            self,
            size=length(attrib["font-size"], self.size) if "font-size" in attrib else self.size,
            bold=self.bold if weight is None else weight in ("bold", "bolder", "600", "700", "800", "900"),
            italic=attrib["font-style"] != "normal" if "font-style" in attrib else self.italic,
            mono="monospace" in family if family is not None else self.mono,
            anchor=attrib.get("text-anchor", self.anchor),
            baseline=attrib.get("dominant-baseline", self.baseline),
        )


@dataclass(slots=True)
class Run:
    """Words of one element; x, y where they begin anew, and the steps from where the last ones ended."""

    node: Node
    text: str
    type: Type
    x: tuple[float, ...] = ()
    y: float | None = None
    dx: float = 0.0
    dy: float = 0.0
    width: float = 0.0


def length(text: str, size: float) -> float:
    """A length in user units, where that can be told; em by `size`."""
    try:
        return float(text[:-2]) * size if text.endswith("em") else float(text)
    except ValueError:
        return size


def chunks(text: Node, type_: Type) -> Iterator[tuple[Node, str, tuple[Point, ...]]]:
    """Each run of words with its element and the points under which it must be told from its background."""
    runs: list[Run] = []
    _gather(text, type_, runs)
    x = y = 0.0
    while runs:
        count = next((n for n in range(1, len(runs)) if runs[n].x or runs[n].y is not None), len(runs))
        chunk, runs = runs[:count], runs[count:]
        first = chunk[0]
        x = (first.x[0] if first.x else x) + first.dx
        y = first.y if first.y is not None else y
        whole = sum(run.width + run.dx for run in chunk) - first.dx
        x -= {"middle": 0.5, "end": 1.0}.get(first.type.anchor, 0.0) * whole
        for place, run in enumerate(chunk):
            x += run.dx if place else 0.0
            y += run.dy
            yield run.node, run.text, _places(run, x, y)
            x += run.width


def _gather(node: Node, type_: Type, runs: list[Run]) -> None:
    x = tuple(length(word, 0.0) for word in node.attrib.get("x", "").split())
    y = node.attrib.get("y", "").split()
    start = Run(node, "", type_, x, length(y[0], 0.0) if y else None)
    start.dx, start.dy = (
        length(node.attrib.get(name, "0").split()[0] if node.attrib.get(name) else "0", type_.size)
        for name in ("dx", "dy")
    )
    for child in node.children:
        if isinstance(child, str):
            if child.strip():
                run = replace(start, text=child)
                run.width = measure(child, type_.size, type_.bold, type_.italic, type_.mono)
                if len(x) > 1:  # each letter has its place: from the first to the end of the last
                    run.width = max(x) - x[0] + run.width / len(child)
                runs.append(run)
                start = Run(node, "", type_)
        elif child.tag == "tspan":
            before = len(runs)
            _gather(child, type_.of(child.attrib), runs)
            if len(runs) > before:
                mine = runs[before]
                if not mine.x:
                    mine.x, mine.dx = start.x, mine.dx + start.dx
                if mine.y is None:
                    mine.y, mine.dy = start.y, mine.dy + start.dy
                start = Run(node, "", type_)


def _places(run: Run, x: float, y: float) -> tuple[Point, ...]:
    """The middle of the words, and a little inside of their ends."""
    y -= MIDDLE.get(run.type.baseline, BASELINE) * run.type.size
    inset = min(0.4 * run.type.size, run.width / 2)
    middle = (x + run.width / 2, y)
    return (middle,) if run.width < run.type.size else (middle, (x + inset, y), (x + run.width - inset, y))
