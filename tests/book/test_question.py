"""YAML bytes -> Questions: what is read, what is refused and where, and that nothing gets through the limits."""

from __future__ import annotations

import gc
import textwrap
import time

import pytest
import yaml
from helpers.cases import cases
from helpers.examples import examples
from hypothesis import given, settings
from hypothesis import strategies as st

from figmill.book import scalars
from figmill.book.nodes import Scalar
from figmill.book.question import Declaration, Problem, Question, read
from figmill.kinds import KINDS
from figmill.model import Expect, ExpectedFact, Origin


def reading(text: str) -> tuple[Question | None, tuple[Problem, ...]]:
    return read("q.yaml", textwrap.dedent(text).encode())


def messages(text: str) -> list[str]:
    return [str(problem.error) for problem in reading(text)[1]]


def question_of(text: str) -> Question:
    question, problems = reading(text)
    assert not problems
    assert question is not None
    return question


def figure(lines: str) -> Declaration:
    """The declaration of a question whose `visual` holds these lines and an alt."""
    indented = textwrap.indent(textwrap.dedent(lines), "  ")
    (declaration,) = question_of(f"id: a\nvisual:\n  alt: b\n{indented}").declarations
    return declaration


def figure_messages(lines: str) -> list[str]:
    """What is wrong with these lines of a `visual`, where the first of them is line 4."""
    indented = textwrap.indent(textwrap.dedent(lines), "  ")
    return messages(f"id: a\nvisual:\n  alt: b\n{indented}")


WHOLE = """\
id: cloud-2848
track: cloud
title: Pipeline bubble
scenario: {any: [thing, !at all]}
visual:
  kind: matplotlib
  source: pipeline_bubble.py
  params: {devices: 4, schedule: gpipe, ratio: 0.5, on_time: true, none: ~, deep: {a: [1, [2]]}}
  alt: >-
    A Gantt chart
    of four devices.
  caption: "Bubble: 3/7"
  rendered: bubble.svg
  inputs: [trace.csv, other.csv]
  themes: [dark, light]
  timeout: 120
  expect:
    text: ["Bubble = 0.43"]
    facts: {bubble_fraction: 0.4286, makespan: {value: 14, abs: 0.5}, order: [a, b]}
"""


def test_a_whole_question_is_read() -> None:
    question = question_of(WHOLE)
    assert (question.id, question.track, question.title) == ("cloud-2848", "cloud", "Pipeline bubble")
    assert question.origin == Origin("q.yaml", 1, 5)
    (visual,) = question.declarations
    assert visual.alt == "A Gantt chart of four devices."
    assert visual.params == {
        "devices": 4,
        "schedule": "gpipe",
        "ratio": 0.5,
        "on_time": True,
        "none": None,
        "deep": {"a": [1, [2]]},
    }
    assert (visual.kind, visual.source, visual.caption) == ("matplotlib", "pipeline_bubble.py", "Bubble: 3/7")
    assert visual.inputs == ("trace.csv", "other.csv")
    assert visual.themes == ("light", "dark")
    assert visual.timeout == 120
    assert visual.expect == Expect(
        text=("Bubble = 0.43",),
        facts=(
            ExpectedFact("bubble_fraction", 0.4286),
            ExpectedFact("makespan", 14, abs=0.5),
            ExpectedFact("order", ["a", "b"]),
        ),
    )


@cases(
    ("keys", "line", "column"),
    [
        ((), 6, 3),
        (("kind",), 6, 9),
        (("params", "devices"), 8, 21),
        (("params", "deep", "a", "1", "0"), 8, 92),
        (("alt",), 9, 8),
        (("inputs", "1"), 14, 23),
        (("expect", "facts", "makespan", "value"), 19, 56),
        (("engine",), 6, 3),
    ],
)
def test_each_value_keeps_its_place(keys: tuple[str, ...], line: int, column: int) -> None:
    (visual,) = question_of(WHOLE).declarations
    assert visual.at(*keys) == Origin("q.yaml", line, column)


