"""The bounding box of a figure, chosen so that nothing is cut off, such as a legend beside the axes.

A figure with an explicit size keeps it, and grows only if something would be cut off. Extents are recorded during
drawing, since measuring separately takes as long as drawing.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from figmill.late_dataclasses import dataclass

SLACK = 1.5  # points that may be cut off: a letter's side bearing, half a line width
PAD = 0.05  # inches around content beyond the figure
POINTS = 72.0  # per inch


@dataclass(slots=True)
class Extent:
    """Left, bottom, right and top of everything drawn without a clip, in points from the figure's lower left."""

    left: float = math.inf
    bottom: float = math.inf
    right: float = -math.inf
    top: float = -math.inf

    def add(self, left: float, bottom: float, right: float, top: float) -> None:
        if all(map(math.isfinite, (left, bottom, right, top))):
            self.left, self.right = min(self.left, left), max(self.right, right)
            self.bottom, self.top = min(self.bottom, bottom), max(self.top, top)

    def grown(self, width: float, height: float) -> tuple[float, float, float, float] | None:
        """A box in inches around a figure of this size and all content beyond it; None if there is none."""
        over = (-self.left, -self.bottom, self.right - width * POINTS, self.top - height * POINTS)
        if max(over) <= SLACK:
            return None
        left, bottom, right, top = (side / POINTS + PAD if side > SLACK else 0.0 for side in over)
        return -left, -bottom, width + right, height + top


_noted: ContextVar[Extent | None] = ContextVar("noted", default=None)


@contextmanager
def noting() -> Iterator[Extent]:
    """Record the extent of everything drawn while the context is open."""
    extent = Extent()
    token = _noted.set(extent)
    try:
        yield extent
    finally:
        _noted.reset(token)


def note_text(
    renderer: Any, gc: Any, x: float, y: float, text: str, prop: Any, angle: float, math_: Any
) -> None:
    """Record text that begins at x, y from the upper left, rotated anticlockwise by an angle in degrees."""
    extent = _noted.get()
    if extent is None or _is_clipped(gc):
        return
    y = renderer.height - y
    # A quick bound: most text is so far from the edges that it is inside at any angle.
    farthest = (len(text) + 2) * prop.get_size_in_points() * 1.2
    if x > farthest and y > farthest and x + farthest < renderer.width and y + farthest < renderer.height:
        return
    width, height, descent = renderer.get_text_width_height_descent(text, prop, math_)
    turn = math.radians(angle)
    cos, sin = math.cos(turn), math.sin(turn)
    for across, up in (
        (0.0, -descent),
        (width, -descent),
        (0.0, height - descent),
        (width, height - descent),
    ):
        at_x, at_y = x + across * cos - up * sin, y + across * sin + up * cos
        extent.add(at_x, at_y, at_x, at_y)


def note_path(gc: Any, path: Any, transform: Any) -> None:
    """Record a shape: the frame of a legend, an arrow beside the axes."""
    extent = _noted.get()
    if extent is not None and not _is_clipped(gc) and len(path.vertices) and (gc.get_alpha() != 0):
        points = transform.transform(path.vertices)
        extent.add(*points.min(axis=0), *points.max(axis=0))


def _is_clipped(gc: Any) -> bool:
    return gc.get_clip_rectangle() is not None or gc.get_clip_path()[0] is not None


def size_of(svg: bytes) -> tuple[float, float]:
    """Width and height in inches of what matplotlib wrote."""
    match = re.search(rb'viewBox="0 0 ([\d.]+) ([\d.]+)"', svg)
    assert match is not None
    return float(match[1]) / POINTS, float(match[2]) / POINTS


def corner_of_tight(figure: Any) -> tuple[float, float]:
    """The lower left corner of the box of `bbox_inches="tight"`, in inches from the figure's own corner."""
    from matplotlib import rcParams

    box = figure.get_tightbbox().padded(rcParams["savefig.pad_inches"])
    return float(box.x0), float(box.y0)


def says_its_size(figure: Any) -> bool:
    """Whether the author has chosen the figure's size."""
    from matplotlib import rcParamsDefault

    return list(figure.get_size_inches()) != list(rcParamsDefault["figure.figsize"])
