"""Data stalls: how long steps would take if the fetches of all GPUs took equally long, or began together.

In data-parallel training, all GPUs wait for the one whose batch comes last. A table of measured steps is replayed
with fetch lengths and fetch starts aligned, in nine scenarios.

Let the fetch of GPU i end d_i later than measured. If it ends earlier (d_i < 0), its stall becomes max(stall_i + d_i,
2e-6). If it ends later, the stall becomes stall_i + d_i if it was above 10 ms. Otherwise it does not change: the
prefetch queue still hides the delay. The step then takes max over i of (max over j of stall_j + pure_i), where pure_i =
iteration_i - max over j of stall_j is the rest of GPU i's step. All times are in seconds.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import fsum
from statistics import fmean, stdev
from typing import Any

from figmill_timelines.spans import Span, Timeline, timeline

SHORTEST_STALL = 2e-6
HIDDEN_STALL = 0.010  # up to here the queue was not empty and hides a later fetch
EFFECTIVE_DELAY = 0.030  # a step with a longer delay counts as delayed

FETCH_ALIGN: Mapping[str, Callable[[Sequence[float]], float] | None] = {
    "none": None,
    "min": min,
    "mean": fmean,
}
START_ALIGN: Mapping[str, Callable[[Sequence[float]], float] | None] = {
    "none": None,
    "min": min,
    "midrange": lambda starts: (min(starts) + max(starts)) / 2,
}


@dataclass(frozen=True, slots=True)
class StallRow:
    """The measurements of one GPU in one step; times and durations in seconds."""

    epoch: int
    index: int
    gpu: int
    fetch_start: float
    fetch_seconds: float
    train_start: float
    iteration_seconds: float
    stall_seconds: float

    @property
    def fetch_end(self) -> float:
        return self.fetch_start + self.fetch_seconds


@dataclass(frozen=True, slots=True)
class StallTable:
    """Steps in order. Every step has one row for each GPU, and all steps have the same GPUs."""

    steps: tuple[tuple[StallRow, ...], ...]

    @classmethod
    def of(cls, rows: Iterable[StallRow]) -> StallTable:
        """The table sorted by epoch and index. ValueError names the step in which a GPU is missing or occurs twice."""
        groups: dict[tuple[int, int], list[StallRow]] = {}
        for row in rows:
            groups.setdefault((row.epoch, row.index), []).append(row)
        steps = [tuple(sorted(groups[key], key=lambda row: row.gpu)) for key in sorted(groups)]
        if not steps:
            raise ValueError("the table has no rows")
        gpus = [row.gpu for row in steps[0]]
        for step in steps:
            if [row.gpu for row in step] != gpus or len(set(gpus)) != len(gpus):
                raise ValueError(
                    f"epoch {step[0].epoch}, step {step[0].index}: GPUs {[row.gpu for row in step]},"
                    f" but {gpus} in the first step"
                )
        return cls(tuple(steps))


@dataclass(frozen=True, slots=True)
class Scenario:
    """What is aligned.

    - fetch: a name of FETCH_ALIGN.
    - start: of START_ALIGN.
    - carry: delays carry over to later steps.
    """

    fetch: str = "none"
    start: str = "none"
    carry: bool = False
    depth: int = 2  # depth of the prefetch queue, in batches, if delays carry over

    def __post_init__(self) -> None:
        for name, value, choices in (
            ("fetch_align", self.fetch, FETCH_ALIGN),
            ("start_align", self.start, START_ALIGN),
        ):
            if value not in choices:
                raise ValueError(f"{name} must be one of {', '.join(choices)}, not '{value}'")
        if self.depth < 1:
            raise ValueError(f"a prefetch queue holds at least one batch, not {self.depth}")


@dataclass(frozen=True, slots=True)
class ReplayedStep:
    """One replayed step: the fetch and the stall of each GPU, and the length of the step."""

    fetch_start: tuple[float, ...]
    fetch_seconds: tuple[float, ...]
    stall: tuple[float, ...]
    iteration: float


def replay(table: StallTable, scenario: Scenario) -> tuple[ReplayedStep, ...]:
    """Each step as it would have been. With `carry`, through a prefetch queue; else each step by itself."""
    if scenario.carry:
        return tuple(_carried(table, scenario))
    steps = []
    for rows in table.steps:
        starts, lengths = _aligned(rows, scenario)
        stalls = [
            _stall(row.stall_seconds, start + length - row.fetch_end)
            for row, start, length in zip(rows, starts, lengths, strict=True)
        ]
        steps.append(ReplayedStep(tuple(starts), tuple(lengths), tuple(stalls), _iteration(rows, stalls)))
    return tuple(steps)


def measured(table: StallTable) -> tuple[ReplayedStep, ...]:
    """The measured steps of the table; a step is as long as its slowest GPU's iteration."""
    return tuple(
        ReplayedStep(
            tuple(row.fetch_start for row in rows),
            tuple(row.fetch_seconds for row in rows),
            tuple(row.stall_seconds for row in rows),
            max(row.iteration_seconds for row in rows),
        )
        for rows in table.steps
    )


def miss(modelled: Mapping[str, Any], recorded: Mapping[str, Any]) -> float:
    """How far the modelled mean step is from the measured mean step, in percent; below 0, it is shorter."""
    return 100 * (float(modelled["iteration_mean"]) / float(recorded["iteration_mean"]) - 1)


def _aligned(rows: Sequence[StallRow], scenario: Scenario) -> tuple[list[float], list[float]]:
    starts, lengths = [row.fetch_start for row in rows], [row.fetch_seconds for row in rows]
    start, length = START_ALIGN[scenario.start], FETCH_ALIGN[scenario.fetch]
    return (
        [start(starts)] * len(rows) if start else starts,
        [length(lengths)] * len(rows) if length else lengths,
    )


