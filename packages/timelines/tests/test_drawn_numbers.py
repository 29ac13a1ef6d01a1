"""Every number that a generator draws is a tick of an axis, of the input, or a fact or a datum as it is printed."""

from __future__ import annotations

import inspect
import re
from collections import defaultdict
from functools import cache
from typing import Any

import pytest
import yaml
from helpers import drawn_numbers
from helpers.book import REPOSITORY
from helpers.generators import generator
from matplotlib.figure import Figure
from matplotlib.text import Text

from figmill.scaffold.generators import GENERATORS

# Numbers of a text that are none of these: what they are.
EXPLAINED = {
    r"in brackets: 95% of": "the share of other runs, which defines the interval",
    r"(> |by more than )30 ms": "the delay from which on effective_delay_percent counts",
    r"<0\.1%": "a share that rounds to 0",
    r"\d+ × \d+ × \d+ channels, rows, columns": "the input of a known network, whose name is the parameter",
    r"\d+ GB of memory": "the memory of a known accelerator, whose name is the parameter",
    r"bytes in \d+ fields": "the fields of a known header, whose name is the parameter",
}


@cache
def shown() -> dict[str, list[dict[str, Any]]]:
    """The params of each generator in the showcase."""
    params = defaultdict(list)
    for path in sorted((REPOSITORY / "questions").rglob("*.yaml")):
        visual = yaml.safe_load(path.read_text("utf-8")).get("visual") or {}
        params[str(visual.get("source", "")).removesuffix(".py")].append(visual.get("params") or {})
    return params


def unbacked(drawing: Any, params: dict[str, Any]) -> list[str]:
    """The texts of a drawing that have a number which is neither a tick nor in the input nor stated."""
    figure = drawing.figure
    names = [value for value in params.values() if isinstance(value, str)]
    tables = getattr(figure, "figmill_tables", {})
    given = set(drawn_numbers.numbers(params)) | set(drawn_numbers.numbers(drawing.facts))
    data = given | set(
        drawn_numbers.numbers([list(row.values()) for rows in tables.values() for row in rows])
    )
    ticks = drawn_numbers.ticks(figure)
    return [
        f"{number.value:g} in '{text.get_text()}'"
        for text in figure.findobj(Text)
        if text not in ticks
        for number in drawn_numbers.printed(drawn_numbers.words_of(explained(text.get_text()), names))
        if not drawn_numbers.is_index(number, given) and not drawn_numbers.is_one_of(number, data)
    ]


def explained(text: str) -> str:
    for pattern in EXPLAINED:
        text = re.sub(pattern, "", text)
    return text


def check(name: str, most: int) -> None:
    draw = generator(name).draw
    defaults = {key: row.default for key, row in inspect.signature(draw).parameters.items()}
    drawn = 0
    for params in drawn_numbers.cases(draw, [{}, *shown()[name]], most):
        try:
            drawing = draw(**params)
        except ValueError:  # a combination that its bounds allow, and that is refused in words
            continue
        drawn += 1
        if isinstance(drawing.figure, Figure):  # a graph has no numbers but those of its source and its facts
            assert unbacked(drawing, defaults | params) == [], params
    assert drawn > len(shown()[name])


@pytest.mark.parametrize("name", GENERATORS)
def test_every_drawn_number_is_backed(name: str) -> None:
    check(name, 5)


@pytest.mark.soak
@pytest.mark.parametrize("name", GENERATORS)
def test_every_drawn_number_is_backed_over_a_large_grid(name: str) -> None:
    check(name, 150)


def test_a_wrong_number_is_found() -> None:
    drawing = generator("failures").draw(view="timeline", nodes=16384, work_h=1, intervals_s=[21600], seed=1)
    params = {"nodes": 16384, "work_h": 1, "intervals_s": [21600], "node_mtbf_h": 24576}
    assert unbacked(drawing, params) == []
    note = next(text for text in drawing.figure.findobj(Text) if "expected 35.6%" in text.get_text())
    note.set_text(note.get_text().replace("35.6%", "93.3%"))  # that of a job without an end
    assert len(unbacked(drawing, params)) == 1


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("27.6% (17 to 35.3%) lost", [27.6, 17, 35.3]),
        ("124 439 808 parameters", [124439808]),
        ("T = 28.5 · idle: 15.8%", [28.5, 15.8]),
        ("GPU0, 1F1B, P90, 8B and H100", []),
        ("2·10⁻⁶ s", [2e-6]),
        ("2.79/s per GPU", [2.79]),
    ],
)
def test_numbers_of_a_text(text: str, values: list[float]) -> None:
    assert [number.value for number in drawn_numbers.printed(text)] == pytest.approx(values)
