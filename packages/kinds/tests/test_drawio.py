"""Diagrams of draw.io: shapes, connectors, words, pages, pictures of it; mistakes in one line."""

from __future__ import annotations

import base64
import json
import re
import struct
import zlib
from html import escape
from itertools import pairwise
from urllib.parse import quote

import pytest
from helpers.book import Space
from lxml import etree

from figmill import font_metrics
from figmill.kinds import kind_of_name
from figmill_kinds.drawio.files import pages
from figmill_kinds.drawio.heads import head
from figmill_kinds.drawio.labels import Label, cleaned, label_of
from figmill_kinds.drawio.model import Box, Connector, Shape, read
from figmill_kinds.drawio.picture import drawn
from figmill_kinds.drawio.routes import attached, loose, route
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
    inner = "".join(f'<diagram name="Page-{n}">{page}</diagram>' for n, page in enumerate(models, 1))
    return f"<mxfile>{inner}</mxfile>"


def packed(text: str) -> str:
    """A page as draw.io compresses it."""
    compressor = zlib.compressobj(9, zlib.DEFLATED, -15)
    return base64.b64encode(compressor.compress(quote(text).encode()) + compressor.flush()).decode()


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
    vertex(
        "c", "rhombus;whiteSpace=wrap;html=1;gradientColor=#ffcc00;fillColor=#fff2cc;", 240, 240, "Is it?"
    ),
    vertex("lane", "swimlane;startSize=20;horizontal=0;html=1;", 0, 240, "Lane"),
    vertex("in", "ellipse;html=1;rotation=30;opacity=50;", 25, 5, "in it", "lane"),
    vertex("hidden", "html=1;", 900, 900, "nobody sees this", more='visible="0"'),
    edge("e", 'source="a" target="b"', label="asks"),
    '<mxCell id="on" value="1..*" style="edgeLabel;html=1;" vertex="1" connectable="0" parent="e">'
    '<mxGeometry x="-0.8" relative="1" as="geometry"><mxPoint as="offset"/></mxGeometry></mxCell>',
    edge(
        "f",
        'source="b" target="c"',
        "html=1;endArrow=ERoneToMany;startArrow=diamondThin;startFill=0;dashed=1;curved=1;",
    ),
    edge("g", 'source="c"', "html=1;endArrow=block;", '<mxPoint x="500" y="270" as="targetPoint"/>'),
)
SERVICE = model(vertex("a", "rounded=1;html=1;", 0, 0, "Service"))
ICON = model(vertex("a", "shape=mxgraph.aws4.lambda;html=1;fillColor=#ed7100;", 0, 0, "Lambda"))


@pytest.mark.parametrize(
    "again", [("--id", "b"), pytest.param((), marks=pytest.mark.soak)], ids=["one", "all"]
)
def test_a_diagram_is_drawn_alone_compressed_in_a_picture_and_by_page(
    space: Space, again: tuple[str, ...]
) -> None:
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
    text = "".join(root.itertext())
    assert "nobody sees" not in text and not list(root.iter("{*}foreignObject"))
    assert {"drawn": first["build/global/c.svg"].count(b"<path")} == {
        "drawn": first["build/global/b.svg"].count(b"<path")
    }
    assert json.loads(space.read("build/manifest.json"))["figures"][0]["facts"]["page"] == "Page-1"
    assert space.run("--force", "--jobs", "1", *again).code == 0 and space.outputs() == first


