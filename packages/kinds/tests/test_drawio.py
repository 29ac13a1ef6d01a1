"""Diagrams of draw.io: shapes, connectors, words, pages, pictures of it; mistakes in one line."""

from __future__ import annotations

import base64
import json
import re
import struct
import zlib
from itertools import pairwise
from urllib.parse import quote

from helpers.book import Space
from lxml import etree

from figmill import font_metrics
from figmill.kinds import kind_of_name
from figmill_kinds.drawio.files import pages
from figmill_kinds.drawio.labels import cleaned
from figmill_kinds.drawio.model import Box, Connector, read
from figmill_kinds.drawio.routes import attached, route
from figmill_kinds.drawio.shapes import SHAPES, outline
from figmill_kinds.drawio.starter import STARTER

ROOT = '<mxCell id="0"/><mxCell id="1" parent="0"/>'


def vertex(name: str, style: str, x: int, y: int, label: str = "", parent: str = "1", more: str = "") -> str:
    place = f'<mxGeometry x="{x}" y="{y}" width="120" height="60" as="geometry"/>'
    return f'<mxCell id="{name}" value="{label}" style="{style}" vertex="1" parent="{parent}" {more}>{place}</mxCell>'


def edge(
    name: str,
    ends: str,
    style: str = "edgeStyle=orthogonalEdgeStyle;html=1;",
    inside: str = "",
    label: str = "",
) -> str:
    place = f'<mxGeometry relative="1" as="geometry">{inside}</mxGeometry>'
    return f'<mxCell id="{name}" value="{label}" style="{style}" edge="1" parent="1" {ends}>{place}</mxCell>'


def model(*cells: str) -> str:
    return f"<mxGraphModel><root>{ROOT}{''.join(cells)}</root></mxGraphModel>"


def mxfile(*models: str) -> str:
    inner = "".join(f'<diagram name="Page-{n}">{one}</diagram>' for n, one in enumerate(models, 1))
    return f"<mxfile>{inner}</mxfile>"


def packed(text: str) -> str:
    """A page as draw.io compresses it."""
    made = zlib.compressobj(9, zlib.DEFLATED, -15)
    return base64.b64encode(made.compress(quote(text).encode()) + made.flush()).decode()


def png(key: bytes, text: str) -> bytes:
    """A picture of one pixel with a text in it."""

    def chunk(kind: bytes, body: bytes) -> bytes:
        return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))

    head = chunk(b"IHDR", struct.pack(">IIBBBBB", 1, 1, 8, 0, 0, 0, 0))
    body = chunk(b"IDAT", zlib.compress(b"\0\0")) + chunk(b"IEND", b"")
    return b"\x89PNG\r\n\x1a\n" + head + chunk(b"tEXt", key + b"\0" + quote(text).encode()) + body


RICH = (
    "&lt;b&gt;Bold&lt;/b&gt; &amp;amp; &lt;font color=&quot;#cc0000&quot;&gt;red&lt;/font&gt;&lt;br&gt;next"
)
PAGE = model(
    vertex("a", "rounded=1;whiteSpace=wrap;html=1;fillColor=#dae8fc;strokeColor=#6c8ebf;", 0, 0, RICH),
    vertex("b", "shape=cylinder3;whiteSpace=wrap;html=1;size=15;", 240, 100, "Store"),
    vertex("c", "rhombus;whiteSpace=wrap;html=1;gradientColor=#ffcc00;fillColor=#fff2cc;", 240, 240, "Is it?"),
    vertex("lane", "swimlane;startSize=20;horizontal=0;html=1;", 0, 240, "Lane"),
    vertex("in", "ellipse;html=1;rotation=30;opacity=50;", 25, 5, "in it", "lane"),
    vertex("hidden", "html=1;", 900, 900, "nobody sees this", more='visible="0"'),
    edge("e", 'source="a" target="b"', label="asks"),
    '<mxCell id="on" value="1..*" style="edgeLabel;html=1;" vertex="1" connectable="0" parent="e">'
    '<mxGeometry x="-0.8" relative="1" as="geometry"><mxPoint as="offset"/></mxGeometry></mxCell>',
    edge("f", 'source="b" target="c"', "html=1;endArrow=ERoneToMany;startArrow=diamond;startFill=0;dashed=1;curved=1;"),
    edge("g", 'source="c"', "html=1;endArrow=block;", '<mxPoint x="500" y="270" as="targetPoint"/>'),
)  # fmt: skip
SERVICE = model(vertex("a", "rounded=1;html=1;", 0, 0, "Service"))
ICON = model(vertex("a", "shape=mxgraph.aws4.lambda;html=1;fillColor=#ed7100;", 0, 0, "Lambda"))


