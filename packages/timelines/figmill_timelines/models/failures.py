"""Checkpoints against failures: their interval, the lost time, and a job with crashes as a timeline.

Failures happen at random with mean time M between them; n nodes of mean m have M = m / n. A checkpoint takes d, a
restart R, and a job computes t between checkpoints. The lost time is least at about

    Young 1974    t = sqrt(2 d M)
    Daly 2006     t = sqrt(2 d M) (1 + sqrt(d / (2 M)) / 3 + d / (18 M)) - d, for d < 2 M; else M

A segment of t and its checkpoint takes M e^(R/M) (e^((t+d)/M) - 1) on average, restarts that fail included (Daly, A
higher order estimate of the optimum checkpoint interval for restart dumps, FGCS 22, 2006, equation 20). Its best t,
where 1 - t / M = e^(-(t+d)/M), is found by halving. That is of a job without an end; a job that ends has a last,
shorter segment, and no checkpoint after it.
"""

from __future__ import annotations

import math
import random
from collections.abc import Iterator
from dataclasses import dataclass
from math import fsum
from typing import Any

from figmill_timelines.spans import Span, Timeline

MOST_FAILURES = 20_000


@dataclass(frozen=True, slots=True)
class FailureModel:
    """Times in seconds.

    - checkpoint: to write one.
    - restart: from a crash until work continues.
    - mtbf: mean, between failures.
    """

    checkpoint: float
    restart: float
    mtbf: float


def young(machine: FailureModel) -> float:
    """Young's interval: seconds of computing between checkpoints."""
    return math.sqrt(2 * machine.checkpoint * machine.mtbf)


def daly(machine: FailureModel) -> float:
    """Daly's interval, of higher order."""
    ratio = machine.checkpoint / (2 * machine.mtbf)
    if ratio >= 1:
        return machine.mtbf
    return young(machine) * (1 + math.sqrt(ratio) / 3 + ratio / 9) - machine.checkpoint


def best(machine: FailureModel) -> float:
    """The interval with the least expected time."""
    low, high = 0.0, machine.mtbf
    for _ in range(200):
        middle = (low + high) / 2
        # 1 - e^..., exact where it is small
        left = -math.expm1(-(middle + machine.checkpoint) / machine.mtbf)
        low, high = (middle, high) if middle / machine.mtbf < left else (low, middle)
    return (low + high) / 2


def slowdown(machine: FailureModel, interval: float) -> float:
    """The expected time for each second of work; infinite if no segment would ever end."""
    m = machine.mtbf
    power = (machine.restart + interval + machine.checkpoint) / m
    if power > 600:
        return math.inf
    return m * math.exp(machine.restart / m) * math.expm1((interval + machine.checkpoint) / m) / interval


def lost(machine: FailureModel, interval: float) -> float:
    """The share of all time that is not lasting work."""
    return 1 - 1 / slowdown(machine, interval)


def expected(machine: FailureModel, work: float, interval: float) -> float:
    """The mean seconds until a job of `work` seconds ends; infinite if a segment would hardly ever end."""
    segments = _segments(work, interval)
    m, last = machine.mtbf, work - (segments - 1) * interval
    longest = max(last, interval + machine.checkpoint if segments > 1 else 0.0)
    if (machine.restart + longest) / m > 600:
        return math.inf
    whole = (segments - 1) * math.expm1((interval + machine.checkpoint) / m)
    return m * math.exp(machine.restart / m) * (whole + math.expm1(last / m))


def _segments(work: float, interval: float) -> int:
    """The number of segments of a job; the last one may be shorter."""
    return max(1, math.ceil(work / interval * (1 - 1e-12)))


def crashes(machine: FailureModel, seed: int) -> Iterator[float]:
    """The times of failures, from 0 on. They depend on the seed alone, so every interval meets the same failures."""
    source = random.Random(seed)
    now = 0.0
    while True:
        now += -math.log1p(-source.random()) * machine.mtbf
        yield now


@dataclass(frozen=True, slots=True)
class JobRun:
    """A job.

    - failures: their times up to the end of the job.
    """

    timeline: Timeline
    failures: tuple[float, ...]


def simulated(machine: FailureModel, work: float, interval: float, seed: int, lane: str = "Job") -> JobRun:
    """A job of `work` seconds. A checkpoint follows each segment but the last; a crash loses the work since then.

    ValueError if the job does not end within MOST_FAILURES failures.
    """
    coming = crashes(machine, seed)
    crash, met = next(coming), list[float]()
    spans: list[Span] = []
    segments, done, now = _segments(work, interval), 0, 0.0
    while done < segments:
        last = done == segments - 1
        end = now + (work - done * interval if last else interval)
        saved = end if last else end + machine.checkpoint
        if saved <= crash:
            spans += [Span(0, now, end, "work"), Span(0, end, saved, "checkpoint")]
            now, done = saved, done + 1
            continue
        if crash > now:
            spans.append(Span(0, now, crash, "lost work"))
        up = crash
        while crash <= up:  # a crash during a restart starts it again
            if crash > now:
                now = crash
            met.append(crash)
            if len(met) > MOST_FAILURES:
                raise ValueError(
                    "the job never ends: a failure comes before nearly every checkpoint; "
                    "make intervals_s, checkpoint_s or restart_s shorter, or failures rarer"
                )
            if len(met) > 1 and spans[-1].kind == "restart" and spans[-1].end > crash:
                spans[-1] = spans[-1]._replace(end=crash)
            up = crash + machine.restart
            if machine.restart:
                spans.append(Span(0, crash, up, "restart"))
            crash = next(coming)
        now = up
    return JobRun(
        Timeline((lane,), tuple(span for span in spans if span.end > span.start), (), "s"), tuple(met)
    )


def facts(machine: FailureModel) -> dict[str, Any]:
    """The intervals of the three rules, and the share that is lost with each."""
    intervals = {"young": young(machine), "daly": daly(machine), "best": best(machine)}
    stated: dict[str, Any] = {"mtbf_s": machine.mtbf}
    stated |= {f"{name}_s": interval for name, interval in intervals.items()}
    return stated | {f"lost_{name}": lost(machine, interval) for name, interval in intervals.items()}


def run_facts(run: JobRun, work: float) -> dict[str, Any]:
    """The facts of a simulated job: how its time was spent."""
    end = run.timeline.makespan
    spent = {
        kind: fsum(s.end - s.start for s in run.timeline.spans if s.kind == kind)
        for kind in ("lost work", "checkpoint", "restart")
    }
    return {
        "failures": len(run.failures),
        "wall_s": end,
        "lost_work_s": spent["lost work"],
        "checkpoints_s": spent["checkpoint"],
        "checkpoints_fraction": spent["checkpoint"] / end,
        "restarts_s": spent["restart"],
        "lost_here": 1 - work / end,
    }
