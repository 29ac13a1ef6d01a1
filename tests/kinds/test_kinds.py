"""The kinds: what may stand in a graph, what a script offers, what Graphviz's complaints become, and the fonts.

Everything that is drawn is drawn by a pool, in workers.
"""

from __future__ import annotations

import json
import re
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from helpers.book import Space
from helpers.cases import cases
from helpers.drawing import draw_all
from helpers.reading import faults

from figmill import font_metrics
from figmill.errors import AuthorError
from figmill.kind.job import Job
from figmill.kinds import dot_lexer
from figmill.kinds.scripts import signature
from figmill.model import Origin
from figmill.render.results import Drawn, Result
from figmill.svg import Sheet, normalise

# ---------------------------------------------------------------- dotlex: what is refused, and where

REFUSED = [
    # (DOT, line:column, a part of the message)
    ("digraph {\n" + "subgraph {" * 5000 + "a" + "}" * 5000 + "}", "2:2000", "nested more than 200 deep"),
    ("digraph {" + "a -> {" * 201 + "a" + "}" * 202, "1:1209", "nested more than 200 deep"),
    ('digraph { a [image="/x.png"] }', "1:14", "attribute 'image' is refused: a picture is a PNG"),
    ('digraph { a [image="../x.png"] }', "1:14", "attribute 'image'"),
    ('digraph { a [image="b/../../x.png"] }', "1:14", "attribute 'image'"),
    ('digraph { a [image="https://x.org/x.png"] }', "1:14", "attribute 'image'"),
    ('digraph { a [image="file:x.png"] }', "1:14", "attribute 'image'"),
    ('digraph { a [image="~/x.png"] }', "1:14", "attribute 'image'"),
    ('digraph { a [image=".git/x.png"] }', "1:14", "attribute 'image'"),
    ('digraph { a [image="/etc/passwd"] }', "1:14", "attribute 'image'"),
    ("digraph {\n  a [shape=box,\n     image=logo]\n}", "3:6", "attribute 'image'"),
    ('digraph { a ["image"="/x.png"] }', "1:14", "attribute 'image'"),
    ('digraph { a [<image>="/x.png"] }', "1:14", "attribute 'image'"),
    ('digraph { a ["ima" + "ge"="/x.png"] }', "1:14", "attribute 'image'"),
    ('digraph { a ["ima" /* a */ + // b\n "ge" = "/x.png"] }', "1:14", "attribute 'image'"),
    ('digraph { a [<ima> + "ge"="/x.png"] }', "1:14", "attribute 'image'"),
    ('digraph { a ["ima" + <ge>="/x.png"] }', "1:14", "attribute 'image'"),
    ('digraph { a ["i" + <m> + "a" + <ge> = "/x.png"] }', "1:14", "attribute 'image'"),
    ('digraph { a ["ima\\\nge"="/x.png"] }', "1:14", "attribute 'image'"),
    ("digraph { a [image /* why */ = /* not */ x] }", "1:14", "attribute 'image'"),
    ('digraph { a # "\n b [image="../x.png"] # "\n}', "2:5", "attribute 'image'"),
    ('digraph { a #<\n b [label=<<IMG SRC="x"/>>] #>\n}', "2:11", "<IMG> is refused"),
    ("digraph { node [shapefile=s] a }", "1:17", "attribute 'shapefile'"),
    ('digraph {\n\n  imagepath="/tmp"; a }', "3:3", "attribute 'imagepath'"),
    ('graph { fontpath="/tmp"; a }', "1:9", "attribute 'fontpath'"),
    ('graph { graph [stylesheet="x.css"] a }', "1:16", "a page's style sheet"),
    ('graph { _background="c 7 -#ff0000"; a }', "1:9", "attribute '_background'"),
    ("digraph { subgraph s { edge [imagepath=x] } }", "1:30", "attribute 'imagepath'"),
    ("digraph { a }\n digraph { b }", "2:2", "a second graph begins here"),
    ("digraph { a }\nb", "2:1", "a second graph begins here"),
    (
        'digraph { a [URL="ftp://x.org"] }',
        "1:18",
        "URL leads to a page (https:, http:), a place beside this one",
    ),
    ('digraph { a [href="javascript:alert(1)"] }', "1:19", "href leads to"),
    ('digraph { a [href="java" + "script:x"] }', "1:19", "href leads to"),
    ('digraph { a [href="JavaScript:alert(1)//x/?#"] }', "1:19", "href leads to"),
    ('digraph { a [href="javascript&colon;alert(1)"] }', "1:19", "href leads to"),
    ('digraph { a [href="javascript&#58;alert(1)"] }', "1:19", "href leads to"),
    ('digraph { a [href="java\nscript:x"] }', "1:19", "href leads to"),
    ('digraph { a [href="\\\\x.org"] }', "1:19", "href leads to"),
    ('digraph { a [href="data:text/html,x"] }', "1:19", "href leads to"),
    ('digraph { a [URL="https" + ":evil"] }', "1:18", "URL leads to"),
    ('digraph { a -> b [headhref="//x.org"] }', "1:28", "headhref leads to"),
    ('digraph { a [fontname="x\\" onload=\\"y"] }', "1:23", "fontname may not hold any of <"),
    ('digraph { a [fontname="x\'y"] }', "1:23", "fontname may not hold any of <"),
    ('digraph { a [fontname="x" + "<"] }', "1:23", "fontname may not hold any of <"),
    ('digraph { a -> b [labelfontname="&quot;"] }', "1:33", "labelfontname may not hold any of <"),
    ('digraph { a [class="x\\" y"] }', "1:20", "class may not hold any of <"),
    ('digraph { a [id="x\'><script"] }', "1:17", "id may not hold any of <"),
    ("digraph { charset=latin1 a }", "1:19", "charset 'latin1' is refused"),
    ("digraph { a [label=<<IMG SRC='/x.png'/>>] }", "1:20", "<IMG> is refused"),
    ("digraph { a [label=<<IMG SRC='x.png' SRC='/y.png'/>>] }", "1:20", "<IMG> is refused"),
    ("digraph { a [label=<<IMG SRC='&#47;x.png'/>>] }", "1:20", "<IMG> is refused"),
    ("digraph { a [label=<<IMG SRC='x.png' onload='y'/>>] }", "1:20", "<IMG> is refused"),
    ("digraph { a [label=<<IMG/>>] }", "1:20", "<IMG> is refused"),
    ("digraph {\n a [label=<<table>\n< img src='x'/></table>>] }", "3:11", "<IMG> is refused"),
    ("digraph { a [label=<<TD HREF='vbscript:x'>b</TD>>] }", "1:20", "HREF leads to a page (https:, http:)"),
    ("digraph { a [label=<<TD href = 'data:x'>b</TD>>] }", "1:20", "HREF leads to"),
    ("digraph { <<IMG SRC='x'/>> }", "1:11", "<IMG> is refused"),
    ('digraph { a [label="x&#xD800;"] }', "1:20", "'&#xD800;' is not a character that a figure can show"),
    ('digraph {\n a [label="\nx&#XDFFF"] }', "3:11", "'&#XDFFF;' is not a character"),
    ('digraph { "&#55296;" }', "1:11", "'&#55296;' is not a character"),
    ('digraph { a [label="&#xD" + "800;"] }', "1:20", "'&#xD800;' is not a character"),
    ('digraph { a [label="&#x110000;"] }', "1:20", "'&#x110000;' is not a character"),
    ('digraph { a [label="&#' + "9" * 5000 + ';"] }', "1:20", "is not a character"),
    ('digraph { a [label="&#x1F600;"] }', "1:20", "cannot read '&#x1F600;' here; write \U0001f600 itself"),
    ('digraph { a [label="&#27;[31m"] }', "1:20", "'&#27;' is not a character"),
    ('digraph { a [tooltip="\x1b[31m"] }', "1:22", "character U+001B is not allowed in a figure"),
    ("digraph { a [label=<a&#x202e;b>] }", "1:20", "'&#x202e;' is not a character"),
    ('digraph { a [label="a\u202eb"] }', "1:20", "character U+202E is not allowed in a figure"),
    ("digraph { a [label=<<FONT FACE='x\" onload=\"y'>b</FONT>>] }", "1:20", "FACE may not hold any of <"),
]

