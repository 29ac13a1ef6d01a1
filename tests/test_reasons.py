"""A failing test says why, on every Python that tests run on."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

HELPERS = Path(__file__).parent

# A collection that parses, as the printing of a traceback does; it comes at every third object.
DISTURBED = """\
import ast
import gc

busy = []


def again(*_):
    if not busy:
        busy.append(1)
        ast.parse("x = [1, 2]")
        busy.pop()


gc.callbacks.append(again)
gc.set_threshold(3)


def test_that_fails():
    found = "the picture"
    assert found == "the reason"


NUMBERS = [%s]
"""


def test_the_reason_of_a_failure_is_told_while_the_collector_runs(tmp_path: Path) -> None:
    numbers = ", ".join(f"dict(a={n}, b=[{n}, {n}])" for n in range(300))
    (tmp_path / "test_disturbed.py").write_text(DISTURBED % numbers)
    (tmp_path / "conftest.py").write_text("from helpers import parsing\n\nparsing.install()\n")
    path = os.pathsep.join(filter(None, (str(HELPERS), os.environ.get("PYTHONPATH"))))
    variables = {**os.environ, "PYTHONPATH": path}
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--rootdir", str(tmp_path)],
        cwd=tmp_path,
        env=variables,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 1, done.stdout + done.stderr
    assert "assert 'the picture' == 'the reason'" in done.stdout
    assert "SystemError" not in done.stdout + done.stderr
