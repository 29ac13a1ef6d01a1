"""`lint` of drawings outside a book: what it finds, what it leaves alone, and what it touches."""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path

import pytest
from helpers import good_drawings
from helpers.book import REPOSITORY, Ran, Space
from helpers.cases import cases
from helpers.seeded_drawings import DEFECTS, by_hand, good, seeded, sound

from figmill import checks
from figmill.lint.drawings import findings, lint_drawings

LEVELS = checks.levels_alone({})
# What is found in exports of tools, and was found right when they were looked at.
RIGHT = {
    ("drawio/erc7208-overview.svg", "almost-aligned"),  # one of four boxes in a column is 5 px to the right
    ("graphviz-13.svg", "boxes-overlap"),  # two cylinders do
    ("graphviz-29.svg", "boxes-overlap"),
    ("graphviz/cip165-scls-file.svg", "text-covered"),  # edges across the cells of tables
    ("graphviz/cip165-scls-file.svg", "line-through-text"),
    ("graphviz/cip165-scls-file.svg", "loose-arrow"),  # it ends in the middle of a cluster
    ("plantuml/erc6123-collateral-settlement.svg", "line-through-text"),  # activation bars across titles
    ("structurizr/kroki-bigbank-systemcontext.svg", "line-through-text"),  # a frame across two labels
    ("structurizr/kroki-bigbank-systemcontext.svg", "loose-arrow"),  # it ends beside a person
    ("termtosvg/awesome-window-frame-js-var.svg", "text-covered"),  # a clock that only a script shows
    ("termtosvg/awesome-window-frame-js.svg", "text-covered"),
    ("termtosvg/window-frame-waapi.svg", "text-covered"),
}
SMALL = "small-on-phone"  # a note: a wide drawing has small words on a phone, however good it is


def told(name: str, data: bytes, notes: bool = False) -> set[str]:
    """The checks with a finding, or with a note."""
    results = findings(name, data, LEVELS)
    return {finding.check for finding in results if notes or finding.level != checks.NOTE}


@pytest.mark.parametrize("step", [4, pytest.param(1, marks=pytest.mark.soak)])
@cases("check", DEFECTS)
def test_a_seeded_defect_is_found_in_the_manner_of_every_tool(check: str, step: int) -> None:
    """Each n-th drawing of each manner."""
    drawings = [*seeded(check)][::step]
    assert [name for name, data in drawings if check not in told(name, data, notes=True)] == []


def test_the_same_drawings_without_a_defect_are_left_in_peace() -> None:
    surplus = {name: told(name, data) & DEFECTS.keys() for name, data in sound()}
    assert {name: extra for name, extra in surplus.items() if extra} == {}


def test_a_drawing_as_narrow_as_a_phone_is_left_in_peace() -> None:
    column = by_hand(good(1)).encode()
    assert SMALL not in told("column.svg", column, notes=True)


def test_good_drawings_are_left_in_peace() -> None:
    drawings = [*good_drawings.graphs(8), *good_drawings.plots(8), *good_drawings.own()]
    defects = {name: told(name, data) & DEFECTS.keys() for name, data in drawings}
    assert {name: checks for name, checks in defects.items() if checks} == {}


@pytest.mark.soak
def test_many_good_drawings_are_left_in_peace() -> None:
    """`-s` prints the table of docs/developers/measured.md."""
    drawings = [
        *good_drawings.graphs(32),
        *good_drawings.plots(32),
        *good_drawings.own(),
        *good_drawings.exports(),
    ]
    rows = [
        (name, finding.check, finding.level)
        for name, data in drawings
        for finding in findings(name, data, LEVELS)
        if finding.check in DEFECTS
    ]
    flagged = {(name, check) for name, check, level in rows if level != checks.NOTE}
    counts = Counter(check for _, check in flagged)
    noted = Counter(check for _, check in {row[:2] for row in rows if row[2] == checks.NOTE})
    for check in DEFECTS:
        hits = sum(1 for name, data in seeded(check) if check in told(name, data, notes=True))
        print(f"| `{check}` | {hits} / 20 | {counts[check]} / {len(drawings)} | {noted[check]} noted")
    assert flagged - RIGHT == set()


def run(*arguments: str, at: Path, given: str = "") -> Ran:
    return Space(at).run(*arguments, given=given)


@pytest.fixture
def drawings(tmp_path: Path) -> Path:
    """A good drawing, and one with an arrow that points at nothing, in a folder that is no book."""
    (tmp_path / "in").mkdir()
    (tmp_path / "good.svg").write_bytes(by_hand(good(1)).encode())
    (tmp_path / "in/loose.svg").write_bytes(dict(seeded("loose-arrow"))["loose-arrow-hand-1.svg"])
    return tmp_path