ACCEPTED = [
    "digraph { a -> b }",
    "strict graph \"G\" { a -- b [label=<<b>bold</b> <font color='red'>red</font>>] }",
    'digraph { image -> shapefile; imagepath [label="image"] }',
    'digraph { a [label="image=x.png"]; b [xlabel="<IMG>"] }',
    'digraph { a [image=""] }',
    'digraph { a [image="x.png"]; b [image="icons/größe 2.svg"] }',
    "digraph { a [label=<<table><tr><td><img src='x.webp' scale=\"true\"/></td></tr></table>>] }",
    "digraph { // image=x\n /* image=y */ a [label=x] }\n// the end\n",
    "# a comment, and no marker\ndigraph { a }",
    "digraph { a }\n\n/* nothing more */\n",
    'digraph { a [URL="https://example.org/?a=1&b=2" href="https://x.org"] }',
    'digraph { a [URL=""] }',
    'digraph { a [URL="http://x.org"]; b [href="../part-2.html#ring"]; c [URL="page?a=1"]; d [URL="/api/x.html"] }',
    'digraph { a [URL="mailto:a@example.org"] -> b [edgeURL=page headURL="?q=1"] }',
    "digraph { a [label=<<table><tr><td href='../x.html'>b</td></tr></table>>] }",
    'digraph { a [URL="htt" + "ps://x.org"] }',
    'digraph { a [URL=" https://x.org/a b"]; b [href="#part"]; c [URL="$c.html"]; d [URL="\\G \\N"] }',
    '# 3 "/etc/passwd"\ndigraph {\n#line 7\n a [fontname="Helvetica:bold (1)", class="a/b", id="x#1"] }',
    'digraph { a [fontname="Helvetica Neue, Arial"]; b [fontname="Helvetica-Bold"] }',
    'digraph { a [class="data hot" id="rank:0.a-1"] }',
    "digraph { charset=UTF8 a }",
    'digraph { subgraph cluster_a { b [label="}"] } c [label=<}>] }',
    "digraph { a [label=<<TD HREF='https://x.org'>b</TD>>] }",
    "digraph { a [label=<<FONT FACE='Helvetica Bold'>b</FONT>>] }",
    "digraph { a [label=<the surface=1, face to face>] }",
    'digraph { Größe -> "数据" }',
    'digraph { a [label="&#228;&#x2192; &amp; R&D; &bogus; &# 3"] }',
    'digraph { a [label=<&#x1F600;>]; b [label="\U0001f600"] }',
    "digraph { a [label=<&#228; &amp;>] }",
    'digraph { a [label="tab\there"] }',
    'digraph { a [label="a \\"quoted\\" word \\\\"]; b }',
    "digraph { a:n -> b:s:w [weight=-.5 len=2.] }",
]


