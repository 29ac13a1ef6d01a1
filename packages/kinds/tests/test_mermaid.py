"""Diagrams in Mermaid's language: every type in both themes, counted, in the book's fonts; errors at their line."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable

import pytest
from helpers.book import Ran, Space, copied
from helpers.cases import cases
from lxml import etree

from figmill import font_metrics
from figmill.kind.javascript import ScriptError
from figmill.palette import PAGE, TEXT
from figmill_kinds.mermaid import formulas, gaps, ink, labels, mistakes
from figmill_kinds.mermaid.faults import author_error
from figmill_kinds.mermaid.text import body_of, role_classes

FLOW = """\
flowchart LR
  accDescr: A client asks one of two workers.
  client([Client]) -->|HTTPS| gate{{Gateway}}:::routing
  gate ==> one[Worker 1]:::compute & two["Worker 2<br/>spare"]:::compute
  subgraph pool [Pool]
    one --- two
  end
  one --x lost[/Dead letters/]:::error
"""
# Type -> a source, and the facts that its drawing states.
TYPES: dict[str, tuple[str, dict[str, int]]] = {
    "flowchart": (FLOW, {"nodes": 5, "edges": 5}),
    "sequence": (
        "sequenceDiagram\n autonumber\n A->>+B: ask\n B-->>-A: answer\n loop often\n A-)B: beat\n end\n"
        " Note over A,B: both wait\n",
        {"actors": 2, "messages": 3},
    ),
    "class": (
        "classDiagram\n Pool *-- Worker : owns\n Worker <|-- Gpu\n Worker : +run()\n",
        {"nodes": 3, "edges": 2},
    ),
    "state": (
        "stateDiagram-v2\n [*] --> Idle\n Idle --> Busy: task\n Busy --> Idle: done\n Busy --> [*]\n",
        {"nodes": 4, "edges": 4},
    ),
    "er": ("erDiagram\n BOOK ||--o{ PAGE : has\n BOOK { string title }\n", {"nodes": 2, "edges": 1}),
    "gantt": (
        "gantt\n title Plan\n dateFormat YYYY-MM-DD\n section Design\n Sketch :a, 2024-01-01, 10d\n"
        " Review :b, after a, 6d\n section Build\n Write :c, after b, 20d\n Ship :milestone, after c, 0d\n",
        {"tasks": 4, "sections": 2},
    ),
    "pie": ('pie title Time\n "compute": 3\n "wait": 4\n', {"slices": 2}),
    "journey": (
        "journey\n title A day\n section Work\n Read: 3: Me\n Write: 5: Me\n",
        {"tasks": 2, "actors": 1},
    ),
    "git": (
        "gitGraph\n commit\n branch topic\n commit\n checkout main\n merge topic\n",
        {"commits": 3, "branches": 2},
    ),
    "mindmap": (
        "mindmap\n root((Distributed))\n  Compute\n   Workers\n    Threads\n  Storage\n",
        {"nodes": 5, "edges": 4},
    ),
    "timeline": ("timeline\n title Years\n 2001 : one\n 2002 : two : three\n", {"periods": 2}),
    "quadrant": (
        "quadrantChart\n x-axis Low --> High\n y-axis Few --> Many\n here: [0.3, 0.6]\n",
        {"points": 1},
    ),
    "xychart": ("xychart-beta\n x-axis [a, b, c]\n bar [1, 2, 3]\n", {}),
    "sankey": ("sankey-beta\nfrom,to,3\nto,end,2\n", {"nodes": 3, "edges": 2}),
    "block": ("block-beta\n columns 2\n a b\n c\n a --> c\n", {"nodes": 3, "edges": 1}),
    "packet": ('packet-beta\n0-15: "source"\n16-31: "target"\n', {"fields": 2}),
    "architecture": (
        "architecture-beta\n service db(database)[Data]\n service s(server)[Server]\n db:L -- R:s\n",
        {"nodes": 2, "edges": 1},
    ),
    "kanban": (
        "kanban\n todo[Todo]\n  t1[one]\n  t2[two]\n done[Done]\n  t3[three]\n",
        {"columns": 2, "cards": 3},
    ),
    "requirement": (
        "requirementDiagram\n requirement fast {\n id: 1\n text: quick\n risk: high\n verifymethod: test\n }\n"
        " element tool {\n type: code\n }\n tool - satisfies -> fast\n",
        {"nodes": 2, "edges": 1},
    ),
    "c4": (
        'C4Context\n Person(a, "Reader")\n System(b, "Site")\n Rel(a, b, "reads")\n',
        {"nodes": 2, "edges": 1},
    ),
    "radar": ("radar-beta\n axis speed, size, cost\n curve ours{1, 2, 3}\n", {"axes": 3, "curves": 1}),
    "treemap": ('treemap-beta\n"All"\n  "part": 3\n  "rest": 4\n', {"leaves": 2}),
}
SOURCES = {name: source for name, (source, _) in TYPES.items()}
# Some take part in what every type does in `make soak`.
SOME = dict(list(SOURCES.items())[::7])


def with_diagrams(space: Space, sources: dict[str, str], more: str = "") -> Space:
    space.write({f"visuals/{name}.mmd": source for name, source in sources.items()})
    for name in sources:
        space.question(name, f"source: {name}.mmd, alt: A diagram of {name}.{more}")
    return space


def facts(space: Space) -> dict[str, dict[str, object]]:
    return {row["id"]: row["facts"] for row in json.loads(space.read("build/manifest.json"))["figures"]}


def findings(done: Ran) -> list[str]:
    """What is said of parts that a picture does not show."""
    return re.findall(r"^.*\[(?:dropped|left-out)\]$", done.err, re.MULTILINE)


@pytest.fixture(scope="module")
def together(tmp_path_factory: pytest.TempPathFactory) -> tuple[Space, Ran]:
    """Diagrams without a mistake in one book, built, and what was said. Not to be changed."""
    names = [name for sources in (*IN_BOTH_THEMES, *IN_LIGHT) for name in sources]
    assert len({*names}) == len(names)
    space = Space(tmp_path_factory.mktemp("together")).write(PALETTE)
    for sources in IN_BOTH_THEMES:
        with_diagrams(space, sources)
    for sources in IN_LIGHT:
        with_diagrams(space, sources, more=", themes: [light]")
    done = space.run("--verbose", "--jobs", "1")
    assert done.code == 0, done.err
    return space, done


@pytest.fixture(scope="module")
def failing(tmp_path_factory: pytest.TempPathFactory) -> tuple[Space, Ran]:
    """Diagrams of some types after others that Mermaid cannot read, built. Not to be changed."""
    space = with_mistakes(Space(tmp_path_factory.mktemp("failing")), SOME)
    with_diagrams(space, {f"notice{n}": source for n, source in enumerate(NOTICES)})
    with_diagrams(space, {"numbered": FLOW}, more=" , expect: {nodes: 5, edges: 5}")
    with_diagrams(space, {"misnumbered": SOURCES["sequence"]}, more=" , expect: {messages: 4}")
    without_alt(space)
    return space, space.run("--jobs", "1", "--verbose")


def with_mistakes(space: Space, sources: dict[str, str]) -> Space:
    """One process draws them in the order of their names, and outlives all of these mistakes but the last."""
    with_diagrams(space, {**sources, LAST: PICTURED})
    return with_diagrams(space, {_before(n): source for n, source in enumerate([*MISTAKES, *FOREIGN, EARLY])})


def _before(number: int) -> str:
    """A name for a mistake, which comes in the order of names before that of a type: of each in turn."""
    types = list(TYPES)
    return f"{types[number % len(types)][:-1]}-{number:02}"


def test_every_type_is_drawn_and_counted_and_some_are_the_same_after_mistakes(
    together: tuple[Space, Ran], failing: tuple[Space, Ran]
) -> None:
    space, done = together
    signs = re.compile(r"visuals/([\w-]+)\.mmd:.*\[(text-|left-out|dropped|unread|invis)")
    told = [line for line in done.err.splitlines() if (match := signs.match(line)) and match[1] in TYPES]
    assert told == []
    names = [f"build/global/{name}{theme}.svg" for name in TYPES for theme in ("", ".dark")]
    outputs = space.outputs()
    first = {name: outputs[name] for name in names}
    for name, data in first.items():
        root = etree.fromstring(data)
        assert root.find(".//{*}foreignObject") is None and root.find(".//{*}text") is not None, name
        assert not any(word in data for word in (b"NaN", b"undefined", b"mix-blend")), name
    figures = facts(space)
    for name, (_, expected) in TYPES.items():
        assert expected.items() <= figures[name].items(), name
    assert figures["flowchart"]["description"] == "A client asks one of two workers."
    assert changed(space, failing[0], SOME) == []


def changed(space: Space, other: Space, names: Iterable[str]) -> list[str]:
    """The figures that another book draws otherwise, in either theme."""
    ours, theirs = space.outputs(), other.outputs()
    paths = [f"build/global/{name}{theme}.svg" for name in names for theme in ("", ".dark")]
    return [path for path in paths if ours[path] != theirs.get(path)]


@pytest.mark.soak
def test_every_type_is_the_same_after_mistakes(together: tuple[Space, Ran], space: Space) -> None:
    with_mistakes(space, SOURCES).run("--jobs", "1")
    assert changed(together[0], space, SOURCES) == []


LETTERS = {"wide": "MWMWMWMW", "narrow": "iljtiljt", "greek": "αβγδ Ωμέγα"}
BOXES = {name: f"flowchart LR\n  a[{text}]\n" for name, text in LETTERS.items()}


def test_the_layout_uses_the_widths_of_the_books_font(together: tuple[Space, Ran]) -> None:
    space, _ = together
    room = {}
    for name, text in LETTERS.items():
        root = etree.fromstring(space.read(f"build/global/{name}.svg").encode())
        box = max(float(str(rect.get("width"))) for rect in root.iter("{*}rect") if rect.get("width"))
        room[name] = box - 1.06 * font_metrics.measure(text, 14)  # for a reader with a wider font
    assert max(room.values()) - min(room.values()) < 1.0, room


DESCRIBED = "sequenceDiagram\n accTitle: A talk\n accDescr: Alice greets Bob.\n Alice->>Bob: hi\n"


def without_alt(space: Space) -> None:
    """Figures whose questions say nothing of what they show."""
    sources = {"described.mmd": DESCRIBED, "silent.mmd": "flowchart LR\n a --> b\n", "graph.dot": "graph {a}"}
    for file, source in sources.items():
        name = file.partition(".")[0]
        space.write({f"visuals/{file}": source})
        space.write({f"questions/{name}.yaml": f"id: {name}\nvisual: {{source: {file}}}\n"})


def test_without_alt_the_source_describes_itself(failing: tuple[Space, Ran]) -> None:
    space, done = failing
    text = space.read("build/global/described.svg")
    assert ">A talk</title>" in text and ">Alice greets Bob.</desc>" in text
    rows = {row["id"]: row for row in json.loads(space.read("build/manifest.json"))["figures"]}
    assert rows["described"]["alt"] == "Alice greets Bob."
    needs = "visual needs alt: what the figure shows, for people who cannot see it"
    assert f"questions/silent.yaml:2:9: {needs}; or write `accDescr: ...` in visuals/silent.mmd" in done.err
    assert f"questions/graph.yaml:2:9: {needs}\n" in done.err + "\n"


GROUPED = "flowchart LR\n subgraph G [Pool]\n a --> b\n end\n c --> G\n style G fill:#eee\n b ~~~ c\n"


def test_a_subgraph_is_no_node_and_a_link_that_is_not_drawn_no_edge(together: tuple[Space, Ran]) -> None:
    assert {"nodes": 3, "edges": 2}.items() <= facts(together[0])["grouped"].items()


def test_what_is_expected_is_compared(failing: tuple[Space, Ran]) -> None:
    (told,) = (row for row in failing[1].err.splitlines() if "numbered" in row)
    assert "misnumbered" in told and "messages" in told and "3" in told


# Source -> what is told of it, from its line on.
MISTAKES = {
    'flowchart LR\n a --> b["is $$\\foo{x}$$"]\n': "2:14: the formula '$$\\foo{x}$$' cannot be set: mathtext has no",
    "sequenceDiagram\n A->>B: $$\\frac{1}{2$$\n": "2:9: the formula '$$\\frac{1}{2$$' cannot be set: expected",
    "%% note\n\nflowchart LR\n  A --> B\n%% two\n  B --> [x\n": "6:9: '[' is not closed; write ']' after the label",
    "---\ntitle: T\n---\nsequenceDiagram\n  A->>B: x\n  C=>D\n": "6:4: '=>' is not an arrow here; write '->>'",
    'pie\n "a" 3\n': "2:6: '3' is not expected here; write ':'",
    "flowchrt LR\n a --> b\n": "1:1: Mermaid has no diagram 'flowchrt'; did you mean 'flowchart'?",
    "gantt\n dateFormat YYYY-MM-DD\n ttt\n": "3: the file ends too early; Mermaid expects ':' and what the task",
    "classDiagram\n A <| B\n": "2:4: '<|' is not an arrow here; write '<|--'",
    "flowchart LR\n subgraph a\n b --> c\n": "2:2: this `subgraph` has no `end`; write one below its last line",
    "mindmap\n a\nb\n": "3:1: 'b' would be a second root; indent it below the first, 'a'",
    "sequenceDiagram\n A->>+B: ask\n B-->>-A: answer\n A->>B: more\n B-->>-A: again\n": "5: 'B' is not active",
    "sequenceDiagram\n A->>B: ask\n deactivate B\n": "3: 'B' is not active; leave out this `deactivate`",
    "---\ntitle: a: b\n---\nflowchart LR\n a --> b\n": "2:9: these settings are not YAML: ",
    "\n\n   ---\n   title: T\n ---\nflowchart LR\n a --> b\n": "3: settings begin and end with `---` at the start",
    "wardley-beta\ntitle A\n\ncomponent B [0.3, 0.2]  # low\n": "4:25: '#' is not expected here",
    "  \n": "1: the file is empty; begin with a type of diagram, like `flowchart LR`",
}


# At this one V8 itself fails, and its process is ended.
LAST, PICTURED = "zzz", 'flowchart LR\n a@{ img: "x.svg", label: "A" }\n'
# Those of MISTAKES that Mermaid names, and its message where its own error has no line.
KNOWN = {
    "sequenceDiagram\n particpant A\n A->>B: x\n loop y\n": "2:2: there is no 'particpant' here; did you mean",
    "---\ntitle: T\nsequenceDiagram\n A->>B: x\n": "1:1: this front matter has no end; write `---`",
    "flowchart LR\n a[One (1)] --> b\n": "2:8: a label with '(' needs quotes; write [\"One (1)\"]",
    "flowchart LR\n a --> end\n": "2:8: 'end' closes a subgraph and names no node; write 'End'",
    "flowchart XY\n a --> b\n": "1:11: 'XY' is not a direction; write TB, BT, LR or RL",
    "sequenceDiagram\n A->>B hi\n": "2:10: a message needs ':' and a text",
    "stateDiagram-v2\n a -> b\n": "2:4: '->' is not an arrow here; write '-->'",
    "erDiagram\n A ||--o B : has\n": "2:4: '||--o' is not a relation; write both ends",
    "gantt\n dateFormat YYYY-MM-DD\n One :a, 2024-13-45, 3d\n": "3:10: '2024-13-45' is neither a date",
    "gantt\n dateFormat\n YYYY-MM-DD\n One :a, 2024-13-45, 3d\n": "4:10: '2024-13-45' is neither a date",
    "pie\n compute: 3\n": '2:2: the name of a slice needs quotes; write "compute" : 3',
    "gitGraph\n commit\n checkout dev\n": "3:11: there is no branch 'dev' yet; write `branch dev` above",
    "quadrantChart\n a: [3, 0.5]\n": "2:5: the place of a point is two numbers from 0 to 1",
    "xychart-beta\n x-axis [a, b\n bar [1,2]\n": "2:9: '[' is not closed; write ']'",
    "sankey-beta\na,b\n": "2:1: each line is a flow",
    'packet-beta\n0-7: "a"\n9-15: "b"\n': "3:1: this field begins at bit 9, and the one before it ends at bit 7",
    "architecture-beta\n service a(server)[A]\n service b(server)[B]\n a --> b\n": "4:2: an edge names a side at",
    'C4Context\n Persn(a, "A")\n': "2:2: there is no 'Persn' here; did you mean 'Person'?",
    'treemap-beta\n"A"\n  part: 3\n': '3:3: a name needs quotes; write "part"',
}
SAID = {
    "gantt": "Invalid date:2024-13-45",
    "gitGraph": "Trying to checkout branch which is not yet created.",
    "packet-beta": "Packet block 9 - 15 is not contiguous. It should start from 8.",
}


@cases(("source", "told"), KNOWN.items())
def test_the_commonest_mistakes_are_known(source: str, told: str) -> None:
    rows = list(body_of(source))
    error = author_error(ScriptError(SAID.get(source.split()[0], "x")), source, "a.mmd")
    assert str(error).replace(".mmd: ", ".mmd:").startswith(f"a.mmd:{told}"), rows


def test_sources_that_mermaid_draws_have_none_of_these_mistakes() -> None:
    for name, source in (*SOURCES.items(), *CROWDED.items()):
        assert mistakes.found("", list(body_of(source))) is None, name


def test_mistakes_are_told_at_their_line(failing: tuple[Space, Ran]) -> None:
    space, done = failing
    lines = done.err.replace(".mmd: ", ".mmd:")
    told_of = {_before(n): told for n, told in enumerate(MISTAKES.values())}
    told_of[LAST] = "2: a node cannot show a picture (`img:`); leave it out"
    for name, told in told_of.items():
        assert f"visuals/{name}.mmd:{told}" in lines, done.err
        assert lines.count(f"visuals/{name}.mmd:") == 1, done.err
    errors = [row for row in done.err.splitlines() if not row.endswith("]")]  # the others are findings
    assert done.code == 1 and not [name for name in TYPES if f"visuals/{name}.mmd" in "".join(errors)]
    drawn = {*SOME, "numbered", "described", *(f"notice{n}" for n in range(len(NOTICES)))}
    assert {name for name in space.outputs() if ".dark" not in name} == {
        f"build/global/{name}.svg" for name in drawn
    }


# Sources that Mermaid draws, with what their pictures do not show.
NOTICES = {
    "journey\n title A\n section B\n Read: Me\n": "4: this task has no score; write a number from 1 to 5 first, like",
    "sankey-beta\na,b,3\nb,c,three\n": "3: the size of this flow is not a number from 0; write one, like `a,b,3`",
    'radar-beta\n axis a, b["B, c"], d\n curve one["One"]{1, 2, 3}, two{1}\n': "3: curve 'two' has 1 value for 3 axes",
    "gantt\n One :a, 2024-01-01, 3d\n Two :after a, 2d\n Three :crit, after zz, 2d\n": "4: there is no task 'zz'",
    "---\nconfig:\n  layout: elkk\n---\nflowchart LR\n a --> b\n": "3: there is no layout 'elkk'; did you mean 'elk'?",
    "%%{init: {'er': {'layout': 'tidy-tree'}}}%%\nerDiagram\n A\n": "1: there is no layout 'tidy-tree'; write elk",
    "%%{init: {'theme': 'drak'}}%%\nflowchart LR\n a --> b\n": "1: there is no theme 'drak'; did you mean 'dark'?",
    "---\nconfig:\n  themeCSS: '@import url(https://example.org/x.css);'\n---\nflowchart LR\n a --> b\n": (
        "3: `@import url(https://example.org/x.css);` in `themeCSS` is left out: a figure fetches nothing"
    ),
    "---\nconfig:\n  themeCSS: '.node rect {fill: url(https://example.org/x)}'\n---\nflowchart LR\n a --> b\n": (
        "3: `fill: url(https://example.org/x)` in `themeCSS` is left out"
    ),
    "---\nconfig:\n  themeCSS: '} body {fill: red'\n---\nflowchart LR\n a --> b\n": (
        "3: `themeCSS` is left out: its braces are not in pairs"
    ),
    "sequenceDiagram\n participant A\n link A: Board @ https://example.org/a\n A->>B: hi\n": "3: the menu of 'A' (",
    "flowchart LR\n a --> b\n subgraph g [Group]\n direction TB\n c --> d\n end\n d --> e\n": (
        "7: the `direction` of 'Group' has no effect, because this edge leaves it"
    ),
    "---\nconfig: {layout: dagre}\n---\nflowchart LR\n subgraph g\n direction TB\n c --> d\n end\n d --> e\n": (
        "9: the `direction` of 'g' has no effect, because this edge leaves it"
    ),
    'flowchart LR\n a --> b@{shape: hourglass, label: "Collate"}\n': (
        "2: the label 'Collate' is not in the picture: Mermaid draws the shape 'hourglass' without words"
    ),
    "flowchart LR\n a[\"<span style='color: red'>x</span>\"]\n": "2: the style of `<span>` is left out of labels",
    "classDiagram\n class A:::rich\n classDef ritch fill:red\n": "2: there is no class 'rich'; did you mean 'ritch'?",
    "stateDiagram-v2\n A --> B\n class B nada\n": "3: there is no class 'nada'; write `classDef nada",
    "erDiagram\n A:::nada ||--o{ B : has\n": "2: there is no class 'nada'; write `classDef nada",
}


def test_what_a_picture_does_not_show_is_a_finding(failing: tuple[Space, Ran]) -> None:
    """Never an error: what Mermaid draws, figmill draws."""
    space, done = failing
    for n, told in enumerate(NOTICES.values()):
        assert (space.root / f"build/global/notice{n}.svg").exists(), done.err
        assert done.err.count(f"visuals/notice{n}.mmd:{told}") == 1, (told, done.err)
        kinds = re.findall(rf"visuals/notice{n}\.mmd:.*\[(?:dropped|left-out|not-drawn)\]", done.err)
        assert len(kinds) == 1, done.err


# Sources in which a reader of our own once saw a mistake that is not there.
RIGHT = {
    "gantt\n axisFormat %L ms\n section S\n code        :a1, 2014-01-01 00:00, 20ms\n"
    " request     :a2, after a1, 1ms\n": {"tasks": 2},
    "gantt\n axisFormat %L ms # without an axis\n # a line of its own\n section S\n"
    " code :a1, 2014-01-01, 2d\n": {"tasks": 1},
    "---\nconfig:\n  gitGraph:\n    mainBranchName: develop\n---\ngitGraph\n commit\n branch topic\n commit\n"
    " checkout develop\n merge topic\n": {"commits": 3, "branches": 2},
    "flowchart LR\n accTitle: A &quot;title&quot;\n accDescr {\n One line,\n and a second.\n }\n a --> b\n": {
        "title": 'A "title"',
        "description": "One line, and a second.",
    },
    "info\n": {},
    '%% $$x^2$$ and <span style="a">x</span> fa:fa-car\nflowchart LR\n %% <font color="red">\n a --> b\n': {
        "nodes": 2
    },
    "flowchart LR\n a[cost of $$5 and $$6] --> b:::data\n": {"nodes": 2},
    "flowchart-elk LR\n a --> b\n": {"nodes": 2, "edges": 1},
    "architecture-beta\n service s(mermaid-architecture:cloud)[Server]\n": {"nodes": 1},
    "---\nconfig:\n  layout: elk.stress\n---\nflowchart LR\n a --> b\n": {"nodes": 2, "edges": 1},
    "%%{init: {'flowchart': {'layout': 'dagre'}}}%%\nflowchart LR\n a --> b\n": {"nodes": 2, "edges": 1},
}


def test_what_mermaid_reads_has_no_finding(together: tuple[Space, Ran]) -> None:
    space, done = together
    named = {row.partition(".mmd:")[0] for row in findings(done)}
    with_icons = {"icons", *ICONS}
    # `securityLevel` is figmill's.
    assert named == {f"visuals/{name}" for name in ("nowhere", "loose", *with_icons)}, done.err
    stated = facts(space)
    for n, expected in enumerate(RIGHT.values()):
        assert expected.items() <= stated[f"right{n}"].items()


# Sources that Mermaid cannot read, for a character that is not part of its language.
FOREIGN = {
    "graph LR\n  foo-->b、a、r\n": "2:10: '、' cannot stand in a name; write a short name "
    'with the text in quotes, like `n1["b、a、r"]`',
    "graph LR\n a --> b\n B（two） --> c\n c --> d\n": "3:3: '（' cannot stand in a name",
    "flowchart LR\n a --> 🚀go\n b --> c\n": "2:8: '🚀' cannot stand in a name",
    "flowchart LR\n a → b\n b --> c\n": "2:4: '→' is not a sign of Mermaid; write '-->'",
    "sequenceDiagram\n A→B: hi\n": "2:3: '→' is not an arrow here; write '->>' or '-->>'",
    "flowchart LR\n a --> B[Text (with) more]\n": "2:15: a label with '(' needs quotes; write [\"Text (with) more\"]",
    "classDiagram\n A → B\n B --> C\n": "2:4: '→' is not a sign of Mermaid; write '-->'",
}


def test_a_character_outside_the_language_is_named_at_its_column(failing: tuple[Space, Ran]) -> None:
    rows = failing[1].err.splitlines()
    for n, told in enumerate(FOREIGN.values(), len(MISTAKES)):
        (row,) = (row for row in rows if row.startswith(f"visuals/{_before(n)}.mmd:"))
        assert row.startswith(f"visuals/{_before(n)}.mmd:{told}") and "ends too early" not in row


EARLY = "gantt\n dateFormat YYYY-MM-DD\n section S\n one :a1, 2014-01-01, 3d # why\n two :a2, after a1, 2d\n"


def test_a_line_that_ends_too_early_is_named_itself(failing: tuple[Space, Ran]) -> None:
    """Not the one below it, where Mermaid stands after it has read the end of the line."""
    name = _before(len(MISTAKES) + len(FOREIGN))
    assert f"visuals/{name}.mmd:4:31: the line ends too early; Mermaid expects ':'" in failing[1].err


NOWHERE = (
    'flowchart LR\n a:::rich --> b:::data\n classDef ritch fill:#fdebd0\n class a,b nada\n c[":::x"] --> a\n'
)


def test_a_class_that_is_nowhere_is_told(together: tuple[Space, Ran]) -> None:
    """And nothing of the kind in any other source."""
    _, done = together
    assert "visuals/nowhere.mmd:2: there is no class 'rich'; did you mean 'ritch'? [dropped]" in done.err
    assert "visuals/nowhere.mmd:4: there is no class 'nada'; write `classDef nada" in done.err
    assert done.err.count("there is no class") == 2


TO_ITSELF = {
    "flowchart TD": "A -->|{}| A",
    "classDiagram": "A --> A : {}",
    "stateDiagram-v2": "A --> A : {}",
    "erDiagram": "A ||--o{{ A : {}",
}


THREE = ("first", "second", "third")
LOOPS = {
    name: "\n ".join([kind, *map(arrow.format, labels)])
    for n, (kind, arrow) in enumerate(TO_ITSELF.items())
    for name, labels in ((f"several{n}", THREE), (f"single{n}", THREE[:1]))
}


def test_several_relations_of_a_node_to_itself_are_all_drawn(together: tuple[Space, Ran]) -> None:
    """In a flowchart and among states each is one curve, without a corner where Mermaid's own parts of it would meet.

    No curve lies over another one.
    """
    space, _ = together
    for n, kind in enumerate(TO_ITSELF):
        several, single = drawing(space, f"several{n}"), drawing(space, f"single{n}")
        lines, line = (ended(root) for root in (several, single))
        assert len(lines) == 3 * len(line), kind
        assert {*THREE} <= texts(several).keys() and facts(space)[f"several{n}"]["edges"] == 3, kind
        if kind in ("flowchart TD", "stateDiagram-v2"):
            curves = [path for path in several.iter("{*}path") if path.get("fill") == "none"]
            assert len(curves) == len({path.get("d") for path in curves if path.get("marker-end")}) == 3, kind


FOUR = (*THREE, "fourth")
SIDES = {
    f"sides-{kind.split()[0].split('-')[0]}": "\n ".join([kind, *map(arrow.format, FOUR)])
    for kind, arrow in TO_ITSELF.items()
} | {
    "sides-needs": "requirementDiagram\n element tool {\n type: code\n }\n tool - traces -> tool\n"
    " tool - copies -> tool\n"
}


def test_relations_of_a_node_to_itself_stand_on_all_of_its_sides(together: tuple[Space, Ran]) -> None:
    """With ELK; they stood within each other on the left, and each ran through the labels of the others."""
    space, done = together
    assert "[text-" not in done.err and "[not-drawn]" not in done.err, done.err
    for name in SIDES:
        labels_of = FOUR if name != "sides-needs" else ("<<traces>>", "<<copies>>")
        elements = texts(drawing(space, name))
        assert {*labels_of} <= elements.keys(), name
        left = middle(elements["A" if name != "sides-needs" else "tool"])
        assert max(middle(elements[label]) for label in labels_of) > left - 10, name


def middle(text: etree._Element) -> float:
    """About where the middle of a text is: the sum of the moves around it, from the left."""
    moves = [
        re.match(r"translate\((\S+) ", str(group.get("transform"))) for group in text.iterancestors("{*}g")
    ]
    return sum(float(move[1]) for move in moves if move)


def ended(root: etree._Element) -> set[str]:
    """The lines of a drawing that have an arrowhead."""
    return {str(path.get("d")) for path in root.iter("{*}path") if path.get("marker-end")}


GENERIC = (
    "classDiagram\n IComparable~Shape~ <|-- Square\n class Square~T~ {\n +a() Map~String, List~int~~\n"
    " +b(x: Map~String, List~int~~) bool\n +Map~K, List~V~~ c\n +List~List~int~~ d\n +e(arg : T) int*\n"
    " +f() int$\n ~g()\n }\n"
)


def test_types_of_types_are_whole_and_abstract_members_are_italic(together: tuple[Space, Ran]) -> None:
    drawn = texts(drawing(together[0], "generic"))
    whole = (
        "IComparable<Shape>",
        "Square<T>",
        "+a() : Map<String, List<int>>",
        "+b(x: Map<String, List<int>>) : bool",
        "+Map<K, List<V>> c",
        "+List<List<int>> d",
        "+e(arg : T) : int",
        "+f() : int",
        "~g()",
    )
    assert {*whole} <= drawn.keys(), drawn.keys()
    assert {part.get("font-style") for part in drawn["+e(arg : T) : int"].iter("{*}tspan") if part.text} == {
        "italic"
    }
    assert "underline" in etree.tostring(drawn["+f() : int"], encoding="unicode")


CHARACTERS = {
    "by-name": (
        'flowchart LR\n A["`the #quot;first#quot; step`"] --> B["&dollar;5 #9829; &infin; &quot;x&quot;"]\n'
        ' B -->|"a #lt; b &amp; c"| C["f&#40x&#41<br/>&dollar;{V}"]\n'
    ),
    "said": "sequenceDiagram\n accTitle: Costs &dollar;5\n A->>B: #infin; #quot;hi#quot;\n",
    "itself": "flowchart LR\n A[\"`the 'first' step`\"] --> B[\"$5 ♥ ∞ 'x'\"]\n"
    ' B -->|"a < b & c"| C["f(x)<br/>${V}"]\n',
}


def test_characters_are_shown_for_their_names(together: tuple[Space, Ran]) -> None:
    """In the picture, its facts and its tables; the box of a label is as wide as the characters."""
    space, done = together
    assert "/by-name" not in done.err
    assert {'the "first" step', '$5 ♥ ∞ "x"', "a < b & c", "f(x)${V}"} <= texts(
        drawing(space, "by-name")
    ).keys()
    assert '∞ "hi"' in texts(drawing(space, "said")) and facts(space)["said"]["title"] == "Costs $5"
    widths = [float(str(drawing(space, name).get("width"))) for name in ("by-name", "itself")]
    assert abs(widths[0] - widths[1]) < 12, widths  # quotes of one and two strokes


LONG = "structlog.get_logger().info(#quot;foo#quot;, bar=42)"
LABELS = {
    "signs": 'flowchart LR\n a["n >= 3, (x) => y, >50, a < b"] -->|i > 0| b["5<6"]\n'
    f' b -->|"{LONG}"| c["`*n* > 1`"]\n',
    "word": "flowchart LR\n a[@organisation/graphical-provider]\n",
    "pools": "sequenceDiagram\n box Pool\n participant A\n end\n box Aqua Second pool\n participant B\n end\n"
    " A->>B: ask\n",
    "rows": "mindmap\n root[A long first row<br/>two]\n  x\n",
}


def test_every_sign_of_a_label_is_shown(together: tuple[Space, Ran]) -> None:
    label_texts = {"".join(text.split()) for text in texts(drawing(together[0], "signs"))}
    shown = {"n >= 3, (x) => y, >50, a < b", "i > 0", "5<6", LONG.replace("#quot;", '"'), "n > 1"}
    assert label_texts >= {"".join(text.split()) for text in shown}, label_texts


def test_a_long_word_breaks_behind_a_sign(together: tuple[Space, Ran]) -> None:
    lines = [part.text for part in drawing(together[0], "word").iter("{*}tspan") if part.text]
    assert lines == ["@organisation/graphical-", "provider"]


def test_a_box_of_actors_may_have_a_colour_and_a_name(together: tuple[Space, Ran]) -> None:
    assert {"Pool", "Second pool"} <= texts(drawing(together[0], "pools")).keys()


FORMATTED = {
    "formatted": (
        'flowchart LR\n a["<b>Bold name</b><br/><small>small</small> H<sub>2</sub>O x<sup>2</sup>"] --> '
        "b[\"<em>slanted</em> <a href='https://example.org/x'>the guide</a>\"]\n b -->|<b>label</b>| c[<i>open]\n"
    ),
    "html": 'flowchart LR\n a["<b>Bold name of a node</b>"]\n',
    "markdown": 'flowchart LR\n a["`**Bold name of a node**`"]\n',
}


def test_html_that_formats_text_is_kept(together: tuple[Space, Ran]) -> None:
    space, _ = together
    root = drawing(space, "formatted")
    assert {"Bold namesmall H2O x2", "slanted the guide", "label", "open"} <= texts(root).keys()
    styles = {str(part.text): part for part in root.iter("{*}tspan") if part.text}
    assert [inherited(styles[word], "font-weight") for word in ("Bold", "name", "label")] == ["bold"] * 3
    assert (
        inherited(styles["slanted"], "font-style")
        == "italic"
        != inherited(styles[" the guide"], "font-style")
    )
    assert not re.search(f"[{labels.MARKS}]", space.read("build/global/formatted.svg"))


def test_html_that_formats_text_takes_no_room(together: tuple[Space, Ran]) -> None:
    """A label is in as many lines as the same one in Markdown, and wider by the room for another font at most."""
    drawn = [drawing(together[0], name) for name in ("html", "markdown")]
    sizes = [float(str(root.get(side))) for root in drawn for side in ("width", "height")]
    assert sizes[:2] == pytest.approx(sizes[2:], rel=0.06), sizes


def test_marks_stand_around_each_word_of_one_label() -> None:
    begin, end = labels.BEGIN["b"], labels.END["b"]
    assert labels.marked("a[<b>two words</b>]") == f"a[{begin}two{end} {begin}words{end}]"
    assert labels.marked("a[<strong>x</strong>]") == f"a[{begin}x{end}]"
    assert labels.marked('a["<b>x"] --> b["y</b>"]') == 'a["x"] --> b["y"]'  # not within one label
    assert labels.marked("a[1 < 2] --> b[<br/>]") == "a[1 < 2] --> b[<br/>]"
    # Up to the label's end.
    assert labels.marked('a["of <b>x"] --> b["y"]') == f'a["of {begin}x{end}"] --> b["y"]'
    assert labels.marked('a["of <b>x\ny</b> z"]') == f'a["of {begin}x{end}\n{begin}y{end} z"]'
    assert labels.marked("a[<b>x]\nb[y</b>]") == "a[x]\nb[y]"
    assert labels.marked("a[<b>x] --> b[y]") == f"a[{begin}x{end}] --> b[y]"
    assert labels.marked("class A {\n List<b> x\n}") == "class A {\n List<b> x\n}"


def test_rows_of_a_mindmaps_box_are_centred(together: tuple[Space, Ran]) -> None:
    row = texts(drawing(together[0], "rows"))
    text = next(element for label, element in row.items() if label.startswith("A long first row"))
    assert inherited(text, "text-anchor") == "middle"


def test_parts_of_html_that_begin_a_line_begin_a_line() -> None:
    lines = {
        "<p>one</p><p>two</p>": "one<br/>two",
        "one<hr/>two": "one<br/>two",
        "of<ul><li>one</li><li>two</li></ul>": "of<br/>• one<br/>• two",
        "<div>one</div>": "one",
    }
    for written, drawn in lines.items():
        assert labels.marked(f'a["{written}"]') == f'a["{drawn}"]'


THEME = (
    "%%{init: {'theme': 'base', 'themeVariables': {'primaryColor': '#ff8800', 'lineColor': '#008800'}}}%%\n"
)
COLOURED = {
    "variables": f"{THEME}flowchart LR\n a --> b\n",
    "forest": "---\nconfig: {theme: forest}\n---\nflowchart LR\n a --> b\n",
    "plain": "flowchart LR\n a --> b\n",
    "style": "flowchart LR\n classDef c fill:#639,color:blue\n a[white]:::c --> b\n style a color:white\n",
}


def test_the_colours_of_a_source_are_kept(together: tuple[Space, Ran]) -> None:
    space, _ = together
    light = {name: space.read(f"build/global/{name}.svg") for name in COLOURED}
    assert "#ff8800" in light["variables"] and "#008800" in light["variables"]
    assert "#cde498" in light["forest"] and "#cfe2f3" not in light["forest"] and "#cfe2f3" in light["plain"]
    assert inherited(texts(drawing(space, "style"))["white"][0][0], "fill") == "#ffffff"


DARK = "%%{init: {'theme': 'dark'}}%%\n"
ON_DARK = {f"dark-{name}": DARK + source for name, source in SOME.items()} | {
    "pale": f"{DARK}flowchart LR\n a[Pale] --> b\n style a fill:#ffffff\n"
}
NEW = {
    f"new-{name}": f"---\nconfig: {{theme: redux-color}}\n---\n{SOURCES[name]}"
    for name in ("er", "class", "sequence", "timeline")
}
RULES = "themeCSS: '.node rect {fill: #ffd700} .slice {font-weight: bold}'"
RULED = {
    "ruled": f"---\nconfig: {{{RULES}}}\n---\nflowchart LR\n a -->|often| b\n",
    "ruled-forest": f"---\nconfig: {{{RULES}, theme: forest}}\n---\nflowchart LR\n a -->|often| b\n",
    "ruled-pie": f'---\nconfig: {{{RULES}}}\n---\npie\n "a": 3\n',
}


def test_a_theme_for_dark_pages_stands_on_its_own_page(together: tuple[Space, Ran]) -> None:
    """In the light figure; the dark one has the colours without the page, as every drawing that is dark already."""
    space, done = together
    told = [row for row in done.err.splitlines() if "/dark-" in row]
    assert not [row for row in told if "[left-out]" in row or "[dropped]" in row]
    for name in SOME:
        stands_on_its_own_page(space, f"dark-{name}")
    assert drawing(space, "dark-journey").find(".//{*}text[@fill='#1f2020']") is None


@pytest.mark.soak
def test_every_type_stands_on_its_own_page_in_a_theme_for_dark_pages(space: Space) -> None:
    assert with_diagrams(space, {name: DARK + source for name, source in SOURCES.items()}).run().code == 0
    for name in SOURCES:
        stands_on_its_own_page(space, name)


def stands_on_its_own_page(space: Space, name: str) -> None:
    light, dark = drawing(space, name), drawing(space, f"{name}.dark")
    grounds = [rect for rect in light.iter("{*}rect") if rect.get("fill") == "#333333"]
    assert grounds and grounds[0].get("width") == str(light.get("viewBox")).split()[2], name
    assert len([rect for rect in dark.iter("{*}rect") if rect.get("fill") == "#333333"]) < len(grounds), name


def test_text_on_an_authors_fill_is_legible_in_a_theme_for_dark_pages(together: tuple[Space, Ran]) -> None:
    drawn = texts(drawing(together[0], "pale"))
    assert inherited(drawn["Pale"], "fill") == "#000000" and inherited(drawn["b"], "fill") != "#000000"


def test_the_new_themes_colour_each_node(together: tuple[Space, Ran]) -> None:
    space, done = together
    assert not [row for row in done.err.splitlines() if "/new-" in row and "[dead-reference]" in row]
    for name in ("er", "class", "sequence"):
        svg = space.read(f"build/global/new-{name}.svg")
        assert "#e879f9" in svg and "#2dd4bf" in svg, name


def test_rules_of_a_source_come_after_the_palettes(together: tuple[Space, Ran]) -> None:
    space, _ = together
    flow, forest = (space.read(f"build/global/{name}.svg") for name in ("ruled", "ruled-forest"))
    assert "#ffd700" in flow and "#4a90c4" in flow
    assert "#ffd700" in forest and "#13540c" in forest
    assert inherited(texts(drawing(space, "ruled-pie"))["100%"], "font-weight") in ("bold", "700")


FORMULAS = {
    "formula-flow": 'flowchart LR\n a["$$x^2$$"] -->|"$$\\sqrt{x+3}$$"| b("Let $$\\frac{a}{b}$$ be<br/>more")\n',
    "formula-talk": "sequenceDiagram\n participant A as The $$\\alpha$$\n A->>B: $$x^2$$ now\n"
    " Note over A: one<br/>$$\\frac{a}{b}$$\n",
    "formula-class": "classDiagram\n class C {\n +area() $$\\pi r^2$$\n }\n C --> D : $$x^2$$\n",
    "formula-state": 'stateDiagram-v2\n state "In $$q_0$$" as s\n s --> t : $$x^2$$\n',
    "formula-er": 'erDiagram\n A ||--o{ B : "by $$x^2$$"\n',
    "formula-mind": "mindmap\n root((Of $$x^2$$))\n  one\n",
    "formula-pie": 'pie title By $$x^2$$\n "a": 3\n',
    "formula-time": "timeline\n title By $$x^2$$\n 2001 : $$x^2$$\n",
    "formula-gantt": "gantt\n dateFormat YYYY-MM-DD\n section S\n By $$x^2$$ :a, 2024-01-01, 30d\n",
    "formula-kanban": "kanban\n todo[Todo]\n  t[by $$x^2$$]\n",
}
SOME_FORMULAS = ("formula-flow", "formula-talk", "formula-class", "formula-pie")


INKED = 'flowchart LR\n classDef c fill:#123456\n a["$$\\sqrt{2}$$ x"]:::c\n b["$$\\sqrt{2}$$"]:::compute\n'


def test_formulas_are_set_as_in_plots(together: tuple[Space, Ran]) -> None:
    """A radical is a shape; signs of the book's font are text, also among words."""
    space, done = together
    set_in_words(space, done, SOME_FORMULAS)
    root, written = drawing(space, "formula-flow"), space.read("build/global/formula-flow.svg")
    assert {"x2", "Let be more"} <= set(texts(root)) and "\ue000" not in written
    letters = texts(root)["x2"].findall("{*}tspan")
    assert float(str(letters[0].get("y"))) - float(str(letters[1].get("y"))) > 4
    prose = [part for part in texts(root)["Let be more"].iter("{*}tspan") if part.text]
    assert len({part.get("y") for part in prose}) == 2
    assert prose[0].get("y") == prose[1].get("y") != prose[2].get("y")


