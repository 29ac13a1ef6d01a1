"""Gaps in lines behind labels.

A label has no box of the page's colour behind it, which would show on a page of another colour.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from matplotlib.lines import Line2D

from figmill_timelines.charts.canvas import Bounds, PagePoint
from figmill_timelines.plots.clipping import inside

STUB = 4.5  # points; a shorter piece of a line of the grid looks like a mark of its own

Stretch = tuple[float, float]


def between(ends: Stretch, gaps: Sequence[Stretch]) -> list[Stretch]:
    """The pieces of a line from end to end that lie in no gap and are no shorter than STUB, in their order.

    A line whose ends are nearer to each other than STUB has no piece.
    """
    start, end = ends
    pieces = []
    for low, high in sorted(gaps):
        pieces.append((start, min(low, end)))
        start = max(start, high)
    return [(low, high) for low, high in [*pieces, (start, end)] if high - low >= STUB]


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


def drop_stubs(line: Line2D) -> None:
    """Remove the pieces of an interrupted line that are shorter than STUB."""
    pieces: list[list[PagePoint]] = [[]]
    for x, y in np.asarray(line.get_xydata()):
        if math.isnan(x):
            pieces.append([])
        else:
            pieces[-1].append((float(x), float(y)))
    long = [piece for piece in pieces if math.fsum(math.dist(*pair) for pair in pairwise(piece)) >= STUB]
    rest = [point for piece in long for point in (*piece, (math.nan, math.nan))][:-1]
    line.set_data([x for x, _ in rest], [y for _, y in rest])
