"""Finds the nodes and edges of a graph in the SVG that Graphviz drew, in normal form. Pure.

The normal form has no names of nodes: a node is named by its text, and an edge by the texts of the two nodes nearest to
its ends.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Hashable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from lxml.etree import _Element

NUMBER = re.compile(r"-?\d+(?:\.\d+)?(?:e-?\d+)?", re.I)
CLOSED = ("ellipse", "polygon", "rect", "circle")
REACH = 16.0  # units of the drawing between an end of an edge and its node
Box = tuple[float, float, float, float]  # left, top, right, bottom
Point = tuple[float, float]
T = TypeVar("T", bound=Hashable)


@dataclass(frozen=True, slots=True)
class Graph:
    """The text of each node; for each edge, the texts of the nodes where it begins and ends."""

    nodes: tuple[str, ...]
    edges: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class GraphChange:
    """The new and the removed nodes, by their text, and edges. Nodes with changed text are in neither."""

    new_nodes: tuple[str, ...] = ()
    gone_nodes: tuple[str, ...] = ()
    new_edges: tuple[tuple[str, str], ...] = ()
    gone_edges: tuple[tuple[str, str], ...] = ()


def graph(root: _Element) -> Graph:
    """The graph in a drawing; empty if Graphviz did not draw it."""
    nodes: list[tuple[str, Box]] = []
    ends: list[tuple[Point, Point]] = []
    for group in root.iter("{*}g"):
        parts = [part for part in group if _tag(part) != "g"]
        label = " ".join(
            " ".join("".join(map(str, part.itertext())).split()) for part in parts if _tag(part) == "text"
        ).strip()
        shapes = [part for part in parts if _tag(part) in (*CLOSED, "path", "polyline")]
        if not shapes:
            continue
        first = shapes[0]
        points = _points(first)
        if not points:
            continue
        if _tag(first) == "path" and points[0] != points[-1]:
            ends.append(_ends(points, shapes[1:]))
        elif label and _tag(first) in (*CLOSED, "path"):
            nodes.append((label, _around(points)))
    return Graph(
        tuple(label for label, _ in nodes),
        tuple(
            (start, end)
            for begin, finish in ends
            if (start := _nearest(begin, nodes)) is not None and (end := _nearest(finish, nodes)) is not None
        ),
    )


def change(old: Graph, new: Graph) -> GraphChange:
    """The difference of two graphs. A node with other text counts as the same if that makes all edges equal."""
    gone, come = _less(old.nodes, new.nodes), _less(new.nodes, old.nodes)
    if gone and len(gone) == len(come):
        named = dict(zip(gone, come, strict=True))
        edges = [(named.get(start, start), named.get(end, end)) for start, end in old.edges]
        if Counter(edges) == Counter(new.edges):
            return GraphChange()
    return GraphChange(
        tuple(come), tuple(gone), tuple(_less(new.edges, old.edges)), tuple(_less(old.edges, new.edges))
    )


def _less(all_: tuple[T, ...], others: tuple[T, ...]) -> list[T]:
    """The items of the first that the second lacks, in order."""
    left = Counter(others)
    lacking = []
    for item in all_:
        if left[item]:
            left[item] -= 1
        else:
            lacking.append(item)
    return lacking


def _tag(part: _Element) -> str:
    return str(part.tag).rpartition("}")[2]


def _points(shape: _Element) -> list[Point]:
    tag = _tag(shape)
    if tag in ("ellipse", "circle"):
        x, y = float(shape.get("cx", 0)), float(shape.get("cy", 0))
        rx, ry = (float(shape.get(name) or shape.get("r") or 0) for name in ("rx", "ry"))
        return [(x - rx, y - ry), (x + rx, y + ry)]
    if tag == "rect":
        x, y, width, height = (float(shape.get(name, 0)) for name in ("x", "y", "width", "height"))
        return [(x, y), (x + width, y + height)]
    numbers = [float(number) for number in NUMBER.findall(shape.get("d") or shape.get("points") or "")]
    return list(zip(numbers[::2], numbers[1::2], strict=False))


def _around(points: list[Point]) -> Box:
    xs, ys = zip(*points, strict=True)
    return min(xs), min(ys), max(xs), max(ys)


def _ends(line: list[Point], heads: list[_Element]) -> tuple[Point, Point]:
    """The two ends of an edge; an arrowhead belongs to the end that it touches, and makes it longer."""
    ends = [line[0], line[-1]]
    for head in heads:
        points = _points(head)
        if points:
            which = min((0, 1), key=lambda n: min(_far(ends[n], point) for point in points))
            ends[which] = max(points, key=lambda point: _far(ends[which], point))
    return ends[0], ends[1]


def _far(start: Point, end: Point) -> float:
    return float(((start[0] - end[0]) ** 2 + (start[1] - end[1]) ** 2) ** 0.5)


def _nearest(end: Point, nodes: list[tuple[str, Box]]) -> str | None:
    """The node whose border is nearest to an end."""
    ranked = sorted(_ranked(end, nodes))
    return ranked[0][2] if ranked else None


def _ranked(end: Point, nodes: list[tuple[str, Box]]) -> Iterator[tuple[float, float, str]]:
    x, y = end
    for label, (left, top, right, bottom) in nodes:
        outside = _far((max(left - x, 0.0, x - right), max(top - y, 0.0, y - bottom)), (0.0, 0.0))
        if outside <= REACH:  # if one is inside the other, such as a box in a cluster, the smaller one wins
            yield round(outside), (right - left) * (bottom - top), label