@cases(("text", "where", "message"), REFUSED)
def test_what_may_not_stand_in_a_graph_is_refused_at_its_place(text: str, where: str, message: str) -> None:
    first, *_ = dot_lexer.breaches(text)
    assert f"{first.line}:{first.column}" == where
    assert message in first.message


@cases("text", ACCEPTED)
def test_what_only_looks_like_it_is_accepted(text: str) -> None:
    assert list(dot_lexer.breaches(text)) == []


def test_every_breach_is_told_in_order() -> None:
    text = 'digraph {\n a [image=x]\n b [URL="y:z"]\n c [fontname="\'"] }\n'
    assert [breach.line for breach in dot_lexer.breaches(text)] == [2, 3, 4]


# ---------------------------------------------------------------- signature: what draw() takes

TYPED = [
    # (annotation, value, message or "" where it is accepted)
    ("int", 3, ""),
    ("int", 3.0, "parameter 'x' must be integer, not 3.0"),
    ("int", True, "parameter 'x' must be integer, not True"),
    ("int", "3", "parameter 'x' must be integer, not '3'"),
    ("float", 3, ""),
    ("float", 0.5, ""),
    ("float", None, "parameter 'x' must be integer or number, not None"),
    ("float", False, "parameter 'x' must be integer or number, not False"),
    ("str", "gpipe", ""),
    ("str", 3, "parameter 'x' must be text, not 3"),
    ("str", "x" * 99, ""),
    ("int", "x" * 99, "parameter 'x' must be integer, not text"),
    ("bool", True, ""),
    ("bool", 1, "parameter 'x' must be boolean, not 1"),
    ("None", None, ""),
    ("int | None", None, ""),
    ("int | None", "no", "parameter 'x' must be integer or null, not 'no'"),
    ("'int | str'", "3", ""),
    ("'int | str'", 0.5, "parameter 'x' must be integer or text, not 0.5"),
    ("Optional[int]", None, ""),
    ("typing.Optional[str]", 3, "parameter 'x' must be text or null, not 3"),
    ("Union[int, str]", [], "parameter 'x' must be integer or text, not []"),
    ("list[int]", [1, 2], ""),
    ("list[int]", 1, "parameter 'x' must be list, not 1"),
    ("Sequence[float]", [1], ""),
    ("tuple[int, ...]", [1], ""),
    ("dict[str, int]", {"a": 1}, ""),
    ("dict[str, int]", [], "parameter 'x' must be mapping, not []"),
    ("Literal['gpipe', '1f1b']", "1f1b", ""),
    (
        "Literal['gpipe', '1f1b']",
        "gpip",
        "parameter 'x' must be 'gpipe' or '1f1b', not 'gpip'; did you mean 'gpipe'?",
    ),
    ("Literal[1, 2]", 1, ""),
    ("Literal[1, 2]", True, "parameter 'x' must be 1 or 2, not True"),
    ("Literal['a'] | None", None, ""),
    ("Literal['a'] | None", "b", "parameter 'x' must be null or 'a', not 'b'"),
    ("Annotated[int, 'ranks']", 3, ""),
    ("Annotated[int, 'ranks']", "3", "parameter 'x' must be integer, not '3'"),
    ("Annotated[int, Interval(ge=1, le=64)]", 64, ""),
    ("Annotated[int, Interval(ge=1, le=64)]", 65, "parameter 'x' must be from 1 to 64, not 65"),
    ("Annotated[int, Ge(1), Le(64)]", 0, "parameter 'x' must be from 1 to 64, not 0"),
    ("Annotated[float, at.Gt(0), Le(1e9)]", 0, "parameter 'x' must be above 0 and at most 1e9, not 0"),
    ("Annotated[float, Gt(0)]", float("nan"), "parameter 'x' must be above 0, not nan"),
    ("Annotated[float, Ge(0)]", float("inf"), "parameter 'x' must be at least 0, not inf"),
    (
        "Annotated[float, Ge(-0.5), Lt(0.5)]",
        -0.6,
        "parameter 'x' must be at least -0.5 and below 0.5, not -0.6",
    ),
    ("Annotated[int, MultipleOf(2)] | None", 3, "parameter 'x' must be a multiple of 2, not 3"),
    ("Annotated[int, MultipleOf(2)] | None", None, ""),
    ("'Annotated[int, Ge(1)] | None'", 0, "parameter 'x' must be at least 1, not 0"),
    ("list[Annotated[float, Gt(0)]]", [1, 0, -1], "parameter 'x' must be above 0, not 0"),
    ("Annotated[float, Gt(0)] | list[Annotated[float, Gt(0)]]", [2, 3], ""),
    ("Annotated[int, Ge(1)] | Annotated[float, Ge(2)]", 0, ""),  # two bounds: the script's own business
    ("Annotated[int, Ge(LOWEST)]", 0, ""),
    ("Annotated[int, Interval(**BOUNDS), Doc('no bound')]", 0, ""),
    ("Annotated[int, Ge()]", 0, ""),
    ("Annotated[bool, Ge(1)]", False, ""),
    ("Any", [None], ""),
    ("Path | int", "what Path takes is not for us to say", ""),
    ("'not python ('", 3, ""),
]


