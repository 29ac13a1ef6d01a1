"""What sources of Mermaid and PlantUML state of their pictures, for the check `not-drawn`."""

from __future__ import annotations

import pytest

from figmill.kind.stated import Relation
from figmill.model import Origin
from figmill_kinds.mermaid import stated as of_mermaid
from figmill_kinds.plantuml.text import DiagramText
from figmill_kinds.plantuml.words import remarks


def test_words_of_mermaid_are_those_that_a_reader_sees() -> None:
    rows = [
        ["a<br/>b", False],
        ["\ufb02\xb0quot\xb6\xdfx\ufb02\xb0\xb035\xb6\xdf", False],
        ["**b** _i_ snake_case *x*", True],
        ["\\+Map~String, List~int~~ m", False],
        ["$$x^2$$", False],
        ["<b>bold</b> &lt;T&gt;", False],
        ["odd~T~~~", False],
        ["~internal", False],
    ]
    stated = of_mermaid.of(
        {"labels": rows, "relations": [["a", "**b**<br>c", "", "figure-L_a_b_0"]]}, "", b"<svg/>"
    )
    assert [label.text for label in stated.labels] == [
        "a\nb",
        '"x#',
        "b i snake_case x",
        "+Map<String, List<int>> m",
        "bold <T>",
        "~internal",
    ]
    assert stated.relations == (Relation("a", "b c", "", "figure-L_a_b_0"),)


@pytest.mark.parametrize(
    "drawn", ["figure-id_T_T_1", "figure-id_T_T_1-cyclic-special-mid", "figure-T-cyclic-special-mid"]
)
def test_a_line_of_mermaid_to_the_same_node_is_its_middle_part(drawn: str) -> None:
    rows = [["T", "T", "", "figure-id_T_T_1", "T"]]
    for ids, mark in ((drawn, drawn), ("figure-T-cyclic-special-1", "figure-id_T_T_1")):
        stated = of_mermaid.of(
            {"labels": [], "relations": rows}, "", f'<svg><path id="{ids}"/></svg>'.encode()
        )
        assert [relation.mark for relation in stated.relations] == [mark]


@pytest.mark.parametrize(
    ("row", "is_lost"),
    [
        ("Foo -0)- Bar", True),
        ("Foo -(0- Bar : a", True),
        ("Foo --(0 Bar", False),
        ("Foo --> Bar : -0-", False),
        ('"A-0-B" --> C', False),
    ],
)
def test_a_ball_within_a_line_of_plantuml_is_lost(row: str, is_lost: bool) -> None:
    at = Origin("a.puml", 2)
    text = DiagramText(
        "a.puml", "uml", ("@startuml", row, "@enduml"), (Origin("a.puml", 1), at, Origin("a.puml", 3)), (), 1
    )
    lost = [(remark.check, remark.line) for remark in remarks(text, '<g class="link"/>')]
    assert lost == [("not-drawn", 2)] * is_lost
