"""Stations that serve requests in the order of arrival: M/M/1, M/M/c, M/D/1, M/G/1, and a limit on the requests inside.

Arrivals are Poisson at rate l, each of c servers works at rate u; a = l / u is the offered work, r = a / c the load.

    M/M/c       P(wait) = Erlang C; E[wait] = C / (c u - l); those who wait do so exponentially, at rate c u - l
    M/M/c/K     p_n by the balance of rates; a request that finds K inside is rejected
    M/G/1       E[wait] = l E[S^2] / (2 (1 - r))                      Pollaczek and Khinchine
    M/D/1       the same with E[S^2] = 1 / u^2

Kleinrock, Queueing Systems I, 1975, chapters 3 and 5; Erlang C by the recursion of Erlang B (Jagerman 1974). In every
station L = l W (Little 1961). Percentiles are exact; those of M/D/1 and M/G/1 come from `responses`, where a general
service time has two moments and the usual shape.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import accumulate
from typing import Any

from figmill_timelines.models.responses import response_tail, service_stages
from figmill_timelines.models.roots import crossing
from figmill_timelines.quantities import duration

MODELS = ("M/M/1", "M/M/c", "M/D/1", "M/G/1")


@dataclass(frozen=True, slots=True)
class Station:
    """A station with a queue.

    - service: rate of one server, in requests per second.
    - cv2: of M/G/1, the variance of a service over its squared mean, 0 or at least 1 / MOST_STAGES.
    - capacity: of M/M/1 and M/M/c, the most requests inside, waiting or served.
    """

    model: str = "M/M/1"
    service: float = 100.0
    servers: int = 1
    cv2: float = 1.0
    capacity: int | None = None

    def __post_init__(self) -> None:
        if self.model not in MODELS:
            raise ValueError(f"no queue '{self.model}'; choose one of {', '.join(MODELS)}")
        if self.model != "M/M/c" and self.servers != 1:
            raise ValueError(f"{self.model} has one server, not {self.servers}; write M/M/c")
        if self.capacity is not None and not self.is_markov:
            raise ValueError(f"a capacity goes with M/M/1 and M/M/c, not with {self.model}")
        if self.capacity is not None and self.capacity < self.servers:
            raise ValueError(f"capacity must be at least the {self.servers} servers, not {self.capacity}")
        if 0 < self.variation <= 1:
            service_stages(self.variation)

    @property
    def is_markov(self) -> bool:
        """Whether service times are exponential."""
        return self.model in ("M/M/1", "M/M/c")

    @property
    def rate(self) -> float:
        """The most requests per second that all servers together can serve."""
        return self.servers * self.service

    @property
    def variation(self) -> float:
        """The squared coefficient of variation of a service time."""
        return {"M/D/1": 0.0, "M/G/1": self.cv2}.get(self.model, 1.0)


def erlang_b(servers: int, offered: float) -> float:
    """The share of calls that are lost with `servers` lines and `offered` erlangs of work."""
    blocked = 1.0
    for line in range(1, servers + 1):
        blocked = offered * blocked / (line + offered * blocked)
    return blocked


def erlang_c(servers: int, offered: float) -> float:
    """The share of requests that have to wait in M/M/c; 1 if the servers cannot keep up."""
    if offered >= servers:
        return 1.0
    blocked = erlang_b(servers, offered)
    return servers * blocked / (servers - offered * (1 - blocked))


def inside(station: Station, arrivals: float) -> list[float]:
    """The probability of n = 0, 1, ... requests inside a station with a capacity."""
    offered, most = arrivals / station.service, station.capacity or 0
    weights, weight = [1.0], 1.0
    for n in range(1, most + 1):
        weight *= offered / min(n, station.servers)
        weights.append(weight)
        if weight > 1e250:  # only their ratios count
            weights, weight = [w / weight for w in weights], 1.0
    total = math.fsum(weights)
    return [w / total for w in weights]


def rejected(station: Station, arrivals: float) -> float:
    """The share of requests that are rejected; 0 without a capacity."""
    return 0.0 if station.capacity is None else inside(station, arrivals)[-1]


def in_system(station: Station, arrivals: float) -> float:
    """The mean number of requests inside, L. ValueError if it grows without end."""
    offered = arrivals / station.service
    if station.capacity is not None:
        return math.fsum(n * p for n, p in enumerate(inside(station, arrivals)))
    load = _load(station, arrivals)
    if station.is_markov:
        return offered + erlang_c(station.servers, offered) * load / (1 - load)
    return load + load * load * (1 + station.variation) / (2 * (1 - load))


def mean_response(station: Station, arrivals: float) -> float:
    """The mean time in the system of admitted requests, W, in seconds."""
    if station.capacity is not None:
        p = inside(station, arrivals)
        waits = (max(0, n - station.servers + 1) / station.rate * share for n, share in enumerate(p[:-1]))
        return 1 / station.service + math.fsum(waits) / (1 - p[-1])
    load = _load(station, arrivals)
    if station.is_markov:
        wait = erlang_c(station.servers, arrivals / station.service) / (station.rate - arrivals)
    else:
        second = (1 + station.variation) / station.service**2
        wait = arrivals * second / (2 * (1 - load))
    return 1 / station.service + wait


def _load(station: Station, arrivals: float) -> float:
    if not 0 <= arrivals < station.rate:
        text = f"the queue grows without end: arrivals {arrivals:g} must be below service {station.rate:g}"
        raise ValueError(text)
    return arrivals / station.rate


def tail(station: Station, arrivals: float, time: float) -> float:
    """P(time in the system > `time`)."""
    if station.capacity is not None:
        return _capped_tail(station, arrivals, time)
    load = _load(station, arrivals)
    if not station.is_markov:
        return response_tail(load, station.variation)(station.service * time)
    u, spare = station.service, station.rate - arrivals
    waits = erlang_c(station.servers, arrivals / u)
    if abs(spare - u) < 1e-9 * u:  # the sum of two equal exponentials
        return math.exp(-u * time) * (1 + waits * u * time)
    after_wait = (spare * math.exp(-u * time) - u * math.exp(-spare * time)) / (spare - u)
    return (1 - waits) * math.exp(-u * time) + waits * after_wait


def _capped_tail(station: Station, arrivals: float, time: float) -> float:
    """A request that finds n >= c inside waits for n - c + 1 services of all servers, then for its own."""
    p = inside(station, arrivals)
    u, rate = station.service, station.rate
    if station.servers == 1:  # n + 1 services of one server: an Erlang of n + 1 stages
        later, _ = _poisson_sums(u * time, len(p) - 1)
        return math.fsum(share * later[n] for n, share in enumerate(p[:-1])) / (1 - p[-1])
    terms = [share * math.exp(-u * time) for share in p[:-1][: station.servers]]
    waiting = p[station.servers : -1]
    later, _ = _poisson_sums(rate * time, len(waiting))
    _, sooner = _poisson_sums((rate - u) * time, len(waiting))
    growth = math.log(rate / (rate - u))
    for n, share in enumerate(waiting):  # an Erlang of n + 1 stages of rate c u, and one of rate u
        last = math.exp(min(0.0, -u * time + (n + 1) * growth + math.log(sooner[n]))) if sooner[n] else 0.0
        terms.append(share * min(1.0, later[n] + last))
    return math.fsum(terms) / (1 - p[-1])


def _poisson_sums(mean: float, count: int) -> tuple[list[float], list[float]]:
    """P(Poisson(mean) <= n) and P(Poisson(mean) > n) for n = 0 .. count - 1, each summed from its small end.

    They are P(an Erlang of n + 1 stages > mean), and that it is below.
    """
    most = count + math.ceil(mean + 12 * math.sqrt(mean)) + 40
    if mean <= 0:
        return [1.0] * count, [0.0] * count
    log = math.log(mean)
    shares = [math.exp(n * log - mean - math.lgamma(n + 1)) for n in range(most)]
    upto = list(accumulate(shares))[:count]
    above = list(accumulate(reversed(shares)))[::-1][1 : count + 1]
    return [min(1.0, share) for share in upto], above


def percentile_response(station: Station, arrivals: float, percentile: float) -> float:
    """The time in the system below which a share `percentile` of all requests stays, in seconds."""
    if station.variation == 0 and _load(station, arrivals) <= 1 - percentile:
        return 1 / station.service  # so few requests wait that the tail falls to its share at once

    def over(time: float) -> float:  # falls with time, almost as a straight line
        share = tail(station, arrivals, time)
        return math.log(share / (1 - percentile)) if share > 0 else -700.0

    low, high = 0.0, mean_response(station, arrivals)
    above, below = -math.log1p(-percentile), over(high)
    while below > 0:
        low, high, above, below = high, 2 * high, below, over(2 * high)
    return crossing(over, low, high, above, below)


def highest_load(station: Station, slo: float, percentile: float, most: float = 1.0) -> float | None:
    """The arrival rate at which the percentile is exactly `slo`; None if it holds at all loads up to `most`.

    ValueError if even an idle station misses it.
    """
    least = 1e-6 * station.rate
    idle = percentile_response(station, least, percentile)
    if idle > slo:
        text = f"an SLO of {duration(slo)} cannot be met: an idle server's percentile is {duration(idle)}"
        raise ValueError(text)
    low, high = least, most * station.rate * (1 if station.capacity is not None else 1 - 1e-9)
    if tail(station, high, slo) <= 1 - percentile:
        return None
    for _ in range(50):  # the tail at the SLO grows with the load
        middle = (low + high) / 2
        low, high = (middle, high) if tail(station, middle, slo) <= 1 - percentile else (low, middle)
    return (low + high) / 2


def facts(station: Station, arrivals: float, percentile: float) -> dict[str, Any]:
    """The facts of a station at these arrivals.

    `in_system` and `mean_response_ms` are computed separately: by Little's law, the first is the rate of admitted
    requests times the second.
    """
    offered = arrivals / station.service
    away = rejected(station, arrivals)
    return {
        "arrivals_per_s": arrivals,
        "served_per_s": arrivals * (1 - away),
        "utilisation": offered * (1 - away) / station.servers,
        "rejected_fraction": away,
        "mean_response_ms": 1000 * mean_response(station, arrivals),
        "percentile_response_ms": 1000 * percentile_response(station, arrivals, percentile),
        "in_system": in_system(station, arrivals),
        "in_system_by_little": arrivals * (1 - away) * mean_response(station, arrivals),
    }
