"""What an import of the timelines loads: a simulation loads nothing that draws."""

from __future__ import annotations

import subprocess
import sys

import pytest


@pytest.mark.parametrize(
    ("statement", "unwanted"),
    [
        ("import figmill_timelines", "matplotlib numpy figmill_timelines.spans"),
        ("from figmill_timelines.spans import Span", "matplotlib numpy figmill_timelines.pipeline"),
        ("from figmill_timelines.pipeline import schedules", "matplotlib numpy figmill_timelines.charts"),
        (
            "from figmill_timelines.training import workers",
            "matplotlib numpy figmill_timelines.training.stalls",
        ),
        (
            "from figmill_timelines.traces import pipeline_events",
            "matplotlib numpy figmill_timelines.traces.readers",
        ),
        ("from figmill_timelines.traces import readers", "matplotlib figmill_timelines.pipeline"),
    ],
)
def test_an_import_loads_that_module_and_what_it_needs(statement: str, unwanted: str) -> None:
    ran = subprocess.run(
        [sys.executable, "-W", "error", "-c", f"{statement}\nimport sys; print(*sys.modules)"],
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    loaded = ran.stdout.split()
    assert "figmill_timelines" in loaded
    assert [name for name in unwanted.split() if name in loaded] == []