def test_windows_files_are_read_alike() -> None:
    same = read("q.yaml", b"\xef\xbb\xbf" + WHOLE.replace("\n", "\r\n").encode())
    assert same == read("q.yaml", WHOLE.encode())


def test_several_figures_and_references() -> None:
    question = question_of(
        """
        id: a
        visuals:
          - {name: one, alt: x, source: one.dot}
          - name: two
            ref: b
        """
    )
    assert [declaration.name for declaration in question.declarations] == ["one"]
    assert [(r.name, r.ref, r.origin.line) for r in question.references] == [("two", "b", 6)]
    assert question.names == ("one", "two")


@cases(
    "text",
    [
        "id: a",
        "id: a\nvisual: null",
        "id: a\nvisual: ~\nvisuals: []",
        '{"id": "a", "title": "json"}',
        "%YAML 1.1\n---\nid: a\n...\n",
        "id: a\nother: !ref {b: !!binary c}\n? [x, y]\n: !z [1]",
        "--- !Question\nid: a",
        "id: a\nother: {x: 1, x: 2}\nmore: 1\nmore: 2",
        "id: a\nbase: &base {x: 1}\nother: {<<: *base, y: 2}",
        "id: a\nbase: &base {x: 1}\n<<: *base",
        "id: 'on'",
        'id: "2848"',
        "id: a\ntitle: 1984",
        "id: a\ntitle: {en: x}",
        "id: a\ntitle: on",
        "id: y",
        "id: &i a\nother: *i",
    ],
)
def test_what_belongs_to_the_book_is_left_alone(text: str) -> None:
    assert question_of(text).declarations == ()


def test_a_title_is_what_was_written() -> None:
    assert question_of("id: a\ntitle: 12:30").title == "12:30"


def test_anchors_may_be_used_in_a_figure() -> None:
    question = question_of(
        """
        answer: &said Three sevenths.
        id: a
        visuals:
          - {name: x, alt: *said, params: &p {n: 4}}
          - {name: y, alt: *said, params: *p}
        """
    )
    assert [visual.alt for visual in question.declarations] == ["Three sevenths."] * 2
    assert [visual.params for visual in question.declarations] == [{"n": 4}] * 2


