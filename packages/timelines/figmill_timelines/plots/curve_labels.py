"""Where the names of curves stand: at the right of their ends, or along them inside the plot. Pure.

A label along a curve stands as near as possible to where its curve leaves the plot, clear of all lines and labels,
and much nearer to its own curve than to any other one, both with its edge and with its middle: a label that fills the
room between two curves belongs to either.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from figmill_timelines.charts.canvas import PagePoint
from figmill_timelines.plots.labels import LabelledPage, PageSegment, Patch

PageArray = npt.NDArray[np.float64]

LINE = 11.5  # points from one label to the next below it
HEIGHT = 8.0  # of a label, from its capitals to its descenders
OWN, OTHER = 3.5, 7.0  # the least distance of a label from its own curve, and from others, in points
FACTOR = 2.0  # other curves are this many times as far from a label, and from its middle, as its own
APART = 12.0  # from labels of other things, where the curve has room for that
STRIDE = 6.0  # along a curve, from one place that is tried to the next


@dataclass(frozen=True, slots=True)
class LabelledCurve:
    """A curve on the page, in the direction in which it is drawn, and the width of its label."""

    segments: tuple[PageSegment, ...]
    width: float


def spread(wanted: Sequence[float], low: float, high: float, gap: float = LINE) -> list[float]:
    """Places in the order of `wanted`, at least `gap` apart, within `low` to `high` if there is enough room.

    The squares of the distances from the wanted places have the least sum (pool adjacent violators, Ayer et al. 1955).
    """
    blocks: list[tuple[float, int]] = []  # the mean of wanted places without the gaps, and how many these are
    for n, place in enumerate(wanted):
        mean, count = place - n * gap, 1
        while blocks and blocks[-1][0] > mean:
            before, many = blocks.pop()
            mean, count = (before * many + mean * count) / (many + count), many + count
        blocks.append((mean, count))
    means = [mean for mean, count in blocks for _ in range(count)]
    last = high - (len(means) - 1) * gap
    return [max(low, min(mean, last)) + n * gap for n, mean in enumerate(means)]


def along(
    curves: Sequence[LabelledCurve],
    box: tuple[float, float, float, float],
    lines: Sequence[PageSegment] = (),
    taken: Sequence[Patch] = (),
) -> list[Patch | None]:
    """A place for the label of each curve; None: there is none. lines, taken: further lines and labels to avoid.

    box: left, top, right, bottom, which labels do not leave. The order in which curves choose is changed until all
    have a place, if any rotation of it achieves that.
    """
    points = [_points(curve.segments) for curve in curves]
    clear = [
        _clear(curve, points[n], [other for m, other in enumerate(points) if m != n], box)
        for n, curve in enumerate(curves)
    ]
    best: list[Patch | None] = [None] * len(curves)
    for first in range(len(curves)):
        page = LabelledPage(box, lines)
        page.taken += taken
        places: list[Patch | None] = [None] * len(curves)
        for n in (*range(first, len(curves)), *range(first)):
            places[n] = page.place(clear[n], label=APART) or page.place(clear[n])
        if places.count(None) < best.count(None):
            best = places
        if None not in best:
            break
    return best


def _points(segments: Sequence[PageSegment]) -> PageArray:
    """Points of a curve, at most a point of the page apart, as an array of x and y in rows."""
    rows = []
    for (x, y), (u, v) in segments:
        steps = np.linspace(0.0, 1.0, max(2, math.ceil(math.hypot(u - x, v - y)) + 1))
        rows.append(np.stack([x + steps * (u - x), y + steps * (v - y)]))
    return np.concatenate(rows, axis=1)


def _clear(
    curve: LabelledCurve, own: PageArray, others: Sequence[PageArray], box: tuple[float, float, float, float]
) -> list[Patch]:
    """The places beside a curve that are clear of it, and much nearer to it than to the others; the best first."""
    left, top, right, bottom = box
    patches = [
        patch
        for patch in _candidates(curve)
        if left <= patch.x - patch.width / 2
        and patch.x + patch.width / 2 <= right
        and top <= patch.y - HEIGHT / 2
        and patch.y + HEIGHT / 2 <= bottom
    ]
    middles = np.array([(patch.x, patch.y) for patch in patches]).reshape(-1, 2)
    nearest, inner = _clearances(middles, curve.width, own), _clearances(middles, 0.0, own)
    free = nearest >= OWN - 0.6
    for other in others:
        needed = np.maximum(OTHER, FACTOR * nearest[free])
        is_clear = _clearances(middles[free], curve.width, other) >= needed
        free[free] = is_clear & (_clearances(middles[free], 0.0, other) >= FACTOR * inner[free])
    return [patch for patch, is_free in zip(patches, free, strict=True) if is_free]


def _clearances(middles: PageArray, width: float, points: PageArray) -> PageArray:
    """The distance of labels of this width, around these middles, from the nearest of some points."""
    across = np.maximum(0.0, np.abs(middles[:, :1] - points[:1]) - width / 2)
    down = np.maximum(0.0, np.abs(middles[:, 1:] - points[1:]) - HEIGHT / 2)
    nearest: PageArray = np.hypot(across, down).min(axis=1, initial=math.inf)
    return nearest


def _candidates(curve: LabelledCurve) -> Iterator[Patch]:
    """Places beside a curve, from its end backwards: at its left and its right, above and below it."""
    half, rise = curve.width / 2, HEIGHT / 2
    for x, y in _backwards(curve.segments):
        for away in (OWN, OWN + 1.5, OWN + 3.5):
            for side in (-1, 1):
                yield Patch(x + side * (half + away), y, curve.width, HEIGHT)
            for side in (-1, 1):
                for shift in (side * half, 0.0, -side * half):
                    yield Patch(x + shift, y + side * (rise + away), curve.width, HEIGHT)


def _backwards(segments: Sequence[PageSegment]) -> Iterator[PagePoint]:
    """Points of a curve from its end to its start, STRIDE apart."""
    left = STRIDE
    for (x, y), (u, v) in reversed(segments):
        length = math.hypot(u - x, v - y)
        while left <= length:
            share = left / length
            yield u + share * (x - u), v + share * (y - v)
            left += STRIDE
        left -= length
