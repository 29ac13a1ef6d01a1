"""Long descriptions: what graphs, plots and charts say of themselves, as CSV files and in the manifest."""

from __future__ import annotations

import csv
import io
import json
import re
from dataclasses import replace
from typing import Any
from xml.etree import ElementTree

import pytest
from helpers.book import CopyOf, Space

from figmill.integrations.figures import load
from figmill.integrations.long_description import details

GRAPH = """digraph {
  subgraph cluster_x { label="Group X"; a [label="A\\nsecond line"]; b }
  a -> b [label=hi]; b -> "c d"; h [label=<<b>bold</b><br/>next &amp; last>]; r [shape=record label="{<p> l|m\\ n}"]
  r:p -> a [dir=back]; b -> h [dir=both]; z [style=invis]; a -> z [style=invis]
}"""
PLOTS = """
from matplotlib.figure import Figure
from figmill import Drawing

def draw(kind: str = "lines"):
    figure = Figure(); axes = figure.add_subplot(); axes.set_xlabel("Time in s"); axes.set_ylabel("Load")
    if kind == "lines":
        axes.plot([0, 1, 2], [1, 4, 1 / 3], label="one"); axes.plot([0, 1, 2], [2, 5, 6], label="two")
        axes.axhline(3, linestyle=":")
    elif kind == "apart":
        axes.plot(range(3), [1, 2, 3], label="one"); axes.scatter([5, 6], [7, 8], label="two")
    elif kind == "bars":
        axes.bar(["web", "db"], [3, 5])
    elif kind == "long":
        axes.plot(range(5000), [n * n for n in range(5000)])
    elif kind == "stated":
        axes.plot([0, 1], [0, 1])
        return Drawing(figure, tables={"Steps": [{"name": "=SUM(A1)", "t (ms)": 1.25}, {"name": "second"}]})
    else:
        return Drawing(figure, tables={"Steps": {"a": [1, 2], "b": [1]}})
    return figure
"""


def book_of_tables(space: Space) -> Space:
    space.write({"visuals/g.dot": GRAPH, "visuals/p.py": PLOTS})
    space.question("graph", "source: g.dot, alt: a graph")
    for kind in ("lines", "apart", "bars", "long", "stated"):
        space.question(kind, f"source: p.py, kind: matplotlib, params: {{kind: {kind}}}, alt: a plot")
    return space


@pytest.fixture
def described(copy_of: CopyOf) -> Space:
    """A book of a graph and plots, built without a word of complaint."""
    return copy_of(book_of_tables)


def rows(space: Space, name: str) -> list[list[str]]:
    return list(csv.reader(io.StringIO(space.read(f"build/global/{name}.csv"))))


def manifest(space: Space) -> dict[str, Any]:
    return {row["id"]: row for row in json.loads(space.read("build/manifest.json"))["figures"]}


def test_what_is_drawn_is_told_as_tables(described: Space) -> None:
    assert rows(described, "graph.data-nodes") == [
        ["node", "group"],
        ["A, second line", "Group X"],
        ["b", "Group X"],
        ["c d", ""],
        ["bold, next & last", ""],
        ["l, m n", ""],
    ]
    assert sorted(rows(described, "graph.data-edges")[1:]) == [
        ["A, second line", "b", "hi"],
        ["A, second line", "l, m n", ""],
        ["b", "bold, next & last", "both ways"],
        ["b", "c d", ""],
    ]
    assert rows(described, "lines.data") == [
        ["Time in s", "one", "two"],
        ["0", "1", "2"],
        ["1", "4", "5"],
        ["2", "0.333333", "6"],
    ]
    assert rows(described, "apart.data")[-2:] == [["two", "5", "7"], ["two", "6", "8"]]
    assert rows(described, "bars.data") == [["Time in s", "Load"], ["web", "3"], ["db", "5"]]
    long = rows(described, "long.data")
    assert len(long) == 201 and long[1] == ["0", "0"] and long[-1] == ["4999", "24990001"]
    # a text that a spreadsheet would compute is a text
    assert rows(described, "stated.data") == [["name", "t (ms)"], ["'=SUM(A1)", "1.25"], ["second", ""]]
    (table,) = manifest(described)["long"]["description"]["tables"]
    assert (table["title"], table["rows"], table["total"], table["path"]) == (
        "Plot 1",
        200,
        5000,
        "global/long.data.csv",
    )


