"""Edges that end at a rounded corner, led to its arc: Graphviz clips an edge where the corner would be without it.

Such an end floats some points off the outline. It moves along its own direction, with its arrowhead. Pure.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise

from lxml import etree

from figmill.kinds.graphs.edge_labels import SVG, Box, Point, points_in, samples

NEAR = 2.0  # points between an end and the side of a box at which it was clipped
LEAST = 1.0  # points off the outline that nobody sees
FAR = 9.0  # points to an arc; what is farther leads elsewhere
TOUCH = 0.5  # points that stay between an end and the middle of the outline, as at a straight side

Outline = tuple[Box, tuple[Point, ...]]


def reached(drawing: etree._Element) -> bool:
    """Lead the ends of edges to the rounded corners of nodes and clusters; whether one moved."""
    groups = list(drawing.iter(f"{SVG}g"))
    outlines = [
        _outline(path)
        for group in groups
        if group.get("class") in ("node", "cluster")
        for path in group.iter(f"{SVG}path")
    ]
    edges = [group for group in groups if group.get("class") == "edge"]
    moved = [_led(edge, outlines) for edge in edges]  # all of them, and not up to the first
    return any(moved)


def _outline(path: etree._Element) -> Outline:
    line = tuple(samples(path))
    xs, ys = zip(*(line or [(0.0, 0.0)]), strict=True)
    return Box(min(xs), min(ys), max(xs), max(ys)), line


def _led(edge: etree._Element, outlines: Sequence[Outline]) -> bool:
    """Move the ends of an edge; whether one moved. Edges of several lines stay."""
    paths = list(edge.iter(f"{SVG}path"))
    points = points_in(paths[0].get("d", "")) if len(paths) == 1 else []
    if len(points) < 4 or next(edge.iter(f"{SVG}ellipse"), None) is not None:
        return False
    heads = [
        (shape, points_in(shape.get("points", "")))
        for name in ("polygon", "polyline")
        for shape in edge.iter(SVG + name)
    ]
    moved = False
    for end, before in ((0, 1), (-1, -2)):
        own = [
            (shape, corners)
            for shape, corners in heads
            if _off(corners, points[end]) < _off(corners, points[-1 - end])
        ]
        way = _unit(points[before], points[end])
        tip = max(
            (points[end], *(corner for _, corners in own for corner in corners)),
            key=lambda point: (point[0] - points[end][0]) * way[0] + (point[1] - points[end][1]) * way[1],
        )
        way = _unit(points[end], tip) if own else way
        far = next((far for outline in outlines if (far := _gap(tip, way, outline)) is not None), None)
        if far is None:
            continue
        moved = True
        step = way[0] * far, way[1] * far
        points[before], points[end] = _plus(points[before], step), _plus(points[end], step)
        for shape, corners in own:
            shape.set("points", " ".join(map(_written, (_plus(corner, step) for corner in corners))))
    if moved:
        paths[0].set("d", f"M{_written(points[0])}C{' '.join(map(_written, points[1:]))}")
    return moved


def _gap(tip: Point, way: Point, outline: Outline) -> float | None:
    """How far an end has to go to an outline; None if it touches it, or was not clipped at its box."""
    box, line = outline
    x, y = tip
    around = box.left - NEAR <= x <= box.right + NEAR and box.top - NEAR <= y <= box.bottom + NEAR
    inside = box.left + NEAR < x < box.right - NEAR and box.top + NEAR < y < box.bottom - NEAR
    if not around or inside:
        return None
    meets = [far for start, end in pairwise(line) if (far := _meets(tip, way, start, end)) is not None]
    far = min(meets, default=0.0) - TOUCH
    return far if LEAST < far < FAR else None


def _meets(tip: Point, way: Point, start: Point, end: Point) -> float | None:
    """How far from a point, in a direction, a piece of a line is; None if it is not there."""
    across, down = end[0] - start[0], end[1] - start[1]
    slope = way[0] * down - way[1] * across
    if abs(slope) < 1e-9:
        return None
    right, below = start[0] - tip[0], start[1] - tip[1]
    far = (right * down - below * across) / slope
    part = (right * way[1] - below * way[0]) / slope
    return far if far >= 0 and 0 <= part <= 1 else None


def _off(corners: Sequence[Point], point: Point) -> float:
    return min((math.dist(corner, point) for corner in corners), default=0.0)


def _unit(start: Point, end: Point) -> Point:
    length = math.dist(start, end) or 1.0
    return (end[0] - start[0]) / length, (end[1] - start[1]) / length


def _plus(point: Point, step: Point) -> Point:
    return point[0] + step[0], point[1] + step[1]


def _written(point: Point) -> str:
    return f"{point[0]:.2f},{point[1]:.2f}"
