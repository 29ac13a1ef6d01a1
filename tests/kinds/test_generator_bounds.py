"""Generators state the bounds of their parameters where editors, sliders and builds read them: in annotations."""

from __future__ import annotations

import ast
import re
from pathlib import Path

from helpers.cases import cases
from helpers.generators import VISUALS

from figmill.kinds.scripts import parameter_limits, signature


@cases("script", sorted(VISUALS.glob("*.py")), ids=lambda path: path.stem)
def test_a_generator_states_the_bounds_of_its_parameters_in_annotations(script: Path) -> None:
    """A bound that stands in the code alone is known to no editor, no slider and no build before the script runs."""
    tree = ast.parse(script.read_bytes())
    draw = next((n for n in tree.body if isinstance(n, ast.FunctionDef) and n.name == "draw"), None)
    told = signature.signature(tree)
    if draw is None or told is None:
        return
    names = {parameter.name for parameter in told.parameters}
    in_code = [
        keyword.arg
        for call in ast.walk(draw)
        if isinstance(call, ast.Call)
        and isinstance(call.func, ast.Name)
        and call.func.id in ("within", "whole")
        if all(isinstance(bound, ast.Constant) for bound in call.args)
        for keyword in call.keywords
        if keyword.arg in names and isinstance(keyword.value, ast.Name)
    ]
    assert in_code == []
    numbers = [p for p in told.parameters if {"integer", "number"} & {*p.accepts}]
    in_words = [p.name for p in numbers if re.search(r"\b[\d.e+-]+ to [\d.e]", p.about)]
    assert in_words == []
    default_breaks = [
        p.name
        for p in told.parameters
        for value in p.default
        if isinstance(value, int | float) and not parameter_limits.keeps(p.bounds, value)
    ]
    assert default_breaks == []
