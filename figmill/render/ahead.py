"""What generators mostly need, made ready once by a warm process that stays: each figure would else do it anew.

Modules are imported, and one chart is drawn: Python runs code faster that has run before, and fonts that were looked up
and words that were measured are known. Neither leaves a state behind on which a figure depends: what is known is what
would be found again.
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
REHEARSAL = "figmill.timelines.rehearsal"
TIMES = 3  # after which Python has made its code as fast as it will be


def load() -> None:
    """Import them, where plots are drawn; one that cannot be is the business of the script that needs it."""
    if "matplotlib" not in sys.modules:
        return
    for name in MODULES:
        with suppress(Exception):
            import_module(name)
    with suppress(Exception):
        rehearsal = import_module(REHEARSAL)
        for _ in range(TIMES):
            rehearsal.draw()
    import_module("figmill.kinds.matplotlib_").close_fonts()