def test_the_files_are_outputs_like_others(described: Space) -> None:
    path = described.root / "build/global/lines.data.csv"
    before = path.read_bytes()
    assert described.run().out.endswith("all fresh\n")
    path.write_text("changed")
    assert described.run("--check").code == 3
    assert described.run().code == 0 and path.read_bytes() == before
    described.question(
        "lines", "source: p.py, kind: matplotlib, params: {kind: lines}, alt: a plot, describe: false"
    )
    assert described.run().code == 0
    described.run("clean")
    assert not path.exists() and "description" not in manifest(described)["lines"]
    assert (described.root / "build/global/bars.data.csv").exists()


def test_the_question_and_the_settings_decide(described: Space) -> None:
    described.question(
        "graph", "source: g.dot, alt: a graph, describe: 'It has {nodes} nodes.\n\n\n    It ends.'"
    )
    described.write({"figmill.toml": '[tool.figmill]\ndescriptions = "files"\n'})
    assert described.run().code == 0
    description = manifest(described)["graph"]["description"]
    assert description["text"] == "It has 6 nodes.\n\nIt ends."
    assert not description["shown"] and len(description["tables"]) == 2
    described.write({"figmill.toml": '[tool.figmill]\ndescriptions = "none"\n'})
    assert described.run().code == 0
    assert all("description" not in row for row in manifest(described).values())
    assert described.run("clean").code == 0
    assert not list((described.root / "build").rglob("*.csv"))


def test_a_wrong_description_is_told_at_its_line(described: Space) -> None:
    described.question("graph", "source: g.dot, alt: a graph, describe: true")
    described.question("wrong", "source: p.py, kind: matplotlib, params: {kind: wrong}, alt: a plot")
    ran = described.run()
    assert ran.code == 1
    assert "describe is a text, or false" in ran.err
    assert "visuals/p.py:5: table 'Steps' has columns of different lengths" in ran.err, ran.err


def test_a_book_in_place_has_no_data_beside_its_sources(described: Space) -> None:
    described.write({"figmill.toml": '[tool.figmill]\noutput = "in-place"\n'})
    assert described.run().code == 0
    assert not list((described.root / "visuals").rglob("*.csv"))
    assert (described.root / "build/global/lines.data.csv").exists()


def test_narrow_forms(space: Space) -> None:
    script = (
        "from matplotlib.figure import Figure\n\ndef draw(n: int = 8, narrow: bool = False):\n"
        "    figure = Figure(figsize=(3.5 if narrow else 8, 3))\n"
        "    figure.text(0.1, 0.5, f'{n} steps')\n    return figure\n"
    )
    space.write({"visuals/p.py": script, "visuals/g.dot": "digraph { a -> b }"})
    space.question("one", "source: p.py, kind: matplotlib, alt: a, narrow: true")
    space.question("two", "source: p.py, kind: matplotlib, alt: b, narrow: {params: {n: 4, narrow: true}}")
    ran = space.run("--jobs", "1")
    assert ran.code == 0, ran.err
    assert ">4 steps<" in space.read("build/global/two.narrow.svg") and ">8 steps<" in space.read(
        "build/global/two.svg"
    )
    narrow = manifest(space)["two"]["narrow"]
    assert [(file["theme"], file["path"]) for file in narrow] == [
        ("light", "global/two.narrow.svg"),
        ("dark", "global/two.narrow.dark.svg"),
    ]
    assert all(file["width"] < 360 for file in narrow)
    assert space.run().out.endswith("all fresh\n")
    html = space.run("embed", "two", "--base", ".").out
    pictures = re.findall(r"<img[^>]*>", html)
    assert [sum(form in img for img in pictures) for form in ("figmill-wide", "figmill-narrow")] == [2, 2]
    assert space.run("embed", "two", "--format", "md", "--base", ".").out.count("(max-width: 480px)") == 2
    space.question("one.narrow", "source: g.dot, alt: c")
    space.question("bad", "source: g.dot, alt: d, narrow: true")
    space.question("unknown", "source: p.py, kind: matplotlib, alt: e, narrow: {params: {m: 1}}")
    space.question(
        "both", "source: p.py, kind: matplotlib, alt: f, params: {n: 1}, explore: {n: [1, 2]}, narrow: true"
    )
    said = space.run("--jobs", "1").err
    assert "is also a form of 'one'" in said
    assert "narrow gives a script's draw() other params, and 'g.dot' is not a script" in said
    assert "has no parameter 'm'" in said or "'m'" in said
    assert "a figure has explore or narrow, not both" in said


