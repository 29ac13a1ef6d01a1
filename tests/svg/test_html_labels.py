"""Labels in HTML become text: which words, on which lines, in which looks; and nothing else comes through."""

from __future__ import annotations

import re
import time
from itertools import pairwise
from xml.sax.saxutils import escape

import pytest
from helpers import exported
from helpers.cases import cases
from helpers.examples import examples
from helpers.exported import SVG, XHTML
from hypothesis import example
from hypothesis import strategies as st
from lxml import etree

from figmill.font_metrics import measure
from figmill.svg import Sheet, SvgError, in_themes, normalise

SHEET = Sheet("fig", "Title", "What it shows")
LONG = "Words that are set in lines, as many as it takes to hold them all"


def label(html: str, style: str = "", size: tuple[int, int] = (100, 200), rules: str = "") -> bytes:
    return (
        f'<svg {SVG} viewBox="0 0 300 300"><style>{rules}</style><foreignObject x="20" y="30" width="{size[0]}" '
        f'height="{size[1]}"><div {XHTML} class="a" style="font: 10px/1.5 Arial; {style}">{html}</div>'
        "</foreignObject></svg>"
    ).encode()


def texts(data: bytes) -> list[etree._Element]:
    root = etree.fromstring(normalise(data, SHEET).svg)
    return list(root.iter("{http://www.w3.org/2000/svg}text"))


def lines(data: bytes) -> list[str]:
    return list(normalise(data, SHEET).texts)


RED, BLUE = "color: #c00; fill: #c00", "color: #00c; fill: #00c"


@pytest.mark.parametrize(
    ("rules", "fill"),
    [
        (f".a {{ {RED} }}", "#cc0000"),
        ("@media all {" * 8 + f".a {{ {RED} }}" + "}" * 8, "#cc0000"),
        (f".a:dir(ltr) {{ {RED} }}", "#cc0000"),
        (f".a:empty {{ {RED} }}", "#000000"),
        (f".a:hover {{ {RED} }}", "#000000"),
        (f".a {{ {RED} }} .a:-webkit-drag, .a {{ {BLUE} }}", "#0000cc"),
    ],
)
def test_a_rule_holds_for_labels_where_it_holds_for_shapes(rules: str, fill: str) -> None:
    """One reader of style sheets and one matching of selectors serve both."""
    data = label("word", rules=rules).replace(b"</svg>", b'<text class="a" y="9">word</text></svg>')
    assert [text.get("fill", "#000000") for text in texts(data)] == [fill, fill]


def test_words_are_wrapped_at_the_width_of_their_box() -> None:
    rows = lines(label(LONG))
    assert " ".join(rows) == LONG
    assert max(measure(line, 10) for line in rows) <= 100
    following = [word.split()[0] for word in rows[1:]]
    assert all(measure(f"{line} {word}", 10) > 100 for line, word in zip(rows[:-1], following, strict=True))


@pytest.mark.parametrize(
    ("align", "x", "anchor"), [("left", "20", None), ("center", "70", "middle"), ("right", "120", "end")]
)
def test_lines_stand_as_their_text_is_aligned(align: str, x: str, anchor: str | None) -> None:
    for text in texts(label(LONG, f"text-align: {align}")):
        assert (text.get("x"), text.get("text-anchor")) == (x, anchor)


def test_lines_are_as_far_apart_as_their_line_height_says() -> None:
    heights = [float(text.get("y", "")) for text in texts(label("one<br/>two<br/><br/>four"))]
    assert [round(below - above, 3) for above, below in pairwise(heights)] == [15, 30]
    assert heights[0] == 30 + 2 + 9  # half of the leading in whole px, and Arimo's ascent


SPACES = {
    "white-space: normal": ("a\n  b   c", ["a b c"]),
    "white-space: nowrap": (LONG, [LONG]),
    "white-space: pre": ("a\n  b", ["a", "b"]),
    "white-space: pre-line": ("a\n  b  c", ["a", "b c"]),
    "text-transform: uppercase": ("a b", ["A B"]),
    "overflow-wrap: anywhere; width: 20px": ("abcdefgh", ["abc", "defg", "h"]),
    "width: 30px": ("well-known", ["well-", "known"]),
    "display: none": ("a", []),
    "visibility: hidden": ("a", []),
}


@cases("style", SPACES)
def test_what_css_says_of_words_holds(style: str) -> None:
    html, expected = SPACES[style]
    assert lines(label(html, style)) == expected