FILES = [
    ("", "q.yaml:1:1: the file is empty; a question needs at least an id"),
    ("# nothing", "q.yaml:1:1: the file is empty; a question needs at least an id"),
    ("- a", "q.yaml:1:1: a question is a mapping of `key: value` lines"),
    ("title: x", "q.yaml:1:1: a question needs an id, like `id: cloud-2848`"),
    ("id: 2848", "q.yaml:1:5: id must be text, but 2848 is a number; write it in quotes: '2848'"),
    (
        "id: 1_000",
        "q.yaml:1:5: id must be text, but 1_000 is a number to some YAML readers; "
        "write it in quotes: '1_000'",
    ),
    (
        "id: 2026-11-21",
        "q.yaml:1:5: id must be text, but 2026-11-21 is a date; write it in quotes: '2026-11-21'",
    ),
    ("id: null", "q.yaml:1:5: id is empty"),
    ("id:", "q.yaml:1:4: id is empty"),
    ("id: [a]", "q.yaml:1:5: id must be text, not a list"),
    (
        "id: Cloud_",
        "q.yaml:1:5: id 'Cloud_' must be 1 to 64 of A-Z, a-z, 0-9, '.', '_' and '-', "
        "with a letter or a digit at both ends",
    ),
    ("id: a.dark", "q.yaml:1:5: id 'a.dark' must not end in .dark, which marks dark figures"),
    ("id: con", "q.yaml:1:5: id 'con' must not be a name that Windows reserves for a device"),
    ("id: com1.x", "q.yaml:1:5: id 'com1.x' must not be a name that Windows reserves for a device"),
    (
        "id: !!str a",
        "q.yaml:1:5: figmill does not read the tag !!str here; write the plain value, in quotes if it is text",
    ),
    ("id: a\nid: b", "q.yaml:2:1: the key 'id' is repeated; it is already in line 1"),
    (
        "id: a\ntrack: on",
        "q.yaml:2:8: track must be text, but on is true or false to some YAML readers; "
        "write it in quotes: 'on'",
    ),
    ("id: a\ntrack: ../x", "q.yaml:2:8: track '../x' must be a bare name, without folders"),
    ("id: a\ntrack: .git", "q.yaml:2:8: track '.git' must not begin or end with a space or a dot"),
    ('id: a\ntitle: "x\\u202ey"', "q.yaml:2:8: title must not contain the character U+202E"),
    (
        "id: a\nvisual:",
        "q.yaml:2:8: visual is empty; indent its lines under it, "
        "or write `visual: null` if there is no figure",
    ),
    ("id: a\nvisual: x", "q.yaml:2:9: visual must be a mapping of `key: value` lines, not the text 'x'"),
    (
        "id: a\nvisuals: {a: b}",
        "q.yaml:2:10: visuals must be a list, each figure beginning with `- name: ...`, not a mapping",
    ),
    (
        "id: a\nvisual: {ref: b}\nvisuals: []",
        "q.yaml:3:1: a question has either `visual` or `visuals`, not both",
    ),
    ("x: &x {track: t}\nid: a\n<<: *x", "q.yaml:3:1: this merge key (<<) adds track; write that out"),
    ("id: a\n---\nid: b", "q.yaml:2:1: a second document begins here; a question file contains one"),
    ("id: *b", "q.yaml:1:5: *b refers to no complete value before it"),
    ("id: &a [*a]", "q.yaml:1:9: *a refers to no complete value before it"),
    (
        "id: a: b",
        "q.yaml:1:6: a colon inside a value, or a key that is not indented like the others; "
        "put such a value in quotes",
    ),
    ("id: a\nvisual:\n\tkind: dot", "q.yaml:3:1: YAML is indented with spaces, never with tabs"),
    (
        "id: a\nvisual:\n  kind: dot\n\tsource: a.dot",
        "q.yaml:4:1: YAML is indented with spaces, never with tabs",
    ),
    ("é: ü\nid: a\nx: @b", "q.yaml:3:4: no value begins with this character; put it in quotes"),
    ("id: 'a\nx: y", "q.yaml:1:5: the quote that opens in line 1 is never closed"),
    ("id: a\nx: [b\ny: c", "q.yaml:3:2: the [ of line 2 is never closed, or a comma is missing"),
    (
        "id: a\n b: c",
        "q.yaml:2:3: a colon inside a value, or a key that is not indented like the others; "
        "put such a value in quotes",
    ),
    (
        "id: i\n\n  a-1",
        "q.yaml:1:5: id 'i\\na-1' must be 1 to 64 of A-Z, a-z, 0-9, '.', '_' and '-', "
        "with a letter or a digit at both ends",
    ),
    (
        'id: "\\e[31mred"',
        "q.yaml:1:5: id '\\x1b[31mred' must be 1 to 64 of A-Z, a-z, 0-9, '.', '_' and '-', "
        "with a letter or a digit at both ends",
    ),
    (
        "id: a\nx: \x07",
        "q.yaml:2:4: the character U+0007 is not allowed; write it as an escape in double quotes",
    ),
]


@cases(("text", "message"), FILES, ids=[text[:24] for text, _ in FILES])
def test_what_is_wrong_with_a_file(text: str, message: str) -> None:
    assert [str(problem.error) for problem in read("q.yaml", text.encode())[1]] == [message]


