"""V-Half and V-Min: over a V of two chunks, with half or a third of 1F1B's memory; Qi et al., arXiv:2405.15362.

A building block states in which slot of time each device runs the four operations of a microbatch; the next microbatch
follows six slots later, and weight gradients take the slots left. When it is repeated, it never needs more memory than
its own steady phase. Before and after the steady phase, operations then move into free earlier slots where the memory
allows it, and all slots are squeezed together.
"""

from __future__ import annotations

import heapq
from bisect import insort
from collections import deque
from collections.abc import Callable, Mapping

from figmill_timelines.pipeline.evaluate import Times, needs, run
from figmill_timelines.pipeline.plan import Plan

PERIOD = 6  # slots between microbatches: two forwards, two backwards, two weight gradients
# P x P x M up to which the end of the schedule is improved too; beyond, it takes too long
MOST_MOVES = 40_000

BuildingBlock = Callable[[int, int], tuple[int, int, int, int]]
Slots = dict[int, int]  # slot -> operation, of one device


def half(p: int, i: int) -> tuple[int, int, int, int]:
    """V-Half: the slots of device i for the forwards of its outer and inner chunk, the inner and outer backward."""
    pause = 3 if p % 2 == 0 else 0
    return 2 * i, 3 * p - i - 2, 3 * p + pause + 2 * i - 1, 6 * p + pause - i - 2


def least(p: int, i: int) -> tuple[int, int, int, int]:
    """V-Min: as `half`, as early as the operations of a microbatch can follow each other."""
    pause = 2 if p % 3 == 0 else 0
    return i, 2 * p - i - 1, 2 * p + pause + i, 4 * p + pause - i - 1


def built(block: BuildingBlock, p: int, m: int) -> tuple[Plan, int]:
    """The plan of a building block, and the most chunks' activations that any device holds."""
    stages, size = 2 * p, 2 * p * m
    devices: list[Slots] = []
    for i in range(p):
        outer, inner = i * m, (stages - 1 - i) * m
        places = zip((outer, inner, size + inner, size + outer), block(p, i), strict=True)
        devices.append({at + PERIOD * k: code + k for code, at in places for k in range(m)})
    devices = [_with_weights(slots, size) for slots in devices]
    room = max(_peak(slots, size) for slots in devices)
    devices = _squeezed(p, m, _advanced(p, m, devices, room))
    if p * p * m <= MOST_MOVES:
        bare = [{at: code for at, code in slots.items() if code < 2 * size} for slots in devices]
        devices = [_with_weights(slots, size) for slots in _shortened(p, m, bare, room)]
    return _plan(p, m, devices), room


def _plan(p: int, m: int, devices: list[Slots]) -> Plan:
    return Plan(2 * p, m, tuple(tuple(slots[at] for at in sorted(slots)) for slots in devices))


def _with_weights(slots: Slots, size: int) -> Slots:
    """The slots with each weight gradient in the first free one after its backward, in the order of backwards."""
    filled, waiting = dict(slots), deque[int]()
    at, last = 0, max(slots)
    while at <= last or waiting:
        code = slots.get(at)
        if code is None:
            if waiting:
                filled[at] = waiting.popleft() + size
        elif code >= size:
            waiting.append(code)
        at += 1
    return filled


def _peak(slots: Mapping[int, int], size: int) -> int:
    held = peak = 0
    for at in sorted(slots):
        held += _change(slots[at], size)
        peak = max(peak, held)
    return peak


def _change(code: int, size: int) -> int:
    return 1 if code < size else -1 if code >= 2 * size else 0


def _squeezed(p: int, m: int, devices: list[Slots]) -> list[Slots]:
    """The same orders with every operation as early as it can be, in slots of one unit."""
    plan, unit = _plan(p, m, devices), (1.0,) * (2 * p)
    start = run(plan, Times(unit, unit, unit, unit)).start
    return [{round(start[code]): code for code in order} for order in plan.orders]


