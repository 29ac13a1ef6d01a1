"""Whatever is thrown at the readers: refused with words, or clean by an independent reading, and a fixed point."""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Callable, Mapping

import pytest
from book.test_question import SIGNS, WORDS
from helpers.book import REPOSITORY, Space
from helpers.damage import damaged as damaged_by
from helpers.drawing import draw_all
from helpers.reading import faults
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from kinds.test_kinds import ACCEPTED as GOOD_DOT
from kinds.test_kinds import REFUSED as BAD_DOT
from svg.test_allowlist import ACCEPTED, NAMESPACES
from svg.test_fixed_point import DRAWN, SHARED, elements

from figmill.book import question as questions
from figmill.errors import AuthorError
from figmill.kind.job import Job
from figmill.render.results import Drawn, Result
from figmill.svg import CHECKS, Sheet, SvgError, in_themes, normalise

LIGHT = Sheet("fig", "Title", "What it shows")
DARK = Sheet("fig", "Title", "What it shows", theme="dark")


def read(data: bytes, sheet: Sheet = LIGHT) -> str:
    """What became of a drawing; nothing else than these two may."""
    try:
        result = normalise(data, sheet).svg
    except SvgError as error:
        assert error.message and len(error.message) < 500
        return "refused"
    assert faults(result, f"fig-{sheet.theme}") == [], data
    assert normalise(result, sheet).svg == result, data
    return "published"


def thrown(
    strategy: st.SearchStrategy[bytes], examples: int, outcome: Callable[[bytes], str]
) -> Counter[str]:
    seen = Counter[str]()

    @settings(max_examples=examples, deadline=None, suppress_health_check=list(HealthCheck), derandomize=True)
    @given(strategy)
    def throw(data: bytes) -> None:
        seen[outcome(data)] += 1

    throw()
    return seen


def tell(capsys: pytest.CaptureFixture[str], what: str, seen: Mapping[str, int]) -> None:
    with capsys.disabled():
        print(f"\n{what}: {sum(seen.values())}, {dict(seen)}")


# ---------------------------------------------------------------- hostile drawings

HOSTILE_TAGS = """script SCRIPT foreignObject image animate set iframe style a a use use switch switch title desc
    metadata filter feImage handler x:y x:script h:div h:script math template g text linearGradient
    animateTransform animateMotion font glyph flowRoot flowPara flowRegion view""".split()  # noqa: SIM905
HOSTILE_NAMES = """onload ONCLICK onbegin x:onclick href href xlink:href style style fill filter mask class id xml:base
    xml:space attributeName fill to src values begin requiredFeatures formaction data-x aria-label font-family d x
    transform""".split()  # noqa: SIM905
