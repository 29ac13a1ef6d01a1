"""What a diagram of D2, Excalidraw, draw.io or Vega-Lite shows, as tables for readers who cannot see it."""

from __future__ import annotations

import json
from typing import Any

from lxml import etree

from figmill.model import FigureTable
from figmill_kinds.d2 import as_tables as d2
from figmill_kinds.drawio import as_tables as drawio
from figmill_kinds.drawio.files import pages
from figmill_kinds.drawio.model import read as page
from figmill_kinds.excalidraw import renderer as excalidraw
from figmill_kinds.excalidraw.scene import read as scene
from figmill_kinds.vega_lite.renderer import tables_of


def rows(tables: tuple[FigureTable, ...]) -> dict[str, list[tuple[Any, ...]]]:
    return {table.title: [*table.rows] for table in tables}


def d2_of(*named: tuple[str, str]) -> dict[str, list[tuple[Any, ...]]]:
    """named: the path of each shape and connection, and its text."""
    svg = "http://www.w3.org/2000/svg"
    groups = [(path, etree.fromstring(f'<g xmlns="{svg}"><text>{text}</text></g>')) for path, text in named]
    return rows(d2.tables_of(groups))


def test_d2_has_shapes_in_containers_and_connections_either_way() -> None:
    assert d2_of(
        ("db", "Data"),
        ("db.a", "Table A"),
        ("db.b", ""),
        ("web", "Web"),
        ("(web -> db.a)[0]", "reads"),
        ("db.(a <- b)[0]", "back"),
        ("(web -- db)[0]", ""),
        ("(web <-> db.b)[0]", "x"),
    ) == {
        "Nodes": [("Data", None), ("Table A", "Data"), ("b", "Data"), ("Web", None)],
        "Edges": [
            ("Web", "Table A", "reads"),
            ("b", "Table A", "back"),
            ("Web", "Data", "no arrow"),
            ("Web", "b", "x, both ways"),
        ],
    }
    assert d2_of(("a", "A"), ("b", "B"), ("(a -- b)[0]", "")) == {
        "Nodes": [("A",), ("B",)],
        "Edges": [("A", "B", None)],
    }


def test_a_talk_in_d2_has_actors_and_messages() -> None:
    assert d2_of(
        ("x", "Alice"),
        ("y", "Bob"),
        ("x.think", ""),
        ("later", "later"),
        ("(x -- )[0]", ""),
        ("(y -- )[0]", ""),
        ("(x -> y)[0]", "What is new?"),
        ("(y.listen -> x.think)[0]", ""),
    ) == {
        "Nodes": [("Alice",), ("Bob",)],
        "Edges": [("Alice", "Bob", "What is new?"), ("Bob", "Alice", None)],
    }


def element(kind: str, id_: str, x: int = 0, **more: Any) -> dict[str, Any]:
    return {"type": kind, "id": id_, "x": x, "y": 0, "width": 100, "height": 50, **more}


def test_excalidraw_has_bound_arrows_and_those_that_end_at_a_box() -> None:
    elements = [
        element("frame", "f", name="Site"),
        element("rectangle", "a", frameId="f"),
        element("text", "t", containerId="a", text="Web\nserver"),
        element("ellipse", "b", 300),
        element("text", "u", 300, containerId="b", text="Store"),
        element("diamond", "c", 600),
        element(
            "arrow",
            "e",
            100,
            points=[[0, 0], [200, 0]],
            startBinding={"elementId": "a"},
            endBinding={"elementId": "b"},
        ),
        element("text", "l", 150, containerId="e", text="asks"),
        element("arrow", "g", 405, points=[[0, 10], [190, 10]], startArrowhead="arrow", endArrowhead=None),
        element("arrow", "loose", 405, points=[[0, 300], [190, 300]]),
    ]
    data = json.dumps({"type": "excalidraw", "elements": elements})
    assert rows(excalidraw.tables_of(scene(data, "x.excalidraw"))) == {
        "Nodes": [("Web server", "Site"), ("Store", None), ("diamond 6", None)],
        "Edges": [("Web server", "Store", "asks"), ("diamond 6", "Store", None)],
    }


def test_drawio_has_shapes_in_their_container_and_labels_on_lines() -> None:
    def vertex(id_: str, label: str, x: int, y: int, size: int = 60, parent: str = "1") -> str:
        place = f'<mxGeometry x="{x}" y="{y}" width="{size}" height="{size}" as="geometry"/>'
        return (
            f'<mxCell id="{id_}" value="{label}" style="html=1" vertex="1" parent="{parent}">{place}</mxCell>'
        )

    def line(id_: str, more: str, what: str = "edge") -> str:
        place = '<mxGeometry x="0.5" relative="1" as="geometry"/>'
        return f'<mxCell id="{id_}" {what}="1" {more}>{place}</mxCell>'

    cells = (
        vertex("box", "Rack", 0, 0, 300),
        vertex("a", "&lt;b&gt;Web&lt;/b&gt;&lt;br&gt;server", 20, 20),
        vertex("b", "Store", 400, 20),
        vertex("c", "", 500, 20),
        line("e", 'value="asks" style="html=1" parent="1" source="a" target="b"'),
        line("l", 'value="twice" style="edgeLabel" parent="e"', "vertex"),
        line("g", 'style="startArrow=classic;endArrow=none" parent="1" source="b" target="c"'),
    )
    model = f'<mxGraphModel><root><mxCell id="0"/><mxCell id="1" parent="0"/>{"".join(cells)}</root></mxGraphModel>'
    diagram = page(pages(model.encode(), "x.drawio")[0], "x.drawio")
    assert rows(drawio.tables_of(diagram)) == {
        "Nodes": [("Web server", "Rack"), ("Store", None), ("rectangle 4", None)],
        "Edges": [("Web server", "Store", "asks, twice"), ("rectangle 4", "Store", None)],
    }


def test_vega_lite_has_the_fields_that_it_shows() -> None:
    encoding = {"x": {"field": "day"}, "y": {"field": "n"}}
    chart = {
        "data": {"values": [{"day": "Mon", "n": 1, "id": 7}, {"day": "Tue", "n": 2, "id": 8}]},
        "encoding": encoding,
    }
    assert rows(tables_of(chart)) == {"Data": [("Mon", 1), ("Tue", 2)]}
    text = {
        "layer": [{"data": {"values": "day\tn\nMon\t1\n"}, "encoding": encoding}, {"data": {"sequence": {}}}]
    }
    assert rows(tables_of(text)) == {"Data": [("Mon", "1")]}
