"""`lint --fix`: repair drawings from any tool without redrawing them."""

from __future__ import annotations

import difflib
import os
from collections.abc import Iterator, Sequence
from pathlib import Path, PurePath

import click

from figmill import config
from figmill.commands.drawing_files import STDIN, of_figures, paths_of, read
from figmill.commands.environment import root_of
from figmill.errors import ToolError, not_written
from figmill.exit_codes import DIFFERS, FAILED, WELL
from figmill.host import files as disk_files
from figmill.late_dataclasses import dataclass
from figmill.lint.hints import Hinted, hinted
from figmill.lint.mending import label_of, mend
from figmill.paths import relative
from figmill.report.text import ReportStyle, paint
from figmill.streams import Painted, hand_over, say
from figmill.svg import Mended, SvgError

PRODUCT = ".fixed.svg"  # the end of the name of a repaired drawing


@dataclass(frozen=True, slots=True)
class FixOptions:
    """How drawings are repaired: the options of the command."""

    output: str | None
    layout: bool
    in_place: bool
    dry_run: bool
    check: bool
    title: str
    alt: str

    @property
    def writes(self) -> bool:
        return not (self.dry_run or self.check)

    def target(self, name: str) -> str:
        return name if self.in_place else self.output or ("-" if name == STDIN else _beside(name))


def repair(
    root: Path | None,
    files: Sequence[str],
    ids: tuple[str, ...],
    way: FixOptions,
    strict: bool,
    style: ReportStyle,
) -> int:
    """Repair drawings from any tool without redrawing them, and report what is left; returns the exit code.

    files: paths, globs, folders, or `-` for standard input, whose result goes to standard output. ids: globs of
    figures of the book, whose sources are repaired instead.
    """
    if bool(files) == bool(ids):
        raise click.UsageError("name the drawings, or with --id the figures that are made from drawings")
    if way.in_place and (way.output or "-" in files):
        raise click.UsageError("--in-place replaces the drawing; leave --output or - out")
    if way.check and (way.in_place or way.output or way.dry_run):
        raise click.UsageError("--check writes nothing; leave --in-place, --output and --dry-run out")
    names = of_figures(root_of(root), ids, way.layout) if ids else _without_products(files)
    if len(names) > 1 and (way.output or way.title or way.alt or STDIN in names):
        raise click.UsageError(
            f"{len(names)} drawings are named; --output, --title, --alt and - are for one drawing"
        )
    results, failed = list[Mended](), 0
    hints = [*_hints(root_of(root), ids, way, style)] if ids and way.layout else []
    for name in names:
        try:
            results.append(_fix(name, way, style))
        except ToolError as error:
            if len(names) == 1:
                raise
            failed += 1
            say([paint(f"{error}; it stays as it is", "red", style)])
    if len(names) + len(hints) > 1:
        left = sum(len(result.left) for result in results) + sum(len(hint.checks_after) for hint in hints)
        before = sum(result.before for result in results) + sum(len(hint.checks_before) for hint in hints)
        more = f"; {failed} could not be repaired" if failed else ""
        say(
            [
                f"{len(names) + len(hints)} drawings: {before - left} of {before} findings repaired, {left} left{more}"
            ]
        )
    if failed or (
        strict and (any(result.left for result in results) or any(hint.checks_after for hint in hints))
    ):
        return FAILED
    differs = any(result.changes for result in results) or any(hint.what for hint in hints)
    return DIFFERS if way.check and differs else WELL


def _hints(root: Path, ids: tuple[str, ...], way: FixOptions, style: ReportStyle) -> Iterator[Hinted]:
    """Offer the change of each source that helps its figure, as a diff. Raises ToolError."""
    for hint in hinted(root, config.load(root), ids):
        name = relative(root / hint.source, Path.cwd())
        total, left = (len(checks) for checks in (hint.checks_before, hint.checks_after))
        counts = f"{total - left} of {total} findings repaired, {left} left"
        yield hint
        if not hint.what:
            why = "; nothing that figmill can write in this source helps" if total else ""
            say([f"{name}: {counts}{why}"])
            continue
        if not way.check:
            hand_over("".join(_diff(hint.before, hint.after, name, name)))
        if way.in_place:
            _write(name, hint.before, hint.after, hint.figure, is_named=False)
        did = "wrote" if way.in_place else "--in-place writes"
        say([f"{name}: with {hint.what}, {counts}" + ("" if way.check else f"; {did} {name}")])


def _without_products(given: Sequence[str]) -> list[str]:
    """The drawings that are named; of a folder or a glob, without those that this command has written."""
    own = PRODUCT if len(given) > 1 or not os.path.isfile(given[0]) else ""
    names = paths_of(given)
    return [name for name in names if name in given or not own or not name.endswith(own)]


def _fix(name: str, way: FixOptions, style: ReportStyle) -> Mended:
    """Repair one drawing, and say what was done. Raises ToolError."""
    data = read(name)
    if isinstance(data, str):
        raise ToolError(f"{name}: {data}")
    try:
        result = mend(name, data, way.title, way.alt, way.layout)
    except SvgError as error:
        raise ToolError(f"{name}:{error}", 1) from None
    target = way.target(name)
    if way.dry_run:
        hand_over("".join(_diff(data, result.svg, name, target)))
    elif target == "-" and way.writes:
        hand_over(result.svg.decode())
    elif way.writes:
        _write(target, data if way.in_place else None, result.svg, label_of(name), is_named=bool(way.output))
    if target != "-" or not way.writes:
        did = "" if way.check else f"; {'wrote' if way.writes else 'would write'} {target}"
        say(_lines(name, result, did, style))
    return result


def mend_in_place(root: Path, name: str, dry_run: bool) -> str | None:
    """Repair a drawing of a book where it is; returns the line about it, or None if nothing changes.

    A drawing that cannot be repaired stays. Raises ToolError if it cannot be written.
    """
    path = str(root / name)
    data = read(path)
    if isinstance(data, str):
        return None
    try:
        result = mend(name, data, "", "", False)
    except SvgError:
        return None
    before, left = result.before, len(result.left)
    if before == left or result.svg == data:
        return None
    if not dry_run:
        _write(path, data, result.svg, label_of(name), is_named=False)
    return f"{'would repair' if dry_run else 'repaired'} {name}: {before - left} of {before} findings"


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


def _lines(name: str, result: Mended, did: str, style: ReportStyle) -> Iterator[str | Painted]:
    """What was changed, what is left, and the counts."""
    for change in result.changes:
        yield f"{name}: {change}"
    for finding in result.left:
        yield paint(f"{name}: left: {finding.message} [{finding.check}]", "yellow", style)
    mended = result.before - len(result.left)
    yield f"{name}: {mended} of {result.before} findings repaired, {len(result.left)} left{did}"
