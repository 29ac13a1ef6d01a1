"""SQL, OpenAPI and state machines as graphs, on texts that a reader can check by eye."""

from __future__ import annotations

import doctest
import json
import re
from pathlib import Path

import pytest

from figmill_structure import drawing, openapi, sql, states
from figmill_structure.graph import Graph


def arrows(graph: Graph) -> set[str]:
    return {f"{edge.tail} > {edge.head}: {edge.label}" for edge in graph.edges}


def test_the_example_of_the_page_runs() -> None:
    page = Path(__file__).parents[3] / "docs/generators/structure.md"
    (text,) = re.findall(r"```pycon\n(.*?)```", page.read_text("utf-8"), re.DOTALL)
    session = doctest.DocTestParser().get_doctest(text, {}, "page", None, 0)
    assert doctest.DocTestRunner().run(session) == (0, 3)


def rows(graph: Graph) -> dict[str, list[str]]:
    return {
        node.name: [" ".join(row).strip() for section in node.sections for row in section.rows]
        for node in graph.nodes
    }


@pytest.mark.parametrize("dialect", ["", "postgres", "mysql", "sqlite"])
def test_keys_of_columns_of_tables_and_of_later_statements(dialect: str) -> None:
    text = """
    CREATE TABLE a (id int PRIMARY KEY, b_id int REFERENCES b (id));
    CREATE TABLE b (id int, x int, y int, PRIMARY KEY (id), FOREIGN KEY (x, y) REFERENCES s.c (x, y));
    CREATE TABLE d (a_id int UNIQUE);
    ALTER TABLE d ADD CONSTRAINT k FOREIGN KEY (a_id) REFERENCES a (id);
    CREATE INDEX i ON d (a_id);
    INSERT INTO d VALUES (1);
    """
    graph = sql.tables(text, dialect)
    assert rows(graph) == {
        "a": ["id  PK int", "b_id  FK int"],
        "b": ["id  PK int", "x  FK int", "y  FK int"],
        "d": ["a_id  FK int"],
        "s.c": [],
    }
    assert arrows(graph) == {"a > b: b_id", "b > s.c: x, y", "d > a: a_id"}
    assert {edge.tail: edge.kind for edge in graph.edges} == {
        "a": "many to one",
        "b": "many to one",
        "d": "one to one",
    }


KEYS = """
CREATE TABLE a (id int PRIMARY KEY, name text UNIQUE);
CREATE TABLE b (n int, a_id int REFERENCES a, a_name text REFERENCES a (name), c_id int REFERENCES c (id));
"""


def test_lines_lead_from_row_to_row() -> None:
    graph = sql.tables(KEYS)
    assert [(edge.row, edge.head_row) for edge in graph.edges] == [
        ("a_id  FK", "id  PK"),
        ("a_name  FK", "name"),
        ("c_id  FK", ""),  # to the head of a table of another script
    ]
    source = drawing.drawn(graph).source
    assert "->" in source and ":e -> " not in source  # only from left to right
    level = drawing.drawn(graph, "LR").source
    assert 'b:"0.1.type":e -> a:0.0:w' in level and 'b:"0.3.type":e -> c:head:w' in level
    assert 'b:"0.1.type":e -> ' not in drawing.drawn(graph, "LR", rows=2).source


def test_an_edge_has_no_label_where_its_row_says_it() -> None:
    pair = """
    CREATE TABLE a (x int, y int, PRIMARY KEY (x, y));
    CREATE TABLE b (a_x int, a_y int, c int REFERENCES a, FOREIGN KEY (a_x, a_y) REFERENCES a);
    """
    graph = sql.tables(pair)
    assert {edge.label for edge in graph.edges} == {"c", "a_x, a_y"}
    level = drawing.drawn(graph, "LR").source
    assert "<TD>a_x, a_y</TD>" in level and "<TD>c</TD>" not in level
    assert "<TD>c</TD>" in drawing.drawn(graph).source  # from table to table
    assert "<TD>c</TD>" in drawing.drawn(graph, "LR", rows=2).source  # its row is not drawn


def test_each_arrowhead_at_a_table_has_a_place_of_its_own() -> None:
    fields = {name: {"$ref": "#/definitions/Two"} for name in "abcd"}
    definitions = {"One": {"properties": fields}, "Two": {"properties": {"n": {"type": "integer"}}}}
    source = drawing.drawn(
        openapi.api(json.dumps({"swagger": "2.0", "definitions": definitions})), "LR"
    ).source
    assert re.findall(r"-> Two:(\S+):w", source) == ['"head.0"', '"head.0"', '"head.1"', '"head.2"']
    assert source.count('PORT="head.') == 3 and 'COLSPAN="2" PORT="head">' in source  # that of One