HOSTILE_VALUES = (
    "javascript:a()",
    " java\tscript:a()",
    "JaVaScRiPt&#58;a()",
    "&#x6a;avascript:a()",
    "data:text/html,x",
    "vbscript:x",
    "data:image/png;base64,AAAA",
    "../a.png",
    "a.png",
    "https://e.org/",
    "//e.org/#a",
    "http://e.org/",
    "#a",
    "#d",
    "#nope",
    "#",
    "url(#a)",
    "url( '#a' )",
    "url(//e.org)",
    "URL(#a)",
    "u\\72l(#a)",
    "\\75rl(x)",
    "fill:url(#a)",
    "fill:url(https://e.org)",
    "background:url(x)",
    "position:fixed",
    "width:expression(a())",
    "behavior:url(#a)",
    "--x:1",
    "fill:var(--x)",
    "@import 'x'",
    "}*{fill:red",
    "*/ x /*",
    "red;stroke:url(//x)",
    "&lt;script&gt;a()&lt;/script&gt;",
    "&quot; onload=&quot;a()",
    "' onload='a()",
    "]]&gt;",
    "1e999",
    "NaN",
    "Infinity",
    "-0",
    "0",
    "M0 0L1 1",
    "a b",
    "\u202e",
    "&#x202e;",
    "&#0;",
    "&#xD800;",
    "\u00a0",
    "preserve",
    "var(--x, url(//e.org))",
    "--x:url(//e.org);fill:var(--x)",
    "light-dark(red, url(//e.org))",
    "animation:a 1s forwards",
    "freeze",
    "indefinite",
    "mailto:a@e.org",
    "a.html",
    "/\\e.org",
    "transition:all cubic-bezier(0,0,1,1)",
    "list-style:url(//e.org)",
    "display",
    "inline",
)
HOSTILE_WORDS = (
    "",
    "words",
    "&lt;/svg&gt;&lt;script&gt;a()&lt;/script&gt;",
    "<![CDATA[</svg><script>a()</script>]]>",
    "<!-- <script/> -->",
    "<!----!><b>-->",
    "<?php a ?>",
    "&amp;lt;",
    "&nbsp;",
    "&a;",
    "]]>",
    "\x01",
    "rect{fill:red}",
    "@import 'x';",
    "*{x:y}",
    "@media screen{rect{fill:url(//e.org)}}",
    "@import url(https://fonts.e.org/);",
    "@keyframes a{to{fill:url(//e.org)}}",
    ":root{--x:expression(a())}",
    "@supports (fill:red){*{behavior:url(#a)}}",
    "@media (prefers-color-scheme:dark){*{fill:red}}",
    "g:hover{fill:red}",
    "<b>x</b>",
    "</g>",
    "\u2028",
    "\U0001f600",
    "&#x10FFFF;",
    "<p>x",
    "</p>",
    "<br/>",
    "<table>",
    "-->",
)
PROLOGS = (
    "",
    "",
    "",
    "",
    "<?xml version='1.0' encoding='utf-8'?>",
    "<?xml version='1.0' encoding='utf-7'?>",
    "\ufeff",
    "<!DOCTYPE svg>",
    '<!DOCTYPE svg [<!ENTITY a "b">]>',
    '<!DOCTYPE svg [<!ENTITY a "&#60;script/>">]>',
    '<!DOCTYPE svg [<!ENTITY a "\u202e">]>',
    "<?x y?>",
    "<?xml version='1.0' encoding='iso-8859-1'?>",
    '<!DOCTYPE svg SYSTEM "file:///etc/passwd">',
    "<?xml-stylesheet href='x'?>",
    "<!-- a -->",
)


@st.composite
def hostile(draw: st.DrawFn, depth: int = 0) -> str:
    tag = draw(st.sampled_from(HOSTILE_TAGS))
    names = draw(st.lists(st.sampled_from(HOSTILE_NAMES), max_size=3, unique=True))
    attributes = "".join(f' {name}="{draw(st.sampled_from(HOSTILE_VALUES))}"' for name in names)
    inside = draw(st.sampled_from(HOSTILE_WORDS))
    for _ in range(0 if depth > 2 else draw(st.integers(0, 2))):
        inside += draw(st.one_of(hostile(depth + 1), elements(3)))
    return f"<{tag}{attributes}>{inside}</{tag}>"


HTML = 'xmlns:h="http://www.w3.org/1999/xhtml"'
DRAWINGS = st.builds(
    lambda prolog, parts: (
        f'{prolog}<svg {NAMESPACES} {HTML} viewBox="0 0 100 100">{SHARED}{"".join(parts)}</svg>'.encode(
            "utf-8", "surrogatepass"
        )
    ),
    st.sampled_from(PROLOGS),
    st.lists(st.one_of(hostile(), elements(2)), min_size=1, max_size=4),
)
FIXTURES = [path.read_bytes() for path in sorted((REPOSITORY / "tests" / "svg" / "drawings").glob("*.svg"))]
GOOD = [drawing.encode() for drawing in ACCEPTED.values() if len(drawing) < 4000]
SMALL = [*GOOD, *FIXTURES * 4]
PIECES = [
    piece.encode("utf-8", "surrogatepass")
    for piece in (
        *HOSTILE_VALUES,
        *HOSTILE_WORDS,
        *(f' {name}="a"' for name in HOSTILE_NAMES),
        *(f"<{tag}>" for tag in HOSTILE_TAGS),
        *(f"</{tag}>" for tag in HOSTILE_TAGS),
        '"',
        "'",
        "<",
        ">",
        "&",
        "\0",
        "\xff",
        "svg",
        "xmlns",
        "=",
        "/>",
    )
]


