"""One step of fully sharded data parallelism on one rank: all-gathers, computing, reduce-scatters, and what overlaps.

Each layer's weights are gathered before its forward and freed after it, gathered again before its backward, and its
gradients are reduced after it (Zhao et al. 2023, PyTorch FSDP, arXiv:2304.11277, section 3). The host issues all this
in order and far ahead; each stream runs its work in that order, as soon as what it needs is done:

    forward             gather(i), F(i)                      the gather of the next layer overlaps with F(i)
    backward            gather(i), B(i), reduce(i)           on a shared link, gather(i-1) waits behind reduce(i)
    ... with prefetch   gather(i-1), B(i), reduce(i)         the gather goes first, and overlaps with B(i) (3.3.2)
    rate limit k        a gather is issued only when the k-th layer before it has been freed (3.4)

Without resharding after the forward, layers stay whole until their backward, and are not gathered again: ZeRO stage 2.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import fsum
from types import MappingProxyType
from typing import Any

from figmill_timelines.spans import Span, Timeline

LANES = ("Compute", "All-gather", "Reduce-scatter")


@dataclass(frozen=True, slots=True)
class LayerTimes:
    """Times of one layer, all in the caller's unit."""

    forward: float
    backward: float
    gather: float
    reduce: float


@dataclass(frozen=True, slots=True)
class ShardingPlan:
    """How a step is issued.

    - limit: layers that may be gathered and not yet freed; None: any number.
    - shared: all-gathers and reduce-scatters go over one link, one after the other.
    """

    prefetch: bool = True
    limit: int | None = 2
    reshard: bool = True
    shared: bool = True


VARIANTS: Mapping[str, Mapping[str, Any]] = MappingProxyType(
    {
        "no-prefetch": {"prefetch": False},
        "no-limit": {"limit": None},
        "no-overlap": {"prefetch": False, "limit": 1},
        "no-reshard": {"reshard": False},
        "two-links": {"shared": False},
    }
)


def variant(plan: ShardingPlan, name: str) -> ShardingPlan:
    """The plan with one change. ValueError for an unknown name."""
    if name not in VARIANTS:
        raise ValueError(f"no variant '{name}'; choose one of {', '.join(VARIANTS)}")
    return replace(plan, **VARIANTS[name])


@dataclass(frozen=True, slots=True)
class ShardedStep:
    """A step.

    - unsharded: (time, layers that are whole in memory) at each change.
    - timeline: lanes of LANES.
    """

    timeline: Timeline
    unsharded: tuple[tuple[float, int], ...]


class _Streams:
    """The streams of a device while the host issues work to them."""

    def __init__(self, plan: ShardingPlan, layers: Sequence[LayerTimes]) -> None:
        self.plan, self.layers = plan, layers
        self.free = dict.fromkeys(LANES, 0.0)  # when each stream has finished its work
        self.host = 0.0
        self.whole = [0.0] * len(layers)  # when each layer was gathered
        self.freed: deque[float] = deque()  # of layers that were freed and not yet waited for
        self.spans: list[Span] = []
        self.changes: list[tuple[float, int]] = []

    def run(self, lane: str, layer: int, kind: str, needs: float, length: float) -> tuple[float, float]:
        """When it starts and ends, as early as the host, its needs and its streams allow."""
        network = LANES[1:] if self.plan.shared else (lane,)
        streams = network if lane in network else (lane,)
        start = max(self.host, needs, *(self.free[name] for name in streams))
        for name in streams:
            self.free[name] = start + length
        self.spans.append(Span(LANES.index(lane), start, start + length, kind, str(layer)))
        return start, start + length

    def gather(self, layer: int) -> None:
        if self.plan.limit is not None and len(self.freed) >= self.plan.limit:
            self.host = max(self.host, self.freed.popleft())
        start, self.whole[layer] = self.run("All-gather", layer, "all-gather", 0.0, self.layers[layer].gather)
        self.changes.append((start, 1))

    def release(self, time: float) -> None:
        self.freed.append(time)
        self.changes.append((time, -1))


def simulate(layers: Sequence[LayerTimes], plan: ShardingPlan) -> ShardedStep:
    """Simulate one step, in the order in which the host issues it. Layer 0 is the first of the forward."""
    streams = _Streams(plan, layers)
    for n, layer in enumerate(layers):
        streams.gather(n)
        _, done = streams.run("Compute", n, "forward", streams.whole[n], layer.forward)
        if plan.reshard:
            streams.release(done)
    order = list(reversed(range(len(layers))))
    for place, n in enumerate(order):
        if plan.reshard and (place == 0 or not plan.prefetch):
            streams.gather(n)
        if plan.reshard and plan.prefetch and place + 1 < len(order):
            streams.gather(order[place + 1])
        _, done = streams.run("Compute", n, "backward", streams.whole[n], layers[n].backward)
        streams.release(done)
        streams.run("Reduce-scatter", n, "reduce-scatter", done, layers[n].reduce)
    return ShardedStep(_timeline(streams.spans), _counts(streams.changes))


def _timeline(spans: list[Span]) -> Timeline:
    """The timeline. Only the gaps of the compute stream are idle time: there, the device waits for weights."""
    ordered = tuple(sorted((s for s in spans if s.end > s.start), key=lambda s: (s.lane, s.start)))
    end, reached, idle = max(s.end for s in ordered), 0.0, []
    for span in ordered:
        if span.lane == 0:
            if span.start > reached:
                idle.append(Span(0, reached, span.start, "waiting"))
            reached = span.end
    if end > reached:
        idle.append(Span(0, reached, end, "waiting"))
    return Timeline(LANES, ordered, tuple(idle))


def _counts(changes: list[tuple[float, int]]) -> tuple[tuple[float, int], ...]:
    """Running counts; at equal times, layers are freed before others are gathered."""
    counts: list[tuple[float, int]] = []
    now = 0
    for time, change in sorted(changes):
        now += change
        if counts and counts[-1][0] == time:
            counts[-1] = (time, now)
        else:
            counts.append((time, now))
    return tuple(counts)


def facts(step: ShardedStep) -> dict[str, Any]:
    """The facts of a step. exposed: the time in which the device computes nothing."""
    spans, end = step.timeline.spans, step.timeline.makespan
    compute = fsum(s.end - s.start for s in spans if s.lane == 0)
    return {
        "step": end,
        "compute": compute,
        "communication": fsum(s.end - s.start for s in spans if s.lane > 0),
        "exposed": end - compute,
        "exposed_fraction": (end - compute) / end,
        "peak_unsharded": max(count for _, count in step.unsharded),
    }
