"""Queues: each closed form against a simulation of events, a sum over states or a recursion of another kind."""

from __future__ import annotations

import heapq
import math
import random
from statistics import fmean

import pytest
from helpers.services import service_time
from hypothesis import given, settings
from hypothesis import strategies as st

from figmill_timelines.models import queues
from figmill_timelines.models.queues import Station


def events(station: Station, arrivals: float, seed: int, requests: int = 60_000) -> tuple[list[float], int]:
    """Responses of those let in, and how many were turned away: servers as a heap, one request after the other."""
    source = random.Random(seed)
    free, leaving, responses, away, now = [0.0] * station.servers, [], [], 0, 0.0
    for _ in range(requests):
        now += -math.log(1 - source.random()) / arrivals
        while leaving and leaving[0] <= now:
            heapq.heappop(leaving)
        if station.capacity is not None and len(leaving) >= station.capacity:
            away += 1
            continue
        begin = max(now, heapq.heappop(free))
        end = begin + service_time(source, station.variation) / station.service
        heapq.heappush(free, end)
        heapq.heappush(leaving, end)
        responses.append(end - now)
    return responses[requests // 10 :], away


STATIONS = [
    Station("M/M/1", 100),
    Station("M/M/c", 20, servers=5),
    Station("M/M/c", 50, servers=2),
    Station("M/M/c", 7, servers=16),
    Station("M/D/1", 100),
    Station("M/G/1", 100, cv2=0.4),
    Station("M/G/1", 100, cv2=3.0),
    Station("M/M/1", 100, capacity=6),
    Station("M/M/c", 25, servers=4, capacity=9),
    Station("M/M/c", 25, servers=4, capacity=4),
]


@pytest.mark.parametrize("station", STATIONS, ids=lambda s: f"{s.model}-{s.servers}-{s.cv2:g}-{s.capacity}")
@pytest.mark.parametrize("load", [0.4, 0.8])
def test_what_is_computed_is_what_happens_event_by_event(station: Station, load: float) -> None:
    arrivals = load * station.rate
    runs = [events(station, arrivals, seed) for seed in range(3)]
    responses, away = [time for times, _ in runs for time in times], fmean(away for _, away in runs)
    assert fmean(responses) == pytest.approx(queues.mean_response(station, arrivals), rel=0.065)
    assert away / 60_000 == pytest.approx(queues.rejected(station, arrivals), rel=0.1, abs=0.002)
    p99 = sorted(responses)[int(0.99 * len(responses))]
    assert queues.percentile_response(station, arrivals, 0.99) == pytest.approx(p99, rel=0.1)


@pytest.mark.parametrize("station", STATIONS, ids=lambda s: f"{s.model}-{s.servers}-{s.cv2:g}-{s.capacity}")
@pytest.mark.parametrize("load", [0.05, 0.5, 0.9, 0.999])
def test_littles_law_holds_between_two_ways_of_counting(station: Station, load: float) -> None:
    facts = queues.facts(station, load * station.rate, 0.9)
    assert facts["in_system"] == pytest.approx(facts["in_system_by_little"], rel=1e-9)


@pytest.mark.parametrize("servers", [1, 2, 3, 10, 100])
@pytest.mark.parametrize("load", [0.1, 0.7, 0.99])
def test_erlang_c_is_the_sum_over_states(servers: int, load: float) -> None:
    a = servers * load
    logs = [n * math.log(a) - math.lgamma(n + 1) for n in range(servers)]
    top = servers * math.log(a) - math.lgamma(servers + 1) - math.log(1 - load)
    most = max([top, *logs])
    waits = math.exp(top - most) / math.fsum(math.exp(x - most) for x in [*logs, top])
    assert queues.erlang_c(servers, a) == pytest.approx(waits, rel=1e-10)


@pytest.mark.parametrize("servers, capacity", [(1, 40), (2, 60), (3, 300), (2, 900)])
@pytest.mark.parametrize("percentile", [0.5, 0.99])
def test_a_wide_cap_is_no_cap(servers: int, capacity: int, percentile: float) -> None:
    name = "M/M/1" if servers == 1 else "M/M/c"
    free, capped = Station(name, 10, servers), Station(name, 10, servers, capacity=capacity)
    arrivals = 0.5 * free.rate
    assert queues.mean_response(capped, arrivals) == pytest.approx(
        queues.mean_response(free, arrivals), rel=1e-8
    )
    assert queues.percentile_response(capped, arrivals, percentile) == pytest.approx(
        queues.percentile_response(free, arrivals, percentile), rel=1e-8
    )


@pytest.mark.parametrize("load", [0.1, 0.6, 0.97])
def test_the_response_of_a_single_server_is_exponential(load: float) -> None:
    station = Station("M/M/1", 100)
    mean = 1 / (100 - 100 * load)
    assert queues.mean_response(station, 100 * load) == pytest.approx(mean)
    expected = math.log(100) * mean
    assert queues.percentile_response(station, 100 * load, 0.99) == pytest.approx(expected, rel=1e-9)
    one_of_many = Station("M/M/c", 100, servers=1)
    assert queues.percentile_response(one_of_many, 100 * load, 0.99) == pytest.approx(expected, rel=1e-9)
    general = Station("M/G/1", 100, cv2=1)
    assert queues.mean_response(general, 100 * load) == pytest.approx(1 / (100 - 100 * load))


@pytest.mark.parametrize("station", STATIONS[:7], ids=lambda s: f"{s.model}-{s.servers}-{s.cv2:g}")
def test_at_the_highest_load_the_percentile_is_the_slo(station: Station) -> None:
    slo = 8 / station.service
    load = queues.highest_load(station, slo, 0.95)
    assert load is not None and 0 < load < station.rate
    assert queues.percentile_response(station, load, 0.95) == pytest.approx(slo, rel=1e-3)


def test_a_small_cap_keeps_the_promise_at_any_load() -> None:
    assert queues.highest_load(Station("M/M/1", 100, capacity=3), 0.2, 0.99, most=1.5) is None


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"model": "M/M/2"}, "no queue 'M/M/2'"),
        ({"model": "M/D/1", "servers": 2}, "write M/M/c"),
        ({"model": "M/D/1", "capacity": 2}, "a capacity goes with"),
        ({"model": "M/M/c", "servers": 4, "capacity": 2}, "at least the 4 servers"),
        ({"model": "M/G/1", "cv2": 0.001}, "cv2 must be 0, for equal services, or at least 0.005"),
    ],
)
def test_a_station_that_makes_no_sense_is_refused(wrong: dict, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Station(**wrong)


def test_an_overload_without_a_cap_has_no_mean() -> None:
    with pytest.raises(ValueError, match="grows without end"):
        queues.mean_response(Station(), 100)
    with pytest.raises(ValueError, match="cannot be met"):
        queues.highest_load(Station(), 0.001, 0.99)


@given(service=st.floats(1, 1e6), slo=st.floats(1e-3, 10), percentile=st.floats(0.5, 0.999))
@settings(max_examples=50, deadline=None)
def test_at_the_highest_load_the_promise_is_just_kept(service: float, slo: float, percentile: float) -> None:
    station = Station("M/M/1", service)
    try:
        load = queues.highest_load(station, slo, percentile)
    except ValueError:
        assert queues.percentile_response(station, 0, percentile) > slo * (1 - 2e-6)
        return
    assert load is not None
    assert queues.percentile_response(station, load, percentile) == pytest.approx(slo, rel=1e-6)
