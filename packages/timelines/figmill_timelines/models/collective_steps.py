"""Collective operations step by step: who sends which blocks to whom, and the cost in the alpha-beta model.

In a step, a rank sends at most one message and receives at most one, at the same time. A message of n bytes takes
alpha + n / B, and a step as long as its longest message. S bytes on each of N ranks are cut into equal blocks.

    ring               2 (N-1) steps of S/N                          Patarasuk and Yuan 2009
    halving-doubling   2 log2 N steps of S/2, S/4 ... and back       Thakur, Rabenseifner and Gropp 2005
    tree               2 ceil(log2 N) steps of S, binomial           Thakur, Rabenseifner and Gropp 2005
    two-tree           two binary trees, each for one half of S, in pipelined blocks; the leaves of one are inside the
                       other                                         Sanders, Speck and Traeff 2009
    hierarchical       a ring inside each node, rings between nodes for each local rank's share, a ring inside again
    all-to-all         N-1 steps of S/N, to the peer t ranks on in step t (pairwise)

All but the last are AllReduce. Tests pass real values along the messages.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from types import MappingProxyType
from typing import Any, NamedTuple


class StepMessage(NamedTuple):
    """A message of a step.

    - blocks: what is sent.
    - adds: the receiver adds it to its own data; otherwise it replaces its own.
    - far: it goes between nodes.
    """

    source: int
    target: int
    blocks: tuple[int, ...]
    adds: bool
    far: bool = False


@dataclass(frozen=True, slots=True)
class CollectiveSteps:
    """An operation in steps.

    - blocks: equal parts of a rank's data.
    - phases: the name of each step's phase.
    """

    name: str
    ranks: int
    blocks: int
    steps: tuple[tuple[StepMessage, ...], ...]
    phases: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Wires:
    """The cost of messages.

    - alpha: seconds for each.
    - bandwidth: bytes per second.
    - far_alpha, far_bandwidth: for messages between nodes.
    """

    alpha: float
    bandwidth: float
    far_alpha: float | None = None
    far_bandwidth: float | None = None

    def seconds(self, size: float, far: bool) -> float:
        alpha = self.far_alpha if far and self.far_alpha is not None else self.alpha
        bandwidth = self.far_bandwidth if far and self.far_bandwidth else self.bandwidth
        return alpha + size / bandwidth


def ring(n: int) -> CollectiveSteps:
    """AllReduce around a ring of n ranks."""
    scatter = [
        tuple(StepMessage(r, (r + 1) % n, ((r - t) % n,), True) for r in range(n)) for t in range(n - 1)
    ]
    gather = [
        tuple(StepMessage(r, (r + 1) % n, ((r + 1 - t) % n,), False) for r in range(n)) for t in range(n - 1)
    ]
    return _chart("ring", n, n, (("Reduce-scatter", scatter), ("All-gather", gather)))


def halving_doubling(n: int) -> CollectiveSteps:
    """AllReduce by recursive halving, then doubling. ValueError unless n is a power of two."""
    if n & (n - 1):
        raise ValueError(f"halving-doubling needs a power of two, not {n} ranks")
    scatter = []
    distance = n // 2
    while distance:
        ranges = [_range(r, distance, n) for r in range(n)]
        scatter.append(tuple(StepMessage(r, r ^ distance, ranges[r ^ distance], True) for r in range(n)))
        distance //= 2
    gather = [
        tuple(StepMessage(m.target, m.source, m.blocks, False) for m in step) for step in reversed(scatter)
    ]
    gather = [tuple(sorted(step)) for step in gather]
    return _chart("halving-doubling", n, n, (("Reduce-scatter", scatter), ("All-gather", gather)))


def _range(rank: int, distance: int, n: int) -> tuple[int, ...]:
    """The blocks that a rank keeps after the halving at this distance: those that agree with it in the higher bits."""
    return tuple(block for block in range(n) if block // distance == rank // distance)


def tree(n: int) -> CollectiveSteps:
    """AllReduce up a binomial tree to rank 0 and down again, with whole messages."""
    up = []
    distance = 1
    while distance < n:
        up.append(tuple(StepMessage(r, r - distance, (0,), True) for r in range(distance, n, 2 * distance)))
        distance *= 2
    down = [tuple(StepMessage(m.target, m.source, (0,), False) for m in step) for step in reversed(up)]
    return _chart("tree", n, 1, (("Reduce", up), ("Broadcast", down)))


def parents(n: int) -> list[int | None]:
    """A binary tree of ranks in which every odd rank is a leaf; rank 0 is the root and has one child."""
    above_each: list[int | None] = [None]
    for rank in range(1, n):
        low = rank & -rank
        above = (rank ^ low) | low << 1
        above_each.append(above if above < n else rank ^ low)
    return above_each


def second(n: int) -> list[int | None]:
    """The other tree: mirrored for even n, shifted by one rank for odd n, so that its leaves lie inside the first."""
    turn = [n - 1 - rank if n % 2 == 0 else (rank + 1) % n for rank in range(n)]
    other: list[int | None] = [None] * n
    for rank, above in enumerate(parents(n)):
        other[turn[rank]] = None if above is None else turn[above]
    return other


FEW_BLOCKS = 16  # above this number, the paper's order is the shorter one


@cache
def two_tree(n: int, blocks: int = 4) -> CollectiveSteps:
    """AllReduce over two trees at once, with `blocks` pipelined blocks for each half of the data.

    Two orders are tried, and the one with fewer steps is taken. The paper's order reduces everything, then broadcasts:
    for many blocks it takes 4 steps per block, so that each rank's link carries 2 S in all. The other order broadcasts
    a block as soon as it is reduced, and is shorter for few blocks.
    """
    above = (parents(n), second(n))
    orders = [] if (coloured := _alternating(above, blocks)) is None else [coloured]
    if blocks <= FEW_BLOCKS or not orders:
        orders.append(_as_reduced(above, blocks))
    steps = min((_packed(order, above) for order in orders), key=len)
    return CollectiveSteps("two-tree", n, 2 * blocks, steps, ("Reduce and broadcast",) * len(steps))


_Trees = tuple[list[int | None], list[int | None]]


class _Edge(NamedTuple):
    """A rank's edge to its parent in one of the trees."""

    tree: int
    rank: int
    above: int