@pytest.mark.soak
def test_formulas_are_set_in_every_type(space: Space) -> None:
    set_in_words(space, with_diagrams(space, FORMULAS).run("--verbose"), FORMULAS)


def set_in_words(space: Space, done: Ran, names: Iterable[str]) -> None:
    told = [row for row in done.err.splitlines() if "/formula-" in row and not row.endswith("[contrast]")]
    assert told == []
    for name in names:
        label_texts = texts(drawing(space, name))
        assert not any("$" in label or "\\" in label for label in label_texts), (name, label_texts)
        assert "x2" in label_texts or name in ("formula-flow", "formula-talk"), (name, label_texts)


def test_a_formula_has_the_colour_of_its_words(together: tuple[Space, Ran]) -> None:
    for name, plain in (("inked", TEXT[0]), ("inked.dark", TEXT[1])):
        root = drawing(together[0], name)
        formulas = [
            path for path in root.iter("{*}path") if str(path.get("d")).count("M") > 1 and path.get("fill")
        ]
        inside, other = (str(path.get("fill")) for path in formulas)
        box = next(
            str(rect.get("fill")) for rect in root.iter("{*}rect") if rect.get("stroke") not in (None, "none")
        )
        assert other == plain and inside != plain and ink.contrast(inside, box) >= 4.5, (inside, other, box)


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("$$5 and $$6", 0),
        ("$$5-$$10", 0),
        ("$$2x$$", 1),
        ("$$x$$ and $$y$$", 2),
        ("$$ 5 \\cdot x $$", 1),
        ("$$x", 0),
    ],
)
def test_prices_are_no_formulas(text: str, count: int) -> None:
    source = f"flowchart LR\n a[{text}]\n"
    assert len(formulas.marked(source, "a.mmd", (), formulas.free(source))[1]) == count


