"""Boxes and the lines between them, and what is wrong with these lines."""

from __future__ import annotations

import json

from helpers.book import Space
from helpers.boxes import ROW, box, drawing, line

from figmill import checks
from figmill.lint.drawings import findings, sheet_of
from figmill.svg import layout_of

LEVELS = checks.levels_alone({})


def told(*items: str) -> list[str]:
    """What is found about the lines of a drawing."""
    about = ("edge-through-box", "short-arrow", "arrow-inside")
    return [
        finding.message for finding in findings("a.svg", drawing(*items), LEVELS) if finding.check in about
    ]


def test_a_line_behind_a_box_is_told_with_its_ends() -> None:
    assert told(line("M120 40H420"), *ROW) == [
        "the line from 'Client' to 'Server' runs behind the box 'Relay'; lead it around: M70 20L70 4L470 4L470 20"
    ]


def test_a_line_over_a_box_is_told() -> None:
    assert told(*ROW, line("M120 40H420")) == [
        "the line from 'Client' to 'Server' runs across the box 'Relay'; lead it around: M70 20L70 4L470 4L470 20"
    ]


def test_a_line_that_has_gaps_for_its_labels_is_one_line() -> None:
    assert told(*ROW, line("M120 40H150M190 40H420")) == [
        "the line from 'Client' to 'Server' runs across the box 'Relay'; lead it around: M70 20L70 4L470 4L470 20"
    ]


def test_lines_that_belong_to_a_box_are_left_in_peace() -> None:
    assert told(*ROW, line("M120 40H220"), line("M320 40H420")) == []
    assert told(*ROW, line("M70 60V90H470V60")) == []


def test_a_container_may_be_entered() -> None:
    outer = '<rect x="190" y="5" width="360" height="90" fill="#eee" stroke="#888"/><text x="200" y="88">Zone</text>'
    assert told(outer, *ROW, line("M120 40H220")) == []


def test_a_line_ends_in_a_table_at_any_of_its_cells() -> None:
    cells = (box(220, 20, "key"), box(220, 60, "value"), box(220, 100, "time"))
    assert told(box(20, 20, "Client"), *cells, line("M120 40H170V120H220")) == []
    assert told(box(20, 20, "Client"), *cells, line("M120 30H270V100", 'marker-end="url(#a)"')) == []


def test_a_lifeline_passes_below_the_notes_on_it() -> None:
    ends = (box(20, 20, "Client"), box(20, 320, "Client"))
    assert told(line("M70 60V320", ""), *ends, box(20, 160, "a note")) == []


def test_a_line_without_a_head_may_lead_from_station_to_station() -> None:
    assert told(line("M120 40L270 45L420 40", ""), *ROW) == []


def test_an_arrow_ends_where_the_others_of_its_drawing_do() -> None:
    others = (line("M120 40H220"), line("M320 40H420"))
    lower = box(20, 200, "Storage")
    assert told(*ROW, *others, lower, line("M70 60V189")) == [
        "an arrow ends 11 px short of the box 'Storage'; end it at 70, 200"
    ]
    assert told(*ROW, *others, lower, line("M70 60V212")) == [
        "an arrow ends 12 px inside the box 'Storage'; end it at 70, 200"
    ]
    # A gap of the tool.
    assert told(*ROW, line("M120 40H212"), line("M320 40H412"), lower, line("M70 60V192")) == []


def test_an_arrow_at_a_line_ends_where_it_should() -> None:
    lifeline = line("M470 60V300", 'stroke-dasharray="4"')
    assert told(*ROW, line("M120 40H220"), line("M320 40H420"), lifeline, line("M70 60V140H470")) == []


def test_the_layout_of_a_drawing_is_its_boxes_lines_and_labels() -> None:
    outer = '<rect x="190" y="5" width="360" height="90" fill="#eee" stroke="#888"/><text x="200" y="88">Zone</text>'
    svg = drawing(outer, *ROW, line("M120 40H150M190 40H220"), line("M370 60V200", ""))
    layout = layout_of(svg, sheet_of(frozenset()))
    assert layout == layout_of(svg, sheet_of(frozenset()))
    assert [(box["words"], box["within"]) for box in layout["boxes"]] == [
        (["Zone"], None),
        (["Client"], None),
        (["Relay"], 1),
        (["Server"], 1),
    ]
    assert layout["boxes"][2]["bounds"] == {"x": 220.0, "y": 20.0, "width": 100.0, "height": 40.0}
    (first,) = layout["lines"]
    assert (first["from"], first["to"], first["heads"]) == (2, 3, [False, True])
    assert first["route"] == [[[120.0, 40.0], [150.0, 40.0]], [[190.0, 40.0], [220.0, 40.0]]]
    assert {label["words"]: label["box"] for label in layout["labels"]} == {
        "Zone": 1,
        "Client": 2,
        "Relay": 3,
        "Server": 4,
    }


def test_facts_prints_the_layout_of_a_built_figure(space: Space) -> None:
    question = "id: a\nvisual: {source: a.svg, alt: A client asks a server.}\n"
    space.write({"visuals/a.svg": drawing(line("M120 40H420"), *ROW), "questions/a.yaml": question})
    built = space.run()
    assert "the line from 'Client' to 'Server' runs behind the box 'Relay'" in built.out + built.err
    layout = json.loads(space.run("facts", "a", "--layout").out)
    assert [box["words"] for box in layout["boxes"]] == [["Client"], ["Relay"], ["Server"]]
    assert [(each["from"], each["to"]) for each in layout["lines"]] == [(1, 3)]
    assert [row["check"] for row in layout["findings"]] == ["edge-through-box"]
    space.write({"figmill.toml": 'output = ".site"\n'})
    space.run()
    assert json.loads(space.run("facts", "a", "--layout").out) == layout
    refused = space.run("facts", "a", "nodes", "--layout")
    assert (refused.code, "without a fact" in refused.err) == (2, True)
