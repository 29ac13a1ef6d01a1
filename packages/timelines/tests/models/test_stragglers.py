"""Stragglers: the integral against closed forms, exact sums and draws."""

from __future__ import annotations

import math
import random
from fractions import Fraction
from math import comb, fsum
from statistics import fmean

import pytest

from figmill_timelines.models import stragglers
from figmill_timelines.models.stragglers import DISTRIBUTIONS, WorkerTimes

SPREAD = {"uniform": 0.3, "exponential": 0.5, "normal": 0.2, "pareto": 0.6}


@pytest.mark.parametrize("n", [1, 2, 3, 8, 100, 5000])
def test_the_slowest_of_n_is_the_closed_form(n: int) -> None:
    root = math.sqrt(3)
    assert stragglers.expected(WorkerTimes("uniform", 0.3), n) == pytest.approx(
        1 - root * 0.3 + 2 * root * 0.3 * n / (n + 1)
    )
    assert stragglers.expected(WorkerTimes("exponential", 0.5), n) == pytest.approx(
        0.5 + 0.5 * stragglers.harmonic(n)
    )
    a = stragglers.pareto_power(0.6)
    beta = math.exp(math.lgamma(n + 1) + math.lgamma(1 - 1 / a) - math.lgamma(n + 1 - 1 / a))
    assert stragglers.expected(WorkerTimes("pareto", 0.6), n) == pytest.approx((1 - 1 / a) * beta, rel=1e-6)


@pytest.mark.parametrize(
    ("n", "largest"), [(2, 0.5641896), (3, 0.8462844), (10, 1.5387527), (100, 2.5075936)]
)
def test_the_slowest_of_normal_times_is_that_of_the_tables(n: int, largest: float) -> None:
    assert stragglers.expected(WorkerTimes("normal", 0.2), n) == pytest.approx(1 + 0.2 * largest, rel=1e-6)


@pytest.mark.parametrize(("workers", "reserve"), [(1, 0), (3, 2), (10, 1), (60, 4), (1, 9)])
def test_the_nth_of_more_is_an_exact_sum(workers: int, reserve: int) -> None:
    n = workers + reserve
    exact = fsum(1 / k for k in range(reserve + 1, n + 1))  # gaps between exponentials
    assert stragglers.expected(WorkerTimes("exponential", 1.0), workers, reserve) == pytest.approx(exact)
    root = math.sqrt(3)
    place = 1 - root * 0.3 + 2 * root * 0.3 * workers / (n + 1)
    assert stragglers.expected(WorkerTimes("uniform", 0.3), workers, reserve) == pytest.approx(place)


@pytest.mark.parametrize("n", [1, 2, 5, 12])
def test_the_slowest_by_inclusion_and_exclusion(n: int) -> None:
    exact = sum(Fraction((-1) ** (k + 1) * comb(n, k), k) for k in range(1, n + 1))
    assert stragglers.harmonic(n) == pytest.approx(float(exact))


@pytest.mark.parametrize("name", DISTRIBUTIONS)
@pytest.mark.parametrize(("workers", "reserve"), [(16, 0), (14, 2)])
def test_draws_agree(name: str, workers: int, reserve: int) -> None:
    times, source = WorkerTimes(name, SPREAD[name]), random.Random(5)

    def time() -> float:
        u = source.random()
        return times.quantile(u, 1 - u)

    slowest = [sorted(time() for _ in range(workers + reserve))[workers - 1] for _ in range(8000)]
    assert fmean(slowest) == pytest.approx(stragglers.expected(times, workers, reserve), rel=0.02)


@pytest.mark.parametrize("name", DISTRIBUTIONS)
def test_one_worker_takes_1_on_average_and_has_the_spread(name: str) -> None:
    times = WorkerTimes(name, SPREAD[name])
    assert stragglers.expected(times, 1) == pytest.approx(1)
    points = [(k + 0.5) / 200_000 for k in range(200_000)]
    square = fmean((times.quantile(u, 1 - u) - 1) ** 2 for u in points)
    assert math.sqrt(square) == pytest.approx(SPREAD[name], rel=0.03)
    assert stragglers.expected(WorkerTimes(name, 0), 64) == pytest.approx(1)


def test_the_reserve_is_the_best_of_all() -> None:
    times = WorkerTimes("exponential", 0.5)
    best = stragglers.best_reserve(times, 40)
    rates = [(40 - b) / (0.5 + 0.5 * fsum(1 / k for k in range(b + 1, 41))) for b in range(40)]
    assert rates[best] == pytest.approx(max(rates)) and best > 0
    assert stragglers.best_reserve(WorkerTimes("uniform", 0), 40) == 0


@pytest.mark.parametrize("workers", [2, 3, 33, 64, 1000])
@pytest.mark.parametrize("spread", [0.02, 0.2, 0.6, 1.0])
def test_the_best_reserve_is_looked_for_among_all_workers(workers: int, spread: float) -> None:
    gaps = [1 / k for k in range(1, workers + 1)]
    rates = [(workers - b) / (1 - spread + spread * fsum(gaps[b:])) for b in range(workers)]
    best = stragglers.best_reserve(WorkerTimes("exponential", spread), workers)
    assert rates[best] == pytest.approx(max(rates), rel=1e-9)


def _closed_form(times: WorkerTimes, n: int, b: int) -> float:
    if times.distribution == "uniform":
        return 1 + math.sqrt(3) * times.spread * (2 * n / (n + b + 1) - 1)
    if times.distribution == "exponential":
        return 1 - times.spread + times.spread * fsum(1 / k for k in range(b + 1, n + b + 1))
    a = stragglers.pareto_power(times.spread)
    above = math.lgamma(n + b + 1) - math.lgamma(n + b + 1 - 1 / a)
    return (1 - 1 / a) * math.exp(above + math.lgamma(b + 1 - 1 / a) - math.lgamma(b + 1))


def test_any_rank_of_any_number_is_the_closed_form() -> None:
    source = random.Random(31)
    for _ in range(150):
        name = source.choice(["uniform", "exponential", "pareto"])
        times = WorkerTimes(
            name, source.uniform(0.01, {"uniform": 0.57, "exponential": 1.0, "pareto": 10.0}[name])
        )
        workers, reserve = (int(10 ** source.uniform(0, 4)) for _ in range(2))
        expected = stragglers.expected(times, workers, reserve)
        assert expected == pytest.approx(_closed_form(times, workers, reserve), rel=1e-6), (
            times,
            workers,
            reserve,
        )


@pytest.mark.parametrize("serial", [0.0, 0.05, 0.5, 1.0])
@pytest.mark.parametrize("n", [1, 8, 1024])
def test_the_laws_count_pieces_of_work(serial: float, n: int) -> None:
    pieces = 1000 * n
    alone = pieces * serial + pieces * (1 - serial)
    together = pieces * serial + pieces * (1 - serial) / n
    assert stragglers.amdahl(serial, n) == pytest.approx(alone / together)
    grown = serial + n * (1 - serial)
    assert stragglers.gustafson(serial, n) == pytest.approx(grown)


@pytest.mark.parametrize(
    "wrong", [("gauss", 0.1), ("uniform", 0.6), ("normal", 0.5), ("exponential", 1.1), ("pareto", -1)]
)
def test_times_that_cannot_be_are_refused(wrong: tuple) -> None:
    with pytest.raises(ValueError, match=r"no distribution|have a spread"):
        WorkerTimes(*wrong)
