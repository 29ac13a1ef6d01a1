"""Parameters and facts in words, with their units."""

from __future__ import annotations

import pytest

from figmill.page_words import Speech
from figmill.publish import quantities

GERMAN = Speech("de")


@pytest.mark.parametrize(
    ("name", "label", "value", "text"),
    [
        ("n", "n", 3, "3"),
        ("wait_ms", "Wait", 2.5, "2,5\u00a0ms"),
        ("rate_per_s", "Rate", 4, "4/s"),
        ("epoch_ms_asynchronous", "Epoch asynchronous", 7, "7\u00a0ms"),
        ("way", "Way", None, "keine"),
        ("is_open", "Is open", True, "true"),
        ("version", "Version", "1.5", "1.5"),
    ],
)
def test_a_parameter_in_words(name: str, label: str, value: object, text: str) -> None:
    assert (quantities.label(name), quantities.in_words(name, value, GERMAN)) == (label, text)


def test_the_facts_that_differ_are_a_line_for_each_picture() -> None:
    pictures = [
        {"lanes": [1], "gap_ms": 1200, "idle_fraction": 0.1, "same": 1, "way": "up"},
        {"lanes": [2], "gap_ms": 400, "idle_fraction": 0.25, "same": 1, "way": "down"},
    ]
    assert quantities.lines(pictures, GERMAN) == [
        "gap 1,2\u00a0s · idle fraction 10% · way up",
        "gap 400\u00a0ms · idle fraction 25% · way down",
    ]


def test_a_share_above_one_is_no_percentage_and_four_facts_are_enough() -> None:
    pictures = [dict.fromkeys(("a_share", "b", "c", "d", "e"), value) for value in (0.5, 1.23456)]
    assert quantities.lines(pictures, Speech()) == [
        "a share 0.5 · b 0.5 · c 0.5 · d 0.5",
        "a share 1.235 · b 1.235 · c 1.235 · d 1.235",
    ]
