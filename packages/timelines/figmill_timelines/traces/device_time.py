"""How long a device works, computes, communicates or is idle, over all its lanes.

A device is idle while none of its lanes works. Communication is hidden while the device also computes, as in
HolisticTraceAnalysis: (communication and computing at once) / communication. Times are counted in whole ticks, so that
sums are exact and two spans that touch leave no gap.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from figmill_timelines.traces.columns import CHUNK, LaneArrays

# Kinds of work that are neither computing nor communication; any other kind is computing.
COMMUNICATION, COPYING = frozenset({"communication"}), frozenset({"memory"})

TICKS = 12  # decimal digits of the number of ticks in the whole time


@dataclass(frozen=True, slots=True)
class DeviceTime:
    """Times of one device within `length`, in the timeline's unit.

    - idle: no lane works.
    - hidden: the communication while the device also computes.
    """

    name: str
    length: float
    idle: float
    computing: float
    communication: float
    hidden: float


def measure(
    name: str, lanes: Sequence[LaneArrays], kinds: Sequence[str], length: float, origin: float, scale: float
) -> DeviceTime:
    """The times of a device whose lanes hold these spans, all between `origin` and `length` after it.

    kinds: of each number in the lanes' third column. A time t of the lanes is (t - origin) x scale after 0.
    """
    per_unit = min(300, TICKS - 1 - math.floor(math.log10(length))) if length > 0 else 0
    communicates = np.array([kind in COMMUNICATION for kind in kinds], dtype=bool)
    computes = np.array([kind not in COMMUNICATION | COPYING for kind in kinds], dtype=bool)
    wanted: Mapping[str, Any] = {
        "busy": np.ones(len(kinds), dtype=bool),
        "computing": computes,
        "communication": communicates,
        "either": communicates | computes,
    }
    ticks, reached = dict.fromkeys(wanted, 0), dict.fromkeys(wanted, 0)
    last = _ticks(np.array([length]), per_unit)[0]
    for starts, ends, what in _by_start(lanes):
        start, end = (
            np.clip(_ticks((times - origin) * scale, per_unit), 0, last) for times in (starts, ends)
        )
        for counted, chosen in wanted.items():
            mask = chosen[what]
            if mask.any():
                more, reached[counted] = _covered(start[mask], end[mask], reached[counted])
                ticks[counted] += more
    computing, communication = ticks["computing"], ticks["communication"]
    measures = (
        int(last),
        int(last) - ticks["busy"],
        computing,
        communication,
        computing + communication - ticks["either"],
    )
    return DeviceTime(name, *(_time(counted, per_unit) for counted in measures))


def _ticks(times: Any, per_unit: int) -> Any:
    factor = 10.0 ** abs(per_unit)
    return np.rint(times * factor if per_unit >= 0 else times / factor).astype(np.int64)


def _time(ticks: int, per_unit: int) -> float:
    """Ticks as a time; by division, so that a short decimal stays short."""
    return ticks / 10**per_unit if per_unit >= 0 else float(ticks * 10**-per_unit)


def _covered(start: Any, end: Any, reached: int) -> tuple[int, int]:
    """How many ticks after `reached` these spans, sorted by start, cover; and the last covered tick."""
    latest = np.maximum(np.maximum.accumulate(end), reached)
    before = np.concatenate(([reached], latest[:-1]))
    return int((latest - np.maximum(start, before)).clip(0).sum()), int(latest[-1])


def _by_start(lanes: Sequence[LaneArrays]) -> Iterator[LaneArrays]:
    """The spans of several lanes in the order of their starts, in chunks; each lane is sorted already."""
    taken = [0] * len(lanes)
    most = max(1, CHUNK // max(1, len(lanes)))
    while True:
        left = [n for n, (start, _, _) in enumerate(lanes) if taken[n] < len(start)]
        if not left:
            return
        until = min(lanes[n][0][min(taken[n] + most, len(lanes[n][0])) - 1] for n in left)
        pieces = []
        for n in left:
            stop = taken[n] + int(np.searchsorted(lanes[n][0][taken[n] :], until, side="right"))
            pieces.append(tuple(column[taken[n] : stop] for column in lanes[n]))
            taken[n] = stop
        start, end, what = (np.concatenate(columns) for columns in zip(*pieces, strict=True))
        order = np.argsort(start, kind="stable")
        yield start[order], end[order], what[order]
