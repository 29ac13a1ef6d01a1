"""A graph of named nodes: what the readers of this package return. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from typing import Any

MOST_NODES = 80  # the most nodes in one figure
MARKS = "  "  # between the name of a row and its marks, as in "id  PK"
MOST_NAMED = 256  # the most items in a list-valued fact


@dataclass(frozen=True, slots=True)
class Section:
    """Rows of a node below one line, such as the columns of a table. Each row is a name and its type."""

    rows: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Node:
    """A node of a graph.

    - name: unique.
    - label: shown instead of the name.
    - group: the name of the box around it.
    - shape: a row of drawing.SHAPES.
    - above: a word above the label, such as "abstract".
    """

    name: str
    label: str = ""
    group: str = ""
    role: str = "compute"
    shape: str = "box"
    above: str = ""
    sections: tuple[Section, ...] = ()


@dataclass(frozen=True, slots=True)
class Edge:
    """From tail to head.

    - kind: a row of drawing.ARROWS.
    - group: the edge begins at the border of this group.
    - into: it ends at the border of that one.
    - row: the name of the row of the tail at which it begins.
    - head_row: that of the head at which it ends.
    """

    tail: str
    head: str
    label: str = ""
    kind: str = "uses"
    group: str = ""
    into: str = ""
    row: str = ""
    head_row: str = ""

    @property
    def pair(self) -> tuple[str, str]:
        return self.tail, self.head


@dataclass(frozen=True, slots=True)
class Group:
    """A box in another one.

    - is_region: one of several that are active at the same time.
    """

    name: str
    within: str
    is_region: bool = False


@dataclass(frozen=True, slots=True)
class Graph:
    """Nodes and edges, each in its order of appearance.

    - groups: those that are in others, or have none but groups.
    """

    nodes: tuple[Node, ...]
    edges: tuple[Edge, ...]
    groups: tuple[Group, ...] = ()

    def only(self, patterns: Sequence[str], without: Sequence[str] = ()) -> Graph:
        """The part whose nodes match one of the patterns (all, if there are none) and none of `without`.

        A pattern is a name with `*` and `?`. ValueError if a pattern matches nothing.
        """
        for pattern in (*patterns, *without):
            if not any(fnmatchcase(node.name, pattern) for node in self.nodes):
                names = ", ".join(node.name for node in self.nodes[:12])
                raise ValueError(f"'{pattern}' matches no name; the names are {names}")
        kept = {
            node.name
            for node in self.nodes
            if (not patterns or any(fnmatchcase(node.name, pattern) for pattern in patterns))
            and not any(fnmatchcase(node.name, pattern) for pattern in without)
        }
        return Graph(
            tuple(node for node in self.nodes if node.name in kept),
            tuple(edge for edge in self.edges if edge.tail in kept and edge.head in kept),
            self.groups,
        )

    def reduced(self) -> Graph:
        """The graph without each edge that a longer path implies; edges within a cycle stay."""
        after = self._after()
        part = {name: number for number, names in enumerate(components(self)) for name in names}
        reach: dict[str, set[str]] = {}

        def reached(name: str) -> set[str]:
            if name not in reach:
                reach[name], waiting = set(), [*after[name]]
                while waiting:
                    other = waiting.pop()
                    if other not in reach[name]:
                        reach[name].add(other)
                        waiting += after[other]
            return reach[name]

        kept = [
            edge
            for edge in self.edges
            if part[edge.tail] == part[edge.head]
            or not any(
                edge.head in reached(other)
                for other in after[edge.tail]
                if part[other] not in (part[edge.tail], part[edge.head])
            )
        ]
        return replace(self, edges=tuple(kept))

    def facts(self, noun: str) -> dict[str, Any]:
        """The number of nodes as `noun`, of edges, and of components with a cycle; the names of the nodes, sorted."""
        names = sorted(node.name for node in self.nodes)
        return {
            noun: len(names),
            "edges": len(self.edges),
            "cycles": len(cycles(self)),
            "names": names[:MOST_NAMED],
        }

    def fit(self, advice: str) -> None:
        """ValueError, with advice, if a figure cannot show this graph legibly."""
        if not self.nodes:
            raise ValueError("there is nothing to draw")
        if len(self.nodes) > MOST_NODES:
            raise ValueError(
                f"{len(self.nodes)} nodes are too many for one figure, which has at most {MOST_NODES}; {advice}"
            )

    def _after(self) -> Mapping[str, list[str]]:
        after: dict[str, list[str]] = {node.name: [] for node in self.nodes}
        for edge in self.edges:
            after[edge.tail].append(edge.head)
        return after


def components(graph: Graph) -> list[list[str]]:
    """The strongly connected components, by Tarjan's algorithm (SIAM J. Comput. 1, 1972), without recursion."""
    after = graph._after()
    index: dict[str, int] = {}
    low: dict[str, int] = {}
    stack: list[str] = []
    on_stack: set[str] = set()
    parts: list[list[str]] = []
    for start in after:
        if start in index:
            continue
        work: list[tuple[str, Iterator[str]]] = [(start, iter(after[start]))]
        index[start] = low[start] = len(index)
        stack.append(start)
        on_stack.add(start)
        while work:
            name, heads = work[-1]
            for head in heads:
                if head not in index:
                    index[head] = low[head] = len(index)
                    stack.append(head)
                    on_stack.add(head)
                    work.append((head, iter(after[head])))
                    break
                if head in on_stack:
                    low[name] = min(low[name], index[head])
            else:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[name])
                if low[name] == index[name]:
                    part: list[str] = []
                    while not part or part[-1] != name:
                        part.append(stack.pop())
                    on_stack -= set(part)
                    parts.append(part)
    return parts


def cycles(graph: Graph) -> list[list[str]]:
    """The components of more than one node, each sorted."""
    return [sorted(part) for part in components(graph) if len(part) > 1]


def pieces(graph: Graph) -> int:
    """How many parts of the graph no edge joins."""
    joined = {node.name: node.name for node in graph.nodes}

    def root(name: str) -> str:
        while joined[name] != name:
            joined[name] = joined[joined[name]]
            name = joined[name]
        return name

    for edge in graph.edges:
        joined[root(edge.tail)] = root(edge.head)
    return sum(joined[name] == name for name in joined)


def in_cycles(graph: Graph) -> set[tuple[str, str]]:
    """The edges that are part of a cycle, as (tail, head)."""
    part = {name: number for number, names in enumerate(components(graph)) for name in names}
    return {(e.tail, e.head) for e in graph.edges if e.tail != e.head and part[e.tail] == part[e.head]}


def returning(graph: Graph) -> set[tuple[str, str]]:
    """The edges, as (tail, head), that lead back in a depth-first search, as in Graphviz's `dot`.

    Without those of a pair that lead both ways.
    """
    after = graph._after()
    back: set[tuple[str, str]] = set()
    seen: set[str] = set()
    for start in after:
        way = [] if start in seen else [(start, iter(after[start]))]
        seen.add(start)
        while way:
            name, others = way[-1]
            other = next(others, None)
            if other is None:
                way.pop()
            elif other not in seen:
                seen.add(other)
                way.append((other, iter(after[other])))
            elif other != name and name not in after[other] and any(other == each for each, _ in way):
                back.add((name, other))
    return back


def once(edges: Iterable[Edge]) -> tuple[Edge, ...]:
    """The edges without duplicates."""
    return tuple(dict.fromkeys(edges))