WAY_OUT = "; draw.io's own export has it: `drawio -x -f svg -e` and the name of the file"
ACROSS = '<mxPoint x="0" y="{}" as="sourcePoint"/><mxPoint x="90" y="{}" as="targetPoint"/>'
CROSSING = (
    edge("e", "", "html=1;jumpStyle=arc;", ACROSS.format(0, 90)),
    edge("f", "", "html=1;", ACROSS.format(90, 0)),
)
NOT_DRAWN = {
    "icon": (ICON, "shapes that figmill does not draw ('mxgraph.aws4.lambda')"),
    "unfilled": (
        model(vertex("a", "shape=component;html=1;fillColor=none;strokeColor=none;", 0, 0)),
        "shapes that figmill does not draw ('component')",
    ),
    "picture": (
        model(vertex("a", "shape=image;image=https://example.org/a.png;", 0, 0, "")),
        "1 picture that the file does not contain",
    ),
    "formula": (
        model(vertex("a", "html=1;", 0, 0, "$$x^2$$")).replace("<mxGraphModel", '<mxGraphModel math="1"', 1),
        "a formula, $$x^2$$",
    ),
    "sketch": (
        model(vertex("a", "html=1;sketch=1;", 0, 0)),
        "the hand-drawn look (`sketch`), which figmill does not draw",
    ),
    "hatched": (
        model(vertex("a", "html=1;fillStyle=hachure;", 0, 0)),
        "a fill that figmill does not draw (`fillStyle=hachure`)",
    ),
    "radial": (
        model(vertex("a", "html=1;gradientDirection=radial;gradientColor=#ff0000;", 0, 0)),
        "a radial gradient, which figmill does not draw",
    ),
    "upright": (
        model(vertex("a", "html=1;textDirection=vertical-rl;", 0, 0, "up")),
        "vertical writing, which figmill does not draw",
    ),
    "inline": (
        model(vertex("a", "html=1;", 0, 0, "&lt;img src=&quot;x.png&quot;&gt;")),
        "a picture in a label, which figmill does not draw",
    ),
    "head": (
        model(
            vertex("a", "html=1;", 0, 0),
            vertex("b", "html=1;", 240, 0),
            edge("e", 'source="a" target="b"', "endArrow=doubleBlock;html=1;"),
        ),
        "a head that figmill does not draw ('doubleBlock')",
    ),
    "route": (
        model(
            vertex("a", "html=1;", 0, 0),
            vertex("b", "html=1;", 240, 0),
            edge("e", 'source="a" target="b"', "edgeStyle=isometricEdgeStyle;html=1;"),
        ),
        "a route that figmill does not draw ('isometricEdgeStyle')",
    ),
    "line": (
        model(
            vertex("a", "html=1;", 0, 0),
            vertex("b", "html=1;", 240, 0),
            edge("e", 'source="a" target="b"', "shape=mxgraph.arrows2.wedgeArrow;html=1;"),
        ),
        "a connector that figmill does not draw ('mxgraph.arrows2.wedgeArrow')",
    ),
    "jumps": (model(*CROSSING), "line jumps, which figmill does not draw (`jumpStyle=arc`)"),
}


def test_what_is_not_drawn_right_is_refused_at_its_line_with_the_way_out(space: Space) -> None:
    for name, (page, _) in NOT_DRAWN.items():
        page = page.replace("><mxCell", ">\n<mxCell")
        space.write({f"visuals/{name}.drawio": page}).question(name, f"source: {name}.drawio, alt: a page")
    done = space.run()
    assert done.code == 1
    for name, (_, feature) in NOT_DRAWN.items():
        line = 6 if name in ("head", "route", "line") else 4
        told = f"visuals/{name}.drawio:{line}: page 'Page-1' has {feature}{WAY_OUT}"
        assert told in done.err, (told, done.err)


def test_line_jumps_without_a_crossing_and_compressed_pages_have_no_line_to_tell(space: Space) -> None:
    space.write({"visuals/a.drawio": model(CROSSING[0])}).question("a", "source: a.drawio, alt: one line")
    text = f'<mxfile><diagram name="x">{packed(ICON)}</diagram></mxfile>'
    space.write({"visuals/b.drawio": text}).question("b", "source: b.drawio, alt: an icon")
    done = space.run()
    assert "a.drawio" not in done.err and "visuals/b.drawio: page 'x' has shapes" in done.err, done.err


