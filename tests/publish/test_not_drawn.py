"""What a source states is looked for in its picture: labels in the text, relations in the lines; for every kind."""

from __future__ import annotations

import os
import shutil
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from helpers.book import Space
from helpers.cases import cases
from helpers.drawing import draw_all
from lxml import etree

from figmill.config import Options
from figmill.kind.job import Job, Raw
from figmill.kind.stated import Label, Relation, Stated, counted, lost, stated, unpacked
from figmill.kind.vega_words import text_of, texts_in
from figmill.kinds import KINDS, is_script
from figmill.model import Origin, Visual
from figmill.publish.finalise import Settled, settle
from figmill.publish.not_drawn import CHECK, missing
from figmill.render.results import Drawn
from figmill.svg import Sheet, normalise

CORE = Path(os.environ.get("PLANTUML_CORE") or Path(sys.prefix, "node_modules/@plantuml/core"))
needs_plantuml = pytest.mark.skipif(
    not CORE.is_dir(), reason="npm install @plantuml/core, or set PLANTUML_CORE"
)

EXCALIDRAW = """{"type": "excalidraw", "elements": [
 {"id": "one", "type": "rectangle", "x": 0, "y": 0, "width": 90, "height": 60},
 {"id": "two", "type": "rectangle", "x": 300, "y": 0, "width": 90, "height": 60},
 {"id": "t1", "type": "text", "x": 10, "y": 20, "width": 70, "height": 25, "text": "Reader", "containerId": "one"},
 {"id": "t2", "type": "text", "x": 310, "y": 20, "width": 70, "height": 25, "text": "Writer", "containerId": "two"},
 {"id": "go", "type": "arrow", "x": 95, "y": 30, "width": 200, "height": 0, "points": [[0, 0], [200, 0]],
  "startBinding": {"elementId": "one"}, "endBinding": {"elementId": "two"}}]}"""
# Kind and form -> suffix, a source, and how many labels and relations it states.
SOURCES: dict[str, tuple[str, str, int, int]] = {
    "dot": (
        ".dot",
        'digraph { a [label="Reader"]; b [shape=record, label="<p>Writer|{x|y}"]; a -> b:p [label=asks]\n'
        " a -> a; a -> a [label=<two<br/>lines>]; b -> c [style=invis]; c [shape=point]\n"
        ' subgraph cluster_x { label="A group"; d [label="List<int>"] } }',
        6,
        3,
    ),
    "mermaid flowchart": (
        ".mmd",
        'flowchart LR\n a["Reader<br/>of books"] -->|asks| b(["`**Writer** of _all_`"])\n'
        " subgraph s [A group]\n  c\n end\n b -.-> s\n c ~~~ a\n",
        5,
        2,
    ),
    "mermaid sequence": (
        ".mmd",
        "sequenceDiagram\n actor R as Reader\n R->>W: asks\n W-->>R: answers\n"
        " loop often\n  R->>R: reads\n end\n Note over R,W: both wait\n",
        7,
        3,
    ),
    "mermaid class": (
        ".mmd",
        "classDiagram\n Pool *-- Worker : owns\n Pool : +List~int~ sizes\n Pool : run()\n",
        5,
        1,
    ),
    "mermaid state": (
        ".mmd",
        "stateDiagram-v2\n [*] --> Idle\n Idle --> Busy: a task\n Busy --> [*]\n",
        3,
        3,
    ),
    "mermaid er": (".mmd", 'erDiagram\n BOOK ||--o{ PAGE : has\n BOOK { string title "of it" }\n', 6, 1),
    "mermaid gantt": (
        ".mmd",
        "gantt\n title Plan\n dateFormat YYYY-MM-DD\n section Design\n Sketch :a, 2024-01-01, 10d\n"
        " Review :b, after a, 6d\n",
        4,
        0,
    ),
    "d2": (
        ".d2",
        "a: Reader\nb: Writer\na -> b: asks\na -> a\n"
        "box: A group {\n  c: Inner\n}\nbox.c -> a: |md\n  **bold** words\n|\n",
        7,
        3,
    ),
    "plantuml class": (
        ".puml",
        "@startuml\nclass Pool {\n +run()\n}\nPool *-- Worker : owns\nPool --> Pool : itself\n@enduml\n",
        5,
        2,
    ),
    "plantuml sequence": (
        ".puml",
        "@startuml\nparticipant Reader\nReader -> Writer : asks\nnote over Writer : waits\n"
        "alt well\nWriter --> Reader : answers\nend\n@enduml\n",
        6,
        0,
    ),
    "vega-lite": (
        ".vl.json",
        '{"data": {"values": [{"a": "one", "b": 3}, {"a": "two", "b": 5}]}, "mark": "bar",\n'
        ' "title": "Two bars", "encoding": {"x": {"field": "a", "title": "Names"}, "y": {"field": "b",\n'
        ' "type": "quantitative"}}}',
        17,  # with the tick above the highest bar
        0,
    ),
    "wavedrom": (
        ".wavedrom",
        "{signal: [{name: 'clk', wave: 'p..'}, ['Group', {name: 'bus', wave: 'x=.', data: ['head'],\n"
        " node: '.a'}, {name: 'ack', wave: '0.1', node: '..b'}]], edge: ['a~>b after']}",
        6,
        1,
    ),
    "svgbob": (
        ".bob",
        "+--------+      +--------+\n| Reader |----->| Writer |\n+--------+      +--------+\n",
        2,
        0,
    ),
    "railroad": (".ebnf", 'greeting = "hello" , name ;\nname = "Ann" | "Bob" ;\n', 6, 0),
    "schemdraw": (
        ".py",
        "import schemdraw\nimport schemdraw.elements as elm\n\n\ndef draw():\n"
        "    with schemdraw.Drawing(show=False) as d:\n"
        "        elm.Resistor().label('Load')\n        elm.Capacitor().down().label('Store')\n    return d\n",
        2,
        0,
    ),
    "excalidraw": (".excalidraw", EXCALIDRAW, 2, 1),
}
DRAWN_AS_KIND = {name: name.split()[0] for name in SOURCES}