ICONS = {
    "flow": 'flowchart LR\n a["fa:fa-car Car"] --> b@{ icon: "logos:two", form: "square", label: "Two" }\n',
    "talk": "sequenceDiagram\n A->>B: go fa:fa-car now\n",
    "arch": "architecture-beta\n group g(logos:two)[Group]\n service s(logos:other)[Server] in g\n",
    "mind": "mindmap\n root((Root))\n  Here\n  ::icon(fa fa-car)\n  There\n",
    "tree": 'treeView-beta\n "src"\n  "a.ts" icon(logos:two)\n',
    "both": 'flowchart LR\n a["$$x^2$$ of (fa:fa-car)"]\n',
}
LOGOS = {
    "prefix": "logos",
    "width": 20,
    "height": 10,
    "aliases": {"other": {"parent": "two", "hFlip": True}},
    "icons": {"two": {"body": '<g id="x"><path fill="#aa00aa" d="M1 1h8v8z"/></g><use href="#x" x="10"/>'}},
}
CARS = {
    "prefix": "fa6-solid",
    "width": 512,
    "height": 512,
    "icons": {"car": {"body": '<path fill="currentColor" d="M0 0h512v512z"/>'}},
}


# Icons that no package brings.
MISSING = {
    "no-near": 'flowchart LR\n a@{ icon: "logos:twoo", label: "Two" }\n',
    "no-paid": "flowchart LR\n a[fal:fa-car Car]\n",
    "no-sprite": 'C4Context\n Person(a, "Reader", $sprite="person")\n',
}
# Drawn last, as its process ends with it.
UNREAD = {"unread-pack": 'flowchart LR\n a@{ icon: "mdi:car", label: "Car" }\n'}


