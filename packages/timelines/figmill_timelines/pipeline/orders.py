"""The order in which each device of a pipeline runs its operations, for each published schedule.

An order does not contain times: `evaluate` computes them. A function takes devices P, microbatches M and chunks per
device v, and returns a Plan. `schedules` knows the shapes for which it is defined. Each function names its paper.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from figmill_timelines.pipeline.dualpipe import dualpipe, dualpipe_v
from figmill_timelines.pipeline.plan import Plan
from figmill_timelines.pipeline.slotted import chimera, chimera_doubling, hanayo

__all__ = [
    "Plan",
    "chimera",
    "chimera_doubling",
    "dualpipe",
    "dualpipe_v",
    "gpipe",
    "hanayo",
    "interleaved",
    "interleaved_overlap",
    "interleaved_zb",
    "looped_bfs",
    "one_f_one_b",
    "one_f_one_b_overlap",
    "zb_h1",
    "zb_v",
]


def gpipe(p: int, m: int, v: int = 1) -> Plan:
    """All forwards, then all backwards: Huang et al., arXiv:1811.06965."""
    return _plan(p, m, [(*_forwards(i, m), *_backwards(p, i, m)) for i in range(p)])


def one_f_one_b(p: int, m: int, v: int = 1) -> Plan:
    """PipeDream-flush: Narayanan et al., arXiv:2006.09503. Device i runs P-1-i forwards ahead."""
    return _plan(p, m, [_alternating(_forwards(i, m), _backwards(p, i, m), p - 1 - i) for i in range(p)])


def interleaved(p: int, m: int, v: int = 1, group: int | None = None) -> Plan:
    """Megatron-LM's interleaved 1F1B: Narayanan et al., arXiv:2104.04473. Stage = chunk x P + device.

    group: microbatches of a chunk before the next chunk (see `grouping`), P by default.
    """
    group = group or p
    looped = [_looped(p, m, v, i, group) for i in range(p)]
    return _plan(
        p * v, m, [_alternating(f, b, 2 * (p - 1 - i) + (v - 1) * group) for i, (f, b) in enumerate(looped)]
    )


def looped_bfs(p: int, m: int, v: int = 1) -> Plan:
    """Breadth first, all microbatches of a chunk before the next chunk: Lamy-Poirier, arXiv:2211.05953."""
    stages = p * v
    return _plan(
        stages,
        m,
        [
            (
                *(code for stage in range(i, stages, p) for code in _forwards(stage, m)),
                *(code for stage in reversed(range(i, stages, p)) for code in _backwards(stages, stage, m)),
            )
            for i in range(p)
        ],
    )


def zb_h1(p: int, m: int, v: int = 1) -> Plan:
    """ZB-H1: Qi et al., arXiv:2401.10241. On device i the weight gradients lag i microbatches behind."""
    return _plan(
        p, m, [_zero_bubble(_forwards(i, m), _backwards(p, i, m), p * m, p - 1 - i, i) for i in range(p)]
    )


def interleaved_zb(p: int, m: int, v: int = 1, group: int | None = None) -> Plan:
    """ZB-H1 over looped chunks: Qi et al., arXiv:2401.10241; half of Megatron's warm-up, for v P activations."""
    size, group = p * v * m, group or p
    looped = [_looped(p, m, v, i, group) for i in range(p)]
    return _plan(
        p * v,
        m,
        [_zero_bubble(f, b, size, p - 1 - i + (v - 1) * group, i) for i, (f, b) in enumerate(looped)],
    )


def zb_v(p: int, m: int, v: int = 2) -> Plan:
    """ZB-V: Qi et al., arXiv:2401.10241, section 6: two chunks a device, stages i and 2P-1-i.

    The order is built for at least 2P-1 microbatches. With fewer, the operations of the missing ones are left
    out, which cannot make an order circular.
    """
    return _plan(2 * p, m, [tuple(_zb_v_device(p, m, i)) for i in range(p)])


