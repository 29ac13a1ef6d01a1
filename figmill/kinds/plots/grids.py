"""Grid lines at the ends of an axis keep their full weight: matplotlib clips the half that lies outside the axes."""

from __future__ import annotations

from functools import wraps
from typing import Any


def settle() -> None:
    """Patch how the tick of a plot with straight axes draws its grid line, once per process.

    matplotlib draws no tick outside the limits, so there is nothing else that a clip would hide.
    """
    from matplotlib import axis

    tick: Any = axis.Tick
    draw = tick.draw

    @wraps(draw)
    def drawn(self: Any, *args: Any, **options: Any) -> None:
        if self.axes.name == "rectilinear":
            self.gridline.set_clip_on(False)
        draw(self, *args, **options)

    tick.draw = drawn
