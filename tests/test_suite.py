"""The lists of tests that `make test` leaves to `make soak` name tests that are there."""

from __future__ import annotations

import re
from pathlib import Path

from helpers.left_to_soak import SAMPLED, SLOW


def test_the_tests_that_are_left_to_soak_are_there() -> None:
    sources = (path.read_text("utf-8") for path in Path(__file__).parent.rglob("test_*.py"))
    there = {name for text in sources for name in re.findall(r"^ *def (test_\w+)", text, re.MULTILINE)}
    assert {*SAMPLED, *SLOW} <= there