def _zb_v_device(p: int, m: int, i: int) -> Iterator[int]:
    full = max(m, 2 * p - 1)
    outer, inner = i, 2 * p - 1 - i
    size = 2 * p * m
    done = {(kind, stage): 0 for kind in "FBW" for stage in (outer, inner)}

    def turn(text: str) -> Iterator[int]:
        """`F0 B1 W1`: the next forward of the outer chunk, then backward and weights of the inner."""
        for word in text.split():
            kind, stage = word[0], (outer, inner)[int(word[1])]
            microbatch = done[kind, stage]
            done[kind, stage] += 1
            if microbatch < m:
                yield "FBW".index(kind) * size + stage * m + microbatch

    for _ in range(2 * (p - i) - 1):
        yield from turn("F0")
    for _ in range(i):
        yield from turn("F1 F0")
    for _ in range(p - i):
        yield from turn("F1 B1 W1")
    while done["F", inner] < full:
        yield from turn("F0 B0 W0 F1 B1 W1" if done["F", outer] < full else "B0 W0 F1 B1 W1")
    for _ in range(i):
        yield from turn("B0 B1")
    for _ in range(p - i):
        yield from turn("B0 W0")
    for _ in range(full - done["W", inner]):
        yield from turn("W1")
    for _ in range(full - done["W", outer]):
        yield from turn("W0")


def one_f_one_b_overlap(p: int, m: int, v: int = 1) -> Plan:
    """1F1B whose steady forward and backward run together, each hiding the other's communication.

    The warm-up is twice that of 1F1B, so that a pair has both its inputs: Megatron-Core's batch-level overlap.
    """
    return _overlapped(p, m, [(_forwards(i, m), _backwards(p, i, m), 2 * (p - i) - 1) for i in range(p)])


def interleaved_overlap(p: int, m: int, v: int = 1, group: int | None = None) -> Plan:
    """Megatron's interleaved 1F1B with one more warm-up forward, then overlapped pairs (Megatron-Core)."""
    group = group or p
    looped = [_looped(p, m, v, i, group) for i in range(p)]
    return _overlapped(
        p * v, m, [(f, b, 2 * (p - 1 - i) + (v - 1) * group + 1) for i, (f, b) in enumerate(looped)]
    )


def _plan(stages: int, m: int, orders: Sequence[Sequence[int]]) -> Plan:
    return Plan(stages, m, tuple(map(tuple, orders)))


def _forwards(stage: int, m: int) -> range:
    return range(stage * m, stage * m + m)


def _backwards(stages: int, stage: int, m: int) -> range:
    return range((stages + stage) * m, (stages + stage + 1) * m)


def _looped(p: int, m: int, v: int, i: int, group: int) -> tuple[list[int], list[int]]:
    """Device i's forwards and backwards in Megatron's order: a group of a chunk, then the next chunk."""
    stages = p * v
    groups = [range(first, min(first + group, m)) for first in range(0, m, group)]
    forwards = [
        stage * m + microbatch
        for microbatches in groups
        for stage in range(i, stages, p)
        for microbatch in microbatches
    ]
    backwards = [
        (stages + stage) * m + microbatch
        for microbatches in groups
        for stage in reversed(range(i, stages, p))
        for microbatch in microbatches
    ]
    return forwards, backwards


def _alternating(forwards: Sequence[int], backwards: Sequence[int], ahead: int) -> tuple[int, ...]:
    """`ahead` forwards, then a forward and a backward in turn, then the remaining backwards."""
    steady = forwards[ahead:]
    turns = [code for turn in zip(steady, backwards, strict=False) for code in turn]
    return (*forwards[:ahead], *turns, *backwards[len(steady) :])


def _zero_bubble(
    forwards: Sequence[int], backwards: Sequence[int], size: int, ahead: int, delay: int
) -> tuple[int, ...]:
    """As `_alternating`, but each turn ends with the weight gradient of `delay` backwards ago."""
    turns: list[int] = []
    steady = forwards[ahead:]
    for n, backward in enumerate(backwards):
        turns += steady[n : n + 1]
        turns.append(backward)
        if n >= delay:
            turns.append(backwards[n - delay] + size)
    late = backwards[max(0, len(backwards) - delay) :]
    return (*forwards[:ahead], *turns, *(backward + size for backward in late))


def _overlapped(stages: int, m: int, devices: Sequence[tuple[Sequence[int], Sequence[int], int]]) -> Plan:
    """On each device `ahead` forwards, then pairs of a forward and a backward, then the remaining backwards."""
    pairs: dict[int, int] = {}
    orders = []
    for forwards, backwards, ahead in devices:
        steady = forwards[ahead:]
        pairs.update(zip(steady, backwards, strict=False))
        orders.append((*forwards, *backwards[len(steady) :]))
    return Plan(stages, m, tuple(orders), pairs)