def misfits(text: str, **params: object) -> list[str]:
    found = signature.signature(signature.parse(text.encode(), "p.py"))
    assert found is not None
    at = Origin("q.yaml", 1)
    return [error.message for error in signature.problems(found, params, {}, at)]  # type: ignore[arg-type]


@cases("annotation", [annotation for annotation, _, _ in TYPED])
def test_a_signature_survives_the_way_between_processes(annotation: str) -> None:
    text = f"def draw(x: {annotation}): ...".encode()
    sent = json.loads(json.dumps(signature.offered("p.py", text)))
    assert signature.decoded(sent, "p.py") == signature.signature(signature.parse(text, "p.py"))


@pytest.mark.parametrize("bounds", [[["ge"]], [["most", 1]], [["ge", "1"]], [["ge", True]], [1], None])
def test_bounds_that_are_none_are_refused_on_the_way(bounds: object) -> None:
    sent = {"draw": {"parameters": [["x", False, ["integer"], [], bounds]], "open_ended": False}}
    with pytest.raises(ValueError):
        signature.decoded(sent, "p.py")


@cases(("annotation", "value", "message"), TYPED)
def test_a_parameter_is_held_against_its_annotation(annotation: str, value: object, message: str) -> None:
    assert misfits(f"def draw(x: {annotation}): ...", x=value) == ([message] if message else [])


