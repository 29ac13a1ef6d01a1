"""The numbers in the text of a drawing, and what each of them may be: a tick, a number of the input, or a fact."""

from __future__ import annotations

import inspect
import itertools
import math
import random
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from decimal import Decimal
from typing import Annotated, Any, Literal, NamedTuple, Union, get_args, get_origin

import annotated_types
from helpers.words import texts_of
from matplotlib.figure import Figure
from matplotlib.text import Text

_DIGITS = "⁰¹²³⁴⁵⁶⁷⁸⁹"
# A number that is not part of a name, such as GPU0, 1F1B or P90; thousands may stand apart.
NUMBER = re.compile(
    r"(?<![\w.,·])[-−]?(?:\d{1,3}(?:[ \u202f,]\d{3})+|\d+)(?:\.\d+)?(?!\d|\.\d)"
    rf"(?:·10⁻?[{_DIGITS}]+)?"
)
POWER = re.compile(rf"(?<![\w.,·])10(?=⁻?[{_DIGITS}])")  # 10⁹, which is 1·10⁹
FRACTION = re.compile(r"(?<![\w.])(\d+)/([1-9]\d*)(?![\w.])")
# Behind a number, or behind the end of an interval.
UNIT = re.compile(r"(?: to [\d.]+)?(\s?)(%|[A-Za-zµ][\w/]*)?")
UNITS = {"": 1.0, "%": 1.0}
UNITS |= {
    prefix + unit: size
    for unit in ("s", "B", "FLOP/s", "B/s")
    for prefix, size in (
        ("f", 1e-15),
        ("p", 1e-12),
        ("n", 1e-9),
        ("µ", 1e-6),
        ("m", 1e-3),
        ("", 1.0),
        ("k", 1e3),
        ("M", 1e6),
        ("G", 1e9),
        ("T", 1e12),
        ("P", 1e15),
        ("E", 1e18),
    )
}
# Units that have a prefix in a figure and none, or another one, in its facts.
SCALED = re.compile(
    r"[fpnµmkMGTPE]?(?:s|(?:B|FLOP|requests|tokens|samples|batches)(?:/(?:s|B))?)|[kMGTPE]|(?:m|b|tr)illion|parameters"
)
TIMES = {"min": 60.0, "h": 3600.0, "day": 86400.0, "days": 86400.0}


class Printed(NamedTuple):
    """A number as it is printed: its value, half a unit of its last digit, and the word behind it."""

    value: float
    half: float
    unit: str
    text: str


def printed(text: str) -> Iterator[Printed]:
    """The numbers in a text; a fraction is one number."""
    for fraction in FRACTION.finditer(text):
        yield Printed(int(fraction[1]) / int(fraction[2]), 1e-9, "", text)
    text = POWER.sub("1·10", FRACTION.sub("", text))
    for match in NUMBER.finditer(text):
        behind = UNIT.match(text, match.end())
        gap, unit = (behind[1], behind[2] or "") if behind else ("", "")
        if unit[:1].isalpha() and not gap and text[match.end() : match.end() + 1] != " ":
            continue  # a name: 1F1B, 8B
        mantissa, _, power = match[0].partition("·10")
        plain = re.sub(r"[ \u202f,]", "", mantissa).replace("−", "-")
        exponent = int(power.translate(str.maketrans("⁻" + _DIGITS, "-0123456789")) or 0) if power else 0
        number = Decimal(plain).scaleb(exponent)
        last = Decimal(plain).as_tuple().exponent + exponent
        half = float(Decimal(5).scaleb(last - 1))
        if "." not in plain and number:  # 1730 may have three significant digits
            digits = len(plain.lstrip("-").rstrip("0"))
            if digits <= 3:
                half = max(half, 0.5 * 10.0 ** (number.adjusted() - 2))
        yield Printed(float(number), half * (1 + 1e-9), unit, text)


def ticks(figure: Figure) -> set[Text]:
    """The texts that are numbers of an axis: at least three, in a row or a column, at even or constant ratios."""
    rows: dict[tuple[str, float], list[tuple[float, float, Text]]] = defaultdict(list)
    for text in texts_of(figure):
        value = _alone(text.get_text())
        if value is not None:
            x, y = text.get_position()
            rows["y", round(y, 2)].append((x, value, text))
            rows["x", round(x, 2)].append((y, value, text))
    labels: set[Text] = set()
    for row in rows.values():
        row.sort(key=lambda entry: entry[0])
        first = 0
        while first < len(row):  # the longest run from here on
            last = next((n for n in range(len(row), first + 1, -1) if _is_axis(row[first:n])), first)
            labels |= {text for *_, text in row[first:last]}
            first = max(last, first + 1)
    return labels


def _is_axis(run: list[tuple[float, float, Text]]) -> bool:
    """Whether these (place, value, text) are the ticks of an axis: from 0 on, or at least three."""
    places, values = [place for place, _, _ in run], [value for _, value, _ in run]
    if len(run) < 3 and 0 not in values:
        return False
    return _even(places, values) or _even(places, values, log=True)


def _alone(text: str) -> float | None:
    """The value of a text that is a number and perhaps a percent sign."""
    if match := re.fullmatch(rf"(?:([\d.]+)·)?10(⁻?[{_DIGITS}]+)", text):
        return float(match[1] or 1) * 10.0 ** int(
            match[2].translate(str.maketrans("⁻" + _DIGITS, "-0123456789"))
        )
    match = re.fullmatch(r"([-−]?[\d \u202f]+(?:\.\d+)?) ?(\S{0,8})", text)
    if not match or match[2] not in UNITS:
        return None
    return float(re.sub(r"[ \u202f]", "", match[1]).replace("−", "-")) * UNITS[match[2]]


