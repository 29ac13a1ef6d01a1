"""The nine scenarios as a table, printed by `python -m`."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from helpers.book import REPOSITORY

COMMAND = (sys.executable, "-W", "error", "-m", "figmill_timelines.training.whatif")
TABLE = str(REPOSITORY / "visuals" / "data" / "stalls.csv")
OF_PYTHON = ("argparse", "csv", "dataclasses", "datetime", "fractions", "math", "numpy", "pathlib", "typing")


def test_the_scenarios_are_printed() -> None:
    ran = subprocess.run([*COMMAND, TABLE], capture_output=True, text=True, check=True, timeout=60)
    assert len(ran.stdout.splitlines()) == 10


def test_modules_of_the_current_folder_do_not_replace_those_of_python(tmp_path: Path) -> None:
    """What Python itself loads to find the module is not ours to choose; all else comes from its own place."""
    for module in OF_PYTHON:
        (tmp_path / f"{module}.py").write_text("raise SystemExit('taken from the current folder')\n")
    ran = subprocess.run(
        [*COMMAND, TABLE], capture_output=True, text=True, check=False, timeout=60, cwd=tmp_path
    )
    assert (ran.returncode, ran.stderr, len(ran.stdout.splitlines())) == (0, "", 10)
