"""`fix`: repair a drawing from any tool without redrawing it."""

from __future__ import annotations

import difflib
import os
import sys
from collections.abc import Iterator
from pathlib import Path, PurePath

import click

from figmill.commands.drawing_files import STDIN, read
from figmill.commands.options import COLOR
from figmill.commands.terminal import style_of
from figmill.errors import ToolError, not_written
from figmill.host import files
from figmill.lint.mending import label_of, mend
from figmill.report.text import Style, paint
from figmill.streams import Painted, hand_over, say
from figmill.svg import Mended, SvgError


@click.command("fix")
@click.argument("file", metavar="FILE.svg", type=click.Path(path_type=str))
@click.option(
    "--output",
    "-o",
    metavar="FILE",
    help="The file for the result, or -; default: NAME.fixed.svg beside the drawing.",
)
@click.option("--in-place", is_flag=True, help="Replace the drawing itself.")
@click.option("--dry-run", is_flag=True, help="Show the changes as a diff; write nothing.")
@click.option(
    "--title", default="", help="The title for screen readers; default: the drawing's own, or its name."
)
@click.option("--alt", default="", help="The description for screen readers; default: the drawing's own.")
@click.option("--strict", is_flag=True, help="Exit 1 if anything is left.")
@COLOR
def command(
    file: str,
    output: str | None,
    in_place: bool,
    dry_run: bool,
    title: str,
    alt: str,
    strict: bool,
    color: str,
) -> int:
    """Repair a drawing from any tool without redrawing it, and report what is left.

    The original stays, unless --in-place says otherwise.

    FILE.svg may be - for standard input; the result then goes to standard output.
    """
    if in_place and (output or file == "-"):
        raise click.UsageError("--in-place replaces the drawing; leave --output or - out")
    name = STDIN if file == "-" else file
    data = read(name)
    if isinstance(data, str):
        raise ToolError(f"{name}: {data}")
    try:
        result = mend(name, data, title, alt)
    except SvgError as error:
        raise ToolError(f"{name}:{error}", 1) from None
    target = file if in_place else output or ("-" if file == "-" else _beside(file))
    if dry_run:
        hand_over("".join(_diff(data, result.svg, name, target)))
    elif target == "-":
        hand_over(result.svg.decode())
    else:
        _write(target, data if in_place else None, result.svg, label_of(name), is_named=bool(output))
    if target != "-" or dry_run:
        say(_lines(name, target, result, dry_run, style_of(sys.stdout, color, False)))
    return 1 if strict and result.left else 0


def _beside(file: str) -> str:
    path = PurePath(file)
    return str(path.with_name(f"{path.stem}.fixed.svg"))


def _write(target: str, before: bytes | None, data: bytes, label: str, is_named: bool) -> None:
    """Write the repaired drawing. before: what it replaces, if that is the original. Raises ToolError."""
    try:
        if before is not None:
            if not files.rewrite(target, before, data):
                raise ToolError(f"{target} has changed meanwhile; run the command again", 1)
        elif (
            not is_named
            and os.path.lexists(target)
            and f'"{label}-light-'.encode() not in files.head(target, 2000)
        ):
            raise ToolError(f"{target} already exists; name another file with --output")
        else:
            files.replace_whole(str(Path(target).resolve()), data)
    except OSError as error:
        raise not_written(target, error) from None


def _diff(before: bytes, after: bytes, name: str, target: str) -> Iterator[str]:
    old, new = (part.decode("utf-8", "replace").splitlines(keepends=True) for part in (before, after))
    for line in difflib.unified_diff(old, new, name, target):
        yield line if line.endswith("\n") else line + "\n\\ No newline at end of file\n"


def _lines(name: str, target: str, result: Mended, dry_run: bool, style: Style) -> Iterator[str | Painted]:
    """What was changed, what is left, and the counts."""
    for change in result.changes:
        yield f"{name}: {change}"
    for finding in result.left:
        yield paint(f"{name}: left: {finding.message} [{finding.check}]", "yellow", style)
    did = "would write" if dry_run else "wrote"
    mended = result.before - len(result.left)
    yield f"{name}: {mended} of {result.before} findings repaired, {len(result.left)} left; {did} {target}"
