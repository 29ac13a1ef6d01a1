"""Print the report of a build in the requested format. Formats load on first use."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import cache
from pathlib import Path
from types import MappingProxyType

from figmill.commands.terminal import style_of
from figmill.config import Options
from figmill.enclosure import sandbox
from figmill.engine.outputs import page_folder
from figmill.engine.request import Request
from figmill.late import imported
from figmill.report.model import Report, verdict
from figmill.report.text import build_lines, problem_lines
from figmill.streams import annotate, complain, hand_over, say

WITH_WORDS = "figmill.compare.described:with_words"


def print_report(
    report: Report, request: Request, root: Path, options: Options, has_run_scripts: bool
) -> int:
    """Print a report in the requested format; returns the exit code."""
    if has_run_scripts and not request.quiet and request.form == "text":
        _say_once(sandbox.notice(options.sandbox))
    if not request.shows_changes:
        if request.verdict:
            report = verdict(report)
        elif report.dry and request.form in ("text", "json"):
            report = imported(WITH_WORDS)(report)
        WRITERS[request.form](report, request)
        if request.form in ("text", "github") and not request.quiet and not request.ids:
            say(_pointers(report, request, root / page_folder(options)))
        return report.code
    from figmill.commands import changes  # loads numpy and pillow, which a plain build does not need

    compared, figures = changes.figures_of(report, root, options, request)
    if report.dry:
        report = changes.with_words(compared, figures)
    WRITERS[request.form](report, request)
    changes.show(report, figures, request, changes.title_of(request), root=root, options=options)
    return changes.code(report, figures, request)


def _pointers(report: Report, request: Request, folder: Path) -> Iterator[str]:
    """Where to look after a first build, and what a check needs that found no build. folder: of the outputs."""
    if report.is_first and request.form == "text":
        yield f"open: {(folder / 'index.html').as_uri()}"
    if request.check and not request.against and report.is_unbuilt:
        yield f"{folder.name}/ is not built; `figmill check` checks every figure without it, for CI"


@cache
def _say_once(notice: str | None) -> None:
    if notice is not None:
        complain(f"figmill: {notice}")


def _as_text(report: Report, request: Request) -> None:
    if request.ids:
        report = replace(report, orphans=())  # the question was about these figures
    color, verbose, explain = request.color, request.verbose, request.explain
    *lines, count = build_lines(report, style_of(sys.stdout, color, verbose, explain))
    if not request.quiet:
        say(lines)
    complain(*problem_lines(report, style_of(sys.stderr, color, verbose, explain)))
    if not request.quiet:
        say([count])


def _as_json(report: Report, _: Request) -> None:
    from figmill.report.json_ import build_json, encodable

    hand_over(encodable(build_json(report), sys.stdout.encoding))


def _as_github(report: Report, _: Request) -> None:
    from figmill.report.github import build_github

    annotate(build_github(report))


def _as_sarif(report: Report, _: Request) -> None:
    from figmill.report.json_ import encodable
    from figmill.report.sarif import sarif

    hand_over(encodable(sarif(report.diagnostics), sys.stdout.encoding))


WRITERS: Mapping[str, Callable[[Report, Request], None]] = MappingProxyType(
    {
        "text": _as_text,
        "json": _as_json,
        "github": _as_github,
        "sarif": _as_sarif,
        "markdown": lambda report, _: complain(*problem_lines(report, style_of(sys.stderr, "never", False))),
    }
)
