"""Print the report of a build in the format of its order. Formats load on first use."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from types import MappingProxyType

from figmill.commands.order import Order
from figmill.commands.terminal import style_of
from figmill.config import Options
from figmill.enclosure import sandbox
from figmill.late import imported
from figmill.report.model import Report
from figmill.report.text import build_lines, problem_lines
from figmill.streams import annotate, complain, hand_over, say

WITH_WORDS = "figmill.compare.described:with_words"


def print_report(
    report: Report, order: Order, root: Path, options: Options, jobs: int, has_run_scripts: bool
) -> int:
    """Print a report in the order's format; returns the exit code."""
    if has_run_scripts and not order.quiet and order.form == "text":
        _say_once(sandbox.notice(options.sandbox))
    if not order.shows_changes:
        if report.dry and order.form in ("text", "json"):
            report = imported(WITH_WORDS)(report)
        WRITERS[order.form](report, order)
        return report.code
    from figmill.commands import changes  # loads numpy and pillow, which a plain build does not need

    compared, figures = changes.figures_of(report, root, options, jobs)
    if report.dry:
        report = changes.with_words(compared, figures)
    WRITERS[order.form](report, order)
    changes.show(report, figures, order, changes.title_of(order))
    return changes.code(report, figures, order)


@cache
def _say_once(notice: str | None) -> None:
    if notice is not None:
        complain(f"figmill: {notice}")


def _as_text(report: Report, order: Order) -> None:
    color, verbose, explain = order.color, order.verbose, order.explain
    *lines, count = build_lines(report, style_of(sys.stdout, color, verbose, explain))
    if not order.quiet:
        say(lines)
    complain(*problem_lines(report, style_of(sys.stderr, color, verbose, explain)))
    if not order.quiet:
        say([count])


def _as_json(report: Report, _: Order) -> None:
    from figmill.report.json_ import build_json, encodable

    hand_over(encodable(build_json(report), sys.stdout.encoding))


def _as_github(report: Report, _: Order) -> None:
    from figmill.report.github import build_github

    annotate(build_github(report))


def _as_sarif(report: Report, _: Order) -> None:
    from figmill.report.json_ import encodable
    from figmill.report.sarif import sarif

    hand_over(encodable(sarif(report.diagnostics), sys.stdout.encoding))


WRITERS: Mapping[str, Callable[[Report, Order], None]] = MappingProxyType(
    {
        "text": _as_text,
        "json": _as_json,
        "github": _as_github,
        "sarif": _as_sarif,
        "markdown": lambda report, _: complain(*problem_lines(report, style_of(sys.stderr, "never", False))),
    }
)
