"""The command `lint`: what it tells, to whom, with which exit code, and that it builds nothing."""

from __future__ import annotations

import json

import pytest
from helpers.book import HAND, Space
from helpers.boxes import box, drawing, line

RING = "source: d.svg, alt: A ring"
CLOCK = """\
import time

def draw():
    return f'digraph {{ a [label="at {time.time_ns()}"] }}'
"""
NUMBER = """\
import os
from figmill import Drawing

def draw():
    return Drawing('digraph { a }', {'n': os.urandom(3).hex()})
"""
READS = """\
import os
import shapes

def draw():
    here = os.path.dirname(__file__)
    os.listdir(here + '/parts')
    return open(here + '/base.dot').read()
"""


@pytest.fixture
def ring(space: Space) -> Space:
    """A figure with one finding: its alt text is short."""
    space.write({"visuals/d.svg": HAND})
    return space.question("ring", RING)


def test_findings_come_by_file_and_line_then_a_count_by_check(ring: Space) -> None:
    ring.write(
        {"visuals/e.svg": HAND.replace("#cfe2f3", "#00ffff").replace('font-size="12"', 'font-size="5"')}
    )
    ring.question("other", "source: e.svg, alt: two ranks in a ring")
    ran = ring.run("lint")
    assert ran.code == 0
    lines = ran.out.splitlines()
    places = [line.split(": ")[0] for line in lines[:-1]]
    assert places == ["questions/ring.yaml:4:30", "visuals/e.svg:2", "visuals/e.svg:3"]
    assert lines[0].endswith("say in a sentence what the figure shows [alt-short]")
    assert lines[-1] == "2 figures: 1 alt-short, 1 off-palette, 1 small-text"


def test_nothing_is_written_but_to_the_cache(small_book: Space) -> None:
    assert small_book.run("lint").code == 0
    assert not (small_book.root / "build").exists()
    assert sorted(p.name for p in (small_book.root / ".figmill").iterdir()) == [
        ".gitignore",
        "cache",
        "key",
        "mark",
    ]
    before = small_book.stamps()
    assert small_book.run("lint").code == 0
    assert small_book.stamps() == before  # what is known is not drawn again


def test_a_built_book_is_looked_at_as_well(built_book: Space) -> None:
    before = built_book.stamps()
    assert "off-palette" in built_book.run("lint").out  # matplotlib's own blue
    assert built_book.stamps() == before
    assert built_book.run().out.endswith("all fresh\n")


def test_only_the_question_that_is_asked_for(ring: Space) -> None:
    ring.question("other", "source: d.svg, alt: Chart")
    assert ring.run("lint", "--id", "ri*").out.splitlines()[-1] == "1 figure: 1 alt-short"
    assert ring.run("lint", "--id", "nobody").code == 2


@pytest.mark.parametrize(
    ("level", "arguments", "code"),
    [("warn", (), 0), ("warn", ("--strict",), 1), ("error", (), 1), ("off", ("--strict",), 0)],
)
def test_the_exit_code_follows_the_levels(
    ring: Space, level: str, arguments: tuple[str, ...], code: int
) -> None:
    ring.write({"figmill.toml": f'[lint]\nalt-short = "{level}"\n'})
    ran = ring.run("lint", *arguments)
    assert ran.code == code
    assert ("alt-short" in ran.out) == (level != "off")


def test_a_check_of_lint_alone_never_fails_a_build(ring: Space) -> None:
    ring.write({"figmill.toml": '[lint]\nalt-short = "error"\n'})
    assert ring.run().code == 0


def test_a_figure_that_cannot_be_built_is_told_and_is_an_error(ring: Space) -> None:
    ring.write({"visuals/x.dot": "digraph { a -> }\n"})
    ring.question("broken", "source: x.dot, alt: a graph without an end")
    ring.write({"questions/bad.yaml": "id: bad\nvisual: {source: x.dot}\n"})
    ran = ring.run("lint", "--format", "json")
    assert ran.code == 1
    failures = [f for f in ran.json["findings"] if f["check"] == "figure-fails"]
    assert [(f["id"], f["file"], f["level"]) for f in failures] == [
        ("bad", "questions/bad.yaml", "error"),
        ("broken", "visuals/x.dot", "error"),
    ]


def test_json_says_all_of_a_finding(ring: Space) -> None:
    report = ring.run("lint", "--format", "json").json
    assert report["findings"] == [
        {
            "id": "ring",
            "name": None,
            "check": "alt-short",
            "level": "warn",
            "file": "questions/ring.yaml",
            "line": 4,
            "column": 30,
            "message": "the alt text 'A ring' has 6 characters; say in a sentence what the figure shows",
        }
    ]
    assert report["summary"] == {
        "figures": 1,
        "findings": 1,
        "excused": 0,
        "checks": {"alt-short": 1},
        "exit": 0,
    }