@cases(
    ("text", "params", "messages"),
    [
        ("def draw(): ...", {}, []),
        ("def draw(a, b=1): ...", {"a": 0}, []),
        ("def draw(a, b=1): ...", {"b": 0}, ["draw() needs the parameter 'a'; it takes: a, b"]),
        ("def draw(*, a, b=1): ...", {}, ["draw() needs the parameter 'a'; it takes: a, b"]),
        (
            "def draw(devices=4): ...",
            {"device": 4},
            ["draw() has no parameter 'device'; did you mean 'devices'?; it takes: devices"],
        ),
        ("def draw(): ...", {"n": 1}, ["draw() has no parameter 'n'; it takes: none"]),
        ("def draw(**others): ...", {"n": 1}, []),
        ("def draw(a: int, **others): ...", {"a": "x", "n": 1}, ["parameter 'a' must be integer, not 'x'"]),
        ("@cache\ndef draw(a): ...", {"a": 1, "n": 1}, []),
        ("draw = partial(other, 3)", {"n": 1}, []),
        ("from style import draw", {"n": 1}, []),
        ("from style import plot as draw", {"n": 1}, []),
        ("def draw(a): ...\ndef draw(b): ...", {"b": 1}, []),
    ],
)
def test_parameters_are_held_against_the_last_definition_of_draw(
    text: str, params: dict[str, object], messages: list[str]
) -> None:
    assert misfits(text, **params) == messages


@pytest.mark.parametrize(
    "text", ["x = 1", "def other(): ...", "class A:\n    def draw(self): ...", "if True:\n    pass"]
)
def test_a_script_without_a_draw_of_its_own_has_no_signature(text: str) -> None:
    assert signature.signature(signature.parse(text.encode(), "p.py")) is None


# ---------------------------------------------------------------- what goes wrong in a graph, as its author reads it

