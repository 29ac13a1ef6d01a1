"""`fix`: repair drawings from any tool without redrawing them."""

from __future__ import annotations

import difflib
import os
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path, PurePath

import click

from figmill.commands.drawing_files import STDIN, of_figures, paths_of, read
from figmill.commands.environment import root_of
from figmill.commands.options import COLOR, IDS
from figmill.commands.terminal import style_of
from figmill.errors import ToolError, not_written
from figmill.host import files as disk_files
from figmill.lint.mending import label_of, mend
from figmill.report.text import Style, paint
from figmill.streams import Painted, hand_over, say
from figmill.svg import Mended, SvgError

PRODUCT = ".fixed.svg"  # the end of the name of a repaired drawing


@click.command("fix")
@click.argument("files", metavar="FILE.svg...", nargs=-1)
@IDS
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
@click.pass_obj
def command(
    root: Path | None,
    files: tuple[str, ...],
    ids: tuple[str, ...],
    output: str | None,
    in_place: bool,
    dry_run: bool,
    title: str,
    alt: str,
    strict: bool,
    color: str,
) -> int:
    """Repair drawings from any tool without redrawing them, and report what is left.

    The originals stay, unless --in-place says otherwise.

    FILE.svg may be a path, a glob, a folder, or - for standard input, whose result goes to standard output. With --id,
    the drawings are the sources of these figures of the book.
    """
    if bool(files) == bool(ids):
        raise click.UsageError("name the drawings, or with --id the figures that are made from drawings")
    if in_place and (output or "-" in files):
        raise click.UsageError("--in-place replaces the drawing; leave --output or - out")
    names = of_figures(root_of(root), ids) if ids else _without_products(files)
    if len(names) > 1 and (output or title or alt or STDIN in names):
        raise click.UsageError(
            f"{len(names)} drawings are named; --output, --title, --alt and - are for one drawing"
        )
    style, results, failed = style_of(sys.stdout, color, False), list[Mended](), 0
    for name in names:
        try:
            results.append(_fix(name, output, in_place, dry_run, title, alt, style))
        except ToolError as error:
            if len(names) == 1:
                raise
            failed += 1
            say([paint(f"{error}; it stays as it is", "red", style)])
    if len(names) > 1:
        left = sum(len(result.left) for result in results)
        before = sum(result.before for result in results)
        more = f"; {failed} could not be repaired" if failed else ""
        say([f"{len(names)} drawings: {before - left} of {before} findings repaired, {left} left{more}"])
    return 1 if failed or (strict and any(result.left for result in results)) else 0


def _without_products(given: Sequence[str]) -> list[str]:
    """The drawings that are named; of a folder or a glob, without those that this command has written."""
    own = PRODUCT if len(given) > 1 or not os.path.isfile(given[0]) else ""
    names = paths_of(given)
    return [name for name in names if name in given or not own or not name.endswith(own)]


def _fix(
    name: str, output: str | None, in_place: bool, dry_run: bool, title: str, alt: str, style: Style
) -> Mended:
    """Repair one drawing, and say what was done. Raises ToolError."""
    data = read(name)
    if isinstance(data, str):
        raise ToolError(f"{name}: {data}")
    try:
        result = mend(name, data, title, alt)
    except SvgError as error:
        raise ToolError(f"{name}:{error}", 1) from None
    target = name if in_place else output or ("-" if name == STDIN else _beside(name))
    if dry_run:
        hand_over("".join(_diff(data, result.svg, name, target)))
    elif target == "-":
        hand_over(result.svg.decode())
    else:
        _write(target, data if in_place else None, result.svg, label_of(name), is_named=bool(output))
    if target != "-" or dry_run:
        say(_lines(name, target, result, dry_run, style))
    return result


def _beside(file: str) -> str:
    path = PurePath(file)
    return str(path.with_name(f"{path.stem}{PRODUCT}"))


def _write(target: str, before: bytes | None, data: bytes, label: str, is_named: bool) -> None:
    """Write the repaired drawing. before: what it replaces, if that is the original. Raises ToolError."""
    try:
        if before is not None:
            if not disk_files.rewrite(target, before, data):
                raise ToolError(f"{target} has changed meanwhile; run the command again", 1)
        elif (
            not is_named
            and os.path.lexists(target)
            and f'"{label}-light-'.encode() not in disk_files.head(target, 2000)
        ):
            raise ToolError(f"{target} already exists; name another file with --output")
        else:
            disk_files.replace_whole(str(Path(target).resolve()), data)
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
