"""`lint`: every check on every figure."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType

import click

from figmill import config
from figmill.commands.environment import cores, root_of
from figmill.commands.options import COLOR, FORMATS, IDS, JOBS, SANDBOXED
from figmill.commands.terminal import style_of
from figmill.engine.request import Request
from figmill.lint.lint import lint
from figmill.report.github import lint_github
from figmill.report.json_ import encodable, lint_json
from figmill.report.model import LintReport
from figmill.report.progress import ProgressLine
from figmill.report.sarif import sarif
from figmill.report.text import Style, lint_lines
from figmill.streams import annotate, hand_over, say

WRITERS: Mapping[str, Callable[[LintReport, Style], None]] = MappingProxyType(
    {
        "text": lambda report, style: say(lint_lines(report, style)),
        "json": lambda report, _: hand_over(encodable(lint_json(report), sys.stdout.encoding)),
        "github": lambda report, _: annotate(lint_github(report)),
        "sarif": lambda report, _: hand_over(encodable(sarif(report.diagnostics), sys.stdout.encoding)),
    }
)


@click.command("lint")
@IDS
@click.option("--twice", is_flag=True, help="Draw each figure once more, and name those that differ.")
@JOBS
@SANDBOXED
@click.option("--strict", is_flag=True, help="Exit 1 where anything is found.")
@click.option("--format", "form", type=FORMATS, default="text", show_default=True,
              help="How the findings are written.")  # fmt: skip
@click.option("--quiet", "-q", is_flag=True, help="No progress.")
@click.option("--verbose", "-v", is_flag=True, help="Every finding, and what a figure's exceptions let pass.")
@COLOR
@click.pass_obj
def command(
    root: Path | None, ids: tuple[str, ...], twice: bool, jobs: int | None, strict: bool,
    form: str, quiet: bool, verbose: bool, color: str,
) -> int:  # fmt: skip
    """Put every figure through every check; build nothing."""
    root = root_of(root)
    request = Request(ids=ids, jobs=jobs or cores(), strict=strict)
    with ProgressLine(form == "text" and not quiet) as progress:
        report = lint(root, config.load(root), request, twice, progress)
    WRITERS[form](report, style_of(sys.stdout, color, verbose))
    return report.code
