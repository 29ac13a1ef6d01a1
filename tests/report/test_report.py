"""The report: its lines, formats and exit codes. Pure."""

from __future__ import annotations

import json

import pytest
from helpers.cases import cases

from figmill.errors import AuthorError
from figmill.model import Change, Origin, Warned
from figmill.report.github import build_github, lint_github
from figmill.report.json_ import build_json, lint_json
from figmill.report.model import FAILS, Diagnostic, LintReport, Report, Row, Status, in_order
from figmill.report.progress import time_left
from figmill.report.sarif import sarif
from figmill.report.text import ReportStyle, build_lines, build_summary, lint_lines, problem_lines
from figmill.streams import Painted

OLD, NEW = b"<svg>\n<text>sends</text>\n</svg>\n", b"<svg>\n<text>waits</text>\n</svg>\n"


def row(status: str, id_: str = "x", **fields: object) -> Row:
    return Row(id_, None, "dot", Status(status), path=f"build/global/{id_}.svg", **fields)  # type: ignore[arg-type]


def error(
    message: str = "syntax error", line: int | None = 3, column: int | None = None, detail: str = ""
) -> AuthorError:
    return AuthorError(Origin("visuals/x.dot", line, column), message, detail)


@cases(
    ("statuses", "check", "code"),
    [
        ((), False, 0),
        (("fresh", "rendered", "unchanged"), False, 0),
        (("rendered", "failed"), False, 1),
        (("fresh",), True, 0),
        (("unchanged",), True, 0),
        (("would-create",), True, 3),
        (("would-change",), True, 3),
        (("would-remove",), True, 3),
        (("would-change",), False, 0),  # --dry-run
        (("would-change", "failed"), True, 1),
    ],
)
def test_exit_codes(statuses: tuple[str, ...], check: bool, code: int) -> None:
    assert Report(tuple(map(row, statuses)), dry=check, check=check).code == code


@pytest.mark.parametrize(
    ("statuses", "line"),
    [
        ((), "0 figures; `visual` in a question declares one"),
        (("fresh",), "1 figure, all fresh"),
        (("fresh", "fresh"), "2 figures, all fresh"),
        (("rendered",), "1 figure, 1 rendered"),
        (
            ("failed", "fresh", "rendered", "unchanged"),
            "4 figures, 1 rendered, 1 unchanged, 1 fresh, 1 failed",
        ),
    ],
)
def test_the_last_line_counts(statuses: tuple[str, ...], line: str) -> None:
    assert build_summary(Report(tuple(map(row, statuses))), ReportStyle()) == line


def test_a_dry_run_says_that_it_wrote_nothing() -> None:
    assert (
        build_summary(Report((row("would-change"),), dry=True), ReportStyle())
        == "1 figure, 1 would-change (nothing was written)"
    )


def test_lines_for_people() -> None:
    rows = (
        row("rendered", "a", reasons=("alt", "visuals/a.dot"), seconds=1.234),
        row("rendered", "b", seconds=0.001),
        row("fresh", "c", note="source visuals/c.dot"),
        row("failed", "d", errors=(error(),)),
    )
    report = Report(rows, orphans=("build/global/old.svg",))
    assert list(build_lines(report, ReportStyle())) == [
        "rendered  build/global/a.svg  1.23 s  (alt, visuals/a.dot)",
        "rendered  build/global/b.svg",
        "orphan  build/global/old.svg: no figure has it; `figmill clean` removes it",
        "4 figures, 2 rendered, 1 fresh, 1 failed",
    ]
    (older,) = (
        line
        for line in build_lines(Report(rows, orphans=("build/global/c.dark.pdf",)), ReportStyle())
        if "orphan" in line
    )
    assert older.endswith(
        "c.dark.pdf: its figure has changed; `figmill export --to pdf` makes it again, `figmill clean` removes it"
    )
    three = ("build/global/gone.svg", "build/global/old.dark.svg", "build/global/old.svg")
    removed = [line for line in build_lines(Report(rows, orphans=three), ReportStyle()) if "orphan" in line]
    assert removed == [
        "orphan  build/global/old.svg and 2 more: no figure has them; `figmill clean` removes them"
    ]
    explained = list(build_lines(report, ReportStyle(explain=True)))
    assert explained[2:4] == ["fresh     build/global/c.svg", "          source visuals/c.dot"]


def test_a_failure_is_one_line_to_click_and_its_detail_once() -> None:
    twice = error("no such node", 3, 9, "first\nsecond")
    rows = (
        row("failed", "a", errors=(twice,)),
        row("failed", "b", errors=(twice, error("other", None))),
        row("rendered", "c", warnings=(Warned(Origin("visuals/c.svg", 2), "small text", "contrast"),)),
        row("rendered", "d", warnings=(Warned(Origin("visuals/c.svg", 2), "small text", "contrast"),)),
    )
    assert list(problem_lines(Report(rows), ReportStyle())) == [
        "visuals/c.svg:2: small text [contrast] (c, d)",
        "visuals/x.dot:3:9: no such node (a, b)",
        "    first",
        "    second",
        "visuals/x.dot: other (b)",
    ]