def test_a_picture_of_one_of_several_pages_needs_the_page(space: Space) -> None:
    (space.root / "visuals").mkdir(exist_ok=True)
    (space.root / "visuals/a.drawio.png").write_bytes(png(b"mxfile", mxfile(PAGE, SERVICE)))
    space.question("a", "source: a.drawio.png, alt: one of two pages")
    message = "has 2 pages, and does not say which one its pixels show; write `figure: 1`, or a name"
    assert f"visuals/a.drawio.png: {message}" in space.run().err
    space.question("a", "source: a.drawio.png, figure: 2, alt: one of two pages")
    assert space.run().code == 0


def drawing(*cells: str) -> str:
    picture = drawn(read(pages(model(*cells).encode(), "x")[0], "x"))
    assert picture is not None
    return picture.svg


def paths(svg: str) -> list[str]:
    return [path.get("d", "") for path in etree.fromstring(svg).iter("{*}path")]


def numbers(path: str) -> list[tuple[float, float]]:
    coordinates = [float(number) for number in re.findall(r"-?[\d.]+", path)]
    return list(zip(coordinates[::2], coordinates[1::2], strict=True))


def line(style: str, far: int = 100) -> str:
    ends = f'<mxPoint x="0" y="0" as="sourcePoint"/><mxPoint x="{far}" y="0" as="targetPoint"/>'
    return edge("e", "", style, ends)


def test_a_thick_arrow_has_its_width_and_a_link_is_two_lines() -> None:
    (arrow,) = paths(drawing(line("shape=flexArrow;endArrow=classic;html=1;")))
    xs, ys = zip(*numbers(arrow), strict=True)
    assert max(ys) - min(ys) == 31  # as in draw.io's exports: 10 px, 20 px more at its head, and the line
    assert round(max(xs), 2) == 99.5 and arrow.endswith("Z")
    (link,) = paths(drawing(line("shape=link;html=1;")))
    assert link.count("M") == 2 and {y for _, y in numbers(link)} == {2, -2}


def test_heads_stay_outside_of_their_shapes_and_have_the_editor_s_sizes() -> None:
    head_, tip = head("classic", (180, 0), (230, 0), 7, 1), 181.12
    assert head_ is not None and numbers(head_.area)[0] == (tip, 0) and round(head_.back, 2) == 6.37
    many = head("ERzeroToMany", (540, 60), (620, 60), 8, 1)
    assert many is not None and "M549.00,60.00A3.00 3.00" in many.area and round(many.back, 1) == 15
    white = drawing(
        vertex("a", "html=1;", 0, 0),
        edge(
            "e",
            'source="a"',
            "endArrow=block;endFill=0;html=1;",
            '<mxPoint x="300" y="30" as="targetPoint"/>',
        ),
    )
    (area,) = (
        path for path in etree.fromstring(white).iter("{*}path") if numbers(path.get("d", ""))[0][0] > 290
    )
    assert area.get("fill") == "none"


def test_a_table_has_lines_between_its_rows_and_columns() -> None:
    def cell(name: str, parent: str, style: str, x: int, y: int, width: int, height: int) -> str:
        place = f'<mxGeometry x="{x}" y="{y}" width="{width}" height="{height}" as="geometry"/>'
        return f'<mxCell id="{name}" value="" style="{style}" vertex="1" parent="{parent}">{place}</mxCell>'

    bare = "fillColor=none;top=0;left=0;bottom=0;right=0;html=1;"
    rows = [
        part
        for n in (0, 1)
        for part in (
            cell(f"r{n}", "t", f"shape=tableRow;{bare}", 0, 30 + 30 * n, 180, 30),
            cell(f"r{n}a", f"r{n}", f"shape=partialRectangle;{bare}", 0, 0, 60, 30),
            cell(f"r{n}b", f"r{n}", f"shape=partialRectangle;{bare}", 60, 0, 120, 30),
        )
    ]
    table = cell("t", "1", "shape=table;startSize=30;html=1;", 0, 0, 180, 90)
    assert "M60.00,30.00L60.00,60.00M60.00,60.00L60.00,90.00" in "".join(
        paths(drawing(table.replace("html=1", "rowLines=0;html=1"), *rows))
    )
    assert "M0.00,60.00L180.00,60.00" in "".join(paths(drawing(table, *rows)))
    whole = paths(drawing(table.replace("html=1", "rowLines=0;columnLines=0;html=1"), *rows))
    assert not any("60.00,30.00" in path for path in whole)