def test_bytes_that_are_no_text() -> None:
    _, (problem,) = read("q.yaml", "id: a\nx: é\n".encode("latin-1"))
    assert str(problem.error) == "q.yaml:2:4: this is not UTF-8; save the file as UTF-8"
    _, (problem,) = read("q.yaml", b"\xef\xbb\xbfid\x80: a\n")  # after a byte order mark
    assert str(problem.error) == "q.yaml:1:3: this is not UTF-8; save the file as UTF-8"


# (lines of `visual`, beginning in line 4 and column 3; what is said of them)
FIGURES = [
    ("kind: dott", "4:9: unknown kind 'dott'; did you mean 'dot'?"),
    (
        "kind: bars",
        f"4:9: unknown kind 'bars'; choose one of {', '.join(KINDS)}; a package that you install may add "
        "others",
    ),
    ("kind: 3", "4:9: kind must be text, but 3 is a number; write it in quotes: '3'"),
    ("captoin: x", "4:3: unknown key 'captoin' in visual; did you mean 'caption'?"),
    ("kind: dot\nkind: svg", "5:3: the key 'kind' is repeated; it is already in line 4"),
    ("<<: {kind: dot}", "4:3: figmill does not read merge keys (<<) here; write the keys out"),
    (
        "kind: !x dot",
        "4:9: figmill does not read the tag !x here; write the plain value, in quotes if it is text",
    ),
    ("1: x", "4:3: the key 1 is a number; write it in quotes: '1'"),
    ("? [a]\n: b", "4:5: a key must be text, not a list or a mapping"),
    (
        "source: /a/x.dot",
        "4:11: source '/a/x.dot' must be a path relative to the folder of sources, not an absolute one",
    ),
    ("source: 'a\\b.dot'", "4:11: source 'a\\b.dot' must have '/' between folders, not '\\'"),
    ("source: ../a.dot", "4:11: source '../a.dot' must not lead out of the folder of sources with '..'"),
    ("path: a/../a.svg", "4:9: path 'a/../a.svg' must not lead out of the folder of sources with '..'"),
    (
        "source: a//x.dot",
        "4:11: source 'a//x.dot' must be the names of folders and of a file, with one '/' between them",
    ),
    (
        "source: ./x.dot",
        "4:11: source './x.dot' must be the names of folders and of a file, with one '/' between them",
    ),
    (
        "source: .git/x.dot",
        "4:11: source '.git/x.dot' must not have the part '.git': it must not begin or end with "
        "a space or a dot",
    ),
    (
        "source: b/aux.dot",
        "4:11: source 'b/aux.dot' must not have the part 'aux.dot': it must not be a name that "
        "Windows reserves for a device",
    ),
    (
        "source: b/conout$.dot",
        "4:11: source 'b/conout$.dot' must not have the part 'conout$.dot': it must not be a "
        "name that Windows reserves for a device",
    ),
    (
        'source: "a\\nb.dot"',
        "4:11: source 'a\\nb.dot' must not have the part 'a\\nb.dot': it must not contain the "
        "character U+000A",
    ),
    ("rendered: x.png", "4:13: rendered 'x.png' must end in .svg"),
    ("caption: " + "x" * 20001, "4:12: caption has 20001 characters; at most 20000 are allowed"),
    ("caption: ' '", "4:12: caption is empty"),
    ("engine: neat", "4:11: unknown engine 'neat'; did you mean 'neato'?"),
    ("inputs: x.csv", "4:11: inputs must be a list, like [a, b], not the text 'x.csv'"),
    (
        "inputs: [a.csv, /b]",
        "4:19: inputs.1 '/b' must be a path relative to the folder of sources, not an absolute one",
    ),
    ("inputs: [../a.csv]", "4:12: inputs.0 '../a.csv' must not lead out of the folder of sources with '..'"),
    ("themes: []", "4:11: themes has 0 items; 1 to 256 are allowed"),
    ("themes: [lihgt]", "4:12: unknown theme 'lihgt'; did you mean 'light'?"),
    ("timeout: 0", "4:12: timeout must be above 0, not 0"),
    ("timeout: true", "4:12: timeout must be a number, not true"),
    ("timeout: 1e9", "4:12: timeout must be at most 86400, not 1000000000.0"),
    ("params: [a]", "4:11: params must be a mapping, like {devices: 4}, not a list"),
    (
        "params: {d: 2026-11-21}",
        "4:15: params.d: 2026-11-21 is a date; "
        "write the value that you mean, or quote it for text: '2026-11-21'",
    ),
    (
        "params: {d: yes}",
        "4:15: params.d: yes is true or false to some YAML readers; "
        "write the value that you mean, or quote it for text: 'yes'",
    ),
    (
        "params: {d: 010}",
        "4:15: params.d: 010 is a number, and not the same one to all YAML readers; "
        "write the value that you mean, or quote it for text: '010'",
    ),
    (
        "params: {d: 12:30}",
        "4:15: params.d: 12:30 is a number in base 60 to some YAML readers; "
        "write the value that you mean, or quote it for text: '12:30'",
    ),
    (
        "params: {d: .inf}",
        "4:15: params.d: .inf is not a finite number; "
        "write the value that you mean, or quote it for text: '.inf'",
    ),
    ("params: {d: 1e999}", "4:15: params.d: 1e999 is too large a number"),
    ("params: {on: 1}", "4:12: the key on is true or false to some YAML readers; write it in quotes: 'on'"),
    ("params: {a: {b: 1, b: 2}}", "4:22: the key 'b' is repeated; it is already in line 4"),
    ("expect: {nodes: -1}", "4:19: expect.nodes must be a whole number from 0, not -1"),
    ("expect: {nodes: 1.0}", "4:19: expect.nodes must be a whole number from 0, not 1.0"),
    ("expect: {node: 1}", "4:12: unknown key 'node' in expect; did you mean 'nodes'?"),
    ("expect: {text: [1]}", "4:19: expect.text.0 must be text, but 1 is a number; write it in quotes: '1'"),
    ("expect: {facts: {a: {rel: 1}}}", "4:23: expect.facts.a needs value: the value to expect"),
    ("expect: {facts: {a: {value: x, rel: 1}}}", "4:23: expect.facts.a: rel and abs work only with a number"),
    (
        "expect: {facts: {a: [[1]]}}",
        "4:24: expect.facts.a must be a value or a flat list of values, not a list",
    ),
    (
        "name: x",
        "4:3: unknown key 'name' in visual; choose one of kind, source, path, params, alt, caption, "
        "describe, rendered, engine, inputs, facts, figure, themes, languages, timeout, colours, width, explore, "
        "narrow, expect, lint",
    ),
    ("ref: b", "3:3: unknown key 'alt' in visual; choose one of ref"),
]