def _edges(trees: _Trees) -> list[_Edge]:
    return [
        _Edge(number, rank, above)
        for number, tree in enumerate(trees)
        for rank, above in enumerate(tree)
        if above is not None
    ]


def _up(edge: _Edge, block: int) -> StepMessage:
    return StepMessage(edge.rank, edge.above, (2 * block + edge.tree,), True)


def _down(edge: _Edge, block: int) -> StepMessage:
    return StepMessage(edge.above, edge.rank, (2 * block + edge.tree,), False)


def _as_reduced(trees: _Trees, blocks: int) -> list[StepMessage]:
    """Block after block, up from the leaves and down again."""
    depths = {edge: _depth(edge.rank, trees[edge.tree]) for edge in _edges(trees)}
    rising = sorted(depths, key=lambda edge: (-depths[edge], edge.tree, edge.rank))
    falling = sorted(depths, key=lambda edge: (depths[edge], edge.tree, edge.rank))
    order: list[StepMessage] = []
    for block in range(blocks):
        order += [_up(edge, block) for edge in rising]
        order += [_down(edge, block) for edge in falling]
    return order


def _alternating(trees: _Trees, blocks: int) -> list[StepMessage] | None:
    """The paper's order: edges are active in every second step. None if no two colours make that possible."""
    colours = _colours(_edges(trees))
    if colours is None:
        return None
    reached = {
        (number, rank): -1
        for number, tree in enumerate(trees)
        for rank, above in enumerate(tree)
        if above is None
    }
    waiting = list(colours)
    while waiting:
        for edge in [edge for edge in waiting if (edge.tree, edge.above) in reached]:
            step = reached[edge.tree, edge.above] + 1
            reached[edge.tree, edge.rank] = step + (step % 2 != colours[edge])
            waiting.remove(edge)
    sent = [
        (reached[edge.tree, edge.rank] + 2 * block, edge, block)
        for edge in colours
        for block in range(blocks)
    ]
    order = [_down(edge, block) for _, edge, block in sorted(sent)]
    last = max(step for step, _, _ in sent)
    # A reduction is a broadcast backwards in time, its blocks counted from the other end.
    back = sorted((last - step, edge, blocks - 1 - block) for step, edge, block in sent)
    return [_up(edge, block) for _, edge, block in back] + order


def _colours(edges: list[_Edge]) -> dict[_Edge, int] | None:
    """0 or 1 for each edge, so that no rank sends, or receives, over two edges of one colour in a broadcast."""
    at: dict[tuple[str, int], list[_Edge]] = defaultdict(list)
    for edge in edges:
        at["from", edge.above].append(edge)
        at["to", edge.rank].append(edge)
    if any(len(meeting) > 2 for meeting in at.values()):
        return None
    colours: dict[_Edge, int] = {}
    for first in edges:  # each component is a path or a circle of even length
        reached = [] if first in colours else [(first, 0)]
        while reached:
            edge, colour = reached.pop()
            if edge not in colours:
                colours[edge] = colour
                meeting = at["from", edge.above] + at["to", edge.rank]
                reached += [(other, 1 - colour) for other in meeting if other not in colours]
    return colours


