"""Reads a scene of Excalidraw from JSON. Pure.

Fields and defaults follow version 2 of Excalidraw's file format. Elements deleted in the editor are left out.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from figmill.kind import AuthorError, Origin, did_you_mean
from figmill.kind.source_text import json_value

LARGEST = 20_000  # elements
FARTHEST = 1e6  # px from the origin
KINDS = ("rectangle", "ellipse", "diamond", "line", "arrow", "freedraw", "text", "image", "frame")
# Other names for them, and the elements that hold a web page, which a drawing cannot contain.
SAME = {"draw": "freedraw", "magicframe": "frame", "embeddable": "rectangle", "iframe": "rectangle"}
IGNORED = ("selection",)


@dataclass(frozen=True, slots=True)
class Element:
    """One element, in px of the scene.

    - angle: radians, clockwise around its centre.
    - data: the other fields.
    """

    kind: str
    id: str
    x: float
    y: float
    width: float
    height: float
    angle: float
    points: tuple[tuple[float, float], ...]
    data: Mapping[str, Any]

    def text(self, name: str, default: str) -> str:
        value = self.data.get(name)
        return value if isinstance(value, str) else default

    def number(self, name: str, default: float) -> float:
        value = self.data.get(name)
        is_number = isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
        return float(value) if is_number else default  # type: ignore[arg-type]


@dataclass(frozen=True, slots=True)
class Scene:
    """The elements from the lowest to the highest.

    - files: pictures, as data URLs by id.
    - page: its colour, or empty.
    """

    elements: tuple[Element, ...]
    files: Mapping[str, str]
    page: str

    def by_id(self) -> Mapping[str, Element]:
        return {element.id: element for element in self.elements}


def read(text: str, path: str) -> Scene:
    """The scene in a file. Raises AuthorError at the line of the mistake."""
    value = json_value(text, path)
    if not isinstance(value, dict) or not isinstance(value.get("elements"), list):
        kind = value.get("type") if isinstance(value, dict) else None
        hint = (
            "a library; draw with it, and save the scene"
            if kind == "excalidrawlib"
            else "no scene of Excalidraw"
        )
        raise AuthorError(Origin(path), f"this is {hint}: a scene has a list of `elements`")
    rows = value["elements"]
    if len(rows) > LARGEST:
        raise AuthorError(Origin(path), f"has {len(rows):,} elements; a figure has at most {LARGEST:,}")
    elements = [_element(row, number, path, text) for number, row in enumerate(rows)]
    there = tuple(element for element in elements if element is not None)
    if not there:
        raise AuthorError(Origin(path), "the scene is empty; draw something, and save it again")
    state = value.get("appState")
    page = state.get("viewBackgroundColor") if isinstance(state, dict) else None
    return Scene(there, _files(value.get("files")), page if isinstance(page, str) else "")


def _element(row: object, number: int, path: str, text: str) -> Element | None:
    """An element; None for an invisible one."""
    if not isinstance(row, dict):
        raise AuthorError(Origin(path), f"element {number} is not an object")
    at = Origin(path, _line_of(row, text))
    if row.get("isDeleted") is True or row.get("type") in IGNORED:
        return None
    kind = SAME.get(str(row.get("type")), row.get("type"))
    if kind not in KINDS:
        near = did_you_mean(str(kind), KINDS) or f"; there are {', '.join(KINDS)}"
        raise AuthorError(at, f"element {number} has the type '{kind}'{near}")
    x, y, width, height = (
        _coordinate(row.get(name), name, number, at) for name in ("x", "y", "width", "height")
    )
    angle = row.get("angle", 0)
    angle = float(angle) if isinstance(angle, int | float) and math.isfinite(angle) else 0.0
    points = row.get("points", []) if kind in ("line", "arrow", "freedraw") else []
    if not isinstance(points, list) or not all(isinstance(p, list) and len(p) >= 2 for p in points):
        raise AuthorError(at, f"`points` of element {number} must be pairs of numbers")
    pairs = tuple(
        (_coordinate(p[0], "points", number, at), _coordinate(p[1], "points", number, at)) for p in points
    )
    return Element(kind, str(row.get("id", number)), x, y, width, height, angle, pairs, row)


def _coordinate(value: object, name: str, number: int, at: Origin) -> float:
    is_number = isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
    if not is_number or abs(value) > FARTHEST:  # type: ignore[arg-type]
        raise AuthorError(
            at, f"`{name}` of element {number} must be a number up to {FARTHEST:,.0f}, not {value!r:.40}"
        )
    return float(value)  # type: ignore[arg-type]


def _line_of(row: Mapping[str, Any], text: str) -> int | None:
    """The line of an element, by its id."""
    place = text.find(json.dumps(row["id"])) if isinstance(row.get("id"), str) else -1
    return text.count("\n", 0, place) + 1 if place >= 0 else None


def _files(value: object) -> Mapping[str, str]:
    if not isinstance(value, dict):
        return {}
    rows = {name: row.get("dataURL") for name, row in value.items() if isinstance(row, dict)}
    return {name: url for name, url in rows.items() if isinstance(url, str) and url.startswith("data:image/")}