@cases(("lines", "message"), FIGURES, ids=[lines[:24] for lines, _ in FIGURES])
def test_what_is_wrong_with_a_figure(lines: str, message: str) -> None:
    assert figure_messages(lines) == [f"q.yaml:{message}"]


@cases(
    ("written", "value"),
    [
        ("4", 4),
        ("-4", -4),
        ("+4", 4),
        ("0x1F", 31),
        ("0.5", 0.5),
        (".5", 0.5),
        ("1e3", 1000.0),
        ("1.5E-3", 0.0015),
        ("true", True),
        ("False", False),
        ("null", None),
        ("~", None),
        ("'on'", "on"),
        ("1a_b", "1a_b"),
        ("2026-11-21 was a Saturday", "2026-11-21 was a Saturday"),
        ("'2026-11-21'", "2026-11-21"),
        ("y", "y"),
        ("n", "n"),
        ("gpipe", "gpipe"),
        ("1.2.3", "1.2.3"),
        ("12 GB", "12 GB"),
        ("4k", "4k"),
        ("_1", "_1"),
        ("a:b", "a:b"),
        ("=", "="),
        ("|\n    x\n", "x\n"),
    ],
)
def test_what_params_mean(written: str, value: object) -> None:
    parsed = figure(f"params:\n  x: {written}").params["x"]
    assert parsed == value
    assert type(parsed) is type(value)


