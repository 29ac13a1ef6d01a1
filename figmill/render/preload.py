"""The modules that most generators import, loaded once by a warm process that stays.

A child that is forked from it finds them loaded, which saves two fifths of the processor time of a small drawing
(docs/developers/benchmarks.md).
"""

from __future__ import annotations

import sys
from contextlib import suppress
from importlib import import_module

MODULES = (
    "annotated_types",
    "numpy.random",
    "figmill_timelines.bounds",
    "figmill_timelines.charts.gantt",
    "figmill_timelines.pipeline.schedule_panels",
    "figmill_timelines.pipeline.schedules",
    "figmill_timelines.quantities",
    "figmill_timelines.titles",
    "figmill_timelines.training.workers",
)


def load() -> None:
    """Import the modules, if this process draws plots. A module that fails is left to the script that needs it."""
    if "matplotlib" not in sys.modules:
        return
    for name in MODULES:
        with suppress(Exception):
            import_module(name)
    import_module("figmill.kinds.matplotlib_").close_fonts()
