"""The shapes and arrows of a scene as tables. Pure."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from figmill.kind import FigureTable, tables
from figmill.kind.stated import NAMELESS, Stated, stated
from figmill_kinds.excalidraw.scene import Element, Scene

BOXES = ("rectangle", "ellipse", "diamond")
REACH = 16.0  # px between an end of an arrow and the box that it belongs to
ENDS = ("text", "image", "frame")  # other elements at which an arrow may end


def tables_of(scene: Scene) -> tuple[FigureTable, ...]:
    """The shapes with their frames, and the arrows that join two elements, with their labels."""
    within: dict[str, list[str]] = {}
    for element in scene.elements:
        if element.kind == "text":
            within.setdefault(element.text("containerId", ""), []).append(_words(element))
    labels = {name: " ".join(texts) for name, texts in within.items() if name}
    there = scene.by_id()
    names: dict[str, str] = {}
    for number, element in enumerate(scene.elements, 1):
        if element.kind in (*BOXES, *ENDS) and not element.text("containerId", ""):
            names[element.id] = _name(element, labels) or f"{element.kind} {number}"
    boxes = [element for element in scene.elements if element.kind in BOXES]
    edges = []
    for element in scene.elements:
        if element.kind in ("arrow", "line"):
            start, end = _end(element, "startBinding", 0, boxes), _end(element, "endBinding", -1, boxes)
            if _is_backwards(element):
                start, end = end, start
            if start in names and end in names:
                edges.append((names[start], names[end], labels.get(element.id)))
    joined = {end for edge in edges for end in edge[:2]}
    nodes = [
        (names[element.id], _frame(element, there, names))
        for element in scene.elements
        if element.id in names and (element.kind in BOXES or names[element.id] in joined)
    ]
    return tables.graph(nodes, edges)


def stated_of(scene: Scene, source: str) -> Stated:
    """The texts and the names of frames, and each arrow by the id of its line."""
    there = scene.by_id()
    within = {
        element.text("containerId", ""): _words(element)
        for element in scene.elements
        if element.kind == "text"
    }
    names = {element.id: _name(element, within) for element in scene.elements}
    boxes = [element for element in scene.elements if element.kind in BOXES]
    labels = [element.text("text", "") for element in scene.elements if element.kind == "text"]
    labels += [element.text("name", "") for element in scene.elements if element.kind == "frame"]
    relations = []
    for element in there.values():
        if element.kind == "arrow" and len(element.points) > 1:
            ends = (_end(element, key, at, boxes) for key, at in (("startBinding", 0), ("endBinding", -1)))
            start, end = (names.get(id_) or NAMELESS for id_ in ends)
            relations.append((start, end, within.get(element.id, ""), mark(element)))
    return stated(labels, relations, source)


def mark(element: Element) -> str:
    """The id of an arrow's line in the drawing."""
    return f"arrow-{element.id}"


def _words(element: Element) -> str:
    return " ".join((element.text("originalText", "") or element.text("text", "")).split())


def _name(element: Element, labels: Mapping[str, str]) -> str:
    if element.kind == "text":
        return _words(element)
    return labels.get(element.id) or element.text("name", "")


def _end(element: Element, key: str, at: int, boxes: Sequence[Element]) -> str:
    """The id of the element at an end of an arrow: the one that it is bound to, else the nearest box within REACH."""
    binding = element.data.get(key)
    name = binding.get("elementId") if isinstance(binding, dict) else None
    if isinstance(name, str):
        return name
    if not element.points:
        return ""
    x, y = element.x + element.points[at][0], element.y + element.points[at][1]
    near = min(((_far(box, x, y), box.id) for box in boxes), default=(REACH, ""))
    return near[1] if near[0] < REACH else ""


def _far(box: Element, x: float, y: float) -> float:
    """The distance of a point from a box, in px; 0 inside it."""
    return math.hypot(max(box.x - x, 0.0, x - box.x - box.width), max(box.y - y, 0.0, y - box.y - box.height))


def _is_backwards(element: Element) -> bool:
    """Whether an arrow has a head at its start alone."""
    return bool(element.data.get("startArrowhead")) and element.data.get("endArrowhead", "arrow") is None


def _frame(element: Element, there: Mapping[str, Element], names: Mapping[str, str]) -> str | None:
    frame = element.text("frameId", "")
    return names.get(frame) if frame in there else None