def test_all_that_is_wrong_is_told_in_order() -> None:
    assert messages(
        """\
        id: a
        visual:
          kind: dott
          captoin: x
          expect: {nodes: x, edges: y}
          timeout: 0
        """
    ) == [
        "q.yaml:3:3: visual needs alt: what the figure shows, for people who cannot see it",
        "q.yaml:3:9: unknown kind 'dott'; did you mean 'dot'?",
        "q.yaml:4:3: unknown key 'captoin' in visual; did you mean 'caption'?",
        "q.yaml:5:19: expect.nodes must be a whole number from 0, not x",
        "q.yaml:5:29: expect.edges must be a whole number from 0, not y",
        "q.yaml:6:12: timeout must be above 0, not 0",
    ]


def test_a_bad_figure_leaves_its_siblings_alone() -> None:
    question, problems = reading(
        """\
        id: a
        visuals:
          - {name: good, alt: x, source: x.dot}
          - {name: bad, alt: x, kind: dott}
          - {alt: x}
          - {name: fine, ref: b}
        """
    )
    assert question is not None
    assert [declaration.name for declaration in question.declarations] == ["good"]
    assert [reference.name for reference in question.references] == ["fine"]
    assert question.names == ("good", "bad", "fine")
    assert [(p.id, p.name, p.kind, str(p.error)) for p in problems] == [
        ("a", "bad", "dott", "q.yaml:4:31: unknown kind 'dott'; did you mean 'dot'?"),
        ("a", None, None, "q.yaml:5:5: visuals.2 needs name: the figure's name within its question"),
    ]


def test_problems_say_whose_they_are() -> None:
    question, (problem,) = reading("id: a\ntrack: a/b\nvisual: {alt: x, source: x.dot}")
    assert (problem.id, question and question.names, question and question.declarations) == ("a", (None,), ())


# Limits ----------------------------------------------------------------------------------------------------

BOMBS = [
    (b"[" * 100_000, "q.yaml:1:1: a question is a mapping of `key: value` lines"),
    (b"x: " + b"[" * 100_000, "q.yaml:1:67: nested more than 64 deep"),
    (b"id: a\nvisual: " + b"[" * 100_000, "q.yaml:2:72: nested more than 64 deep"),
    (b"{a: " * 100_000, "q.yaml:1:257: nested more than 64 deep"),
    (b"x:\n" + b"- " * 100_000, "q.yaml:2:127: nested more than 64 deep"),
    (b"? " * 100_000, "q.yaml:1:129: nested more than 64 deep"),
    (b"x: &a b\ny: [" + b"*a," * 101 + b"]", "q.yaml:2:305: more than 100 aliases"),
    (b"x" * 1_000_001, "q.yaml: 1,000,001 bytes; a question file has at most 1,000,000"),
]


@pytest.mark.parametrize(("data", "message"), BOMBS, ids=[message[-40:] for _, message in BOMBS])
def test_bombs_are_refused_at_once(data: bytes, message: str) -> None:
    start = time.process_time()
    _, (problem,) = read("q.yaml", data)
    assert str(problem.error) == message
    assert time.process_time() - start < 1


def laughs(key: str) -> str:
    """Ten to the ninth values in 99 aliases."""
    lines = ["x0: &x0 [a, a]"]
    lines += [f"x{n}: &x{n} [{', '.join([f'*x{n - 1}'] * 11)}]" for n in range(1, 10)]
    return "\n".join(["id: a", *lines, f"{key}: {{alt: x, source: x.py, params: {{p: *x9}}}}"])


