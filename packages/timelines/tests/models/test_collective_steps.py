"""Step charts: real values are passed along, and costs are held against closed forms."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest
from helpers.cases import cases

from figmill_timelines.models import collective_steps as steps
from figmill_timelines.models.collective_steps import CollectiveSteps, Wires

WIRES = Wires(1e-5, 25e9)
CHARTS = [
    *(steps.ring(n) for n in (2, 3, 4, 7, 8, 16)),
    *(steps.halving_doubling(n) for n in (2, 4, 8, 32)),
    *(steps.tree(n) for n in (2, 3, 5, 8, 13)),
    *(steps.two_tree(n, k) for n in (2, 3, 4, 7, 8, 16, 21) for k in (1, 3, 8)),
    *(steps.hierarchical(n, g) for n, g in ((4, 2), (8, 4), (8, 2), (12, 3), (32, 8))),
]


def after(chart: CollectiveSteps, held: list[list[int]]) -> list[list[int]]:
    """What each rank holds in each block when all messages of each step have been sent at once."""
    for step in chart.steps:
        sent = [(m, [held[m.source][b] for b in m.blocks]) for m in step]
        for message, values in sent:
            for block, value in zip(message.blocks, values, strict=True):
                held[message.target][block] = value + (held[message.target][block] if message.adds else 0)
    return held


@cases("chart", CHARTS, ids=lambda c: f"{c.name}-{c.ranks}-{c.blocks}")
def test_every_rank_ends_with_the_sum_of_all(chart: CollectiveSteps) -> None:
    start = [[1000**rank + 7 * block for block in range(chart.blocks)] for rank in range(chart.ranks)]
    total = [sum(rank[block] for rank in start) for block in range(chart.blocks)]
    assert after(chart, [list(rank) for rank in start]) == [total] * chart.ranks


@cases("chart", [*CHARTS, steps.all_to_all(5)], ids=lambda c: f"{c.name}-{c.ranks}-{c.blocks}")
def test_a_rank_sends_and_receives_one_message_at_a_time(chart: CollectiveSteps) -> None:
    for step in chart.steps:
        assert step
        assert len({m.source for m in step}) == len({m.target for m in step}) == len(step)
        assert all(m.source != m.target for m in step)


@pytest.mark.parametrize("n", [2, 3, 8])
def test_an_exchange_brings_each_part_to_its_rank(n: int) -> None:
    held = [[100 * r + b if b // n == r else -1 for b in range(n * n)] for r in range(n)]
    done = after(steps.all_to_all(n), held)
    for d in range(n):
        assert [done[d][s * n + d] for s in range(n)] == [100 * s + s * n + d for s in range(n)]


@pytest.mark.parametrize("n", [2, 4, 8, 32])
@pytest.mark.parametrize("size", [1e3, 1e6, 1e9])
def test_costs_are_those_of_the_papers(n: int, size: float) -> None:
    a, b, log = WIRES.alpha, 1 / WIRES.bandwidth, math.log2(n)
    closed = {
        "ring": 2 * (n - 1) * a + 2 * (n - 1) / n * size * b,
        "halving-doubling": 2 * log * a + 2 * (n - 1) / n * size * b,
        "tree": 2 * log * (a + size * b),
    }
    for name, expected in closed.items():
        assert steps.seconds(steps.ALLREDUCE[name](n), size, WIRES) == pytest.approx(expected)
    assert steps.seconds(steps.all_to_all(n), size, WIRES) == pytest.approx((n - 1) * (a + size / n * b))


@pytest.mark.parametrize(("nodes", "node"), [(2, 4), (4, 2), (3, 5)])
def test_a_hierarchy_pays_for_its_far_wires_only_between_nodes(nodes: int, node: int) -> None:
    wires, size = Wires(1e-6, 300e9, 1e-5, 25e9), 1e8
    near = 2 * (node - 1) * (1e-6 + size / node / 300e9)
    far = 2 * (nodes - 1) * (1e-5 + size / (node * nodes) / 25e9)
    assert steps.seconds(steps.hierarchical(nodes * node, node), size, wires) == pytest.approx(near + far)


@cases("n", [2, 3, 4, 7, 8, 15, 16, 33])
def test_the_leaves_of_one_tree_are_inside_the_other(n: int) -> None:
    for tree in (steps.parents(n), steps.second(n)):
        assert sum(p is None for p in tree) == 1
        assert max(tree.count(r) for r in range(n)) <= 2
        assert all(steps._depth(r, tree) <= math.ceil(math.log2(n)) + 1 for r in range(n))
    leaves = [{r for r in range(n) if r not in tree} for tree in (steps.parents(n), steps.second(n))]
    assert len(leaves[0] & leaves[1]) <= n % 2


@pytest.mark.parametrize("n", [4, 5, 8, 15, 16, 24, 32])
def test_two_trees_approach_two_sizes_over_the_bandwidth_with_few_steps(n: int) -> None:
    """Sanders, Speck and Traeff: half of S runs through each tree, up and then down, over links that never rest."""
    wires = Wires(1e-6, 1e9)
    time, many = steps.best_two_tree(n, 1e12, wires)
    assert time == pytest.approx(steps.seconds(many, 1e12, wires))
    shares = {k: Fraction(len(steps.two_tree(n, k).steps), 2 * k) for k in (16, 128)}  # of S
    assert Fraction(2 * (n - 1), n) <= shares[128] <= 2 + Fraction(6, 100)
    assert shares[16] <= 2 + 8 * Fraction(6, 100)  # the start and the end, which do not depend on the blocks
    assert len(steps.two_tree(n, 1).steps) <= 4 * math.log2(n) + 2


@cases("n", [2, 4, 7, 8, 16, 21, 24, 33])
def test_two_colours_let_each_rank_send_and_receive_once_a_step(n: int) -> None:
    edges = steps._edges((steps.parents(n), steps.second(n)))
    colours = steps._colours(edges)
    assert colours is not None and set(colours) == set(edges)
    for end in ("above", "rank"):
        taken = [(getattr(edge, end), colour) for edge, colour in colours.items()]
        assert len(set(taken)) == len(taken)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: steps.halving_doubling(6), "power of two"),
        (lambda: steps.hierarchical(8, 3), "full nodes"),
        (lambda: steps.hierarchical(8, 8), "full nodes"),
    ],
)
def test_shapes_that_are_not_defined_are_refused(call, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        call()