def test_a_reference_begins_at_its_row_and_is_drawn_once_if_the_rows_are_not() -> None:
    both = {"a": {"$ref": "#/definitions/Two"}, "b": {"$ref": "#/definitions/Two"}}
    text = json.dumps({"swagger": "2.0", "definitions": {"One": {"properties": both}, "Two": {}}})
    graph = openapi.api(text)
    assert [edge.row for edge in graph.edges] == ["a?", "b?"]
    assert drawing.drawn(graph, "LR").source.count(" -> ") == 2
    assert drawing.drawn(openapi.api(text, fields=False), "LR").source.count(" -> ") == 1
    assert openapi.references(graph) == 1


def test_sql_that_cannot_be_parsed_is_told_with_its_line() -> None:
    with pytest.raises(ValueError, match=r"^line 2: "):
        sql.tables("CREATE TABLE a (id int);\nCREATE TABLE (;\n")


API = {
    "openapi": "3.1.0",
    "paths": {
        "/pets": {
            "parameters": [],
            "get": {"tags": ["pets"], "responses": {"200": {"$ref": "#/components/responses/Pets"}}},
            "post": {"requestBody": {"content": {"a/b": {"schema": {"$ref": "#/components/schemas/Pet"}}}}},
        }
    },
    "components": {
        "schemas": {
            "Pet": {
                "required": ["name"],
                "properties": {
                    "name": {"type": "string"},
                    "owner": {"$ref": "#/components/schemas/Owner"},
                    "tags": {"type": "array", "items": {"type": "integer"}},
                },
            },
            "Owner": {
                "properties": {"pets": {"type": "array", "items": {"$ref": "#/components/schemas/Pet"}}}
            },
        }
    },
}


def test_operations_by_tag_and_the_schemas_that_they_use() -> None:
    graph = openapi.api(json.dumps(API))
    assert rows(graph) == {
        "pets": ["GET /pets", "POST /pets"],
        "Pet": ["name string", "owner? Owner", "tags? [integer]"],
        "Owner": ["pets? [Pet]"],
    }
    assert arrows(graph) == {"pets > Pet: ", "Pet > Owner: ", "Owner > Pet: "}
    assert openapi.operations(graph) == 2
    assert [*rows(openapi.api(json.dumps(API), schemas=False))] == ["pets"]


@pytest.mark.parametrize(
    ("text", "told"),
    [("a: [", "line 2: "), ("a: 1", "no key `openapi`"), ("[" * 200 + "]" * 200, "no key `openapi`")],
)
def test_what_is_no_description(text: str, told: str) -> None:
    with pytest.raises(ValueError, match=told):
        openapi.api(text)


MACHINES = {
    "light.scxml": '<scxml xmlns="http://www.w3.org/2005/07/scxml" initial="green"><state id="green"><transition'
    ' event="cycle" target="yellow"/></state><state id="yellow"><transition event="cycle" target="red"/></state>'
    '<state id="red"><transition event="cycle" cond="day" target="green"/></state></scxml>',
    "light.json": '{"initial": "green", "states": {"green": {"on": {"cycle": "yellow"}}, "yellow": {"on": {"cycle":'
    ' {"target": "red"}}}, "red": {"on": {"cycle": [{"target": "green"}]}}}}',
    "light.py": "class Light(StateMachine):\n    green = State(initial=True)\n    yellow = State()\n    red = State()\n"
    "    cycle = green.to(yellow) | yellow.to(red) | red.to(green, cond='day')\n",
    "lists.py": "states = ['green', 'yellow', 'red']\ntransitions = [['cycle', 'green', 'yellow'],\n"
    "  {'trigger': 'cycle', 'source': 'yellow', 'dest': 'red'}, ['cycle', 'red', 'green']]\n",
}


@pytest.mark.parametrize("name", MACHINES)
def test_one_machine_in_four_languages(name: str) -> None:
    graph = states.machine(MACHINES[name], name)
    assert [node.name for node in graph.nodes] == [states.START, "green", "yellow", "red"]
    day = "cycle [day]" if "day" in MACHINES[name] else "cycle"
    assert arrows(graph) == {
        f"{states.START} > green: ",
        "green > yellow: cycle",
        "yellow > red: cycle",
        f"red > green: {day}",
    }


