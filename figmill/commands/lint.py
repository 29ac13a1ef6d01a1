"""`lint`: every check on every figure of a book, or on drawings without one."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any

import click
from click.core import ParameterSource

from figmill import config
from figmill.checks import LEVELS
from figmill.commands.drawing_files import drawings
from figmill.commands.environment import root_of
from figmill.commands.options import COLOR, FORMATS, IDS, JOBS, SANDBOXED
from figmill.commands.terminal import style_of
from figmill.engine.request import Request
from figmill.lint.drawings import known, lint_drawings
from figmill.lint.lint import lint
from figmill.report.github import lint_github
from figmill.report.json_ import encodable, lint_json
from figmill.report.model import LintReport
from figmill.report.progress import ProgressLine
from figmill.report.sarif import sarif
from figmill.report.text import ReportStyle, lint_lines
from figmill.streams import annotate, hand_over, say

GIVEN = (ParameterSource.COMMANDLINE, ParameterSource.DEFAULT_MAP)  # after the command's name, or before it
WRITERS: Mapping[str, Callable[[LintReport, ReportStyle], None]] = MappingProxyType(
    {
        "text": lambda report, style: say(lint_lines(report, style)),
        "json": lambda report, _: hand_over(encodable(lint_json(report), sys.stdout.encoding)),
        "github": lambda report, _: annotate(lint_github(report)),
        "sarif": lambda report, _: hand_over(encodable(sarif(report.diagnostics), sys.stdout.encoding)),
    }
)


def _levels(context: click.Context, option: click.Parameter, settings: Sequence[str]) -> dict[str, str]:
    """The levels of checks, as CHECK=LEVEL. Raises click.BadParameter."""
    chosen: dict[str, str] = {}
    for setting in settings:
        check, _, level = setting.partition("=")
        if not known(check):
            raise click.BadParameter(
                f"'{check}' is not a check of drawings; docs/reference/checks.md lists them"
            )
        if level not in LEVELS:
            raise click.BadParameter(
                f"'{setting}': write " + " or ".join(f"{check}={allowed}" for allowed in LEVELS)
            )
        chosen[check] = level
    return chosen


# What goes only with --fix, and what does not go with it.
REPAIRS = ("layout", "in_place", "output", "dry_run", "check", "title", "alt")
CHECKS = ("twice", "levels", "form", "jobs", "quiet", "verbose")


@click.command("lint")
@click.argument("files", metavar="[FILE.svg]...", nargs=-1)
@IDS
@click.option("--fix", "fixes", is_flag=True, help="Repair the drawings; the originals stay.")
@click.option("--layout", is_flag=True, help="With --fix: also move text, boxes and lines that overlap.")
@click.option("--in-place", is_flag=True, help="With --fix: replace the drawing itself.")
@click.option(
    "--output",
    "-o",
    metavar="FILE",
    help="With --fix: the file for the result, or -; default: NAME.fixed.svg beside the drawing.",
)
@click.option("--dry-run", "--diff", "dry_run", is_flag=True, help="With --fix: show a diff; write nothing.")
@click.option(
    "--check", is_flag=True, help="With --fix: write nothing; exit 3 if anything would be repaired."
)
@click.option(
    "--title",
    default="",
    help="With --fix: the title for screen readers; default: the drawing's own, or its name.",
)
@click.option(
    "--alt", default="", help="With --fix: the description for screen readers; default: the drawing's own."
)
@click.option("--twice", is_flag=True, help="Draw each figure twice, and name those that differ.")
@click.option(
    "--level",
    "levels",
    multiple=True,
    metavar="CHECK=LEVEL",
    callback=_levels,
    help="With files: the level of a check, off, note, warn or error; repeatable.",
)
@click.option(
    "--strict", is_flag=True, help="Exit 1 if anything is found, or with --fix, if anything is left."
)
@click.option(
    "--format", "form", type=FORMATS, default="text", show_default=True, help="The format of the findings."
)
@click.option("--quiet", "-q", is_flag=True, help="Show no progress.")
@click.option(
    "--verbose",
    "-v",
    is_flag=True,
    help="Print every finding, including those that a figure's exceptions allow.",
)
@JOBS
@SANDBOXED
@COLOR
@click.pass_context
def command(
    context: click.Context,
    /,
    files: tuple[str, ...],
    ids: tuple[str, ...],
    fixes: bool,
    twice: bool,
    jobs: int,
    levels: dict[str, str],
    strict: bool,
    form: str,
    quiet: bool,
    verbose: bool,
    color: str,
    **repairs: Any,
) -> int:
    """Run every check on figures or drawings; --fix repairs drawings.

    Without FILE.svg, every figure of the book is checked, and nothing is built. FILE.svg may be a path, a glob, a
    folder, or - for standard input.

    With --fix, drawings from any tool are repaired without redrawing them, and what is left is reported. Only with
    --layout does anything move. With --id, the drawings are the sources of these figures of the book.
    """
    root: Path | None = context.obj
    _refuse(context, fixes)
    if fixes:
        from figmill.commands.fix import (  # loads what repairs drawings, which checks do not need
            FixOptions,
            repair,
        )

        return repair(
            root, files, ids, FixOptions(**repairs), strict, style_of(sys.stdout, color, verbose=False)
        )
    if files:
        given = [flag for flag, value in (("--id", ids), ("--twice", twice), ("--root", root)) if value]
        if given:
            raise click.UsageError(
                f"{given[0]} is for the figures of a book; leave out either it or the files"
            )
        style, stated = config.house_style(Path.cwd())
        report = lint_drawings(drawings(files), {**stated, **levels}, strict, style)
    else:
        if levels:
            raise click.UsageError("--level goes with files; a book has its levels in [tool.figmill.lint]")
        root = root_of(root)
        request = Request(ids=ids, jobs=jobs, strict=strict)
        with ProgressLine(form == "text" and not quiet) as progress:
            report = lint(root, config.load(root), request, twice, progress)
    WRITERS[form](report, style_of(sys.stdout, color, verbose))
    return report.code


def _refuse(context: click.Context, fixes: bool) -> None:
    """Raise click.UsageError if an option does not go with --fix, or without it."""
    for option in context.command.params:
        name = option.name or ""
        is_given = context.get_parameter_source(name) in GIVEN
        if is_given and name in (CHECKS if fixes else REPAIRS):
            raise click.UsageError(f"{option.opts[0]} {'does not go' if fixes else 'goes'} with --fix")
