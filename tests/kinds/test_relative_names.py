"""A file under a relative name that is not there: the message says from where it is looked for."""

from __future__ import annotations

from helpers.book import Space

TOLD = "; figmill looks for a relative name beside the script"
C_LIBRARY = "raise FileNotFoundError(\"Failed to open local file '{}'. Detail: [errno 2]\")"
NUMPY = "import numpy; numpy.loadtxt('{}')"


OPENINGS = ("open('{}')", C_LIBRARY, NUMPY)
ADVICE = {
    "data/x.csv": "write Path(__file__).parent / '../../data/x.csv'",
    "sub/deep.csv": "write Path(__file__).parent / '../sub/deep.csv'",
    "nowhere.csv": "",
    "../sub/dep.csv": "did you mean 'deep.csv'?",
}


def test_a_relative_name_is_told_from_where(space: Space) -> None:
    space.write({"data/x.csv": "1", "visuals/sub/deep.csv": "1"})
    cases = [(opening.format(name), advice) for opening in OPENINGS for name, advice in ADVICE.items()]
    for number, (line, _) in enumerate(cases):
        space.write({f"visuals/cloud/p{number}.py": f"def draw():\n    {line}\n"})
        space.question(
            f"p{number}", f"kind: dot, source: p{number}.py, alt: a number in a box", track="cloud"
        )
    told = space.run().err.splitlines()
    for number, (opened, advice) in enumerate(cases):
        start = f"visuals/cloud/p{number}.py:2: FileNotFoundError: "
        (line,) = [line for line in told if line.startswith(start)]
        mark = "; " if advice.startswith("did you mean") else ": "
        assert line.endswith(f"{TOLD}{mark}{advice}" if advice else TOLD), opened


def test_a_file_outside_the_book_is_told_as_such(space: Space) -> None:
    place = space.root.parent / "data.csv"
    place.write_text("1")
    for number, name in enumerate((place, "../../data.csv")):
        for opening in OPENINGS:
            key = f"p{number}-{OPENINGS.index(opening)}"
            space.write({f"visuals/{key}.py": f"def draw():\n    {opening.format(name)}\n"})
            space.question(key, f"kind: dot, source: {key}.py, alt: a number in a box")
    told = [
        line for line in space.run().err.splitlines() if line.startswith("visuals/p") and ", in " not in line
    ]
    said = (
        f"2: cannot open '{place}', because a script sees only the book; copy the file into the book, or name"
    )
    assert len(told) == 6 and all(f".py:{said}" in line for line in told), told


def test_a_full_name_is_told_as_it_is(space: Space) -> None:
    space.write({"visuals/p.py": "def draw():\n    open(__file__ + '.csv')\n"})
    space.question("p", "kind: dot, source: p.py, alt: a number in a box")
    assert TOLD not in space.run().err
