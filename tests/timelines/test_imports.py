"""What an import of the timelines loads: a simulation loads nothing that draws."""

from __future__ import annotations

import subprocess
import sys

import pytest


@pytest.mark.parametrize(
    ("statement", "unwanted"),
    [
        ("import figmill.timelines", "matplotlib numpy figmill.timelines.spans"),
        ("from figmill.timelines.spans import Span", "matplotlib numpy figmill.timelines.pipeline"),
        ("from figmill.timelines.pipeline import schedules", "matplotlib numpy figmill.timelines.charts"),
        ("from figmill.timelines.training import workers", "matplotlib numpy figmill.timelines.training.stalls"),
        ("from figmill.timelines.traces import pipeline_events", "matplotlib numpy figmill.timelines.traces.readers"),
        ("from figmill.timelines.traces import readers", "matplotlib figmill.timelines.pipeline"),
    ],
)  # fmt: skip
def test_an_import_loads_that_module_and_what_it_needs(statement: str, unwanted: str) -> None:
    ran = subprocess.run(
        [sys.executable, "-W", "error", "-c", f"{statement}\nimport sys; print(*sys.modules)"],
        capture_output=True, text=True, check=True, timeout=60,
    )  # fmt: skip
    loaded = ran.stdout.split()
    assert "figmill.timelines" in loaded
    assert [name for name in unwanted.split() if name in loaded] == []