def test_a_state_with_states_is_a_group_and_its_transitions_begin_at_its_border() -> None:
    inner = '{"initial": "x", "states": {"x": {"on": {"go": "y"}}, "y": {}}, "on": {"stop": "off"}}'
    graph = states.machine(
        f'{{"initial": "on", "states": {{"on": {inner}, "off": {{"type": "final"}}}}}}', "m.json"
    )
    assert {node.name: node.group for node in graph.nodes} == {
        states.START: "",
        "x": "on",
        "y": "on",
        "off": "",
    }
    (stop,) = (edge for edge in graph.edges if edge.label == "stop")
    assert (stop.tail, stop.head, stop.group) == ("x", "off", "on")
    source = drawing.drawn(graph, "LR").source
    assert "\ty -> off [" in source and "\tx -> off [" not in source  # so its label stands behind the group


PARALLEL = {
    "watch.scxml": '<scxml xmlns="http://www.w3.org/2005/07/scxml" initial="off"><parallel id="on">'
    '<transition event="power" target="off"/><state id="display"><state id="time"/></state><state id="sound"'
    ' initial="loud"><state id="mute"/><state id="loud"><transition event="due" target="mute"/></state></state>'
    '</parallel><state id="off"><transition event="power" target="on"/></state></scxml>',
    "watch.json": '{"initial": "off", "states": {"on": {"type": "parallel", "on": {"power": "off"}, "states":'
    ' {"display": {"states": {"time": {}}}, "sound": {"initial": "loud", "states": {"mute": {}, "loud":'
    ' {"on": {"due": "mute"}}}}}}, "off": {"on": {"power": "on"}}}}',
    "watch.py": "class Watch(StateMachine):\n    off = State(initial=True)\n    class on(State.Parallel):\n"
    "        class display(State.Compound):\n            time = State(initial=True)\n"
    "        class sound(State.Compound):\n            mute = State()\n            loud = State(initial=True)\n"
    "            due = loud.to(mute)\n    power = off.to(on) | on.to(off)\n",
}


@pytest.mark.parametrize("name", PARALLEL)
def test_parallel_states_begin_each_at_a_start_of_their_own(name: str) -> None:
    graph = states.machine(PARALLEL[name], name)
    assert {(group.name, group.within, group.is_region) for group in graph.groups} == {
        ("on", "", False),
        ("display", "on", True),
        ("sound", "on", True),
    }
    assert {edge.tail: edge.head for edge in graph.edges if states.is_start(edge.tail)} == {
        "(start)": "off",
        "(start) display": "time",
        "(start) sound": "loud",
    }
    power = {(edge.tail, edge.head): (edge.group, edge.into) for edge in graph.edges if edge.label == "power"}
    assert power == {("off", "time"): ("", "on"), ("time", "off"): ("on", "")}
    assert states.left_with_their_groups(graph) == {
        "time",
        "mute",
        "loud",
        "(start) display",
        "(start) sound",
    }
    source = drawing.drawn(graph, "LR").source
    assert source.count("rounded,dashed") == 2 and source.count("lhead=cluster") == 1


@pytest.mark.parametrize(
    ("name", "text", "told"),
    [
        ("a.txt", "", "must end in .scxml, .json, .py"),
        ("a.scxml", "<scxml>", "^line 1: "),
        ("a.json", "{", "this is not JSON"),
        ("a.py", "x = (", "^line 1: Python cannot parse this"),
        ("a.py", "x = 1", "has no state machine"),
    ],
)
def test_what_holds_no_machine(name: str, text: str, told: str) -> None:
    with pytest.raises(ValueError, match=told):
        states.machine(text, name)


CHART = """
class Quest(StateChart):
    class shire(State.Compound):
        home = State()
        pub = State(initial=True)
        h = HistoryState()
        go_out = home.to(pub) | pub.to.itself(cond="another round is ordered")
    wilderness = State()
    end = State(final=True)
    leave = shire.to(wilderness)
    back = wilderness.to(shire.h)
    wilderness.to(end, cond="lost")
"""


def test_states_inside_states_of_a_class() -> None:
    graph = states.machine(CHART, "quest.py")
    assert [(node.name, node.group) for node in graph.nodes] == [
        ("(start)", ""),
        ("home", "shire"),
        ("pub", "shire"),
        ("wilderness", ""),
        ("end", ""),
    ]
    assert [(edge.tail, edge.head, edge.label, edge.group) for edge in graph.edges] == [
        ("(start)", "pub", "", ""),
        ("home", "pub", "go_out", ""),
        ("pub", "pub", "go_out [another round is\nordered]", ""),
        ("pub", "wilderness", "leave", "shire"),
        ("wilderness", "pub", "back", ""),
        ("wilderness", "end", "[lost]", ""),
    ]