@pytest.fixture(scope="module")
def raws(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Raw]:
    """The drawing of each source."""
    root = tmp_path_factory.mktemp("stated")
    if CORE.is_dir():
        shutil.copytree(CORE, root / "node_modules/@plantuml/core")
    names = [name for name in SOURCES if CORE.is_dir() or DRAWN_AS_KIND[name] != "plantuml"]
    jobs = []
    for number, name in enumerate(names):
        suffix, text, *_ = SOURCES[name]
        (root / f"s{number}{suffix}").write_text(text)
        kind = DRAWN_AS_KIND[name]
        entry = "draw" if is_script(suffix) else "alone" if KINDS[kind].process.starts_programs else "file"
        jobs.append(Job(kind, f"s{number}{suffix}", entry, engine=(KINDS[kind].layouts or ("dot",))[0]))
    results = dict(zip(names, draw_all(jobs, root, 1), strict=True))
    assert {name: result for name, result in results.items() if not isinstance(result, Drawn)} == {}
    return {name: result.raw for name, result in results.items() if isinstance(result, Drawn)}


def named(names: list[str]) -> list[object]:
    return [pytest.param(name, marks=needs_plantuml if name.startswith("plantuml") else ()) for name in names]


EVERY = pytest.mark.parametrize("name", named(list(SOURCES)))
RELATED = pytest.mark.parametrize("name", named([name for name, row in SOURCES.items() if row[3]]))


def texts_of(svg: bytes) -> tuple[str, ...]:
    return normalise(svg, Sheet("f", "", "")).texts


def finding_of(raw: Raw, name: str, **more: object) -> list[str]:
    """What settling says of a drawing's words and lines."""
    visual = Visual(
        id="f",
        name=None,
        track="cloud",
        title=None,
        kind=DRAWN_AS_KIND[name],
        source="f.x",
        output="f.svg",
        alt="A figure.",
        caption=None,
        origins={"": Origin("q.yaml", 1)},
    )
    settled = settle(visual, raw, replace(Options(), **more))  # type: ignore[arg-type]
    if not isinstance(settled, Settled):
        return [str(error) for error in settled]
    return [str(warning) for warning in settled.warnings if warning.check in (CHECK, "nothing-drawn")]


def without(svg: bytes, number: int) -> bytes:
    """A drawing without its n-th element that has words."""
    root = etree.fromstring(svg)
    del_ = worded(root)[number]
    above = del_.getparent()
    assert above is not None
    above.remove(del_)
    return etree.tostring(root)