def test_a_diagram_is_drawn_alone_compressed_in_a_picture_and_by_page(space: Space) -> None:
    space.write(
        {
            "visuals/a.drawio": mxfile(PAGE, SERVICE),
            "visuals/b.drawio": f'<mxfile><diagram name="x">{packed(PAGE)}</diagram></mxfile>',
            "visuals/d.drawio": STARTER.source.decode(),
            "visuals/e.drawio.xml": PAGE,
        }
    )
    (space.root / "visuals/c.drawio.png").write_bytes(png(b"mxfile", mxfile(PAGE)))
    count = "expect: {nodes: 5, edges: 3, text: [Bold, Store, Lane, asks, 1..*]}"
    for name, source in {"a": "a.drawio", "b": "b.drawio", "c": "c.drawio.png", "e": "e.drawio.xml"}.items():
        space.question(name, f"source: {source}, alt: A reader asks a store, {count}")
    space.question(
        "second", "source: a.drawio, figure: Page-2, alt: One service, expect: {nodes: 1, edges: 0}"
    )
    space.question(
        "d", "source: d.drawio, alt: A reader asks a site, expect: {nodes: 2, edges: 1, text: [asks]}"
    )
    done = space.run()
    assert done.code == 0, done.err
    assert (
        "visuals/a.drawio: the first of 2 pages is drawn; `figure: 2` draws the second [dropped]" in done.err
    )
    assert "[text-" not in done.err, done.err
    first = space.outputs()
    root = etree.fromstring(first["build/global/b.svg"])
    (ground,) = (text.getprevious() for text in root.iter("{*}text") if text.text == "asks")
    assert ground.tag.endswith("rect")
    assert float(ground.get("width")) > 6 + font_metrics.measure("asks", 11)  # a line ends beside its label
    words = "".join(root.itertext())
    assert "nobody sees" not in words and not list(root.iter("{*}foreignObject"))
    assert {"drawn": first["build/global/c.svg"].count(b"<path")} == {
        "drawn": first["build/global/b.svg"].count(b"<path")
    }
    assert json.loads(space.read("build/manifest.json"))["figures"][0]["facts"]["page"] == "Page-1"
    assert space.run("--force", "--jobs", "1").code == 0 and space.outputs() == first


WAY_OUT = "; draw.io's own export has it: `drawio -x -f svg -e` and the name of the file"
NOT_DRAWN = {
    "icon": (ICON, "page 'Page-1' has shapes that figmill does not draw ('mxgraph.aws4.lambda')"),
    "picture": (
        model(vertex("a", "shape=image;image=https://example.org/a.png;", 0, 0, "")),
        "page 'Page-1' has 1 picture that the file does not contain",
    ),
    "formula": (
        model(vertex("a", "html=1;", 0, 0, "$$x^2$$")).replace("<mxGraphModel", '<mxGraphModel math="1"', 1),
        "page 'Page-1' has a formula, $$x^2$$",
    ),
}


def test_what_is_not_drawn_right_is_refused_with_the_way_out(space: Space) -> None:
    for name, (page, _) in NOT_DRAWN.items():
        space.write({f"visuals/{name}.drawio": page}).question(name, f"source: {name}.drawio, alt: a page")
    done = space.run()
    assert done.code == 1
    for name, (_, words) in NOT_DRAWN.items():
        assert f"visuals/{name}.drawio: {words}{WAY_OUT}" in done.err, done.err


def test_a_waypoint_is_a_dot_of_its_size() -> None:
    path = outline(Box(80, 40, 40, 40), {"shape": "waypoint", "size": "6"}).area
    xs = [float(x) for x in re.findall(r"([\d.]+),", path)]
    assert max(xs) - min(xs) == 6, path