def test_colours_stand_only_where_they_are_asked_for() -> None:
    report = Report(
        (row("would-change", changes=(Change("x.svg", OLD, NEW),)), row("failed", errors=(error(),))),
        dry=True,
    )
    plain = [*problem_lines(report, ReportStyle()), *build_lines(report, ReportStyle())]
    whole = ReportStyle(colour=True, verbose=True)
    painted = [*problem_lines(report, whole), *build_lines(report, whole)]
    assert all(isinstance(line, str) for line in plain)
    assert Painted(("-<text>sends</text>", "31")) in painted
    assert Painted(("+<text>waits</text>", "32")) in painted


def changed(number: int) -> Row:
    return row("would-change", f"f{number:02}", changes=(Change(f"build/f{number:02}.svg", OLD, NEW),))


@pytest.mark.parametrize(
    ("figures", "shown", "folded"), [(1, 1, None), (20, 20, None), (21, 20, 1), (50, 20, 30)]
)
def test_diffs_beyond_twenty_figures_are_folded(figures: int, shown: int, folded: int | None) -> None:
    report = Report(tuple(map(changed, range(figures))), dry=True)
    short = [*build_lines(report, ReportStyle())]
    assert len(short) == figures + 2 and short[-2] == "--verbose shows how the files differ"
    lines = list(build_lines(report, ReportStyle(verbose=True)))
    assert sum(line.startswith("--- a/") for line in lines) == shown
    assert sum(line.startswith("would-change ") for line in lines) == figures
    told = [line for line in lines if line.startswith("... and the diffs")]
    assert told == ([] if folded is None else [f"... and the diffs of {folded} more figures; --id shows one"])


def test_the_manifest_is_no_figure() -> None:
    manifest = Row(None, None, None, Status.WOULD_CHANGE, path="build/manifest.json")
    report = Report((row("fresh"), manifest), dry=True, check=True)
    assert [*build_lines(report, ReportStyle())] == [
        "would-change build/manifest.json",
        "1 figure, 1 fresh (nothing was written)",
    ]
    assert (report.code, report.figures, dict(report.counts)) == (3, 1, {"fresh": 1})


def test_all_missing_packages_are_one_command() -> None:
    def lacking(name: str, requirement: str) -> Row:
        told = AuthorError(Origin(f"questions/{name}.yaml", 3), f"needs {name}", requirement=requirement)
        return row("failed", name, errors=(told,))

    d2 = lacking("a", "figmill[d2]")
    assert [*problem_lines(Report((d2,)), ReportStyle())] == ["questions/a.yaml:3: needs a"]
    others = lacking("b", "figmill[mermaid]"), lacking("c", "bars"), lacking("d", "figmill[d2]")
    assert [*problem_lines(Report((d2, *others, row("failed", "e", errors=(error(),)))), ReportStyle())] == [
        "questions/a.yaml:3: 4 figures need packages that are not installed: pip install bars 'figmill[d2,mermaid]'",
        f"{error().origin}: {error().message} (e)",
    ]


def test_a_check_shows_no_diffs() -> None:
    lines = list(build_lines(Report((changed(1),), dry=True, check=True), ReportStyle()))
    assert lines == ["would-change build/global/f01.svg", "1 figure, 1 would-change (nothing was written)"]


def test_the_diff_is_one_that_git_reads() -> None:
    created = row("would-create", changes=(Change("build/x.svg", None, NEW),))
    removed = row("would-remove", changes=(Change("build/y.svg", OLD, None),))
    lines = list(build_lines(Report((created, removed), dry=True), ReportStyle(verbose=True)))
    assert lines[1:4] == ["--- /dev/null", "+++ b/build/x.svg", "@@ -0,0 +1,3 @@"]
    assert lines[8:11] == ["--- a/build/y.svg", "+++ /dev/null", "@@ -1,3 +0,0 @@"]


WARNED = {"file": "x.svg", "line": 2, "column": None, "message": "w", "check": "contrast"}


def test_json_is_one_object_with_every_figure() -> None:
    rows = (
        row("failed", "a", errors=(error("x", 3, 9), error("y", None))),
        Row(None, None, None, Status.FAILED, errors=(error(),)),
        row(
            "would-change",
            "b",
            reasons=("alt",),
            seconds=0.12345,
            warnings=(Warned(Origin("x.svg", 2), "w", "contrast"),),
        ),
    )
    shown = json.loads(build_json(Report(rows, orphans=("o.svg",), check=True)))
    first, unread, last = shown["figures"]
    assert first["error"] == {"file": "visuals/x.dot", "line": 3, "column": 9, "message": "x"}
    assert [e["message"] for e in first["errors"]] == ["x", "y"]
    assert (unread["id"], unread["kind"], "errors" in unread) == (None, None, False)
    assert (last["reasons"], last["seconds"], last["warnings"]) == (["alt"], 0.123, [WARNED])
    assert shown["summary"] == {"total": 3, "failed": 2, "would-change": 1, "orphans": ["o.svg"], "exit": 1}