def worded(root: etree._Element) -> list[etree._Element]:
    """The texts of a drawing, and the innermost parts of its HTML."""
    texts = [
        text
        for text in root.iter("{http://www.w3.org/2000/svg}text")
        if "".join(map(str, text.itertext())).strip()
    ]
    html = [
        element for element in root.iter("{http://www.w3.org/1999/xhtml}*") if (element.text or "").strip()
    ]
    return texts + html


@EVERY
def test_a_sound_picture_lacks_nothing(raws: dict[str, Raw], name: str) -> None:
    raw, (_, _, labels, relations) = raws[name], SOURCES[name]
    assert (len(raw.stated.labels), len(raw.stated.relations)) == (labels, relations), raw.stated
    assert finding_of(raw, name) == []
    assert unpacked(raw.header()["stated"]) == raw.stated


@EVERY
def test_each_text_that_a_drawing_loses_is_found(raws: dict[str, Raw], name: str) -> None:
    """Between drawing and settling; a text that stands twice, or that the source does not state, may go."""
    raw = raws[name]
    every = worded(etree.fromstring(raw.svg))
    texts = ["".join("".join(map(str, element.itertext())).split()) for element in every]
    stated_words = ["".join(label.text.split()) for label in raw.stated.labels]
    caught = 0
    for number, text in enumerate(texts):
        broken = replace(raw, svg=without(raw.svg, number))
        is_spare = texts.count(text) > stated_words.count(text) or text not in stated_words
        is_found = finding_of(broken, name) != []
        assert is_found or is_spare, (text, raw.stated)
        caught += is_found
    assert caught >= min(len(raw.stated.labels), 2), texts


@RELATED
def test_each_line_that_a_drawing_loses_is_found_and_not_counted(raws: dict[str, Raw], name: str) -> None:
    raw = raws[name]
    noun = "messages" if "messages" in raw.facts else "edges"
    for relation in raw.stated.relations:
        broken = replace(raw, svg=without_line(raw.svg, relation.mark))
        said = finding_of(broken, name)
        assert [
            line
            for line in said
            if f"from '{' '.join(relation.start.split())}' to" in line and "is not in the picture" in line
        ], said
        before = raw.facts.get(noun)
        if isinstance(before, int):
            assert counted(raw.facts, noun, broken.svg, raw.stated)[noun] == before - 1


def without_line(svg: bytes, mark: str) -> bytes:
    """A drawing without the strokes of the first element with a mark."""
    root = etree.fromstring(svg)
    for node in root.iter("{*}*"):
        title = next(iter(node.findall("{*}title")), None)
        names = [node.get("id"), node.get("data-id"), *str(node.get("class", "")).split()]
        if mark in names or (title is not None and title.text == mark):
            for stroke in list(node.iter("{*}path", "{*}line", "{*}polyline")):
                stroke.attrib.clear()
            return etree.tostring(root)
    raise AssertionError(mark)


def test_a_finding_has_its_line_and_is_an_error_in_a_strict_book(raws: dict[str, Raw]) -> None:
    raw = raws["mermaid flowchart"]
    gone = replace(raw, svg=raw.svg.replace(b">asks<", b"><"))
    (said,) = finding_of(gone, "mermaid flowchart")
    assert said == (
        "f.x:2: the label 'asks' is not in the picture; shorten it, or write it in plain words [not-drawn]"
    )
    (error,) = finding_of(gone, "mermaid flowchart", lint=(("not-drawn", "error"),))
    assert error.startswith("f.x:2: the label 'asks'")
    assert finding_of(gone, "mermaid flowchart", lint=(("not-drawn", "off"),)) == []


def test_two_relations_with_one_line_are_one_line_short() -> None:
    twice = tuple(Relation("A", "A", text, "loop", line) for text, line in (("tick", 2), ("reset", 3)))
    drawn = b'<svg xmlns="http://www.w3.org/2000/svg"><path id="loop" d="M0 0L9 9"/><g id="loop"/></svg>'
    assert lost(drawn, twice) == twice[1:]
    assert counted({"edges": 2, "nodes": 1}, "edges", drawn, Stated((), twice)) == {"edges": 1, "nodes": 1}
    assert counted({"nodes": 1}, "edges", drawn, Stated((), twice)) == {"nodes": 1}
    assert lost(b"<svg", twice) == twice


