"""The receipt of a drawing: its boxes, lines and labels with the names that its source gives them, and what is wrong.

Pure: the same bytes give the same values. docs/agents.md describes them, and `SCHEMA` is their JSON Schema.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

from figmill.checks import OFF, levels_alone
from figmill.house_style import NONE, RULES, Style
from figmill.lint.drawings import findings, looked_at, sheet_of
from figmill.model import Fact
from figmill.svg import layout_of

# The checks of where things are.
LAYOUT = frozenset(
    (
        "almost-aligned",
        "arrow-inside",
        "boxes-overlap",
        "clearance",
        "crossings",
        "crowded",
        "edge-ends-nowhere",
        "edge-through-box",
        "label-far-from-line",
        "line-through-text",
        "loose-arrow",
        "mixed-routes",
        "short-arrow",
        "text-astray",
        "text-covered",
        "text-outside",
        "text-overflow",
        "text-overlap",
        "unequal",
        *(rule.check for rule in RULES.values()),
    )
)

Row = Mapping[str, str]


def receipt(
    label: str | None,
    place: str,
    data: bytes,
    facts: Mapping[str, Fact],
    nodes: Sequence[str] = (),
    edges: Sequence[Row] = (),
    style: Style = NONE,
    chosen: Mapping[str, str] = MappingProxyType({}),
) -> dict[str, Any]:
    """The layout of a drawing as JSON values. Raises SvgError.

    label: of the figure. place: its path, for findings. nodes, edges: of the graph in its source, if it has one.
    style: the house style that it should keep; chosen: levels of its checks that differ from the defaults.
    """
    levels = {check: level if check in LAYOUT else OFF for check, level in levels_alone(chosen).items()}
    rows = [
        {
            "check": finding.check,
            "level": finding.level,
            "line": finding.origin.line,
            "message": finding.message,
        }
        for finding in findings(place, data, levels, style)
    ]
    layout = layout_of(looked_at(data, sheet_of(frozenset()))[0].svg, sheet_of(frozenset()))
    graph = graph_in(layout, nodes, edges) if nodes else None
    return {"id": label, **layout, "graph": graph, "facts": dict(facts), "findings": rows}


def graph_in(layout: Mapping[str, Any], nodes: Sequence[str], edges: Sequence[Row]) -> dict[str, Any]:
    """The nodes and edges of a source, each with the number of its box or line; None for what is not found.

    A node has the box with its words, and an edge the line between the boxes of its ends; of equal ones, in order.
    """
    boxes: dict[str, deque[int]] = defaultdict(deque)
    for box in layout["boxes"]:
        boxes[_letters("".join(box["words"]))].append(box["number"])
    named = [(name, places.popleft() if (places := boxes[_letters(name)]) else None) for name in nodes]
    names = {number: _letters(name) for name, number in named if number is not None}
    lines: dict[frozenset[str], deque[int]] = defaultdict(deque)
    for line in layout["lines"]:
        if line["from"] in names and line["to"] in names:
            lines[frozenset((names[line["from"]], names[line["to"]]))].append(line["number"])
    joined = []
    for edge in edges:
        places = lines[frozenset((_letters(edge["from"]), _letters(edge["to"])))]
        joined.append({**edge, "line": places.popleft() if places else None})
    return {"nodes": [{"name": name, "box": box} for name, box in named], "edges": joined}


def _letters(text: str) -> str:
    """The letters and digits of a text: how it is broken and punctuated differs between a source and its picture."""
    return "".join(filter(str.isalnum, text)) or text


_NUMBER = {"type": "number"}
_INDEX = {"type": "integer", "minimum": 1}
_BOX = {"type": ["integer", "null"], "minimum": 1}
_TEXT = {"type": "string"}


def _object(description: str, **properties: object) -> dict[str, object]:
    """The schema of an object that has all of these properties, and no others."""
    return {
        "type": "object",
        "description": description,
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def _list(items: object) -> dict[str, object]:
    return {"type": "array", "items": items}


_BOUNDS = _object("In px from the top left corner.", x=_NUMBER, y=_NUMBER, width=_NUMBER, height=_NUMBER)
_POINT = {"type": "array", "items": _NUMBER, "minItems": 2, "maxItems": 2}
SCHEMA: Mapping[str, object] = {
    "$schema": "http://json-schema.org/draft-07/schema#",
    "title": "The layout of a figure",
    **_object(
        "What a figure shows, recovered from what it paints.",
        id={"type": ["string", "null"], "description": "The figure; null for a file."},
        width=_NUMBER,
        height=_NUMBER,
        boxes=_list(
            _object(
                "A shape with text in it.", number=_INDEX, words=_list(_TEXT), bounds=_BOUNDS, within=_BOX
            )
        ),
        lines=_list(
            _object(
                "A line with an end at a box.",
                number=_INDEX,
                **{"from": _BOX, "to": _BOX},
                heads={"type": "array", "items": {"type": "boolean"}, "minItems": 2, "maxItems": 2},
                route=_list(_list(_POINT)),
            )
        ),
        labels=_list(_object("A line of text.", words=_TEXT, bounds=_BOUNDS, size=_NUMBER, box=_BOX)),
        graph={
            "anyOf": [
                {"type": "null"},
                _object(
                    "The graph in the source of the figure.",
                    nodes=_list(_object("A node, and its box.", name=_TEXT, box=_BOX)),
                    edges=_list(
                        _object("An edge, and its line.", **{"from": _TEXT}, to=_TEXT, label=_TEXT, line=_BOX)
                    ),
                ),
            ]
        },
        facts={"type": "object", "description": "The numbers that the figure states."},
        findings=_list(
            _object(
                "What a check of the layout says.",
                check=_TEXT,
                level={"enum": ["note", "warn", "error"]},
                line={"type": ["integer", "null"], "description": "In the SVG, from 1."},
                message=_TEXT,
            )
        ),
    ),
}
