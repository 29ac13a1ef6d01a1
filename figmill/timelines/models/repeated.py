"""The results of a simulation with other random numbers: the interval that contains 95 % of such runs.

A figure draws one run. Its numbers are exact for that run, and say little about other runs if runs differ a lot.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

LEAST, MOST = 40, 200
_STEPS = 200_000


def seeds(seed: int, steps: int) -> range:
    """The seeds of the other runs. steps: of one run; they limit the number of runs, from LEAST to MOST."""
    return range(seed + 1, seed + 1 + min(MOST, max(LEAST, _STEPS // max(1, steps))))


def intervals(run: Callable[[int], Mapping[str, Any]], others: range, names: Iterable[str]) -> dict[str, Any]:
    """Facts: `runs`, and of each name its `_low` and `_high`, between which 95 % of the runs lie.

    run: the facts of the simulation with a seed.
    """
    runs = [run(seed) for seed in others]
    stated: dict[str, Any] = {"runs": len(runs)}
    for name in names:
        values = sorted(float(facts[name]) for facts in runs)
        outside = len(values) // 40  # 2.5 % at each end
        stated |= {f"{name}_low": values[outside], f"{name}_high": values[-1 - outside]}
    return stated


def rounded(value: float, low: float, high: float) -> float:
    """`value` without meaningless digits: its last digit is worth about half the interval, or it has only one digit."""
    half = f"{(high - low) / 2:e}"
    if high <= low or value == 0:
        return value
    places = -int(half.partition("e")[2])
    return round(value, places) or float(f"{value:.0e}")


def printed(facts: Mapping[str, Any], name: str) -> float:
    """A fact as a figure may print it: rounded to the digits that other runs allow, if there are any."""
    low, high = facts.get(f"{name}_low"), facts.get(f"{name}_high")
    value = float(facts[name])
    return value if low is None or high is None else rounded(value, low, high)
