"""Rectangles along the axes: what they hold, and the one around several."""

from __future__ import annotations

from collections.abc import Iterable

from figmill.svg.geometry.outlines import Bounds, Point


def around(boxes: Iterable[Bounds]) -> Bounds:
    """The smallest rectangle around some."""
    lefts, tops, rights, bottoms = zip(*boxes, strict=True)
    return min(lefts), min(tops), max(rights), max(bottoms)


def holds(outer: Bounds, inner: Bounds, rim: float = 0.0) -> bool:
    """Whether a rectangle lies in another one, at least `rim` from its border."""
    return (
        outer[0] + rim <= inner[0]
        and outer[1] + rim <= inner[1]
        and inner[2] <= outer[2] - rim
        and inner[3] <= outer[3] - rim
    )


def has(box: Bounds, point: Point) -> bool:
    """Whether a point lies in a rectangle."""
    return box[0] <= point[0] <= box[2] and box[1] <= point[1] <= box[3]


def moved(box: Bounds, by: Point) -> Bounds:
    return box[0] + by[0], box[1] + by[1], box[2] + by[0], box[3] + by[1]
