"""`schema --source`: what a generator's params may be, with the bounds of its annotations."""

from __future__ import annotations

import json

import pytest
from helpers.book import Space
from jsonschema import Draft7Validator

BOUNDED = """
from typing import Annotated, Literal
from annotated_types import Gt, Interval, MultipleOf


def draw(
    ranks: Annotated[int, Interval(ge=2, le=64), MultipleOf(2)],
    share: Annotated[float, Gt(0)] | None = None,
    times: Annotated[float, Gt(0)] | list[Annotated[float, Gt(0)]] = 1,
    mode: Literal["fast", "slow"] | None = None,
    anything=None,
):
    return "digraph { a }"
"""


PARAMS = [
    ({"ranks": 2}, True),
    ({"ranks": 64, "share": 0.1, "times": [1, 2.5], "mode": "fast"}, True),
    ({"ranks": 2, "share": None, "mode": None, "anything": {"a": []}}, True),
    ({}, False),
    ({"ranks": 66}, False),
    ({"ranks": 3}, False),
    ({"ranks": "2"}, False),
    ({"ranks": 2, "share": 0}, False),
    ({"ranks": 2, "times": 0}, False),
    ({"ranks": 2, "times": [1, 0]}, False),
    ({"ranks": 2, "mode": "quick"}, False),
    ({"ranks": 2, "rank": 2}, False),
]


def test_a_schema_says_what_a_build_says(space: Space) -> None:
    space.write({"visuals/x.py": BOUNDED})
    for n, (params, _) in enumerate(PARAMS):
        visual = f"kind: dot, source: x.py, alt: nothing to see here, params: {json.dumps(params)}"
        space.question(f"x{n}", visual)
    schema = space.run("schema", "--source", "visuals/x.py").json
    Draft7Validator.check_schema(schema)
    built = {row["id"]: row["status"] != "failed" for row in space.run("--format", "json").json["figures"]}
    for n, (params, fits) in enumerate(PARAMS):
        assert Draft7Validator(schema).is_valid(params) == fits, params
        assert built[f"x{n}"] == fits, params


def test_what_is_out_of_bounds_fails_at_its_line(space: Space) -> None:
    space.write(
        {
            "visuals/x.py": BOUNDED + "\nraise SystemExit('the script ran')\n",
            "questions/x.yaml": "id: x\nvisual:\n  kind: matplotlib\n  source: x.py\n  alt: nothing to see here\n"
            "  params:\n    times: 2\n    ranks: 100\n",
        }
    )
    done = space.run()
    assert (
        "questions/x.yaml:8:12: parameter 'ranks' must be from 2 to 64 and a multiple of 2, not 100"
        in done.err
    )


@pytest.mark.parametrize(
    ("files", "source", "message"),
    [
        ({}, "visuals/x.py", "no Python script of that name in the book"),
        ({"visuals/x.dot": "digraph {}"}, "visuals/x.dot", "no Python script"),
        ({"visuals/x.py": "print(1)"}, "visuals/x.py", "no draw()"),
        ({"visuals/x.py": "def draw(:"}, "visuals/x.py", "visuals/x.py:1"),
    ],
)
def test_what_has_no_schema_is_told_in_one_line(
    space: Space, files: dict[str, str], source: str, message: str
) -> None:
    (space.root / "questions").mkdir(exist_ok=True)
    done = space.write(files).run("schema", "--source", source)
    assert message in done.err and "Traceback" not in done.err
    assert done.code == 2
