"""Diagrams of draw.io: the export beside a source, its pages, facts and words; mistakes in one line."""

from __future__ import annotations

import base64
import json
import zlib
from pathlib import Path
from urllib.parse import quote

import pytest
from helpers.book import Space
from helpers.kind_sources import exported

from figmill.kinds import kind_of_name
from figmill_kinds.drawio.files import pages
from figmill_kinds.drawio.labels import text_of
from figmill_kinds.drawio.model import Box, Connector, Shape, read

ROOT = '<mxCell id="0"/><mxCell id="1" parent="0"/>'


def vertex(name: str, style: str, x: int, y: int, label: str = "", parent: str = "1", more: str = "") -> str:
    place = f'<mxGeometry x="{x}" y="{y}" width="120" height="60" as="geometry"/>'
    return f'<mxCell id="{name}" value="{label}" style="{style}" vertex="1" parent="{parent}" {more}>{place}</mxCell>'


def edge(name: str, ends: str, style: str = "edgeStyle=orthogonalEdgeStyle;html=1;", label: str = "") -> str:
    place = '<mxGeometry relative="1" as="geometry"/>'
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


RICH = "&lt;b&gt;Web&lt;/b&gt;&lt;br&gt;server &amp;amp; cache"
PAGE = model(
    vertex("a", "rounded=1;whiteSpace=wrap;html=1;fillColor=#dae8fc;strokeColor=#6c8ebf;", 0, 0, RICH),
    vertex("b", "shape=cylinder3;whiteSpace=wrap;html=1;size=15;", 240, 100, "Store"),
    vertex("hidden", "html=1;", 900, 900, "nobody sees this", more='visible="0"'),
    vertex("word", "text;html=1;", 400, 0, "a remark"),
    edge("e", 'source="a" target="b"', label="30 ms"),
)
LAMBDA = model(vertex("fn", "shape=mxgraph.aws4.lambda;html=1;fillColor=#ed7100;", 0, 0, "Lambda"))
CHANGED = LAMBDA.replace("Lambda", "Function")


def of_lambda(content: str) -> str:
    return exported(content, "Lambda", cells=("fn",))


# How a file and a copy may be written: the file, its suffix, and the `content` of the export.
FORMS = {
    "plain": (mxfile(LAMBDA), ".drawio", mxfile(LAMBDA)),
    "bare": (LAMBDA, ".drawio.xml", mxfile(LAMBDA.replace("><", ">\n  <"))),
    "packed": (f'<mxfile><diagram name="x">{packed(LAMBDA)}</diagram></mxfile>', ".dio", LAMBDA),
    "quoted": (mxfile(LAMBDA), ".drawio", quote(mxfile(LAMBDA))),
    "both": (mxfile(LAMBDA), ".drawio", quote(f"<mxfile><diagram>{packed(LAMBDA)}</diagram></mxfile>")),
}


@pytest.mark.parametrize("beside", [".drawio.svg", ".svg"])
def test_the_export_beside_a_source_is_its_picture(space: Space, beside: str) -> None:
    for name, (source, suffix, content) in FORMS.items():
        space.write(
            {f"visuals/{name}{suffix}": source, f"visuals/{name}{beside}": of_lambda(content)}
        ).question(
            name, f"source: {name}{suffix}, alt: a function, expect: {{nodes: 1, edges: 0, text: [Lambda]}}"
        )
    done = space.run()
    assert done.code == 0, done.err
    for name in FORMS:
        assert "Lambda" in space.read(f"build/global/{name}.svg")


def test_it_is_the_same_drawing_as_the_export_alone(space: Space) -> None:
    text = of_lambda(mxfile(LAMBDA))
    space.write({"visuals/a.drawio": LAMBDA, "visuals/a.svg": text, "visuals/b.svg": text})
    space.question("a", "source: a.drawio, alt: a function").question("b", "source: b.svg, alt: a function")
    done = space.run()
    assert done.code == 0, done.err
    a, b = (space.read(f"build/global/{name}.svg") for name in "ab")
    assert a.replace('"a-', '"b-').replace("#a-", "#b-").replace(" a-", " b-") == b


