"""Tails of M/D/1 and M/G/1: each against a second computation of another kind."""

from __future__ import annotations

import cmath
import math
import random
from collections.abc import Callable
from decimal import Decimal, localcontext
from statistics import NormalDist

import pytest
from helpers.cases import cases
from helpers.services import service_time

from figmill_timelines.models import queues
from figmill_timelines.models.queues import Station
from figmill_timelines.models.responses import balanced_share, response_tail, service_stages

LOADS = [0.05, 0.3, 0.6, 0.9, 0.99, 0.999]


def crommelin(load: float, time: float) -> float:
    """P(response > time) of M/D/1 by the alternating series of 1932, with 150 digits."""
    if time < 1:
        return 1.0
    with localcontext() as context:
        context.prec = 150
        rate, total = Decimal(load), Decimal(0)
        for n in range(int(time - 1) + 1):
            behind = rate * (Decimal(time) - 1 - n)
            total += (1 if n == 0 else (-behind) ** n / math.factorial(n)) * behind.exp()
        return float(1 - (1 - rate) * total)


def service(cv2: float) -> Callable[[complex], complex]:
    """The Laplace transform of a service of mean 1."""
    if cv2 > 1:
        p = balanced_share(cv2)
        return lambda s: p * 2 * p / (s + 2 * p) + (1 - p) * 2 * (1 - p) / (s + 2 * (1 - p))
    k, shorter = service_stages(cv2)
    rate = k - shorter
    return lambda s: shorter * (rate / (s + rate)) ** (k - 1) + (1 - shorter) * (rate / (s + rate)) ** k


def inverted(load: float, cv2: float, time: float) -> float:
    """P(response > time) by numerical inversion of its transform (Abate and Whitt's Euler method, 1995)."""
    of = service(cv2)

    def tail(s: complex) -> complex:
        response = (1 - load) * s * of(s) / (s - load + load * of(s))
        return (1 - response) / s

    a, plain, averaged = 18.4, 60, 30
    terms = [math.exp(a / 2) / (2 * time) * tail(complex(a / (2 * time))).real]
    for n in range(1, plain + averaged + 1):
        point = complex(a / (2 * time), n * math.pi / time)
        terms.append(math.exp(a / 2) / time * (-1) ** n * tail(point).real)
    sums = [math.fsum(terms[: plain + m + 1]) for m in range(averaged + 1)]
    return math.fsum(math.comb(averaged, m) / 2**averaged * sums[m] for m in range(averaged + 1))


@pytest.mark.parametrize("load", LOADS)
@pytest.mark.parametrize("time", [0.5, 1, 1.001, 2, 3.7, 12.25, 39.99, 40, 47.5])
def test_equal_services_follow_crommelins_series(load: float, time: float) -> None:
    assert response_tail(load, 0)(time) == pytest.approx(crommelin(load, time), rel=1e-9, abs=1e-12)


@pytest.mark.parametrize("cv2", [0.05, 0.1, 0.3, 0.5, 0.7, 0.999, 1, 1.001, 2, 4, 30])
@pytest.mark.parametrize("load", LOADS)
def test_general_services_are_the_inverse_of_their_transform(load: float, cv2: float) -> None:
    tail = response_tail(load, cv2)
    for time in (0.4, 1.7, 5, 20, 39.9, 40.1, 90):
        assert tail(time) == pytest.approx(inverted(load, cv2, time), rel=1e-5, abs=3e-8), time


def test_one_stage_is_an_exponential() -> None:
    tail = response_tail(0.8, 1)
    assert [tail(t) for t in (0, 3, 30, 70)] == pytest.approx([math.exp(-0.2 * t) for t in (0, 3, 30, 70)])


@pytest.mark.parametrize("cv2", [0.005, 0.2, 0.5, 1, 4])
def test_the_area_below_a_tail_is_the_mean(cv2: float) -> None:
    station = Station("M/G/1", 1.0, cv2=cv2)
    tail, step = response_tail(0.9, cv2), 0.02
    area = math.fsum(tail((n + 0.5) * step) * step for n in range(60_000))
    assert area == pytest.approx(queues.mean_response(station, 0.9), rel=1e-4)


def test_what_was_simulated_before_is_exact() -> None:
    """M/D/1 at 90 of 100 a second: 229.0 ms (300.9 simulated); 200 ms are reached at 88.56 (86.31 simulated)."""
    station = Station("M/D/1", 100)
    p99 = queues.percentile_response(station, 90, 0.99)
    assert crommelin(0.9, 100 * p99) == pytest.approx(0.01, rel=1e-9)
    assert 1000 * p99 == pytest.approx(228.98, abs=0.01)
    assert queues.highest_load(station, 0.2, 0.99) == pytest.approx(88.562, abs=0.001)


def simulated(load: float, cv2: float, requests: int, seed: int) -> list[float]:
    """Responses by Lindley's recursion (1952), services drawn stage by stage."""
    source = random.Random(seed)
    wait, responses = 0.0, list[float]()
    for _ in range(requests):
        own = service_time(source, cv2)
        responses.append(wait + own)
        wait = max(0.0, wait + own - source.expovariate(load))
    return responses


@pytest.mark.parametrize(("load", "cv2"), [(0.5, 0), (0.6, 0.3), (0.7, 4)])
def test_a_simulation_stays_in_its_own_interval(load: float, cv2: float) -> None:
    """Thirty runs of 10 000: the exact share above a time lies within four standard errors of their mean."""
    time = 6 if cv2 <= 1 else 20
    shares = [
        math.fsum(t > time for t in simulated(load, cv2, 10_000, seed)[1000:]) / 9000 for seed in range(30)
    ]
    mean, error = math.fsum(shares) / 30, NormalDist.from_samples(shares).stdev / math.sqrt(30)
    assert abs(response_tail(load, cv2)(time) - mean) < 4 * error


@pytest.mark.soak
def test_four_million_requests_give_what_is_computed() -> None:
    """M/G/1 of cv2 4 at a load of 0.8: P99 is 612.1 ms; the runs gave 612 to 625."""
    exact = 1000 * queues.percentile_response(Station("M/G/1", 100, cv2=4), 80, 0.99)
    percentiles = [sorted(simulated(0.8, 4, 1_000_000, seed))[990_000] * 10 for seed in range(4)]
    mean, error = math.fsum(percentiles) / 4, NormalDist.from_samples(percentiles).stdev / 2
    assert exact == pytest.approx(612.1, abs=0.05)
    assert abs(exact - mean) < 5 * error


@cases("cv2", [0.005, 0.1, 0.3, 0.5, 0.99, 1, 1.5, 8])
def test_a_service_has_the_two_moments_that_were_asked_for(cv2: float) -> None:
    """Mean and second moment from the transform: B'(0) = -1, B''(0) = 1 + cv2, by differences around a circle."""
    of, points = service(cv2), 64
    radius = 0.05
    turns = [cmath.exp(2j * math.pi * n / points) for n in range(points)]
    first, second = (
        math.factorial(m) * (sum(of(radius * t) * t**-m for t in turns) / points / radius**m).real
        for m in (1, 2)
    )
    assert -first == pytest.approx(1, rel=1e-9)
    assert second == pytest.approx(1 + cv2, rel=1e-7)
