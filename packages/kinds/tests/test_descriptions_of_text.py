"""What diagrams in other text languages show, as tables: from their sources or their data."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from figmill.model import FigureTable
from figmill_kinds.plantuml import activities, messages
from figmill_kinds.plantuml import as_tables as plantuml
from figmill_kinds.plantuml.text import DiagramText
from figmill_kinds.railroad import as_tables as railroad
from figmill_kinds.railroad.reading import rules
from figmill_kinds.schemdraw import as_tables as circuits
from figmill_kinds.wavedrom import as_tables as wavedrom


def rows(tables: tuple[FigureTable, ...] | None) -> dict[str, list[tuple[Any, ...]]]:
    return {table.title: [*table.rows] for table in tables or ()}


def uml(body: str, kind: str = "uml") -> DiagramText:
    lines = (f"@start{kind}", *body.strip("\n").split("\n"), f"@end{kind}")
    return DiagramText("a.puml", kind, lines, (), (), 1)


def test_a_sequence_of_plantuml_is_its_messages_in_frames() -> None:
    tables = messages.tables_of(
        uml("""
actor Bob as b
participant s as "Big server"
b -> s ++ : **ask**\\nnow
loop often
alt ok
return yes
else no
s ->x b: never
end
end
note over b, s: both <b>wait</b>
note left
  one
