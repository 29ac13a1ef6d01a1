"""The bounds of a parameter, as stated in its annotation by classes of `annotated_types`. Pure.

`Annotated[int, Interval(ge=1, le=64)]` is read from the syntax tree, like all of a signature: no script runs.
"""

from __future__ import annotations

import ast
import math
from collections.abc import Iterator, Mapping
from types import MappingProxyType

# The bounds of a parameter: pairs of kind and number, such as ("ge", 1), ("le", 64).
ParamLimits = tuple[tuple[str, float], ...]

# Class of annotated_types -> the kind of its single bound. Interval names each of its bounds.
SINGLE: Mapping[str, str] = MappingProxyType(
    {"Ge": "ge", "Gt": "gt", "Le": "le", "Lt": "lt", "MultipleOf": "multiple_of"}
)
NAMES = frozenset(SINGLE.values())


def of(annotation: ast.expr | None) -> ParamLimits:
    """The bounds that an annotation states for a number, or for each item of a list; () if there are none.

    Members of a union share them. If two members have different bounds, nothing can be decided before the script
    runs, and the result is ().
    """
    stated = {limits for limits in _stated(annotation) if limits}
    return stated.pop() if len(stated) == 1 else ()


def _stated(annotation: ast.expr | None) -> Iterator[ParamLimits]:
    match annotation:
        case ast.Constant(value=str(text)):
            try:
                yield from _stated(ast.parse(text, mode="eval").body)
            except (SyntaxError, ValueError):
                return
        case ast.BinOp(left=left, op=ast.BitOr(), right=right):
            yield from _stated(left)
            yield from _stated(right)
        case ast.Subscript(
            value=ast.Name(id="Annotated") | ast.Attribute(attr="Annotated"), slice=ast.Tuple(elts=all_)
        ):
            own = tuple(limit for item in all_[1:] for limit in _limits(item))
            yield own or next(iter(_stated(all_[0])), ())
        case ast.Subscript(slice=ast.Tuple(elts=items)):
            for item in items:
                yield from _stated(item)
        case ast.Subscript(slice=item):
            yield from _stated(item)


def _limits(item: ast.expr) -> Iterator[tuple[str, float]]:
    match item:
        case ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name), args=args, keywords=keywords):
            if name in SINGLE:
                values = [*args, *(keyword.value for keyword in keywords)]
                named = [(SINGLE[name], value) for value in values[:1]]
            elif name == "Interval":
                named = [(keyword.arg, keyword.value) for keyword in keywords if keyword.arg in NAMES]
            else:
                return
            for what, value in named:
                number = _number(value)
                if number is not None:
                    yield what, number


def _number(value: ast.expr) -> float | None:
    """A literal number; None for anything else, because only running the script would give its value."""
    try:
        number = ast.literal_eval(value)
    except (ValueError, TypeError, SyntaxError):
        return None
    is_number = isinstance(number, int | float) and not isinstance(number, bool)
    return number if is_number and abs(number) < 1 << 64 and math.isfinite(number) else None


def keeps(limits: ParamLimits, value: float) -> bool:
    """Whether a number is finite and within all bounds."""
    if not limits:
        return True
    if not math.isfinite(value):
        return False
    held = {
        "ge": lambda bound: value >= bound,
        "gt": lambda bound: value > bound,
        "le": lambda bound: value <= bound,
        "lt": lambda bound: value < bound,
        "multiple_of": lambda bound: bound != 0 and value % bound == 0,
    }
    return all(held[what](bound) for what, bound in limits)


def words(limits: ParamLimits) -> str:
    """Bounds as text: `from 1 to 64`, `above 0 and at most 1`, `a multiple of 2`."""
    bounds = dict(limits)
    parts = []
    if "ge" in bounds and "le" in bounds:
        parts.append(f"from {_shown(bounds.pop('ge'))} to {_shown(bounds.pop('le'))}")
    texts = {"ge": "at least", "gt": "above", "le": "at most", "lt": "below", "multiple_of": "a multiple of"}
    parts += [f"{text} {_shown(bounds[what])}" for what, text in texts.items() if what in bounds]
    return " and ".join(parts)


def _shown(bound: float) -> str:
    """A bound as an author would write it: 64, 0.95, 1e9."""
    if abs(bound) >= 1e7:
        return f"{bound:g}".replace("e+0", "e").replace("e+", "e")
    return f"{bound:.12g}"


def schema(limits: ParamLimits) -> dict[str, float]:
    """The bounds in terms of JSON Schema, draft 7."""
    names = {
        "ge": "minimum",
        "gt": "exclusiveMinimum",
        "le": "maximum",
        "lt": "exclusiveMaximum",
        "multiple_of": "multipleOf",
    }
    return {names[what]: bound for what, bound in limits}