def _stall(measured: float, later: float) -> float:
    if later < 0:
        return max(measured + later, SHORTEST_STALL)
    return measured + later if measured > HIDDEN_STALL else measured


def _iteration(rows: Sequence[StallRow], stalls: Sequence[float]) -> float:
    slowest = max(row.stall_seconds for row in rows)
    return max(max(stalls) + row.iteration_seconds - slowest for row in rows)


def _carried(table: StallTable, scenario: Scenario) -> Iterable[ReplayedStep]:
    """Replay with a prefetch queue of `depth` batches for each GPU, and delays that carry over.

    GPU i starts to fetch batch k when its fetcher and a place in its queue are free; the place is free once step
    k - depth has begun to train. If starts are aligned, no GPU starts before the aligned time. The stall of
    step k is the time from the end of step k - 1 until its batch arrives. All GPUs end a step together.
    """
    gpus = range(len(table.steps[0]))
    free = [0.0 for _ in gpus]  # when each fetcher has finished its last batch
    began: list[float] = []  # when each step began to train, after its stalls
    now = 0.0
    for number, rows in enumerate(table.steps):
        _, lengths = _aligned(rows, scenario)
        place = began[number - scenario.depth] if number >= scenario.depth else 0.0
        starts = [max(free[i], place) for i in gpus]
        align = START_ALIGN[scenario.start]
        if align is not None:  # but no GPU starts before its fetcher and queue are free
            starts = [max(align(starts), earliest) for earliest in starts]
        free = [start + length for start, length in zip(starts, lengths, strict=True)]
        stalls = [max(end - now, 0.0) for end in free]
        slowest = max(row.stall_seconds for row in rows)
        pure = max(row.iteration_seconds - slowest for row in rows)
        began.append(now + max(stalls))
        now = began[-1] + pure
        yield ReplayedStep(tuple(starts), tuple(lengths), tuple(stalls), max(stalls) + pure)


def facts(steps: Sequence[ReplayedStep], skip: int = 10, batch: int = 1, least: int = 2) -> dict[str, Any]:
    """Means and sample standard deviations over the steps after the first `skip`, in seconds.

    stall: of all GPUs; slowest_stall: of the GPU that all wait for. delay: longest less shortest stall of a
    step. batch: samples for each GPU and step. samples_per_s is all samples over all time, not a mean of rates.
    A single step has no standard deviation. ValueError if fewer than `least` steps are left.
    """
    kept = steps[skip:]
    if len(kept) < least:
        counts = {1: "none", 2: "fewer than two"}
        raise ValueError(
            f"{len(steps)} steps less the first {skip} leave {counts.get(least, f'fewer than {least}')}"
        )
    delays = [max(step.stall) - min(step.stall) for step in kept]
    series = {
        "iteration": [step.iteration for step in kept],
        "stall": [stall for step in kept for stall in step.stall],
        "slowest_stall": [max(step.stall) for step in kept],
        "delay": delays,
        "start_difference": [max(step.fetch_start) - min(step.fetch_start) for step in kept],
        "fetch_difference": [max(step.fetch_seconds) - min(step.fetch_seconds) for step in kept],
    }
    stated: dict[str, Any] = {}
    for name, values in series.items():
        stated[f"{name}_mean"] = fmean(values)
        if len(values) > 1:
            stated[f"{name}_sd"] = stdev(values)
    stated["effective_delay_percent"] = 100 * sum(delay > EFFECTIVE_DELAY for delay in delays) / len(delays)
    samples = batch * len(kept[0].stall) * len(kept)
    stated["samples_per_s"] = samples / fsum(step.iteration for step in kept)
    return stated


@dataclass(frozen=True, slots=True)
class ReplayJob:
    """One scenario of a sweep, as plain data that can be sent to another process."""

    table: StallTable
    scenario: Scenario
    skip: int
    batch: int


def run(job: ReplayJob) -> dict[str, Any]:
    """The facts of one scenario."""
    return facts(replay(job.table, job.scenario), job.skip, job.batch)


def sweep(
    table: StallTable,
    map: Callable[..., Iterable[dict[str, Any]]] = map,  # noqa: A002 - called as executors call it
    carry: bool = False,
    depth: int = 2,
    skip: int = 10,
    batch: int = 1,
) -> dict[tuple[str, str], dict[str, Any]]:
    """The facts of all nine scenarios by (fetch_align, start_align). map: that of any executor, such as a cluster's."""
    scenarios = [Scenario(fetch, start, carry, depth) for fetch in FETCH_ALIGN for start in START_ALIGN]
    results = map(run, [ReplayJob(table, scenario, skip, batch) for scenario in scenarios])
    return {(s.fetch, s.start): facts for s, facts in zip(scenarios, results, strict=True)}


def to_timeline(table: StallTable, steps: Sequence[ReplayedStep], first: int, count: int) -> Timeline:
    """`count` steps from number `first` on, in ms from 0: the stall of each GPU, then its training."""
    spans: list[Span] = []
    now = 0.0
    for number, step in enumerate(steps[first : first + count], start=first):
        slowest = max(step.stall)
        for lane, stall in enumerate(step.stall):
            spans.append(Span(lane, now, now + 1000 * stall, "stall", microbatch=number))
            start = now + 1000 * slowest
            spans.append(Span(lane, start, now + 1000 * step.iteration, "compute", microbatch=number))
        now += 1000 * step.iteration
    return timeline([f"GPU {row.gpu}" for row in table.steps[0]], spans, "ms")