@st.composite
def damaged(draw: st.DrawFn, seeds: list[bytes]) -> bytes:
    """A drawing with pieces of others, or of worse, put in or cut out."""
    data = draw(st.sampled_from(seeds))
    for _ in range(draw(st.integers(1, 2))):
        if draw(st.booleans()):  # where markup may stand, which does the most harm
            places = [at for at, byte in enumerate(data) if byte in b' <"'] or [0]
            at = draw(st.sampled_from(places))
        else:
            at = draw(st.integers(0, len(data)))
        cut = draw(st.sampled_from((0, 0, 0, 1, 3, 20)))
        piece = draw(st.one_of(st.sampled_from(PIECES), st.binary(max_size=3)))
        data = data[:at] + piece + data[at + cut :]
    return data


def soak(short: int, long: int) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("examples", [short, pytest.param(long, marks=pytest.mark.soak)])


@soak(30, 10_000)
def test_hostile_drawings(examples: int, capsys: pytest.CaptureFixture[str]) -> None:
    seen = thrown(DRAWINGS, examples, read)
    tell(capsys, "hostile drawings", seen)
    assert seen["published"] > examples // 200 and seen["refused"] > examples // 10


@soak(150, 10_000)
def test_damaged_drawings(examples: int, capsys: pytest.CaptureFixture[str]) -> None:
    seen = thrown(damaged(SMALL), examples, lambda data: read(data, DARK))
    tell(capsys, "damaged drawings", seen)
    assert seen["published"] > examples // 200 and seen["refused"] > examples // 10


@pytest.mark.soak
@pytest.mark.skipif(not DRAWN, reason="the corpus of real drawings is not beside this checkout")
def test_damaged_real_drawings(capsys: pytest.CaptureFixture[str]) -> None:
    seeds = [path.read_bytes() for path in DRAWN if path.stat().st_size < 20_000]
    seen = thrown(damaged(seeds), 5_000, read)
    tell(capsys, "damaged real drawings", seen)
    assert seen["published"] and seen["refused"]


THEMES = ("light", "dark")
REAL = [path.read_bytes() for path in DRAWN if path.stat().st_size < 20_000] or [*GOOD, *FIXTURES]


@soak(250, 60_000)
def test_damage_by_number(examples: int, capsys: pytest.CaptureFixture[str]) -> None:
    """Real drawings with damage that gets past the reader, in both themes and with every check on."""
    seen = Counter[str]()
    for number in range(examples):
        data = damaged_by(number, REAL)
        background = ("page", "none")[number % 2]
        sheet = Sheet("fig", "Title", "What it shows", checks=CHECKS, background=background)
        try:
            forms = in_themes(data, sheet, THEMES)
        except SvgError as error:
            assert error.message and len(error.message) < 500, number
            seen["refused"] += 1
            continue
        seen["published"] += 1
        for form, theme in zip(forms, THEMES, strict=True):
            assert in_themes(form.svg, sheet, (theme,))[0].svg == form.svg, number
        if number % 20 == 0:
            assert faults(forms[0].svg, "fig-light") == [], number
    tell(capsys, "real drawings, damaged", seen)
    assert seen["published"] > examples // 5 and seen["refused"] > examples // 10


CLEAN = normalise((REPOSITORY / "tests" / "svg" / "drawings" / "hand.svg").read_bytes(), LIGHT).svg
RECT = ('onclick="a"', 'style="fill:url(//e.org)"', 'id="main"', 'fill="\\75rl(x)"', 'xml:base="x"')
LAST = (
    "<script/>",
    "<!-- a -->",
    '<a href="javascript:a()"/>',
    '<use href="#gone"/>',
    "<p>x</p>",
    "lost",
    '<g filter="url(#fig-dark-1)"/>',
    '<image href="data:x"/>',
    '<image href="a.png"/>',
    '<image href="data:image/svg+xml,x"/>',
    '<image href="data:image/png;base64,iVBORw0KGgo="/>',
    "<text>\u202e</text>",
    "<title><b/></title>",
)
SPOILT = {f"<rect {part}": "<rect" for part in RECT} | {f"{part}</svg>": "</svg>" for part in LAST}