def test_facts_and_a_table_come_from_the_source(space: Space) -> None:
    space.write(
        {"visuals/a.drawio": mxfile(PAGE), "visuals/a.svg": exported(mxfile(PAGE), "Web server", "Store")}
    )
    space.question(
        "a", "source: a.drawio, alt: '{web_server_cache_to_store_ms:si}', expect: {nodes: 2, edges: 1}"
    )
    done = space.run()
    assert done.code == 0, done.err
    (row,) = json.loads(space.read("build/manifest.json"))["figures"]
    assert row["facts"]["page"] == "Page-1" and row["facts"]["pages"] == 1


def test_a_source_without_its_export_says_how_to_make_it(space: Space) -> None:
    space.write({"visuals/a b.drawio": mxfile(PAGE, LAMBDA)})
    space.question("a", "source: a b.drawio, alt: a page")
    space.question("b", "source: a b.drawio, figure: Page-2, alt: a page")
    done = space.run()
    told = "visuals/a b.drawio: figmill does not draw diagrams of draw.io itself; export this one beside it: "
    assert done.code == 1
    assert f"{told}`drawio -x -f svg -e 'visuals/a b.drawio'`" in done.err, done.err
    assert f"{told}`drawio -x -f svg -e -p 2 'visuals/a b.drawio'`" in done.err, done.err


AGAIN = "export it again: `drawio -x -f svg -e visuals/{}.drawio`"


def test_an_export_that_may_show_another_version_is_not_taken(space: Space) -> None:
    exports = {
        "old": (of_lambda(mxfile(CHANGED)), f"is older than this file: its cells are others; {AGAIN}"),
        "bare": (
            of_lambda("").replace('content=""', ""),
            f"contains no copy of the diagram to compare; {AGAIN}",
        ),
        "torn": ("<svg", f"contains no copy of the diagram to compare; {AGAIN}"),
    }
    for name, (text, _) in exports.items():
        space.write({f"visuals/{name}.drawio": mxfile(LAMBDA), f"visuals/{name}.drawio.svg": text})
        space.question(name, f"source: {name}.drawio, alt: a function")
    done = space.run()
    assert done.code == 1
    for name, (_, reason) in exports.items():
        assert f"visuals/{name}.drawio: visuals/{name}.drawio.svg {reason.format(name)}" in done.err, done.err
    for name in exports:  # what `drawio -x` writes, beside the old one
        space.write({f"visuals/{name}.svg": of_lambda(mxfile(LAMBDA))})
    assert space.run().code == 0
    space.write({"visuals/old.drawio": mxfile(CHANGED.replace("0", "00"))})
    assert "visuals/old.drawio: visuals/old.drawio.svg is older than this file" in space.run().err


def test_an_export_that_is_a_link_out_of_the_book_is_none(space: Space, tmp_path: Path) -> None:
    (tmp_path / "secret.svg").write_text(of_lambda(mxfile(LAMBDA)))
    space.write({"visuals/a.drawio": mxfile(LAMBDA)}).question("a", "source: a.drawio, alt: a function")
    (space.root / "visuals/a.svg").symlink_to(tmp_path / "secret.svg")
    done = space.run()
    assert done.code == 1 and "visuals/a.drawio: figmill does not draw diagrams of draw.io itself" in done.err


def test_an_export_shows_the_page_whose_cells_it_has(space: Space) -> None:
    both = mxfile(PAGE, LAMBDA)
    space.write({"visuals/a.drawio": both, "visuals/a.svg": of_lambda(both)})
    space.question("a", "source: a.drawio, figure: 2, alt: a function, expect: {nodes: 1, text: [Lambda]}")
    assert space.run().code == 0
    space.question("a", "source: a.drawio, alt: the first page")
    told = "visuals/a.svg shows page 'Page-2', not 'Page-1'; export that one: `drawio -x -f svg -e visuals/a.drawio`"
    assert told in space.run().err
    first = exported(both, "Web server", "Store", cells=("a", "b"))
    space.write({"visuals/a.drawio.svg": first})
    done = space.run()
    assert done.code == 0, done.err
    assert "the first of 2 pages is shown; `figure: 2` shows the second [dropped]" in done.err


def test_an_export_of_several_pages_without_ids_may_show_any(space: Space) -> None:
    both = mxfile(PAGE, LAMBDA)
    space.write({"visuals/a.drawio": both, "visuals/a.svg": exported(both, "Lambda")})
    space.question("a", "source: a.drawio, alt: a page")
    assert f"visuals/a.svg does not say which of its 2 pages it shows; {AGAIN.format('a')}" in space.run().err
    space.write({"visuals/a.svg": exported(mxfile(PAGE), "Web server", "Store")})
    assert space.run().code == 0