FLOW = """flowchart LR
  client([Client]) -->|HTTPS| gate{{"#quot;Gateway#quot;"}}
  subgraph pool [Pool]
    one[Worker<br/>one]
  end
  gate ==> one
"""
TALK = (
    "sequenceDiagram\n participant C as Client\n C->>+B: ask\n"
    " Note over B: waits\n loop often\n B-->>-C: answer\n end\n"
)
GANTT = "gantt\n dateFormat YYYY-MM-DD\n section Design\n Sketch :a, 2024-01-01, 10d\n Draw :after a, 12h\n"
CLASSES = (
    'classDiagram\n Pool *-- Worker : owns\n Worker <|-- Gpu\n Worker : +run()\n Pool "1" --> "0..*" Rack\n'
)
# What a diagram is -> its source; data of each kind are read from Mermaid once.
DIAGRAMS = {
    "flow": FLOW,
    "talk": TALK,
    "plan": GANTT,
    "classes": CLASSES,
    "days": "journey\n section Work\n Read: 3: Me\n Write: 5: Me, You\n",
    "pages": "erDiagram\n BOOK ||--o{ PAGE : has\n",
    "time": 'pie\n "compute": 3\n "wait": 1\n',
    "git": 'gitGraph\n commit id:"one"\n branch topic\n commit tag:"v1"\n checkout main\n merge topic\n',
    "where": "quadrantChart\n x-axis Low --> High\n y-axis Few --> Many\n here: [0.3, 0.6]\n",
    "ideas": "mindmap\n Root\n  One\n   Two\n  Three\n",
    "rules": 'railroad-ebnf-beta\n sum = digit, { "+", digit } ;\n',
}


def test_diagrams_of_mermaid_say_what_they_show(space: Space) -> None:
    space.write({"figmill.toml": 'themes = ["light"]\n'})
    for name, source in DIAGRAMS.items():
        space.write({f"visuals/{name}.mmd": source})
        space.question(name, f"source: {name}.mmd, alt: a diagram")
    done = space.run("--jobs", "1")
    assert done.code == 0, done.err

    def rows(name: str) -> list[list[str]]:
        path = next((space.root / "build").rglob(f"{name}.csv"))
        return list(csv.reader(io.StringIO(path.read_text())))[1:]

    assert rows("flow.data-nodes") == [["Client", ""], ['"Gateway"', ""], ["Worker one", "Pool"]]
    assert rows("flow.data-edges") == [["Client", '"Gateway"', "HTTPS"], ['"Gateway"', "Worker one", ""]]
    assert rows("talk.data-messages") == [
        ["0", "message", "Client", "B", "ask"],
        ["0", "note", "B", "", "waits"],
        ["0", "loop", "", "", "often"],
        ["1", "message", "B", "Client", "answer"],
    ]
    assert rows("plan.data") == [
        ["Design", "Sketch", "2024-01-01", "2024-01-11"],
        ["Design", "Draw", "2024-01-11", "2024-01-11 12:00:00"],
    ]
    assert rows("classes.data-relations") == [
        ["Pool", "Worker", "owns", "composition", "", ""],
        ["Gpu", "Worker", "", "inheritance", "", ""],
        ["Pool", "Rack", "", "association", "1", "0..*"],
    ]
    assert rows("days.data") == [["Work", "Read", "3", "Me"], ["Work", "Write", "5", "Me, You"]]
    assert rows("pages.data-relations") == [["BOOK", "PAGE", "has", "one", "zero or more"]]
    assert rows("time.data") == [["compute", "3", "75"], ["wait", "1", "25"]]
    assert [row[1:] for row in rows("git.data")][1:] == [
        ["topic", "", "", "one", "v1"],
        ["main", "merge", "topic", "one", ""],
    ]
    assert rows("where.data") == [["here", "0.3", "0.6"]]
    assert rows("ideas.data") == [["0", "Root"], ["1", "One"], ["2", "Two"], ["1", "Three"]]
    assert rows("rules.data") == [
        ["0", "", "sum"],
        ["1", "", "digit"],
        ["1", "zero or more times", ""],
        ["2", "", '"+"'],
        ["2", "", "digit"],
    ]
    shown = shown_in_german(space, "talk", "classes", "pages")
    assert (
        "<ol><li>Client → B: ask</li><li>Notiz (B): waits</li><li>Schleife: often<ol><li>B → Client: answer</li></ol>"
        in shown
    )
    assert "Pool → Worker: owns (Komposition)" in shown and "Pool → Rack (Assoziation, 1 zu 0..*)" in shown
    assert "BOOK – PAGE: has (eins zu null oder mehr)" in shown and '<th scope="col">Klasse</th>' in shown


def shown_in_german(space: Space, *names: str) -> str:
    """The descriptions of figures as a German page shows them."""
    folder = space.root / "build"
    figures = load(folder).figures
    elements = [details(replace(figures[name], page="de"), folder, lambda _: None) for name in names]
    return "".join(
        ElementTree.tostring(element, encoding="unicode") for element in elements if element is not None
    )
