"""Data-parallel workers in step and out of step, on the same batch times.

In step (synchronous), all workers wait at a barrier for the slowest and then communicate for `latency`. Out of step
(asynchronous), each worker communicates after its own batch, for up to 0.3 of `latency`, and does not wait for the
others. Batch times are uniform in batch_ms (1 +- jitter). They depend on the seed alone, so that both modes and any two
runs have the same ones. The expected slowest of W such draws gives the check

    E[synchronous epoch] = N (batch_ms (1 - j + 2 j W / (W + 1)) + latency_ms).
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import fsum
from typing import Any

from figmill_timelines.spans import Span, Timeline, busy_per_lane, idle_per_lane, timeline

ASYNCHRONOUS_SHARE = 0.3  # share of the latency: the longest push of an asynchronous worker


@dataclass(frozen=True, slots=True)
class Load:
    """The work of each worker: `batches` of about `batch_ms`, each followed by up to `latency_ms` of communication."""

    workers: int = 4
    batches: int = 10
    batch_ms: float = 500.0
    jitter: float = 0.2
    latency_ms: float = 200.0
    seed: int = 0

    def __post_init__(self) -> None:
        if self.workers < 1 or self.batches < 1:
            raise ValueError("there must be at least one worker and one batch")
        if not (self.batch_ms > 0 and self.latency_ms >= 0 and 0 <= self.jitter < 1):
            raise ValueError("batch_ms must be above 0, latency_ms at least 0, jitter in [0, 1)")


def batch_times(load: Load) -> tuple[tuple[float, ...], ...]:
    """The milliseconds of every batch, a row for each worker; the same in both modes."""
    source = random.Random(load.seed)
    low, high = load.batch_ms * (1 - load.jitter), load.batch_ms * (1 + load.jitter)
    return tuple(tuple(source.uniform(low, high) for _ in range(load.batches)) for _ in range(load.workers))


def synchronous(load: Load) -> Timeline:
    """The workers in step: all compute, wait for the slowest, and communicate."""
    spans = []
    start = 0.0
    for batch, times in enumerate(zip(*batch_times(load), strict=True)):
        barrier = start + max(times)
        for lane, time in enumerate(times):
            spans.append(_compute(lane, start, time, batch))
            spans.append(Span(lane, barrier, barrier + load.latency_ms, "communication", microbatch=batch))
        start = barrier + load.latency_ms
    return timeline(_names(load), spans, "ms")


def asynchronous(load: Load) -> Timeline:
    """The workers out of step: each computes, pushes, and continues."""
    # Its own random numbers: the batch times must not depend on the mode.
    pushes = random.Random(f"{load.seed} pushes")
    spans = [
        span
        for lane, times in enumerate(batch_times(load))
        for span in _alone(lane, times, pushes, ASYNCHRONOUS_SHARE * load.latency_ms)
    ]
    return timeline(_names(load), spans, "ms")


def _alone(lane: int, times: Sequence[float], pushes: random.Random, longest: float) -> Iterator[Span]:
    now = 0.0
    for batch, time in enumerate(times):
        done = now + time
        yield _compute(lane, now, time, batch)
        now = done + pushes.uniform(0, longest)
        yield Span(lane, done, now, "communication", microbatch=batch)


def _compute(lane: int, start: float, time: float, batch: int) -> Span:
    return Span(lane, start, start + time, "compute", str(batch), microbatch=batch)


def _names(load: Load) -> tuple[str, ...]:
    return tuple(f"Worker {worker}" for worker in range(load.workers))


def facts(drawn: Timeline) -> dict[str, Any]:
    """The facts of a worker timeline, from its spans. The epoch ends when the last of W workers is done.

    idle_fraction: waiting / (W epoch). overhead_fraction: everything but compute / (W epoch). waiting_of_drawn:
    waiting / (compute + waiting), the older definition.
    """
    epoch = drawn.makespan
    area = len(drawn.lanes) * epoch
    compute = fsum(span.end - span.start for span in drawn.spans if span.kind == "compute")
    waiting = fsum(idle_per_lane(drawn))
    batches = sum(span.kind == "compute" for span in drawn.spans)
    return {
        "epoch_ms": epoch,
        "compute_ms": compute,
        "waiting_ms": waiting,
        "communication_ms": fsum(busy_per_lane(drawn)) - compute,
        "idle_fraction": waiting / area,
        "overhead_fraction": (area - compute) / area,
        "waiting_of_drawn": waiting / (compute + waiting),
        "throughput_batches_per_s": batches * 1000 / epoch,
    }


def expected_synchronous_epoch(load: Load) -> float:
    """The mean over all seeds of the synchronous epoch, in ms."""
    w, j = load.workers, load.jitter
    return load.batches * (load.batch_ms * (1 - j + 2 * j * w / (w + 1)) + load.latency_ms)
