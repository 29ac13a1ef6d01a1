"""Intervals of simulations: that they hold for runs that nobody has seen, and what is printed."""

from __future__ import annotations

import random

import pytest
from helpers.generators import generator, texts

from figmill_timelines.models import failures, repeated
from figmill_timelines.models.failures import FailureModel
from figmill_timelines.quantities import percent, plural
from figmill_timelines.units import quantity


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


def milliseconds(value: float) -> str:
    return f"{value:.3g} ms"


@pytest.mark.parametrize(
    ("value", "low", "high", "printed"),
    [
        (508.475, 211.4, 842.8, "508 ms (211 to 843 ms)"),  # not 500: that is the promise
        (0.27723, 0.1739, 0.354, "0.277 ms (0.174 to 0.354 ms)"),
        (3.4, 0, 60, "3.4 ms (0 to 60 ms)"),
        (12.3456, 12.3456, 12.3456, "12.3 ms"),  # always the same
    ],
)
def test_the_number_of_the_drawn_run_is_printed_as_it_is(
    value: float, low: float, high: float, printed: str
) -> None:
    assert repeated.printed({"x": value, "x_low": low, "x_high": high}, "x", milliseconds) == printed


def test_units_that_differ_are_both_printed() -> None:
    facts = {"x": 0.576, "x_low": 0.295, "x_high": 1.09}
    assert repeated.printed(facts, "x", lambda s: quantity(s, "s")) == "576 ms (295 ms to 1.09 s)"


def test_what_is_not_random_has_no_interval() -> None:
    assert repeated.printed({"x": 1.25}, "x", milliseconds) == "1.25 ms"


def test_a_copy_of_an_older_generator_prints_the_number_itself() -> None:
    """A book keeps its copy of a generator when it takes a new figmill."""
    facts = {"lost": 0.356, "lost_low": 0.2, "lost_high": 0.5, "preemptions": 3}
    assert percent(repeated.printed(facts, "lost")) == "35.6%"
    assert plural(round(repeated.printed(facts, "preemptions")), "preemption") == "3 preemptions"


def test_figures_print_the_numbers_of_what_they_draw() -> None:
    chat = generator("serving_timeline").draw()
    assert chat.facts["ttft_p90_ms"] == pytest.approx(508.475)
    assert (round(chat.facts["ttft_p90_ms_low"]), round(chat.facts["ttft_p90_ms_high"])) == (211, 843)
    assert any(label.endswith(f", {chat.facts['kept']} of 8 in time") for label in texts(chat.figure))
    job = generator("failures").draw(view="timeline", nodes=16384, seed=1, intervals_s=[1060])
    lost = f"{100 * job.facts['lost_here']:.1f}%"
    shown = texts(job.figure)
    assert f"{lost} lost" in shown
    assert any(text.endswith(f"{lost} of the time is lost") for text in shown)
    assert job.facts["runs"] == 200