@pytest.mark.parametrize(
    "after", [("flow", "mind", "plain"), pytest.param((*ICONS, "plain"), marks=pytest.mark.soak)]
)
def test_icons_come_from_packages_that_the_book_has(
    together: tuple[Space, Ran], space: Space, after: tuple[str, ...]
) -> None:
    """A package that is installed later draws its figures again, and no others.

    An icon that a package does not have is left out; what is drawn after it is as it was before.
    """
    before, done = together
    told = "visuals/{}.mmd:2: icons of {} are left out; `npm install @iconify-json/{}` in the book's folder brings them"
    assert told.format("flow", "Font Awesome", "fa6-solid") in done.err
    assert told.format("arch", "'logos'", "logos") in done.err
    assert "Car" in texts(drawing(before, "flow")) and "go now" in texts(drawing(before, "talk"))
    copied(before.root, space)
    pack = "node_modules/@iconify-json/{}/icons.json"
    space.write({pack.format("logos"): json.dumps(LOGOS), pack.format("fa6-solid"): json.dumps(CARS)})
    space.write({"visuals/node_modules/@iconify-json/mdi/icons.json": "[]"})
    again = {f"then-{name}": (ICONS | COLOURED)[name] for name in after}
    with_diagrams(space, MISSING | again | UNREAD)
    done = space.run("--verbose", "--jobs", "1")
    assert done.code == 1, done.err
    drawn = re.findall(r"^rendered +build/global/([\w-]+)\.svg", done.out, re.MULTILINE)
    assert sorted(drawn) == sorted([*ICONS, "icons", *MISSING, *again])
    left_out = [row for row in done.err.splitlines() if "[left-out]" in row]
    assert not [row for row in left_out if any(f"/{name}.mmd" in row for name in ICONS)]
    for name in ("flow", "arch", "tree"):
        assert "#aa00aa" in space.read(f"build/global/{name}.svg"), name
    for name in ("flow", "talk", "mind", "both"):
        light, dark = (drawing(space, f"{name}{theme}") for theme in ("", ".dark"))
        for root, tone in ((light, TEXT[0]), (dark, TEXT[1])):
            icons = [path for path in root.iter("{*}path") if "512" in str(path.get("d"))]
            assert [path.get("fill") for path in icons] == [tone], name
    assert {"Car", "Two"} <= set(texts(drawing(space, "flow"))) and "Here" in texts(drawing(space, "mind"))
    assert {"x2", "of ()"} <= set(texts(drawing(space, "both")))
    for name in after:
        then = space.read(f"build/global/then-{name}.svg").replace("then-", "")
        assert then == space.read(f"build/global/{name}.svg"), name
    for line in (
        "no-near.mmd:2: the icon 'logos:twoo' is left out: its package has none such; did you mean 'two'?",
        "no-paid.mmd:2: icons of 'fal' are left out: Font Awesome sells them",
        "unread-pack.mmd:2: visuals/node_modules/@iconify-json/mdi/icons.json is not a package of icons",
        "no-sprite.mmd:2: sprites of C4 diagrams are left out: Mermaid has none",
    ):
        assert f"visuals/{line}" in done.err, done.err