def test_mistakes_are_one_line(space: Space) -> None:
    wrong = {
        "a.drawio": ("<mxfile>\n<diagram>", ":2:10: not XML: "),
        "b.drawio": ("<svg/>", ": this is not a draw.io diagram: it begins with <svg>, not <mxfile>"),
        "c.drawio": ('<mxfile><diagram name="x">!!</diagram></mxfile>', ":1: page 'x' cannot be read; save the file"),
        "d.drawio": (mxfile(model()), ":1: page 'Page-1' is empty; draw something, and save it again"),
        "e.drawio": ("<mxlibrary>[]</mxlibrary>", ": this is a library of shapes; draw with it, and save the diagram"),
    }  # fmt: skip
    for name, (text, _) in wrong.items():
        space.write({f"visuals/{name}": text})
        space.question(name[0], f"source: {name}, alt: A diagram with a mistake")
    (space.root / "visuals/f.drawio.png").write_bytes(png(b"Comment", "no diagram"))
    space.question("f", "source: f.drawio.png, alt: A picture without its diagram")
    space.write({"visuals/g.drawio": STARTER.source.decode(), "visuals/h.typ": "= Title"})
    space.question("g", "source: g.drawio, figure: Pag-1, alt: A page with a wrong name")
    space.question("h", "source: h.typ, alt: A page of Typst")
    done = space.run()
    told = [f"visuals/{name}{text}" for name, (_, text) in wrong.items()] + [
        "visuals/f.drawio.png: has no diagram inside; export it with a copy of the diagram: `drawio -x -e -f png`",
        "visuals/g.drawio: has no page 'Pag-1'; did you mean 'Page-1'?",
        "figmill cannot draw 'h.typ'; save its picture as SVG with `typst compile --format svg`, and name the SVG",
    ]
    assert done.code == 1 and [line for line in told if line not in done.err] == [], done.err


def test_a_picture_of_pixels_can_be_asked_for(space: Space) -> None:
    (space.root / "visuals").mkdir(exist_ok=True)
    (space.root / "visuals/f.drawio.png").write_bytes(png(b"Comment", "no diagram"))
    space.question("f", "kind: picture, source: f.drawio.png, alt: A picture without its diagram")
    assert space.run().code == 0
    assert kind_of_name("x.drawio.png") == "drawio" and kind_of_name("x.png") == "picture"
    assert kind_of_name("x.drawio.svg") == "svg"


def test_lines_have_right_angles_and_go_around_shapes() -> None:
    def ends(style: dict[str, str], there: Box) -> list[tuple[float, float]]:
        here = Box(0, 0, 100, 40)
        style = {"edgeStyle": "orthogonalEdgeStyle", **style}
        points = route(attached(here, (), style, "exit"), attached(there, (), style, "entry"), (), style)
        assert all(a[0] == b[0] or a[1] == b[1] for a, b in pairwise(points))
        return points

    assert ends({}, Box(200, 0, 100, 40)) == [(100, 20), (200, 20)]
    assert ends({}, Box(200, 100, 100, 40)) == [(100, 20), (250, 20), (250, 100)]
    assert ends({}, Box(20, 100, 100, 40)) == [(50, 40), (50, 70), (70, 70), (70, 100)]
    away = ends({"exitX": "0", "exitY": "0.5"}, Box(200, 0, 100, 40))
    assert away[0] == (0, 20) and away[1][0] < 0 and len(away) == 6


def test_waypoints_move_pieces_of_a_line() -> None:
    via = '<Array as="points"><mxPoint x="60" y="150"/><mxPoint x="300" y="150"/></Array>'
    cells = [
        vertex("a", "html=1;", 0, 0),
        vertex("b", "html=1;", 240, 0),
        edge("e", 'source="a" target="b"', inside=via),
    ]
    diagram = read(pages(model(*cells).encode(), "x")[0], "x")
    line = next(cell for cell in diagram.cells if isinstance(cell, Connector))
    ends = [attached(Box(x, 0, 120, 60), (), line.style, which) for x, which in ((0, "exit"), (240, "entry"))]
    assert route(*ends, line.via, line.style) == [(60, 60), (60, 150), (300, 150), (300, 60)]


def test_every_shape_has_an_outline_in_every_box() -> None:
    for name in SHAPES:
        for box in (Box(0, 0, 120, 60), Box(-5, 3, 1, 1), Box(0, 0, 0, 0)):
            made = outline(box, {"shape": name})
            assert "nan" not in made.area + made.lines and "inf" not in made.area + made.lines


def test_what_an_author_typed_becomes_well_formed() -> None:
    html, lines = cleaned("<b>a<i>b</b>c<script>x()</script><img src=y onerror=z> &lt;d&gt;&nbsp;", True)
    assert html == "<b>a<i>b</i></b>c &lt;d&gt;\xa0" and lines == ("abc <d>",)
    assert cleaned("a <b>\nc", False) == ("a &lt;b&gt;<br/>c", ("a <b>", "c"))