end note
== later ==
b <- s: back
b <-> s
[-> b: wakes
box "Group"
end box
""")
    )
    assert rows(tables) == {
        "Actors": [("Bob",), ("Big server",)],
        "Messages": [
            (0, "message", "Bob", "Big server", "ask now"),
            (0, "loop", "", "", "often"),
            (1, "if", "", "", "ok"),
            (2, "message", "Big server", "Bob", "yes"),
            (1, "else", "", "", "no"),
            (2, "message", "Big server", "Bob", "never"),
            (0, "note", "Bob, Big server", "", "both wait"),
            (0, "note", "", "", "one"),
            (0, "section", "", "", "later"),
            (0, "message", "Big server", "Bob", "back"),
            (0, "message", "Bob", "Big server", "both ways"),
            (0, "message", "…", "Bob", "wakes"),
        ],
    }
    assert messages.tables_of(uml("!while %true()\na -> b\n!endwhile")) is None


def test_activities_mind_maps_and_json_of_plantuml() -> None:
    lines = uml(
        "start\n:one\nmore;\nif (ok?) then (yes)\n:two;\nelseif (b?) then (x)\nelse (no)\nrepeat\n:three;\n"
        "repeat while (again?) is (yes)\nendif\nfork\n:a;\nfork again\n:b;\nend fork\nstop"
    ).lines[1:-1]
    assert rows(activities.tables_of(lines))["Steps"] == [
        (0, "start", ""),
        (0, "", "one more"),
        (0, "if", "ok?: yes"),
        (1, "", "two"),
        (0, "else if", "b?: x"),
        (0, "else", "no"),
        (1, "loop", ""),
        (2, "", "three"),
        (1, "while", "again?"),
        (0, "in parallel", ""),
        (1, "", "a"),
        (0, "in parallel", ""),
        (1, "", "b"),
        (0, "end", ""),
    ]
    assert activities.tables_of(("start", "an odd line", ":a;")) is None
    empty = '<svg xmlns="http://www.w3.org/2000/svg"/>'
    assert rows(plantuml.tables_of(empty, uml("* root\n** :a\nb;\n*** c\n** d", "mindmap")))["Topics"] == [
        (0, "root"),
        (1, "a b"),
        (2, "c"),
        (1, "d"),
    ]
    assert rows(plantuml.tables_of(empty, uml('{"a": 1, "b": [true, {"c": "x"}]}', "json")))["Data"] == [
        (0, "a: 1"),
        (0, "b"),
        (1, "1: true"),
        (1, "2"),
        (2, "c: x"),
    ]


def test_a_graph_of_plantuml_is_read_from_its_marks() -> None:
    letter = '<text dominant-baseline="central" y="5">C</text>'
    svg = (
        '<svg xmlns="http://www.w3.org/2000/svg"><g>'
        '<g class="cluster" data-qualified-name="P" id="e1"><text>Pack</text></g>'
        f'<g class="entity" data-qualified-name="P.A" id="e2">{letter}<text y="5">A</text><line y1="9"/>'
        '<text y="12">run()</text></g>'
        f'<g class="entity" data-qualified-name="B" id="e3">{letter}<text y="3">«api»</text><text y="5">B</text></g>'
        '<g class="entity" data-qualified-name="GMN5" id="e4"><text y="1">hello</text></g>'
        '<g class="link" data-entity-1="e2" data-entity-2="e3" data-link-type="composition">'
        '<polygon points="0,0 2,2"/><path d="M0,0 C0,1 0,90 0,100"/><text x="0" y="50">has</text>'
        '<text x="0" y="95">many</text><text x="0" y="5">1</text></g>'
        '<g class="link" data-entity-1="e2" data-entity-2="e3" data-link-type="extension">'
        '<polygon points="0,0 2,2"/><path d="M0,0 C0,1 0,90 0,100" stroke-dasharray="7,7"/></g>'
        '<g class="link" data-entity-1="e4" data-entity-2="e3" data-link-type="association">'
        '<path d="M0,0 L9,9"/></g></g></svg>'
    )
    assert rows(plantuml.tables_of(svg, uml('A "1" *-- "many" B : has'))) == {
        "Classes": [("A", "Pack", ""), ("B", "", "api")],
        "Relations": [("A", "B", "has", "composition", "1", "many"), ("B", "A", "", "realization", "", "")],
        "Members": [("A", "run()")],
        "Notes": [("hello", "B")],
    }


def test_a_grammar_is_told_rule_by_rule() -> None:
    grammar = 'sum = digit , { ( "+" | "-" ) , digit } ;\ndigit = "0" | "1" , [ sum ] | ;\n'
    assert rows(railroad.tables_of(rules(grammar)))["Rules"] == [
        (0, "", "sum"),
        (1, "", "digit"),
        (1, "zero or more times", ""),
        (2, "one of", '"+", "-"'),
        (2, "", "digit"),
        (0, "", "digit"),
        (1, "one of", ""),
        (2, "", '"0"'),
        (2, "in order", ""),
        (3, "", '"1"'),
        (3, "optional", "sum"),
        (2, "nothing", ""),
    ]


def test_waves_registers_and_logic_are_told() -> None:
    signals = [
        {"name": "clk", "wave": "p..P"},
        ["group", {"name": "bus", "wave": "x=.|0", "data": "A", "node": ".a"}],
        {"name": "fast", "wave": "01", "period": 0.5, "node": "b"},
        {},
    ]
    assert rows(wavedrom.tables_of({"signal": signals, "edge": ["a~>b t1", "a<-b", "a->q lost"]})) == {
        "Signals": [
            ("clk", 0, 4, "clock"),
            ("bus", 0, 1, "unknown"),
            ("bus", 1, 4, "A"),
            ("bus", 4, 5, "low"),
            ("fast", 0, 0.5, "low"),
            ("fast", 0.5, 1, "high"),
        ],
        "Edges": [("bus", "fast", "t1"), ("fast", "bus", "")],
    }
    register = [{"bits": 7, "name": "opcode", "attr": "OP"}, {"bits": 5}]
    assert rows(wavedrom.tables_of({"reg": register}))["Fields"] == [(0, 6, "opcode", "OP"), (7, 11, "", "")]
    assert rows(wavedrom.tables_of({"assign": [["out", ["&", "a", ["~", "b"]]]]}))["Signals"] == [
        (0, "out"),
        (1, "and"),
        (2, "a"),
        (2, "not"),
        (3, "b"),
    ]


def test_elements_of_a_circuit_have_their_labels() -> None:
    def element(name: str, *labels: str) -> Any:
        return type(name, (), {"_userlabels": [SimpleNamespace(label=label) for label in labels]})()

    drawing = SimpleNamespace(
        elements=[
            element("SourceV", "10 V", "+"),
            element("ResistorIEC", "$R_1$"),
            element("Line"),
            element("Line", "out"),
            element("Ground"),
        ]
    )
    assert rows(circuits.tables_of(drawing))["Elements"] == [
        ("Source V", "10 V"),
        ("Resistor", "R_1"),
        ("Line", "out"),
        ("Ground", ""),
    ]
    assert circuits.tables_of(SimpleNamespace(elements=[element("Line")])) == ()
