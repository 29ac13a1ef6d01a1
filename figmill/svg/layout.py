"""The structure of a finished drawing as plain values, for programs: boxes, lines with their ends, labels with owners.

Numbers are in px with one decimal, boxes and lines in the order in which they are painted, so the same drawing gives
the same values.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

from figmill.svg.document import Draft
from figmill.svg.geometry.label_fit import lettering
from figmill.svg.geometry.outlines import Bounds, Point
from figmill.svg.geometry.structure import Connector, DrawnBox, structure

NEAR = 0.05  # px: points of a line that are closer than this to the line without them are left out


def layout(draft: Draft) -> dict[str, Any]:
    """The structure of a drawing, as JSON values; docs/agents.md describes them."""
    drawing, fit = structure(draft), lettering(draft)
    numbers = {box: number for number, box in enumerate(drawing.boxes, 1)}
    owners = {label: box for box in drawing.boxes for label in box.labels}
    place = _Pixels(fit.view, drawing.px)
    leading = [connector for connector in drawing.connectors if connector.leads]
    return {
        "width": _rounded((fit.view[2] - fit.view[0]) * drawing.px),
        "height": _rounded((fit.view[3] - fit.view[1]) * drawing.px),
        "boxes": [_box(box, number, numbers, place) for box, number in numbers.items()],
        "lines": [_line(connector, number, numbers, place) for number, connector in enumerate(leading, 1)],
        "labels": [
            {
                "words": label.words,
                "bounds": place.bounds(label.bounds(label.width)),
                "size": _rounded(label.size * drawing.px),
                "box": numbers.get(owners[label]) if label in owners else None,
            }
            for label in fit.every
        ],
    }


class _Pixels:
    """Turns positions in a drawing into px from its top left corner."""

    def __init__(self, view: Bounds, px: float) -> None:
        self.left, self.top, self.px = view[0], view[1], px

    def point(self, point: Point) -> list[float]:
        return [_rounded((point[0] - self.left) * self.px), _rounded((point[1] - self.top) * self.px)]

    def bounds(self, box: Bounds) -> dict[str, float]:
        x, y = self.point(box[:2])
        right, bottom = self.point(box[2:])
        return {"x": x, "y": y, "width": _rounded(right - x), "height": _rounded(bottom - y)}


def _rounded(number: float) -> float:
    return round(number, 1) + 0.0  # no -0


def _box(box: DrawnBox, number: int, numbers: Mapping[DrawnBox, int], place: _Pixels) -> dict[str, Any]:
    return {
        "number": number,
        "words": [label.words for label in box.labels],
        "bounds": place.bounds(box.bounds),
        "within": None if box.within is None else numbers[box.within],
    }


def _line(
    connector: Connector, number: int, numbers: Mapping[DrawnBox, int], place: _Pixels
) -> dict[str, Any]:
    start, end = connector.ends
    return {
        "number": number,
        "from": None if start.box is None else numbers[start.box],
        "to": None if end.box is None else numbers[end.box],
        "heads": [start.has_head, end.has_head],
        "route": [
            [place.point(point) for point in _corners(piece.points, place.px)] for piece in connector.pieces
        ],
    }


def _corners(points: Sequence[Point], px: float) -> list[Point]:
    """A line without the points that lie on the way between their neighbours."""
    kept = [points[0]]
    for point, following in pairwise(points[1:]):
        (x0, y0), (x1, y1), (x2, y2) = kept[-1], point, following
        twice_area = abs((x1 - x0) * (y2 - y0) - (x2 - x0) * (y1 - y0))
        length = ((x2 - x0) ** 2 + (y2 - y0) ** 2) ** 0.5
        if twice_area * px > NEAR * length or (x1 - x0) * (x2 - x1) + (y1 - y0) * (y2 - y1) < 0:
            kept.append(point)
    return [*kept, points[-1]]
