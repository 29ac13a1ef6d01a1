"""A parameter of draw() -> its control. Pure; one table of rules.

Follows conventions that people know from magicgui's table of types and ipywidgets' `interact`: a Literal is
radio buttons or a select, a bool a checkbox, a bounded number a slider with a box, `X | None` a switch and X's control.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Mapping
from dataclasses import replace

from figmill.kinds.scripts.signature import Parameter, Signature, json_type
from figmill.late_dataclasses import dataclass
from figmill.model import Json
from figmill.publish.quantities import UNITS

RADIOS = 4  # choices that are shown side by side; more of them become a list
STEPS = 1000  # of a slider that can still be set by hand
NUMBERS = {"integer", "number"}


@dataclass(frozen=True, slots=True)
class Control:
    """One control."""

    name: str
    sort: str
    """radio, select, checkbox, number, text, or shown (it cannot be changed)."""
    value: Json = None
    """The declared value of the figure, else the default of draw()."""
    is_known: bool = True
    """Whether there is such a value."""
    is_set: bool = False
    """Whether the question sets it."""
    is_whole: bool = False
    is_optional: bool = False
    """Whether a switch before the control sets it to null."""
    choices: tuple[Json, ...] = ()
    low: float | None = None
    """The lower bound, if there is one."""
    high: float | None = None
    """The upper bound, if there is one."""
    reach: tuple[float, float] | None = None
    """The ends of the slider."""
    step: float | None = None
    """The step of the slider; None if any number is valid."""
    unit: str = ""
    about: str = ""


def controls(
    draw: Signature, declared: Mapping[str, Json], files: Collection[str] = ()
) -> tuple[Control, ...]:
    """A control for each parameter, in the order of the signature.

    declared: the params of the question. files: what the figure was read from: a text that names one of them cannot
    be changed.
    """
    return tuple(_control(parameter, declared, files) for parameter in draw.parameters)


def _control(parameter: Parameter, declared: Mapping[str, Json], files: Collection[str]) -> Control:
    name = parameter.name
    is_declared = name in declared
    value = declared[name] if is_declared else next(iter(parameter.default), None)
    kinds = {kind for kind in parameter.accepts if kind != "null"}
    is_optional = "null" in parameter.accepts or None in parameter.choices
    blank = Control(
        name,
        "shown",
        value,
        is_known=is_declared or bool(parameter.default),
        is_set=is_declared,
        is_optional=is_optional,
        choices=tuple(choice for choice in parameter.choices if choice is not None),
        unit=next((unit for end, unit in UNITS.items() if name.endswith(end)), ""),
        about=parameter.about,
    )
    if not kinds and not blank.choices and not is_optional and value is not None:
        kinds = {json_type(value)}  # without an annotation, by its value
    for fits, make in RULES:
        if fits(blank, kinds, files):
            return make(blank, parameter, kinds)
    return replace(blank, is_optional=False)


def _names_a_file(control: Control, kinds: Collection[str], files: Collection[str]) -> bool:
    value = control.value
    return (
        isinstance(value, str) and bool(value) and any(f == value or f.endswith(f"/{value}") for f in files)
    )


def _is_choice(control: Control, kinds: Collection[str], files: Collection[str]) -> bool:
    """Choices and nothing else. A union of them with a type gets the control of that type."""
    return bool(control.choices) and not kinds


def _shown(control: Control, parameter: Parameter, kinds: Collection[str]) -> Control:
    return replace(control, is_optional=False)


def _choice(control: Control, parameter: Parameter, kinds: Collection[str]) -> Control:
    return replace(control, sort="radio" if len(control.choices) <= RADIOS else "select")


def _sort(sort: str) -> Callable[[Control, Parameter, Collection[str]], Control]:
    return lambda control, parameter, kinds: replace(control, sort=sort)


def _number(control: Control, parameter: Parameter, kinds: Collection[str]) -> Control:
    bounds = dict(parameter.bounds)
    is_whole = "number" not in kinds
    step = bounds.get("multiple_of") or (1 if is_whole else None)
    low, high = _bound(bounds, "ge", "gt", step, +1), _bound(bounds, "le", "lt", step, -1)
    value = control.value if isinstance(control.value, int | float) else None
    ends = _reach(value, low, high, is_whole)
    step = step or _fine(ends)
    # A slider counts its steps from its lower end: 0.001, 10.001, 20.001 would be useless numbers.
    reach = float(f"{math.ceil(ends[0] / step - 1e-9) * step:.12g}"), ends[1]
    return replace(control, sort="number", is_whole=is_whole, low=low, high=high, reach=reach, step=step)


def _bound(
    bounds: Mapping[str, float], closed: str, opened: str, step: float | None, inward: int
) -> float | None:
    """The last number that a slider may show: an open bound is one step away from it."""
    if opened in bounds:
        at = bounds[opened]
        return at + inward * (step or max(abs(at), 1.0) * 1e-3)
    return bounds.get(closed)


def _reach(value: float | None, low: float | None, high: float | None, is_whole: bool) -> tuple[float, float]:
    """The ends of the slider: the bounds if a hand can tell their steps apart, else a range around the value.

    As in ipywidgets: -v to 3v for v > 0, and 0 to 1 for 0; but not below 0, or below 1 for a count.
    """
    about = abs(value) if value else (10.0 if is_whole else 1.0)
    if low is not None and high is not None:
        is_narrow = high - low <= STEPS if is_whole else high - low <= 100 * about
        if is_narrow:
            return low, high
    least = value - 2 * about if value is not None and value < 0 else (1.0 if is_whole and value else 0.0)
    most = max(about * 3 if value is None or value >= 0 else about, least + 1e-9)
    return (
        max(least, low) if low is not None else least,
        min(_nice(most), high) if high is not None else _nice(most),
    )


def _nice(number: float) -> float:
    """The next number of two digits."""
    if number <= 0:
        return number
    unit = 10.0 ** (math.floor(math.log10(number)) - 1)
    return float(f"{math.ceil(number / unit - 1e-9) * unit:.12g}")


def _fine(reach: tuple[float, float]) -> float:
    """A step of 1, 2 or 5 times a power of ten that divides the slider into some 100 to 250 steps."""
    wanted = (reach[1] - reach[0]) / 100
    power = 10.0 ** math.floor(math.log10(wanted)) if wanted > 0 else 1.0
    step = next((f * power for f in (5, 2) if f * power <= wanted * 1.0001), power)
    return float(f"{step:.6g}")


# The first rule that fits makes the control. A parameter that fits none, such as a list or a mapping, is shown as it
# is.
RULES: tuple[
    tuple[
        Callable[[Control, Collection[str], Collection[str]], bool],
        Callable[[Control, Parameter, Collection[str]], Control],
    ],
    ...,
] = (
    (lambda control, kinds, files: isinstance(control.value, list | dict), _shown),
    (_names_a_file, _shown),
    (_is_choice, _choice),
    (lambda control, kinds, files: bool(NUMBERS & set(kinds)), _number),
    (lambda control, kinds, files: "boolean" in kinds, _sort("checkbox")),
    (lambda control, kinds, files: "text" in kinds, _sort("text")),
)