def test_shapes_have_the_forms_of_the_editor_s_exports() -> None:
    """Each expected point is one of a path in an export of draw.io, as a share of its box."""
    expected = {
        ("cloud", ""): {(25, 25), (5, 25), (16, 55), (31, 80), (62.5, 20), (87.5, 50)},
        ("actor", ""): {(0, 100), (50, 40), (50, 0), (100, 60)},
        ("document", "size=0.3"): {(75, 58), (50, 85), (0, 85)},
        ("dataStorage", "fixedSize=1;size=20"): {(20, 0), (60, 50), (100, 100), (-20, 50)},
        ("cross", ""): {(40, 0), (60, 0), (60, 40), (100, 40), (100, 60)},
        ("mxgraph.arrows2.arrow", "dy=0;dx=20;notch=10"): {(10, 50), (80, 0), (100, 50)},
        ("cylinder", ""): {(0, 20), (100, 20)},
        ("mxgraph.flowchart.database", ""): {(0, 16.67), (100, 16.67)},
    }
    for (name, more), points in expected.items():
        style = {"shape": name, **dict(pair.split("=") for pair in more.split(";") if pair)}
        area = outline(Box(0, 0, 100, 100), style).area
        assert all(f"{x:.2f},{y:.2f}" in area for x, y in points), (name, area)
    dark = outline(
        Box(0, 0, 100, 100), {"shape": "cube", "darkOpacity": "0.05", "darkOpacity2": "0.1"}
    ).shades
    assert [part for _, part in dark] == [0.05, 0.1]
    round_ = outline(
        Box(0, 0, 300, 200), {"shape": "swimlane", "rounded": "1", "arcSize": "8", "startSize": "34"}
    )
    assert "a8.16 8.16" in round_.area


def test_ends_turn_with_their_shapes() -> None:
    """A trapezoid that lies on its side is left in the middle of the side that was its top."""
    cells = (
        vertex("a", "shape=trapezoid;perimeter=trapezoidPerimeter;html=1;fixedSize=1;rotation=90;", 0, 0),
        edge(
            "e",
            'source="a"',
            "edgeStyle=none;html=1;exitX=0.5;exitY=0;",
            '<mxPoint x="300" y="30" as="targetPoint"/>',
        ),
    )
    picture = drawn(read(pages(model(*cells).encode(), "x")[0], "x"))
    assert picture is not None
    (x, y), _ = picture.routes["e"]
    assert (round(x), round(y)) == (90, 30)


def test_a_line_from_a_shape_to_itself_leaves_and_enters_on_one_side() -> None:
    box = Box(0, 0, 80, 40)
    end = attached(box, (), {}, "exit")
    points = [(round(x, 2), round(y, 2)) for x, y in route(end, end, (), {})]
    assert points == [(80, 13.33), (100, 10), (100, 30), (80, 26.67)]
    assert route(end, end, ((40, -20),), {})[1:3] == [(20, -20), (60, -20)]