@pytest.mark.parametrize("names", [("good.svg", "in/loose.svg"), ("**/*.svg",), (".",), ("good.svg", "in")])
def test_files_globs_and_folders(drawings: Path, names: tuple[str, ...]) -> None:
    before = sorted(drawings.rglob("*"))
    ran = run("lint", *names, "--format", "json", at=drawings)
    report = json.loads(ran.out)
    assert [(row["file"], row["check"], row["id"]) for row in report["findings"]] == [
        ("in/loose.svg", "loose-arrow", None)
    ]
    assert (report["summary"]["figures"], ran.code) == (2, 0), ran.err
    assert sorted(drawings.rglob("*")) == before


def test_standard_input_and_a_readers_text(drawings: Path) -> None:
    ran = run("lint", "-", at=drawings, given=(drawings / "in/loose.svg").read_text())
    lines = ran.out.splitlines()
    assert re.fullmatch(r"<stdin>:\d+: an arrow points at nothing at .* \[loose-arrow\]", lines[0])
    assert (lines[-1], ran.code) == ("1 drawing: 1 loose-arrow", 0)


def test_a_note_is_no_finding(drawings: Path) -> None:
    """Neither for --strict nor in a summary; --verbose, JSON, SARIF and GitHub tell it apart."""
    (drawings / "wide.svg").write_bytes(dict(seeded(SMALL))[f"{SMALL}-hand-1.svg"])
    ran = run("lint", "wide.svg", "--strict", at=drawings)
    assert (ran.code, ran.out) == (
        0,
        "1 drawing: nothing found; noted: 1 small-on-phone (--verbose lists them)\n",
    )
    assert "wide.svg:4: note: 375 px wide, as on a phone, " in run("lint", "wide.svg", "-v", at=drawings).out
    rows = json.loads(run("lint", "wide.svg", "--format", "json", at=drawings).out)
    assert (rows["findings"], [note["check"] for note in rows["notes"]]) == ([], [SMALL])
    assert run("lint", "wide.svg", "--format", "github", at=drawings).out.startswith("::notice file=wide.svg")
    sarif = json.loads(run("lint", "wide.svg", "--format", "sarif", at=drawings).out)
    assert [result["level"] for result in sarif["runs"][0]["results"]] == ["note"]
    assert run("lint", "wide.svg", "--strict", "--level", f"{SMALL}=warn", at=drawings).code == 1


def test_sarif_and_github(drawings: Path) -> None:
    sarif = json.loads(run("lint", "in", "--format", "sarif", at=drawings).out)
    assert [result["ruleId"] for result in sarif["runs"][0]["results"]] == ["loose-arrow"]
    github = run("lint", "in", "--format", "github", at=drawings).out
    assert github.startswith("::warning file=in/loose.svg,line=")


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (("in", "--strict"), 1, "loose-arrow"),
        (("in", "--level", "loose-arrow=error"), 1, "loose-arrow"),
        (("in", "--level", "loose-arrow=off"), 0, "1 drawing: nothing found"),
        (("in", "missing.svg"), 1, "missing.svg: it cannot be read: No such file or directory"),
        (("in/*.png",), 2, "in/*.png: no file matches"),
        (("in", "--level", "loose=off"), 2, "'loose' is not a check of drawings"),
        (("in", "--twice"), 2, "--twice is for the figures of a book"),
    ],
)
def test_exit_codes(drawings: Path, arguments: tuple[str, ...], code: int, said: str) -> None:
    ran = run("lint", *arguments, at=drawings)
    assert ran.code == code, ran.err
    assert said in ran.out + ran.err


def test_what_acts_is_told_and_the_rest_is_looked_at() -> None:
    """A script, a page of another site, and a picture that is not read."""
    data = dict(seeded("loose-arrow"))["loose-arrow-hand-0.svg"]
    more = b'<script>alert(1)</script><image href="../secret.png" width="9" height="9"/><defs>'
    active = data.replace(b"<defs>", more)
    assert {"active-content", "loose-arrow"} <= told("active.svg", active)


def test_a_broken_drawing_stops_no_other() -> None:
    report = lint_drawings([("a.svg", b"<svg"), ("b.svg", dict(sound())["good-hand-1.svg"])], {})
    assert [(row.origin.path, row.check) for row in report.diagnostics] == [("a.svg", "figure-fails")]
    assert (report.figures, report.code) == (2, 1)


def test_the_documents_state_what_was_measured() -> None:
    text = (REPOSITORY / "docs/developers/measured.md").read_text(encoding="utf-8")
    stated = re.findall(r"^\| `([a-z-]+)` \| 20 / 20 \| \d+ / \d+ \|", text, re.MULTILINE)
    assert stated == list(DEFECTS)
