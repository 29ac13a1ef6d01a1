"""A book with a house style: which figures it judges, exceptions and levels, and drawings beside a book."""

from __future__ import annotations

import json
from pathlib import Path

from helpers.book import Space
from helpers.boxes import box, drawing, line

STYLE = """\
[tool.figmill.style]
grid = 10
least_text = 20
colours = ["data", "#4a90c4"]

[tool.figmill.lint]
style-colours = "error"
"""
DRAWING = drawing(box(23, 20, "Client"), box(220, 20, "Relay"), line("M123 40H220"))
LAID_OUT = 'digraph { a [label="Client", role=data]; b [label="Relay"]; a -> b }'


def book(space: Space) -> Space:
    space.write({"pyproject.toml": STYLE, "visuals/a.svg": DRAWING, "visuals/b.dot": LAID_OUT})
    space.question(
        "hand", "source: a.svg, alt: A client asks a relay, lint: {style-least-text: shown on a wall}"
    )
    return space.question("graph", "source: b.dot, alt: A client asks a relay")


def checks_of(rows: list[dict[str, str]]) -> set[tuple[str, str, str]]:
    return {
        (row["id"], row["check"], row["level"]) for row in rows if row["check"].startswith(("style", "off-g"))
    }


def test_a_book_is_judged_by_its_style(space: Space) -> None:
    """The places of a graph are Graphviz's; an exception counts for one rule; a level too."""
    ran = book(space).run("lint", "--format", "json")
    assert (ran.code, checks_of(ran.json["findings"]), ran.json["summary"]["excused"]) == (
        1,
        {
            ("hand", "off-grid", "warn"),
            ("hand", "style-colours", "error"),
            ("graph", "style-least-text", "warn"),
        },
        2,
    )
    space.write({"pyproject.toml": STYLE.replace("grid = 10", "grid = 1").replace("20", "9")})
    sarif = json.loads(space.run("lint", "--id", "hand", "--format", "sarif").out)
    rules = {result["ruleId"] for result in sarif["runs"][0]["results"]}
    assert (rules & {"off-grid", "style-colours", "needless-exception"}) == {
        "style-colours",
        "needless-exception",
    }


def test_drawings_and_receipts_are_judged_by_the_nearest_style(space: Space) -> None:
    book(space)
    assert space.run().code == 0  # no build runs these checks
    visuals = space.root / "visuals"
    ran = space.run("lint", "a.svg", "--level", "style-colours=off", "--format", "json", cwd=visuals)
    assert (ran.code, {row["check"] for row in ran.json["findings"]}) == (0, {"off-grid", "style-least-text"})
    for given in ("a.svg", "hand"):
        receipt = json.loads(space.run("facts", given, "--layout", cwd=visuals).out)
        levels = {row["check"]: row["level"] for row in receipt["findings"]}
        assert levels == {"off-grid": "warn", "style-least-text": "warn", "style-colours": "error"}, given
    receipt = json.loads(space.run("facts", "graph", "--layout").out)
    assert {row["check"] for row in receipt["findings"]} == {"style-least-text"}


def test_a_wrong_style_is_an_error_beside_a_book_too(space: Space, tmp_path: Path) -> None:
    away = tmp_path / "away"
    away.mkdir()
    (away / "a.svg").write_bytes(DRAWING)
    (away / "figmill.toml").write_text("questions = 3\n[style]\ngrd = 10\n")
    ran = space.run("lint", "a.svg", cwd=away)
    assert (ran.code, ran.out, ran.err) == (
        2,
        "",
        "figmill: figmill.toml:3: style.grd is not a rule; did you mean 'grid'?\n",
    )
    (away / "figmill.toml").write_text("questions = 3\n[style]\ngrid = 10\n")
    assert "x = 20, y = 20 [off-grid]" in space.run("lint", "a.svg", cwd=away).out