LARGE = "flowchart LR\n classDef big font-size:30px\n a[Large]:::big --> b[small]\n"


def test_a_box_is_as_large_as_its_text(together: tuple[Space, Ran]) -> None:
    space, done = together
    assert "[text-" not in done.err
    heights = [
        float(str(rect.get("height")))
        for rect in drawing(space, "large").iter("{*}rect")
        if rect.get("height")
    ]
    assert max(heights) > 30 + min(heights[1:])


OFTEN = "flowchart LR\n a -->|often| b\n a --> c\n"


def test_a_line_has_a_gap_at_its_label(together: tuple[Space, Ran]) -> None:
    """No box in the colour of the page, which another ground would show; it stays where a frame runs behind a label."""
    root = etree.fromstring(together[0].read("build/global/often.dark.svg").encode())
    label_nodes = [node for node in root.iter("{*}text") if "often" in "".join(map(str, node.itertext()))]
    assert len(label_nodes) == 1
    assert not [rect for rect in root.iter("{*}rect") if rect.get("fill") == PAGE[1]]
    lines = [str(path.get("d")).upper().count("M") for path in root.iter("{*}path") if path.get("marker-end")]
    assert sorted(lines) == [1, 2]


ROUTES = (
    " a[One] --> b[Two] --> c[Three] --> d[Four]\n a -->|straight on| d\n b -->|back| a\n d -->|again| b\n"
)