@pytest.mark.parametrize("spoilt", SPOILT)
def test_the_independent_reading_sees_what_is_wrong(spoilt: str) -> None:
    assert faults(CLEAN, "fig-light") == []
    data = CLEAN.decode().replace(SPOILT[spoilt], spoilt, 1).encode()
    assert data != CLEAN
    assert faults(data, "fig-light") != []


# ---------------------------------------------------------------- question files


def asked(data: bytes) -> str:
    question, problems = questions.read("questions/x.yaml", data)
    for problem in problems:
        assert isinstance(problem.error, AuthorError) and len(str(problem.error)) < 1000
        assert "\n" not in problem.error.message
    assert question is not None or problems
    return "read" if question is not None and not problems else "refused"


WHOLE = b"id: a-1\ntrack: cloud\ntitle: T\nvisual: {kind: dot, source: a.dot, alt: words, params: {n: 4, x: [1]}}\n"
LISTED = b"id: b\nvisuals:\n  - {name: one, source: a.dot, alt: words}\n  - name: two\n    ref: a-1\n"
YAML_PIECES = [
    piece.encode("utf-8", "surrogatepass")
    for piece in (
        *WORDS.split(),
        *SIGNS,
        "<<: *a",
        "&a [",
        "*a",
        "[" * 300,
        "{" * 70,
        "!!python/object/apply:os.system [x]",
        "!!binary |",
        "? ",
        "---\n",
        "...\n",
        "%YAML 9.9\n",
        "\t",
        "\0",
        "\x85",
        "\u2028",
        "\ufeff",
        "'",
        '"\\x',
        "|\n",
        ">-\n",
        "#",
        "id: a\n",
        "visual: ",
        "1e999",
        ".nan",
        "0x1F",
        "2001-01-01",
        "\xff\xfe",
    )
]


@st.composite
def damaged_questions(draw: st.DrawFn) -> bytes:
    data = draw(st.sampled_from((WHOLE, LISTED, b"")))
    for _ in range(draw(st.integers(1, 6))):
        at = draw(st.integers(0, len(data)))
        cut = draw(st.sampled_from((0, 0, 1, 5)))
        data = (
            data[:at]
            + draw(st.one_of(st.sampled_from(YAML_PIECES), st.binary(max_size=4)))
            + data[at + cut :]
        )
    return data


@soak(200, 50_000)
def test_damaged_questions(examples: int, capsys: pytest.CaptureFixture[str]) -> None:
    seen = thrown(damaged_questions(), examples, asked)
    tell(capsys, "damaged question files", seen)
    assert seen["read"] and seen["refused"]


# ---------------------------------------------------------------- graphs

DOT_NAMES = """label xlabel tooltip edgetooltip labeltooltip headlabel fontname fontcolor color fillcolor style shape
    class id target URL href image shapefile comment layer colorscheme pos width margin peripheries rank labelloc
    splines compound lhead ltail arrowhead group sides orientation gradientangle dir""".split()  # noqa: SIM905