def test_pull_requests_and_code_scanning_are_served(ring: Space) -> None:
    ring.write({"figmill.toml": '[lint]\nalt-short = "error"\n'})
    line = ring.run("lint", "--format", "github").out.splitlines()[0]
    assert line.startswith("::error file=questions/ring.yaml,line=4,col=30::the alt text 'A ring'")
    sarif = json.loads(ring.run("lint", "--format", "sarif").out)
    (result,) = sarif["runs"][0]["results"]
    assert (result["ruleId"], result["level"]) == ("alt-short", "error")
    assert "alt-short" in [rule["id"] for rule in sarif["runs"][0]["tool"]["driver"]["rules"]]


def test_exceptions_are_told_when_asked_and_when_they_are_needless(ring: Space) -> None:
    ring.question("ring", RING + ", lint: {alt-short: it stands beside its text, small-text: no reason}")
    ran = ring.run("lint", "--verbose")
    assert "let off: the alt text 'A ring' has 6 characters" in ran.out
    assert "[alt-short: it stands beside its text]" in ran.out
    assert "questions/ring.yaml:4:" in ran.out
    assert "this figure passes 'small-text', from which it is exempt" in ran.out
    assert ran.out.splitlines()[-1] == "1 figure: 1 needless-exception; 1 let off"
    assert "let off:" not in ring.run("lint").out


def test_an_exception_for_what_was_not_looked_at_is_not_needless(ring: Space) -> None:
    ring.question(
        "ring", "source: d.svg, alt: four ranks in a ring, lint: {not-repeatable: it draws the time}"
    )
    assert ring.run("lint").out == "1 figure: nothing found\n"


def test_twice_shows_the_first_line_that_differs(space: Space) -> None:
    space.write({"visuals/t.py": CLOCK})
    space.question("clock", "kind: dot, source: t.py, alt: the time at which it is drawn")
    assert "visuals/t.py:4: `time.time_ns()` reads the clock" in space.run("lint").out
    ran = space.run("lint", "--twice")
    assert "visuals/t.py: drawn a second time, it differs, first in line" in ran.out
    assert "`" in ran.out
    assert " and then " in ran.out
    assert space.run("lint", "--twice", "--strict").code == 1


def test_twice_compares_the_facts_as_well(space: Space) -> None:
    space.write({"visuals/t.py": NUMBER}).question(
        "clock", "kind: dot, source: t.py, alt: a number of its own"
    )
    assert "drawn a second time, it states n: " in space.run("lint", "--twice").out


@pytest.mark.parametrize("key", ["Visual", "visaul", "vsual", "visuals_", "visual's"])
def test_keys_that_are_almost_visual(space: Space, key: str) -> None:
    space.write({"visuals/d.svg": HAND, "questions/q.yaml": f"id: q\n{key}: {{source: d.svg, alt: a box}}\n"})
    told = "misspelled-key" in space.run("lint").out
    assert told == (key in ("Visual", "visaul", "vsual"))


def test_the_books_own_keys_are_its_own(space: Space) -> None:
    space.write({"questions/q.yaml": "id: q\nvisua: a note\nvirtual: {source: x, kind: svg}\n"})
    space.write(
        {
            "visuals/d.svg": HAND,
            "questions/p.yaml": f"id: p\nVisual: {{source: x}}\nvisual: {{{RING}s of ranks}}\n",
        }
    )
    assert space.run("lint").out == "1 figure: nothing found\n"


def test_sources_that_are_in_use_are_not_unused(small_book: Space) -> None:
    """A module that a script imports, a file that it reads, a folder that it lists, data made by hand."""
    small_book.write(
        {
            "visuals/s.py": READS,
            "visuals/shapes.py": "def draw():\n    pass\n",
            "visuals/base.dot": "digraph { a }",
        }
    )
    small_book.write(
        {
            "visuals/parts/one.dot": "digraph { b }",
            "visuals/make_data.py": "print(1)\n",
            "visuals/README.md": "x",
        }
    )
    small_book.question("reads", "kind: dot, source: s.py, alt: a graph from a file beside the script")
    assert "unused-source" not in small_book.run("lint").out
    small_book.write({"visuals/base2.dot": "digraph { a }"})
    assert "visuals/base2.dot: no figure uses this source" in small_book.run("lint").out


def test_a_note_in_a_book_is_no_finding_with_strict(space: Space) -> None:
    four = (box(20, 20, "A"), box(220, 20, "B"), box(20, 200, "C"), box(220, 200, "D"))
    crossing = (*four, line("M120 60L220 200"), line("M220 60L120 200"))
    question = "id: {0}\nvisual: {{source: {0}.svg, alt: Four boxes and the two lines that join them.}}\n"
    space.write({"visuals/a.svg": drawing(*crossing), "questions/a.yaml": question.format("a")})
    ran = space.run("lint", "--strict")
    assert (ran.code, ran.out) == (0, "1 figure: nothing found; noted: 1 crossings (--verbose lists them)\n")
    apart = drawing(*crossing, box(224, 300, "E"))
    space.write({"visuals/b.svg": apart, "questions/b.yaml": question.format("b")})
    ran = space.run("lint", "--strict")
    assert (ran.code, "[almost-aligned]" in ran.out, "figure-fails" in ran.out) == (1, True, False)