LAYOUTS = {
    "none": f"flowchart LR\n{ROUTES}",
    "old": f"flowchart-elk LR\n{ROUTES}",
    "matter": f"---\nconfig: {{layout: elk}}\n---\nflowchart LR\n{ROUTES}",
    "dagre": f"---\nconfig: {{layout: dagre}}\n---\nflowchart LR\n{ROUTES}",
    "init": f"%%{{init: {{'flowchart': {{'layout': 'dagre'}}}}}}%%\nflowchart LR\n{ROUTES}",
    "stress": f"---\nconfig: {{layout: elk.stress}}\n---\nflowchart LR\n{ROUTES}",
}


def test_the_layout_that_a_source_names_is_taken(together: tuple[Space, Ran]) -> None:
    """ELK, Mermaid's own choice, if it names none."""
    space, done = together
    assert not [row for row in findings(done) if any(f"/{name}.mmd" in row for name in LAYOUTS)]
    lines = {
        name: tuple(path.get("d") for path in drawing(space, name).iter("{*}path") if path.get("marker-end"))
        for name in LAYOUTS
    }
    assert lines["none"] == lines["old"] == lines["matter"]
    assert lines["dagre"] == lines["init"]
    assert len({lines["none"], lines["dagre"], lines["stress"]}) == 3
    assert all(len(routes) == 6 for routes in lines.values())


HOPS = (
    "flowchart LR\n subgraph g [Group]\n a\n b\n c\n end\n a <-->|one word| b\n a -->|order| d\n"
    " d -->|receipt| a\n a -->|offline| e\n e -->|wake up| b\n g <-->|where to| f\n g <-->|card| h\n h <--> i\n"
)


