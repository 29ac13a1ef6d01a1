"""What generators mostly import, loaded once by a warm process that stays: each figure would else load it anew.

Importing draws nothing and leaves no state behind, so no figure depends on whether this was called.
"""

from __future__ import annotations

import sys
from contextlib import suppress
from importlib import import_module

MODULES = (
    "annotated_types",
    "numpy.random",
    "figmill.timelines.bounds",
    "figmill.timelines.charts.gantt",
    "figmill.timelines.pipeline.panels",
    "figmill.timelines.pipeline.schedules",
    "figmill.timelines.quantities",
    "figmill.timelines.titles",
    "figmill.timelines.training.workers",
)


def load() -> None:
    """Import them, where plots are drawn; one that cannot be is the business of the script that needs it."""
    for name in MODULES if "matplotlib" in sys.modules else ():
        with suppress(Exception):
            import_module(name)
