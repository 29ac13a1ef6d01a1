"""Random service times of a queue, drawn stage by stage."""

from __future__ import annotations

import math
import random

from figmill_timelines.models.responses import balanced_share, service_stages


def service_time(source: random.Random, cv2: float) -> float:
    """A time of mean 1 and variance cv2."""
    if cv2 == 0:
        return 1.0
    if cv2 > 1:
        p = balanced_share(cv2)
        return source.expovariate(2 * p if source.random() < p else 2 * (1 - p))
    k, shorter = service_stages(cv2)
    stages = k - 1 if source.random() < shorter else k
    return math.fsum(source.expovariate(k - shorter) for _ in range(stages))