def test_lines_of_elk_have_gaps_at_labels_too(
    together: tuple[Space, Ran], linted: list[dict[str, str]]
) -> None:
    """Also those that hop over others in an arc."""
    assert [row for row in linted if row["id"] == "hops" and row["check"] == "line-through-text"] == []
    root = drawing(together[0], "hops")
    routes = [str(path.get("d")) for path in root.iter("{*}path") if path.get("marker-end")]
    assert len(routes) == 8 and sum(route.upper().count("M") for route in routes) >= 8 + 6


LEVEL = "flowchart LR\n a -->|blocks| b -->|pictures| c[(build)]\n a --> d\n c --> d\n"


def test_the_label_of_a_level_line_stands_in_its_middle(together: tuple[Space, Ran]) -> None:
    svg = drawing(together[0], "level")
    lines = [str(path.get("d")) for path in svg.iter("{*}path") if path.get("marker-end")]
    level = {float(y) for d in lines for y in re.findall(r"[ML] [\d.]+ ([\d.]+)", d)}
    for word in ("blocks", "pictures"):
        (text,) = (text for text in svg.iter("{*}text") if "".join(text.itertext()) == word)
        group = next(
            node for node in text.iterancestors() if re.match(r"translate\([1-9]", node.get("transform", ""))
        )
        middle = float(re.findall(r"[-\d.]+", str(group.get("transform")))[1])
        assert min(abs(middle - y) for y in level) < 0.02


CYLINDERS = {
    f"cylinder{n}": f"flowchart LR\n a[From] --> b[({text})]\n b --> c[To]\n"
    for n, text in enumerate(("build", "a store", "Inventory of all shards", "db", "wide, W and i"))
}


LINED = {
    "lined-note": "sequenceDiagram\n autonumber\n participant A as App\n participant B as Server\n"
    " Note over A,B: GET /api/v2/orders/{order}/lines/{line}\n B-->>A: order\n",
    "lined-years": "timeline TD\n section First\n One : a : b\n section Second\n Two : c\n",
    "lined-plan": "gantt\n dateFormat YYYY-MM-DD\n section Lives\n One: a, 2020-01-01, 60d\n"
    " Event: vert, v1, 2020-02-10, 1d\n",
}


def test_lifelines_and_markers_have_no_finding(together: tuple[Space, Ran]) -> None:
    """A lifeline runs behind notes, also to the number of a message; the name of a marker is text, not a line."""
    assert not [row for row in together[1].err.splitlines() if "/lined-" in row]


def test_an_edge_between_boxes_in_a_row_is_level(together: tuple[Space, Ran]) -> None:
    """Mermaid asks whether two places of a cylinder's side are equal, as they are in a browser's single precision."""
    for name in CYLINDERS:
        root = drawing(together[0], name)
        lines = [path.get("d") for path in root.iter("{*}path") if path.get("marker-end")]
        heights = [{float(y) for y in re.findall(r"[ML] \S+ (\S+)", line)} for line in lines]
        assert len(lines) == 2 and all(len(ys) == 1 for ys in heights), (name, lines)


def test_a_path_is_cut_where_it_crosses_a_box() -> None:
    box = gaps.LabelBox(4, -1, 6, 1)
    assert gaps.cut("M0,0L10,0", [box]) == "M0,0L4,0M6,0L10,0"
    assert gaps.cut("M0,0C3,0,7,0,10,0", [box]) == "M0,0C1.214,0 2.591,0 4,0M6,0C7.409,0 8.786,0 10,0"
    assert gaps.cut("M0,5L10,5", [box]) is None  # beside the box
    assert gaps.cut("M0,0L5,0", [box]) is None  # its end would go
    assert gaps.cut("M0,0Q5,0,10,0", [box]) == "M0,0C1.333,0 2.667,0 4,0M6,0C7.333,0 8.667,0 10,0"
    assert gaps.cut("M0,0S5,0,10,0", [box]) is None
    assert not box.meets(gaps.LabelBox(0, -5, 10, 5)) and box.meets(gaps.LabelBox(5, -5, 10, 5))


PALETTE = {
    "pyproject.toml": '[tool.figmill.palette]\nhot = {fill = "#ffe0f0", line = "#b0307a", '
    'dark_fill = "#501a3a", dark_line = "#ff90c8"}\n'
}
HOT = "flowchart LR\n  a:::hot --> b:::data\n"


def test_roles_are_classes_and_follow_the_palette(together: tuple[Space, Ran]) -> None:
    light, dark = (together[0].read(f"build/global/hot{theme}.svg") for theme in ("", ".dark"))
    assert all(colour in light for colour in ("#ffe0f0", "#b0307a", "#d4edda"))
    assert all(colour in dark for colour in ("#501a3a", "#ff90c8", "#1c4229"))


LOOSE = (
    '%%{init: {"securityLevel": "loose", "flowchart": {"htmlLabels": true}}}%%\nflowchart LR\n'
    '  a["<img src=x onerror=alert(1)>ok"] --> b\n  click b "javascript:alert(1)"\n  click a call run()\n'
)


def test_nothing_in_a_diagram_acts(together: tuple[Space, Ran]) -> None:
    text = together[0].read("build/global/loose.svg")
    assert not re.search(r"<script|onerror=|javascript:|foreignObject|<img", text)


def test_the_day_of_the_build_is_not_in_the_drawing(together: tuple[Space, Ran]) -> None:
    assert "today" not in together[0].read("build/global/gantt.svg")


def test_lines_keep_their_numbers_without_front_matter_directives_and_comments() -> None:
    text = "\n---\ntitle: T\n---\n%%{init: {\n}}%%\n%% note\nflowchart LR\n\n %% two\n a --> b"
    assert list(body_of(text)) == [(8, "flowchart LR"), (9, ""), (11, " a --> b")]


def test_a_role_that_the_source_defines_is_the_sources() -> None:
    text = "flowchart LR\n a:::data --> b:::compute\n classDef data fill:red\n class c error\n"
    added = role_classes(text, {})
    assert [line.split()[1] for line in added.split("\n") if line] == ["compute", "error"]
    assert role_classes('pie\n "a": 1\n', {}) == ""


LEFT_OUT = {
    "icons": "flowchart LR\n  A[fa:fa-car Car] -- fa:fa-ban stop --> B(fab:fa-old-phone)\n  B --> C[see]\n",
    "words": "flowchart LR\n  A[Car] -- stop --> B(old phone)\n  B --> C[see]\n",
    "duck": 'classDiagram\n  class Duck\n  note for Duck "can fly\\ncan swim"\n',
}


def test_icons_and_breaks_of_labels_are_no_words(together: tuple[Space, Ran]) -> None:
    space, done = together
    told = "icons of Font Awesome are left out; `npm install @iconify-json/fa6-{}` in the book's folder brings them"
    for pack in ("solid", "brands"):
        assert f"visuals/icons.mmd:2: {told.format(pack)} [left-out]" in done.err
    icons, plain, note = (space.read(f"build/global/{name}.svg") for name in LEFT_OUT)
    assert icons.replace("icons", "words") == plain
    lines = [word.strip() for word in etree.fromstring(note.encode()).itertext() if word.strip()]
    assert lines[-2:] == ["can fly", "can swim"], lines


# Sources whose words Mermaid leaves too little room: they leave their boxes or the picture, or lie over others.
CROWDED = {
    "packet": 'packet-beta\n0-13: "sent"\n14: "URG"\n15: "ACK"\n16: "PSH"\n17-31: "window"\n',
    "radar": 'radar-beta\n axis a["Speed"], b["Developer experience"], c["Packages"], d["Documentation"]\n'
    ' curve one["A curve with a long name"]{1, 2, 3, 4}\n',
    "architecture": "architecture-beta\n group front(cloud)[Front]\n service web(internet)[Website] in front\n"
    " service app(internet)[Mobile app] in front\n service api(server)[Server]\n service db(database)[Data]\n"
    " web:R --> L:api\n app:R --> L:api\n api:B --> T:db\n",
    "c4": 'C4Container\n Person(a, "Reader", "Somebody who reads pages")\n System_Ext(m, "Mail", "Sends messages")\n'
    ' Container_Boundary(b, "The whole site") {\n Container(w, "Pages", "HTML", "What is read")\n'
    ' Container(s, "Search", "Wasm", "What is found")\n Container(d, "Index", "JSON", "All the words of pages")\n }\n'
    ' Rel(a, w, "Reads", "HTTPS")\n Rel(a, s, "Asks", "HTTPS")\n Rel(s, d, "Looks up words", "file")\n'
    ' Rel(m, a, "Sends messages to")\n Rel(d, m, "Reports to", "SMTP")\n',
    "sankey": "---\nconfig:\n  sankey:\n    showValues: false\n---\nsankey-beta\n"
    + "".join(f"Source of energy {n},Conversion of energy {n % 3},1\n" for n in range(18))
    + "".join(f"Conversion of energy {n % 3},Consumer of energy {n},1\n" for n in range(18)),
    "venn": 'venn-beta\n set Useful\n set Feasible\n set Viable\n union Useful,Feasible["Worth a prototype"]\n'
    ' union Feasible,Viable["Cheap to run"]\n union Useful,Viable["Hard to build"]\n'
    ' union Useful,Feasible,Viable["Sweet spot"]\n',
    "kanban": "kanban\n  doing[Doing]\n    a[Improve the renderer for edge cases]\n"
    "    b[Write a post about the new diagram]\n",
    "note": 'classDiagram\n  class Pay\n  note for Pay "New payment providers only\\nneed to implement authorize()"\n',
}


