"""When each operation of a plan runs: the longest path over device orders and data dependencies.

This module does not know the schedules. An operation starts as soon as its device is free and the operations that it
needs are done. The forward of stage s needs that of s-1; a backward needs its own forward and the backward of s+1; a
weight gradient needs its own backward. Each edge between two devices has a lag; an edge within a device has none.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from figmill_timelines.pipeline.plan import Plan
from figmill_timelines.spans import Span, Timeline


class DeadlockError(ValueError):
    """The order can never run.

    - cycle: the operations that wait for each other; the last is the first one again.
    """

    def __init__(self, message: str, cycle: tuple[str, ...] = ()) -> None:
        super().__init__(message)
        self.cycle = cycle


@dataclass(frozen=True, slots=True)
class Times:
    """The durations of operations, an entry for each stage.

    - overlapped: of a forward and a backward that run together.
    """

    forward: tuple[float, ...]
    backward: tuple[float, ...]
    backward_input: tuple[float, ...]
    backward_weight: tuple[float, ...]
    overlapped: float | None = None  # None: the sum of its two


@dataclass(frozen=True, slots=True)
class Clock:
    """Start, end and device of every operation by its code; device -1 means that no device runs it.

    - holding: operations after which their device waits until their result has arrived.
    """

    start: Sequence[float]
    end: Sequence[float]
    device: Sequence[int]
    holding: frozenset[int] = frozenset()


def needs(plan: Plan, code: int) -> tuple[int, ...]:
    """The codes of the operations whose results this one reads."""
    size, m = plan.stages * plan.microbatches, plan.microbatches
    if code < size:
        return (code - m,) if code >= m else ()
    if code < 2 * size - m:
        return code - size, code + m
    return (code - size,)


def run(plan: Plan, times: Times, p2p: float = 0.0, holding: frozenset[int] = frozenset()) -> Clock:
    """Run every operation as early as its device's order and its needs allow, in O(operations).

    p2p: the lag on each edge between devices. A device runs until an operation that it needs is not done; the end of
    that operation wakes it. DeadlockError if a device never wakes, or if the plan lacks an operation that another
    needs. The inner loop repeats `needs` inline, since it runs half a million times for P = 256 and M = 1024.
    """
    size, m = plan.stages * plan.microbatches, plan.microbatches
    last_stage = 2 * size - m
    duration = _durations(plan, times)
    never = -1.0
    start, end = [never] * len(duration), [never] * len(duration)
    device = [-1] * len(duration)
    for lane, order in enumerate(plan.orders):
        for code in order:
            device[code] = lane
            if code in plan.pairs:
                device[plan.pairs[code]] = lane
    asleep: dict[int, int] = {}  # operation -> the device that waits for it; never two
    clock = [0.0] * len(plan.orders)
    position = [0] * len(plan.orders)
    awake = list(range(len(plan.orders)))
    while awake:
        lane = awake.pop()
        order, now = plan.orders[lane], clock[lane]
        for index in range(position[lane], len(order)):
            code = order[index]
            pair = plan.pairs.get(code) if plan.pairs else None
            begin, missing = now, -1
            for part in (code,) if pair is None else (code, pair):
                if part < size:
                    local, across = -1, part - m
                else:
                    local, across = part - size, part + m if part < last_stage else -1
                if local >= 0 and end[local] > begin:
                    begin = end[local]
                elif local >= 0 and end[local] < 0:
                    missing = local
                if across >= 0:
                    ready = end[across]
                    if ready < 0:
                        missing = across
                    else:
                        if p2p and device[across] != lane:
                            ready += p2p
                        if ready > begin:
                            begin = ready
            if missing >= 0:
                asleep[missing] = lane
                position[lane] = index
                break
            start[code] = begin
            now = end[code] = begin + duration[code]
            if code in asleep:
                awake.append(asleep.pop(code))
            if pair is not None:
                start[pair], end[pair] = begin, now
                if pair in asleep:
                    awake.append(asleep.pop(pair))
            if code in holding:
                now += p2p
        else:
            position[lane] = len(order)
        clock[lane] = now
    clocked = Clock(start, end, device, holding)
    if any(at < len(order) for at, order in zip(position, plan.orders, strict=True)):
        raise _deadlock(plan, clocked, position)
    return clocked


def _durations(plan: Plan, times: Times) -> list[float]:
    m, size = plan.microbatches, plan.stages * plan.microbatches
    duration = [
        value
        for values in (times.forward, times.backward, times.backward_weight)
        for value in values
        for _ in range(m)
    ]
    for order in plan.orders:
        for code in order:
            if code >= 2 * size:
                duration[code - size] = times.backward_input[(code - 2 * size) // m]
    for first, second in plan.pairs.items():
        # two forwards at once are one forward of twice the size
        overlap = None if second < size else times.overlapped
        together = duration[first] + duration[second] if overlap is None else overlap
        duration[first] = duration[second] = together
    return duration


def _deadlock(plan: Plan, clock: Clock, position: Sequence[int]) -> DeadlockError:
    """Follow who waits for whom until a device appears again."""
    lane = next(i for i, at in enumerate(position) if at < len(plan.orders[i]))
    seen: dict[int, int] = {}
    chain: list[str] = []
    while lane not in seen:
        seen[lane] = len(chain)
        code = plan.orders[lane][position[lane]]
        parts = (code, plan.pairs[code]) if code in plan.pairs else (code,)
        reader, wanted = next((part, n) for part in parts for n in needs(plan, part) if clock.end[n] < 0)
        chain.append(f"{plan.name(reader)} (device {lane}) needs {plan.name(wanted)}")
        if clock.device[wanted] < 0:
            return DeadlockError(f"{chain[-1]}, which no device runs", (plan.name(reader), plan.name(wanted)))
        lane = clock.device[wanted]
        if wanted != plan.orders[lane][position[lane]]:
            chain[-1] += (
                f", which device {lane} runs only after {plan.name(plan.orders[lane][position[lane]])}"
            )
    cycle = chain[seen[lane] :]
    names = tuple(step.split()[0] for step in cycle)
    return DeadlockError("the order can never run: " + "; ".join(cycle), (*names, names[0]))


KINDS = ("forward", "backward", "backward_weight")


@contextmanager
def _without_collector() -> Iterator[None]:
    """Pause the cycle collector: its passes over half a million tuples would take longer than their creation."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