def test_a_billion_laughs_are_never_expanded() -> None:
    start = time.process_time()
    assert messages(laughs("visual")) == [
        "q.yaml:12:9: too large or too deep for a figure; keep data in a file beside its source"
    ]
    assert messages(laughs("other")) == []
    assert time.process_time() - start < 2


def test_aliases_cannot_nest_deeper_than_brackets() -> None:
    deep = "[" * 40 + "{}" + "]" * 40
    text = (
        f"a: &a {deep.format('x')}\nb: &b {deep.format('*a')}\nid: a\nvisual: {{alt: x, params: {{p: *b}}}}"
    )
    assert messages(text) == [
        "q.yaml:4:9: too large or too deep for a figure; keep data in a file beside its source"
    ]


def test_aliases_cannot_make_long_text_longer() -> None:
    word = "w" * 200_000
    text = f"id: a\nx: &w {word}\nvisual: {{alt: x, params: {{p: [*w, *w, *w, *w, *w, *w]}}}}"
    assert messages(text) == [
        "q.yaml:3:9: too large or too deep for a figure; keep data in a file beside its source"
    ]


def test_a_thousand_mistakes_are_not_told_one_by_one() -> None:
    told = figure_messages("\n".join(f"capt{n}: x" for n in range(1000)))
    assert len(told) == 50
    assert told[0].startswith("q.yaml:4:3: unknown key 'capt0' in visual; choose one of kind, source, ")
    assert told[-1].endswith("(and 950 more problems from here on)")
    assert len(messages("id: a\nvisuals: [" + "x, " * 1000 + "]")) == 50


def test_messages_are_short() -> None:
    for text in ("id: " + "1:1" * 1000, f"id: {'x' * 1000}", f"id: a\nvisual: {{{'x' * 1000}: 1}}"):
        assert all(len(message) < 300 for message in messages(text))


def test_merge_bombs_cost_nothing() -> None:
    lines = ["a0: &a0 {k: v}"]
    lines += [f"a{n}: &a{n} {{<<: [*a{n - 1}, *a{n - 1}]}}" for n in range(1, 26)]
    start = time.process_time()
    assert messages("\n".join(["id: a", *lines, "visual: {alt: x, <<: *a25}"])) == [
        "q.yaml:28:18: figmill does not read merge keys (<<) here; write the keys out"
    ]
    assert messages("\n".join(["id: a", *lines])) == []
    assert messages("\n".join(["id: a", *lines, "<<: *a25"])) == [
        "q.yaml:28:1: this merge key (<<) adds <<; write that out"
    ]
    assert time.process_time() - start < 1


@pytest.mark.parametrize("rows", [5_500, pytest.param(55_000, marks=pytest.mark.soak)])
def test_a_large_file_of_the_books_own_is_read_in_time(rows: int) -> None:
    data = b"id: a\nrows:\n" + b"- {a: 1, b: two}\n" * rows
    start = time.process_time()
    assert read("q.yaml", data)[1] == ()
    assert time.process_time() - start < rows / 5_500


@examples(
    100,
    2000,
    st.text("0123456789abefox_.:+-eETZ ~", min_size=1, max_size=12)
    | st.sampled_from(
        [
            "yes",
            "Yes",
            "on",
            "OFF",
            "null",
            "~",
            "true",
            "NULL",
            ".inf",
            "-.INF",
            ".nan",
            "2026-11-21",
            "2026-1-2T1:02:03.5Z",
            "1_0.5e+3",
        ]
    ),
)
def test_no_value_means_one_thing_here_and_another_to_pyyaml(written: str) -> None:
    text = f"id: a\nvisual: {{alt: x, params: {{p: {written}}}}}"
    try:
        theirs = yaml.safe_load(text)["visual"]["params"]
    except (yaml.YAMLError, ValueError, OverflowError):
        return
    question, problems = read("q.yaml", text.encode())
    assert question is not None
    if not problems:
        ours = question.declarations[0].params
        if isinstance(ours.get("p"), float) and isinstance(theirs["p"], str):
            theirs = {"p": float(theirs["p"])}  # 1e3: a number in YAML 1.2 and to everybody who writes it
        assert ours == theirs


