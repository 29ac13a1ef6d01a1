"""The lists of tests that `make test` leaves to `make soak` name tests that are there."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

from helpers.left_to_soak import HELD_BY, SAMPLED, WHOLE

HERE = Path(__file__).parent
TEST = re.compile(r"^ *def (test_\w+)", re.MULTILINE)
FOR_SOAK_ALONE = re.compile(r"^@pytest\.mark\.soak\n(?:.+\n)*?def (test_\w+)", re.MULTILINE)


@cache
def sources() -> tuple[str, ...]:
    files = (*HERE.rglob("test_*.py"), *HERE.parent.joinpath("packages").rglob("test_*.py"))
    return tuple(path.read_text("utf-8") for path in files)


def test_the_tests_that_are_left_to_soak_are_there() -> None:
    there = {name for text in sources() for name in TEST.findall(text)}
    assert {*SAMPLED, *WHOLE} <= there


def test_who_holds_what_is_left_to_soak_runs_each_time() -> None:
    ours = [text for text in sources() if "\npytestmark = pytest.mark.soak\n" not in text]
    left = {name for text in ours for name in FOR_SOAK_ALONE.findall(text)}
    running = {name for text in ours for name in TEST.findall(text)} - left - WHOLE
    assert {*HELD_BY.values()} <= running