def test_mistakes_are_one_line(space: Space) -> None:
    wrong = {
        "a.drawio": ("<mxfile>\n<diagram>", ":2:10: not XML: "),
        "b.drawio": ("<svg/>", ": this is not a draw.io diagram: it begins with <svg>, not <mxfile>"),
        "c.drawio": (
            '<mxfile><diagram name="x">!!</diagram></mxfile>',
            ":1: page 'x' cannot be read; save the file",
        ),
        "e.drawio": (
            "<mxlibrary>[]</mxlibrary>",
            ": this is a library of shapes; draw with it, and save the diagram",
        ),
    }
    for name, (text, _) in wrong.items():
        space.write({f"visuals/{name}": text})
        space.question(name[0], f"source: {name}, alt: A diagram with a mistake")
    space.write({"visuals/g.drawio": mxfile(LAMBDA), "visuals/h.typ": "= Title"})
    space.question("g", "source: g.drawio, figure: Pag-1, alt: A page with a wrong name")
    space.question("h", "source: h.typ, alt: A page of Typst")
    done = space.run()
    told = [f"visuals/{name}{text}" for name, (_, text) in wrong.items()] + [
        "visuals/g.drawio: has no page 'Pag-1'; did you mean 'Page-1'?",
        "figmill cannot draw 'h.typ'; save its picture as SVG with `typst compile --format svg`, and name the SVG",
    ]
    assert done.code == 1 and [line for line in told if line not in done.err] == [], done.err


def test_exports_are_pictures_and_drawings_of_their_own() -> None:
    names = {"x.drawio": "drawio", "x.dio": "drawio", "x.drawio.png": "picture", "x.drawio.svg": "svg"}
    assert {name: kind_of_name(name) for name in names} == names


def test_a_diagram_in_a_page_stays_a_block_of_code(space: Space) -> None:
    space.write({"docs/page.md": f"# Page\n\n```drawio\n{mxfile(LAMBDA)}\n```\n"})
    assert "drawio" not in space.run().err


def cells(*given: str) -> tuple[Shape | Connector, ...]:
    return read(pages(model(*given).encode(), "x")[0], "x")


def test_cells_have_their_place_on_the_page_and_what_is_hidden_is_left_out() -> None:
    holder = vertex("a", "swimlane;html=1;", 100, 50, more='collapsed="0"')
    inner = vertex("b", "ellipse;", 10, 20, "in it", "a")
    shapes = {cell.id: cell for cell in cells(holder, inner) if isinstance(cell, Shape)}
    assert shapes["b"].box == Box(110, 70, 120, 60)
    assert [shapes[name].form for name in "ab"] == ["swimlane", "ellipse"]
    closed = cells(holder.replace('collapsed="0"', 'collapsed="1"'), inner)
    assert [cell.id for cell in closed] == ["a"]
    inside_each_other = vertex("c", "", 0, 0, parent="d") + vertex("d", "", 0, 0, parent="c")
    assert cells(inside_each_other) == ()


def test_a_connector_with_a_head_at_its_start_alone_points_there() -> None:
    (line,) = cells(edge("e", 'source="a" target="b"', "startArrow=classic;endArrow=none;"))
    assert line == Connector("e", "", "b", "a")


def test_a_label_has_the_words_that_readers_see() -> None:
    hidden = '<span style="color: rgba(0, 0, 0, 0); font-size: 0px;">%3Cmx</span>read'
    labels = {
        "<b>a<i>b</b>c<script>x()</script><img src=y onerror=z> &lt;d&gt;&nbsp;": "abc <d>",
        "<p>one</p><p>two<br>three</p>": "one two three",
        hidden: "read",
    }
    assert {label: text_of(label, is_html=True) for label in labels} == labels
    assert text_of("a <b>\nc", is_html=False) == "a <b> c"
    inner = vertex("a", "html=1;", 0, 0).replace('id="a" value=""', "")
    (shape,) = cells(f'<object label="%who% asks" who="Ann" placeholders="1" id="o">{inner}</object>')
    assert shape.label == "Ann asks"