LOOKS = {
    "<b>a</b>": {"font-weight": "bold"},
    "<strong>a</strong>": {"font-weight": "bold"},
    "<i>a</i>": {"font-style": "italic"},
    "<em>a</em>": {"font-style": "italic"},
    "<u>a</u>": {"text-decoration": "underline"},
    "<s>a</s>": {"text-decoration": "line-through"},
    '<font color="#0a0">a</font>': {"fill": "#00aa00"},
    '<font size="5">a</font>': {"font-size": "24"},
    '<span style="color: rgb(1 2 3 / 50%)">a</span>': {"fill": "rgba(1, 2, 3, 0.5)"},
    '<span style="color: color-mix(in srgb, #fff, #000)">a</span>': {"fill": "#808080"},
    '<span style="--ink: #123; color: var(--ink)">a</span>': {"fill": "#112233"},
    '<span style="color: var(--no, #abc)">a</span>': {"fill": "#aabbcc"},
    '<span class="b">a</span>': {"fill": "#cc0000", "font-size": "15"},
    "<h1>a</h1>": {"font-size": "20", "font-weight": "bold"},
    "<small>a</small>": {"font-size": "8.333"},
    "<code>a</code>": {"font-family": "SFMono-Regular, Menlo, Consolas, monospace"},
}


@cases("html", LOOKS)
def test_what_html_says_of_looks_holds(html: str) -> None:
    (text,) = texts(label(html, rules=".a > .b { color: #c00; font-size: 1.5em } .b .b { color: #00f }"))
    assert {name: text.get(name) for name in LOOKS[html]} == LOOKS[html]


def test_a_superscript_is_raised_and_what_follows_is_not() -> None:
    (text,) = texts(label("x<sup>2</sup>+1"))
    raised, back = (float(part.get("dy", "")) for part in text)
    assert "".join(text.itertext()) == "x2+1"
    assert raised == pytest.approx(-(10 / 3 + 1), abs=0.001) and back == -raised


def test_a_list_has_its_marks() -> None:
    data = label('<ol start="9"><li>nine</li><li>ten</li></ol><ul><li>one</li></ul>')
    assert lines(data) == ["9.", "nine", "10.", "ten", "one"]
    assert normalise(data, SHEET).svg.count(b"<circle") == 1


def test_a_background_and_a_border_are_drawn() -> None:
    result = normalise(
        label("a", "background: #fee; border: 2px solid #c00; width: 50px; padding: 3px"), SHEET
    ).svg
    assert b'<rect x="20" y="30" width="60" height="25" fill="#ffeeee"/>' in result
    assert (
        b'<rect x="21" y="31" width="58" height="23" fill="none" stroke="#cc0000" stroke-width="2"/>'
        in result
    )


def test_a_link_stays_one() -> None:
    result = normalise(label('please see <a href="https://e.org/">here</a>'), SHEET).svg
    assert (
        b'<a href="https://e.org/"><tspan fill="#0000ee" text-decoration="underline">here</tspan></a>'
        in result
    )


def test_what_is_said_of_shapes_around_is_not_said_of_words() -> None:
    html = f'<foreignObject width="90" height="20"><p {XHTML}>a</p></foreignObject>'
    around = '<g stroke="#c00" fill="#0c0" font-weight="bold" text-anchor="end">'
    data = f'<svg {SVG} viewBox="0 0 90 90">{around}{html}</g></svg>'
    (text,) = texts(data.encode())
    assert (text.get("fill"), text.get("x"), text.get("font-weight")) == ("#000000", "0", "bold")
    group = text.getparent()
    assert group is not None and (group.get("stroke"), group.get("text-anchor")) == ("none", "start")


def test_the_stubs_of_drawio_are_gone() -> None:
    """Beside each label it writes its first words, and at the end a hint to readers without HTML."""
    result = normalise(exported.DRAWIO, SHEET)
    assert not [text for text in result.texts if "Stub" in text or "not SVG" in text]
    assert b"drawio.com" not in result.svg and b"<switch" not in result.svg
    assert {"A client that waits for", "its answer", "sends", "+ deposit(int): void"} <= set(result.texts)


def test_each_theme_takes_the_colour_that_is_meant_for_it() -> None:
    light, dark = (form.svg for form in in_themes(exported.SCHEMED, SHEET, ("light", "dark")))
    assert b'fill="#000000"' in light and b'fill="#ffffff"' not in light.partition(b"<text")[2]
    assert re.search(rb'<text [^>]*fill="#ffffff"[^>]*>In both themes', dark)


def test_what_is_no_label_is_told_with_what_is_shown() -> None:
    inside = (
        f'<foreignObject width="9" height="9"><div {XHTML}><input/></div></foreignObject><text y="9">a</text>'
    )
    result = normalise(f'<svg {SVG} viewBox="0 0 9 9">\n<switch>{inside}</switch></svg>'.encode(), SHEET)
    assert result.texts == ("a",)
    told = "<foreignObject> is left out because it holds <input>; <switch> shows its other content instead"
    assert (2, told, "left-out") in result.warnings


def test_all_that_is_wrong_with_labels_is_told_at_once() -> None:
    one = f'<foreignObject width="9" height="9"><input {XHTML}/></foreignObject>\n'
    other = f'<foreignObject width="9" height="9"><p {XHTML} onclick="a()">b</p></foreignObject>'
    with pytest.raises(SvgError) as error:
        normalise(f'<svg {SVG} viewBox="0 0 9 9">\n{one}{other}</svg>'.encode(), SHEET)
    told = [refusal.message for refusal in (error.value, *error.value.others)]
    assert "<input>" in told[0] and "event handler" in told[1]


