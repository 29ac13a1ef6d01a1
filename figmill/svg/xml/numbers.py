"""The notation of numbers: coordinates with 3 decimals, others with 6 significant digits, no -0.

Rounding must not move a pixel, so 3 decimals are meant in px: coordinates that a viewBox or transform magnifies keep as
many more as needed (see precision.py). Knows nothing of the tree; strings in, strings out.
"""

from __future__ import annotations

import math
import re
from functools import lru_cache

DECIMALS = 3
NUMBER = r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?"
WHOLE = re.compile(rf"\s*{NUMBER}\s*")
UNIT = re.compile(rf"({NUMBER})(px|%|[A-Za-z]*)")
LIST = re.compile(rf"\s*{NUMBER}(?:%|[A-Za-z]*)(?:(?:\s+|\s*,\s*|(?=[+-])){NUMBER}(?:%|[A-Za-z]*))*\s*")
BARE = re.compile(r"-?[0-9]{1,9}(?:\.[0-9]+)?")  # the usual case
RATIOS = re.compile(rf"\s*{NUMBER}%?(?:(?:\s+|\s*,\s*|(?=[+-])){NUMBER}%?)*\s*")
FUNCTION = re.compile(r"\s*(?:,\s*)?(matrix|translate|scale|rotate|skewX|skewY)\s*\(([^()]*)\)")
ARGUMENTS = {
    "matrix": (6,),
    "translate": (1, 2),
    "scale": (1, 2),
    "rotate": (1, 3),
    "skewX": (1,),
    "skewY": (1,),
}
# CSS px per unit, for units that mean the same everywhere; `rem` in a drawing whose root states no font size.
ABSOLUTE = {
    "": 1.0,
    "px": 1.0,
    "pt": 4 / 3,
    "pc": 16.0,
    "in": 96.0,
    "cm": 96 / 2.54,
    "mm": 96 / 25.4,
    "q": 96 / 101.6,
    "rem": 16.0,
}
IDENTITY = {"translate": 0.0, "scale": 1.0, "skewX": 0.0, "skewY": 0.0}


# Most viewers compute in single precision, where neighbouring values of this size are 64 apart. Results computed from
# numbers within this limit stay finite, however deep the nesting.
LARGEST = 1e9
LEAST = 1e-30  # smaller values are 0: products of rounded sines leave them


# A number that may be beyond the limit: ten digits before the point, or an exponent.
LONG = re.compile(r"(?<![\d.])\d{10}|[eE]\+?\d*[1-9]")
NUMBERS = re.compile(NUMBER)


def number(text: str) -> float:
    """The value of a text that matches NUMBER, within the limits."""
    return within(float(text))


def within(value: float) -> float:
    """The value, or the limit if it is beyond that, which looks the same."""
    return max(-LARGEST, min(LARGEST, value))


def clamped(text: str) -> str:
    """A text with each number beyond the limits replaced by the limit."""
    if not LONG.search(text):
        return text
    return NUMBERS.sub(
        lambda match: match[0] if abs(float(match[0])) <= LARGEST else fixed(number(match[0])), text
    )


def plain(text: str) -> float | None:
    """The value of a bare number within bounds; None for any other text."""
    if not WHOLE.fullmatch(text):
        return None
    value = float(text)
    return value if -LARGEST <= value <= LARGEST else None


def fixed(value: float, decimals: int = DECIMALS) -> str:
    """A number with at most `decimals` places, without trailing zeros."""
    text = f"{value:.{decimals}f}"
    if "." in text:
        text = text.rstrip("0").rstrip(".")
    return "0" if text == "-0" else text


def significant(value: float, digits: int = 6) -> str:
    """A number with at most `digits` significant digits, never with an exponent."""
    if -LEAST < value < LEAST:
        return "0"
    text = f"{value:.{digits}g}"
    if "e" in text:
        text = f"{float(text):.{max(0, digits - 1 - math.floor(math.log10(abs(value))))}f}"
        if "." in text:
            text = text.rstrip("0").rstrip(".")
    return "0" if text == "-0" else text


