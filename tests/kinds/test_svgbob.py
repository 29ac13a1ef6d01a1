"""Drawings in characters: shapes in the palette, words in the book's monospaced font that fit their cells."""

from __future__ import annotations

import pytest
from helpers.book import Space
from lxml import etree

from figmill import font_metrics
from figmill.kinds import svgbob

pytest.importorskip("sphinxcontrib.svgbob")

BOXES = """
 +----------+   .---------.    +---------+   "quoted | words at the end"
 |{compute} |   | {mine}  |    | {error} |
 | Worker   |   | Cache   | -> | MWiljM  |
 +----------+   '---------'    +---------+
\ttab  <---->  o---*  ====  (round)
 ┌────┐  ╔═══╗  ╭──╮
 │ ut │  ║ d ║  │  │
 └────┘  ╚═══╝  ╰──╯
# Legend:
mine = {
    fill: papayawhip;
}
"""
FACES = "      .-.\n     (o o)    /\\\n      '-'    /__\\  ~~~>  V\n   ----+----      |  #--->\n"


def test_drawings_become_shapes_and_words_that_fit(space: Space) -> None:
    space.write({"visuals/a.bob": BOXES, "visuals/b.svgbob": FACES})
    space.question("a", "source: a.bob, alt: Three boxes").question("b", "source: b.svgbob, alt: Some shapes")
    done = space.run()
    assert (done.code, done.err) == (0, "")
    light, dark = space.read("build/global/a.svg"), space.read("build/global/a.dark.svg")
    assert all(colour in light for colour in ("#cfe2f3", "#f9d6d5", "#ffefd5"))
    assert all(colour in dark for colour in ("#1d3b56", "#562220"))
    root = etree.fromstring(light.encode())
    words = {"".join(node.itertext()): node for node in root.iter("{*}text")}
    size = float(str(words["MWiljM"].get("font-size")))
    assert abs(font_metrics.measure("M", size, mono=True) - svgbob.CELL) < 0.01
    assert "{compute}" not in light
    first = space.outputs()
    assert space.run("--force").code == 0 and space.outputs() == first


def test_what_is_no_drawing_is_told(space: Space) -> None:
    space.write({"visuals/a.bob": " \n", "visuals/b.bob": b"\xff"})
    space.question("a", "source: a.bob, alt: xxx").question("b", "source: b.bob, alt: xxx")
    err = space.run().err
    assert "visuals/a.bob:1: the file is empty; draw a box" in err and "visuals/b.bob: not UTF-8" in err


def test_a_role_that_the_legend_defines_is_the_sources() -> None:
    assert svgbob.style({}, "|{data}| |{error}|\n# Legend:\ndata = {\n fill: red;\n}\n").count("{") == 1
    assert svgbob.style({"hot": ("#fff", "#000")}, "{hot}") == ".svgbob .hot { fill: #fff; stroke: #000; }\n"
