"""Workers and collectives: simulated against what one can compute by hand."""

from __future__ import annotations

import math
from statistics import fmean

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from figmill_timelines.charts.ascii import ascii  # noqa: A004
from figmill_timelines.spans import idle_per_lane
from figmill_timelines.training import collectives, workers
from figmill_timelines.training.workers import Load


def test_in_step_all_wait_for_the_slowest_and_then_communicate() -> None:
    drawn = workers.synchronous(Load(workers=2, batches=2, batch_ms=3, jitter=0, latency_ms=1))
    assert ascii(drawn) == "c0 c0 c0 c  c1 c1 c1 c\n" * 2


def test_the_epoch_of_the_specification() -> None:
    load = Load(workers=4, batches=10, batch_ms=500, jitter=0.2, latency_ms=200)
    assert workers.expected_synchronous_epoch(load) == pytest.approx(7600)
    epochs = [workers.synchronous(Load(4, 10, 500, 0.2, 200, seed)).makespan for seed in range(300)]
    assert fmean(epochs) == pytest.approx(7600, rel=0.003)


LOADS = st.builds(
    Load,
    workers=st.integers(1, 6),
    batches=st.integers(1, 12),
    batch_ms=st.floats(1, 1000),
    jitter=st.floats(0, 0.9),
    latency_ms=st.floats(0, 500),
    seed=st.integers(0, 10**6),
)


@settings(max_examples=80, deadline=None)
@given(LOADS)
def test_both_modes_see_the_same_batch_times_and_the_facts_add_up(load: Load) -> None:
    both = workers.synchronous(load), workers.asynchronous(load)
    computed = [[s.end - s.start for s in drawn.spans if s.kind == "compute"] for drawn in both]
    assert computed[0] == pytest.approx(computed[1])
    assert both == (workers.synchronous(load), workers.asynchronous(load))
    for drawn in both:
        facts = workers.facts(drawn)
        area = load.workers * facts["epoch_ms"]
        parts = facts["compute_ms"] + facts["waiting_ms"] + facts["communication_ms"]
        assert math.isclose(parts, area, rel_tol=1e-9)
        assert facts["waiting_ms"] == pytest.approx(sum(idle_per_lane(drawn)))
        assert facts["overhead_fraction"] + 1e-9 >= facts["idle_fraction"] >= 0
        assert facts["throughput_batches_per_s"] == pytest.approx(
            load.workers * load.batches * 1000 / facts["epoch_ms"]
        )


def test_out_of_step_nobody_waits_before_the_end() -> None:
    drawn = workers.asynchronous(Load(seed=5))
    assert {gap.kind for gap in drawn.idle} <= {"tail"}


@pytest.mark.parametrize(
    "wrong", [{"workers": 0}, {"batches": 0}, {"batch_ms": 0}, {"jitter": 1}, {"latency_ms": -1}]
)
def test_a_load_that_makes_no_sense_is_refused(wrong: dict) -> None:
    with pytest.raises(ValueError):
        Load(**wrong)


@pytest.mark.parametrize("n", [2, 3, 4, 7, 8, 16])
def test_collectives_cost_what_the_alpha_beta_model_says(n: int) -> None:
    size, alpha, band = 64e6, 1e-5, 25e9
    ring = collectives.ring(n, size, alpha, band)
    assert ring.seconds == pytest.approx(2 * (n - 1) * (alpha + size / (n * band)))
    assert len(ring.links) == len(ring.places) == n
    tree = collectives.tree(n, size, alpha, band)
    assert tree.seconds == pytest.approx(2 * math.floor(math.log2(n)) * (alpha + size / band))
    assert len(tree.links) == n - 1
    exchange = collectives.all_to_all(n, size, alpha, band)
    assert exchange.seconds == pytest.approx((n - 1) * (alpha + size / (n * band)))
    assert len(exchange.links) == n * (n - 1) // 2
    servers = collectives.parameter_server(n, size, alpha, band, 2)
    assert servers.seconds == pytest.approx(2 * (alpha + n * size / (2 * band)))
    assert len(set(ring.places.values())) == n  # nobody lies on anybody
