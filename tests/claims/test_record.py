"""The record: what each number was bound to, so that a change of the text or of the figure is noticed."""

from __future__ import annotations

import json

import pytest
from helpers.book import DOT, Space

from figmill.integrations.claims import contradicted
from figmill.integrations.opened import open_book

QUESTION = """\
id: queue
title: The queue
scenario: >-
  Work comes in. One and a half turns later,
  43.4 ms have gone by. So it is.
visual:
  kind: dot
  source: a.dot
  alt: A chain.
  caption: It ends with 137.
  facts: {mean_at_crossing_ms: runs.json#/mean, items: runs.json#/items}
"""
PAGE = "# P\n\n![](figmill:queue)\n\nHalfway, 43.4 ms have gone by.\n\n| turn | gone by | 43.4 ms |\n"
RECORD = "figmill-claims.json"
RUNS = '{"mean": 43.4, "items": 137}'
WAS = "but it was mean_at_crossing_ms of 'queue' (43.4 ms) when recorded; that is"
ITEMS = "but it was items of 'queue' (137) when recorded; that is"


@pytest.fixture
def book(space: Space) -> Space:
    files = {"visuals/a.dot": DOT, "visuals/runs.json": RUNS, "docs/index.md": PAGE}
    space.write({"questions/queue.yaml": QUESTION, **files})
    assert space.run().code == 0
    ran = space.run("claims", "--record")
    assert ran.code == 0 and f"4 numbers in {RECORD}: 4 new, 0 dropped" in ran.err
    return space


def said(book: Space, *arguments: str) -> list[str]:
    ran = book.run(*arguments)
    return [line.partition(" says ")[2] for line in (ran.out + ran.err).splitlines() if " says " in line]


def test_a_record_has_one_line_a_number_and_a_changed_figure_contradicts_it(book: Space) -> None:
    text = book.read(RECORD)
    # A hidden file, but the author names it.
    book.write({"figmill.toml": '[tool.figmill]\nclaims_record = ".claims.json"\n'})
    assert book.run("claims", "--record").code == 0 and book.read(".claims.json") == text
    assert ".claims.json" not in book.run().err
    (book.root / "figmill.toml").unlink()
    rows = [json.loads(line.removesuffix(",")) for line in text.splitlines()[1:-1]]
    assert [(row["file"], row["key"], row["number"], row["fact"]) for row in rows] == [
        ("docs/index.md", "", "43.4 ms", "mean_at_crossing_ms"),
        ("docs/index.md", "", "43.4 ms", "mean_at_crossing_ms"),
        ("questions/queue.yaml", "scenario", "43.4 ms", "mean_at_crossing_ms"),
        ("questions/queue.yaml", "visual.caption", "137", "items"),
    ]
    assert book.run("claims", "--record").code == 0 and book.read(RECORD) == text
    assert said(book, "claims") == []
    book.write({"visuals/runs.json": '{"mean": 48.2, "items": 157}'})
    now, items = f"43.4 ms, {WAS} 48.2 ms now", f"137, {ITEMS} 157 now"
    assert said(book, "--verbose") == [f"{now} [contradicted]", f"{items} [contradicted]"]
    assert said(book) == [f"{now} [contradicted] (+1 more, with --verbose)"]  # as kept
    assert said(book, "claims") == [now, now, now, items]
    assert book.run("--strict").code == 1
    page = book.root / "docs/index.md"  # as hosts compare it
    opened = open_book(book.root, build=False)
    assert not list(contradicted(opened.in_language("de"), page, page.read_text()))
    contradictions = contradicted(opened, page, page.read_text())
    assert [(line, message.partition(" says ")[2]) for line, message in contradictions] == [
        (5, f"{now} [contradicted]"),
        (7, f"{now} [contradicted]"),
    ]
    # The sentence stays, and so does its fact.
    nearer = PAGE.replace("Halfway", "![](figmill:other)\n\nHalfway")
    book.write({"questions/other.yaml": QUESTION.replace("queue", "other").partition("  caption")[0]})
    assert book.run().code == 0
    contradictions = contradicted(open_book(book.root, build=False), page, nearer)
    assert [(line, message.partition(" says ")[2]) for line, message in contradictions] == [
        (7, f"{now} [contradicted]"),
        (9, f"{now} [contradicted]"),
    ]
    (book.root / "questions/other.yaml").unlink()
    ran = book.run("claims", "--record")
    assert "0 new, 0 dropped; 4 of them false now" in ran.err and ran.code == 1
    ran = book.run("claims", "docs/index.md", "--record=accept")
    assert "0 new, 2 dropped" in ran.err and ran.code == 0
    assert said(book, "claims") == [now, items]
    book.write({"visuals/runs.json": RUNS})
    assert said(book) == [] and said(book, "claims") == []
    book.write({RECORD: book.read(RECORD)[:-9]})
    ran = book.run("claims")
    assert ran.code == 2 and f"{RECORD}:3: is not a record of claims; restore it" in ran.err
    ran = book.run()
    assert ran.code == 0 and "is not a record of claims" in ran.err