WRONG = {
    "syntax.dot": (
        b"digraph {\n  a -> b\n  b -> -> c\n}\n",
        "visuals/syntax.dot:3:5: '->' has no node to its right",
    ),
    "keyword.dot": (
        b"digraph {\n  a -> b\n  Edge -> c\n}\n",
        "visuals/keyword.dot:3:3: 'Edge' is a keyword of DOT in any case; write it as \"Edge\"",
    ),
    "label.dot": (
        b"digraph {\n  a\n  wrong [label=<<b>x</i>>]\n}\n",
        "visuals/label.dot:3: the HTML-like label is not well-formed: mismatched tag",
    ),
    "empty.dot": (b"", "visuals/empty.dot:1: the file is empty; it must hold one graph"),
    "blank.dot": (b" \n\n", "visuals/blank.dot:1: the file is empty; it must hold one graph"),
    "latin.dot": (
        b'digraph {\n  a\n  b [label="Gr\xf6\xdfe"]\n}\n',
        "visuals/latin.dot:3: not UTF-8; save the file as UTF-8",
    ),
    "utf16.dot": ("digraph {}".encode("utf-16"), "visuals/utf16.dot:1: not UTF-8; save the file as UTF-8"),
    "nul.dot": (b"digraph {\n a\0\n}\n", "visuals/nul.dot:2: a NUL byte; is this text?"),
    "crlf.dot": (b"digraph {\r\n  a -> b\r\n  b -> -> c\r\n}\r\n", "visuals/crlf.dot:3:5: '->' has no node"),
    "open.dot": (b"digraph {\n  a -> b\n", "visuals/open.dot:1:9: '{' is never closed"),
    "two.dot": (
        b"digraph { a }\ndigraph { b }\n",
        "visuals/two.dot:2:1: a second graph begins here; a source holds one graph",
    ),
    "layouts.dot": (
        b'digraph {\n  a\n  graph [layout="no such"]\n}\n',
        'visuals/layouts.dot:3: Layout type: "no such" not recognized.',
    ),
    "table.dot": (
        b"digraph {\n a [label=<<table><tr></table>>]\n}\n",
        "the HTML-like label is not well-formed",
    ),
    "layout.dot": (
        b"digraph {\n  a\n  layout=foo\n}\n",
        'visuals/layout.dot:3: Layout type: "foo" not recognized.',
    ),
}
# What Graphviz warns of, and draws.
WARNED = {
    "shape.dot": (
        b"digraph {\n  a -> b\n  b [shape=bxo]\n}\n",
        "visuals/shape.dot:3: there is no shape 'bxo'; did you mean 'box'?",
    ),
    "port.dot": (
        b"digraph {\n  a:nowhere -> b\n}\n",
        "visuals/port.dot:2: node a, port nowhere unrecognized",
    ),
    "colour.dot": (b"digraph {\n  a [color=redd]\n}\n", "visuals/colour.dot:2: redd is not a known color"),
    "link.dot": (
        b'digraph {\n  a\n  b [color="url(https://e.org/x)"]\n}\n',
        "visuals/link.dot:3: url(https is not a known color",
    ),
    "unclosed.dot": (
        b'digraph {\n  a\n  b [fillcolor="url(https", style=filled]\n}\n',
        "visuals/unclosed.dot:3: url(https is not a known color",
    ),
    "scheme.dot": (
        b'digraph {\n  a\n  b -> c [color="/nope/3"]\n}\n',
        "visuals/scheme.dot:3: /nope/3 is not a known color",
    ),
    "spaced.dot": (
        b'digraph {\n  a\n  bgcolor="dark grey"\n}\n',
        "visuals/spaced.dot:3: dark grey is not a known color",
    ),
    "function.dot": (
        b'digraph {\n  b [color="oklch(0.5 0.1 20)"]\n}\n',
        "visuals/function.dot:2: oklch(0.5 0.1 20) is not a known color",
    ),
    "words.dot": (
        b'digraph {\n  b [label=<x\n  <font color="redd">y</font>>]\n}\n',
        "visuals/words.dot:3: redd is not a known color",
    ),
    "inside.dot": (
        b"digraph {\n compound=true\n subgraph cluster_a { b; c }\n b -> c [lhead=cluster_a]\n}\n",
        "b -> c: tail is inside head cluster cluster_a",
    ),
    "nowhere.dot": (
        b"digraph {\n compound=true\n a -> b [lhead=cluster_x]\n}\n",
        "cluster named cluster_x not found",
    ),
}
RIGHT = {
    "crlf-good.dot": b"digraph {\r\n  a -> b\r\n}\r\n",
    "bom.dot": b"\xef\xbb\xbfdigraph {\n  a -> b\n}\n",
    "quoted.dot": b'digraph {\n  a -> "Edge"\n}\n',
    "strict.dot": b"strict graph { a -- b; a -- b }\n",
    "latin1.dot": b'digraph {\n  charset="latin1"\n  a -> b [label="Gr\xf6\xdfe"]\n}\n',
    "iso.dot": b"digraph {\n  charset=ISO-8859-1\n  a -> b\n}\n",
}


def drawn(root: Path, *jobs: Job) -> list[Result]:
    return list(draw_all(jobs, root.resolve(), 2))


def dot_jobs(space: Space, files: dict[str, bytes]) -> list[Job]:
    space.write({f"visuals/{name}": data for name, data in files.items()})
    return [Job("dot", f"visuals/{name}", "file", timeout=20) for name in files]


def test_what_graphviz_thinks_is_told_at_the_authors_line(space: Space) -> None:
    every = {name: data for name, (data, _) in (WRONG | WARNED).items()} | RIGHT
    results = dict(zip(every, drawn(space.root, *dot_jobs(space, every)), strict=True))
    for name, (_, message) in WRONG.items():
        result = results[name]
        assert not isinstance(result, Drawn), name
        assert message in str(result.error), name
        assert "\0" not in str(result.error)
    for name, (_, message) in WARNED.items():
        result = results[name]
        assert isinstance(result, Drawn), name
        first = result.raw.remarks[0]
        assert message in f"visuals/{name}:{first.line}: {first.message}", name
    for name in RIGHT:
        result = results[name]
        assert isinstance(result, Drawn), name
        assert result.raw.facts == {"nodes": 2, "edges": 1}, name


ONCE = {
    # what Graphviz says once in the life of a process, and then draws as if nothing were wrong
    "colour": (b"digraph { a [color=redd] }", "redd is not a known color"),
    "arrow": (b"digraph { a -> b [arrowhead=nope] }", 'Arrow type "nope" unknown'),
    "font": (b"digraph { a [shape=nope] }", "there is no shape 'nope'; did you mean 'none'?"),
}


