"""How long requests stay at one server with Poisson arrivals and general service times: exact tails of M/D/1 and M/G/1.

Time is counted in mean service times, so that the arrival rate is the load r.

    M/D/1     the wait by the number of those who queue (Franx, Operations Research Letters 29, 2001), whose terms are
              all positive, where Crommelin's series (1932) of the same law alternates
    M/G/1     services have two moments and the usual shape (Tijms 1994): below a squared coefficient of variation of
              1, k - 1 or k exponential stages of one rate; above it, two exponentials with balanced means

A mixture of two exponentials leaves a response of two exponentials: Pollaczek and Khinchine's transform
(1 - r) s B(s) / (s - r + r B(s)) has two poles. With stages, an arrival finds n stages left and brings its own; they
take an Erlang time. Late tails are one exponential in both: that of the pole nearest to 0.

Arrays are added and multiplied one number after the other (`accumulate`): numpy's own sums, powers and exponentials may
differ from processor to processor in the last digit.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from figmill_timelines.models.roots import crossing

Tail = Callable[[float], float]
Floats = npt.NDArray[np.float64]

MOST_STAGES = 200
_LATE = 40  # mean service times, after which all poles but one have faded


@lru_cache(maxsize=4)
def response_tail(load: float, cv2: float) -> Tail:
    """The function t -> P(response > t), in mean service times. 0 <= load < 1.

    cv2: the squared coefficient of variation of a service; 0, or at least 1 / MOST_STAGES.
    """
    load = max(load, 1e-12)  # at which no request waits
    if cv2 == 0:
        return _equal_services(load)
    return _two_exponentials(load, cv2) if cv2 >= 1 else _stages(load, cv2)


def service_stages(cv2: float) -> tuple[int, float]:
    """k, and the share of services with k - 1 stages; the others have k. 0 < cv2 <= 1.

    The rate of a stage is k less that share, for services of mean 1.
    """
    if cv2 * MOST_STAGES < 1 - 1e-9:
        text = f"cv2 must be 0, for equal services, or at least {1 / MOST_STAGES:g}"
        raise ValueError(f"{text}, not {cv2:g}")
    k = max(1, math.ceil(1 / cv2 - 1e-12))
    return k, max(0.0, (k * cv2 - math.sqrt(max(0.0, k * (1 + cv2) - k * k * cv2))) / (1 + cv2))


def balanced_share(cv2: float) -> float:
    """Of services with cv2 >= 1, the share p of the shorter kind: its rate is 2 p, that of the others 2 (1 - p)."""
    return (1 + math.sqrt((cv2 - 1) / (cv2 + 1))) / 2


def _two_exponentials(load: float, cv2: float) -> Tail:
    p = balanced_share(cv2)
    half, spread = (2 - load) / 2, 16 * p * (1 - p) * (1 - load)
    fast = half + math.sqrt(max(0.0, 4 * half * half - spread)) / 2
    slow = spread / 4 / fast
    rate = 2 * p * p + 2 * (1 - p) ** 2

    def weight(pole: float, other: float) -> float:
        return (1 - load) * (4 * p * (1 - p) - rate * pole) / ((other - pole) * pole)

    late, early = weight(slow, fast), weight(fast, slow)
    return lambda time: late * math.exp(-slow * time) + early * math.exp(-fast * time)


def _equal_services(load: float) -> Tail:
    arrivals = _poisson(load, _LATE + 2)
    more = 1 - np.cumsum(arrivals)  # P(more than n arrive in a service)
    inside = np.zeros(_LATE + 2)
    inside[0] = 1 - load
    for n in range(1, len(inside)):  # the flow up from below n is the flow down from n
        inside[n] = (inside[0] * more[n - 1] + _dot(inside[1:n], more[1:n][::-1])) / arrivals[0]
    queued = np.cumsum(inside)[1:]  # P(at most n wait)
    late = _slowest_pole(load, lambda s: math.expm1(s), lambda s: math.exp(s), math.inf)

    def tail(time: float) -> float:
        if time < 1:
            return 1.0
        if time >= _LATE:
            return late(time)
        k = math.floor(time - 1) + 1
        steps = _poisson(load * (k + 1 - time), k)
        return max(0.0, 1 - _dot(queued[:k][::-1], steps))

    return tail


def _stages(load: float, cv2: float) -> Tail:
    k, shorter = service_stages(cv2)
    rate = k - shorter
    ratio = load / rate
    shares = np.zeros(k * (_LATE + 2) + math.ceil(12 * math.sqrt(k * _LATE)))
    shares[0] = 1 - load
    sums = np.zeros(len(shares) + 1)  # of all below n
    sums[1] = shares[0]
    # The flow up over n, of requests that bring enough stages, is the flow down from n. Within k stages that is a sum
    # of what precedes it and of itself, which grows by 1 + ratio with each stage.
    for start in range(1, len(shares), k):
        n = np.arange(start, min(start + k, len(shares)))
        before = sums[start] - sums[np.maximum(n - k + 1, 0)]
        before += np.where(n >= k, (1 - shorter) * shares[np.maximum(n - k, 0)], 0.0)
        growth = np.multiply.accumulate(np.full(len(n), 1 + ratio))
        cumulative = growth * np.cumsum(ratio * before / growth)
        shares[n] = cumulative - np.concatenate(([0.0], cumulative[:-1]))
        sums[n + 1] = sums[start] + cumulative
    brought = np.zeros_like(shares)
    brought[k - 1 :] += shorter * shares[: len(shares) - k + 1]
    brought[k:] += (1 - shorter) * shares[: len(shares) - k]
    above = np.maximum(0.0, 1 - np.cumsum(brought))  # P(more than n stages until the request leaves)
    late = _slowest_pole(
        load,
        lambda s: _mixed(k, shorter, lambda m: math.expm1(-m * math.log1p(-s / rate))),
        lambda s: _mixed(k, shorter, lambda m: m / rate * math.exp(-(m + 1) * math.log1p(-s / rate))),
        rate,
    )

    def tail(time: float) -> float:
        if time >= _LATE:
            return late(time)
        return _dot(above, _poisson(rate * time, len(above)))

    return tail


def _mixed(k: int, shorter: float, of: Callable[[int], float]) -> float:
    return shorter * of(k - 1) + (1 - shorter) * of(k)


def _slowest_pole(load: float, grown: Tail, slope: Tail, most: float) -> Tail:
    """The exponential that late tails follow. grown: E[e^(sS)] - 1 of a service S; slope: E[S e^(sS)]; s < `most`."""

    def over(s: float) -> float:  # falls; the pole is where it is 0
        return 1 / load - grown(s) / s

    high = 1e-12
    while over(high) > 0:
        high = min(2 * high, (high + most) / 2)
    low = high / 2
    pole = crossing(over, low, high, over(low), over(high))
    weight = (1 - load) * (1 + grown(pole)) / (load * slope(pole) - 1)
    return lambda time: weight * math.exp(-pole * time)


def _poisson(mean: float, count: int) -> Floats:
    """P(Poisson(mean) = n) for n = 0 .. count - 1."""
    if mean <= 0:
        nothing: Floats = np.eye(1, count)[0]
        return nothing
    peak = min(count - 1, math.floor(mean))
    most = math.exp(peak * math.log(mean) - mean - math.lgamma(peak + 1))
    down = np.multiply.accumulate(np.arange(peak, 0, -1) / mean)[::-1]
    up = np.multiply.accumulate(mean / np.arange(peak + 1, count))
    shares: Floats = most * np.concatenate((down, [1.0], up))
    return shares


def _dot(left: Floats, right: Floats) -> float:
    return float(np.add.accumulate(left * right)[-1]) if len(left) else 0.0
