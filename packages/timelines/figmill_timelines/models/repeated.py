"""The results of a simulation with other random numbers: the interval that contains 95 % of such runs.

A figure draws one run. Its numbers are exact for that run, and say little about other runs if runs differ a lot: so
figures print the interval beside them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, overload

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


@overload
def printed(facts: Mapping[str, Any], name: str) -> float: ...
@overload
def printed(facts: Mapping[str, Any], name: str, text: Callable[[float], str]) -> str: ...
def printed(facts: Mapping[str, Any], name: str, text: Callable[[float], str] | None = None) -> float | str:
    """The number of the drawn run, and behind it the interval of other runs if there are any: `508 ms (211 to 843 ms)`.

    text: how a figure prints such a number. Without it, the result is the number alone, as older copies of generators
    expect.
    """
    if text is None:
        return float(facts[name])
    value = text(facts[name])
    if f"{name}_low" not in facts:
        return value
    low, high = (text(facts[f"{name}_{end}"]) for end in ("low", "high"))
    unit = high.lstrip("-0123456789.")
    return value if low == high == value else f"{value} ({low.removesuffix(unit)} to {high})"
