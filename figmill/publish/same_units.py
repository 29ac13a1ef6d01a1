"""Finds a time or an amount of data that a text gives in another unit than the drawing.

Pure: strings in, messages out.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from types import MappingProxyType

from figmill.late_dataclasses import dataclass

_LONG = {
    "nanoseconds": "ns",
    "microseconds": "µs",
    "us": "µs",
    "μs": "µs",
    "milliseconds": "ms",
    "seconds": "s",
    "second": "s",
    "minutes": "min",
    "hours": "h",
    "bytes": "B",
    "KB": "kB",
}
# What a unit measures, and how much of it.
_UNITS: Mapping[str, tuple[str, float]] = MappingProxyType(
    {
        "ns": ("time", 1e-9),
        "µs": ("time", 1e-6),
        "ms": ("time", 1e-3),
        "s": ("time", 1.0),
        "min": ("time", 60.0),
        "h": ("time", 3600.0),
        "B": ("data", 1.0),
        "kB": ("data", 1e3),
        "MB": ("data", 1e6),
        "GB": ("data", 1e9),
        "TB": ("data", 1e12),
    }
)
_NAMES = "|".join(sorted({*_LONG, *_UNITS}, key=len, reverse=True))
_NUMBER = r"(?<![\w.,\u202f])(?:[0-9]{1,3}(?:\u202f[0-9]{3}){1,3}|[0-9]{1,12})(?:\.[0-9]{1,12})?"
_QUANTITY = re.compile(rf"({_NUMBER})[ \u00a0\u202f]?({_NAMES})(?![\w/²³])")
_AXIS = re.compile(rf"\b(?:in |\()({_NAMES})\)?(?![\w/])")
_BARE = re.compile(_NUMBER)


@dataclass(frozen=True, slots=True)
class _Quantity:
    """A quantity of a text.

    - written: the original text.
    - low, high: its bounds, by its last digit, in the base unit.
    """

    written: str
    unit: str
    digits: int
    low: float
    high: float


def differing(texts: Mapping[str, str], drawn: Iterable[str]) -> Iterator[tuple[str, str]]:
    """(key, message) for each quantity of a text, by its key, that the drawing shows in another unit.

    drawn: the readable strings of the drawing. A number without a unit has that of the drawing's one axis, `in ms`.
    """
    strings = list(drawn)
    shown = [quantity for string in strings for quantity in _quantities(string)]
    axes = {_unit(name) for string in strings for name in _AXIS.findall(string)}
    if len(axes) == 1:
        unit = axes.pop()
        bare = (_quantity(string, unit) for string in strings if _BARE.fullmatch(string))
        shown += [quantity for quantity in bare if quantity.digits > 1]
    for key, text in texts.items():
        for quantity in dict.fromkeys(_quantities(text)):
            other = next((each for each in shown if _is_same(quantity, each)), None)
            if other is not None:
                text = f"'{quantity.written}' is '{other.written}' in the drawing"
                yield key, f"{text}; use one unit for a quantity: a fact as {{name:si}} takes the fitting one"


def _quantities(text: str) -> Iterator[_Quantity]:
    for number, name in _QUANTITY.findall(text):
        yield _quantity(number, _unit(name))


def _unit(name: str) -> str:
    return _LONG.get(name, name)


def _quantity(number: str, unit: str) -> _Quantity:
    number = number.replace("\u202f", "")
    value, factor = float(number), _UNITS[unit][1]
    half = 0.5 * 10.0 ** -len(number.partition(".")[2])
    digits = len(number.replace(".", "").lstrip("0"))
    return _Quantity(f"{number} {unit}", unit, digits, (value - half) * factor, (value + half) * factor)


def _is_same(first: _Quantity, second: _Quantity) -> bool:
    """Whether two quantities in different units may be equal, and have enough digits that this is not a coincidence."""
    if (
        first.unit == second.unit
        or _UNITS[first.unit][0] != _UNITS[second.unit][0]
        or first.high <= 0
        or second.high <= 0
    ):
        return False
    if min(first.digits, second.digits) < 2:
        return False
    slack = 1e-9 * max(first.high, second.high)
    return first.low <= second.high + slack and second.low <= first.high + slack
