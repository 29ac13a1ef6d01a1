"""Response time of a single server under load: the M/M/1 queue, exact.

With arrivals at rate l and service at rate u, the time in the system is exponential with rate u - l (Kleinrock,
Queueing Systems I, 1975, section 3.2). Its mean is 1 / (u - l), and its p-th percentile is -ln(1 - p) means: the 99th
is ln(100) = 4.605 means at every load.
"""

from __future__ import annotations

import math


def mean_response(arrivals: float, service: float) -> float:
    """The mean time in the system; both rates per unit of time. ValueError unless arrivals are below service."""
    if not 0 <= arrivals < service:
        raise ValueError(
            f"the queue grows without end: arrivals {arrivals:g} must be below service {service:g}"
        )
    return 1 / (service - arrivals)


def percentile_response(arrivals: float, service: float, percentile: float) -> float:
    """The time in the system below which a share `percentile` (0 to 1) of all requests stays."""
    return -math.log1p(-percentile) * mean_response(arrivals, service)


def highest_load(service: float, slo: float, percentile: float) -> float:
    """The arrival rate at which this percentile of the response time is exactly `slo`.

    ValueError where even an idle server misses it.
    """
    rate = service + math.log1p(-percentile) / slo
    if rate < 0:
        raise ValueError(f"an SLO of {slo:g} cannot be met: an idle server's percentile is above it")
    return rate
