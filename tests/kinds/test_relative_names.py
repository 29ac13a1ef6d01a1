"""A file under a relative name that is not there: the message says from where it is looked for."""

from __future__ import annotations

import pytest
from helpers.book import Space

TOLD = "; a script runs in a folder of its own, not in the book"
C_LIBRARY = "raise FileNotFoundError(\"Failed to open local file '{}'. Detail: [errno 2]\")"
NUMPY = "import numpy; numpy.loadtxt('{}')"


@pytest.mark.parametrize("opening", ["open('{}')", C_LIBRARY, NUMPY], ids=["python", "library", "numpy"])
@pytest.mark.parametrize(
    ("name", "advice"),
    [
        ("data/x.csv", "write Path(__file__).parent / '../../data/x.csv'"),
        ("near.csv", "write Path(__file__).parent / 'near.csv'"),
        ("sub/deep.csv", "write Path(__file__).parent / '../sub/deep.csv'"),
        ("nowhere.csv", "begin the name with Path(__file__).parent"),
        ("../../../no/such", "begin the name with Path(__file__).parent"),
    ],
)
def test_a_relative_name_is_told_from_where(space: Space, opening: str, name: str, advice: str) -> None:
    space.write({
        "visuals/cloud/p.py": f"def draw():\n    {opening.format(name)}\n", "data/x.csv": "1",
        "visuals/cloud/near.csv": "1", "visuals/sub/deep.csv": "1",
    })  # fmt: skip
    space.question("p", "kind: dot, source: p.py, alt: a number in a box", track="cloud")
    line = space.run().err.splitlines()[0]
    assert line.startswith("visuals/cloud/p.py:2: FileNotFoundError: ")
    assert line.endswith(f"{TOLD}: {advice}")


def test_a_full_name_is_told_as_it_is(space: Space) -> None:
    space.write({"visuals/p.py": "def draw():\n    open(__file__ + '.csv')\n"})
    space.question("p", "kind: dot, source: p.py, alt: a number in a box")
    assert TOLD not in space.run().err
