"""The heads of arrows: the form of each, and how far a marker reaches beyond the end of its line."""

from __future__ import annotations

import math

from figmill.svg.document import Element
from figmill.svg.geometry.arrows import LARGEST, POINTED
from figmill.svg.geometry.display_list import scene
from figmill.svg.geometry.outlines import Point
from figmill.svg.geometry.precision import view_box
from figmill.svg.geometry.scene import PaintedShape, Scene, bounds, rings
from figmill.svg.geometry.strokes import coarse
from figmill.svg.geometry.structure import Connector, LineEnd
from figmill.svg.xml.numbers import plain
from figmill.svg.xml.references import URL

# A head without a fill, or with one in another colour than its line, is hollow; one of lines alone is open.
FILLED, HOLLOW, OPEN = FORMS = ("filled", "hollow", "open")


def form(line: Connector, end: LineEnd, drawing: Scene, px: float) -> str | None:
    """The form of the head at an end of a line; None if it is not clear."""
    node = _marker(line, end, drawing)
    if node is not None:
        if any(part.attrib.get("fill", "").startswith("context-") for part in node.walk()):
            return FILLED  # in the colour of its line
        shapes = [shape for shape in scene(node, drawing.ids).shapes if shape.node.tag in POINTED]
        return _form(shapes, [tone[0] for shape in shapes for tone in shape.stroke])
    heads = [
        shape for shape in line.own if shape is not line.shape and _reaches(shape, end.point, LARGEST / px)
    ]
    return _form(heads, [tone[0] for tone in line.shape.stroke])


def _form(shapes: list[PaintedShape], inks: list[str]) -> str | None:
    if not shapes:
        return None
    fills = {tone[0] for shape in shapes for tone in shape.fill if shape.fill}
    if fills:
        return FILLED if not inks or fills & {*inks} else HOLLOW
    return HOLLOW if any(stroke.is_closed for shape in shapes for stroke in coarse(shape)) else OPEN


def _reaches(shape: PaintedShape, point: Point, room: float) -> bool:
    return any(math.dist(corner, point) <= room for ring in rings(shape) for corner in ring)


def _marker(line: Connector, end: LineEnd, drawing: Scene) -> Element | None:
    """The marker at an end of a line."""
    first = line.pieces[0].points[0]
    at_start = math.dist(end.point, first) <= math.dist(end.point, line.pieces[-1].points[-1])
    match = URL.fullmatch(line.shape.values.get("marker-start" if at_start else "marker-end", "none"))
    return drawing.ids.get(match[1]) if match else None


def reach(line: Connector, end: LineEnd, drawing: Scene) -> float:
    """How far the head at an end reaches beyond the end of its line, in root units; 0 for a head without a marker."""
    node = _marker(line, end, drawing)
    shapes = scene(node, drawing.ids).shapes if node is not None else []
    if node is None or not shapes or node.attrib.get("orient", "0")[:4] != "auto":
        return 0.0

    def number(name: str, default: float) -> float:
        value = plain(node.attrib.get(name, ""))
        return default if value is None else value

    wide, high = number("markerWidth", 3.0), number("markerHeight", 3.0)
    box = view_box(node)
    scale = min(wide / box[2], high / box[3]) if box is not None and box[2] and box[3] else 1.0
    if node.attrib.get("markerUnits", "strokeWidth") == "strokeWidth":
        scale *= line.pieces[0].width
    at_start = math.dist(end.point, line.start.point) <= math.dist(end.point, line.end.point)
    backwards = at_start and node.attrib.get("orient") == "auto"
    boxes = [bounds(shape) for shape in shapes]
    refers = number("refX", 0.0)
    tip = refers - min(box[0] for box in boxes) if backwards else max(box[2] for box in boxes) - refers
    return tip * scale
