"""The room for a line of text, held against fontTools' reading of the same fonts, and against what Graphviz draws."""

from __future__ import annotations

import math
import re
from pathlib import Path

import pytest
from fontTools.fontBuilder import FontBuilder
from fontTools.pens.ttGlyphPen import TTGlyphPen
from fontTools.ttLib import TTFont
from lxml import etree

from figmill import font_metrics
from figmill.errors import ToolError
from figmill.kind import typefaces
from figmill.kinds import dot, dot_lexer
from figmill.kinds.graphs import anchors, room, text_plugin

WORDS = "Reader & layout: 12.5 ms, AVA To"
FONTS = {
    "Helvetica": ("Arimo-Regular.ttf", 1.06),
    "Times-Bold": ("Arimo-Bold.ttf", 1.1),
    "Arial Italic": ("Arimo-Italic.ttf", 1.06),
    "Helvetica-BoldOblique": ("Arimo-BoldItalic.ttf", 1.1),
    "Courier": ("DejaVuSansMono.ttf", 1.0),
    "Menlo Bold": ("DejaVuSansMono-Bold.ttf", 1.0),
}


def opened(face: str) -> TTFont:
    return TTFont((typefaces.FOLDER if face.startswith("Arimo") else font_metrics.matplotlib_folder()) / face)


@pytest.mark.parametrize("name", FONTS)
@pytest.mark.parametrize("size", [7, 10.5, 14, 100])
def test_a_line_is_as_wide_as_its_glyphs_and_a_little_more(name: str, size: float) -> None:
    face, wider = FONTS[name]
    font = opened(face)
    glyphs, named, em = font.getGlyphSet(), font.getBestCmap(), font["head"].unitsPerEm
    expected = wider * size * sum(glyphs[named[ord(letter)]].width for letter in WORDS) / em
    found = room.of(WORDS.encode(), name.encode(), size)
    assert expected - 1e-6 <= found.width < expected + 0.25
    assert (4 * found.width).is_integer()


@pytest.mark.parametrize("name", FONTS)
def test_a_line_is_as_high_as_its_font(name: str) -> None:
    """In whole pixels at 96 dpi, above the baseline and below."""
    font = opened(FONTS[name][0])
    ascent, descent = font["hhea"].ascent, font["hhea"].descent
    above, below = (math.ceil(part * 14 * 96 / 72 / font["head"].unitsPerEm) for part in (ascent, -descent))
    found = room.of(b"x", name.encode(), 14)
    assert (found.baseline, found.height) == (above * 72 / 96, (above + below) * 72 / 96)


def test_the_flags_of_an_html_like_label_choose_the_face() -> None:
    for flags, name in ((1, "Helvetica-Bold"), (2, "Helvetica-Oblique"), (3, "Helvetica-BoldOblique")):
        assert room.of(WORDS.encode(), b"Arial", 14, flags) == room.of(WORDS.encode(), name.encode(), 14)
    for flags in (4, 8, 16, 32, 64):  # underlined, raised, lowered, struck out, overlined
        assert room.of(WORDS.encode(), b"Arial", 14, flags) == room.of(WORDS.encode(), b"Arial", 14)


def test_bytes_that_are_no_text_have_a_width() -> None:
    assert room.of(b"\xff\xfe", b"\xff", 14).width > 0
    assert room.of(b"", b"", 14).width == 0


def own_font(path: Path) -> Path:
    """A font that has one character, a third of an em wide, which the shipped fonts lack."""
    builder = FontBuilder(900)
    builder.setupGlyphOrder([".notdef", "middle"])
    builder.setupCharacterMap({ord("\u4e2d"): "middle"})
    builder.setupGlyf({name: TTGlyphPen(None).glyph() for name in (".notdef", "middle")})
    builder.setupHorizontalMetrics({".notdef": (900, 0), "middle": (300, 0)})
    builder.setupHorizontalHeader(ascent=800, descent=-200)
    builder.setupPost()
    builder.save(path)
    return path


def test_characters_of_the_books_own_fonts_are_measured_in_them(tmp_path: Path) -> None:
    text = "\u4e2d" * 30
    without = room.of(text.encode(), b"Helvetica", 12).width
    within = room.of(text.encode(), b"Helvetica", 12, 0, (str(own_font(tmp_path / "own.ttf")),)).width
    assert without == pytest.approx(30 * 12 * 1.06, abs=0.25)  # as wide as high
    assert within == pytest.approx(30 * 12 / 3 * 1.06, abs=0.25)


