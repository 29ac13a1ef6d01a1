"""The visible part inside a clip, as a box. For axes, panels and pages, that box is exactly the clip.

Knows nothing of what is painted inside it.
"""

from __future__ import annotations

from figmill.svg.document import Element
from figmill.svg.geometry.outlines import Bounds, outline
from figmill.svg.xml import vocabulary
from figmill.svg.xml.numbers import Matrix, matrix, multiply
from figmill.svg.xml.references import URL


def narrowed(room: Bounds | None, value: str, ctm: Matrix, ids: dict[str, Element]) -> Bounds | None:
    """The part of `room` inside a clip-path of this value. None means unlimited."""
    match = URL.fullmatch(value)
    clip = ids.get(match[1]) if match else None
    box = None if clip is None else _bounds(clip, ctm)
    if box is None or room is None:
        return room if box is None else box
    return meet(room, box)


def is_box(value: str, ids: dict[str, Element]) -> bool:
    """Whether a clip-path of this value is one upright rectangle, so that its bounds are exact."""
    match = URL.fullmatch(value)
    clip = ids.get(match[1]) if match else None
    if clip is None:
        return True
    rings = [ring for child in clip.elements() if child.tag in vocabulary.SHAPES for ring in outline(child)]
    return (
        len(rings) == 1
        and len(rings[0]) < 6
        and all(len(set(axis)) == 2 for axis in zip(*rings[0], strict=True))
    )


def meet(first: Bounds, second: Bounds) -> Bounds:
    """The intersection of two boxes; if it is empty, right is less than left, or bottom less than top."""
    return (
        max(first[0], second[0]),
        max(first[1], second[1]),
        min(first[2], second[2]),
        min(first[3], second[3]),
    )


def _bounds(clip: Element, ctm: Matrix) -> Bounds | None:
    """Left, top, right and bottom of a clip's shapes; None if it contains text or a <use>, or has units of its own."""
    if clip.tag != "clipPath" or clip.attrib.get("clipPathUnits") == "objectBoundingBox":
        return None
    own = multiply(ctm, matrix(clip.attrib.get("transform", "")))
    points = []
    for child in clip.elements():
        if child.tag not in vocabulary.SHAPES:
            return None
        a, b, c, d, e, f = multiply(own, matrix(child.attrib.get("transform", "")))
        points += [(a * x + c * y + e, b * x + d * y + f) for ring in outline(child) for x, y in ring]
    if not points:
        return None
    xs, ys = [x for x, _ in points], [y for _, y in points]
    return min(xs), min(ys), max(xs), max(ys)
