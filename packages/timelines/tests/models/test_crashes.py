"""Checkpoints: rules against the best of a grid, expectations against jobs that crash, and jobs second by second."""

from __future__ import annotations

import math
import random
from itertools import pairwise
from statistics import fmean

import pytest
from helpers.generators import generator, texts
from hypothesis import given, settings
from hypothesis import strategies as st

from figmill_timelines.models import failures
from figmill_timelines.models.failures import FailureModel
from figmill_timelines.quantities import percent

DAY = FailureModel(120, 480, 86_400)
ROUGH = FailureModel(120, 480, 3600)


@pytest.mark.parametrize("machine", [DAY, ROUGH, FailureModel(10, 0, 1e6), FailureModel(600, 60, 1200)])
def test_the_best_interval_is_that_of_a_fine_grid(machine: FailureModel) -> None:
    best = failures.best(machine)
    grid = [best * 1.002 ** (n - 1000) for n in range(2001)]
    least = min(grid, key=lambda t: failures.slowdown(machine, t))
    assert best == pytest.approx(least, rel=0.003)
    assert (
        failures.lost(machine, best)
        <= min(
            failures.lost(machine, failures.young(machine)), failures.lost(machine, failures.daly(machine))
        )
        + 1e-12
    )


@settings(max_examples=100)
@given(st.floats(1e-4, 0.3), st.floats(10, 1e6))
def test_dalys_rule_comes_nearer_than_youngs(ratio: float, mtbf: float) -> None:
    machine = FailureModel(ratio * mtbf, 0, mtbf)
    best = failures.best(machine)
    assert abs(failures.daly(machine) - best) <= abs(failures.young(machine) - best)
    assert failures.daly(machine) == pytest.approx(best, rel=0.02)


def test_rare_failures_give_the_first_order() -> None:
    machine = FailureModel(1, 5, 1e8)
    t = failures.young(machine)
    assert t == pytest.approx(math.sqrt(2e8))
    assert failures.lost(machine, t) == pytest.approx(1 / t + (t / 2 + 5) / 1e8, rel=1e-3)


@pytest.mark.parametrize("machine", [DAY, ROUGH])
@pytest.mark.parametrize("factor", [0.3, 1, 4])
def test_jobs_that_crash_take_the_expected_time(machine: FailureModel, factor: float) -> None:
    interval = factor * failures.young(machine)
    work = 40 * interval
    walls = [failures.simulated(machine, work, interval, seed).timeline.makespan for seed in range(400)]
    assert fmean(walls) == pytest.approx(work * failures.slowdown(machine, interval), rel=0.05)


@settings(max_examples=100, deadline=None)
@given(
    st.integers(1, 9),
    st.integers(0, 9),
    st.integers(5, 60),
    st.integers(1, 30),
    st.integers(1, 80),
    st.integers(0, 99),
)
def test_a_job_is_what_a_clock_second_by_second_finds(
    checkpoint: int, restart: int, mtbf: int, interval: int, work: int, seed: int
) -> None:
    machine = FailureModel(checkpoint, restart, mtbf * 4)
    try:
        run = failures.simulated(machine, work, interval, seed)
    except ValueError:
        return
    # Between crashes: how many whole segments fit? Knows crashes, and nothing of spans.
    done, start = 0, 0.0
    for crash in failures.crashes(machine, seed):
        now = start
        while done < work:
            step = min(interval, work - done)
            need = step + checkpoint if done + step < work else step
            if now + need > crash:
                break
            now, done = now + need, done + step
        if done == work:
            break
        start = crash + restart
        if now > crash:  # still in the restart before: the crash begins it anew
            assert start > crash
    assert run.timeline.makespan == pytest.approx(now)
    reached = 0.0
    for span in run.timeline.spans:  # one thing after the other, without a gap
        assert span.start == pytest.approx(reached) and span.end >= span.start
        reached = span.end
    assert math.fsum(s.end - s.start for s in run.timeline.spans if s.kind == "work") == pytest.approx(work)


