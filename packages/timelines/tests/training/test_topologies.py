"""Topologies of any size: as wide as a page, with nodes apart, and with the links that their pattern has."""

from __future__ import annotations

import math
import re
import shlex
from itertools import combinations

import pytest
from helpers.generators import generator

from figmill_timelines.training import collectives

COST = (1e8, 1e-5, 1e10)
WIDEST = 560.0  # points from the first node to the last


def sizes(topology: collectives.Topology) -> tuple[float, float]:
    xs, ys = zip(*topology.places.values(), strict=True)
    return max(xs) - min(xs), max(ys) - min(ys)


@pytest.mark.parametrize("pattern", ["ring", "tree", "all-to-all"])
def test_any_number_of_ranks_fits_a_page(pattern: str) -> None:
    drawn = {ranks: collectives.PATTERNS[pattern](ranks, *COST) for ranks in range(2, 65)}
    assert [ranks for ranks, topology in drawn.items() if not fits(topology)] == []
    assert {ranks: len(topology.places) for ranks, topology in drawn.items()} == {n: n for n in drawn}


@pytest.mark.parametrize("servers", [1, 2, 6, 16])
def test_any_number_of_workers_and_servers_fits_a_page(servers: int) -> None:
    numbers = (2, 6, 9, 35, 36, 37, 64)
    drawn = {workers: collectives.parameter_server(workers, *COST, servers) for workers in numbers}
    assert [workers for workers, topology in drawn.items() if not fits(topology)] == []
    assert [len(topology.links) for topology in drawn.values()] == [n * servers for n in numbers]


def fits(topology: collectives.Topology) -> bool:
    return max(sizes(topology)) <= WIDEST and collectives.apart(topology) >= 14


@pytest.mark.parametrize(
    "params",
    [
        {"pattern": "tree", "ranks": 64},
        {"pattern": "all-to-all", "ranks": 16},
        {"pattern": "parameter-server", "ranks": 64, "servers": 16},
    ],
)
def test_nodes_that_are_close_are_circles_with_numbers_and_the_caption_says_of_what(params: dict) -> None:
    graph = generator("collective").draw(**params).figure.source
    assert "shape=circle" in graph and re.search(r"[Rr]anks 0 to|workers 0 to", graph)
    assert "outputorder=edgesfirst" in graph  # no link runs over a number


@pytest.mark.parametrize(("ranks", "servers"), [(6, 2), (8, 1), (3, 4)])
def test_arrows_of_servers_and_workers_end_apart(ranks: int, servers: int) -> None:
    params = {"pattern": "parameter-server", "ranks": ranks, "servers": servers}
    graph = generator("collective").draw(**params).figure
    ends: dict[str, list[tuple[float, float]]] = {}
    for line in graph.pipe("plain", encoding="utf-8").splitlines():
        kind, *cells = shlex.split(line)
        if kind == "edge":
            xs, ys = (
                [72 * float(cell) for cell in cells[3 + at : 3 + 2 * int(cells[2]) : 2]] for at in (0, 1)
            )
            ends.setdefault(cells[0], []).append((xs[0], ys[0]))
            ends.setdefault(cells[1], []).append((xs[-1], ys[-1]))
    assert sorted(map(len, ends.values())) == sorted([ranks] * servers + [servers] * ranks)
    for points in ends.values():
        assert all(math.dist(*pair) >= 10 for pair in combinations(points, 2))
