"""Bounds of parameters: what an annotation says holds for those who call a generator themselves, too."""

from __future__ import annotations

import inspect
import re
from pathlib import Path
from typing import Annotated, Literal

import numpy as np
import pytest
from annotated_types import Ge, Gt, Interval, Lt
from helpers.cases import cases
from helpers.generators import generator

from figmill_timelines.bounds import hold


def draw(
    ranks: Annotated[int, Interval(ge=2, le=64)] = 2,
    size: Annotated[float, Gt(0)] = 1,
    share: Annotated[float, Ge(0), Lt(1)] | None = None,
    times: list[Annotated[float, Interval(ge=0, le=9)]] | None = None,
    title: str = "",
    loud: bool = False,
    way: Literal["up", "down"] = "up",
    given: dict[str, float] | None = None,
) -> None:
    hold(draw, locals())


@cases(
    ("given", "message"),
    [
        ({"ranks": 1}, "ranks must be from 2 to 64, not 1"),
        ({"ranks": float("nan")}, "ranks must be a whole number, not nan"),
        ({"share": float("nan")}, "share must be at least 0 and below 1, not nan"),
        ({"size": 0}, "size must be above 0, not 0"),
        ({"size": float("inf")}, "size must be above 0, not inf"),
        ({"share": 1}, "share must be at least 0 and below 1, not 1"),
        ({"times": [1, 10]}, "times must be from 0 to 9, not 10"),
        ({"times": [1, "a"]}, r"times must be a list of numbers or none, not \[1, 'a'\]"),
        ({"times": 1}, "times must be a list of numbers or none, not 1"),
        ({"ranks": True}, "ranks must be a whole number, not True"),
        ({"ranks": False}, "ranks must be a whole number, not False"),
        ({"ranks": 2.5}, "ranks must be a whole number, not 2.5"),
        ({"ranks": 4.0}, "ranks must be a whole number, not 4.0"),
        ({"ranks": []}, r"ranks must be a whole number, not \[\]"),
        ({"size": "9"}, "size must be a number, not '9'"),
        ({"share": False}, "share must be a number or none, not False"),
        ({"title": 3}, "title must be a text, not 3"),
        ({"loud": 1}, "loud must be true or false, not 1"),
        ({"way": []}, r"way must be up or down, not \[\]"),
        ({"way": "left"}, "way must be up or down, not 'left'"),
        ({"given": [1]}, r"given must be a mapping or none, not \[1\]"),
    ],
)
def test_what_is_out_of_bounds_is_told_in_one_line(given: dict, message: str) -> None:
    with pytest.raises(ValueError, match=f"^{message}$"):
        draw(**given)


def test_what_is_within_bounds_passes() -> None:
    draw()
    draw(64, 1e-300, 0, [0, 9.0], "a title", True, "down", {"a": 1.0})
    draw(np.int64(3), np.float64(2))


BREAKING = (False, True, 1.5, "x", [], {}, [[]], float("nan"), float("inf"), -(10**400))


@pytest.mark.parametrize(
    "script", sorted((Path(__file__).parents[3] / "visuals").glob("*.py")), ids=lambda path: path.stem
)
def test_a_generator_ends_soon_whatever_it_is_called_with(script: Path) -> None:
    """Each parameter of each generator with values of other types: a figure, or one line in the words of the field."""
    draw = generator(script.stem).draw
    for name in inspect.signature(draw).parameters:
        for value in BREAKING:
            try:
                draw(**{name: value})
            except (ValueError, FileNotFoundError) as error:
                assert "\n" not in str(error) and str(error)


@cases(
    ("given", "message"),
    [
        ({"ranks": 2.5}, "ranks must be a whole number, not 2.5"),
        ({"ranks": True}, "ranks must be a whole number, not True"),
        ({"size": False}, "size must be a number, not False"),
        ({"share": "0.5"}, "share must be a number or none, not '0.5'"),
        ({"times": [1, True]}, r"times must be a list of numbers or none, not \[1, True\]"),
        ({"times": {}}, "times must be a list of numbers or none, not {}"),
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
    ("trace_timeline", {"devices": 1.5}, "devices must be a whole number, not 1.5"),
    ("trace_timeline", {"zero": False}, "zero must be a number or a list of numbers or none, not False"),
    ("trace_timeline", {"zero": float("nan")}, "zero must be from -1e+19 to 1e+19, not nan"),
    (
        "trace_timeline",
        {"zero": [0, 10**400]},
        "zero must be from -1e+19 to 1e+19, not a number with more than",
    ),
    ("trace_timeline", {"steps": ["1"]}, "steps must be true or false or a list of whole numbers, not ['1']"),
    (
        "trace_timeline",
        {"annotations": "forward"},
        "annotations must be true or false or a list of texts, not 'forward'",
    ),
    (
        "stragglers",
        {"distribution": []},
        "distribution must be uniform or exponential or normal or pareto, not []",
    ),
    ("serving_timeline", {"batch": False}, "batch must be a whole number, not False"),
    ("serving_timeline", {"cache_blocks": 1}, "request R0 needs"),
    ("serving_timeline", {"compare": ["swap"]}, "compare: 'swap' needs cache_blocks"),
    (
        "serving_timeline",
        {"cache_blocks": 9999, "policy": "static"},
        "a limited cache is for continuous and chunked",
    ),
    ("collective", {"ranks": 2.5}, "ranks must be a whole number, not 2.5"),
    ("pipeline_bubble", {"schedule": {}}, "schedule must be gpipe or 1f1b"),
]


@cases(("name", "params", "message"), DIRECT)
def test_a_direct_call_is_held_to_its_annotations(name: str, params: dict, message: str) -> None:
    with pytest.raises(ValueError, match=re.escape(message)):
        generator(name).draw(**params)
