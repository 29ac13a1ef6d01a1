"""The names of the commands: what each asks for, what former names stand for, and what to type instead of others."""

from __future__ import annotations

import re
import sys

import pytest
from helpers.book import DOT, HAND, Space

from figmill import cli, fastpath
from figmill.errors import ToolError

PALE = HAND.replace("<text", '<text fill="#b8bcc2"')


@pytest.mark.parametrize(
    ("typed", "message"),
    [
        ("init", "No such command 'init'; type `figmill new ID --kind dot` to begin a figure"),
        ("buld", "No such command 'buld'; did you mean 'build'?"),
        ("cheek", "did you mean 'check'?"),
        ("emebd", "did you mean 'embed'?"),
        ("Render", "No such command 'Render'; type `figmill`"),
        ("open", "type `figmill watch`"),
        ("publish", "and publish its build/"),
        ("zzz", "No such command 'zzz'; `figmill --help` lists the commands"),
    ],
)
def test_an_unknown_command_says_what_to_type(
    monkeypatch: pytest.MonkeyPatch, typed: str, message: str
) -> None:
    monkeypatch.setattr(sys, "argv", ["figmill", typed])
    with pytest.raises(ToolError, match=re.escape(message)):
        cli.run()


def test_the_tables_name_commands_that_exist() -> None:
    with_own_arguments = {"adopt", "import"}
    assert {*cli.FORMER, *cli.VERBS} & cli.COMMANDS.keys() == with_own_arguments
    assert not cli.FORMER.keys() & cli.VERBS.keys()
    assert {now[0] for now in cli.FORMER.values()} <= cli.COMMANDS.keys()
    typed = re.findall(r"`figmill (\w+)", "\n".join(cli.VERBS.values()))
    assert typed and set(typed) <= cli.COMMANDS.keys()


def test_former_names_do_the_same_and_name_the_new_ones(built_book: Space) -> None:
    built_book.write({"pale.svg": PALE})
    for former, now, notice in (
        (("list",), ("show",), "figmill: `figmill list` is now `figmill show`\n"),
        (("fix", "-", "pale.svg"), ("lint", "--fix", "-", "pale.svg"), "figmill: `figmill fix` is now"),
        (("facts", "plot"), ("show", "plot", "--format", "json"), ""),
        (("embed", "plot"), ("show", "plot", "--format", "html"), ""),
        (("embed", "plot", "--format", "rst"), ("show", "plot", "--format", "rst"), ""),
    ):
        then, today = built_book.run(*former), built_book.run(*now)
        assert (then.code, then.out) == (today.code, today.out), former
        assert then.err.startswith(notice) and then.err.endswith(today.err), former
        assert bool(notice) or then.err == today.err, former


def test_build_is_the_command_without_a_name(small_book: Space) -> None:
    assert fastpath.plain(["build", "--root", "x", "-q"]) == ("x", True)
    assert fastpath.plain(["build"]) == fastpath.plain([]) == (None, False)
    assert fastpath.plain(["build", "build"]) is None
    ran = small_book.run("build")
    assert (ran.code, ran.out.splitlines()[-2]) == (0, "2 figures, 2 rendered")
    page = (small_book.root / "build/index.html").as_uri()
    assert ran.out.splitlines()[-1] == f"open: {page}", "a first build says where to look"
    assert small_book.run().out == small_book.run("build", "--verbose").out == "2 figures, all fresh\n"
    assert "open:" not in small_book.run("build", "--force").out


def test_check_judges_a_fresh_clone_and_writes_nothing(small_book: Space) -> None:
    before = small_book.stamps()
    ran = small_book.run("check")
    assert (ran.code, ran.out, ran.err) == (0, "2 figures, 2 rendered (nothing was written)\n", "")
    assert "`figmill check` checks every figure without it" in small_book.run("--check").out
    small_book.write({"visuals/d.svg": PALE})
    weak, strict = small_book.run("check", "--format", "json"), small_book.run("check", "--strict")
    assert (weak.code, strict.code) == (0, 1) and "[contrast" in strict.err
    assert {row["status"] for row in weak.json["figures"]} == {"rendered"}
    small_book.write({"visuals/d.svg": HAND.replace("</svg>", "")})
    failed = small_book.run("check")
    assert (failed.code, failed.out) == (1, "2 figures, 1 rendered, 1 failed\n") and "d.svg" in failed.err
    small_book.write({"visuals/d.svg": HAND})
    assert small_book.stamps().keys() == before.keys()
    assert small_book.run("check", "--format", "markdown").code == 2


def test_diff_compares_with_a_commit_and_two_of_them(small_book: Space) -> None:
    small_book.git("init", "--quiet")
    small_book.git("add", "--all")
    small_book.git("commit", "--quiet", "--message", "first")
    assert small_book.run("diff").code == 0
    small_book.write({"visuals/a.dot": DOT.replace("sends", "waits for")})
    changed = small_book.run("diff", "--report", "changes.html")
    assert changed.code == 3 and "would-change build/global/graph.svg" in changed.out
    assert "graph" in small_book.read("changes.html")
    small_book.git("commit", "--quiet", "--all", "--message", "second")
    assert small_book.run("diff").code == 0
    both = small_book.run("diff", "HEAD~1", "HEAD", "--format", "json")
    assert both.code == 3 and both.json["summary"]["would-change"] == 1
    for arguments, message in (
        (("gone", "build"), "there is no such commit here"),
        (("gone", "visuals"), "gone does not exist; for two commits write gone..visuals"),
        (("a", "b", "c"), "name one commit, or two commits or built folders"),
        (("visuals", "questions", "--format", "sarif"), "--format sarif does not go with two built folders"),
    ):
        wrong = small_book.run("diff", *arguments)
        assert wrong.code == 2 and message in wrong.err, arguments


def test_export_writes_what_to_writes(small_book: Space) -> None:
    wrong = small_book.run("export")
    assert wrong.code == 2 and "Missing option '--to'" in wrong.err
    assert small_book.run("export", "--to", "svg", "--ink", "grey").code == 0
    assert (small_book.root / "build/global/graph.grey.svg").exists()
    assert small_book.run("--to", "svg", "--ink", "grey").out == "2 figures, all fresh\n"


def test_show_is_for_people_unless_a_format_is_named(built_book: Space) -> None:
    lines = built_book.run("show", "plot").out.splitlines()
    assert lines[0] == "plot: A title" and "  from     visuals/b.py (matplotlib)" in lines
    assert "  fact     half = 2.0" in lines
    assert built_book.run("show", "plot#half:.1%").out == "200.0%\n"
    assert built_book.run("show", "--format", "json").json[0] == {
        "id": "classic",
        "kind": "matplotlib",
        "source": "visuals/c.py",
        "path": "build/global/classic.svg",
    }
    assert built_book.run("show", "--all").json["figures"]["plot"]["facts"]["half"][".0f"] == "2"
    for arguments in (
        ("--format", "md"),
        ("plot", "--all"),
        ("plot", "--output", "x"),
        ("plot#half", "--layout"),
    ):
        assert built_book.run("show", *arguments).code == 2, arguments


def test_options_of_a_repair_go_with_fix(small_book: Space) -> None:
    for arguments, message in (
        (("--layout",), "--layout goes with --fix"),
        (("--fix", "visuals/d.svg", "--twice"), "--twice does not go with --fix"),
    ):
        wrong = small_book.run("lint", *arguments)
        assert wrong.code == 2 and message in wrong.err, arguments
    before = small_book.run("--check", "lint")
    assert before.code == 2 and "--check goes with --fix" in before.err