def test_what_is_said_of_a_graph_does_not_depend_on_those_before_it(space: Space) -> None:
    names = [(name, number) for name in ONCE for number in range(3)]
    jobs = dot_jobs(space, {f"{name}{number}.dot": ONCE[name][0] for name, number in names} | RIGHT)
    *same, good = list(draw_all(jobs[: len(names) + 1], space.root.resolve(), 1))
    assert isinstance(good, Drawn)
    for (name, _), result in zip(names, same, strict=True):
        assert isinstance(result, Drawn) and ONCE[name][1] in result.raw.remarks[0].message, name


def test_a_character_without_a_width_fails_no_graph(space: Space) -> None:
    jobs = dot_jobs(
        space, {f"{number}.dot": 'digraph { a [label="\u200b"] }'.encode() for number in range(2)}
    )
    assert len({result.raw.svg for result in drawn(space.root, *jobs) if isinstance(result, Drawn)}) == 1


@pytest.mark.soak  # render/test_pool.py has graphs that eat memory in every run
@pytest.mark.skipif(sys.platform != "linux", reason="limits of a forked child")
def test_a_graph_has_its_memory_and_takes_no_other_along(space: Space) -> None:
    large = "graph {" + ";".join(f"n{a} -- n{a * 7919 % 40000}" for a in range(40000)) + "}"
    large_job, small_job = dot_jobs(space, {"large.dot": large.encode(), "small.dot": b"graph { a -- b }"})
    held = replace(large_job, memory=64 << 20, engine="osage")
    large_result, small_result = draw_all([held, small_job], space.root.resolve(), 1)
    assert not isinstance(large_result, Drawn) and isinstance(small_result, Drawn)
    message = str(large_result.error)
    assert message.startswith("visuals/large.dot: ")  # Python or Graphviz, whichever asks for too much
    assert message.endswith("a figure may use 64 MiB; `memory` in the settings allows more")


def test_a_missing_source_is_told_at_the_question(space: Space) -> None:
    space.question("x", "source: gone.dot, alt: nothing").write({"visuals/here.dot": "digraph { a }"})
    done = space.run()
    assert done.code == 1
    assert "questions/x.yaml:4:" in done.err and "gone.dot" in done.err


SMUGGLED = (
    'a [tooltip="x\\" onclick=\\"a()" URL="https://e.org"]',
    'a -> b [edgetooltip="x\\" onclick=\\"a()" edgeURL="https://e.org"]',
    'a [label="</text><script>a()</script>"]',
    'a [label="]]>" comment="--><script>a()</script>"]',
    'a [xlabel="x\\" onclick=\\"a()"]; labelloc=t; label="<b onclick=a>"',
    "a [label=<<font color='#333333'>&lt;script&gt;a()&lt;/script&gt;</font>>]",
)


def test_markup_in_words_stays_words(space: Space) -> None:
    """Where Graphviz writes words as they are meant, they need not be refused; they never become markup."""
    jobs = dot_jobs(space, {f"{n}.dot": f"digraph {{ {text} }}".encode() for n, text in enumerate(SMUGGLED)})
    for text, result in zip(SMUGGLED, drawn(space.root, *jobs), strict=True):
        assert isinstance(result, Drawn), (text, result)
        assert (
            faults(normalise(result.raw.svg, Sheet("fig", "Title", "What it shows")).svg, "fig-light") == []
        ), text


def test_the_engine_of_the_question_lays_out(space: Space) -> None:
    space.write({"visuals/ring.dot": "digraph { a -> b -> c -> d -> a }"})
    engines = ("dot", "neato", "fdp", "circo", "twopi", "osage", "patchwork")
    results = drawn(space.root, *(Job("dot", "visuals/ring.dot", "file", engine=name) for name in engines))
    svgs = [result.raw.svg for result in results if isinstance(result, Drawn)]
    assert len(svgs) == len(set(svgs)) == len(engines)


# ---------------------------------------------------------------- fonts: one set of widths for both renderers

TEXT = "Wavelength 1/16: All-Reduce, Ty fi"
SANS = ("Helvetica", "Arial", "Helvetica Neue", "Times New Roman", "No Such Font")
MONO = ("Courier New", "Menlo", "Consolas", "DejaVu Sans Mono")


