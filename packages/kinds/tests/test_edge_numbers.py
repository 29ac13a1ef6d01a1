"""A quantity on an edge is a fact in D2, draw.io and Excalidraw, too."""

from __future__ import annotations

import json
from typing import Any

from helpers.book import Space
from helpers.kind_sources import exported


def box(name: str, label: str, x: int) -> str:
    place = f'<mxGeometry x="{x}" y="0" width="120" height="60" as="geometry"/>'
    return f'<mxCell id="{name}" value="{label}" style="html=1;" vertex="1" parent="1">{place}</mxCell>'


DRAWIO = (
    '<mxGraphModel><root><mxCell id="0"/><mxCell id="1" parent="0"/>'
    f"{box('a', 'Client', 0)}{box('b', 'Disk', 300)}"
    '<mxCell id="e" value="30 ms" style="html=1;" edge="1" parent="1" source="a" target="b">'
    '<mxGeometry relative="1" as="geometry"/></mxCell></root></mxGraphModel>'
)


def element(kind: str, id_: str, x: int, **more: Any) -> dict[str, Any]:
    place = {"x": x, "y": 0, "width": 120, "height": 60}
    return {"type": kind, "id": id_, "seed": 1, "strokeColor": "#1e1e1e", **place, **more}


def words(text: str, inside: str, x: int) -> dict[str, Any]:
    return element("text", f"t{inside}", x, text=text, fontSize=20, containerId=inside, textAlign="center")


BOUND = {"startBinding": {"elementId": "a"}, "endBinding": {"elementId": "b"}}
SCENE = [
    element("rectangle", "a", 0),
    words("Client", "a", 0),
    element("rectangle", "b", 400),
    words("Disk", "b", 400),
    element("arrow", "e", 120, points=[[0, 0], [280, 0]], **BOUND),
    words("30 ms", "e", 200),
]


def test_the_label_of_an_edge_is_a_fact(space: Space) -> None:
    scene = json.dumps({"type": "excalidraw", "version": 2, "elements": SCENE, "files": {}})
    sources = {"a.d2": "Client -> Disk: 30 ms\n", "b.drawio": DRAWIO, "c.excalidraw": scene}
    for name, source in sources.items():
        space.write({f"visuals/{name}": source}).question(
            name[0], f"source: {name}, alt: '{{client_to_disk_ms:si}}'"
        )
    space.write({"visuals/b.svg": exported(DRAWIO, "Client", "30 ms", "Disk")})
    done = space.run()
    assert done.code == 0, done.err
    rows = json.loads(space.read("build/manifest.json"))["figures"]
    assert [row["alt"] for row in rows] == ["30 ms"] * 3