def test_graphviz_lays_out_with_these_numbers(tmp_path: Path) -> None:
    """In a box without margins the words stand in the middle; a table holds them with its own space around."""
    font = str(own_font(tmp_path / "own.ttf"))
    text_plugin.use([font])
    try:
        dot.warm([font])
        for label, name in (
            (WORDS, "Times-Bold"),
            ("\u4e2d\u4e2d and more", "Helvetica"),
            ("f(x)", "Courier"),
        ):
            wanted = room.of(label.encode(), name.encode(), 40, 0, (font,))
            svg = dot._layout(
                f'graph {{ a [shape=box margin=0 fontsize=40 fontname="{name}" label="{label}"] }}', "dot"
            ).svg.decode()
            found = re.search(r'<text[^>]* x="([\d.]+)"', svg)
            assert found and 2 * float(found[1]) == pytest.approx(wanted.width, abs=0.02)
    finally:
        text_plugin.use([])


def test_an_error_while_measuring_ends_the_layout(monkeypatch: pytest.MonkeyPatch) -> None:
    dot.warm([])

    def fails(*_: object) -> room.Room:
        raise MemoryError

    monkeypatch.setattr(text_plugin, "_measured", fails)
    with dot.Stderr(), pytest.raises(MemoryError):
        dot._layout("graph { a }", "dot")


def test_a_graphviz_that_lays_out_otherwise_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """As one whose structures are others would."""
    monkeypatch.setattr(text_plugin, "_measured", lambda *_: room.Room(40.0, 10.0, 8.0, 1.0, 40.0))
    with pytest.raises(ToolError, match=r"wide instead of 1167: figmill does not know this Graphviz"):
        dot.warm([])


@pytest.mark.parametrize("value", ["nan", '"-NAN"', '"inf"', '" infinity"'])
def test_a_size_that_is_no_number_is_an_error(value: str) -> None:
    """Graphviz would give it to fonts of later figures in the same process."""
    (breach,) = dot_lexer.breaches(f"graph {{ a\n b [fontsize={value}] }}")
    assert breach.line == 2
    assert breach.message.startswith("fontsize is a number of points, not '")


LABELS = {
    "centred": ("<b>x</b><br/>longer line", ["middle", "middle"]),
    "runs": ("one <i>two</i> three<br/>u", ["start", "start", "start", "middle"]),
    "by its break": ('left<br align="left"/>right<br align="right"/>longer line', ["start", "end", "middle"]),
    "in a cell": (
        '<table><tr><td align="left">a</td><td>b</td><td align="right">c</td></tr></table>',
        ["start", "middle", "end"],
    ),
    "in cells of several lines": (
        '<table><tr><td balign="left">a<br/>longer line<br/></td></tr><tr><td>b<br/>c</td></tr></table>',
        ["start", "start", "middle", "middle"],
    ),
    "a table in a cell": (
        '<table><tr><td><table><tr><td align="left">a</td></tr></table></td><td>b &amp; c&nbsp;d</td></tr></table>',
        ["start", "middle"],
    ),
}


@pytest.mark.parametrize("name", LABELS)
def test_a_line_of_a_label_is_anchored_where_the_label_says(name: str) -> None:
    label, anchors_ = LABELS[name]
    with dot.Stderr():
        laid = dot._layout(f'digraph {{ a [shape=plain, label=<{label}>]; b [label="plain\\l"] }}', "dot")
    drawing = etree.fromstring(anchors.anchored(laid.svg, laid.json))
    *texts, plain = drawing.iter("{*}text")
    assert [text.get("text-anchor") for text in texts] == anchors_
    assert plain.get("text-anchor") == "start"


def test_labels_of_the_same_words_that_are_aligned_in_two_ways_stay_as_they_are() -> None:
    text = 'digraph { a [label=<x<br/>words>]; b [label=<x<br align="left"/>words>]; c [label=<y>] }'
    with dot.Stderr():
        laid = dot._layout(text, "dot")
    drawing = etree.fromstring(anchors.anchored(laid.svg, laid.json))
    assert [text.get("text-anchor") for text in drawing.iter("{*}text")] == [*["start"] * 4, "middle"]