@cases(
    ("label", "texts", "stands"),
    [
        ("two words", ["two", "words"], True),  # broken into lines
        ("two words", ["words", "two"], False),
        ("two\nlines", ["lines", "and", "two"], True),  # cells
        ("a b", ["a\u00a0b"], True),
        ("soft", ["so\u00adft"], True),
        ("incomprehensible", ["incompre-", "hensible"], True),  # a hyphen of the engine
        ("name", ["+ name: String"], True),
        ("A", ["API"], False),
        ("A", ["A", "API"], True),
        ("long label", ["long la\u2026"], False),
        ("\u96fb\u8cc7", ["\u96fb\u8cc7\u6599"], True),  # no spaces between words
        ("List<int>", ["List"], False),
        ("", [], True),
    ],
)
def test_where_a_label_stands(label: str, texts: list[str], stands: bool) -> None:
    assert (missing([Label(label)], texts) == []) == stands


def test_each_text_is_used_once() -> None:
    labels = [Label("uses"), Label("uses"), Label("uses it")]
    assert missing(labels, ["uses", "uses", "uses it"]) == []
    assert missing(labels, ["uses", "uses it"]) == [Label("uses")]
    assert missing(labels, ["uses", "uses", "it"]) == [Label("uses it")]


def test_a_label_that_is_cut_is_said_to_be_cut(raws: dict[str, Raw]) -> None:
    raw = raws["vega-lite"]
    (said,) = finding_of(replace(raw, svg=raw.svg.replace(b"Two bars", "Two b\u2026".encode())), "vega-lite")
    assert "the label 'Two bars' is cut off in the picture" in said


def test_an_answer_with_other_values_is_refused() -> None:
    good = Stated((Label("a", 1),), (Relation("a", "b", "", "e1"),)).packed()
    assert unpacked(good) == Stated((Label("a", 1),), (Relation("a", "b", "", "e1"),))
    for wrong in (
        None,
        {},
        {**good, "more": []},
        {**good, "labels": "a"},
        {**good, "labels": [["a"]]},
        {**good, "labels": [["a", 0]]},
        {**good, "labels": [["a", True]]},
        {**good, "labels": [["\ud800", None]]},
        {**good, "labels": [["a" * 1001, None]]},
        {**good, "relations": [["a", "b", "", 3, None]]},
        {**good, "labels": [["a", None]] * 5001},
    ):
        with pytest.raises(ValueError, match=r"label|stated|line"):
            unpacked(wrong)


def test_a_source_gives_its_labels_their_lines() -> None:
    source = "a: x\nb: x\na -> b: go\n"
    result = stated(["x", "x", "go", "", "none"], [("a", "b", "", "e1")], source)
    assert [label.line for label in result.labels] == [1, 2, 3, None]
    assert [relation.line for relation in result.relations] == [3]
    assert {label.line for label in result.without_lines().labels} == {None}


def test_texts_of_a_chart_are_those_of_its_visible_marks() -> None:
    text = {
        "marktype": "text",
        "items": [{"text": ["two", "lines"]}, {"text": 5}, {"text": "gone", "opacity": 0}],
    }
    assert sorted(
        map(text_of, texts_in({"items": [{"marktype": "group", "items": [{"items": [text]}]}]}))
    ) == [
        "5",
        "two\nlines",
    ]


EMPTY = {
    "field": (
        '{"data": {"values": [{"a": "x", "b": 3}]}, "mark": "bar",\n "encoding": {"x": {"field": "a"},'
        ' "y": {"field": "c", "type": "quantitative"}}}',
        "the chart shows no mark: its data have no field 'c'",
    ),
    "rows": (
        '{"data": {"values": []},\n "mark": "bar", "encoding": {"x": {"field": "a"}}}',
        "is it written for a newer",
    ),
}


def test_a_chart_without_a_mark_is_a_finding(space: Space) -> None:
    for name, (chart, _) in EMPTY.items():
        space.write({f"visuals/{name}.vl.json": chart})
        space.question(name, f"source: {name}.vl.json, alt: A chart that shows nothing at all.")
    told = space.run("lint").out.splitlines()
    for name, (_, message) in EMPTY.items():
        rows = [row for row in told if f"visuals/{name}.vl.json:" in row and "[nothing-drawn]" in row]
        assert any(message in row for row in rows), (name, told)