def _packed(order: list[StepMessage], trees: _Trees) -> tuple[tuple[StepMessage, ...], ...]:
    """Each message in the first step in which it is ready and both its ends are free, in this order."""
    children: list[dict[int, list[int]]] = [defaultdict(list), defaultdict(list)]
    for edge in _edges(trees):
        children[edge.tree][edge.above].append(edge.rank)
    # (rank, block, is its sum): in which step a message of it left or came
    done: dict[tuple[int, int, bool], int] = {}
    sending: set[tuple[int, int]] = set()
    receiving: set[tuple[int, int]] = set()
    steps: dict[int, list[StepMessage]] = defaultdict(list)
    for message in order:
        (block,) = message.blocks
        tree = block % 2
        if message.adds or trees[tree][message.source] is None:
            needs = [done[child, block, False] for child in children[tree][message.source]]
        else:
            needs = [done[message.source, block, True]]
        step = max(needs, default=-1) + 1
        while (message.source, step) in sending or (message.target, step) in receiving:
            step += 1
        sending.add((message.source, step))
        receiving.add((message.target, step))
        done[message.source if message.adds else message.target, block, not message.adds] = step
        steps[step].append(message)
    return tuple(tuple(sorted(steps[step])) for step in range(len(steps)))


def _depth(rank: int, above: list[int | None]) -> int:
    depth, at = 0, above[rank]
    while at is not None:
        depth, at = depth + 1, above[at]
    return depth


def hierarchical(n: int, node: int) -> CollectiveSteps:
    """AllReduce of n ranks on nodes of `node` ranks each. ValueError unless all nodes are full and there is more than
    one.
    """
    if n % node or not 1 < node < n:
        raise ValueError(
            f"hierarchical needs 2 or more full nodes of 2 or more ranks: {n} ranks, {node} on a node"
        )
    nodes = n // node

    def blocks(share: int) -> tuple[int, ...]:  # a local rank's share is cut into one block for each node
        return tuple(range(share * nodes, (share + 1) * nodes))

    def inside(first: int, adds: bool) -> list[tuple[StepMessage, ...]]:
        return [
            tuple(
                StepMessage(k * node + r, k * node + (r + 1) % node, blocks((r + first - t) % node), adds)
                for k in range(nodes)
                for r in range(node)
            )
            for t in range(node - 1)
        ]

    def between(first: int, adds: bool) -> list[tuple[StepMessage, ...]]:
        return [
            tuple(
                StepMessage(
                    k * node + r,
                    (k + 1) % nodes * node + r,
                    (((r + 1) % node) * nodes + (k + first - t) % nodes,),
                    adds,
                    True,
                )
                for k in range(nodes)
                for r in range(node)
            )
            for t in range(nodes - 1)
        ]

    return _chart(
        "hierarchical",
        n,
        n,
        (
            ("Reduce-scatter in nodes", inside(0, True)),
            ("AllReduce between nodes", between(0, True) + between(1, False)),
            ("All-gather in nodes", inside(1, False)),
        ),
    )


def all_to_all(n: int) -> CollectiveSteps:
    """Each rank sends an n-th of its data to each other rank. Block s n + d goes from rank s to rank d."""
    steps = [
        tuple(StepMessage(r, (r + t) % n, (r * n + (r + t) % n,), False) for r in range(n))
        for t in range(1, n)
    ]
    return _chart("all-to-all", n, n, (("Pairwise exchange", steps),))


def _chart(
    name: str, n: int, blocks: int, phases: tuple[tuple[str, list[tuple[StepMessage, ...]]], ...]
) -> CollectiveSteps:
    steps = tuple(step for _, phase in phases for step in phase)
    names = tuple(phase for phase, rows in phases for _ in rows)
    return CollectiveSteps(name, n, blocks, steps, names)


ALLREDUCE: Mapping[str, Callable[[int], CollectiveSteps]] = MappingProxyType(
    {"ring": ring, "halving-doubling": halving_doubling, "tree": tree}
)


def seconds(chart: CollectiveSteps, size: float, wires: Wires) -> float:
    """The time of all steps for `size` bytes on each rank."""
    total = 0.0
    for step in chart.steps:
        total += max(wires.seconds(len(m.blocks) * size / chart.blocks, m.far) for m in step)
    return total


def best_two_tree(n: int, size: float, wires: Wires, most: int = 128) -> tuple[float, CollectiveSteps]:
    """The least time of a two-tree over all numbers of blocks that are powers of two up to `most`, and its chart."""
    charts = [two_tree(n, 2**power) for power in range(most.bit_length())]
    times = [len(chart.steps) * wires.seconds(size / chart.blocks, False) for chart in charts]
    best = min(range(len(charts)), key=times.__getitem__)
    return times[best], charts[best]


def facts(chart: CollectiveSteps, size: float, wires: Wires) -> dict[str, Any]:
    """steps, messages, time_us, and the bytes that the busiest rank sends."""
    sent = [0] * chart.ranks
    for step in chart.steps:
        for message in step:
            sent[message.source] += len(message.blocks)
    return {
        "steps": len(chart.steps),
        "messages": sum(len(step) for step in chart.steps),
        "time_us": 1e6 * seconds(chart, size, wires),
        "sent_per_rank_bytes": max(sent) * size / chart.blocks,
    }
