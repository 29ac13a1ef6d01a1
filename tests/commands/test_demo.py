"""`demo`: one command in an empty folder gives figures that nothing is wrong with."""

from __future__ import annotations

from helpers.book import Space

from figmill.scaffold.demo import FIGURES


def test_one_command_draws_a_book_that_lint_finds_nothing_in(space: Space) -> None:
    ran = space.run("demo", "first")
    assert ran.code == 0, ran.err
    drawn = {f"first/build/global/{id_}{theme}.svg" for id_ in FIGURES for theme in ("", ".dark")}
    assert drawn <= set(space.outputs("first/build"))
    assert (space.root / "first/build/index.html").as_uri() in ran.out
    lint = space.run("--root", "first", "lint", "--strict")
    assert (lint.code, lint.out) == (0, f"{len(FIGURES)} figures: nothing found\n")
    before = space.read("first/questions/bubble.yaml")
    again = space.run("demo", "first")
    assert (again.code, space.read("first/questions/bubble.yaml")) == (2, before)
    assert again.err == "figmill: first is not empty; name another folder, as in `figmill demo my-figures`\n"