def test_a_record_that_cannot_be_read_is_one_finding_and_stops_nothing(book: Space) -> None:
    book.write(
        {"questions/queue.yaml": QUESTION.replace("A chain.", "A chain of 12 items with a mean of 43.4 ms.")}
    )
    (book.root / RECORD).rename(book.root.parent / RECORD)
    (book.root / RECORD).symlink_to(book.root.parent / RECORD)
    for damage, message in (
        (None, f"{RECORD}: is a link that leads out of the book [contradicted]"),
        ("[" * 100_000, f"{RECORD}: is not a record of claims; restore it"),
    ):
        if damage is not None:
            (book.root / RECORD).unlink()
            book.write({RECORD: damage})
        for command in ((), (), ("--dry-run",), ("lint",)):
            ran = book.run(*command)
            assert ran.code == 0 and (ran.out + ran.err).count(message) == 1, (command, ran.err)
            assert "says 12, but items of 'queue' is 137" in ran.out + ran.err, command
        ran = book.run("claims", "--record")
        assert ran.code == 2 and ran.err.startswith(f"figmill: {RECORD}: is ") and ran.err.count("\n") == 1


def test_recording_keeps_what_it_cannot_compare(book: Space) -> None:
    text = book.read(RECORD)
    for files in (
        {"questions/queue.yaml": f"{QUESTION}visuals: ["},
        {"questions/queue.yaml": QUESTION.replace("kind: dot", "kind: dott")},
        {"figmill.toml": '[tool.figmill]\nlanguage = "de"\n'},
    ):
        book.write(files)
        ran = book.run("claims", "--record")
        assert (
            "0 new, 0 dropped" in ran.err and "of the record" not in ran.out and book.read(RECORD) == text
        ), files
        book.write({"questions/queue.yaml": QUESTION, "figmill.toml": ""})
    book.write({"questions/queue.yaml": QUESTION.partition("visual:")[0]})
    assert "0 new, 4 dropped" in book.run("claims", "--record").err  # its figure is gone


def test_a_changed_text_contradicts_while_its_words_stay(book: Space) -> None:
    changed = QUESTION.replace("43.4 ms have", "41 ms have").replace("with 137", "with 17")
    book.write({"questions/queue.yaml": changed})
    assert said(book, "--verbose") == [
        f"41 ms, {WAS} 43 ms now [contradicted]",
        f"17, {ITEMS} 137 now [contradicted]",
    ]
    excused = changed + "  lint: {contradicted: this is about another run}\n"
    book.write({"questions/queue.yaml": excused})
    assert said(book, "--verbose") == [] and said(book, "claims") == []
    assert "needless-exception" not in book.run("lint").out
    other = changed.replace("have gone by", "passed").replace("It ends", "They end")
    book.write({"questions/queue.yaml": other})
    assert said(book, "--verbose") == []
    ran = book.run("claims")
    assert ran.code == 0 and "; 2 of the record in sentences that have changed" in ran.out
    ran = book.run("claims", "--record")
    assert "0 new, 2 dropped" in ran.err
