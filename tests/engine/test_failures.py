"""A figure that fails is not drawn again until something changes that it depends on, and is told each time."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest
from helpers.book import DOT, HAND, Space, believed

COUNTS = """\
import sys
from pathlib import Path

print("drawn", file=sys.stderr)


def draw(n: int = 1):
    import helper
    rows = (Path(__file__).parent / "data.csv").read_text().split()
    return f'digraph {{ a [label="{sum(map(int, rows)) + n + helper.MORE}"] }}'
"""


NUMBERS = """\
from figmill import Drawing


def draw(n: int = 3):
    return Drawing("digraph { a -> b }", facts={"points": n})
"""


def one_failing(space: Space) -> Space:
    """Its data is wrong."""
    space.write({"visuals/p.py": COUNTS, "visuals/data.csv": "1 two\n", "visuals/helper.py": "MORE = 0\n"})
    space.write({"visuals/ok.dot": DOT}).question("ok", "source: ok.dot, alt: a graph of three")
    return space.question("p", "kind: dot, source: p.py, alt: a sum of numbers")


@pytest.fixture
def failing(space: Space) -> Space:
    return one_failing(space)


@pytest.fixture(scope="module")
def failed_once(tmp_path_factory: pytest.TempPathFactory) -> Space:
    space = one_failing(Space(tmp_path_factory.mktemp("failed") / "book"))
    assert space.run().code == 1
    return space


@pytest.fixture
def failed(failed_once: Space, space: Space) -> Space:
    """The same after a build: a copy, in which nothing is drawn again."""
    shutil.copytree(failed_once.root, space.root, symlinks=True, dirs_exist_ok=True)
    believed(space.root)
    return space


def seconds(space: Space, *words: str, id_: str = "p") -> tuple[int, float, str]:
    """The exit code, how long the figure took, and what is said of it."""
    done = space.run("--format", "json", *words)
    row = next(row for row in done.json["figures"] if row["id"] == id_)
    return done.code, row["seconds"], row.get("error", {}).get("message", "")


WRONG = "ValueError: invalid literal for int() with base 10: 'two'"


def test_a_failure_is_told_again_and_not_tried_again(failing: Space) -> None:
    code, took, said = seconds(failing)
    assert (code, said) == (1, WRONG) and took > 0
    for words in ((), ("--check",), ("--dry-run",), ("--id", "p"), ("--strict",)):
        assert seconds(failing, *words) == (1, 0, WRONG), words
    text = failing.run()
    assert (
        text.out == "1 figure failed as before; nothing has changed, and --force draws them again\n"
        "2 figures, 1 fresh, 1 failed\n"
    )
    assert f"visuals/p.py:10: {WRONG}\n" in text.err
    assert seconds(failing, "--force")[1] > 0
    assert seconds(failing) == (1, 0, WRONG)
    assert failing.run("--id", "ok").code == 0
    assert failing.run("clean").code == 0
    assert seconds(failing) == (1, 0, WRONG)


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"visuals/data.csv": "1 2\n"}, 0),
        ({"visuals/helper.py": "MORE = 1 / 0\n"}, 1),
        ({"visuals/p.py": COUNTS.replace("int, rows", "len, rows")}, 0),
        ({"questions/p.yaml": "id: p\nvisual: {kind: dot, source: p.py, params: {n: 2}, alt: a sum}\n"}, 1),
        ({"figmill.toml": 'memory = "1 GiB"\n'}, 1),
    ],
)
def test_every_input_of_a_failure_has_it_drawn_again(
    failed: Space, change: dict[str, str], code: int
) -> None:
    assert seconds(failed)[1] == 0
    failed.write(change)
    again = seconds(failed)
    assert again[0] == code and again[1] > 0
    assert failed.run().code == code


def test_a_file_that_was_missing_is_an_input(failing: Space) -> None:
    (failing.root / "visuals/data.csv").unlink()
    assert "FileNotFoundError" in seconds(failing)[2]
    assert seconds(failing)[1] == 0
    failing.write({"visuals/other.csv": "1"})
    assert seconds(failing)[1] == 0
    failing.write({"visuals/data.csv": "1 2"})
    assert seconds(failing)[0] == 0


@pytest.mark.parametrize(
    ("source", "text", "words", "mended"),
    [
        ("a.dot", "digraph { a -> }\n", "alt: a graph of three", DOT),
        ("a.svg", HAND.replace("</svg>", ""), "alt: a rank in a box", HAND),
        (
            "a.py",
            NUMBERS,
            "kind: dot, params: {m: 3}, alt: a line",
            NUMBERS.replace("n: int = 3", "n: int = 3, m: int = 1"),
        ),
        (
            "a.py",
            NUMBERS,
            "kind: dot, alt: a line, expect: {facts: {points: 4}}",
            NUMBERS.replace("= 3", "= 4"),
        ),
        (
            "a.py",
            NUMBERS,
            "kind: dot, alt: 'a line of {point}'",
            NUMBERS.replace('"points": n', '"point": n'),
        ),
    ],
    ids=["graph", "drawing", "params", "expect", "placeholder"],
)
def test_a_failure_of_every_step_is_kept(
    space: Space, source: str, text: str, words: str, mended: str
) -> None:
    space.write({f"visuals/{source}": text})
    space.question("x", f"source: {source}, {words}")
    first, second = space.run(), space.run()
    assert (first.code, second.code) == (1, 1)
    assert first.err == second.err
    assert second.out.startswith("1 figure failed as before")
    space.write({f"visuals/{source}": mended})
    assert space.run().code == 0
    assert space.run().out == "1 figure, all fresh\n"
    space.write({f"visuals/{source}": text})
    assert space.run().out.splitlines()[0] == "1 figure, 1 failed"  # what is mended is forgotten


def test_what_may_go_otherwise_the_next_time_is_tried_again(space: Space, tmp_path: Path) -> None:
    outside = tmp_path / "outside.txt"
    scripts = {
        "late": "import time\ndef draw():\n    time.sleep(60)\n",
        "ended": "import os\ndef draw():\n    os._exit(3)\n",
        "outside": f"def draw():\n    return open({os.fspath(outside)!r}).read()\n",
        "child": "import subprocess\ndef draw():\n    subprocess.run(['false'], check=True)\n",
        "package": "def draw():\n    import figmill_no_such_package\n",
    }
    for name, text in scripts.items():
        space.write({f"visuals/{name}.py": text})
        limit = 1 if name == "late" else 30
        space.question(name, f"kind: dot, source: {name}.py, alt: a graph, timeout: {limit}")
    space.write(
        {"visuals/pic.svg": HAND.replace("<text", '<image href="gone.png" width="9" height="9"/><text')}
    )
    space.question("pic", "source: pic.svg, alt: a picture of a rank")
    assert space.run().code == 1
    rows = {row["id"]: row["seconds"] for row in space.run("--format", "json").json["figures"]}
    (space.root / "questions/late.yaml").unlink()
    known = space.run().out.splitlines()[0]
    assert known.startswith("1 figure failed as before")  # the package; installing one has it tried again
    assert {name for name, took in rows.items() if took > 0} >= {"late", "ended", "outside", "child"}


def test_lint_draws_what_failed(failed: Space) -> None:
    assert WRONG in failed.run("lint").out


def test_a_journal_with_a_forged_failure_is_dropped(failed: Space) -> None:
    records = failed.records()
    records["failure"]["p"][0].insert(0, 999999)
    failed.forge(records)
    assert seconds(failed)[0] == 1


def test_a_figure_whose_question_was_renamed_and_then_broken_is_kept(space: Space) -> None:
    space.write({"visuals/ok.dot": DOT}).question("ok", "source: ok.dot, alt: a graph of three")
    assert space.run().code == 0
    renamed = (space.root / "questions/ok.yaml").rename(space.root / "questions/renamed.yaml")
    assert space.run().code == 0
    renamed.write_text("{[")
    assert space.run().code == 1
    assert space.run("clean").code == 0
    assert (space.root / "build/global/ok.svg").exists()
