"""After any sequence of edits, what a resident builder leaves is what whole builds leave, to the byte."""

from __future__ import annotations

from pathlib import Path

import pytest
from helpers.sequences import drive


@pytest.mark.parametrize("seed", range(2))
def test_any_sequence_of_edits_ends_as_whole_builds_do(tmp_path: Path, seed: int) -> None:
    drive(tmp_path, seed, edits=5)
