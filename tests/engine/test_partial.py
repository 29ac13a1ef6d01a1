"""After an edit, a build looks at the figures of the edited files alone, and leaves what a whole build leaves."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from helpers.book import DOT, CopyOf, Space
from helpers.sequences import build_after_edit, drive_parts

from figmill import config, fastpath
from figmill.engine.build import build
from figmill.engine.processes import pool_of
from figmill.engine.request import Request
from figmill.report.model import Report

WARNED = 'digraph {\n a -> b\n b [fixedsize=true width=.2 label="long label"]\n}'
FAILS = "def draw():\n    raise ValueError('no such queue')\n"


def three_graphs(space: Space) -> Space:
    for name in ("one", "two", "three"):
        space.write({f"visuals/{name}.dot": DOT})
        space.question(name, f"source: {name}.dot, alt: a graph")
    return space


@pytest.fixture
def book(copy_of: CopyOf) -> Space:
    """Three graphs, built."""
    return copy_of(three_graphs)


def after_edit(space: Space) -> Report:
    """What the next build says; the figures with a row are those that it has looked at."""
    with pool_of(space.root, config.load(space.root), 1) as pool:
        report = build_after_edit(space.root, pool)
    assert report is not None
    return report


@pytest.mark.parametrize("seed", (1, 4, 5, 7))
def test_any_sequence_of_edits_ends_as_whole_builds_do(tmp_path: Path, seed: int) -> None:
    parts = drive_parts(tmp_path, seed, edits=6)
    assert parts or seed % 2 == 0  # edits of odd seeds mostly break nothing


def test_an_edited_source_is_the_only_one_looked_at(book: Space) -> None:
    book.write({"visuals/two.dot": DOT.replace("sends", "asks")})
    report = after_edit(book)
    assert [row.id for row in report.rows] == ["two"] and report.others == 2
    assert report.counts == {"rendered": 1, "fresh": 2}
    assert "asks" in (book.root / "build/global/two.svg").read_text()


def test_the_command_counts_all_figures_and_then_has_nothing_to_do(book: Space) -> None:
    book.write({"visuals/two.dot": DOT.replace("sends", "asks")})
    ran = book.run()
    assert ran.out.splitlines()[-1] == "3 figures, 1 rendered, 2 fresh" and "two.svg" in ran.out
    known, _ = fastpath.answer(str(book.root))
    assert known == (3, [])
    assert book.run().out == "3 figures, all fresh\n"


def test_an_edited_alt_is_in_all_that_tells_of_the_figure(book: Space) -> None:
    book.question("two", "source: two.dot, alt: a graph of two ranks")
    report = after_edit(book)
    assert [row.id for row in report.rows] == ["two"] and report.others == 2
    manifest = json.loads((book.root / "build/manifest.json").read_text())
    assert {f["id"]: f["alt"] for f in manifest["figures"]}["two"] == "a graph of two ranks"
    assert (book.root / "build/index.html").read_text().count("a graph of two ranks") == 2  # light and dark
    assert fastpath.answer(str(book.root))[0] is not None


def test_words_of_a_question_that_concern_no_figure_cost_a_look_at_none_but_its_own(book: Space) -> None:
    path = book.root / "questions/two.yaml"
    path.write_text(path.read_text() + "answer: 42\n")
    report = after_edit(book)
    assert [(row.id, row.status) for row in report.rows] == [("two", "fresh")]
    assert fastpath.answer(str(book.root))[0] is not None


def test_a_touched_file_is_looked_at_once(book: Space) -> None:
    (book.root / "visuals/two.dot").touch()
    assert after_edit(book).counts == {"fresh": 3}
    assert fastpath.answer(str(book.root))[0] is not None


def test_standing_warnings_are_told_as_before(space: Space) -> None:
    space.write({"visuals/a.dot": DOT, "visuals/w.dot": WARNED})
    space.question("plain", "source: a.dot, alt: a graph")
    space.question("warned", "source: w.dot, alt: a graph")
    first = space.run()
    assert "fixed size" in first.err
    space.write({"visuals/a.dot": DOT.replace("sends", "asks")})
    second = space.run()
    assert second.err == first.err
    assert second.out.splitlines()[-1] == "2 figures, 1 rendered, 1 fresh"


def test_a_new_warning_reaches_the_gallery(book: Space) -> None:
    book.write({"visuals/two.dot": WARNED})
    report = after_edit(book)
    assert report.others == 0  # all of the book was looked at
    assert "fixed size" in (book.root / "build/index.html").read_text()
    assert not book.run("--check").code


def test_what_fails_is_drawn_once_and_told_once(book: Space) -> None:
    book.write(
        {"visuals/plot.py": FAILS.replace("raise ValueError('no such queue')", "return 'digraph { a }'")}
    )
    book.question("plot", "source: plot.py, kind: dot, alt: a plot")
    assert book.run().code == 0
    book.write({"visuals/plot.py": FAILS})
    drawn: list[str] = []
    _, seen = fastpath.answer(str(book.root))
    options = config.load(book.root)
    request = Request(jobs=2)
    with pool_of(book.root, options, request.jobs) as pool:
        report = build(
            book.root, options, request, pool, lambda done, total, label: drawn.append(label), seen
        )
    assert report.code == 1 and drawn.count("plot") == 1
    (failed,) = (row for row in report.rows if row.status == "failed")
    assert "no such queue" in str(failed.errors[0])
    manifest = json.loads((book.root / "build/manifest.json").read_text())
    assert {f["id"]: f["status"] for f in manifest["figures"]}["plot"] == "stale"


def test_a_figure_that_another_question_shows_changes_in_both(book: Space) -> None:
    book.question("shows", "ref: two")
    assert book.run().code == 0
    book.question("two", "source: two.dot, alt: seen twice")
    assert book.run().code == 0
    manifest = json.loads((book.root / "build/manifest.json").read_text())
    assert [f["id"] for f in manifest["figures"] if f["alt"] == "seen twice"] == ["shows", "two"]


def test_a_file_that_comes_or_goes_is_a_matter_of_the_whole_book(book: Space) -> None:
    book.write({"visuals/global/two.dot": DOT.replace("sends", "shadows")})  # found before visuals/two.dot
    assert after_edit(book).others == 0
    assert "shadows" in (book.root / "build/global/two.svg").read_text()


def test_changed_settings_are_a_matter_of_the_whole_book(book: Space) -> None:
    book.write({"figmill.toml": 'themes = ["light"]\n', "visuals/two.dot": DOT.replace("sends", "asks")})
    report = after_edit(book)
    assert report.counts == {"rendered": 1, "unchanged": 2}
    assert report.orphans == tuple(f"build/global/{name}.dark.svg" for name in ("one", "three", "two"))


def test_a_page_damaged_meanwhile_is_mended(book: Space) -> None:
    (book.root / "build/manifest.json").write_text("{}")
    book.write({"visuals/two.dot": DOT.replace("sends", "asks")})
    assert after_edit(book).others == 0
    assert len(json.loads((book.root / "build/manifest.json").read_text())["figures"]) == 3
