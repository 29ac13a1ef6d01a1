"""Data stalls: what if all GPUs fetched equally long, or began to fetch together?

In data-parallel training the slowest GPU's wait for its batch delays every other. From a table of measured
steps the alignments of fetch lengths and of fetch starts are replayed, nine scenarios in all.

With the fetch of GPU i ending d_i later than measured, its stall becomes max(stall_i + d_i, 2e-6) where it
ends earlier, stall_i + d_i where it ends later and there was a stall above 10 ms, and else stays, since the
prefetch queue still hides it. The step then takes max over i of (max over j of stall_j + pure_i), where
pure_i = iteration_i - max over j of stall_j is what GPU i needs besides. All times in seconds.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import fsum
from statistics import fmean, stdev
from typing import Any

from figmill.timelines.spans import Span, Timeline, timeline

SHORTEST_STALL = 2e-6
HIDDEN_STALL = 0.010  # below this the queue was not empty, and a later fetch is not felt
EFFECTIVE_DELAY = 0.030  # from here on a step counts as delayed

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
class Row:
    """One GPU in one step."""

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
class Table:
    """Steps in order, each with one row a GPU, the same GPUs in each."""

    steps: tuple[tuple[Row, ...], ...]

    @classmethod
    def of(cls, rows: Iterable[Row]) -> Table:
        """Sorted by epoch and index. ValueError names the step in which a GPU is missing or twice."""
        groups: dict[tuple[int, int], list[Row]] = {}
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
    """fetch: a name of FETCH_ALIGN; start: of START_ALIGN. carry: let delays carry over, see `replay`."""

    fetch: str = "none"
    start: str = "none"
    carry: bool = False
    depth: int = 2  # of the prefetch queue, in batches, where delays carry over

    def __post_init__(self) -> None:
        for name, value, known in (
            ("fetch_align", self.fetch, FETCH_ALIGN),
            ("start_align", self.start, START_ALIGN),
        ):
            if value not in known:
                raise ValueError(f"{name} must be one of {', '.join(known)}, not '{value}'")
        if self.depth < 1:
            raise ValueError(f"a prefetch queue holds at least one batch, not {self.depth}")


@dataclass(frozen=True, slots=True)
class Step:
    """What one step became: per GPU the fetch and the stall, and how long the step took."""

    fetch_start: tuple[float, ...]
    fetch_seconds: tuple[float, ...]
    stall: tuple[float, ...]
    iteration: float


def replay(table: Table, scenario: Scenario) -> tuple[Step, ...]:
    """Each step as it would have been. With `carry` see `_carried`; else each step by itself."""
    if scenario.carry:
        return tuple(_carried(table, scenario))
    steps = []
    for rows in table.steps:
        starts, lengths = _aligned(rows, scenario)
        stalls = [
            _stall(row.stall_seconds, start + length - row.fetch_end)
            for row, start, length in zip(rows, starts, lengths, strict=True)
        ]
        steps.append(Step(tuple(starts), tuple(lengths), tuple(stalls), _iteration(rows, stalls)))
    return tuple(steps)


def _aligned(rows: Sequence[Row], scenario: Scenario) -> tuple[list[float], list[float]]:
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


def _iteration(rows: Sequence[Row], stalls: Sequence[float]) -> float:
    slowest = max(row.stall_seconds for row in rows)
    return max(max(stalls) + row.iteration_seconds - slowest for row in rows)


def _carried(table: Table, scenario: Scenario) -> Iterable[Step]:
    """A prefetch queue of `depth` batches a GPU, and delays that stay.

    GPU i starts to fetch batch k when its fetcher is free and a place in the queue is: when step k - depth
    has begun to train. Where starts are aligned, all wait for the aligned one's moment. The stall of step k
    is what the batch comes later than the end of step k - 1; the step ends for all together.
    """
    gpus = range(len(table.steps[0]))
    free = [0.0 for _ in gpus]  # when each fetcher is done with what it has
    began: list[float] = []  # when each step began to train, its stalls over
    now = 0.0
    for number, rows in enumerate(table.steps):
        _, lengths = _aligned(rows, scenario)
        place = began[number - scenario.depth] if number >= scenario.depth else 0.0
        starts = [max(free[i], place) for i in gpus]
        align = START_ALIGN[scenario.start]
        if align is not None:  # nobody can begin before its fetcher and its queue allow
            starts = [max(align(starts), own) for own in starts]
        free = [start + length for start, length in zip(starts, lengths, strict=True)]
        stalls = [max(end - now, 0.0) for end in free]
        slowest = max(row.stall_seconds for row in rows)
        pure = max(row.iteration_seconds - slowest for row in rows)
        began.append(now + max(stalls))
        now = began[-1] + pure
        yield Step(tuple(starts), tuple(lengths), tuple(stalls), max(stalls) + pure)


def facts(steps: Sequence[Step], skip: int = 10, batch: int = 1) -> dict[str, Any]:
    """Means and sample standard deviations over the steps after the first `skip`, in seconds.

    delay: max - min of the stalls over GPUs. batch: samples a GPU and step; samples_per_s is all samples over
    all time, not a mean of rates. ValueError where fewer than two steps are left.
    """
    kept = steps[skip:]
    if len(kept) < 2:
        raise ValueError(f"{len(steps)} steps less the first {skip} leave fewer than two")
    delays = [max(step.stall) - min(step.stall) for step in kept]
    series = {
        "iteration": [step.iteration for step in kept],
        "stall": [stall for step in kept for stall in step.stall],
        "slowest_stall": [max(step.stall) for step in kept],
        "delay": delays,
        "start_difference": [max(step.fetch_start) - min(step.fetch_start) for step in kept],
        "fetch_difference": [max(step.fetch_seconds) - min(step.fetch_seconds) for step in kept],
    }
    found: dict[str, Any] = {}
    for name, values in series.items():
        found[f"{name}_mean"] = fmean(values)
        found[f"{name}_sd"] = stdev(values)
    found["effective_delay_percent"] = 100 * sum(delay > EFFECTIVE_DELAY for delay in delays) / len(delays)
    samples = batch * len(kept[0].stall) * len(kept)
    found["samples_per_s"] = samples / fsum(step.iteration for step in kept)
    return found


@dataclass(frozen=True, slots=True)
class Job:
    """One scenario of a sweep; plain data, so that it can travel to another process."""

    table: Table
    scenario: Scenario
    skip: int
    batch: int


def run(job: Job) -> dict[str, Any]:
    """The facts of one scenario."""
    return facts(replay(job.table, job.scenario), job.skip, job.batch)


def sweep(
    table: Table,
    map: Callable[..., Iterable[dict[str, Any]]] = map,  # noqa: A002 - an executor's map goes here
    carry: bool = False,
    depth: int = 2,
    skip: int = 10,
    batch: int = 1,
) -> dict[tuple[str, str], dict[str, Any]]:
    """The facts of all nine (fetch_align, start_align). map: any executor's, a cluster's too."""
    scenarios = [Scenario(fetch, start, carry, depth) for fetch in FETCH_ALIGN for start in START_ALIGN]
    found = map(run, [Job(table, scenario, skip, batch) for scenario in scenarios])
    return {(s.fetch, s.start): facts for s, facts in zip(scenarios, found, strict=True)}


def to_timeline(table: Table, steps: Sequence[Step], first: int, count: int) -> Timeline:
    """`count` steps from number `first` on: each GPU's stall, then its training; in ms, from 0."""
    spans: list[Span] = []
    now = 0.0
    for number, step in enumerate(steps[first : first + count], start=first):
        slowest = max(step.stall)
        for lane, stall in enumerate(step.stall):
            spans.append(Span(lane, now, now + 1000 * stall, "stall", microbatch=number))
            start = now + 1000 * slowest
            spans.append(Span(lane, start, now + 1000 * step.iteration, "compute", str(number), -1, number))
        now += 1000 * step.iteration
    return timeline([f"GPU {row.gpu}" for row in table.steps[0]], spans, "ms")