TAGS = st.sampled_from(
    "div p span b i u sub sup code br h1 ul ol li pre font a table tr td hr blockquote center small".split()  # noqa: SIM905
)
STYLES = st.sampled_from(
    [
        "",
        "display: flex; justify-content: center",
        "display: inline-block; width: 50%",
        "display: table-cell; vertical-align: middle",
        "white-space: pre-wrap; text-align: right",
        "margin: -5px auto; padding: 1em 10%; border: 1px dashed red",
        "font-size: 0",
        "font: bold 200%/0 monospace",
        "width: calc(100% - 10px); overflow: hidden; height: 1px",
        "float: left",
        "line-height: 1e9; letter-spacing: -9px",
        "background: #ff08; opacity: .5",
        "--a: var(--b); --b: var(--a); color: var(--a, light-dark(red, blue))",
        'x: "</style><script>"; color: url(https://e.org/); font-size: expression(alert(1))',
    ]
)
WORDS = st.text(st.sampled_from("ab <&>\"' \n\t\u00a0\u00e9\u2192\u4e2d\u200b-"), max_size=12).map(escape)


@st.composite
def html(draw: st.DrawFn, depth: int = 0) -> str:
    tag, style, text = draw(TAGS), draw(STYLES), draw(WORDS)
    inside = "".join(draw(html(depth + 1)) for _ in range(draw(st.integers(0, 3)) if depth < 4 else 0))
    style = escape(style, {'"': "&quot;"})
    return f'<{tag} style="{style}" href="#" color="&quot;&gt;&lt;script">{text}{inside}{draw(WORDS)}</{tag}>'


@examples(50, 600, html(), st.sampled_from(["light", "dark"]))
@example('<span style="font-size: 0">a</span>\xa0', "light")  # a line of nothing but a no-break space
@example('<u style="font-size: 0">a</u><u>\xa0</u>', "dark")
def test_nothing_of_html_is_left_whatever_it_was(inside: str, theme: str) -> None:
    """Words, numbers and colours of ours alone come out, and doing it again changes nothing."""
    sheet = Sheet("fig", "Title", "What it shows", theme=theme)
    try:
        result = normalise(label(inside), sheet).svg
    except SvgError:
        return  # a float, or a link to nowhere
    assert normalise(result, sheet).svg == result
    names = {re.sub("{http://www.w3.org/2000/svg}", "", node.tag) for node in etree.fromstring(result).iter()}
    assert names <= {"svg", "title", "desc", "g", "rect", "line", "circle", "text", "tspan", "a"}
    for trace in (b"xhtml", b" style=", b"url(", b"expression", b"<script", b"class=", b"nan", b"inf"):
        assert trace not in re.sub(rb">[^<]*<", b"><", result)


DOUBLING = "".join(f"--a{n}: var(--a{n + 1}) var(--a{n + 1});" for n in range(30))
MANY = {
    "words": "word " * 3_900,
    "letters without a break": "a" * 19_000,
    "letters that may break anywhere": f'<p style="word-break: break-all">{"a" * 19_000}</p>',
    "blanks": " " * 19_000,
    "inline boxes": "<b>a</b>" * 1_900,
    "blocks": "<p>a</p>" * 1_900,
    "inline blocks in each other": '<span style="display: inline-block">' * 50 + "a" + "</span>" * 50,
    "flex boxes in each other": '<div style="display: flex">' * 50 + "a" + "</div>" * 50,
    "tables in each other": "<table><tr><td>" * 15 + "a" + "</td></tr></table>" * 15,
    "a long style": f'<p style="{"color: red; " * 3_000}">a</p>',
    "variables": f'<p style="{DOUBLING}color: var(--a0)">a</p>',
    "brackets": f'<p style="color: {"(" * 9_000}">a</p>',
}


@pytest.mark.parametrize("name", MANY)
def test_no_label_takes_long(name: str) -> None:
    normalise(label("a"), SHEET)
    before = time.process_time()
    try:
        normalise(label(MANY[name]), SHEET)
    except SvgError as error:
        assert name in ("brackets", "variables"), error
    assert time.process_time() - before < 3


def test_many_labels_take_no_longer_than_so_many() -> None:
    def seconds(count: int) -> float:
        element = (
            f'<foreignObject width="90" height="20"><div {XHTML} class="a"><p>a b</p></div></foreignObject>'
        )
        rules = "<style>" + ".a > p { color: red } g .a p { margin: 0 }" * 50 + "</style>"
        data = f'<svg {SVG} viewBox="0 0 90 90">{rules}{f"<g>{element}</g>" * count}</svg>'.encode()
        before = time.process_time()
        normalise(data, SHEET)
        return time.process_time() - before

    seconds(10)
    assert seconds(600) < 12 * seconds(150) + 1
