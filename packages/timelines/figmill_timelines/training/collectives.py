"""Collective operations: who sends to whom, and the cost in the alpha-beta model.

A message of n bytes takes alpha + n / B (Chan et al., Collective communication: theory, practice, and
experience, 2007). Links carry both directions at once. In a tree a rank uses the links to both children at once; in
all-to-all it serves one peer in each step. S is the bytes that each rank holds, N the number of ranks:

    ring              AllReduce, 2 (N-1) steps of S/N          2 (N-1) (alpha + S / (N B))
    tree              AllReduce, up and down, messages whole   2 depth (alpha + S / B)
    all-to-all        each to each, N-1 steps of S/N           (N-1) (alpha + S / (N B))
    parameter-server  push and pull through k servers' links   2 (alpha + N S / (k B))

The ring's bandwidth term is optimal: Patarasuk and Yuan, 2009.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import combinations
from typing import Any

Position = tuple[float, float]
PAGE = 500.0  # points between the outermost nodes of a figure as wide as a page
LONGEST_ROWS = 10  # ranks of a ring that fit the width of a page in two rows
CLOSEST = 14.0  # points between two nodes with numbers
WIDEST = 1540.0  # points around a circle that fits the width of a page


@dataclass(frozen=True, slots=True)
class TopologyLink:
    """A link from `tail` to `head`.

    - both: messages go both ways.
    """

    tail: str
    head: str
    both: bool = False


@dataclass(frozen=True, slots=True)
class Topology:
    """Nodes, links and cost.

    - places: each node's (x, y) in points, y up.
    - message: bytes that a step sends on a link.
    """

    places: dict[str, Position]
    links: tuple[TopologyLink, ...]
    steps: int
    message: float
    seconds: float
    sent_per_rank: float

    def facts(self) -> dict[str, Any]:
        """steps, message_bytes, time_us, sent_per_rank_bytes (of the busiest rank) and the links drawn."""
        return {
            "steps": self.steps,
            "message_bytes": self.message,
            "time_us": 1e6 * self.seconds,
            "sent_per_rank_bytes": self.sent_per_rank,
            "links": len(self.links),
        }


def ring(n: int, size: float, alpha: float, bandwidth: float) -> Topology:
    """AllReduce around a ring of n >= 2 ranks, in two rows, or on a circle if these are too long."""
    links = tuple(TopologyLink(f"Rank {rank}", f"Rank {(rank + 1) % n}") for rank in range(n))
    steps, message = 2 * (n - 1), size / n
    places = _two_rows(n) if n <= LONGEST_ROWS else circle(n, min(60.0, WIDEST / n))
    return Topology(places, links, steps, message, steps * (alpha + message / bandwidth), steps * message)


def _two_rows(n: int) -> dict[str, Position]:
    top = (n + 1) // 2
    columns = [rank if rank < top else n - 1 - rank for rank in range(n)]
    return {f"Rank {rank}": (110.0 * c, 90.0 if rank < top else 0.0) for rank, c in enumerate(columns)}


def circle(n: int, apart: float) -> dict[str, Position]:
    """Ranks on a circle, clockwise from its top; apart: points along it between two of them."""
    radius = n * apart / (2 * math.pi)
    angles = [math.pi / 2 - 2 * math.pi * rank / n for rank in range(n)]
    return {
        f"Rank {rank}": (round(radius * math.cos(a), 1), round(radius * math.sin(a), 1))
        for rank, a in enumerate(angles)
    }


def apart(topology: Topology) -> float:
    """The shortest distance between two nodes, in points."""
    return min(math.dist(a, b) for a, b in combinations(topology.places.values(), 2))


def tree(n: int, size: float, alpha: float, bandwidth: float) -> Topology:
    """AllReduce up and down a balanced binary tree of n >= 2 ranks, each message whole."""
    depth = (n).bit_length() - 1
    leaves = 2**depth
    across, down = min(100.0, PAGE / leaves), 80.0 if leaves <= 8 else 60.0
    places, links = {}, []
    for rank in range(n):
        level = (rank + 1).bit_length() - 1
        place = rank + 1 - 2**level
        x = round(across * leaves / 2**level * (place + 0.5), 1)
        places[f"Rank {rank}"] = (x, down * (depth - level))
        if rank:
            links.append(TopologyLink(f"Rank {(rank - 1) // 2}", f"Rank {rank}", both=True))
    steps = 2 * depth
    busiest = max(sum(name in (link.tail, link.head) for link in links) for name in places)
    return Topology(places, tuple(links), steps, size, steps * (alpha + size / bandwidth), size * busiest)


def all_to_all(n: int, size: float, alpha: float, bandwidth: float) -> Topology:
    """All-to-all of n >= 2 ranks, drawn on a circle: each sends an n-th of its bytes to one peer in each step."""
    radius = min(WIDEST / (2 * math.pi), max(80.0, 22.0 * n))
    angles = [math.pi / 2 - 2 * math.pi * rank / n for rank in range(n)]
    places = {
        f"Rank {rank}": (round(radius * math.cos(a), 1), round(radius * math.sin(a), 1))
        for rank, a in enumerate(angles)
    }
    links = tuple(
        TopologyLink(f"Rank {a}", f"Rank {b}", both=True) for a in range(n) for b in range(a + 1, n)
    )
    steps, message = n - 1, size / n
    return Topology(places, links, steps, message, steps * (alpha + message / bandwidth), steps * message)


def parameter_server(n: int, size: float, alpha: float, bandwidth: float, servers: int = 1) -> Topology:
    """n workers push shares of S to the servers and pull them back; the servers' links are the bottleneck."""
    most = max(n, servers)
    across = min(110.0, PAGE / max(1, most - 1))
    middle = across * (most - 1) / 2
    between = across if most <= 8 else min(110.0, PAGE / max(1, servers - 1))
    farthest = (across * (n - 1) + between * (servers - 1)) / 2
    # Steep enough that arrows end along the edges of the boxes, not at their corners.
    above = round(max(130.0, farthest * 2 / 3), 1) if most <= 8 else 200.0
    places = {
        f"Server {k}": (round(middle + between * (k - (servers - 1) / 2), 1), above) for k in range(servers)
    }
    # If workers are so close that no number fits between them, they alternate between two rows.
    lower = 22.0 if across < CLOSEST else 0.0
    places |= {
        f"Worker {w}": (round(middle + across * (w - (n - 1) / 2), 1), -lower * (w % 2)) for w in range(n)
    }
    links = tuple(
        TopologyLink(f"Worker {w}", f"Server {k}", both=True) for w in range(n) for k in range(servers)
    )
    seconds = 2 * (alpha + n * size / (servers * bandwidth))
    busiest = max(size, n * size / servers)
    return Topology(places, links, 2, size / servers, seconds, busiest)


PATTERNS = {"ring": ring, "tree": tree, "all-to-all": all_to_all, "parameter-server": parameter_server}