DOT_VALUES = (
    '"x\\" onclick=\\"a()"',
    "\"x' onload='a()\"",
    '"</title><script>a()</script>"',
    '"]]>"',
    '"<!-- -->"',
    "<<b>x</b>>",
    "<x<br/>y>",
    '<<table><tr><td port="p" title="x&quot; onload=&quot;a">x</td></tr></table>>',
    "<<font color='red\" onload=\"a'>x</font>>",
    "<<IMG SRC='x.png'/>>",
    '"javascript:a()"',
    '"https://e.org/?a&b"',
    '"&#x22; onclick=&#x22;a()"',
    '"&quot;><script>"',
    '"&lt;b&gt;"',
    '"&#xD800;"',
    '"&#0;"',
    '"\\N\\G\\E\\T\\H\\L"',
    '"\\l\\r\\n"',
    "red",
    '"red:blue;0.5"',
    '"#12345678"',
    '"nope"',
    "box",
    "record",
    '"{a|<p>b}"',
    "plaintext",
    "filled",
    '"a\\\nb"',
    '""',
    "0",
    "-1",
    "1e9",
    "1e999",
    '"é 图 \U0001f600"',
    '"\u202e"',
    "neato",
    '"url(#a)"',
    '"x;fill:url(//e)"',
    "true",
    '"Helvetica,bold"',
    '"_blank\\" onload=\\"a"',
)
DOT_PARTS = (
    "a -> b",
    "b -> c",
    "a:p -> c:n",
    "subgraph cluster_x { d; e }",
    "{rank=same; a; c}",
    "a -> a",
    '"x y"',
    "edge -> a",
    "//",
    "/*",
    '"',
    "<",
    "}",
    "{",
    '# 3 "x"\n',
    "strict",
    "\n",
    "node",
    "a -- b",
    "\0",
    "digraph { z }",
    "=",
    "[",
    "]",
)


def graph(dice: random.Random) -> bytes:
    def attributes() -> str:
        return ", ".join(
            f"{dice.choice(DOT_NAMES)}={dice.choice(DOT_VALUES)}" for _ in range(dice.randint(0, 3))
        )

    parts = [f"{dice.choice('abcde')} [{attributes()}]" for _ in range(dice.randint(0, 3))]
    parts += dice.choices(DOT_PARTS[:7], k=dice.randint(0, 3))
    parts += dice.choices(DOT_PARTS[7:], k=dice.choice((0, 0, 0, 1)))
    parts += [f"edge [{attributes()}]", f"graph [{attributes()}]"] if dice.random() < 0.3 else []
    dice.shuffle(parts)
    text = "digraph {\n" + ";\n".join(parts) + "\n}\n"
    if dice.random() < 0.1:
        text = dice.choice((*GOOD_DOT, *(bad for bad, _, _ in BAD_DOT)))
    data = text.encode("utf-8", "surrogatepass")
    if dice.random() < 0.2:
        at = dice.randrange(len(data))
        data = data[:at] + dice.randbytes(dice.randint(0, 2)) + data[at + dice.randint(0, 4) :]
    return data


def drawn(result: Result) -> str:
    """What became of a graph: refused with one line, or published clean."""
    if isinstance(result, Drawn):
        return read(result.raw.svg)
    message = str(result.error)
    assert "died" not in message and "please report" not in message, message
    assert not re.search(r"process:\d|\d\d:\d\d:\d\d", message), message
    return "refused by Graphviz or before"


def essence(result: Result) -> object:
    return result.raw.svg if isinstance(result, Drawn) else str(result.error)


@soak(16, 10_000)
def test_hostile_graphs(space: Space, examples: int, capsys: pytest.CaptureFixture[str]) -> None:
    """Each is drawn twice, in another order: what became of it depends on nothing that was drawn before."""
    seen = Counter[str]()
    dice = random.Random(examples)
    for start in range(0, examples, 500):
        count = min(500, examples - start)
        names = [f"visuals/g{number}.dot" for number in range(count)]
        graphs = {name: graph(dice) for name in names}
        space.write(graphs)
        jobs = [Job("dot", name, "file", timeout=10) for name in names]
        forwards = list(draw_all(jobs, space.root.resolve(), 2))
        backwards = list(draw_all(jobs[::-1], space.root.resolve(), 1))[::-1]
        for name, one, other in zip(names, forwards, backwards, strict=True):
            assert essence(one) == essence(other), graphs[name]
            try:
                seen[drawn(one)] += 1
            except AssertionError as error:
                raise AssertionError(graphs[name]) from error
    tell(capsys, "hostile graphs", seen)
    assert seen["published"] > examples // 10
