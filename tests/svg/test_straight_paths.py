"""Paths of lines alone, as charts of thousands of boxes have them, are read fast: to the same text and polygons."""

from __future__ import annotations

from random import Random

import pytest

from figmill.svg.document import Node
from figmill.svg.geometry import outlines
from figmill.svg.xml import path_data

NUMBERS = (
    "0",
    "-0",
    "-0.0001",
    "1.0005",
    "100",
    "100.000",
    "12.3456",
    "-7",
    "0.5",
    "1234567.5",
    "999999999.9",
)
ODD = ("M", "L", "Z", "C", "1", "x", "1e3", ",", "--1", ".5", "+3")


def straight(random: Random) -> str:
    """Path data of lines: of boxes, of lines of any length, now and then with an odd word."""
    alike = random.choice((None, 0, 1, 3))
    words: list[str] = []
    for _ in range(random.randint(1, 5)):
        words += ["M", random.choice(NUMBERS), random.choice(NUMBERS)]
        for _ in range(random.randint(0, 4) if alike is None else alike):
            words += ["L", *random.choices(NUMBERS, k=2 if alike is not None else random.choice((2, 2, 4)))]
        if alike is not None or random.random() < 0.7:
            words.append(random.choice("Zz"))
    if random.random() < 0.1:
        words.insert(random.randrange(len(words)), random.choice(ODD))
    return random.choice((" ", "\n", " \n", "  ")).join(words)


def written(text: str, decimals: int) -> str:
    """The same text, read word by word."""
    segments, is_whole = path_data.parse(text)
    assert is_whole
    out, last = [], ""
    for letter, values in segments:
        out += [letter] if letter != last or letter in "MZ" else []
        out += [path_data.fixed(value, decimals) for value in values]
        last = letter
    return " ".join(out)


@pytest.mark.parametrize("decimals", [3, 5])
def test_the_fast_way_writes_what_the_careful_one_does(decimals: int) -> None:
    random = Random(15)
    found = 0
    for _ in range(1500):
        text = straight(random)
        fast = path_data._straight(text, decimals)
        if fast is not None:
            found += 1
            assert fast == written(text, decimals), text
    assert found > 1000


def test_polygons_of_many_corners_alike_are_those_of_each() -> None:
    random = Random(16)
    found = 0
    for _ in range(1500):
        d, is_whole = path_data.path(straight(random), 3)
        if not is_whole or outlines.CURVED.search(d):
            continue
        one_by_one = tuple(ring for part in d.split("M") if len(ring := outlines._corners(part)) > 1)
        assert outlines.outline(Node("path", {"d": d})) == one_by_one, d
        found += outlines._alike(d) is not None
    assert found > 300


@pytest.mark.parametrize(
    "text", ["M 0 0 L 1 1 x", "M 0 0 L 1", "L 0 0", "M 2e9 0", "m 0 0 l 1 1", "M 0,0 L 1,1", ""]
)
def test_anything_else_is_left_to_the_careful_way(text: str) -> None:
    assert path_data._straight(text, 3) is None