@lru_cache(maxsize=16384)
def coordinates(text: str, decimals: int) -> str:
    """A rounded list of coordinates in px. em, ex and % keep their units; other text is returned unchanged."""
    if BARE.fullmatch(text):
        return fixed(float(text), decimals)
    if not LIST.fullmatch(text):
        return text
    return " ".join(_length(number(n), unit, decimals) for n, unit in UNIT.findall(text))


def _length(value: float, unit: str, decimals: int) -> str:
    px = ABSOLUTE.get(unit.lower())
    return fixed(value, decimals) + unit if px is None else fixed(within(value * px), decimals)


@lru_cache(maxsize=4096)
def numbers(text: str) -> str:
    """As `coordinates`, for numbers that are not coordinates."""
    if not RATIOS.fullmatch(text):
        return text
    return " ".join(significant(number(n)) + unit for n, unit in UNIT.findall(text))


@lru_cache(maxsize=4096)
def parse_transform(text: str) -> tuple[tuple[str, tuple[float, ...]], ...] | None:
    """The functions of a transform list; None if it is malformed, and then SVG ignores the whole list."""
    functions = []
    end = 0
    while match := FUNCTION.match(text, end):
        end = match.end()
        if match[2].strip() and not LIST.fullmatch(match[2]):
            return None
        pairs = UNIT.findall(match[2])
        if len(pairs) not in ARGUMENTS[match[1]] or any(unit for _, unit in pairs):
            return None
        functions.append((match[1], tuple(number(n) for n, _ in pairs)))
    return None if text[end:].strip() else tuple(functions)


@lru_cache(maxsize=4096)
def transform(text: str) -> str | None:
    """A transform list without identity functions; empty if none is left, None if malformed."""
    functions = parse_transform(text)
    if functions is None:
        return None
    calls = []
    for name, arguments in functions:
        rounded = [significant(argument) for argument in arguments]
        if name == "rotate" and rounded[0] == "0":
            continue
        if name in IDENTITY and all(float(word) == IDENTITY[name] for word in rounded):
            continue
        if name == "matrix" and rounded == ["1", "0", "0", "1", "0", "0"]:
            continue
        calls.append(f"{name}({' '.join(rounded)})")
    return " ".join(calls)


Matrix = tuple[float, float, float, float, float, float]
UNITY: Matrix = (1.0, 0.0, 0.0, 1.0, 0.0, 0.0)


def multiply(m: Matrix, n: Matrix) -> Matrix:
    """The product m n: applies n first, then m, as nested transforms do."""
    return (
        m[0] * n[0] + m[2] * n[1],
        m[1] * n[0] + m[3] * n[1],
        m[0] * n[2] + m[2] * n[3],
        m[1] * n[2] + m[3] * n[3],
        m[0] * n[4] + m[2] * n[5] + m[4],
        m[1] * n[4] + m[3] * n[5] + m[5],
    )


@lru_cache(maxsize=4096)
def matrix(text: str) -> Matrix:
    """A transform list as one matrix (SVG 1.1, 7.6)."""
    result = UNITY
    for name, args in parse_transform(text) or ():
        result = multiply(result, _matrix(name, args))
    return result


def _matrix(name: str, args: tuple[float, ...]) -> Matrix:
    if name == "matrix":
        return (args[0], args[1], args[2], args[3], args[4], args[5])
    if name == "translate":
        return (1, 0, 0, 1, args[0], args[1] if len(args) > 1 else 0)
    if name == "scale":
        return (args[0], 0, 0, args[-1], 0, 0)
    if name == "skewX":
        return (1, 0, math.tan(math.radians(args[0])), 1, 0, 0)
    if name == "skewY":
        return (1, math.tan(math.radians(args[0])), 0, 1, 0, 0)
    cos, sin = math.cos(math.radians(args[0])), math.sin(math.radians(args[0]))
    turn: Matrix = (cos, sin, -sin, cos, 0, 0)
    if len(args) == 1:
        return turn
    x, y = args[1:]
    return multiply(multiply((1, 0, 0, 1, x, y), turn), (1, 0, 0, 1, -x, -y))
