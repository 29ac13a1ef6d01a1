"""Gaps in lines behind labels.

A label has no box of the page's colour behind it, which would show on a page of another colour.
"""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
from matplotlib.lines import Line2D

from figmill_timelines.charts.canvas import Bounds, PagePoint
from figmill_timelines.plots.clipping import inside


def leave_out(line: Line2D, box: Bounds) -> None:
    """Interrupt a line inside a box."""
    points = [(float(x), float(y)) for x, y in np.asarray(line.get_xydata())]
    rest: list[PagePoint] = points[:1]
    for start, end in pairwise(points):
        hidden = None if math.isnan(start[0] + end[0]) else inside(start, end, box)
        if hidden is not None:
            rest += [hidden[0], (math.nan, math.nan), hidden[1]]
        rest.append(end)
    line.set_data([x for x, _ in rest], [y for _, y in rest])
