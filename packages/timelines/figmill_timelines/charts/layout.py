"""What the parts of a Gantt chart share: the author's options, and where time and lanes lie on the page."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class ChartOptions:
    """The options of a Gantt chart.

    - classes: draw each cause of idle time in its own style.
    - critical: draw the critical path.
    - hollow: the legend's name for the cells of odd chunks.
    """

    classes: bool = False
    critical: bool = False
    hollow: str = ""
    idle: str = "Idle"  # the legend's name for idle time, without classes
    beside: str = "Another stream works"  # and for the idle time of a lane whose device works on another lane
    axis: str = "Time"
    scale: float = 1.0  # a tick at time t shows t x scale, if the axis and the spans have different units
    every: int = (
        0  # where cells have no numbers, every n-th microbatch is solid; 0: the first and the middle one
    )
    # significant digits of the axis's end, as in headers; 0: as many as its place on the axis shows
    end_digits: int = 0
    width: float = 7.6  # inches
    numbered: str = "Microbatches"  # what the numbers in the cells count, for the legend
    # kinds whose narrow cells have ticks between them where they run together -> what the legend says of such a run
    runs: Mapping[str, str] = field(default_factory=dict)
    # a style's label -> its name in this figure's legend
    named: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Frame:
    """Where lanes and times lie on the page, in points; `end` is the last time."""

    left: float
    right: float
    pitch: float
    height: float
    end: float
    most: float  # the greatest value of any curve; all share one scale

    def x(self, time: float) -> float:
        return self.left + (self.right - self.left) * time / self.end
