"""Bounds of a generator's parameters, with messages for the author of the question."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from numbers import Integral, Real
from types import MappingProxyType, UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin, get_type_hints

from annotated_types import Ge, GroupedMetadata, Gt, Le, Lt


def within(low: float, high: float, **values: float) -> None:
    """ValueError for the first value that is not a finite number from `low` to `high` inclusive."""
    for name, value in values.items():
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise ValueError(f"{name} must be a number from {low:g} to {high:g}, not {value!r}")
        # Compared before it is formatted: an integer may be too large for a float.
        if not low <= value <= high:
            huge = isinstance(value, int) and abs(value) > 10**300
            shown = "a number with more than 300 digits" if huge else f"{value:g}"
            raise ValueError(f"{name} must be from {low:g} to {high:g}, not {shown}")


def whole(low: int, high: int, **values: float) -> None:
    """As `within`, for values that count something."""
    within(low, high, **values)
    for name, value in values.items():
        if value != int(value):
            raise ValueError(f"{name} must be a whole number, not {value:g}")


def hold(draw: Callable[..., Any], given: Mapping[str, Any]) -> None:
    """ValueError for the first argument that breaks the type or the bounds of its annotation.

    draw: a function whose parameters have bounds, as `Annotated[int, Interval(ge=1, le=64)]`. given: its arguments by
    name. A build checks the same before the script runs; this function is for those who call the generator directly.
    """
    for name, hint in get_type_hints(draw, include_extras=True).items():
        if name not in given:
            continue
        value, bounds = given[name], dict(_limits(hint))
        if not _is_one_of(value, hint):
            raise ValueError(f"{name} must be {_wanted(hint)}, not {_quoted(value)}")
        for item in value if isinstance(value, list | tuple) else [value]:
            if isinstance(item, int | float) and not isinstance(item, bool):
                _hold(name, item, bounds)


# written as in a question
_WORDS: Mapping[Any, str] = MappingProxyType(
    {
        bool: "true or false",
        int: "a whole number",
        float: "a number",
        str: "a text",
        list: "a list",
        tuple: "a list",
        dict: "a mapping",
        type(None): "none",
    }
)


def _is_one_of(value: Any, hint: Any) -> bool:
    """Whether a value has the type of an annotation.

    As in a question, a bool is not a number, and 4.0 is not a whole number.
    """
    origin, inner = get_origin(hint), get_args(hint)
    if origin is Annotated:
        return _is_one_of(value, inner[0])
    if origin in (Union, UnionType):
        return any(_is_one_of(value, member) for member in inner)
    if origin is Literal:
        return any(type(value) is type(choice) and value == choice for choice in inner)
    if origin in (list, tuple):
        return isinstance(value, list | tuple) and all(_is_one_of(item, inner[0]) for item in value)
    kind = origin or hint
    if kind is float:
        return isinstance(value, Real) and not isinstance(value, bool)
    if kind is int:
        return isinstance(value, Integral) and not isinstance(value, bool)
    return kind not in _WORDS or isinstance(value, kind)


def _wanted(hint: Any) -> str:
    """The type of an annotation in words."""
    return " or ".join(dict.fromkeys(_named(hint)))


def _named(hint: Any) -> Iterator[str]:
    origin, inner = get_origin(hint), get_args(hint)
    if origin is Annotated:
        yield from _named(inner[0])
    elif origin in (Union, UnionType):
        for member in inner:
            yield from _named(member)
    elif origin is Literal:
        yield from map(str, inner)
    elif origin in (list, tuple) and inner and _wanted(inner[0]).startswith("a "):
        yield f"a list of {_wanted(inner[0]).removeprefix('a ')}s"
    else:
        yield _WORDS.get(origin or hint, str(hint))


def _quoted(value: Any) -> str:
    shown = repr(value)
    return shown if len(shown) <= 60 else f"{shown[:60]}…"


def _hold(name: str, value: float, bounds: Mapping[str, float]) -> None:
    if isinstance(value, int) and abs(value) > 10**300:  # too large for a float
        value = math.inf if value > 0 else -math.inf
        shown = "a number with more than 300 digits"
        if not bounds:
            raise ValueError(f"{name} is {shown}, which no figure can show")
    else:
        shown = f"{value:g}" if bounds else ""
    low, high = bounds.get("ge", -math.inf), bounds.get("le", math.inf)
    above, below = bounds.get("gt", -math.inf), bounds.get("lt", math.inf)
    if not bounds or (math.isfinite(value) and low <= value <= high and above < value < below):
        return
    if "ge" in bounds and "le" in bounds:
        raise ValueError(f"{name} must be from {low:g} to {high:g}, not {shown}")
    phrases = {"ge": "at least", "gt": "above", "le": "at most", "lt": "below"}
    stated = " and ".join(f"{word} {bounds[what]:g}" for what, word in phrases.items() if what in bounds)
    raise ValueError(f"{name} must be {stated}, not {shown}")


def _limits(hint: Any) -> Iterator[tuple[str, float]]:
    """Every bound in an annotation, inside unions and lists too."""
    for item in getattr(hint, "__metadata__", ()):
        for limit in item if isinstance(item, GroupedMetadata) else (item,):
            if isinstance(limit, Ge | Gt | Le | Lt):
                what = type(limit).__name__.lower()
                yield what, getattr(limit, what)
    for inner in get_args(hint):
        if not isinstance(inner, str | int | float):
            yield from _limits(inner)
