"""Numbers in the words of the showcase: each is a placeholder, of the question, of its params or its expected facts, or
has a reason here."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from helpers import drawn_numbers
from helpers.book import REPOSITORY
from helpers.generators import generator, texts

from figmill.scaffold.generators import GENERATORS
from figmill_timelines.quantities import grouped

QUESTIONS = sorted((REPOSITORY / "questions").rglob("*.yaml"))

# Of alt texts and captions: question -> number -> where it is from.
WORDS = {
    "cloud-2848": {3 / 7: "24 of 56 cells, which the picture has"},
    "cloud-2850": {
        3.9: "drawn by a script that states no facts, and in the answer",
        109: "the same",
        19: "the same",
        27: "the same",
    },
    "cloud-2855": {120: "the steps of stalls.csv"},
    "cloud-2863": {120: "the steps of stalls.csv"},
    "cloud-2867": {26: "2 bytes of 13 10^9 parameters, in GB", 100: "the default of `shortest`"},
    "cloud-2868": {80: "the layers of Llama 3 70B, of which one is drawn"},
    "cloud-2871": {128: "the bound of blocks that the generator tries"},
    "cloud-2875": {90: "24 576 h over 16 384 nodes, in minutes"},
    "cloud-2880": {32: "bits of a line, as in the headers of the Internet"},
}

# Of answers: the steps of a calculation that the answer writes out, from the numbers of its question.
STEPS = {
    "cloud-2846": (
        14,
        2.6,
        76,
        0.3,
        145,
        5.4,
        75,
        43,
        258,
    ),
    "cloud-2847": (
        23,
        90,
        461,
    ),
    "cloud-2848": (
        0.21428571428571427,
        11,
    ),
    "cloud-2849": (
        0.8,
        0.4,
        560,
        760,
        7600,
        30,
    ),
    "cloud-2850": (
        0.01834862385321101,
        2969,
        109,
        185.6,
        27,
        54.5,
        3.9,
        27.2,
        13.6,
        19,
    ),
    "cloud-2851": (0.2727272727272727,),
    "cloud-2852": (1.5,),
    "cloud-2853": (21,),
    "cloud-2854": (
        0.42857142857142855,
        0.5,
        1.5,
    ),
    "cloud-2855": (1.7,),
    "cloud-2857": (14,),
    "cloud-2858": (0.10956521739130434,),
    "cloud-2859": (
        32,
        1.28,
        0.14,
        89,
        158,
    ),
    "cloud-2860": (
        300,
        30,
        16.7,
        16.9,
        120,
    ),
    "cloud-2864": (
        4.605,
        77,
        184,
        16,
        7.5,
    ),
    "cloud-2865": (
        512,
        51.2,
        75.2,
        576,
        23,
    ),
    "cloud-2866": (
        16,
        12,
        120,
        2048,
        34,
        10.3,
        90,
        30,
        1.4,
        26.9,
    ),
    "cloud-2867": (
        26,
        56,
        15,
        1.75,
        0.7,
    ),
    "cloud-2868": (
        1520,
        1820,
        0.34,
        63.3,
        21,
    ),
    "cloud-2869": (
        143,
        32,
        26,
        0.3,
        40,
        97.9,
    ),
    "cloud-2870": (
        0.5,
        0.25,
        0.125,
        1.75,
        17.92,
        60,
        140,
    ),
    "cloud-2871": (
        0.9583333333333334,
        100,
        46,
        460,
        579,
        2.18,
    ),
    "cloud-2872": (
        0.5,
        0.015625,
        0.25,
        0.014925373134328358,
        4.744,
        67,
        4.7,
        1.34,
    ),
    "cloud-2873": (
        0.95,
        1023,
    ),
    "cloud-2874": (
        1.4,
        1.92,
        4.67,
    ),
    "cloud-2875": (
        1.5,
        90,
        19,
        19.7,
    ),
    "cloud-2876": (
        72,
        21,
    ),
    "cloud-2879": (
        318,
        0.4,
        813,
        989,
        101,
        51,
    ),
    "cloud-2880": (
        40,
        50,
        38,
        70,
    ),
    "cloud-2882": (
        50,
        1.3,
        1.2,
    ),
    "cloud-2885": (
        68,
        46,
        31,
        163,
    ),
    "cloud-2886": (
        512,
        102.8,
        25088,
        4096,
        14.7,
        2.1,
    ),
    "cloud-2890": (24,),
    "cloud-2891": (
        131,
        64,
        576,
        57,
    ),
    "cloud-2892": (
        16,
        1.9,
        10.3,
        15,
    ),
    "cloud-2893": (
        222,
        2.3,
        512,
        118,
    ),
    "cloud-visual-001": (
        60,
        1.5,
        80,
    ),
}


def typed(path: Path) -> Iterator[tuple[str, str, float]]:
    """The question, the key and the value of each number that is neither a placeholder nor given nor expected."""
    question: dict[str, Any] = yaml.safe_load(path.read_text("utf-8"))
    visual = question["visual"]
    given = " ".join(str(question.get(key, "")) for key in ("scenario", "question", "title"))
    backed = {number.value for number in drawn_numbers.printed(given)}
    backed |= set(drawn_numbers.numbers(visual.get("params"))) | set(
        drawn_numbers.numbers(visual.get("expect"))
    )
    texts = {"alt": visual.get("alt"), "caption": visual.get("caption"), "answer": question.get("answer")}
    for key, text in texts.items():
        plain = re.sub(r"\{[^{}]*\}|arXiv:[\d.]+|RFC \d+|\b(?:19\d|20[0-3])\d\b", "", text or "")
        for number in drawn_numbers.printed(plain):
            is_small = number.value == int(number.value) and 0 <= number.value <= 10
            if not is_small and not drawn_numbers.is_one_of(number, backed):
                yield question["id"], key, number.value


def test_every_number_of_the_words_has_a_source() -> None:
    unexplained = [
        (name, key, value)
        for path in QUESTIONS
        for name, key, value in typed(path)
        if value not in (STEPS.get(name, ()) if key == "answer" else WORDS.get(name, {}))
    ]
    assert unexplained == [], "write a placeholder, or the reason into the table of this test"


def test_large_numbers_of_the_words_are_in_groups_of_three() -> None:
    wrong = {path.stem: large for path in QUESTIONS if (large := ungrouped(path))}
    assert wrong == {}, "124439808 is hard to read; the picture says 124 439 808"


def ungrouped(path: Path) -> set[str]:
    """The large numbers that a question prints as one run of digits."""
    visual = yaml.safe_load(path.read_text("utf-8"))["visual"]
    text = " ".join([visual.get("alt") or "", visual.get("caption") or ""])
    plain = set(re.findall(r"\{(\w+)\}", text))  # placeholders without a format
    facts = (visual.get("expect") or {}).get("facts", {})
    source = visual.get("source", "").removesuffix(".py")
    if source in GENERATORS and plain - facts.keys():
        facts |= generator(source).draw(**visual.get("params") or {}).facts
    return {name for name in plain if isinstance(facts.get(name), int) and facts[name] >= 10_000}


# Digits in a row or in groups, and a percent sign apart from its number.
DIGITS = re.compile(r"(?<![\w.,·])\d{1,3}(?:[ \u2009\u202f,]\d{3})+(?![\d.]*\d)|(?<![\w.,·:])\d{4,}(?![\w-])")
PERCENT_APART = re.compile(r"\d[ \u2009\u202f]%")


def unlike_the_house(text: str) -> Iterator[str]:
    """The numbers that are not as `quantities` prints them: `2048`, `16\u202f384`, `5%`."""
    for digits in DIGITS.findall(text):
        if digits != grouped(re.sub(r"\D", "", digits)):
            yield digits
    yield from PERCENT_APART.findall(text)


@pytest.mark.parametrize("path", QUESTIONS, ids=lambda path: path.stem)
def test_digits_and_percent_signs_stand_as_the_house_has_them(path: Path) -> None:
    """In the words of the showcase, and in what its generators draw."""
    question = yaml.safe_load(path.read_text("utf-8"))
    visual = question["visual"]
    passages = [question.get(key) or "" for key in ("title", "scenario", "question", "answer")]
    passages += [visual.get(key) or "" for key in ("alt", "caption")]
    source = visual.get("source", "").removesuffix(".py")
    if source in GENERATORS and visual["kind"] == "matplotlib":
        passages += texts(generator(source).draw(**visual.get("params") or {}).figure)
    assert [number for text in passages for number in unlike_the_house(text)] == []


def test_numbers_unlike_the_house_are_seen() -> None:
    text = "2 048 of 16 384, 138,357,544 and 25088 or 5 %, but 2048 of 16\u202f384, 2:65536, arXiv:2309.06180, 5%"
    assert list(unlike_the_house(text)) == ["2 048", "16 384", "138,357,544", "25088", "5 %"]


def test_no_reason_is_without_its_number() -> None:
    numbers = [row for path in QUESTIONS for row in typed(path)]
    answers = {(name, value) for name, key, value in numbers if key == "answer"}
    captions = {(name, value) for name, key, value in numbers if key != "answer"}
    assert {(name, value) for name, row in STEPS.items() for value in row} == answers
    assert {(name, value) for name, row in WORDS.items() for value in row} == captions
