"""Steps that wait for the slowest of n workers, workers in reserve, and the laws of Amdahl and Gustafson.

A step with n + b workers that continues when n are done takes the n-th smallest of n + b times: E = the integral of
Q(u) over the density of that order statistic, Beta(n, b + 1), where Q is the quantile of one time (David and Nagaraja,
Order Statistics, 2003). Workers in reserve for synchronous training: Chen et al. 2016, arXiv:1604.00981; why tails
dominate at scale: Dean and Barroso, CACM 56(2), 2013. Times have mean 1 and this spread s, their standard deviation:

    uniform       1 - sqrt(3) s to 1 + sqrt(3) s          E[largest of n] = 1 - sqrt(3) s + 2 sqrt(3) s n / (n + 1)
    exponential   1 - s, and an exponential of mean s     E[largest of n] = 1 - s + s (1 + 1/2 + ... + 1/n)
    normal        E[largest of n] by the integral
    pareto        a tail of the power that gives s        E[largest of n] = m n B(n, 1 - 1/a)

With a serial share f, n workers are 1 / (f + (1 - f) / n) times as fast on the same work (Amdahl 1967); on work that
grows with them, n - f (n - 1) times (Gustafson 1988).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from statistics import NormalDist
from types import MappingProxyType

DISTRIBUTIONS = ("uniform", "exponential", "normal", "pareto")


@dataclass(frozen=True, slots=True)
class WorkerTimes:
    """How long one worker takes: mean 1, and a standard deviation of `spread`. ValueError if that is impossible."""

    distribution: str
    spread: float

    def __post_init__(self) -> None:
        if self.distribution not in DISTRIBUTIONS:
            raise ValueError(
                f"no distribution '{self.distribution}'; choose one of {', '.join(DISTRIBUTIONS)}"
            )
        most = {"uniform": 1 / math.sqrt(3), "normal": 1 / 3, "exponential": 1.0}.get(self.distribution, 10.0)
        if not 0 <= self.spread <= most + 1e-12:
            text = f"{self.distribution} times of mean 1 have a spread from 0 to {most:.3g}, not {self.spread:.3g}"
            raise ValueError(f"{text}: they would be negative")

    def quantile(self, share: float, beyond: float) -> float:
        """The time below which a share of all workers stays. beyond: 1 - share, exact where it is small."""
        return _QUANTILES[self.distribution](share, beyond, self.spread)


def _uniform(share: float, beyond: float, spread: float) -> float:
    return 1 + math.sqrt(3) * spread * (share - beyond)


def _exponential(share: float, beyond: float, spread: float) -> float:
    return 1 - spread - spread * math.log(beyond)


def _normal(share: float, beyond: float, spread: float) -> float:
    standard = NormalDist()
    deviation = -standard.inv_cdf(beyond) if beyond < 0.5 else standard.inv_cdf(share)
    return 1 + spread * deviation


def _pareto(share: float, beyond: float, spread: float) -> float:
    power = pareto_power(spread)
    return float((1 - 1 / power) * beyond ** (-1 / power)) if spread else 1.0


def pareto_power(spread: float) -> float:
    """The power of a Pareto tail of mean 1 with this standard deviation: 1 / spread^2 = a (a - 2)."""
    return 1 + math.sqrt(1 + 1 / spread**2) if spread else math.inf


_QUANTILES: Mapping[str, Callable[[float, float, float], float]] = MappingProxyType(
    {"uniform": _uniform, "exponential": _exponential, "normal": _normal, "pareto": _pareto}
)


@cache
def expected(times: WorkerTimes, workers: int, reserve: int = 0) -> float:
    """The mean time until `workers` of `workers` + `reserve` are done.

    The integral runs over the log-odds of u, by the trapezoidal rule between the places where its density vanishes:
    its integrand falls off at both ends, where that rule is exact to many digits. For many workers with many in
    reserve, the density is a narrow peak, so the steps are narrow too.
    """
    n = workers + reserve
    scale = math.lgamma(n + 1) - math.lgamma(workers) - math.lgamma(reserve + 1)

    def density(odds: float) -> float:  # its logarithm
        return scale - workers * math.log1p(math.exp(-odds)) - (reserve + 1) * math.log1p(math.exp(odds))

    peak = math.log(workers / (reserve + 1))
    low, high = (_faded(density, peak, side) for side in (-1.0, 1.0))
    steps = 800
    width = (high - low) / steps
    terms = []
    for step in range(steps + 1):
        odds = low + step * width
        share, beyond = 1 / (1 + math.exp(-odds)), 1 / (1 + math.exp(odds))
        terms.append(times.quantile(share, beyond) * math.exp(density(odds)) * width)
    return math.fsum(terms)


def _faded(density: Callable[[float], float], peak: float, side: float) -> float:
    """Where a density, given as its logarithm, has fallen to e^-90 of its peak, on one side."""
    near, far, least = 0.0, 1.0, density(peak) - 90
    while density(peak + side * far) > least:
        near, far = far, 2 * far
    for _ in range(20):
        middle = (near + far) / 2
        near, far = (middle, far) if density(peak + side * middle) > least else (near, middle)
    return peak + side * far


def harmonic(n: int) -> float:
    """1 + 1/2 + ... + 1/n."""
    return math.fsum(1 / k for k in range(1, n + 1))


def best_reserve(times: WorkerTimes, workers: int) -> int:
    """How many of `workers` not to wait for, 0 to all but one, for the most results in a given time.

    A step that waits for n - b of n uses the work of n - b: its rate is (n - b) / E[n - b of n]. The rate has one peak
    over b. So it is enough to try 33 values, then those between the two neighbours of the best, and so on.
    """
    rate = cache(lambda b: (workers - b) / expected(times, workers - b, b))
    low, high = 0, workers - 1
    while True:
        places = sorted({low + (high - low) * n // 32 for n in range(33)})
        best = max(places, key=rate)
        at = places.index(best)
        around = places[max(0, at - 1)], places[min(len(places) - 1, at + 1)]
        if high - low <= 32 or around == (low, high):
            return best
        low, high = around


def amdahl(serial: float, n: float) -> float:
    """How many times as fast n workers do the same work, of which a share `serial` cannot be divided."""
    return 1 / (serial + (1 - serial) / n)


def gustafson(serial: float, n: float) -> float:
    """How many times as much n workers do in the same time, of which a share `serial` is serial work."""
    return n - serial * (n - 1)
