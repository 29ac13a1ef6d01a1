"""Intervals of simulations: that they hold for runs that nobody has seen, and what is printed."""

from __future__ import annotations

import random

import pytest

from figmill.timelines.models import failures, repeated
from figmill.timelines.models.failures import FailureModel


def test_nineteen_of_twenty_further_runs_lie_in_the_interval() -> None:
    machine, work, interval = FailureModel(120, 480, 5400), 12 * 3600.0, 1060.0

    def run(seed: int) -> dict[str, float]:
        return failures.run_facts(failures.simulated(machine, work, interval, seed), work)

    stated = repeated.intervals(run, repeated.seeds(0, 41), ["lost_here"])
    assert stated["runs"] == 200
    unseen = [run(seed)["lost_here"] for seed in range(10_000, 10_800)]
    inside = len([lost for lost in unseen if stated["lost_here_low"] <= lost <= stated["lost_here_high"]])
    assert 0.92 < inside / 800 < 0.98
    assert stated["lost_here_low"] < failures.lost(machine, interval) < stated["lost_here_high"]


def test_the_interval_of_uniform_numbers_is_known() -> None:
    stated = repeated.intervals(lambda seed: {"x": random.Random(seed).random()}, range(200), ["x"])
    assert (stated["x_low"], stated["x_high"]) == pytest.approx((0.025, 0.975), abs=0.03)


def test_long_simulations_are_repeated_less_often() -> None:
    assert [len(repeated.seeds(7, steps)) for steps in (1, 1000, 2000, 10**6)] == [200, 200, 100, 40]
    assert 7 not in repeated.seeds(7, 1)


@pytest.mark.parametrize(
    ("value", "low", "high", "printed"),
    [
        (508.475, 211.4, 842.8, 500),
        (0.27723, 0.1739, 0.354, 0.28),
        (0.49889, 0.218, 0.691, 0.5),
        (65.25, 60, 71, 65),
        (3.4, 0, 60, 3),  # one digit is left, whatever the interval
        (0.0, 0, 60, 0),
        (12.3456, 12.3456, 12.3456, 12.3456),  # always the same
    ],
)
def test_digits_end_where_the_interval_begins(value: float, low: float, high: float, printed: float) -> None:
    assert repeated.rounded(value, low, high) == pytest.approx(printed)


def test_what_is_not_random_is_printed_as_it_is() -> None:
    assert repeated.printed({"x": 1.2345}, "x") == 1.2345
    assert repeated.printed({"x": 1.2345, "x_low": 0.2, "x_high": 2.4}, "x") == 1
