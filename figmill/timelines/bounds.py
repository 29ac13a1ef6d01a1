"""Bounds of a generator's parameters, with messages in the words of the question file."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from numbers import Integral, Real
from types import UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin, get_type_hints

from annotated_types import Ge, GroupedMetadata, Gt, Le, Lt


def within(low: float, high: float, **values: float) -> None:
    """ValueError for the first value that is not a finite number from `low` to `high` inclusive."""
    for name, value in values.items():
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise ValueError(f"{name} must be a number from {low:g} to {high:g}, not {value!r}")
        # Before anything is made of it: an integer may be too large for a float.
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
    """ValueError for the first argument that breaks the annotation of its parameter.

    draw: a function whose parameters have bounds, as `Annotated[int, Interval(ge=1, le=64)]`. given: its arguments by
    name. A build checks the same before the script runs; this is for those who call the function themselves.
    """
    for name, hint in get_type_hints(draw, include_extras=True).items():
        if name not in given:
            continue
        value, bounds = given[name], dict(_limits(hint))
        for item in value if isinstance(value, list | tuple) else [value]:
            if isinstance(item, int | float) and not isinstance(item, bool):
                _hold(name, item, bounds)
            elif bounds and isinstance(value, list | tuple):
                raise ValueError(f"{name} must be a list of numbers, and holds {item!r}")
        _fits(name, value, hint)


# What an annotation accepts, and how a message calls it. Unlike in Python, True and False are no numbers.
_TYPES: Mapping[Any, tuple[tuple[type, ...], str]] = {
    int: ((Integral,), "an integer"),
    float: ((Real,), "a number"),
    str: ((str,), "a text"),
    bool: ((bool,), "true or false"),
    list: ((list, tuple), "a list"),
    dict: ((dict,), "a mapping"),
    type(None): ((type(None),), "null"),
}


def _fits(name: str, value: Any, hint: Any) -> None:
    """ValueError for a value of another type, or another choice, than its annotation names."""
    members = list(_members(hint))
    choices = [choice for member in members if get_origin(member) is Literal for choice in get_args(member)]
    types = [get_origin(member) or member for member in members if get_origin(member) is not Literal]
    if any(kind not in _TYPES for kind in types) or any(
        type(choice) is type(value) and choice == value for choice in choices
    ):
        return
    if not any(_is(value, kind) for kind in types):
        wanted = [*(_TYPES[kind][1] for kind in types), *map(str, choices)]
        shown = f"'{value:.40}'" if isinstance(value, str) else f"{value!r:.40}"
        raise ValueError(f"{name} must be {' or '.join(wanted)}, not {shown}")
    inner = [get_args(member)[0] for member in members if get_origin(member) is list]
    if inner and isinstance(value, list | tuple):
        within = [get_origin(member) or member for member in _members(inner[0])]
        wrong = [item for item in value if all(kind in _TYPES and not _is(item, kind) for kind in within)]
        if wrong:
            words = " or ".join(_TYPES[kind][1].partition(" ")[2] + "s" for kind in within)
            raise ValueError(f"{name} must be a list of {words}, and holds {wrong[0]!r:.40}")


def _members(hint: Any) -> Iterator[Any]:
    """The members of a union, without the bounds of each; one that is no union is its only member."""
    if get_origin(hint) is Annotated:
        yield from _members(get_args(hint)[0])
    elif get_origin(hint) in (Union, UnionType):
        for member in get_args(hint):
            yield from _members(member)
    else:
        yield hint


def _is(value: Any, kind: Any) -> bool:
    return isinstance(value, _TYPES[kind][0]) and (kind is bool or not isinstance(value, bool))


def _hold(name: str, value: float, bounds: Mapping[str, float]) -> None:
    if bounds and isinstance(value, int) and abs(value) > 10**300:  # too large for a float
        value = math.inf if value > 0 else -math.inf
        shown = "a number with more than 300 digits"
    else:
        shown = f"{value:g}" if bounds else ""
    low, high = bounds.get("ge", -math.inf), bounds.get("le", math.inf)
    above, below = bounds.get("gt", -math.inf), bounds.get("lt", math.inf)
    if not bounds or (math.isfinite(value) and low <= value <= high and above < value < below):
        return
    if "ge" in bounds and "le" in bounds:
        raise ValueError(f"{name} must be from {low:g} to {high:g}, not {shown}")
    words = {"ge": "at least", "gt": "above", "le": "at most", "lt": "below"}
    stated = " and ".join(f"{word} {bounds[what]:g}" for what, word in words.items() if what in bounds)
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
