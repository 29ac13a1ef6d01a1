"""Carry out a build, and report it.

Unaware of how the command line is parsed: a plain build does not use click.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import TypeAlias

from figmill import config, fastpath
from figmill.commands.environment import cores, root_of, style_of
from figmill.commands.line.order import Order
from figmill.compare.told import with_words
from figmill.config import Options
from figmill.enclosure import sandbox
from figmill.engine import prestart
from figmill.engine.processes import pool_of
from figmill.engine.request import Request
from figmill.errors import ToolError
from figmill.fastpath import Seen
from figmill.late import imported
from figmill.render.pool import Pool
from figmill.report.github import build_github
from figmill.report.json_ import build_json, encodable
from figmill.report.model import Report
from figmill.report.progress import Progress
from figmill.report.sarif import sarif
from figmill.report.text import build_lines, problem_lines
from figmill.streams import complain, say

Carry: TypeAlias = Callable[[Path, Options, Request, Progress, Seen, Pool], Report]
# Loaded while the processes start.
BUILD, COMPARE = "figmill.engine.build:build", "figmill.engine.dry_run:compare"


def build_plainly(root: str | None, quiet: bool, seen: Seen | None) -> int:
    """A build without options; returns its exit code. seen: as for `carry_out`."""
    return carry_out(Order(None if root is None else Path(root), quiet=quiet), seen)


def carry_out(order: Order, seen: Seen | None = None) -> int:
    """Build, or show what a build would change; returns the exit code.

    seen: the book's files as just listed by the fast path, if it did so.
    """
    root = root_of(order.root)
    options = config.load(root)
    for option, place in (("--report", order.report), ("--pictures", order.pictures)):
        if place is not None:
            refuse_place(option, place, root, options)
    seen = seen or fastpath.look(str(root), options.folders)
    jobs = order.jobs or cores()
    with pool_of(root, options, jobs) as pool:
        if not order.ids and not order.scheduler:
            prestart.begin(pool, options, seen, order.force)
        request = request_of(order, jobs)
        carry: Carry = imported(BUILD if request.writes else COMPARE)
        with progress_of(order) as progress:
            report = carry(root, options, request, progress, seen, pool)
    return tell(report, order, root, options, jobs, pool.has_run_scripts)


def request_of(order: Order, jobs: int) -> Request:
    """The engine's request for an order."""
    return Request(
        ids=order.ids,
        dry_run=order.dry_run,
        check=order.check,
        against=order.against,
        force=order.force,
        jobs=jobs,
        strict=order.strict,
        scheduler=order.scheduler,
        forms=order.forms,
        shows=order.shows_changes,
        brief=order.asks_no_details,
    )


def progress_of(order: Order) -> Progress:
    """The progress line on a terminal, unless the order is quiet."""
    return Progress(order.form == "text" and not order.quiet)


def tell(report: Report, order: Order, root: Path, options: Options, jobs: int, has_run_scripts: bool) -> int:
    """Show a report in the order's format; returns the exit code."""
    if has_run_scripts and not order.quiet and order.form == "text":
        _say_once(sandbox.notice(options.sandbox))
    if not order.shows_changes:
        if report.dry and order.form in ("text", "json"):
            report = with_words(report)
        WRITERS[order.form](report, order)
        return report.code
    from figmill.commands.changes import showing  # loads numpy and pillow, which a plain build does not need

    figures = showing.figures_of(report, root, options, jobs)
    if report.dry:
        report = showing.with_words(report, figures)
    WRITERS[order.form](report, order)
    showing.show(report, figures, order, showing.title_of(order))
    return showing.code(report, figures, order)


@cache
def _say_once(notice: str | None) -> None:
    if notice is not None:
        complain(f"render-visuals: {notice}")


def _as_text(report: Report, order: Order) -> None:
    color, verbose, explain = order.color, order.verbose, order.explain
    *lines, count = build_lines(report, style_of(sys.stdout, color, verbose, explain))
    if not order.quiet:
        say(lines)
    complain(*problem_lines(report, style_of(sys.stderr, color, verbose, explain)))
    if not order.quiet:
        say([count])


WRITERS: Mapping[str, Callable[[Report, Order], None]] = MappingProxyType(
    {
        "text": _as_text,
        "json": lambda report, _: say([encodable(build_json(report), sys.stdout.encoding)]),
        "github": lambda report, _: say(build_github(report)),
        "sarif": lambda report, _: say([encodable(sarif(report.diagnostics), sys.stdout.encoding)]),
        "markdown": lambda report, _: complain(*problem_lines(report, style_of(sys.stderr, "never", False))),
    }
)


def refuse_place(option: str, place: Path, root: Path, options: Options) -> None:
    """Raise ToolError for a page or picture to be written into the output folder, which is figmill's own."""
    out = (root / options.output).resolve()
    if not options.in_place and place.resolve().is_relative_to(out):
        raise ToolError(f"{option} {place}: {options.output}/ is for outputs only; choose a place outside")
