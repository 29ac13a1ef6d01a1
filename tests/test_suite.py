"""The lists of tests that `make test` leaves to `make soak` name tests that are there."""

from __future__ import annotations

import re
from pathlib import Path

from helpers.left_to_soak import SAMPLED, SLOW


def test_the_tests_that_are_left_to_soak_are_there() -> None:
    here = Path(__file__).parent
    files = (*here.rglob("test_*.py"), *here.parent.joinpath("packages").rglob("test_*.py"))
    sources = (path.read_text("utf-8") for path in files)
    there = {name for text in sources for name in re.findall(r"^ *def (test_\w+)", text, re.MULTILINE)}
    assert {*SAMPLED, *SLOW} <= there
