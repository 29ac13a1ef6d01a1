"""Drawings in characters: shapes in the palette, words in the book's monospaced font that fit their cells."""

from __future__ import annotations

import pytest
from helpers.book import Space
from lxml import etree

from figmill import font_metrics
from figmill_kinds.svgbob import renderer as svgbob
from figmill_kinds.svgbob import text as svgbob_text

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


@pytest.mark.parametrize(
    "again", [("--id", "a"), pytest.param((), marks=pytest.mark.soak)], ids=["one", "all"]
)
def test_drawings_become_shapes_and_words_that_fit(space: Space, again: tuple[str, ...]) -> None:
    space.write({"visuals/a.bob": BOXES, "visuals/b.svgbob": FACES})
    space.question("a", "source: a.bob, alt: Three boxes").question("b", "source: b.svgbob, alt: Some shapes")
    done = space.run()
    assert (done.code, done.err) == (0, "")
    light, dark = space.read("build/global/a.svg"), space.read("build/global/a.dark.svg")
    assert all(colour in light for colour in ("#cfe2f3", "#f9d6d5", "#ffefd5"))
    assert all(colour in dark for colour in ("#1d3b56", "#562220"))
    root = etree.fromstring(light.encode())
    texts = {"".join(node.itertext()): node for node in root.iter("{*}text")}
    size = float(str(texts["MWiljM"].get("font-size")))
    assert abs(font_metrics.measure("M", size, mono=True) - svgbob_text.CELL) < 0.01
    assert "{compute}" not in light
    first = space.outputs()
    assert space.run("--force", *again).code == 0 and space.outputs() == first


WORDS = """
 +---------------+
 | cafe\u0301 à la carte |
 | L’été–où—é     |
 +---------------+
 | \u26d1\ufe0f Helm 文件ok |
 | \U0001f469\u200d\U0001f4bb "ü | ü"    |
 +---------------+
"""


def test_words_beyond_ascii_stay_in_their_cells(space: Space) -> None:
    plain = "\n".join(svgbob_text.stand_ins(svgbob_text.cells(line)) for line in WORDS.split("\n"))
    space.write({"visuals/a.bob": WORDS, "visuals/ascii.bob": plain})
    space.question("a", "source: a.bob, alt: A box of words")
    space.question("ascii", "source: ascii.bob, alt: The same box with other letters")
    assert space.run().code == 0
    root = etree.fromstring(space.read("build/global/a.svg").encode())
    places = {
        "".join(node.itertext()): (float(node.get("x")), float(node.get("y")))
        for node in root.iter("{*}text")
    }
    origin = places["cafe\u0301"][0] - 8 * 3
    at = {word: ((x - origin) / 8, y) for word, (x, y) in places.items()}
    for word, column in (
        ("à", 8),
        ("la", 10),
        ("carte", 13),
        ("L’été", 3),
        ("Helm", 5),
        ("文", 10),
        ("件", 12),
        ("ok", 14),
        ("\U0001f469\u200d\U0001f4bb", 3),
        ("ü | ü", 6),
    ):
        assert at[word][0] == pytest.approx(column), (word, at)
    # the lines are those of a drawing that has as many ASCII letters
    drawn, plain = (lines_of(space.read(f"build/global/{name}.svg")) for name in ("a", "ascii"))
    assert drawn == plain and len(drawn) > 4


def lines_of(drawing: str) -> list[tuple[str, ...]]:
    nodes = etree.fromstring(drawing.encode()).iter("{*}line", "{*}path", "{*}rect")
    return [
        tuple(str(node.get(name)) for name in ("x1", "y1", "x2", "y2", "d", "x", "width")) for node in nodes
    ]


def test_cells_of_a_line() -> None:
    assert svgbob_text.cells("e\u0301文{é}") == ["e\u0301", "文", "", "{", "é", "}"]
    assert svgbob_text.cells(" \u0361°") == ["\u00a0\u0361", "°"]
    assert svgbob_text.stand_ins(svgbob_text.cells("é-→ ─’x’s")) == "w-w ─’xws"
    plain = '<text x="2" y="12" >a &lt; b</text>'
    assert svgbob_text.put_back(plain, [svgbob_text.cells("a < b")]) == plain


def test_what_is_no_drawing_is_told(space: Space) -> None:
    space.write({"visuals/a.bob": " \n", "visuals/b.bob": b"\xff"})
    space.question("a", "source: a.bob, alt: xxx").question("b", "source: b.bob, alt: xxx")
    err = space.run().err
    assert "visuals/a.bob:1: the file is empty; draw a box" in err and "visuals/b.bob:1: not UTF-8" in err


def test_a_role_that_the_legend_defines_is_the_sources() -> None:
    assert svgbob.style({}, "|{data}| |{error}|\n# Legend:\ndata = {\n fill: red;\n}\n").count("{") == 1
    assert svgbob.style({"hot": ("#fff", "#000")}, "{hot}") == ".svgbob .hot { fill: #fff; stroke: #000; }\n"


def test_arrowheads_have_one_size_in_every_direction(space: Space) -> None:
    space.write({"visuals/a.bob": "  ^\n  |  <---\n  |\n  v  --->\n"})
    space.question("a", "source: a.bob, alt: Four arrows").run()
    root = etree.fromstring(space.read("build/global/a.svg").encode())
    heads = []
    for polygon in root.iter("{*}polygon"):
        points = [point.split(",") for point in str(polygon.get("points")).split()]
        across, down = ([float(point[axis]) for point in points] for axis in (0, 1))
        heads.append((max(across) - min(across), max(down) - min(down)))
    assert heads == [(8, 8)] * 4