def width(face: str, size: float) -> float:
    """The advance width of TEXT, computed from the font's own tables."""
    from fontTools.ttLib import TTFont

    from figmill.kind import typefaces

    folder = typefaces.FOLDER if face.startswith("Arimo") else font_metrics.matplotlib_folder()
    font = TTFont(folder / face)
    names = font.getBestCmap()
    total = sum(font["hmtx"][names[ord(character)]][0] for character in TEXT)
    return float(total) * size / font["head"].unitsPerEm


def dot_width(svg: bytes) -> float:
    """The width that Graphviz measured: it centres the text in a box without margins."""
    found = re.search(rb'<text[^>]* x="([\d.]+)"', svg)
    assert found
    return 2 * float(found[1])


def test_both_renderers_measure_every_sans_face_as_arimo_and_every_mono_as_dejavu(space: Space) -> None:
    faces = [(name, "") for name in (*SANS, *MONO)] + [(name, "bold") for name in SANS[:3]]
    graphs = {
        f"{number}.dot": f'graph {{ a [shape=box margin=0 fontsize=100 fontname="{name} {weight}" '
        f'label="{TEXT}"] }}'.encode()
        for number, (name, weight) in enumerate(faces)
    }
    script = (
        "from matplotlib.backends.backend_agg import FigureCanvasAgg\n"
        "from matplotlib.figure import Figure\nfrom figmill import Drawing\n"
        "def draw(faces):\n    figure = Figure(dpi=72)\n    canvas = FigureCanvasAgg(figure).get_renderer()\n"
        "    widths = []\n    for name, weight in faces:\n"
        "        text = figure.text(0, 0, TEXT, family=name, weight=weight or 'normal', size=100)\n"
        "        widths.append(text.get_window_extent(canvas).width)\n        text.remove()\n"
        "    return Drawing(figure, facts={'widths': widths})\n"
    ).replace("TEXT", repr(TEXT))
    space.write({"visuals/measure.py": script})
    jobs = dot_jobs(space, graphs)
    measure = Job("matplotlib", "visuals/measure.py", "draw", {"faces": [list(face) for face in faces]})
    *laid_out, plotted = drawn(space.root, *jobs, measure)
    assert isinstance(plotted, Drawn), plotted
    for (name, weight), graph, measured in zip(faces, laid_out, plotted.raw.facts["widths"], strict=True):  # type: ignore[arg-type]
        face = "DejaVuSansMono.ttf" if name in MONO else f"Arimo-{'Bold' if weight else 'Regular'}.ttf"
        expected = width(face, 100)
        assert isinstance(graph, Drawn), graph
        room = 1 if name in MONO else 1.1 if weight else 1.06
        assert dot_width(graph.raw.svg) == pytest.approx(room * expected, abs=0.26), (name, weight)
        assert measured == pytest.approx(expected, rel=0.02), (name, weight)
    regular, bold = (width(f"Arimo-{style}.ttf", 100) for style in ("Regular", "Bold"))
    assert bold > 1.03 * regular  # the tolerance of two per cent tells them apart


def test_graphviz_gives_words_room_in_every_size(space: Space) -> None:
    """A little more than the words are wide, at every size by the same share."""
    sizes = [(size, face) for size in range(8, 25) for face in ("Regular", "Bold")]
    graphs = {
        f"{number}.dot": f"graph {{ a [shape=box margin=0 width=0 fontsize={size} "
        f'fontname="Helvetica{"-Bold" if face == "Bold" else ""}" label="{TEXT}"] }}'.encode()
        for number, (size, face) in enumerate(sizes)
    }
    for (size, face), graph in zip(sizes, drawn(space.root, *dot_jobs(space, graphs)), strict=True):
        assert isinstance(graph, Drawn), graph
        share = 1.1 if face == "Bold" else 1.06
        laid, own = dot_width(graph.raw.svg), width(f"Arimo-{face}.ttf", size)
        assert share * own - 0.02 <= laid <= share * own + 0.27, (size, face)


@pytest.mark.parametrize(
    "annotation", ["int | " * 2000 + "int", f'"{"int | " * 2000}int"', f'"{"(" * 5000}"']
)
def test_an_annotation_of_any_length_is_read_or_told(annotation: str) -> None:
    made = signature.offered("p.py", f"def draw(a: {annotation}): ...\n".encode())
    try:
        signature.decoded(made, "p.py")
    except AuthorError as error:
        assert "is longer or deeper than Python can read" in error.message
