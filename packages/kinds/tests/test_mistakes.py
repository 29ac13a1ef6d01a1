"""Mistakes in Vega-Lite, PlantUML and D2: the message says what would be right."""

from __future__ import annotations

import pytest

from figmill.errors import AuthorError
from figmill.kind.source_text import json_value
from figmill_kinds.d2 import faults as d2_faults
from figmill_kinds.plantuml import faults as plantuml_faults
from figmill_kinds.plantuml.text import DiagramText
from figmill_kinds.vega_lite import renderer as vega_lite


def test_mistakes_in_charts_and_other_languages_say_what_would_be_right() -> None:
    def told(chart: str) -> str:
        with pytest.raises(AuthorError) as caught:
            raise next(vega_lite._mistakes(json_value(chart, "c", constants=True), chart, "c"))
        return str(caught.value)

    assert told('{"mark": "bra"}') == "c:1:10: Vega-Lite has no mark 'bra'; did you mean 'bar'?"
    assert "no type 'quantitativ'; did you mean 'quant" in told(
        '{"encoding": {"x": {"type": "quantitativ"}}}'
    )
    assert "texts have double quotes" in told("{'mark': 1}") and "file ends too early" in told(
        '{"mark": "bar"'
    )
    assert "a ',' is missing before '\"b\"" in told('{"a": 1 "b": 2}')
    lines = {"p": ("@startuml", "particpant A", ":one", 'participant "A', "@enduml")}
    text = DiagramText("p", "uml", lines["p"], (), (), 1)
    assert [plantuml_faults._advice(row, text) for row in lines["p"][1:4]] == [
        "; did you mean 'participant'?",
        "; an action ends with ';'",
        "; a second '\"' is missing",
    ]
    message = "err: failed to compile a.d2: a.d2:1:4: invalid text beginning unquoted key"
    assert str(d2_faults.author_error(message, "", "a.d2", {"a.d2": "a => b"})) == (
        "a.d2:1:3: '=>' is not an arrow; write '->', '<-', '<->' or '--'"
    )
