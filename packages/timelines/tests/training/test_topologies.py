"""Topologies of any size: as wide as a page, with nodes apart, and with the links that their pattern has."""

from __future__ import annotations

import re

import pytest
from helpers.generators import generator

from figmill_timelines.training import collectives

COST = (1e8, 1e-5, 1e10)
WIDEST = 560.0  # points from the first node to the last


def sizes(topology: collectives.Topology) -> tuple[float, float]:
    xs, ys = zip(*topology.places.values(), strict=True)
    return max(xs) - min(xs), max(ys) - min(ys)


@pytest.mark.parametrize("ranks", range(2, 65))
@pytest.mark.parametrize("pattern", ["ring", "tree", "all-to-all"])
def test_any_number_of_ranks_fits_a_page(pattern: str, ranks: int) -> None:
    topology = collectives.PATTERNS[pattern](ranks, *COST)
    across, down = sizes(topology)
    assert across <= WIDEST and down <= WIDEST
    assert collectives.apart(topology) >= 14
    assert len(topology.places) == ranks


@pytest.mark.parametrize("workers", [2, 6, 9, 35, 36, 37, 64])
@pytest.mark.parametrize("servers", [1, 2, 6, 16])
def test_any_number_of_workers_and_servers_fits_a_page(workers: int, servers: int) -> None:
    topology = collectives.parameter_server(workers, *COST, servers)
    across, down = sizes(topology)
    assert across <= WIDEST and down <= WIDEST
    assert collectives.apart(topology) >= 14
    assert len(topology.links) == workers * servers


@pytest.mark.parametrize("params", [{"pattern": "tree", "ranks": 64}, {"pattern": "all-to-all", "ranks": 16},
                                    {"pattern": "parameter-server", "ranks": 64, "servers": 16}])  # fmt: skip
def test_nodes_that_are_close_are_circles_with_numbers_and_the_caption_says_of_what(params: dict) -> None:
    graph = generator("collective").draw(**params).figure.source
    assert "shape=circle" in graph and re.search(r"[Rr]anks 0 to|workers 0 to", graph)
    assert "outputorder=edgesfirst" in graph  # no link runs over a number