def _phases(p: int, m: int, devices: list[Slots]) -> list[tuple[int, int, int, int]]:
    """(slot, device, operation, phase) in the order of time; phase 1 is steady, 0 is before it and 2 after it.

    It is steady from device 0's first backward of stage 0 to the next time that a device ends the forwards of its outer
    chunk. With few microbatches, device 0 itself ends them before its first backward.
    """
    size, phase, phases = 2 * p * m, 0, []
    rows = heapq.merge(*([(at, i, slots[at]) for at in sorted(slots)] for i, slots in enumerate(devices)))
    for at, i, code in rows:
        phase = 1 if phase == 0 and code == size else phase
        phases.append((at, i, code, phase))
        phase = 2 if phase == 1 and code < size // 2 and code % m == m - 1 else phase
    return phases


def _earliest(plan: Plan, when: Mapping[int, int], code: int) -> int:
    """The first slot after all needs of an operation, and after the same operation of the microbatch before."""
    before = (code - 1,) if code % plan.microbatches else ()
    return max((when[n] for n in (*needs(plan, code), *before)), default=-1) + 1


def _advanced(p: int, m: int, devices: list[Slots], room: int) -> list[Slots]:
    """All operations outside the steady phase in the first free slot where they can run, within `room`.

    A device's n-th weight gradient runs after its n-th backward, whichever microbatch that is of.
    """
    size, plan = 2 * p * m, _plan(p, m, devices)
    moved = [dict(slots) for slots in devices]
    when = {code: at for slots in devices for at, code in slots.items()}
    held = [_profile(slots, size) for slots in devices]  # activations held from each slot on
    backwards = [sorted(at for at, code in slots.items() if size <= code < 2 * size) for slots in devices]
    weights: list[list[int]] = [[] for _ in devices]
    for at, i, code, phase in _phases(p, m, devices):
        is_weight, to = code >= 2 * size, at
        if phase != 1:
            if is_weight:
                first = max(backwards[i][len(weights[i])], *weights[i][-1:], -1) + 1
            else:
                first = _earliest(plan, when, code)
            change = _change(code, size)
            free = (slot for slot in range(first, at) if slot not in moved[i])
            to = next((slot for slot in free if change <= 0 or max(held[i][slot:at]) < room), at)
            del moved[i][at]
            moved[i][to], when[code] = code, to
            for slot in range(to, at):
                held[i][slot] += change
        if is_weight:
            weights[i].append(to)
        elif code >= size and to < at:
            backwards[i].remove(at)
            insort(backwards[i], to)
    return [_named(slots, size) for slots in moved]


def _named(slots: Slots, size: int) -> Slots:
    """The weight gradients in the order of their backwards."""
    named, waiting = dict(slots), deque[int]()
    for at in sorted(slots):
        code = slots[at]
        if code >= 2 * size:
            named[at] = waiting.popleft() + size
        elif code >= size:
            waiting.append(code)
    return named


def _profile(slots: Slots, size: int) -> list[int]:
    profile, held = [], 0
    for at in range(max(slots) + 1):
        held += _change(slots[at], size) if at in slots else 0
        profile.append(held)
    return profile


def _shortened(p: int, m: int, devices: list[Slots], room: int) -> list[Slots]:
    """As `_advanced`, for the phase after the steady one; weight gradients may go anywhere."""
    size, plan = 2 * p * m, _plan(p, m, devices)
    moved = list(devices)
    when = {code: at for slots in devices for at, code in slots.items()}
    for at, i, code, phase in _phases(p, m, devices):
        if phase < 2:
            continue
        for earlier in range(_earliest(plan, when, code), at):
            if earlier in moved[i]:
                continue
            trial = {slot: op for slot, op in moved[i].items() if slot != at} | {earlier: code}
            if _peak(_with_weights(trial, size), size) <= room:
                moved[i], when[code] = trial, earlier
                break
    return moved