@_without_collector()
def to_timeline(plan: Plan, clock: Clock, p2p: float = 0.0, unit: str = "") -> Timeline:
    """The timeline of a plan that was run: its spans, its idle time by cause, and one critical path."""
    size, m = plan.stages * plan.microbatches, plan.microbatches
    split = {code - size for order in plan.orders for code in order if code >= 2 * size}
    labels = [str(microbatch) for microbatch in range(m)]
    start, end, pairs, up_from, make = clock.start, clock.end, plan.pairs, plan.up_from, Span._make
    chunks = [stage // len(plan.orders) for stage in range(plan.stages)]
    finish = max((end[order[-1]] for order in plan.orders if order), default=0.0)
    spans: list[Span] = []
    idle: list[Span] = []
    for lane, order in enumerate(plan.orders):
        now = 0.0
        for code in order:
            begin, done = start[code], end[code]
            if begin > now:
                idle += _gap(plan, clock, lane, code, now, p2p)
            now = done
            if code in clock.holding and now < finish:
                now = min(done + p2p, finish)
                idle.append(Span(lane, done, now, "p2p"))
            pair = pairs.get(code) if pairs else None
            for part, row in ((code, 0),) if pair is None else ((code, 1), (pair, 2)):
                stage, microbatch = divmod(part % size, m)
                kind = "backward_input" if part in split else KINDS[part // size]
                chunk = chunks[stage] if up_from is None else int(microbatch >= up_from)
                spans.append(
                    make((lane, begin, done, kind, labels[microbatch], stage, microbatch, chunk, row))
                )
        if now < finish:
            idle.append(Span(lane, now, finish, "tail" if order else "waiting"))
    lanes = tuple(f"GPU {lane}" for lane in range(len(plan.orders)))
    return Timeline(lanes, tuple(spans), tuple(idle), unit, _critical(plan, clock, p2p))


def _gap(plan: Plan, clock: Clock, lane: int, code: int, since: float, p2p: float) -> Iterator[Span]:
    """The gaps of `lane` from `since` to the start of `code`, by cause: warm-up, dependency, transfer."""
    begin = clock.start[code]
    if code == plan.orders[lane][0]:
        yield Span(lane, since, begin, "warm-up")
        return
    arrived = begin
    if p2p and any(
        _binds(plan, clock, p2p, n, code) and clock.device[n] != lane for n in _all_needs(plan, code)
    ):
        arrived = max(since, begin - p2p)
    if since < arrived:
        yield Span(lane, since, arrived, "dependency")
    if arrived < begin:
        yield Span(lane, arrived, begin, "p2p")


def _all_needs(plan: Plan, code: int) -> tuple[int, ...]:
    return needs(plan, code) + (needs(plan, plan.pairs[code]) if code in plan.pairs else ())


def _binds(plan: Plan, clock: Clock, p2p: float, need: int, code: int) -> bool:
    """Whether `code` starts exactly when the result of `need` arrives."""
    lag = p2p if clock.device[need] != clock.device[code] else 0.0
    return clock.end[need] + lag == clock.start[code]


def _critical(plan: Plan, clock: Clock, p2p: float) -> tuple[int, ...]:
    """One longest chain of operations from 0 to the last end, as indices of spans.

    Times are compared exactly, since a start was copied from an end, or from an end plus the lag.
    """
    before, index = [-1] * len(clock.end), [-1] * len(clock.end)
    count = 0
    for order in plan.orders:
        previous = -1
        for code in order:
            before[code] = previous
            index[code] = count
            count += 2 if code in plan.pairs else 1
            previous = code
    # The order holds only the first of a pair: its second maps to it.
    in_order = {pair: code for code, pair in plan.pairs.items()}
    ends = [order[-1] for order in plan.orders if order]
    code = max(ends, key=lambda op: clock.end[op], default=-1)
    path: list[int] = []
    while code >= 0:
        path.append(index[code])
        if clock.start[code] <= 0:
            break
        follows = (n for n in _all_needs(plan, code) if _binds(plan, clock, p2p, n, code))
        # prefer data to the device's order: the path then shows how work moves
        need = next(follows, before[code])
        code = in_order.get(need, need)
    return tuple(reversed(path))
