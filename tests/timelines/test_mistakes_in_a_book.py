"""What a simulator or a reader of recordings refuses is the author's mistake, at the author's line, in a real build."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest
from helpers.book import REPOSITORY, Space
from helpers.generators import VISUALS

CASES = {
    "ShapeError": ("pipeline_bubble", "schedule: dualpipe, microbatches: 3", "", "M even"),
    "TraceError": ("trace_timeline", "source: data.json", '{"traceEvents": []}', "no spans"),
    "EventError": ("bubble_filling", "source: data.json", '{"0": {"call_forward": [[0, 1]]}}', "call_backward"),
    "EventError, of a pickle": ("bubble_filling", "source: data.pickle", "cos\nsystem\n(S'true'\ntR.", "os.system"),
}  # fmt: skip


@pytest.mark.parametrize("error", CASES)
def test_a_refusal_is_told_at_the_line_of_the_script(tmp_path: Path, error: str) -> None:
    script, params, data, words = CASES[error]
    space = Space(tmp_path).write({f"visuals/{script}.py": (VISUALS / f"{script}.py").read_bytes()})
    if data:
        space.write({f"visuals/{params.split()[-1]}": data})
    space.question(
        "it", f"kind: matplotlib, source: {script}.py, params: {{{params}}}, alt: Something drawn here."
    )
    ran = space.run()
    said = ran.out + ran.err
    assert ran.code == 1 and "figmill itself failed" not in said
    line = next((line for line in said.splitlines() if error.partition(",")[0] in line), said)
    assert line.startswith(f"visuals/{script}.py:") and words in line


def test_every_error_of_the_simulators_has_a_case() -> None:
    files = (REPOSITORY / "figmill" / "timelines").rglob("*.py")
    found = {
        node.name
        for file in files
        for node in ast.walk(ast.parse(file.read_bytes()))
        if isinstance(node, ast.ClassDef) and node.name.endswith("Error") and not node.name.startswith("_")
    }
    # No order of a generator can deadlock; of a pickle, an EventError is told.
    assert found - {"DeadlockError", "PickleError"} <= set(CASES)
