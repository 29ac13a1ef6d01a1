"""Ids with capitals, sources in folders, long texts: what books have, by the real command."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from helpers.book import DOT, HAND, Space

STATED = """\
from figmill import Drawing

def draw():
    return Drawing("graph { a -- b }", facts={"half": 1.5})
"""


def test_ids_keep_their_capitals(space: Space) -> None:
    space.write({"visuals/a.dot": DOT})
    space.question("Fig-3.A", "source: a.dot, alt: a graph of three")
    space.write(
        {
            "questions/Many.yaml": "id: Many\nvisuals:\n  - {name: Left, source: a.dot, alt: a graph}\n"
            "  - {name: right, source: a.dot, alt: a graph}\n",
            "questions/shows.yaml": "id: shows\nvisual: {ref: Many-Left}\n",
        }
    )
    done = space.run("--format", "json")
    assert done.code == 0, done.out
    assert [(f["id"], f["name"]) for f in done.json["figures"]] == [
        ("Fig-3.A", None),
        ("Many", "Left"),
        ("Many", "right"),
    ]
    assert {Path(name).name for name in space.outputs()} >= {
        "Fig-3.A.svg",
        "Many-Left.svg",
        "Many-right.dark.svg",
    }
    assert space.run("--id", "Fig*", "--format", "json").json["summary"]["total"] == 1
    assert space.run("facts", "Many-Left", "nodes").out == "3\n"
    assert space.run().out == "3 figures, all fresh\n"


def test_ids_that_differ_in_capitals_alone_fail_both(space: Space) -> None:
    space.write({"visuals/a.dot": DOT})
    space.question("Ring", "source: a.dot, alt: a graph of three")
    space.write({"questions/other.yaml": "id: ring\nvisual: {source: a.dot, alt: a graph}\n"})
    done = space.run()
    assert done.code == 1
    said = "written 'Ring'; ids that differ only in case count as equal; rename one"
    assert (
        f"questions/other.yaml:1:5: the question at questions/Ring.yaml:1:5 also has the id 'ring', {said}"
        in done.err
    )
    assert (
        "questions/Ring.yaml:1:5: the question at questions/other.yaml:1:5 also has the id 'Ring', "
        in done.err
    )
    assert space.outputs() == {}


def test_a_figure_in_a_list_and_a_question_that_differ_in_capitals_alone_fail_both(space: Space) -> None:
    space.write({"visuals/a.dot": DOT})
    space.question("A-B", "source: a.dot, alt: a graph of three")
    space.write({"questions/a.yaml": "id: a\nvisuals:\n  - {name: b, source: a.dot, alt: a graph}\n"})
    done = space.run()
    assert done.code == 1 and "'global/A-B.svg' is also the output of 'a-b'" in done.err


def test_an_id_written_otherwise_does_not_lose_its_file_where_capitals_do_not_count(space: Space) -> None:
    """Two names of one file, as on macOS and Windows; here it is a hard link."""
    space.write({"visuals/a.dot": DOT, "figmill.toml": 'themes = ["light"]\ndescriptions = "none"\n'})
    space.question("ring", "source: a.dot, alt: a graph of three")
    assert space.run().code == 0
    os.remove(space.root / "questions/ring.yaml")
    space.question("Ring", "source: a.dot, alt: a graph of three")
    assert space.run().code == 0
    old, new = space.root / "build/global/ring.svg", space.root / "build/global/Ring.svg"
    old.unlink()
    os.link(new, old)
    assert space.run("clean").out == "nothing to remove\n"
    assert new.exists()


@pytest.mark.parametrize("key", ["source", "path"])
def test_sources_lie_in_folders(space: Space, key: str) -> None:
    space.write(
        {
            "visuals/deep/down/a.dot": DOT,
            "visuals/cloud/sub/p.py": STATED,
            "visuals/sub/h.svg": HAND,
            "visuals/cloud/sub/h.svg": HAND.replace("Rank 0", "Rank of cloud"),
        }
    )
    space.question("a", f"{key}: deep/down/a.dot, alt: a graph of three")
    space.question("p", f"kind: dot, {key}: sub/p.py, alt: a line", track="cloud")
    space.question("h", f"{key}: sub/h.svg, alt: a rank", track="cloud")
    space.question("g", f"kind: svg, {key}: sub/h.svg, alt: a rank")
    done = space.run()
    assert (done.code, done.err) == (0, ""), done.err
    named = "h.svg" if key == "path" else "g.svg"
    assert {n for n in space.outputs() if not n.endswith(".dark.svg")} == {
        "build/global/a.svg",
        "build/cloud/p.svg",
        "build/cloud/h.svg",
        f"build/global/{named}",
    }
    assert ">Rank of cloud</text>" in space.read("build/cloud/h.svg")
    assert space.run().out == "4 figures, all fresh\n"


def test_a_product_in_a_folder_is_built_from_what_lies_beside_it(space: Space) -> None:
    space.write({"visuals/figs/ring.dot": DOT, "visuals/figs/ring.svg": HAND})
    space.question("one", "kind: svg, path: figs/ring.svg, alt: a graph of three")
    done = space.run("--explain")
    assert done.code == 0 and "visuals/figs/ring.dot, found beside visuals/figs/ring.svg" in done.out
    assert ">sends</text>" in space.read("build/global/ring.svg")


@pytest.mark.parametrize(
    ("source", "said"),
    [
        (
            "a.dot",
            "there is no file 'a.dot' in visuals/global or visuals; there is one in visuals/sub, called "
            "'sub/a.dot' here",
        ),
        (
            "sbu/a.dot",
            "there is no file 'sbu/a.dot' in visuals/global or visuals; there is one in visuals/sub, called "
            "'sub/a.dot' here",
        ),
        (
            "sub/aa.dot",
            "there is no file 'sub/aa.dot' in visuals/global or visuals; did you mean 'sub/a.dot'?",
        ),
    ],
)
def test_a_source_in_another_folder_is_named_as_it_is_to_be_written(
    space: Space, source: str, said: str
) -> None:
    space.write({"visuals/sub/a.dot": DOT})
    space.question("one", f"source: {source}, alt: a graph of three")
    assert f"questions/one.yaml:4:18: {said}" in space.run().err


def test_texts_are_long_and_lint_says_so(space: Space) -> None:
    space.write({"visuals/h.svg": HAND})
    space.question("long", f"source: h.svg, alt: {'a' * 1999}, caption: {'c' * 599}")
    space.question("short", f"source: h.svg, alt: {'a' * 399}, caption: {'c' * 119}")
    assert space.run().code == 0
    findings = space.run("lint", "--format", "json").json["findings"]
    assert [(f["id"], f["check"], f["column"]) for f in findings] == [
        ("long", "alt-long", 30),
        ("long", "caption-long", 2040),
    ]


@pytest.mark.parametrize(("key", "most"), [("alt", 2000), ("caption", 600)])
def test_the_limit_of_a_text_is_a_setting(space: Space, key: str, most: int) -> None:
    space.write({"visuals/p.py": STATED})
    texts = {"alt": "a line", "caption": "a line"} | {key: "x" * (most - 5) + "{half}" + "y" * 3}
    fields = ", ".join(f"{name}: '{text}'" for name, text in texts.items())
    space.question("p", f"kind: dot, source: p.py, {fields}")
    done = space.run()
    assert (
        f"{key} has {most + 4:,} characters, at most {most:,} are allowed; `limits.{key}` in the settings"
        in done.err
    )
    space.write({"figmill.toml": f"[limits]\n{key} = {most + 4}\n"})
    assert space.run().code == 0
    space.write({"figmill.toml": f"[limits]\n{key} = 4\n"})
    assert space.run().code == 1
    space.write({"figmill.toml": "[limits]\ncapt = 4\n"})
    advice = "choose one of megapixels, picture_bytes, alt, caption"
    assert space.run().err == f"figmill: figmill.toml:2: limits.capt is not a limit; {advice}\n"
    space.write({"figmill.toml": f"[limits]\n{key} = 0\n"})
    assert f"limits.{key} must be a number from 1 to 20000, not 0" in space.run().err
