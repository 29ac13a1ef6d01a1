"""Numbers as a figure prints them: 3 significant digits, and the SI prefix that fits the unit.

Bytes count in powers of 1000: 1 GB is 10^9 bytes.
"""

from __future__ import annotations

import math

_PREFIXES = {
    -15: "f", -12: "p", -9: "n", -6: "µ", -3: "m", 0: "", 3: "k", 6: "M", 9: "G", 12: "T", 15: "P", 18: "E"
}  # fmt: skip
_WHOLE = frozenset({"B", "B/s", "FLOP", "FLOP/s", "FLOP/B", "tokens", "tokens/s", "requests/s", ""})
_LONGER = ((86400.0, "days"), (3600.0, "h"), (60.0, "min"))


def number(value: float, digits: int = 3) -> str:
    """`value` with so many significant digits and no exponent: 0.0434, 77, 1230."""
    if not math.isfinite(value):
        return "∞" if value > 0 else "-∞" if value < 0 else "unknown"
    if value == 0:
        return "0"
    before = math.floor(math.log10(abs(value))) + 1
    rounded = round(value, digits - before)
    decimals = max(0, digits - math.floor(math.log10(abs(rounded))) - 1)
    text = f"{rounded:.{min(decimals, 20)}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def quantity(value: float, unit: str, digits: int = 3) -> str:
    """`43.4 ms` for 0.0434 and "s"; a unit that cannot be divided, as bytes, takes no prefix below 1."""
    if value == 0 or not math.isfinite(value):
        return f"{number(value)} {unit}".rstrip()
    rounded = float(f"{value:.{digits - 1}e}")
    factor, named = scale(rounded, unit)
    return f"{number(rounded / factor, digits)} {named}".rstrip()


def duration(seconds: float) -> str:
    """A time: with an SI prefix below 100 s, then in minutes, hours or days."""
    for length, unit in _LONGER:
        if math.isfinite(seconds) and abs(seconds) >= max(100.0, 1.6 * length):
            return f"{number(seconds / length)} {unit}"
    return quantity(seconds, "s")


_HIGH = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def tick(value: float) -> str:
    """A value on an axis: as `number`, and far from 1 as a power, 10⁹ or 2·10⁻⁶."""
    if value == 0 or 1e-4 <= abs(value) < 1e6:
        return number(value)
    mantissa, _, power = f"{value:.2e}".partition("e")
    shown = mantissa.rstrip("0").rstrip(".")
    return ("" if shown == "1" else f"{shown}·") + "10" + str(int(power)).translate(_HIGH)


def percent(share: float) -> str:
    """A share with 3 significant digits at most, as a percentage: 77 %, 4.35 %, 0.012 %."""
    return f"{number(100 * share)} %"


def count(number_of: int, noun: str, plural: str = "") -> str:
    """`1 device`, `4 devices`."""
    return f"{number_of:,} {noun if number_of == 1 else plural or noun + 's'}".replace(",", " ")


def scale(value: float, unit: str) -> tuple[float, str]:
    """What to divide by, and the unit to write, so that `value` and its like are easy to read: (1e9, "GB")."""
    if value == 0 or not math.isfinite(value):
        return 1.0, unit
    power = 3 * math.floor(math.log10(abs(value)) / 3 + 1e-12)
    power = min(18, max(0 if unit in _WHOLE else -15, power))
    return 10.0**power, _PREFIXES[power] + unit
