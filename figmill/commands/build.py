"""A build as it is asked for on the command line: carried out, and told there.

Unaware of how the words of the command are read.
"""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import IO, TYPE_CHECKING

from figmill.errors import ToolError
from figmill.fastpath import answered
from figmill.host.lines import in_ascii
from figmill.streams import complain, murmur, say

if TYPE_CHECKING:
    from figmill.config import Options
    from figmill.fastpath import Seen
    from figmill.model import Form
    from figmill.report.model import Look, Report


@dataclass(frozen=True, slots=True)
class Order:
    """What is asked. root: None: found from here; jobs: None: as many as there are cores."""

    root: Path | None = None
    ids: tuple[str, ...] = ()
    dry_run: bool = False
    check: bool = False
    against: str | None = None
    force: bool = False
    jobs: int | None = None
    watch: bool = False
    scheduler: str | None = None
    to: tuple[str, ...] = ()
    scale: float | None = None
    strict: bool = False
    explain: bool = False
    form: str = "text"
    quiet: bool = False
    verbose: bool = False
    color: str = "auto"

    @property
    def forms(self) -> tuple[Form, ...]:
        """What is wanted beside SVG."""
        if not self.to:
            return ()
        from figmill.model import Form

        scales = {"png": self.scale or 1.0, "pdf": 1.0}
        return tuple(Form(name, scales[name]) for name in dict.fromkeys(self.to))


def of(root: str | None, quiet: bool) -> Order:
    """The plainest one."""
    return Order(None if root is None else Path(root), quiet=quiet)


def carry_out(order: Order, seen: Seen | None = None) -> int:
    """Build, or show what a build would change; the exit code.

    seen: the book's files as they were just now, where somebody has looked already.
    """
    if seen is None and _may_be_answered(order):
        root = None if order.root is None else str(order.root)
        is_fresh, seen = answered(root, order.quiet, frozenset(map(str, order.forms)))
        if is_fresh:
            return 0
    from figmill import config

    root_ = root_of(order.root)
    if order.watch:
        from figmill.commands.watch import watch

        watch(root_, lambda: config.load(root_), lambda settings: _build(order, root_, settings, None))
    return _build(order, root_, config.load(root_), seen)


def _build(order: Order, root: Path, options: Options, seen: Seen | None) -> int:
    from figmill import fastpath
    from figmill.enclosure import sandbox
    from figmill.engine import prestart

    seen = seen or fastpath.look(str(root), options.folders)
    with prestart.crew_of(root, options) as crew:
        if not order.ids and not order.scheduler:
            prestart.begin(crew, options, seen, order.force)
        from figmill.engine.build import build  # loaded while processes start
        from figmill.engine.request import Request

        request = Request(
            ids=order.ids,
            dry_run=order.dry_run,
            check=order.check,
            against=order.against,
            force=order.force,
            jobs=order.jobs or cores(),
            strict=order.strict,
            scheduler=order.scheduler,
            forms=order.forms,
        )
        with Progress(order.form == "text" and not order.quiet) as progress:
            report = build(root, options, request, progress, seen, crew)
    if crew.has_run_scripts and not order.quiet and order.form == "text":
        _say_once(sandbox.notice(options.sandbox))
    _tell(report, order)
    return report.code


@cache
def _say_once(notice: str | None) -> None:
    if notice is not None:
        print(f"render-visuals: {notice}", file=sys.stderr)


def _may_be_answered(order: Order) -> bool:
    """Whether there is nothing to say of a book in which nothing at all has changed, but that."""
    asks_more = (
        order.ids,
        order.against,
        order.force,
        order.strict,
        order.explain,
        order.verbose,
        order.watch,
    )
    return order.form == "text" and not any(asks_more)


def cores() -> int:
    """Those that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def root_of(given: Path | None) -> Path:
    """The book that is meant. Raises ToolError where there is none."""
    from figmill.config import find_root

    if given is not None and not given.is_dir():
        raise ToolError(f"--root {given}: no such folder")
    return find_root(Path.cwd()) if given is None else given.resolve()


def _tell(report: Report, order: Order) -> None:
    from figmill.report import model as reports

    if order.form == "json":
        say_json(reports.as_json(report))
    elif order.form == "sarif":
        say_json(reports.as_sarif(report))
    elif order.form == "github":
        say(reports.github_lines(report))
    else:
        color, verbose, explain = order.color, order.verbose, order.explain
        complain(*reports.problem_lines(report, look_of(sys.stderr, color, verbose, explain)))
        if not order.quiet:
            say(reports.text_lines(report, look_of(sys.stdout, color, verbose, explain)))


def say_json(text: str) -> None:
    """Write JSON to standard output, in whatever encoding that has."""
    try:
        text.encode(sys.stdout.encoding or "ascii")
    except UnicodeEncodeError:
        text = in_ascii(text)
    say([text])


def look_of(stream: IO[str], color: str, verbose: bool, explain: bool = False) -> Look:
    """How a report looks on a stream; color: `auto`, `always` or `never`."""
    from figmill.report.model import Look

    automatic = stream.isatty() and "NO_COLOR" not in os.environ
    return Look(verbose, explain, color == "always" or (color == "auto" and automatic))


class Progress:
    """A bar on a terminal; nothing elsewhere, where the report's own lines say it all."""

    def __init__(self, wanted: bool) -> None:
        self.shown = wanted and sys.stderr.isatty()

    def __enter__(self) -> Progress:
        return self

    def __call__(self, done: int, total: int, label: str) -> None:
        if self.shown:
            width = 30
            bar = "━" * (width * done // total)
            murmur(f"\r\x1b[K{bar:{width}} {done}/{total} {label}")

    def __exit__(self, *_: object) -> None:
        if self.shown:
            murmur("\r\x1b[K")
