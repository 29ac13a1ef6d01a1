"""Bounds of parameters: what an annotation says holds for those who call a generator themselves, too."""

from __future__ import annotations

import ast
import re
from pathlib import Path
from typing import Annotated

import pytest
from annotated_types import Ge, Gt, Interval, Lt
from helpers.generators import generator

from figmill.kinds import limits, signature
from figmill.timelines.bounds import hold


def draw(
    ranks: Annotated[int, Interval(ge=2, le=64)] = 2,
    size: Annotated[float, Gt(0)] = 1,
    share: Annotated[float, Ge(0), Lt(1)] | None = None,
    times: list[Annotated[float, Interval(ge=0, le=9)]] | None = None,
    title: str = "",
    loud: bool = False,
) -> None:
    hold(draw, locals())


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"ranks": 1}, "ranks must be from 2 to 64, not 1"),
        ({"ranks": float("nan")}, "ranks must be from 2 to 64, not nan"),
        ({"size": 0}, "size must be above 0, not 0"),
        ({"size": float("inf")}, "size must be above 0, not inf"),
        ({"share": 1}, "share must be at least 0 and below 1, not 1"),
        ({"times": [1, 10]}, "times must be from 0 to 9, not 10"),
        ({"times": [1, "a"]}, "times must be a list of numbers, and holds 'a'"),
    ],
)
def test_what_is_out_of_bounds_is_told_in_one_line(given: dict, message: str) -> None:
    with pytest.raises(ValueError, match=f"^{message}$"):
        draw(**given)


def test_what_is_within_bounds_passes() -> None:
    draw()
    draw(64, 1e-300, 0, [0, 9.0], "a title", True)


VISUALS = Path(__file__).parents[2] / "visuals"


@pytest.mark.parametrize("script", sorted(VISUALS.glob("*.py")), ids=lambda path: path.stem)
def test_a_generator_states_the_bounds_of_its_parameters_in_annotations(script: Path) -> None:
    """A bound that stands in the code alone is known to no editor, no slider and no build before the script runs."""
    tree = ast.parse(script.read_bytes())
    draw = next((n for n in tree.body if isinstance(n, ast.FunctionDef) and n.name == "draw"), None)
    told = signature.signature(tree)
    if draw is None or told is None:
        return
    names = {parameter.name for parameter in told.parameters}
    in_code = [
        keyword.arg
        for call in ast.walk(draw)
        if isinstance(call, ast.Call)
        and isinstance(call.func, ast.Name)
        and call.func.id in ("within", "whole")
        if all(isinstance(bound, ast.Constant) for bound in call.args)
        for keyword in call.keywords
        if keyword.arg in names and isinstance(keyword.value, ast.Name)
    ]
    assert in_code == []
    numbers = [p for p in told.parameters if {"integer", "number"} & {*p.accepts}]
    in_words = [p.name for p in numbers if re.search(r"\b[\d.e+-]+ to [\d.e]", p.about)]
    assert in_words == []
    default_breaks = [
        p.name
        for p in told.parameters
        for value in p.default
        if isinstance(value, int | float) and not limits.keeps(p.bounds, value)
    ]
    assert default_breaks == []


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"ranks": 2.5}, "ranks must be an integer, not 2.5"),
        ({"ranks": True}, "ranks must be an integer, not True"),
        ({"size": False}, "size must be a number, not False"),
        ({"share": "0.5"}, "share must be a number or null, not '0.5'"),
        ({"times": [1, True]}, "times must be a list of numbers, and holds True"),
        ({"times": {}}, "times must be a list or null, not {}"),
        ({"title": []}, "title must be a text, not \\[\\]"),
        ({"loud": 0}, "loud must be true or false, not 0"),
    ],
)
def test_what_is_of_another_kind_is_told_in_one_line(given: dict, message: str) -> None:
    with pytest.raises(ValueError, match=f"^{message}$"):
        draw(**given)


# One parameter of each generator that a direct call could give what YAML could not.
DIRECT = [
    ("trace_timeline", {"lanes": []}, "lanes must be auto or gpu or all, not []"),
    ("trace_timeline", {"devices": 1.5}, "devices must be an integer, not 1.5"),
    ("trace_timeline", {"zero": False}, "zero must be a number or a list or null, not False"),
    ("trace_timeline", {"zero": float("nan")}, "zero must be from -1e+19 to 1e+19, not nan"),
    (
        "trace_timeline",
        {"zero": [0, 10**400]},
        "zero must be from -1e+19 to 1e+19, not a number with more than",
    ),
    ("trace_timeline", {"steps": ["1"]}, "steps must be a list of integers, and holds '1'"),
    (
        "trace_timeline",
        {"annotations": "forward"},
        "annotations must be true or false or a list, not 'forward'",
    ),
    (
        "stragglers",
        {"distribution": []},
        "distribution must be uniform or exponential or normal or pareto, not []",
    ),
    ("serving_timeline", {"batch": False}, "batch must be an integer, not False"),
    ("collective", {"ranks": 2.5}, "ranks must be an integer, not 2.5"),
    ("pipeline_bubble", {"schedule": {}}, "schedule must be gpipe or 1f1b"),
]


@pytest.mark.parametrize(("name", "params", "message"), DIRECT)
def test_a_direct_call_is_held_to_its_annotations(name: str, params: dict, message: str) -> None:
    with pytest.raises(ValueError, match=re.escape(message)):
        generator(name).draw(**params)
