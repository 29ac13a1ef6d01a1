"""Run a build and print its report.

Starting its processes takes longest, so nothing else is loaded before them. Unaware of how the command line is parsed:
a plain build does not use click.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TypeAlias

from figmill import config, fastpath
from figmill.commands.environment import cores, root_of
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
BUILD, DRY_RUN = "figmill.engine.build:build", "figmill.engine.dry_run:compare"
AGAINST = "figmill.engine.against:compare"
PRINT = "figmill.commands.printing:print_report"


def build_plainly(root: str | None, quiet: bool, seen: Seen | None) -> int:
    """A build without options; returns its exit code. seen: as for `run`."""
    return run(Request(None if root is None else Path(root), jobs=cores(), quiet=quiet), seen)


def run(request: Request, seen: Seen | None = None) -> int:
    """Build, or show what a build would change; returns the exit code.

    seen: the book's files as just listed by the fast path, if it did so.
    """
    root = root_of(request.root)
    options = config.load(root)
    for option, place in (("--report", request.report), ("--pictures", request.pictures)):
        if place is not None:
            refuse_place(option, place, root, options)
    refuse_cluster(request, options)
    seen = seen or fastpath.look(str(root), options.listed)
    with pool_of(root, options, request.jobs, scheduler=request.scheduler) as pool:
        if not (request.ids or request.scheduler or request.compares_commits):
            prestart.begin(pool, options, seen, request.force)
        work: BuildFunction = imported(_work(request))
        print_report = imported(PRINT)
        with progress_of(request) as progress:
            report = work(root, options, request, pool, progress, seen)
    return int(print_report(report, request, root, options, pool.has_run_scripts))


def _work(request: Request) -> str:
    """The function that does what is requested."""
    if request.against is not None:
        return AGAINST
    return BUILD if request.writes else DRY_RUN


def progress_of(request: Request) -> ProgressLine:
    """The progress line on a terminal, unless the request is quiet."""
    return ProgressLine(request.form == "text" and not request.quiet)


def refuse_cluster(request: Request, options: Options) -> None:
    """Raise ToolError if the settings require a sandbox, which the machines of a cluster cannot promise."""
    if request.scheduler and options.sandbox == "require":
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
