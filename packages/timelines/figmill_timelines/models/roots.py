"""Where a function is 0."""

from __future__ import annotations

from collections.abc import Callable


def crossing(over: Callable[[float], float], low: float, high: float, above: float, below: float) -> float:
    """Where a falling function is 0, by the Illinois rule: false position in which neither end stays for long."""
    middle, side = high, 0
    for _ in range(100):
        middle = min(max((low * below - high * above) / (below - above), low), high)
        value = over(middle)
        if abs(value) <= 1e-14 or high - low <= 1e-15 * high:
            break
        if value > 0:
            low, above = middle, value
            below = below / 2 if side > 0 else below
            side = 1
        else:
            high, below = middle, value
            above = above / 2 if side < 0 else above
            side = -1
    return middle