def _even(places: list[float], values: list[float], log: bool = False) -> bool:
    """Whether the numbers stand where a linear or a logarithmic axis has them."""
    if log:
        if min(values) <= 0:
            return False
        values = [math.log(value) for value in values]
    span, room = values[-1] - values[0], places[-1] - places[0]
    if not span or not room:
        return False
    return all(
        abs((value - values[0]) / span - (place - places[0]) / room) < 0.004 * max(1, len(values) / 12)
        for place, value in zip(places, values, strict=True)
    )


def numbers(value: Any) -> Iterator[float]:
    """The numbers in params or facts, also in lists, mappings and texts."""
    if isinstance(value, bool) or value is None:
        return
    if isinstance(value, int | float):
        yield float(value)
    elif isinstance(value, str):
        yield from (float(n) for n in re.findall(r"\d+(?:\.\d+)?", value))
    elif isinstance(value, Mapping):
        for key, each in value.items():
            yield from numbers(key if isinstance(key, int | float) else None)
            yield from numbers(each)
    elif isinstance(value, Iterable):
        for each in value:
            yield from numbers(each)


def data(tables: Mapping[str, list[dict[str, Any]]]) -> Iterator[float]:
    """The numbers in the tables of a figure, and how long each row lasts that has a start and an end."""
    for row in itertools.chain.from_iterable(tables.values()):
        yield from numbers(list(row.values()))
        ends = {name.split(" ")[0]: value for name, value in row.items()}
        if isinstance(ends.get("start"), float) and isinstance(ends.get("end"), float):
            yield ends["end"] - ends["start"]


def is_one_of(shown: Printed, values: Iterable[float]) -> bool:
    """Whether it is one of these values, rounded as it is printed, in its unit."""
    factors = [1.0]
    if SCALED.fullmatch(shown.unit):
        factors = [10.0 ** (3 * power) for power in range(-6, 7)]
    elif shown.unit == "%":
        factors = [100.0, 1.0]
    elif shown.unit in TIMES:
        factors = [unit / TIMES[shown.unit] for unit in (1.0, 1e-3, 1e-6, 60.0, 3600.0, 86400.0)]
    return any(
        abs(abs(value) * factor - abs(shown.value)) <= shown.half for value in values for factor in factors
    )


def is_index(shown: Printed, counts: Iterable[float]) -> bool:
    """Whether it is the number of a lane, a cell or a step, the first being 0, among so many."""
    names_one = re.fullmatch(r"\D*\b\d+|[A-Za-z ]*\d+(, \d+)*(, …)?", shown.text) is not None
    most = max((count for count in counts if count == int(count) and count < 5000), default=0)
    return names_one and shown.value == int(shown.value) and 0 <= shown.value <= max(most, 10)


def words_of(text: str, names: Iterable[str]) -> str:
    """The text without the names of the input, which may have digits."""
    for name in sorted(names, key=len, reverse=True):
        if re.search(r"\d", name) and re.search("[A-Za-z]", name):
            text = text.replace(name, "")
    return text


def cases(draw: Callable[..., Any], given: list[dict[str, Any]], most: int) -> list[dict[str, Any]]:
    """The given params, and those with one to four parameters at other values within their bounds; at most `most`."""
    source = random.Random(f"{draw.__module__} {most}")
    choices = {name: row for name, row in _choices(draw) if len(row) > 1}
    grid = [{**base, name: value} for base in given for name, row in choices.items() for value in row]
    names = sorted(choices)
    for _ in range(most):
        base = dict(source.choice(given))
        for name in source.sample(names, min(len(names), source.randrange(2, 5))):
            base[name] = source.choice(choices[name])
        grid.append(base)
    source.shuffle(grid)
    return [*given, *grid][: len(given) + most]


def _choices(draw: Callable[..., Any]) -> Iterator[tuple[str, list[Any]]]:
    for name, parameter in inspect.signature(draw, eval_str=True).parameters.items():
        yield name, list(_values(parameter.annotation, parameter.default))


def _values(kind: Any, default: Any) -> Iterator[Any]:
    """A few values of a parameter."""
    if get_origin(kind) is Literal:
        yield from get_args(kind)
    elif kind is bool:
        yield from (False, True)
    elif get_origin(kind) is Annotated:
        own, *marks = get_args(kind)
        low, high = _bounds(marks)
        if own in (int, float):
            middle = default if isinstance(default, int | float) else max(low, 1)
            spread = [middle, middle * 2, middle * 3 + 1, middle * 0.7, middle / 3, low]
            for value in spread:
                fit = min(max(value, low), high)
                yield round(fit) if own is int else float(f"{fit:.4g}")
    elif kind in (int, float) and isinstance(default, int | float):
        yield from (default, kind(default * 2), kind(default * 3 + 1))
    elif type(kind).__name__ == "UnionType" or get_origin(kind) is Union:
        yield from itertools.chain.from_iterable(
            _values(each, default) for each in get_args(kind) if each is not type(None)
        )


def _bounds(marks: Iterable[Any]) -> tuple[float, float]:
    low, high = -1e6, 1e6
    for mark in marks:
        for bound in mark if isinstance(mark, annotated_types.GroupedMetadata) else (mark,):
            match bound:
                case annotated_types.Ge(ge):
                    low = max(low, ge)
                case annotated_types.Gt(gt):
                    low = max(low, gt + 1e-3)
                case annotated_types.Le(le):
                    high = min(high, le)
                case annotated_types.Lt(lt):
                    high = min(high, lt - 1e-3)
    return low, high
