"""What the parts of a Gantt chart agree on: the author's options, and where time and lanes lie on the page."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Options:
    """classes: tell idle time apart by its cause. critical: outline the critical path.

    hollow: what the legend calls the cells of odd chunks.
    """

    classes: bool = False
    critical: bool = False
    hollow: str = ""
    idle: str = "Idle (bubble)"  # what idle time is called where it is not told apart by cause
    axis: str = "Time"
    every: int = 0  # draw every n-th microbatch solid; 0: only where labels do not fit
    width: float = 7.6  # inches


@dataclass(frozen=True, slots=True)
class Frame:
    """Where things go, in points."""

    left: float
    right: float
    pitch: float
    height: float
    end: float
    most: float  # the greatest value of any curve: all share one scale

    def x(self, time: float) -> float:
        return self.left + (self.right - self.left) * time / self.end
