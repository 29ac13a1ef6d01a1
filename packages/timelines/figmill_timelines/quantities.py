"""Numbers as a figure prints them: 3 significant digits, and the SI prefix that fits the unit.

Bytes count in powers of 1000: 1 GB is 10^9 bytes. A unit of time is `s` with a prefix (ns, us or µs, ms); any other
unit does not change.
"""

from __future__ import annotations

import math
from decimal import Decimal

from figmill_timelines import units
from figmill_timelines.units import duration, durations, grouped, number, quantity, scale

__all__ = [
    "amount",
    "count",
    "decimals",
    "duration",
    "durations",
    "grouped",
    "number",
    "percent",
    "plural",
    "quantity",
    "rescaled",
    "scale",
    "significant",
    "tenths",
    "tick",
    "time",
]
_HIGH = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def decimals(value: float, places: int) -> str:
    """`value` with this many digits after the point."""
    written = Decimal(repr(float(value))).normalize().as_tuple() if math.isfinite(value) else None
    is_half = written is not None and written.exponent == -places - 1 and written.digits[-1] == 5
    return f"{value:.{places + is_half}f}"


def tenths(share: float) -> str:
    """A share as a percentage with one decimal: 22.9%."""
    return f"{decimals(float(f'{100 * share:.12g}'), 1)}%"


def tick(value: float) -> str:
    """A value on an axis: as `number` formats it, or as a power, 10⁹ or 2·10⁻⁶, if it is far from 1."""
    if value == 0 or 1e-4 <= abs(value) < 1e6:
        return number(value)
    mantissa, _, power = f"{value:.2e}".partition("e")
    shown = mantissa.rstrip("0").rstrip(".")
    return ("" if shown == "1" else f"{shown}·") + "10" + str(int(power)).translate(_HIGH)


def percent(share: float) -> str:
    """A share as a percentage: 77%, 4.35%, 0.012%; with enough digits that only 0 is 0% and only 1 is 100%."""
    for digits in range(3, 10):
        text = number(100 * share, digits)
        if text not in ("0", "100") or share in (0, 1):
            return f"{text}%"
    return "almost 100%" if share > 0.5 else "almost 0%"


_TIME = {"ns": 1e-9, "us": 1e-6, "µs": 1e-6, "ms": 1e-3, "s": 1.0}
_SHOWN = (("s", 1.0), ("ms", 1e-3), ("µs", 1e-6), ("ns", 1e-9))  # longest first
_COUNTS = (("T", 1e12), ("G", 1e9), ("M", 1e6), ("k", 1e3), ("", 1.0))


def significant(value: float, digits: int = 3, zeros: bool = False) -> str:
    """`1730`, `0.04`, `1.5·10⁻⁹`: rounded to that many significant digits, without an exponent in Python's notation.

    zeros: keep zeros at the end, `16.0`, for numbers in a column.
    """
    if value == 0 or not math.isfinite(value):
        return f"{value:g}"
    digits = units.enough(value, digits)
    scientific = f"{value:.{digits - 1}e}"
    rounded, exponent = float(scientific), int(scientific.partition("e")[2])
    if -4 <= exponent < 6:
        text, power = f"{rounded:.{max(0, digits - 1 - exponent)}f}", ""
    else:
        text, power = scientific.partition("e")[0], f"·10{str(exponent).translate(_HIGH)}"
    if "." in text and not zeros:
        text = text.rstrip("0").rstrip(".")
    return grouped(text) + power


def count(value: float) -> str:
    """A number without a unit: whole numbers below a million in full, others to three significant digits."""
    if 0.5 < abs(value) < 1e6 and abs(value - round(value)) < 1e-9 * abs(value):
        return grouped(f"{value:.0f}")
    return significant(value)


def time(value: float, unit: str) -> str:
    """`40 µs` for (0.04, "ms"). If the unit is not a time: `12 units`; without a unit: the number alone."""
    if unit not in _TIME:
        return f"{count(value)} {unit}".rstrip()
    factor, shown = rescaled(float(f"{abs(value):.2e}"), unit, 1000)  # 999.6 ms reads 1 s
    return f"{significant(value * factor)} {shown}"


def rescaled(longest: float, unit: str, most: float = 10_000) -> tuple[float, str]:
    """A factor for times so that `longest` is easy to read, and the resulting unit.

    A unit in which `longest` is from 1 to `most` stays. (1.0, unit) if the unit is not a time.
    """
    if unit not in _TIME or longest <= 0 or not math.isfinite(longest):
        return 1.0, unit
    if 1 <= longest < most:
        return 1.0, "µs" if unit == "us" else unit
    seconds = longest * _TIME[unit]
    shown, size = next(((name, size) for name, size in _SHOWN if seconds >= size * (1 - 1e-9)), _SHOWN[-1])
    return _TIME[unit] / size, shown


def amount(value: float, unit: str = "") -> str:
    """A count or an amount with a prefix from k to T: `8.3 GB`; below 1000 without one."""
    prefix, size = next(((p, s) for p, s in _COUNTS if abs(value) >= s), _COUNTS[-1])
    return f"{significant(value / size)} {prefix}{unit}".rstrip()


def plural(many: int, noun: str, several: str = "") -> str:
    """`1 device`, `4 devices`, `2 batches`, `10 000 steps`."""
    return f"{grouped(str(many))} {noun if many == 1 else several or noun + 's'}"
