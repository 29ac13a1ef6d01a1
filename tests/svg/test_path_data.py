"""Path data are read by the grammar of SVG, in any notation, and written in one."""

from __future__ import annotations

from random import Random

import pytest
from helpers.cases import cases

from figmill.svg.document import Element
from figmill.svg.geometry.outlines import outline
from figmill.svg.xml.path_data import TAKES, parse, parse_points, path, points

NUMBERS = (
    "0",
    "-0",
    "-0.0001",
    "1.0005",
    "100.000",
    "12.3456",
    "-7",
    ".5",
    "+3",
    "1e3",
    "-2E-4",
    "999999999.9",
)


@cases(
    ("text", "written"),
    [
        ("M 1 2 L 3 4 L 5 6 Z", "M 1 2 L 3 4 5 6 Z"),
        ("m1-2 3,4h5v-6z", "M 1 -2 L 4 2 H 9 V -4 Z"),
        ("M1.5.5.25-1", "M 1.5 0.5 L 0.25 -1"),
        ("M0 0zm1 1zl1 1", "M 0 0 Z M 1 1 Z L 2 2"),
        ("M0,0C1,2,3,4,5,6s1,1,2,2 3,3 4,4", "M 0 0 C 1 2 3 4 5 6 S 6 7 7 8 10 11 11 12"),
        ("M0 0Q1 1 2 0t2 0T5 5", "M 0 0 Q 1 1 2 0 T 4 0 5 5"),
        ("M10 10a5 5 30 10-5 5", "M 10 10 A 5 5 30 1 0 5 15"),
        ("M0 0a1 1 0 0110 10 1 1 0 1 0 1 1", "M 0 0 A 1 1 0 0 1 10 10 1 1 0 1 0 11 11"),
        ("M2e9 0L-1e999 -0.0001", "M 1000000000 0 L -1000000000 0"),
        (" \n", ""),
    ],
)
def test_any_notation_is_written_in_one(text: str, written: str) -> None:
    assert path(text, 3) == (written, True)


@cases(
    ("text", "drawn"),
    [
        ("L 1 1", ""),
        ("1 1", ""),
        ("M 0 0 L 1", "M 0 0"),
        ("M 0 0 L 1 1 2", "M 0 0 L 1 1"),
        ("M 0 0 L 1,,1", "M 0 0"),
        ("M 0 0 L 1 1 x L 2 2", "M 0 0 L 1 1"),
        ("M 0 0 L 1 n", "M 0 0"),
        ("M 0 0 Z 1 1", "M 0 0 Z"),
        ("M 0 0 A 1 1 0 2 0 5 5", "M 0 0"),
        ("M 0 0 A 25 25 0 1 7 25 25 Z", "M 0 0"),
        ("M 0 0 a 25 2501 025 -25 z", "M 0 0"),
        ("M 0 0 L --1 1", "M 0 0"),
    ],
)
def test_a_path_is_drawn_up_to_its_first_error(text: str, drawn: str) -> None:
    assert path(text, 3) == (drawn, False)


def test_every_command_repeats_without_its_letter() -> None:
    for letter, takes in TAKES.items():
        if takes and letter != "M":
            values = " ".join("1" * takes)
            again = parse(f"M 0 0 {letter} {values} {values}")
            assert again == parse(f"M 0 0 {letter} {values} {letter} {values}")
            assert again.commands == f"M{letter}{letter}"


def test_words_that_occur_often_are_read_as_all_are() -> None:
    random = Random(15)
    for _ in range(500):
        tokens = random.choices(("M", "L", "l", "Z", "h", "L1,2", "-3-4", "1,", ",", "x", *NUMBERS), k=8)
        text = " ".join(["M 0 0", *tokens])
        often, once = parse(f"{text} L 0 0 {'M 0 0 L 0 0 ' * 20}"), parse(text)
        assert often.commands.startswith(once.commands)
        assert often.numbers[: len(once.numbers)] == once.numbers
        assert once.is_whole or not often.is_whole or tokens[-1] == ","


def test_the_normal_form_is_read_to_itself() -> None:
    random = Random(16)
    for _ in range(500):
        text = "M 0 0"
        for _ in range(random.randint(1, 9)):
            letter = random.choice("MLHVCSQTZmlhvcsqtz")
            text += f" {letter} {' '.join(random.choices(NUMBERS, k=TAKES[letter.upper()]))}"
        written, is_whole = path(text, 3)
        assert is_whole
        assert path(written, 3) == (written, True), text


@pytest.mark.parametrize(
    ("d", "rings"),
    [
        ("M 0 0 L 1 0 1 1 Z M 5 5 L 6 6", (((0, 0), (1, 0), (1, 1)), ((5, 5), (6, 6)))),
        ("M 0 0 M 1 1 Z", ()),
        ("M 0 0 L 1 0 Z L 2 2", (((0, 0), (1, 0)), ((0, 0), (2, 2)))),
        ("M 0 0 H 4 V 2 Z", (((0, 0), (4, 0), (4, 2)),)),
        ("M 0 0 Q 2 4 4 0", (((0, 0), (2, 2), (4, 0)),)),
    ],
)
def test_polygons_of_a_path(d: str, rings: object) -> None:
    assert outline(Element("path", {"d": d})) == rings


@pytest.mark.parametrize(
    ("text", "numbers", "is_whole"),
    [("1,2 3-4", [1, 2, 3, -4], True), ("1 2 x 3", [1, 2], False), ("", [], True), ("1,2,", [1, 2], False)],
)
def test_points(text: str, numbers: list[float], is_whole: bool) -> None:
    assert parse_points(text) == (numbers, is_whole)


def test_an_odd_last_number_of_points_is_dropped() -> None:
    assert points("1 2 3", 3) == ("1,2", False)
