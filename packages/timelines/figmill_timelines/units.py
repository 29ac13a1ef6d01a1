"""Numbers with units: three significant digits, and the SI prefix that fits.

A number in the middle between two numbers of 3 digits has 4: 936.5 is as far from 936 as from 937.
One word in the name of a fact states its unit: `time_us_ring` is in microseconds, `total_bytes_0` in bytes,
`bottleneck_bytes_per_s` in bytes per second. Bytes count in powers of 1000. Standard library only.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from decimal import Decimal

NARROW_SPACE = "\u202f"
LONG = 5  # digits of a number that is written in groups
_PREFIXES = {
    -15: "f",
    -12: "p",
    -9: "n",
    -6: "µ",
    -3: "m",
    0: "",
    3: "k",
    6: "M",
    9: "G",
    12: "T",
    15: "P",
    18: "E",
}
_WHOLE = frozenset({"B", "B/s", "FLOP", "FLOP/s", "FLOP/B", "tokens", "tokens/s", "requests/s", ""})
_LONGER = ((86400.0, "days"), (3600.0, "h"), (60.0, "min"))


_TIMES = {"ns": 1e-9, "us": 1e-6, "µs": 1e-6, "ms": 1e-3, "s": 1.0, "min": 60.0, "h": 3600.0}
# The last word of a fact's name that is a unit counts. `min` is not one of them: it means the minimum.
_WORDS = {
    "ns": (1e-9, "s"),
    "us": (1e-6, "s"),
    "ms": (1e-3, "s"),
    "s": (1.0, "s"),
    "h": (3600.0, "s"),
    "days": (86400.0, "s"),
    "bytes": (1.0, "B"),
    "flops": (1.0, "FLOP/s"),
}
_RATES = {"bytes": "B/s", "requests": "requests/s", "tokens": "tokens/s", "samples": "samples/s"}
FORM = re.compile(r"(?:\.(?P<digits>[1-9]))?si(?: (?P<unit>\S{1,20}))?")


def grouped(text: str) -> str:
    """A number with its digits in threes: `16 384`, but `2048`, as in the SI brochure (9th edition, 5.4.4).

    A narrow no-break space stands between the groups, so that no line breaks in a number.
    """
    whole, point, rest = text.partition(".")
    if len(whole.lstrip("-")) < LONG:
        return text
    return f"{int(whole):,}".replace(",", NARROW_SPACE) + point + rest


def number(value: float, digits: int = 3) -> str:
    """`value` with this many significant digits and without an exponent: 0.0434, 77, 1230."""
    if not math.isfinite(value):
        return "∞" if value > 0 else "-∞" if value < 0 else "unknown"
    if value == 0:
        return "0"
    digits = enough(value, digits)
    before = math.floor(math.log10(abs(value))) + 1
    rounded = round(value, digits - before)
    decimals = max(0, digits - math.floor(math.log10(abs(rounded))) - 1)
    text = f"{rounded:.{min(decimals, 20)}f}"
    return grouped(text.rstrip("0").rstrip(".") if "." in text else text)


def enough(value: float, digits: int = 3) -> int:
    """The digits to print: one more than `digits` for a number in the middle between two numbers of so many."""
    if not math.isfinite(value):
        return digits
    written = Decimal(repr(float(value))).normalize().as_tuple().digits
    return digits + (len(written) == digits + 1 and written[-1] == 5)


def quantity(value: float, unit: str, digits: int | None = None) -> str:
    """`43.4 ms` for 0.0434 and "s"; a unit that cannot be divided, such as bytes, takes no prefix below 1."""
    if value == 0 or not math.isfinite(value):
        return f"{number(value)} {unit}".rstrip()
    digits = enough(value) if digits is None else digits
    rounded = float(f"{value:.{digits - 1}e}")
    factor, named = scale(rounded, unit)
    return f"{number(rounded / factor, digits)} {named}".rstrip()


def duration(seconds: float) -> str:
    """A time: with an SI prefix below 100 s, then in minutes, hours or days."""
    return durations([seconds])[0]


def durations(seconds: Sequence[float]) -> list[str]:
    """Times to compare with each other, all in the unit that fits the shortest: `5.89 min`, `106 min`."""
    size, unit = time_scale(min(seconds, default=0.0))
    return [f"{number(each / size)} {unit}" for each in seconds]


def time_scale(seconds: float) -> tuple[float, str]:
    """The seconds in the unit that fits a time, and its name."""
    for length, unit in _LONGER:
        if math.isfinite(seconds) and abs(seconds) >= max(100.0, 1.6 * length):
            return length, unit
    return scale(float(f"{seconds:.2e}"), "s")


def scale(value: float, unit: str) -> tuple[float, str]:
    """What to divide by, and the unit to write, so that `value` and its like are easy to read: (1e9, "GB")."""
    if value == 0 or not math.isfinite(value):
        return 1.0, unit
    power = 3 * math.floor(math.log10(abs(value)) / 3 + 1e-12)
    power = min(18, max(0 if unit in _WHOLE else -15, power))
    return 10.0**power, _PREFIXES[power] + unit


def unit_of(fact: str) -> tuple[float, str] | None:
    """The factor for a fact of this name, and its unit once multiplied; None if its name states no unit."""
    parts = fact.split("_")
    for at in range(len(parts) - 1, -1, -1):
        if parts[at] == "s" and at and parts[at - 1] == "per":
            return 1.0, _RATES.get(parts[at - 2] if at > 1 else "", "/s")
        if parts[at] in _WORDS:
            return _WORDS[parts[at]]
    return None


def stated(value: object, form: str, fact: str) -> str:
    """A fact in the format `si`, `.4si` for more digits, or `si ms`, which says what unit the fact is in.

    `43.4 ms` for 43429 and "idle_us". Raises ValueError if that is impossible, and says what would be right.
    """
    match = FORM.fullmatch(form)
    if match is None:
        raise ValueError(f"'{form}' is not a format; with a unit it is si, .4si, or si ms")
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise ValueError("only a number has a unit")
    given = match["unit"]
    scale = (_TIMES[given], "s") if given in _TIMES else (1.0, given) if given else unit_of(fact)
    if scale is None:
        raise ValueError(f"the name '{fact}' states no unit; write it: {form} ms")
    factor, unit = scale
    if match["digits"] is None and unit == "s":
        return duration(value * factor)
    return quantity(value * factor, unit, int(match["digits"]) if match["digits"] else None)