def test_annotations_are_escaped_as_github_wants_it() -> None:
    at = Origin("visuals/50%, a:b.dot", 3, 9)
    rows = (
        row(
            "failed",
            errors=(AuthorError(at, "100% wrong\r\n::error::fake", "line 2"),),
            warnings=(Warned(at, "a\nb", "contrast"),),
        ),
    )
    assert list(build_github(Report(rows))) == [
        "::error file=visuals/50%25%2C a%3Ab.dot,line=3,col=9::100%25 wrong\\r\\n::error::fake (x)%0Aline 2",
        "::warning file=visuals/50%25%2C a%3Ab.dot,line=3,col=9::a\\nb [contrast] (x)",
        "1 figure, 1 failed",
    ]


def test_sarif_places_each_failure() -> None:
    at = Origin("visuals/my graph #1.dot", 3, 9)
    run = json.loads(
        sarif(
            Report(
                (
                    row(
                        "failed",
                        errors=(AuthorError(at, "m"), error("n", None)),
                        warnings=(Warned(Origin("x.svg", 2), "w", "contrast"),),
                    ),
                )
            ).diagnostics
        )
    )["runs"][0]
    first, second, warning = run["results"]
    place = first["locations"][0]["physicalLocation"]
    assert place == {
        "artifactLocation": {"uri": "visuals/my%20graph%20%231.dot"},
        "region": {"startLine": 3, "startColumn": 9},
    }
    assert second["locations"][0]["physicalLocation"]["region"] == {"startLine": 1}
    assert (first["level"], warning["level"]) == ("error", "warning")
    assert {result["ruleId"] for result in run["results"]} <= {
        rule["id"] for rule in run["tool"]["driver"]["rules"]
    }


AT = Origin("questions/a.yaml", 4, 30)
FAILURE = Diagnostic.failure(AuthorError(AT, "no source", "line 2", "trace"), "a", "left")
WARNING = Diagnostic.of_check(Warned(AT, "a short text", "alt-short"), "warn", "a", "left")


@pytest.mark.parametrize(
    ("diagnostics", "strict", "code"),
    [
        ((), True, 0),
        ((WARNING,), False, 0),
        ((WARNING,), True, 1),
        ((FAILURE,), False, 1),
        ((Diagnostic.of_check(Warned(AT, "m", "alt-short"), "error", "a", None),), False, 1),
    ],
)
def test_exit_codes_of_lint(diagnostics: tuple[Diagnostic, ...], strict: bool, code: int) -> None:
    assert LintReport(diagnostics, (), 1, strict).code == code


def test_a_build_and_lint_say_the_same_of_one_figure_but_for_the_tag_of_a_failure() -> None:
    built = Report(
        (
            Row(
                "a",
                "left",
                "svg",
                Status.FAILED,
                errors=(AuthorError(AT, "no source", "line 2", "trace"),),
                warnings=(Warned(AT, "a short text", "alt-short"),),
            ),
        )
    )
    linted = LintReport((FAILURE, WARNING), (), 1)
    assert tuple(built.diagnostics) == linted.diagnostics
    ours, theirs = [*problem_lines(built, ReportStyle())], [*lint_lines(linted, ReportStyle())][:-1]
    assert sorted(line.replace(f" [{FAILS}]", "") for line in theirs) == sorted(ours)
    ours, theirs = [*build_github(built)][:-1], [*lint_github(linted)][:-1]
    assert [line.replace(f" [{FAILS}]", "") for line in theirs] == ours
    first = json.loads(build_json(built))["figures"][0]["error"]
    assert first.items() < json.loads(lint_json(linted))["findings"][0].items()


def test_a_detail_stands_below_its_line_and_a_trace_only_with_verbose() -> None:
    first = "questions/a.yaml:4:30: no source [figure-fails] (a-left)"
    report = LintReport((FAILURE,), ((WARNING, "it is so"),), 2)
    counts = "2 figures: 1 figure-fails; 1 let off"
    assert list(lint_lines(report, ReportStyle())) == [first, "    line 2", counts]
    excused = "questions/a.yaml:4:30: let off: a short text [alt-short: it is so]"
    assert list(lint_lines(report, ReportStyle(verbose=True))) == [
        first,
        "    line 2",
        "    trace",
        excused,
        counts,
    ]


def test_diagnostics_come_once_by_file_and_line() -> None:
    places = [
        Origin("b.svg", 1),
        Origin("a.svg", 10),
        Origin("a.svg", 9),
        Origin("a.svg"),
        Origin("a.svg", 9),
    ]
    diagnostics = [Diagnostic("contrast", "warn", place, "m") for place in places]
    assert [str(d.origin) for d in in_order(diagnostics)] == ["a.svg", "a.svg:9", "a.svg:10", "b.svg:1"]


def test_the_time_left_is_told_when_it_is_long() -> None:
    assert time_left(0.0, 0, 9) == time_left(5.0, 5, 6) == time_left(60.0, 9, 9) == ""
    assert (time_left(20.0, 1, 3), time_left(60.0, 1, 5)) == (", 40 s left", ", 4 min left")
