"""What a simulation gives with other random numbers: the interval in which 95 % of such runs lie.

A figure draws one run. Its numbers are exact for that run, and say little about another one where runs differ much.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

LEAST, MOST = 40, 200
_STEPS = 200_000


def seeds(seed: int, steps: int) -> range:
    """The seeds of the other runs. steps: of one run, which limit how many runs there are, from LEAST to MOST."""
    return range(seed + 1, seed + 1 + min(MOST, max(LEAST, _STEPS // max(1, steps))))


def intervals(run: Callable[[int], Mapping[str, Any]], others: range, names: Iterable[str]) -> dict[str, Any]:
    """Facts: `runs`, and of each name its `_low` and `_high`, between which 95 % of the runs lie.

    run: the facts of the simulation with a seed.
    """
    found = [run(seed) for seed in others]
    stated: dict[str, Any] = {"runs": len(found)}
    for name in names:
        values = sorted(float(facts[name]) for facts in found)
        outside = len(values) // 40  # 2.5 % at each end
        stated |= {f"{name}_low": values[outside], f"{name}_high": values[-1 - outside]}
    return stated


def rounded(value: float, low: float, high: float) -> float:
    """`value` without the digits that say nothing: its last is as large as half the interval, or its only one."""
    half = f"{(high - low) / 2:e}"
    if high <= low or value == 0:
        return value
    places = -int(half.partition("e")[2])
    return round(value, places) or float(f"{value:.0e}")


def said(facts: Mapping[str, Any], name: str) -> float:
    """A fact as a figure may print it: rounded to what other runs allow, where there are any."""
    low, high = facts.get(f"{name}_low"), facts.get(f"{name}_high")
    value = float(facts[name])
    return value if low is None or high is None else rounded(value, low, high)