# Sources whose words Mermaid writes on lines, or in the colour of what is behind them.
PLACED = {
    "on-sequence": "sequenceDiagram\n participant A\n participant B\n participant C\n A->>C: over a lifeline\n"
    " par both\n A->>B: one\n"
    " and another guard\n B->>C: two\n end\n C->>A: words that are wider than one of two spans\n",
    "on-itself": "sequenceDiagram\n A->>+B: ask\n B->>B: words that begin beside a bar\n B-->>-A: answer\n",
    "on-quadrant": "quadrantChart\n x-axis Low --> High\n quadrant-1 Do\n At the very edge: [0.97, 0.9] radius: 9\n"
    " On the middle line: [0.52, 0.7]\n Low and left: [0.03, 0.03]\n",
    "on-services": "architecture-beta\n group g(cloud)[Group]\n service a(server)[Upper] in g\n"
    " service b(disk)[Lower] in g\n a:B --> T:b\n",
    "on-block": 'block-beta\n columns 2\n a["Web"] b["API"]\n a -- "reads" --> b\n',
    "on-many": 'classDiagram\n Library "1" --> "many" Book : lends\n Book "many" --> "1..*" Author : written by\n',
    "on-c4": 'C4Container\n Person(a, "Reader")\n Container(w, "Pages", "HTML", "What is read")\n'
    ' Rel(a, w, "Reads", "HTTPS")\n',
    "on-gantt": "gantt\n dateFormat YYYY-MM-DD\n section One\n A task with a long name :a, 2024-01-01, 3d\n"
    " Later :b, 2024-02-01, 3d\n",
    "on-journey": "journey\n section At home\n Read: 3: Me, Cat\n",
    "on-flows": "sankey-beta\nfrom,to,3\nto,end,2\n",
    "on-overlap": 'venn-beta\n title "Two sets"\n set A\n set B\n union A,B["both"]\n',
    "on-bars": "---\nconfig: {xyChart: {showDataLabel: true}}\n---\nxychart-beta\n x-axis [a, b]\n bar [1, 7]\n",
    "on-across": "---\nconfig: {xyChart: {showDataLabel: true}}\n---\n"
    "xychart-beta horizontal\n x-axis [a, b]\n bar [1, 7]\n",
    "on-composite": "stateDiagram-v2\n state Outer {\n One --> Two: go\n }\n",
    "on-titles": "flowchart TB\n a -->|said| b\n a --> c\n subgraph g [A title as wide as all]\n b\n c\n end\n"
    " a --> d\n x --> d\n subgraph k [Short]\n d\n end\n",
    # Moved aside from one line, the title would lie on the other.
    "on-between": "classDiagram\n namespace Shapes {\n class Square\n class Circle\n }\n Base <|-- Square\n"
    ' Base <|-- Circle\n Circle "1" --> "many" Square : holds\n',
    "on-domains": 'cynefin-beta\n complex\n "New market entry"\n clear\n "Standard onboarding"\n'
    ' complex --> clear : "Known"\n',
    "on-fills": "flowchart LR\n subgraph s [Group]\n a[Dark]:::dark\n end\n a --> b[Own]:::own\n style s fill:#222244\n"
    " classDef dark fill:navy\n classDef own fill:#336699,color:#99ccff\n",
}


# What `together` draws: in the dark theme only what a test looks at there.
IN_BOTH_THEMES = (
    {"inked": INKED, "often": OFTEN, "hot": HOT, "hops": HOPS},
    SOURCES,
    ICONS,
    COLOURED,
    LEFT_OUT,
    ON_DARK,
    PLACED,
)
IN_LIGHT = (
    BOXES,
    {f"right{n}": source for n, source in enumerate(RIGHT)},
    {
        "grouped": GROUPED,
        "nowhere": NOWHERE,
        "generic": GENERIC,
        "large": LARGE,
        "loose": LOOSE,
        "level": LEVEL,
    },
    LOOPS,
    CHARACTERS,
    FORMATTED,
    LAYOUTS,
    CYLINDERS,
    SIDES,
    LABELS,
    NEW,
    RULED,
    {name: FORMULAS[name] for name in SOME_FORMULAS},
    LINED,
    {f"{name}-crowded": source for name, source in CROWDED.items()},
)


@pytest.fixture(scope="module")
def linted(together: tuple[Space, Ran]) -> list[dict[str, str]]:
    """What lint finds in the diagrams whose words are on lines."""
    done = together[0].run("lint", "--format", "json", *(f"--id={name}" for name in (*PLACED, "hops")))
    findings: list[dict[str, str]] = json.loads(done.out)["findings"]
    return findings


def test_words_have_room(together: tuple[Space, Ran]) -> None:
    """No text leaves its box or the picture, or lies over another; lines can be squeezed in a wider font."""
    _, done = together
    warnings = re.findall(r"^.*\[text-(?:overflow|overlap|outside|squeezed)\].*$", done.err, re.MULTILINE)
    assert not warnings, "\n".join(warnings)


def texts(root: etree._Element) -> dict[str, etree._Element]:
    elements = {"".join(map(str, text.itertext())).strip(): text for text in root.iter("{*}text")}
    return {" ".join(label.split()): text for label, text in elements.items()}


def drawing(space: Space, name: str) -> etree._Element:
    return etree.fromstring(space.read(f"build/global/{name}.svg").encode())


def inherited(node: etree._Element | None, name: str) -> str:
    while node is not None and node.get(name) is None:
        node = node.getparent()
    return "" if node is None else str(node.get(name))


def test_words_stand_beside_lines_and_are_legible(
    together: tuple[Space, Ran], linted: list[dict[str, str]]
) -> None:
    space, _ = together
    checks = ("line-through-text", "contrast", "figure-fails", "text-outside", "small-text", "dropped")
    told = [row for row in linted if row["id"] in PLACED and row["check"] in checks]
    authors = [row for row in told if row["id"] == "on-fills" and "#336699" in row["message"]]
    assert told == authors, told
    drawn = {name.removeprefix("on-"): drawing(space, name) for name in PLACED}
    assert "data-gaps" not in "".join(space.read(f"build/global/{name}.svg") for name in PLACED)
    # Where there is no place beside a lifeline, it has a gap.
    lives = [path for path in drawn["sequence"].iter("{*}path") if str(path.get("d")).upper().count("M") == 2]
    assert [life.get("stroke-width") for life in lives] == ["2"]  # like the others
    assert inherited(texts(drawn["journey"])["At home"], "fill") == TEXT[0]
    nodes = list(drawn["flows"].iter())
    assert nodes.index(texts(drawn["flows"])["to 3"]) > max(
        number for number, node in enumerate(nodes) if str(node.get("stroke", "")).startswith("url(")
    )
    assert "Two sets" in texts(drawn["overlap"])
    # So have lines that enter a group whose title is too wide to stand beside them.
    enter = {path.get("d") for path in drawn["titles"].iter("{*}path") if path.get("marker-end")}
    assert sorted(str(route).upper().count("M") for route in enter) == [1, 1, 2, 3]
    dark = etree.fromstring(space.read("build/global/on-composite.dark.svg").encode())
    assert PAGE[1] not in {rect.get("fill") for rect in dark.iter("{*}rect")}
    fills = texts(drawn["fills"])
    assert [inherited(fills[name], "fill") for name in ("Dark", "Group", "Own")] == [
        "#ffffff",
        "#ffffff",
        "#99ccff",
    ]
    assert not list(drawn["c4"].iter("{*}image"))
    assert inherited(texts(drawn["c4"])["Pages"], "fill") == "#000000"


def test_the_ink_is_the_one_with_more_contrast() -> None:
    assert ink.contrast("#ffffff", "#000000") == 21
    assert ink.contrast("white", "nothing") == 1
    assert ink.luminance("rgba(0, 0, 0, 0.5)") is None and ink.luminance("currentColor") is None
    svg = '<svg xmlns="http://www.w3.org/2000/svg"><g class="node"><rect style="fill: {}"/><text>a</text></g></svg>'
    for fill, style in (
        ("#696", "fill:#000000 !important"),
        ("#003", "fill:#ffffff !important"),
        ("#eee", None),
    ):
        root = etree.fromstring(svg.format(fill))
        ink.chosen(root)
        assert root.find(".//{*}text").get("style") == style, fill