WORDS = (
    "id visual visuals track title alt kind params expect facts ref name << &a *a !t on 1_0 12:30 ~ x.svg é"
)
SIGNS = ["- ", "? ", ": ", *":{}[],'\"\\#|>\n\t ", "\n  ", "\n    ", "---\n", "...\n", "%YAML 1.1\n"]
PIECES = st.sampled_from([*WORDS.split(), *SIGNS])


@examples(150, 2000, st.lists(PIECES, max_size=60).map("".join))
def test_whatever_it_is_it_is_read_or_refused(text: str) -> None:
    question, problems = read("q.yaml", text.encode())
    assert question is not None or problems
    assert all(problem.error.origin.path == "q.yaml" for problem in problems)


@settings(max_examples=200, deadline=2000)
@given(st.binary(max_size=200))
def test_any_bytes_are_read_or_refused(data: bytes) -> None:
    question, problems = read("q.yaml", data)
    assert question is not None or problems


YAML_LINES = st.recursive(
    st.sampled_from(["1", "x", "on", "0.5", "2026-01-01", "'q'", "~", "!t y", "[]", "{}"]),
    lambda inner: (
        st.lists(inner, max_size=3).map(lambda items: "[" + ", ".join(items) + "]")
        | st.dictionaries(
            st.sampled_from(["kind", "alt", "params", "value", "rel", "text", "facts", "nodes", "on", "1"]),
            inner,
            max_size=3,
        ).map(lambda rows: "{" + ", ".join(f"{key}: {value}" for key, value in rows.items()) + "}")
    ),
    max_leaves=12,
)


@examples(
    60,
    1000,
    st.dictionaries(
        st.sampled_from([*"xyz", "alt", "kind", "source", "params", "expect", "ref"]), YAML_LINES
    ),
)
def test_well_formed_nonsense_is_read_or_refused(rows: dict[str, str]) -> None:
    body = "".join(f"\n  {key}: {value}" for key, value in rows.items()) or " {}"
    question, problems = read("q.yaml", f"id: a\nvisual:{body}\n".encode())
    assert question is not None
    assert len(question.declarations) + len(question.references) == (0 if problems else 1)


@given(st.one_of(st.text(max_size=6), st.from_regex(scalars._PLAIN, fullmatch=True)))
def test_a_value_that_begins_like_text_is_text(text: str) -> None:
    """The first character decides for most values, before the pattern is tried."""
    match = scalars._PLAIN.fullmatch(text)
    assert scalars.sort(Scalar(text, True, None, Origin("q.yaml"))) == ((match and match.lastgroup) or "text")


def test_questions_share_what_is_the_same_in_many() -> None:
    """A book may have 100 000 questions: their tracks, keys and empty mappings are one object each."""
    one, other = (
        read(f"{name}.yaml", f"id: {name}\ntrack: cloud\nvisual: {{source: {name}.dot, alt: x}}\n".encode())[
            0
        ]
        for name in "ab"
    )
    assert one is not None and other is not None and one.track is other.track
    mine, theirs = one.declarations[0], other.declarations[0]
    assert mine.params is theirs.params is theirs.lint and mine.params == {}
    assert all(a is b for a, b in zip(mine.origins, theirs.origins, strict=True))


def test_reading_a_question_leaves_no_cycle_behind() -> None:
    """A build reads its book without the search for cycles, so each would stay in memory."""
    text = b"id: a\nvisuals:\n- {name: b, source: b.py, params: {x: [1, {y: 2}]}, alt: x}\n"
    assert not read("a.yaml", text)[1]
    gc.collect()
    gc.disable()
    try:
        for _ in range(100):
            read("a.yaml", text)
        assert gc.collect() < 100
    finally:
        gc.enable()
