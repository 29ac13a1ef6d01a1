"""`figmill claims`, and numbers that a build or a host contradicts."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from helpers.book import CopyOf, Space, believed
from helpers.bubble import BUBBLE
from helpers.fixtures import Once
from helpers.hosts import HOSTS

QUESTION = """\
id: bub
title: The bubble
scenario: Four devices run four microbatches.
visual:
  kind: dot
  source: bubble.py
  params: {devices: 4, microbatches: 4, schedule: gpipe}
  alt: Chart of four devices, four microbatches. The bubble takes 0.55 of the device time, and the run takes 99 steps.
  caption: GPipe loses 61 % of the device time.
"""
TRUE = QUESTION.replace("0.55", "0.43").replace("99", "14").replace("61 %", "42.9%")
PAGE = """\
# Page

![](figmill:bub)

With eight devices and sixteen microbatches the bubble takes 55.0 % of the device time.
"""


def drawn(space: Space) -> Space:
    return space.write({"visuals/bubble.py": BUBBLE, "questions/bub.yaml": TRUE})


@pytest.fixture
def book(copy_of: CopyOf) -> Space:
    """Its figure is drawn, and says other numbers now."""
    return copy_of(drawn).write({"questions/bub.yaml": QUESTION, "docs/index.md": PAGE})


def test_false_numbers_are_found_at_their_places(book: Space) -> None:
    ran = book.run()
    assert ran.code == 0 and "questions/bub.yaml:8:8: " in ran.err
    assert "says 0.55, but bubble_fraction of 'bub' is 0.43 [contradicted] (+2 more" in ran.err
    ran = book.run("claims", "--format", "json")
    assert ran.code == 1
    wrong = [row for row in ran.json["claims"] if row["verdict"] == "contradicted"]
    assert [(row["file"], row["line"], row["number"], row["fact"]) for row in wrong] == [
        ("docs/index.md", 5, "eight", "devices"),
        ("docs/index.md", 5, "sixteen", "microbatches"),
        ("docs/index.md", 5, "55.0 %", "bubble_fraction"),
        ("questions/bub.yaml", 8, "0.55", "bubble_fraction"),
        ("questions/bub.yaml", 8, "99", "makespan"),
        ("questions/bub.yaml", 9, "61 %", "bubble_fraction"),
    ]
    for row in wrong:
        line = book.read(row["file"]).splitlines()[row["line"] - 1]
        assert line[row["column"] - 1 :].startswith(row["number"])
    keys = "file line column text number verdict figure fact value message"
    assert set(wrong[0]) == set(keys.split())
    assert ran.json["summary"]["contradicted"] == 6
    lines = book.run("claims").out.splitlines()
    assert lines[0].startswith("docs/index.md:5:6: contradicted: ") and lines[-1].startswith("10 numbers: ")
    assert book.run("claims", "docs/index.md").out.count("contradicted: ") == 3
    assert (
        json.loads(book.run("claims", "--format", "sarif").out)["runs"][0]["results"][0]["ruleId"]
        == "contradicted"
    )
    assert book.run("claims", "--format", "github").out.startswith(
        "::error file=docs/index.md,line=5,col=6::"
    )
    assert book.run("claims", "--format", "markdown").out.count("\n| docs/index.md:5:") == 3


def test_a_book_decides_how_much_it_matters(book: Space) -> None:
    assert book.run("--strict").code == 1
    book.write({"figmill.toml": '[tool.figmill]\nclaims = "off"\n'})
    assert "contradicted" not in book.run().err
    book.write({"figmill.toml": '[tool.figmill]\nclaims = "strict"\n'})
    ran = book.run()
    assert ran.code == 1 and "says 0.55, but bubble_fraction of 'bub' is 0.43" in ran.err
    book.write({"figmill.toml": '[tool.figmill]\nlanguage = "de"\n'})  # whose numbers have another form
    assert "contradicted" not in book.run().err
    book.write({"figmill.toml": ""})
    exempt = "  lint: {contradicted: the chart is of another run}\n"
    book.write({"questions/bub.yaml": QUESTION + exempt})
    assert "contradicted" not in book.run().err
    rows = book.run("claims", "questions/bub.yaml", "--format", "json").json
    assert rows["summary"]["contradicted"] == 0 and rows["summary"]["excused"] == 3
    assert "needless-exception" not in book.run("lint").out


def test_keys_that_hold_prose_can_be_named(book: Space) -> None:
    book.write({"questions/bub.yaml": TRUE + "scores: {devices: Nine devices}\n"})
    assert "questions/bub.yaml:10:19: 'Nine devices' says Nine, but devices of 'bub' is 4" in book.run().err
    (row,) = [
        each for each in book.run("claims", "--format", "json").json["claims"] if each["number"] == "Nine"
    ]
    assert row["verdict"] == "contradicted" and row["line"] == 10
    book.write({"figmill.toml": '[tool.figmill]\nclaim_keys = ["scenario"]\n'})
    assert "says Nine" not in book.run().err
    rows = book.run("claims", "--format", "json").json["claims"]
    assert not [row for row in rows if row["number"] == "Nine"] and [row for row in rows if row["line"] == 3]


def test_fix_turns_numbers_into_references_and_again_changes_nothing(book: Space) -> None:
    book.write(
        {"questions/bub.yaml": TRUE, "docs/index.md": "# P\n\n![](figmill:bub)\n\nThe bubble is 0.43.\n"}
    )
    book.run()
    before = book.read("questions/bub.yaml")
    ran = book.run("claims", "--fix", "--dry-run")
    assert ran.code == 0 and book.read("questions/bub.yaml") == before
    assert "-The bubble is 0.43.\n+The bubble is [](figmill:bub#bubble_fraction:.2f).\n" in ran.out
    assert book.run("claims", "--fix").out.endswith("4 numbers are references now\n")
    after = book.read("questions/bub.yaml")
    assert "takes {bubble_fraction:.2f} of" in after and "takes {makespan:.0f} steps" in after
    assert "loses {bubble_fraction:.1%} of" in after and "four devices" in after
    assert book.run("claims", "--fix").out == "0 numbers are references now\n"
    ran = book.run()
    assert ran.code == 0 and not ran.err
    manifest = json.loads(book.read("build/manifest.json"))["figures"][0]
    assert manifest["alt"].endswith("The bubble takes 0.43 of the device time, and the run takes 14 steps.")
    assert manifest["caption"] == "GPipe loses 42.9% of the device time."


def test_fix_corrects_false_numbers_only_if_asked(book: Space) -> None:
    book.run()
    assert "0.55" not in book.run("claims", "--fix", "--dry-run").out
    told = book.run("claims", "--fix=values", "--dry-run")
    assert told.out.endswith("2 numbers would be references; 2 numbers would be corrected\n")
    assert "docs/index.md:5:6: stays for you to correct: " in told.err and "says eight, but" in told.err
    book.run("claims", "--fix=values")
    text = book.read("questions/bub.yaml")
    assert "takes {bubble_fraction:.2f} of" in text and "takes {makespan:.0f} steps" in text
    assert "loses 43 % of" in text and "eight devices" in book.read("docs/index.md")


# What a fix must keep: the file before, and after it; None: as it is.
FACT = "[](figmill:bub#bubble_fraction:.2f)"
KEPT: dict[str, tuple[str, str | None]] = {
    "questions/plain.yaml": (
        "id: plain\ntitle: The bubble is 0.43\nvisual: %s\n  alt: 0.43 of the device time is the bubble.\n",
        "id: plain\ntitle: The bubble is 0.43\nvisual: %s\n"
        "  alt: '{bubble_fraction:.2f} of the device time is the bubble.'\n",
    ),
    "questions/flow.yaml": (
        "id: flow\nvisual: {source: bubble.py, kind: dot, params: {devices: 4, microbatches: 4, "
        "schedule: gpipe}, alt: The bubble takes 0.43 of the device time}\n",
        "id: flow\nvisual: {source: bubble.py, kind: dot, params: {devices: 4, microbatches: 4, "
        "schedule: gpipe}, alt: 'The bubble takes {bubble_fraction:.2f} of the device time'}\n",
    ),
    "docs/crlf.md": (
        "\ufeff# The bubble is 0.43\r\n\r\n![](figmill:bub)\n\r\nThe bubble is 0.43.\r\nIt ends.\n",
        f"\ufeff# The bubble is 0.43\r\n\r\n![](figmill:bub)\n\r\nThe bubble is {FACT}.\r\nIt ends.\n",
    ),
    "docs/links.md": (
        "![](figmill:bub)\n\nThe [bubble is 0.43](x.md), <a href='x'>the bubble is 0.43</a>; the bubble is 0.43.\n\n"
        "<p>The bubble is 0.43.</p>\n\nThe bubble is 0.43\n===\n\n![](figmill:bub)\n",
        "![](figmill:bub)\n\nThe [bubble is 0.43](x.md), <a href='x'>the bubble is 0.43</a>; the bubble is "
        f"{FACT}.\n\n<p>The bubble is 0.43.</p>\n\nThe bubble is 0.43\n===\n\n![](figmill:bub)\n",
    ),
    "docs/page.rst": (
        "The bubble is 0.43\n==================\n\n.. figmill:: bub\n\nThe bubble is 0.43.\n",
        "The bubble is 0.43\n==================\n\n.. figmill:: bub\n\n"
        "The bubble is :figmill-fact:`bub#bubble_fraction:.2f`.\n",
    ),
    "docs/example.md": (
        "# P\n\nThe bubble is 0.43.\n\n```markdown\n![](figmill:bub)\n```\n\n`![](figmill:bub)`\n",
        None,
    ),
    "docs/example.rst": (".. code-block:: rst\n\n   .. figmill:: bub\n\nThe bubble is 0.43.\n", None),
    "docs/de.md": ("---\nlang: de\n---\n![](figmill:bub)\n\nThe bubble is 0.43.\n", None),
}


def test_fix_keeps_what_files_say_and_how_they_are_written(book: Space) -> None:
    params = "{devices: 4, microbatches: 4, schedule: gpipe}"
    visual = f"\n  kind: dot\n  source: bubble.py\n  params: {params}"
    german = TRUE.replace("id: bub", "id: ger\nlanguage: de").replace("0.43", "0.55")
    files = {path: tuple(text and text.replace("%s", visual) for text in pair) for path, pair in KEPT.items()}
    book.write({"questions/bub.yaml": TRUE.replace("0.43", "a part"), "questions/ger.yaml": german})
    for path, (before, _) in files.items():
        (book.root / path).parent.mkdir(exist_ok=True)
        (book.root / path).write_bytes((before or "").encode())
    latin = "![](figmill:bub)\n\nDie \xc4hre: the bubble is 0.43.\n".encode("latin-1")
    (book.root / "docs/latin.md").write_bytes(latin)
    outside = book.root.parent / "outside.md"
    outside.write_text("![](figmill:bub)\n")
    (book.root / "docs/out.md").symlink_to(outside)
    ran = book.run()
    assert "ger" not in ran.err, ran.err
    ran = book.run("claims", "--fix")
    assert "docs/out.md: is a link that leads out of the book\n" in ran.err
    assert "docs/latin.md: is not UTF-8, and stays as it is\n" in ran.err
    assert ran.err.count("\n") == 2, ran.err
    for path, (before, after) in files.items():
        assert (book.root / path).read_bytes().decode() == (after or before), path
    assert (book.root / "docs/latin.md").read_bytes() == latin
    assert book.read("questions/ger.yaml") == german
    assert book.run("claims", "--fix").out == "0 numbers are references now\n"
    ran = book.run("claims", "docs/nosuch.md")
    assert ran.code == 2 and "docs/nosuch.md is neither a question nor a page of the book" in ran.err
    book.write({"figmill.toml": '[tool.figmill]\nlanguage = "de"\n'})
    ran = book.run("claims")
    assert ran.out.startswith("0 numbers") and "the book is in 'de'" in ran.err


def test_a_block_with_an_error_keeps_no_other_from_its_fix(space: Space) -> None:
    wrong = '```dot\n//| fig-alt: "A graph\ndigraph { a -> b }\n```\n\n'
    page = "# P\n\n" + wrong + "```dot\n//| fig-alt: The graph has %s nodes.\ndigraph { a -> b }\n```\n"
    space.write({"docs/index.md": page % "2", "figmill.toml": '[tool.figmill]\nfences = ["dot"]\n'})
    assert "never closed" in space.run().err
    ran = space.run("claims", "--fix")
    assert ran.code == 0 and space.read("docs/index.md") == page % "{nodes:.0f}", ran.err


def test_a_baseline_only_shrinks(book: Space) -> None:
    book.run()
    baseline = book.root / "known.json"
    assert (
        book.run("claims", "--baseline", "known.json").code == 0
        and len(json.loads(baseline.read_text())["claims"]) == 6
    )
    before = baseline.read_bytes()
    assert book.run("claims", "--baseline", "known.json").code == 0 and baseline.read_bytes() == before
    # This file says nothing about the page.
    ran = book.run("claims", "questions/bub.yaml", "--baseline", "known.json")
    assert ran.code == 0 and baseline.read_bytes() == before
    book.write({"questions/bub.yaml": "\n\n" + QUESTION.replace("61 %", "43 %")})  # one mended, all moved
    book.run()
    assert (
        book.run("claims", "--baseline", "known.json").code == 0
        and len(json.loads(baseline.read_text())["claims"]) == 5
    )
    book.write({"questions/bub.yaml": QUESTION.replace("99", "98")})
    book.run()
    ran = book.run("claims", "--baseline", "known.json")
    assert ran.code == 1 and "says 98" in ran.out and "says 61 %" in ran.out and "says 0.55" not in ran.out
    assert len(json.loads(baseline.read_text())["claims"]) == 4
    baseline.write_text("[]")
    assert "is not a baseline" in book.run("claims", "--baseline", "known.json").err


@pytest.fixture(scope="module")
def with_bubble(two_figures: Path, once: Once) -> Path:
    """The book of the hosts with the figure of `PAGE`, built. Not to be changed."""

    def make(place: Path) -> None:
        shutil.copytree(two_figures, place, symlinks=True)
        believed(place)
        ran = drawn(Space(place)).run("--quiet")
        assert ran.code == 0, ran.err

    return once("with-bubble", make)


@pytest.mark.parametrize("host", HOSTS)
def test_every_host_warns_of_a_number_on_its_page(host: str, with_bubble: Path, space: Space) -> None:
    """Of the one that is false, beside others that are true."""
    shutil.copytree(with_bubble, space.root, symlinks=True, dirs_exist_ok=True)
    believed(space.root)
    true = "With four devices and four microbatches the bubble takes 42.9 % of the device time."
    wrong = "The bubble takes 55.0 % of the device time."
    page = f"# Page\n\n![](figmill:bub)\n\n{true}\n\n{wrong}\n"
    text = "of the device time.' says 55.0 %, but bubble_fraction of 'bub' is 42.9 %"
    for _ in range(2 if host in ("sphinx", "zensical") else 1):  # which keep pages
        ran = HOSTS[host](space, page)
        assert ran.code == 0, ran.said
        assert (ran.said.count(text), ran.said.count(" says ")) == (1, 1), ran.said