def test_lines_choose_their_sides_as_the_editor_does() -> None:
    here, there = Box(0, 0, 100, 40), Box(200, 100, 100, 40)
    style = {"edgeStyle": "orthogonalEdgeStyle", "endArrow": "classic"}

    def ends(more: dict[str, str]) -> list[tuple[float, float]]:
        whole = {**style, **more}
        return route(attached(here, (), whole, "exit"), attached(there, (), whole, "entry"), (), whole)

    assert ends({"entryX": "0", "entryY": "0.5"}) == [(100, 20), (150, 20), (150, 120), (200, 120)]
    assert ends({"exitX": "0.5", "exitY": "1"}) == [(50, 40), (50, 70), (250, 70), (250, 100)]
    assert ends({"entryX": "0.5", "entryY": "0"}) == [(100, 20), (250, 20), (250, 100)]
    assert ends({"exitX": "1", "exitY": "1", "entryX": "0.5", "entryY": "0"})[1] == (100, 70)
    away = ends({"exitX": "1", "exitY": "0.5", "entryX": "1", "entryY": "0.5"})
    assert max(x for x, _ in away) == 320  # 20 px in front of a head
    level = route(
        attached(Box(0, 0, 50, 50), (), style, "exit"),
        attached(Box(90, -47, 100, 145), (), style, "entry"),
        (),
        style,
    )
    assert level == [(50, 25), (90, 25.5)]


def test_a_piece_of_a_line_that_nobody_sees_does_not_shrink_a_head() -> None:
    style = {"edgeStyle": "elbowEdgeStyle", "elbow": "vertical"}
    assert route(loose((10, 117)), loose((85, 117.1)), (), style) == [(10, 117), (85, 117.1)]


def test_lines_are_as_faint_as_their_style_says() -> None:
    assert '<g opacity="0.50"><path id="edge-e"' in drawing(line("html=1;opacity=50;"))
    assert '<g opacity="0.50"><path id="edge-e"' in drawing(line("shape=flexArrow;html=1;opacity=50;"))


def label(style: str, text: str = "word") -> Label:
    diagram = read(pages(model(vertex("a", style, 0, 0, text)).encode(), "x")[0], "x")
    (shape,) = diagram.cells
    assert isinstance(shape, Shape)
    text_label = label_of(shape.label, shape.style, shape.box)
    assert text_label is not None
    return text_label


def test_labels_have_the_editor_s_room() -> None:
    """As in its exports: 118 px for text in a box of 120, and 5 px more above a label at the top."""
    box = label("html=1;whiteSpace=wrap;").box
    assert (box.x, box.width) == (1, 118)
    assert label("html=1;whiteSpace=wrap;spacing=10;").box.width == 102
    assert label("html=1;whiteSpace=wrap;align=left;spacingLeft=6;").box.x == 8
    assert (
        label("html=1;verticalAlign=top;").box.y == 7
        and label("html=1;verticalAlign=bottom;").box.bottom == 57
    )
    large = label("html=1;", "&lt;font style=&quot;font-size: 40px;&quot;&gt;word&lt;/font&gt;").ink()
    assert large.height == 48
    assert "<br/>" in label("html=1;", "one&#10;two").html and label("html=1;", "one&#10;two").lines == (
        "one",
        "two",
    )
    pasted = "&lt;span style=&quot;color: rgba(0, 0, 0, 0); font-size: 0px;&quot;&gt;%3Cmx&lt;/span&gt;read"
    assert label("html=1;", pasted).lines == ("read",)


def test_labels_keep_to_a_part_of_their_shape_where_the_style_says_so() -> None:
    def top(style: str) -> float:
        text = next(etree.fromstring(drawing(vertex("a", style, 0, 0, "word"))).iter("{*}foreignObject"))
        padding = re.search(r"padding-top: ([\d.]+)px", text[0].get("style", ""))
        assert padding is not None
        return float(padding[1])

    plain, bounded = "shape=document;html=1;", "shape=document;html=1;boundedLbl=1;"
    assert top(plain) - top(bounded) == 9
    assert top("shape=cylinder3;html=1;boundedLbl=1;") > top("shape=cylinder3;html=1;")


def test_what_a_cell_inherits_is_its_parent_s() -> None:
    cells = (
        vertex("a", "swimlane;html=1;strokeColor=#6c8ebf;", 0, 0),
        vertex("b", "line;html=1;strokeColor=inherit;", 0, 20, parent="a"),
    )
    diagram = read(pages(model(*cells).encode(), "x")[0], "x")
    assert diagram.cells[1].style["strokeColor"] == "#6c8ebf"


