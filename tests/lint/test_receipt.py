"""`facts --layout`: what a figure shows, with the names that its source gives, for programs."""

from __future__ import annotations

import json
from pathlib import Path

from helpers.book import Space
from helpers.boxes import ROW, drawing, line
from jsonschema import Draft7Validator

from figmill.lint.receipt import LAYOUT, SCHEMA, graph_in, receipt
from figmill.svg import CHECKS

GRAPH = 'digraph { a [label="API"]; q [label="Queue"]; a -> q [label=puts]; q -> q; q -> gone [style=invis] }'
QUESTION = "id: {0}\nvisual: {{source: {0}.{1}, alt: The interface puts a job into the queue.}}\n"


def test_the_graph_of_a_source_names_boxes_and_lines(space: Space) -> None:
    space.write({"visuals/flow.dot": GRAPH, "questions/flow.yaml": QUESTION.format("flow", "dot")})
    assert space.run().code == 0
    ran = space.run("facts", "flow", "--layout")
    layout = json.loads(ran.out)
    Draft7Validator(SCHEMA).validate(layout)
    assert {node["name"]: node["box"] for node in layout["graph"]["nodes"]} == {
        "API": 1,
        "Queue": 2,
        "gone": 3,
    }
    lines = {(edge["from"], edge["to"], edge["label"]): edge["line"] for edge in layout["graph"]["edges"]}
    assert lines["API", "Queue", "puts"] is not None
    assert (layout["lines"][lines["API", "Queue", "puts"] - 1]["from"], layout["facts"]["nodes"]) == (1, 3)
    assert space.run("facts", "flow", "--layout").out == ran.out  # the same bytes


def test_a_drawing_outside_a_book_has_a_receipt_too(space: Space, tmp_path: Path) -> None:
    place = tmp_path / "away"
    place.mkdir()
    (place / "a.svg").write_bytes(
        drawing(line("M120 40H420"), *ROW).replace(b"<defs>", b"<script>1</script><defs>")
    )
    ran = space.run("facts", str(place / "a.svg"), "--layout")
    layout = json.loads(ran.out)
    Draft7Validator(SCHEMA).validate(layout)
    assert (layout["id"], layout["graph"], layout["facts"]) == (None, None, {})
    assert [(row["check"], row["level"]) for row in layout["findings"]] == [("edge-through-box", "warn")]
    (place / "b.svg").write_bytes(b"<svg")
    refused = space.run("facts", str(place / "b.svg"), "--layout")
    assert (refused.code, refused.out, len(refused.err.splitlines())) == (1, "", 1)
    missing = space.run("facts", str(place / "c.svg"), "--layout")
    assert (missing.code, "it cannot be read" in missing.err) == (2, True)


def test_the_schema_is_printed_and_fits_any_drawing(space: Space) -> None:
    assert json.loads(space.run("schema", "--layout").out) == SCHEMA
    Draft7Validator.check_schema(SCHEMA)
    for items in ((), ROW, (*ROW, line("M120 40H420"), line("M70 60V200", ""))):
        layout = receipt("a", "a.svg", drawing(*items), {"nodes": 3})
        Draft7Validator(SCHEMA).validate(layout)
        assert layout == receipt("a", "a.svg", drawing(*items), {"nodes": 3})


def test_equal_nodes_and_edges_are_taken_in_order() -> None:
    layout = {
        "boxes": [{"number": 1, "words": ["Log,", "new"]}, {"number": 2, "words": ["Log new"]}],
        "lines": [{"number": 1, "from": 2, "to": 1}, {"number": 2, "from": 1, "to": 2}],
    }
    edge = {"from": "Log new", "to": "Log new", "label": ""}
    graph = graph_in(layout, ["Log new", "Log new", "Log new"], [edge, edge, edge])
    assert [node["box"] for node in graph["nodes"]] == [1, 2, None]
    assert [row["line"] for row in graph["edges"]] == [1, 2, None]


def test_the_checks_of_the_layout_are_checks_of_drawings() -> None:
    assert LAYOUT <= CHECKS
