"""Sharded steps: against a graph of what waits for what, closed forms, and by hand."""

from __future__ import annotations

import random
from itertools import pairwise

import pytest
from helpers.examples import examples
from hypothesis import given, settings
from hypothesis import strategies as st

from figmill_timelines.charts.ascii import ascii  # noqa: A004
from figmill_timelines.models import sharding
from figmill_timelines.models.sharding import LayerTimes, ShardingPlan

LAYER = st.builds(LayerTimes, *[st.integers(1, 9)] * 4)
PLAN = st.builds(ShardingPlan, st.booleans(), st.sampled_from([None, 1, 2, 3]), st.booleans(), st.booleans())


def longest_path(layers: list[LayerTimes], plan: ShardingPlan) -> float:
    """The step by relaxing every arrow between operations until nothing moves. Has no streams and no clock."""
    count = len(layers)
    back = list(reversed(range(count)))
    length: dict[tuple[str, int], float] = {}
    for n, layer in enumerate(layers):
        length |= {
            ("F", n): layer.forward,
            ("B", n): layer.backward,
            ("g", n): layer.gather,
            ("r", n): layer.reduce,
        }
        if plan.reshard:
            length["G", n] = layer.gather  # the gather of the backward
    issued: list[tuple[str, int]] = [op for n in range(count) for op in (("g", n), ("F", n))]
    for place, n in enumerate(back):
        if plan.reshard:
            ahead = [back[place + 1]] if place + 1 < count else []
            now = ([n] if place == 0 else []) + ahead if plan.prefetch else [n]
            issued += [("G", m) for m in now]
        issued += [("B", n), ("r", n)]
    arrows = set()
    for n in range(count):
        arrows |= {(("g", n), ("F", n)), (("G" if plan.reshard else "g", n), ("B", n)), (("B", n), ("r", n))}
    kinds = ["FB", "gGr"] if plan.shared else ["FB", "gG", "r"]
    for stream in kinds:
        own = [op for op in issued if op[0] in stream]
        arrows |= set(pairwise(own))
    gates = []  # (operation whose end is waited for, operations issued from then on)
    waiting: list[tuple[str, int]] = []
    for at, op in enumerate(issued):
        if op[0] in "gG" and plan.limit is not None and len(waiting) >= plan.limit:
            gates.append((waiting.pop(0), issued[at:]))
        if op[0] == "B" or (op[0] == "F" and plan.reshard):
            waiting.append(op)
    arrows |= {(gate, later) for gate, rest in gates for later in rest}
    start = dict.fromkeys(length, 0.0)
    for _ in range(len(length) + 1):
        for a, b in arrows:
            start[b] = max(start[b], start[a] + length[a])
    return max(start[op] + length[op] for op in length)


@examples(40, 300, st.lists(LAYER, min_size=1, max_size=6), PLAN)
def test_a_step_is_the_longest_path_of_what_waits_for_what(
    layers: list[LayerTimes], plan: ShardingPlan
) -> None:
    assert sharding.simulate(layers, plan).timeline.makespan == pytest.approx(longest_path(layers, plan))


@pytest.mark.parametrize("count", [1, 2, 8, 40])
def test_equal_layers_take_the_closed_forms(count: int) -> None:
    f, b, g, r = 3.0, 6.0, 2.0, 3.0
    layers = [LayerTimes(f, b, g, r)] * count
    hidden = sharding.simulate(layers, ShardingPlan()).timeline.makespan
    # a single layer is freed before it is gathered again, or kept by the limit
    again = g if count == 1 else 0
    assert hidden - (g + count * (f + b) + r) in (0, again)
    nothing = sharding.simulate(layers, ShardingPlan(prefetch=False, limit=1)).timeline.makespan
    assert nothing == pytest.approx(count * (g + f) + count * (g + b + r))
    apart = sharding.simulate(layers, ShardingPlan(prefetch=False, limit=1, shared=False)).timeline.makespan
    assert apart == pytest.approx(count * (g + f) + count * (g + b) + r)
    whole = sharding.simulate(layers, ShardingPlan(reshard=False)).timeline.makespan
    assert whole == pytest.approx(g + count * (f + b) + r)


@pytest.mark.parametrize("limit", [1, 2, 3])
def test_the_limit_bounds_what_is_whole_at_once(limit: int) -> None:
    layers = [LayerTimes(9, 9, 1, 1)] * 12
    assert (
        sharding.facts(sharding.simulate(layers, ShardingPlan(limit=limit, prefetch=False)))["peak_unsharded"]
        == limit
    )
    free = sharding.facts(sharding.simulate(layers, ShardingPlan(limit=None, prefetch=False)))
    assert free["peak_unsharded"] > 6
    assert sharding.facts(sharding.simulate(layers, ShardingPlan(reshard=False)))["peak_unsharded"] == 12


@settings(max_examples=100, deadline=None)
@given(st.lists(LAYER, min_size=1, max_size=6), PLAN)
def test_nothing_is_lost_and_streams_run_one_thing_at_a_time(
    layers: list[LayerTimes], plan: ShardingPlan
) -> None:
    step = sharding.simulate(layers, plan)
    facts = sharding.facts(step)
    assert facts["compute"] == sum(layer.forward + layer.backward for layer in layers)
    gathers = 2 if plan.reshard else 1
    assert facts["communication"] == sum(gathers * layer.gather + layer.reduce for layer in layers)
    assert step.unsharded[-1][1] == 0
    for lanes in ([0], [1, 2] if plan.shared else [1], [2]):
        own = sorted((s.start, s.end) for s in step.timeline.spans if s.lane in lanes)
        assert all(a[1] <= b[0] for a, b in pairwise(own))


def test_prefetch_by_hand() -> None:
    layers = [LayerTimes(1, 2, 1, 1)] * 2
    assert ascii(sharding.simulate(layers, ShardingPlan()).timeline) == (
        ".. f0 f1 b1 b1 b0 b0 ..\na0 a1 a1 a0 .. .. .. ..\n.. .. .. .. .. r1 .. r0\n"
    ).replace("f", "F").replace("b", "B")


def test_an_unknown_variant_is_told() -> None:
    with pytest.raises(ValueError, match="no variant 'fast'; choose one of no-prefetch"):
        sharding.variant(ShardingPlan(), "fast")


def test_the_limit_bounds_layers_of_any_length() -> None:
    """What is freed at a moment makes room for what is gathered then, however the times add up."""
    source = random.Random(7)
    for limit in (1, 2, 5):
        for _ in range(20):
            layers = [LayerTimes(*(source.uniform(0.1, 9) for _ in range(4))) for _ in range(30)]
            step = sharding.simulate(layers, ShardingPlan(prefetch=False, limit=limit))
            assert max(count for _, count in step.unsharded) <= limit
