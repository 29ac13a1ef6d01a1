"""The first source that `new --kind excalidraw` writes: a scene that the editor opens."""

from __future__ import annotations

import json
from typing import Any

from figmill.kind import Starter

_COMMON = {
    "angle": 0,
    "opacity": 100,
    "roughness": 1,
    "strokeColor": "#1e1e1e",
    "strokeStyle": "solid",
    "strokeWidth": 2,
    "fillStyle": "solid",
    "backgroundColor": "transparent",
    "groupIds": [],
    "frameId": None,
    "roundness": None,
    "seed": 1,
    "version": 1,
    "versionNonce": 1,
    "isDeleted": False,
    "boundElements": None,
    "updated": 1,
    "link": None,
    "locked": False,
}


def _box(name: str, x: int, colour: str, label: str) -> list[dict[str, Any]]:
    place = {"x": x, "y": 0, "width": 160, "height": 70}
    box = {
        **_COMMON,
        **place,
        "id": name,
        "type": "rectangle",
        "backgroundColor": colour,
        "roundness": {"type": 3},
    }
    box["boundElements"] = [{"type": "text", "id": f"{name}-label"}]
    text_fields = {
        "text": label,
        "originalText": label,
        "fontSize": 20,
        "fontFamily": 5,
        "lineHeight": 1.25,
        "textAlign": "center",
        "verticalAlign": "middle",
        "containerId": name,
        "autoResize": True,
    }
    return [
        box,
        {
            **_COMMON,
            **text_fields,
            "id": f"{name}-label",
            "type": "text",
            "x": x + 40,
            "y": 22,
            "width": 80,
            "height": 25,
        },
    ]


_ARROW = {
    **_COMMON,
    "id": "asks",
    "type": "arrow",
    "x": 165,
    "y": 35,
    "width": 110,
    "height": 0,
    "points": [[0, 0], [110, 0]],
    "startArrowhead": None,
    "endArrowhead": "arrow",
}
_SCENE = {
    "type": "excalidraw",
    "version": 2,
    "source": "figmill",
    "elements": [*_box("reader", 0, "#a5d8ff", "Reader"), *_box("site", 280, "#ffec99", "Site"), _ARROW],
    "appState": {"viewBackgroundColor": "#ffffff"},
    "files": {},
}

STARTER = Starter(
    ".excalidraw",
    (json.dumps(_SCENE, indent=2) + "\n").encode(),
    alt="A reader asks a site.",
    more=("expect: {nodes: 2, edges: 1}",),
)
