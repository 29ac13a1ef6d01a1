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
from helpers.cases import cases
from helpers.generators import generator
from helpers.words import texts_of
from matplotlib.figure import Figure
from matplotlib.text import Text

from figmill.scaffold.generators import GENERATORS

# Numbers of a text that are none of these: what they are.
EXPLAINED = {
    r"in brackets: 95% of": "the share of other runs, which defines the interval",
    r"(> |by more than )30 ms": "the delay from which on effective_delay_percent counts",
    r"<0\.1%": "a share that rounds to 0",
    r"1 (?:kB = 1000|MB = 10⁶|GB = 10⁹|TB = 10¹²|PB = 10¹⁵) bytes": "what the unit is",
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
    given = set(drawn_numbers.numbers(params)) | set(drawn_numbers.numbers(drawing.facts))
    data = given | set(drawn_numbers.data(getattr(figure, "figmill_tables", {})))
    ticks = drawn_numbers.ticks(figure)
    texts = [text.get_text() for text in texts_of(figure) if text not in ticks]
    return [
        f"{number.value:g} in '{text}'"
        for text, rest in zip(texts, explained(texts), strict=True)
        for number in drawn_numbers.printed(drawn_numbers.words_of(rest, names))
        if not drawn_numbers.is_index(number, given) and not drawn_numbers.is_one_of(number, data)
    ]


def explained(texts: list[str]) -> list[str]:
    """The texts without the numbers that are explained, also where such words run on in the next line."""
    joined = "\x1f".join(texts)
    for pattern in EXPLAINED:
        joined = re.sub(
            pattern.replace(" ", "[ \x1f]"), lambda match: "\x1f" * match[0].count("\x1f"), joined
        )
    return joined.split("\x1f")


@cache
def defaults(name: str) -> dict[str, Any]:
    return {key: row.default for key, row in inspect.signature(generator(name).draw).parameters.items()}


def check(name: str, most: int) -> None:
    draw = generator(name).draw
    drawn = 0
    for params in drawn_numbers.cases(draw, [{}, *shown()[name]], most):
        try:
            drawing = draw(**params)
        except ValueError:  # a combination that its bounds allow, and that is refused in words
            continue
        drawn += 1
        if isinstance(drawing.figure, Figure):  # a graph has no numbers but those of its source and its facts
            assert unbacked(drawing, defaults(name) | params) == [], params
    assert drawn > len(shown()[name])


@cases("name", GENERATORS)
def test_every_drawn_number_is_backed(name: str) -> None:
    check(name, 0)


@pytest.mark.soak
@pytest.mark.parametrize("name", GENERATORS)
def test_every_drawn_number_is_backed_over_a_large_grid(name: str) -> None:
    check(name, 150)


def test_a_wrong_number_is_found() -> None:
    drawing = generator("failures").draw(view="timeline", nodes=16384, work_h=1, intervals_s=[21600], seed=1)
    params = {"nodes": 16384, "work_h": 1, "intervals_s": [21600], "node_mtbf_h": 24576}
    assert unbacked(drawing, params) == []
    note = next(text for text in drawing.figure.findobj(Text) if text.get_text().endswith("% lost"))
    note.set_text("93.3% lost")  # that of a job without an end
    assert len(unbacked(drawing, params)) == 1


@cases(
    ("name", "params", "right", "wrong"),
    [
        ("memory_budget", {"hbm_gb": 26.67}, "26.7 GB of memory", "62.7 GB of memory"),
        ("memory_budget", {"accelerator": "H200"}, "141 GB of memory", "144 GB of memory"),
        ("pipeline_bubble", {"p2p": 0.35}, "transfer = 0.35", "transfer = 0.45"),
        ("queueing", {"arrivals_per_s": 1.0, "capacity": 1}, "150% load", "130% load"),
        ("roofline", {"accelerator": "B200"}, "Compute: 2.25 PFLOP/s", "Compute: 2.52 PFLOP/s"),
        ("failures", {"view": "timeline", "nodes": 16384}, "% lost", "7% lost"),
        ("speculative", {"compare": [0.6, 0.9], "most": 49}, "4.67 at 13", "4.67 at 15"),
        ("speculative", {"compare": [0.6, 0.9], "most": 49}, "4.67 at 13", "4.76 at 13"),
        ("memory_budget", {}, "1 GB = 10⁹ bytes", "1 GB = 10⁶ bytes"),
        ("roofline", {}, "3 of 5 kernels", "3 of 7 kernels"),
        ("network_blocks", {"known": "VGG-16"}, "3 × 224 × 224 channels", "3 × 226 × 224 channels"),
        ("bit_fields", {"known": "IPv4"}, "in 13 fields", "in 12 fields"),
    ],
)
def test_a_number_is_read_in_its_words(name: str, params: dict[str, Any], right: str, wrong: str) -> None:
    drawing = generator(name).draw(**params)
    params = defaults(name) | params
    assert unbacked(drawing, params) == []
    text = next(text for text in drawing.figure.findobj(Text) if right in text.get_text())
    text.set_text(text.get_text().replace(right, wrong))
    assert len(unbacked(drawing, params)) == 1


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("27.6% (17 to 35.3%) lost", [27.6, 17, 35.3]),
        ("124 439 808 parameters", [124439808]),
        ("T = 28.5 · idle: 15.8%", [28.5, 15.8]),
        ("GPU0, 1F1B, P90, 8B and H100", []),
        ("2·10⁻⁶ s", [2e-6]),
        ("1 GB = 10⁹ bytes", [1, 1e9]),
        ("2.79/s per GPU", [2.79]),
    ],
)
def test_numbers_of_a_text(text: str, values: list[float]) -> None:
    assert [number.value for number in drawn_numbers.printed(text)] == pytest.approx(values)