def test_a_vector_picture_keeps_the_proportions_that_it_has_itself() -> None:
    def shown(head_: str) -> bool:
        data = base64.b64encode(
            f'<svg xmlns="http://www.w3.org/2000/svg" {head_} viewBox="0 0 9 9"/>'.encode()
        ).decode()
        style = f"shape=image;imageAspect=0;image=data:image/svg+xml,{data};"
        (picture,) = etree.fromstring(drawing(vertex("a", style, 0, 0))).iter("{*}image")
        return picture.get("preserveAspectRatio") is None

    assert shown('width="120" height="60"') and not shown('width="60" height="60"') and not shown("")


def test_a_waypoint_is_a_dot_of_its_size() -> None:
    path = outline(Box(80, 40, 40, 40), {"shape": "waypoint", "size": "6"}).area
    xs = [float(x) for x in re.findall(r"([\d.]+),", path)]
    assert max(xs) - min(xs) == 6, path


def test_mistakes_are_one_line(space: Space) -> None:
    wrong = {
        "a.drawio": ("<mxfile>\n<diagram>", ":2:10: not XML: "),
        "b.drawio": ("<svg/>", ": this is not a draw.io diagram: it begins with <svg>, not <mxfile>"),
        "c.drawio": (
            '<mxfile><diagram name="x">!!</diagram></mxfile>',
            ":1: page 'x' cannot be read; save the file",
        ),
        "d.drawio": (mxfile(model()), ":1: page 'Page-1' is empty; draw something, and save it again"),
        "e.drawio": (
            "<mxlibrary>[]</mxlibrary>",
            ": this is a library of shapes; draw with it, and save the diagram",
        ),
    }
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
            paths = outline(box, {"shape": name})
            assert "nan" not in paths.area + paths.lines and "inf" not in paths.area + paths.lines


def test_what_an_author_typed_becomes_well_formed() -> None:
    html, lines = cleaned("<b>a<i>b</b>c<script>x()</script><img src=y onerror=z> &lt;d&gt;&nbsp;", True)
    assert html == "<b>a<i>b</i></b>c &lt;d&gt;\xa0" and lines == ("abc <d>",)
    assert cleaned("a <b>\nc", False) == ("a &lt;b&gt;<br/>c", ("a <b>", "c"))


def test_an_export_beside_a_refused_source_is_taken_if_it_shows_the_same_page(space: Space) -> None:
    def export(page: str) -> str:
        shapes = "<text x='5' y='20'>Lambda</text><rect x='1' y='1' width='70' height='30' fill='none' stroke='#000'/>"
        head_ = f'<svg xmlns="http://www.w3.org/2000/svg" width="90" height="40" content="{escape(mxfile(page))}">'
        return f"{head_}{shapes}</svg>"

    other = export(ICON.replace("Lambda", "Other"))
    exports = {"a": export(ICON.replace("><", ">\n  <")), "b": other, "c": other, "d": "<svg"}
    for name, beside in exports.items():
        space.write({f"visuals/{name}.drawio": ICON, f"visuals/{name}.drawio.svg": beside})
        space.question(name, f"source: {name}.drawio, alt: a function, expect: {{nodes: 1, text: [Lambda]}}")
    space.write({"visuals/c.svg": export(ICON)})  # what `drawio -x` writes
    told = "('mxgraph.aws4.lambda'); visuals/{}.drawio.svg shows another version" + WAY_OUT

    def refused() -> list[str]:
        said = space.run().err
        return [name for name in exports if told.format(name) in said]

    assert refused() == ["b", "d"]
    assert all("<rect" in space.read(f"build/global/{name}.svg") for name in "ac")
    space.write({"visuals/a.drawio.svg": other})
    (space.root / "visuals/c.svg").unlink()
    assert refused() == ["a", "b", "c", "d"]
