"""Chimera, its forward doubling, and Hanayo's waves: orders that are laid out in slots of equal length.

With S stages, a block has the forward of stage s for its n-th microbatch in slot s + 2n, or the backward in slot
S - 1 - s + 2n. Blocks follow each other S slots apart. The stages of a device have slots of both parities, and those
of one block end where those of the next begin: blocks of either kind fit together without a gap.
"""

from __future__ import annotations

from collections.abc import Iterable

from figmill_timelines.pipeline.plan import Plan

TimedOperation = tuple[int, int]  # when, and the code of the operation


def chimera(p: int, m: int, v: int = 1) -> Plan:
    """Chimera, units of P microbatches directly concatenated: Li and Hoefler, arXiv:2107.06925.

    A unit is a block of forwards and one of backwards, each of P/2 microbatches in both directions.
    """
    slots: list[list[TimedOperation]] = [[] for _ in range(p)]
    for pipe in (0, m // 2):
        devices = _down_or_up(p, pipe)
        for unit in range(m // p):
            first = pipe + unit * (p // 2)
            block = range(first, first + p // 2)
            _put(slots, devices, 2 * unit, m, forwards=block)
            _put(slots, devices, 2 * unit + 1, m, backwards=block)
    return Plan(p, m, _in_order(slots), up_from=m // 2)


def chimera_doubling(p: int, m: int, v: int = 1) -> Plan:
    """Chimera with forward doubling: Li and Hoefler, arXiv:2107.06925, section 3.5.

    A forward is of two microbatches, and so takes as long as a backward of one, if that takes twice as long as a
    forward. A unit of 2P microbatches is a block of doubled forwards and two of backwards. The rest of M, P
    microbatches, is a plain unit of Chimera.
    """
    slots: list[list[TimedOperation]] = [[] for _ in range(p)]
    pairs: dict[int, int] = {}
    half = p // 2
    for pipe in (0, m // 2):
        devices, number = _down_or_up(p, pipe), 0
        for first in range(0, m // 2, p):
            many = min(p, m // 2 - first)
            start = pipe + first
            if many == p:
                _put(slots, devices, number, m, forwards=range(start, start + p, 2))
                pairs |= {s * m + n: s * m + n + 1 for s in range(p) for n in range(start, start + p, 2)}
            else:
                _put(slots, devices, number, m, forwards=range(start, start + half))
            for offset in range(0, many, half):
                number += 1
                _put(slots, devices, number, m, backwards=range(start + offset, start + offset + half))
            number += 1
    return Plan(p, m, _in_order(slots), pairs, up_from=m // 2)


def hanayo(p: int, m: int, v: int = 2) -> Plan:
    """Hanayo's waves, v/2 of them: Liu, Cheng, Zhou and You, SC 2023, arXiv:2308.15762.

    A wave goes down the devices and up again. One wave is one of Chimera's two pipelines over 2P devices, folded in the
    middle, so that no device holds weights twice. A unit is of P microbatches.
    """
    devices = [n if wave % 2 == 0 else p - 1 - n for wave in range(v) for n in range(p)]
    slots: list[list[TimedOperation]] = [[] for _ in range(p)]
    for first in range(0, m, p):
        block = range(first, min(first + p, m))
        _put(slots, devices, 2 * (first // p), m, forwards=block)
        _put(slots, devices, 2 * (first // p) + 1, m, backwards=block)
    return Plan(p * v, m, _in_order(slots))


def _down_or_up(p: int, pipe: int) -> list[int]:
    """The device of each stage, in the downward pipeline (0) or the upward one (any other number)."""
    return list(reversed(range(p))) if pipe else list(range(p))


def _put(
    slots: list[list[TimedOperation]],
    devices: list[int],
    number: int,
    m: int,
    forwards: Iterable[int] = (),
    backwards: Iterable[int] = (),
) -> None:
    """Add the operations of the block with this number. devices: of each stage."""
    stages = len(devices)
    for stage, device in enumerate(devices):
        at = number * stages
        slots[device] += (
            (at + stage + 2 * n, stage * m + microbatch) for n, microbatch in enumerate(forwards)
        )
        slots[device] += (
            (at + stages - 1 - stage + 2 * n, (stages + stage) * m + microbatch)
            for n, microbatch in enumerate(backwards)
        )


def _in_order(slots: list[list[TimedOperation]]) -> tuple[tuple[int, ...], ...]:
    return tuple(tuple(code for _, code in sorted(row)) for row in slots)
