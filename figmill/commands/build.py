"""Run a build and print its report.

Its processes take longest to start, so nothing else is loaded before. Unaware of how the command line is parsed: a
plain build does not use click.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TypeAlias

from figmill import config, fastpath
from figmill.commands.environment import cores, root_of
from figmill.commands.order import Order
from figmill.config import Options
from figmill.engine import prestart
from figmill.engine.processes import pool_of
from figmill.engine.request import Request
from figmill.errors import ToolError
from figmill.fastpath import Seen
from figmill.host import files
from figmill.late import imported
from figmill.render.pool import Pool
from figmill.report.model import Report
from figmill.report.progress import ProgressLine

BuildFunction: TypeAlias = Callable[[Path, Options, Request, Pool, ProgressLine, Seen], Report]
# Loaded while the processes start.
BUILD, COMPARE = "figmill.engine.build:build", "figmill.engine.dry_run:compare"
PRINT = "figmill.commands.printing:print_report"


def build_plainly(root: str | None, quiet: bool, seen: Seen | None) -> int:
    """A build without options; returns its exit code. seen: as for `run`."""
    return run(Order(None if root is None else Path(root), quiet=quiet), seen)


def run(order: Order, seen: Seen | None = None) -> int:
    """Build, or show what a build would change; returns the exit code.

    seen: the book's files as just listed by the fast path, if it did so.
    """
    root = root_of(order.root)
    options = config.load(root)
    for option, place in (("--report", order.report), ("--pictures", order.pictures)):
        if place is not None:
            refuse_place(option, place, root, options)
    refuse_cluster(order, options)
    seen = seen or fastpath.look(str(root), options.listed)
    jobs = order.jobs or cores()
    with pool_of(root, options, jobs) as pool:
        if not order.ids and not order.scheduler:
            prestart.begin(pool, options, seen, order.force)
        request = request_of(order, jobs)
        work: BuildFunction = imported(BUILD if request.writes else COMPARE)
        print_report = imported(PRINT)
        with progress_of(order) as progress:
            report = work(root, options, request, pool, progress, seen)
    return int(print_report(report, order, root, options, jobs, pool.has_run_scripts))


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


def progress_of(order: Order) -> ProgressLine:
    """The progress line on a terminal, unless the order is quiet."""
    return ProgressLine(order.form == "text" and not order.quiet)


def refuse_cluster(order: Order, options: Options) -> None:
    """Raise ToolError if the settings require a sandbox, which the machines of a cluster cannot promise."""
    if order.scheduler and options.sandbox == "require":
        raise ToolError(
            'sandbox = "require" applies only to this machine, but --scheduler draws on others; leave one of them out'
        )


def refuse_place(option: str, place: Path, root: Path, options: Options) -> None:
    """Raise ToolError if a report or a picture would be written into the output folder, which is figmill's own."""
    try:
        out, real = Path(files.real(root / options.output)), Path(files.real(place))
    except OSError as error:
        raise ToolError(f"{option} {place}: {error.strerror}") from None
    if not options.in_place and real.is_relative_to(out):
        raise ToolError(f"{option} {place}: {options.output}/ is for outputs only; choose a place outside")
