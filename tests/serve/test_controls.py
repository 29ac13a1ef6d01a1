"""From a signature to controls: the table that people know from magicgui and ipywidgets, row by row."""

from __future__ import annotations

import re
from typing import Any

import pytest
from helpers.cases import cases

from figmill.kinds.scripts import signature
from figmill.kinds.scripts.signature import Signature
from figmill.page_words import Speech
from figmill.serve.controls import Control, controls
from figmill.serve.pages import control_form


def draw_of(parameters: str, docstring: str = "") -> Signature:
    script = f'def draw({parameters}):\n    """{docstring}"""\n'
    draw = signature.decoded(signature.offered("x.py", script.encode()), "x.py")
    assert draw is not None
    return draw


def one(parameter: str, value: Any = ..., files: tuple[str, ...] = (), docstring: str = "") -> Control:
    name = parameter.partition(":")[0].partition("=")[0].strip()
    (control,) = controls(draw_of(parameter, docstring), {} if value is ... else {name: value}, files)
    return control


BOUNDED = "a: Annotated[int, Interval(ge=1, le=64)]"
ROWS: list[tuple[str, Any, dict[str, Any]]] = [
    ("a: Literal['x', 'y'] = 'y'", ..., {"sort": "radio", "choices": ("x", "y"), "value": "y"}),
    ("a: Literal[1, 2, 4, 8] = 2", ..., {"sort": "radio", "choices": (1, 2, 4, 8), "value": 2}),
    ("a: Literal['v', 'w', 'x', 'y', 'z'] = 'v'", ..., {"sort": "select", "value": "v"}),
    ("a: bool = True", ..., {"sort": "checkbox", "value": True}),
    (
        f"{BOUNDED} = 4",
        ...,
        {"sort": "number", "low": 1, "high": 64, "reach": (1, 64), "step": 1, "is_whole": True},
    ),
    ("a: Annotated[int, Interval(ge=2, le=64), MultipleOf(2)] = 4", ..., {"step": 2, "reach": (2, 64)}),
    (
        "a: Annotated[float, Interval(ge=0, le=1)] = 0.5",
        ...,
        {"step": 0.01, "reach": (0, 1), "is_whole": False},
    ),
    ("a: Annotated[float, Ge(0.001), Le(1e6)] = 500", ..., {"low": 0.001, "high": 1e6, "reach": (10, 1500)}),
    ("a: Annotated[int, Gt(0), Lt(10)] = 5", ..., {"low": 1, "high": 9, "reach": (1, 9)}),
    ("a: Annotated[float, Gt(0)] = 2", ..., {"sort": "number", "low": 0.001, "high": None}),
    ("a: int = 4", ..., {"sort": "number", "low": None, "high": None, "reach": (1, 12)}),
    ("a: int = 0", ..., {"reach": (0, 30)}),
    ("a: int = -4", ..., {"reach": (-12, 4)}),
    ("a: float = 0.2", ..., {"reach": (0, 0.6), "is_whole": False}),
    ("a: int = 4", 40, {"value": 40, "reach": (1, 120)}),
    ("a: str = ''", ..., {"sort": "text", "value": ""}),
    ("a: int | None = None", ..., {"sort": "number", "is_optional": True, "value": None}),
    ("a: Optional[str] = None", ..., {"sort": "text", "is_optional": True}),
    (
        "a: Literal['x', 'y'] | None = None",
        ...,
        {"sort": "radio", "is_optional": True, "choices": ("x", "y")},
    ),
    (
        "a: 'Annotated[int, Interval(ge=1, le=9)] | None' = None",
        ...,
        {"low": 1, "high": 9, "is_optional": True},
    ),
    ("a: float | list[float] = 1", ..., {"sort": "number"}),
    ("a: float | list[float] = 1", [1, 2], {"sort": "shown", "value": [1, 2]}),
    ("a: list[str] | None = None", ..., {"sort": "shown", "is_optional": False}),
    ("a: dict[str, int] = {}", ..., {"sort": "shown", "is_known": False}),
    ("a: str = ''", "profile.json", {"sort": "shown"}),  # a source file
    ("a=3", ..., {"sort": "number"}),  # without an annotation, by its value
    ("a='x'", ..., {"sort": "text"}),
    ("a=False", ..., {"sort": "checkbox"}),
    ("a", ..., {"sort": "shown", "is_known": False}),
    ("a: int = 3 * 4", ..., {"sort": "number", "is_known": False}),
    ("batch_ms: float = 500", ..., {"unit": "ms"}),
    ("service_per_s: float = 50", ..., {"unit": "/s"}),
    ("work_h: float = 12", ..., {"unit": "h"}),
    ("link_gb_s: float = 50", ..., {"unit": "GB/s"}),
]


@cases(("parameter", "value", "expected"), ROWS)
def test_the_control_of_a_parameter(parameter: str, value: Any, expected: dict[str, Any]) -> None:
    control = one(parameter, value, files=("visuals/data/profile.json",))
    assert {name: getattr(control, name) for name in expected} == expected
    if control.reach:
        assert control.reach[0] < control.reach[1]


DOCSTRINGS = [
    "ranks: how many. size: in MB,\n    of each. mode: which.",
    "Draws it.\n\n    Args:\n        ranks: how many\n        size (float): in MB, of each\n        mode: which\n",
    ":param ranks: how many\n    :param size: in MB, of each\n    :param mode: which\n",
]


@pytest.mark.parametrize("docstring", DOCSTRINGS)
def test_the_words_of_a_parameter_come_from_the_docstring(docstring: str) -> None:
    form = controls(draw_of("ranks: int = 2, size: float = 1, mode: str = ''", docstring), {})
    assert [control.about for control in form] == ["how many", "in MB, of each", "which"]


def test_words_of_doc_come_first_and_a_range_of_names_shares_its_words() -> None:
    assert one("a: Annotated[int, Doc('how many')] = 2", docstring="a: other words").about == "how many"
    form = controls(draw_of("a=1, b=1, c=1", "a .. c: times, one number"), {})
    assert [control.about for control in form] == ["times, one number"] * 3


def test_whatever_a_script_says_stays_words() -> None:
    """Names, choices and docstrings come from authors: none of them becomes an element."""
    draw = draw_of(
        "a: Literal['<img src=x>', '\"><script>'] = '<img src=x>', b: str = '\"><b>'", "a: <script>. b: <b>"
    )
    html = control_form.form("x", controls(draw, {}), Speech())
    assert "<script" not in html and "<b>" not in html and "<img" not in html
    assert "&lt;script&gt;" in html


def test_what_the_question_sets_comes_first_and_the_rest_is_folded() -> None:
    draw = draw_of("a: int = 1, b: int = 2, c: int = 3, d: int = 4, e: int = 5")

    def order(declared: dict[str, Any]) -> list[str]:
        html = control_form.form("x", controls(draw, declared), Speech())
        return [name or more for name, more in re.findall(r'data-control="(.)"|class="(more)"', html)]

    assert order({"d": 1}) == ["d", "more", "a", "b", "c", "e"]
    assert order({"d": 1, "a": 1}) == ["a", "d", "b", "c", "e"]  # three more need no fold
    assert order({}) == ["a", "b", "c", "d", "e"]
