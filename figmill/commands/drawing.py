"""The commands that draw: which options each has, and what it asks of a build. Bare `figmill` is `build`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import click

from figmill import fastpath
from figmill.commands.options import PIXELS, options
from figmill.engine.request import Request
from figmill.formats import FORMATS
from figmill.late import imported

WATCH, BUILD = "figmill.commands.watch:run", "figmill.commands.build:run"

# The options by their names in the table, in the order of the help.
_HOW = ("jobs", "sandbox", "scheduler")
_SHOWS = ("explain", "form", "quiet", "verbose", "color")
_CHANGES = ("report", "pictures", "summary", "ignore_invisible")
_EXPORTS = ("to", "ink", "scale", "width")
ROOT = ("root", "ids", "dry_run", "check", "force", "jobs", "strict", "explain", "form", "quiet", "verbose")
ROOT_HIDDEN = ("against", *_CHANGES, "sandbox", "watch", "scheduler", *_EXPORTS, "color")


def carry_out(request: Request) -> int:
    """Build, compare or watch as requested; returns the exit code. Raises click.UsageError."""
    refuse_contradictions(request)
    seen = None
    if request.asks_no_details:
        root = None if request.root is None else str(request.root)
        is_fresh, seen = fastpath.answered(root, request.quiet, frozenset(map(str, request.forms)))
        if is_fresh:
            return 0
    return int(imported(WATCH if request.watch else BUILD)(request, seen))


def _drawing(
    name: str,
    about: str,
    shown: Sequence[str],
    hidden: Sequence[str] = (),
    required: Sequence[str] = (),
    **asks: Any,
) -> click.Command:
    """A command that makes a request of its options. asks: the fields of the request that make it this command."""

    @click.command(name, help=about)
    @options(shown, hidden, required)
    @click.pass_context
    def command(context: click.Context, /, **given: Any) -> int:
        return carry_out(Request(root=context.obj, **given, **asks))

    return command


build = _drawing(
    "build",
    "Draw the figures that are out of date; `figmill` is short for it.",
    ("ids", "dry_run", "check", "force", *_HOW, "strict", *_SHOWS),
    ("against", *_CHANGES, "watch", *_EXPORTS),
)
check = _drawing(
    "check",
    """Draw and check every figure, and write nothing: for CI.

    What a build has left is not drawn again, and nothing has to be built. Exit 1 if a figure fails, or, with --strict,
    if there is a warning.""",
    ("ids", *_HOW, "strict", *_SHOWS),
    dry_run=True,
    verdict=True,
)
export = _drawing(
    "export",
    """Write each figure also as PNG or PDF, or in grey for printers.

    The figures are built first. The files lie beside the SVGs, and those that are up to date stay as they are.""",
    (*_EXPORTS, "ids", "force", *_HOW, "strict", *_SHOWS),
    required=("to",),
)


def refuse_contradictions(request: Request) -> None:
    """Raise click.UsageError if the options do not go together."""
    compares = request.dry_run or request.check
    if request.watch and compares:
        raise click.UsageError("--watch builds; it does not go with --dry-run or --check")
    if request.ignore_invisible and not request.check:
        raise click.UsageError("--ignore-invisible goes with --check")
    if request.verdict and request.form == "markdown":
        raise click.UsageError("--format markdown shows changes: use it with `figmill diff`")
    if request.report is not None and request.watch:
        raise click.UsageError("--report shows one build; leave --watch out")
    if request.pictures is not None and request.form != "markdown" and not request.summary:
        raise click.UsageError("--pictures goes with --format markdown or --summary, which refer to them")
    if request.against and not compares:
        raise click.UsageError("--against goes with --dry-run or --check")
    if request.scale is not None and not any(FORMATS[name].has_pixels for name in request.to):
        raise click.UsageError(f"--scale goes with --to {PIXELS}; other formats have the size of the figure")
    if request.width is not None and not any(FORMATS[name].writer for name in request.to):
        raise click.UsageError("--width goes with --to png or pdf; an SVG gets its width from its page")
    if request.ink == "grey" and not request.to:
        raise click.UsageError("--ink grey goes with --to; name the formats, as in --to pdf --ink grey")
    if request.ink != "grey" and (
        only := next((name for name in request.to if FORMATS[name].is_only_grey), "")
    ):
        raise click.UsageError(f"every build writes {only} files in colour; --to {only} goes with --ink grey")
    if request.against and request.to:
        raise click.UsageError("--against compares only SVGs; leave --to out")
