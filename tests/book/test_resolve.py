"""Questions and file names -> a book: sources found, outputs named, claims settled."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from helpers.cases import cases

from figmill.book.question import Question, read
from figmill.book.resolve import Book, resolve
from figmill.config import Options
from figmill.kinds import KINDS
from figmill.model import Visual

IN_PLACE = Options(output="in-place")


def book_of(
    questions: dict[str, str], files: Sequence[str] = (), options: Options | None = None, track: str = "cloud"
) -> Book:
    """A book of these questions: name of the file and id -> the lines of `visual` as a flow mapping."""
    parsed_questions = []
    for name, visual in questions.items():
        text = f"id: {name}\ntrack: {track}\nvisual: {{{visual}}}\n"
        question, problems = read(f"questions/{name}.yaml", text.encode())
        assert not problems, problems
        assert question is not None
        parsed_questions.append(question)
    return resolve(parsed_questions, frozenset(files), options or Options())


def only(book: Book) -> Visual:
    assert [str(problem.error) for problem in book.problems] == []
    (visual,) = book.visuals
    return visual


def messages(book: Book) -> list[str]:
    return [str(problem.error) for problem in book.problems]


def parsed(*texts: str) -> list[Question]:
    questions = []
    for number, text in enumerate(texts, start=1):
        question, problems = read(f"{number}.yaml", text.encode())
        assert question is not None, problems
        questions.append(question)
    return questions


def test_everything_is_looked_up() -> None:
    visual = only(
        book_of(
            {
                "a": "alt: x, kind: dot, source: a.py, params: {n: 1}, engine: neato, inputs: [t.csv, data/u.csv]"
            },
            ["visuals/cloud/a.py", "visuals/t.csv", "visuals/data/u.csv"],
            Options(themes=("dark",)),
        )
    )
    assert (visual.label, visual.track, visual.kind, visual.source) == (
        "a",
        "cloud",
        "dot",
        "visuals/cloud/a.py",
    )
    assert (visual.output, visual.inputs) == (
        "cloud/a.svg",
        ("visuals/t.csv", "visuals/data/u.csv"),
    )
    assert (visual.engine, visual.timeout, visual.themes) == ("neato", 60.0, ("dark",))
    assert str(visual.at("params", "n")) == "questions/a.yaml:3:55"


@pytest.mark.parametrize(
    ("files", "track", "source"),
    [
        (["visuals/cloud/a.dot", "visuals/a.dot"], "cloud", "visuals/cloud/a.dot"),
        (["visuals/a.dot", "visuals/edge/a.dot"], "cloud", "visuals/a.dot"),
        (["visuals/a.dot"], "global", "visuals/a.dot"),
        (["visuals/global/a.dot"], "global", "visuals/global/a.dot"),
    ],
)
def test_where_a_source_is_looked_for(files: list[str], track: str, source: str) -> None:
    assert only(book_of({"x": "alt: x, source: a.dot"}, files, track=track)).source == source


def test_several_folders_of_sources() -> None:
    options = Options(visuals=("one", "two"))
    assert only(
        book_of({"x": "alt: x, source: a.dot"}, ["two/cloud/a.dot", "one/a.dot"], options)
    ).source == ("two/cloud/a.dot")


def test_accents_are_the_same_however_they_are_spelt() -> None:
    assert (
        only(book_of({"x": "alt: x, source: é.dot"}, ["visuals/e\u0301.dot"])).source == "visuals/e\u0301.dot"
    )


@pytest.mark.parametrize(
    ("visual", "kind"),
    [
        ("source: a.dot", "dot"),
        ("source: a.gv", "dot"),
        ("source: a.svg", "svg"),
        ("source: a.py, kind: dot", "dot"),
        ("source: a.py, kind: matplotlib", "matplotlib"),
        ("path: a.dot", "dot"),
        ("path: a.py, kind: matplotlib", "matplotlib"),
    ],
)
def test_what_kind_it_is(visual: str, kind: str) -> None:
    assert only(
        book_of({"x": f"alt: x, {visual}"}, [f"visuals/a.{s}" for s in ("dot", "gv", "svg", "py")])
    ).kind == (kind)


# Vaults name the product, and its source lies beside it: (visual, files, kind, source, output, old product).
VAULTS = [
    (
        "kind: svg, path: a.svg",
        "cloud/a.dot cloud/a.py cloud/a.svg",
        "dot cloud/a.dot cloud/a.svg cloud/a.svg",
    ),
    ("kind: svg, path: a.svg", "cloud/a.py cloud/a.svg", "matplotlib cloud/a.py cloud/a.svg cloud/a.svg"),
    ("kind: svg, path: a.svg", "cloud/a.py", "matplotlib cloud/a.py cloud/a.svg -"),
    ("kind: svg, path: a.svg", "cloud/a.svg", "svg cloud/a.svg cloud/a.svg -"),
    ("kind: svg, path: a.svg", "a.svg a.dot", "dot a.dot cloud/a.svg a.svg"),
    ("kind: svg, path: a.svg", "cloud/a.svg a.dot", "svg cloud/a.svg cloud/a.svg -"),
    ("path: a.svg", "cloud/a.dot cloud/a.svg", "dot cloud/a.dot cloud/a.svg cloud/a.svg"),
    ("kind: matplotlib, path: a.svg", "cloud/a.dot cloud/a.py", "matplotlib cloud/a.py cloud/a.svg -"),
    ("kind: dot, path: a.svg", "cloud/a.gv", "dot cloud/a.gv cloud/a.svg -"),
    ("kind: dot, path: a.svg", "cloud/a.py", "dot cloud/a.py cloud/a.svg -"),
    ("kind: svg, path: b.svg", "cloud/b.dot", "dot cloud/b.dot cloud/b.svg -"),
    ("kind: svg", "cloud/a.dot", "dot cloud/a.dot cloud/a.svg -"),
    ("kind: svg, source: a.svg", "cloud/a.dot cloud/a.svg", "svg cloud/a.svg cloud/a.svg -"),
    ("kind: svg, rendered: b.svg", "cloud/b.py", "matplotlib cloud/b.py cloud/b.svg -"),
    ("source: s.dot, path: b.svg", "cloud/s.dot", "dot cloud/s.dot cloud/b.svg -"),
    ("path: s.svg, rendered: b.svg", "cloud/s.svg", "svg cloud/s.svg cloud/b.svg -"),
]


@cases(("visual", "files", "expected"), VAULTS)
def test_existing_vaults_build_without_an_edit(visual: str, files: str, expected: str) -> None:
    figure = only(book_of({"a": f"alt: x, {visual}"}, [f"visuals/{name}" for name in files.split()]))
    kind, source, output, old = expected.split()
    assert (figure.kind, figure.source, figure.output) == (kind, f"visuals/{source}", output)
    assert figure.old_product == (None if old == "-" else f"visuals/{old}")


FILES = ["visuals/cloud/pipeline.dot", "visuals/cloud/ring.svg", "visuals/bubble.py", "visuals/edge/tree.dot"]

# (visual, what is said of it); `visual` begins in line 3, column 9
SUFFIXES = sorted({suffix for kind in KINDS.values() for suffix in kind.suffixes})
_with_nodes = [name for name, kind in KINDS.items() if "nodes" in kind.counts]
COUNTING = f"{', '.join(_with_nodes[:-1])} or {_with_nodes[-1]}"
REFUSED = [
    (
        "source: pipelin.dot",
        "28: there is no file 'pipelin.dot' in visuals/cloud or visuals; did you mean 'pipeline.dot'?",
    ),
    (
        "source: tree.dot",
        "28: there is no file 'tree.dot' in visuals/cloud or visuals; there is one in visuals/edge, "
        "called 'edge/tree.dot' here",
    ),
    ("source: zzz.dot", "28: there is no file 'zzz.dot' in visuals/cloud or visuals"),
    (
        "source: bubble.py",
        "28: 'bubble.py' imports none of graphviz, matplotlib, schemdraw; "
        "add `kind: dot` or `kind: matplotlib` or `kind: schemdraw`",
    ),
    ("source: a.txt", f"28: figmill cannot draw 'a.txt'; sources end in {', '.join(SUFFIXES)}"),
    ("source: data.csv", "28: figmill cannot draw 'data.csv'; name a script that reads it and draws"),
    (
        "source: flow.vsdx",
        "28: figmill cannot draw 'flow.vsdx'; save it as SVG in the program that it "
        "comes from, and name the SVG",
    ),
    ("source: a.ipynb", "28: there is no file 'a.ipynb' in visuals/cloud or visuals"),
    ("source: p/Q.PNG", "28: figmill cannot draw 'p/Q.PNG'; write its suffix in small letters"),
    (
        "kind: svg, source: a.pdf",
        "39: kind svg is drawn from .svg or .svgz, not from 'a.pdf'; save it as SVG in the "
        "program that it comes from, and name the SVG",
    ),
    ("kind: svg, source: pipeline.dot", "39: kind svg is drawn from .svg or .svgz, not from 'pipeline.dot'"),
    ("kind: dot, source: ring.svg", "39: kind dot is drawn from .dot or .gv or .py, not from 'ring.svg'"),
    (
        "path: rign.svg",
        "26: there is no file 'rign.svg' in visuals/cloud or visuals; did you mean 'ring.svg'?",
    ),
    ("kind: dot", "9: a figure needs a source: the .dot, .gv, .py or .svg file that draws it"),
    ("source: ring.svg, path: pipeline.dot", "44: path repeats source and rendered; leave it out"),
    (
        "source: ring.svg, params: {a: 1}",
        "46: params are arguments of a script's draw(), and 'ring.svg' is not a script",
    ),
    (
        "path: ring.svg, params: {a: 1}",
        "44: params are arguments of a script's draw(), and 'ring.svg' is not a script",
    ),
    (
        "source: pipeline.dot, params: {a: 1}",
        "50: params are arguments of a script's draw(), and 'pipeline.dot' is not a script",
    ),
    (
        "source: ring.svg, engine: neato",
        "46: engine is the layout of a graph; it works only with kind dot or d2, not svg",
    ),
    ("source: ring.svg, expect: {nodes: 1}", f"54: nodes can be counted only in kind {COUNTING}, not svg"),
    (
        "source: ring.svg, inputs: [ring.svg, x.csv]",
        "57: there is no file 'x.csv' in visuals/cloud or visuals",
    ),
    (
        "source: ring.svg, rendered: x.dark.svg",
        "48: 'x.dark.svg' must not end in .dark.svg, which marks dark figures",
    ),
]


@cases(("visual", "message"), REFUSED, ids=[visual for visual, _ in REFUSED])
def test_what_is_wrong_with_a_figure(visual: str, message: str) -> None:
    book = book_of({"a": f"alt: xxx, {visual}"}, FILES)
    assert messages(book) == [f"questions/a.yaml:3:{message}"]
    assert book.visuals == ()


def test_a_missing_product_says_what_it_could_be_built_from() -> None:
    (problem,) = book_of({"a": "alt: x, kind: svg, path: a.svg"}).problems
    assert problem.error.detail == "there is also no a.dot or a.py to build it from"


def test_a_bad_figure_stops_no_other() -> None:
    book = book_of({"a": "alt: x, source: no.dot", "b": "alt: x, source: pipeline.dot"}, FILES)
    assert [visual.id for visual in book.visuals] == ["b"]
    assert [(p.id, p.name, str(p.error.origin)) for p in book.problems] == [
        ("a", None, "questions/a.yaml:3:26")
    ]


# Claims ----------------------------------------------------------------------------------------------------


def test_two_files_of_one_id_both_fail_and_name_each_other() -> None:
    questions = parsed("id: a\nvisual: {alt: x, source: r.svg}", "id: a", "id: b\nvisual: {ref: a}")
    book = resolve(questions, frozenset({"visuals/r.svg"}), Options())
    assert messages(book) == [
        "2.yaml:1:5: the question at 1.yaml:1:5 also has the id 'a'; rename one",
    ]
    assert book.visuals == ()


def test_a_default_name_beats_a_written_one() -> None:
    book = book_of({"a": "alt: x, source: ring.svg", "b": "alt: x, source: ring.svg, rendered: a.svg"}, FILES)
    assert [visual.id for visual in book.visuals] == ["a"]
    assert messages(book) == [
        "questions/b.yaml:3:46: 'cloud/a.svg' is also the output of 'a', at questions/a.yaml:3:9"
    ]


def test_a_default_name_is_kept_for_a_figure_that_fails() -> None:
    book = book_of({"a": "alt: x, source: no.svg", "b": "alt: x, source: ring.svg, rendered: a.svg"}, FILES)
    assert book.visuals == ()
    assert [problem.id for problem in book.problems] == ["a", "b"]


@pytest.mark.parametrize(
    ("one", "two"), [("r.svg", "r.svg"), ("r.svg", "R.svg"), ("\u00e9.svg", "e\u0301.svg")]
)
def test_of_two_written_names_neither_wins(one: str, two: str) -> None:
    book = book_of(
        {f: f"alt: x, source: ring.svg, rendered: {name}" for f, name in (("a", one), ("b", two))}, FILES
    )
    assert book.visuals == ()
    assert messages(book) == [
        f"questions/a.yaml:3:46: 'cloud/{one}' is also the output of 'b', at questions/b.yaml:3:46",
        f"questions/b.yaml:3:46: 'cloud/{two}' is also the output of 'a', at questions/a.yaml:3:46",
    ]


def test_the_same_name_in_two_tracks_is_fine() -> None:
    questions = parsed(
        "id: a\ntrack: x\nvisual: {alt: x, source: r.svg, rendered: f.svg}",
        "id: b\ntrack: y\nvisual: {alt: x, source: r.svg, rendered: f.svg}",
    )
    book = resolve(questions, frozenset({"visuals/r.svg"}), Options())
    assert [visual.output for visual in book.visuals] == ["x/f.svg", "y/f.svg"]


def test_two_figures_of_one_name_both_fail() -> None:
    questions = parsed(
        "id: a\nvisuals:\n- {name: b, alt: x, source: r.svg}\n- {name: c, alt: x, source: r.svg}",
        "id: a-b\nvisual: {alt: x, source: r.svg}",
    )
    book = resolve(questions, frozenset({"visuals/r.svg"}), Options())
    assert [visual.output for visual in book.visuals] == ["global/a-c.svg"]
    assert [(p.id, p.name) for p in book.problems] == [("a", "b"), ("a-b", None)]


# In place --------------------------------------------------------------------------------------------------


def test_in_place_figures_stand_beside_their_sources() -> None:
    book = book_of(
        {
            "a": "alt: x, source: pipeline.dot",
            "b": "alt: x, kind: matplotlib, source: bubble.py, rendered: b2.svg",
            "c": "alt: x, source: ring.svg",
        },
        FILES,
        IN_PLACE,
    )
    assert messages(book) == []
    assert [visual.output for visual in book.visuals] == [
        "visuals/cloud/a.svg",
        "visuals/b2.svg",
        "visuals/cloud/ring.svg",
    ]


def test_in_place_no_drawing_is_written_over() -> None:
    book = book_of({"c": "alt: x, source: ring.svg", "ring": "alt: x, source: pipeline.dot"}, FILES, IN_PLACE)
    assert [visual.id for visual in book.visuals] == ["c"]
    assert messages(book) == [
        "questions/ring.yaml:3:9: 'visuals/cloud/ring.svg' is the drawing of 'c', which figmill never overwrites"
    ]


# References ------------------------------------------------------------------------------------------------

SHOWN = (
    "id: one\nvisual: {alt: x, source: r.svg}",
    "id: two\nvisuals: [{name: p, alt: x, source: r.svg}, {name: q, alt: x, source: missing.svg}]",
    "id: none",
    "id: on-to\nvisual: {ref: one}",
)


@pytest.mark.parametrize("target", ["one", "two-p", "two-q"])
def test_references_lead_to_figures(target: str) -> None:
    book = resolve(
        parsed(*SHOWN, f"id: x\nvisual: {{ref: {target}}}"), frozenset({"visuals/r.svg"}), Options()
    )
    assert [(ref.id, ref.target, ref.origin.line) for ref in book.refs] == [
        ("on-to", "one", 2),
        ("x", target, 2),
    ]


@pytest.mark.parametrize(
    ("target", "message"),
    [
        ("oen", "there is no question 'oen'; did you mean 'one'?"),
        ("zzz", "there is no question 'zzz'"),
        ("none", "'none' has no figure"),
        ("two", "'two' has several figures; write one of two-p, two-q"),
        ("on-to", "'on-to' is itself a reference to 'one'; write `ref: one`"),
    ],
)
def test_references_that_lead_nowhere(target: str, message: str) -> None:
    questions = parsed(*SHOWN, f"id: x\nvisual: {{ref: {target}}}")
    book = resolve(questions, frozenset({"visuals/r.svg", "visuals/missing.svg"}), Options())
    assert messages(book) == [f"5.yaml:2:15: {message}"]
    assert [ref.id for ref in book.refs] == ["on-to"]


def test_a_large_book_with_many_mistakes_is_resolved_in_time() -> None:
    import time

    texts = [f"id: cloud-{n}\nvisual: {{alt: x, source: cluod-{n}.dot}}" for n in range(100)]
    texts += [f"id: r-{n}\nvisual: {{ref: cluod-{n}}}" for n in range(100)]
    files = frozenset(f"visuals/cloud-{n}.dot" for n in range(5000))
    start = time.process_time()
    book = resolve(parsed(*texts), files, Options())
    assert len(book.problems) == 200
    assert time.process_time() - start < 10
