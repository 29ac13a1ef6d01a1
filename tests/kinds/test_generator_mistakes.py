"""What a simulator or a reader of recordings refuses is the author's mistake, at the author's line, in a real build."""

from __future__ import annotations

import ast

from helpers.book import REPOSITORY, Space
from helpers.generators import VISUALS

CASES = {
    "ShapeError": ("pipeline_bubble", "schedule: dualpipe, microbatches: 3", "", "M even"),
    "TraceError": ("trace_timeline", "source: data.json", '{"traceEvents": []}', "no spans"),
    "EventError": (
        "bubble_filling",
        "source: events.json",
        '{"0": {"call_forward": [[0, 1]]}}',
        "call_backward",
    ),
    "EventError, of a pickle": (
        "bubble_filling",
        "source: data.pickle",
        "cos\nsystem\n(S'true'\ntR.",
        "os.system",
    ),
}


def test_a_refusal_is_told_at_the_line_of_the_script(space: Space) -> None:
    for number, (script, params, data, _) in enumerate(CASES.values()):
        space.write({f"visuals/{script}{number}.py": (VISUALS / f"{script}.py").read_bytes()})
        if data:
            space.write({f"visuals/{params.split()[-1]}": data})
        source = f"kind: matplotlib, source: {script}{number}.py"
        space.question(f"it{number}", f"{source}, params: {{{params}}}, alt: Something drawn here.")
    ran = space.run()
    said = ran.out + ran.err
    assert ran.code == 1 and "figmill itself failed" not in said
    for number, (error, (script, _, _, message)) in enumerate(CASES.items()):
        (line,) = [line for line in ran.err.splitlines() if line.startswith(f"visuals/{script}{number}.py:")]
        assert error.partition(",")[0] in line and message in line


# At the line of the question, before the script runs; or at that of the script, which knows more.
BOUNDS = (
    ("pipeline_bubble", "schedule: interleaved, group: 0", "question", "from 1 to 1024, not 0"),
    (
        "pipeline_bubble",
        "schedule: interleaved, microbatches: 10, group: 7",
        "script",
        "a group of 10 does, 7 does not",
    ),
    ("pipeline_bubble", "schedule: hanayo, chunks: 3", "script", "chunks even"),
    ("memory_budget", "accelerator: B2000", "question", "did you mean 'B200'"),
    ("memory_budget", "hybrid: 2.5", "question", "2.5"),
    ("memory_budget", "hybrid: 7", "script", "ranks must be a multiple of hybrid"),
    ("memory_budget", "latent: true", "question", "not True"),
    ("roofline", "tensor: 0", "question", "from 1 to 1024, not 0"),
    ("roofline", "accelerator: A100, bytes_each: 1", "script", "bytes_each of A100 must be 2"),
    ("roofline", "experts: 4, top_k: 5", "script", "top_k must be at most experts"),
)


def test_models_and_schedules_are_held_to_their_bounds_in_a_book(space: Space) -> None:
    for number, (script, params, _, _) in enumerate(BOUNDS):
        space.write({f"visuals/{script}{number}.py": (VISUALS / f"{script}.py").read_bytes()})
        source = f"kind: matplotlib, source: {script}{number}.py"
        space.question(f"bound{number}", f"{source}, params: {{{params}}}, alt: Something drawn here.")
    ran = space.run()
    assert ran.code == 1 and "figmill itself failed" not in ran.out + ran.err
    for number, (script, _, where, message) in enumerate(BOUNDS):
        place = f"bound{number}.yaml:" if where == "question" else f"visuals/{script}{number}.py:"
        lines = [line for line in ran.err.splitlines() if place in line and line[0] != " "]
        assert len(lines) == 1 and message in lines[0], ran.err


def test_every_error_of_the_simulators_has_a_case() -> None:
    files = (REPOSITORY / "packages/timelines/figmill_timelines").rglob("*.py")
    errors = {
        node.name
        for file in files
        for node in ast.walk(ast.parse(file.read_bytes()))
        if isinstance(node, ast.ClassDef) and node.name.endswith("Error") and not node.name.startswith("_")
    }
    # No order of a generator can deadlock; of a pickle, an EventError is told.
    assert errors - {"DeadlockError", "PickleError"} == {name.partition(",")[0] for name in CASES}
