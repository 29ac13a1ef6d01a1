"""What generators mostly need, made ready once by a warm process that stays: each figure would else do it anew.

Modules are imported, and one chart is drawn: Python runs code faster that has run before, and fonts that were looked up
and words that were measured are known. Neither leaves a state behind on which a figure depends: what is known is what
would be found again.
"""

from __future__ import annotations

import io
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
SIZES = (7, 7.5, 8, 8.5, 9, 9.5, 12)  # of words in charts, in points
TIMES = 3  # after which Python has made its code as fast as it will be


def load() -> None:
    """Import them, where plots are drawn; one that cannot be is the business of the script that needs it."""
    if "matplotlib" not in sys.modules:
        return
    for name in MODULES:
        with suppress(Exception):
            import_module(name)
    with suppress(Exception):
        for _ in range(TIMES):
            _rehearse()
    import_module("figmill.kinds.matplotlib_").close_fonts()


def _rehearse() -> None:
    """Draw workers in step, and a schedule, as a figure is drawn."""
    from figmill.kinds.matplotlib_ import METADATA
    from figmill.timelines.charts import gantt
    from figmill.timelines.charts.canvas import text_width
    from figmill.timelines.pipeline import schedules
    from figmill.timelines.training import workers

    for number in range(100):  # what stands in cells
        text_width(str(number), SIZES[0])
    for size in SIZES:
        text_width("0", size)
        text_width("0", size, bold=True)
    load = workers.Load(2, 12, 500, 0.2, 200, 0)
    panels = [
        gantt.Panel(workers.synchronous(load), "Synchronous", "note"),
        gantt.Panel(schedules.simulate("1f1b", 4, 8), "Schedule", "p2p"),
    ]
    figure = gantt.draw(panels, "A chart", gantt.Options(axis="Time in ms", idle="Waiting", classes=True))
    figure.savefig(io.BytesIO(), format="svg", metadata=METADATA)
