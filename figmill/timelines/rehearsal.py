"""A chart drawn for nobody: what a warm process has drawn once, its children draw faster."""

from __future__ import annotations

import io

from figmill.timelines.charts import gantt
from figmill.timelines.charts.canvas import text_width
from figmill.timelines.pipeline import schedules
from figmill.timelines.training import workers

SIZES = (7, 7.5, 8, 8.5, 9, 9.5, 12)  # of words in charts, in points


def draw() -> None:
    """Draw workers in step, and a schedule, and measure the numbers that stand in cells."""
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
    figure.savefig(io.BytesIO(), format="svg")