def mean_time(checkpoint: float, restart: float, mtbf: float, work: float, interval: float) -> float:
    """The mean time of 20 000 jobs, from one crash to the next: no spans, and none of the formulas."""
    source, total = random.Random(7), 0.0
    for _ in range(20_000):
        now = saved = 0.0
        crash = source.expovariate(1 / mtbf)
        while saved < work:
            step = min(interval, work - saved)
            end = now + step + (checkpoint if saved + step < work else 0.0)
            if end <= crash:
                now, saved = end, saved + step
                continue
            while crash < (now := crash + restart):  # unless the next crash comes during the restart
                crash += source.expovariate(1 / mtbf)
                if crash >= now:
                    break
        total += now
    return total / 20_000


@pytest.mark.parametrize(
    ("checkpoint", "restart", "mtbf", "work", "interval", "lost"),
    [
        (120, 480, 5400, 3600, 21_600, 0.356),  # an hour of work and no checkpoint; without an end: 0.933
        (120, 480, 5400, 43_200, 1060, None),
        (120, 480, 5400, 43_200, 6360, None),  # six segments of 106 minutes, and one of 84
        (600, 60, 3000, 6000, 2000, None),  # the last segment is whole
    ],
)
def test_the_expected_time_is_of_the_job_that_is_drawn(
    checkpoint: float, restart: float, mtbf: float, work: float, interval: float, lost: float | None
) -> None:
    machine = FailureModel(checkpoint, restart, mtbf)
    expected = failures.expected(machine, work, interval)
    assert expected == pytest.approx(mean_time(checkpoint, restart, mtbf, work, interval), rel=0.02)
    assert lost is None or 1 - work / expected == pytest.approx(lost, abs=0.001)


def test_a_long_job_loses_what_a_job_without_an_end_loses() -> None:
    work = 1e4 * 3600.0
    assert failures.expected(DAY, work, 3600) / work == pytest.approx(failures.slowdown(DAY, 3600), rel=1e-4)
    assert failures.expected(FailureModel(1, 1, 1), 1e6, 1e6) == math.inf


def test_the_figure_states_the_expectation_of_its_job() -> None:
    drawing = generator("failures").draw(
        view="timeline", nodes=16384, work_h=1, intervals_s=[6 * 3600, 900], seed=1
    )
    assert drawing.facts["expected_here"] == pytest.approx(0.3564, abs=1e-4)
    notes = [text for text in texts(drawing.figure) if text.endswith("% lost")]
    assert notes == [f"{percent(drawing.facts[fact])} lost" for fact in ("lost_here", "lost_here_1")]


def test_checkpoints_that_would_be_hairs_are_summed_up_below_the_job() -> None:
    thin = generator("failures").draw(view="timeline", nodes=16384)
    wide = generator("failures").draw(view="timeline", nodes=16384, work_h=1, intervals_s=[1060])
    assert {"Work and checkpoints", "Checkpoint", "In sum"} <= set(texts(thin.figure))
    assert not {"Work and checkpoints", "In sum"} & set(texts(wide.figure))
    assert "Work that counts" in texts(wide.figure) and "Checkpoint" in texts(wide.figure)
    rows = next(iter(thin.figure.figmill_tables.values()))
    assert all("Checkpoint" not in row["work"] for row in rows if row["lane"] == "Job")
    works = [row for row in rows if row["work"].startswith("Work and")]
    # One span between two crashes.
    assert len(works) > 1 and all(a["end (h)"] < b["start (h)"] for a, b in pairwise(works))


def test_a_job_that_never_ends_is_told() -> None:
    with pytest.raises(ValueError, match="never ends"):
        failures.simulated(FailureModel(100, 1, 1), 1000, 1000, 0)
    assert failures.slowdown(FailureModel(1, 1, 1), 1e6) == math.inf
