"""`diff`: what has changed since a commit, or between two built folders."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from figmill.commands import changes
from figmill.commands.drawing import carry_out
from figmill.commands.options import options
from figmill.compare import folders
from figmill.compare.figures import Compared, compared, with_words
from figmill.compare.markdown import PicturePaths, share
from figmill.engine.request import Request
from figmill.exit_codes import DIFFERS, WELL
from figmill.report.json_ import build_json, encodable
from figmill.report.model import Report, Status
from figmill.streams import hand_over, say

FORMS = ("text", "json", "markdown")  # for built folders


@click.command("diff")
@click.argument("places", metavar="[REF | A B]", nargs=-1)
@options(
    ("report", "form", "pictures", "summary", "ignore_invisible", "ids", "jobs", "sandbox", "scheduler"),
    ("strict", "explain", "quiet", "verbose", "color"),
)
@click.pass_obj
def command(root: Path | None, /, places: tuple[str, ...], **given: Any) -> int:
    """Show what has changed since a commit, or between two builds.

    Exit 3 if any figure has changed. REF is a commit, a branch or a range A..B; default: HEAD. Nothing has to be built:
    figures are drawn as they were at the commit, which are kept in .figmill/commits/, and as they are now. A and B are
    two built folders, or two commits.
    """
    if len(places) > 2:
        raise click.UsageError("name one commit, or two commits or built folders")
    if len(places) == 2 and any(Path(place).exists() for place in places):
        return _folders(Path(places[0]), Path(places[1]), Request(root=root, **given))
    return carry_out(Request(root=root, check=True, against="..".join(places) or "HEAD", **given))


def _folders(before: Path, after: Path, request: Request) -> int:
    """Show the differences between two built folders; returns the exit code."""
    for place in (before, after):
        if not place.exists():
            raise click.UsageError(f"{place} does not exist; for two commits write {before}..{after}")
    if request.ids or request.form not in FORMS:
        given = "--id" if request.ids else f"--format {request.form}"
        raise click.UsageError(f"{given} does not go with two built folders")
    between = folders.between(folders.load(before), folders.load(after))
    merged, figures = compared(between, (), request.jobs, has_pixels=changes.has_pixels(request))
    if request.form == "text" and not request.quiet:
        say(lines(figures))
    if request.form == "json":
        hand_over(encodable(build_json(_as_rows(merged, figures)), sys.stdout.encoding))
    paths = _pictures(figures, before, after)
    changes.show(merged, figures, request, f"Figures of {before} and {after}", paths)
    if request.ignore_invisible:
        figures = [figure for figure in figures if figure.is_seen]
    return DIFFERS if figures else WELL


def _as_rows(report: Report, figures: list[Compared]) -> Report:
    """The rows as `--check` prints them: figures that are not among the compared ones count as unchanged."""
    changed = {figure.label for figure in figures}
    rows = (row if row.title in changed else replace(row, status=Status.UNCHANGED) for row in report.rows)
    return with_words(replace(report, rows=tuple(rows)), figures)


def _pictures(figures: list[Compared], before: Path, after: Path) -> dict[str, PicturePaths]:
    """The path of each changed picture in both folders."""
    old, new = (place if place.is_dir() else place.parent for place in (before, after))
    return {
        theme.change.target: PicturePaths(
            (old / _path_then(figure, theme.name, theme.change.target)).as_posix(),
            (new / theme.change.target).as_posix(),
        )
        for figure in figures
        for theme in figure.themes
    }


def _path_then(figure: Compared, theme: str, path: str) -> str:
    """The path of a picture before the change: a different one if the figure has moved."""
    if figure.then is None or path in {file.path for file in figure.then.all_files}:
        return path
    declared = (file.path for file in figure.then.files if (file.theme, file.format) == (theme, "svg"))
    return next(declared, path)


def lines(figures: list[Compared]) -> list[str]:
    """A line per figure, and the count."""
    rows = [
        f"{figure.verb:7} {figure.label}  {share(figure)}  {'; '.join(figure.phrases)}" for figure in figures
    ]
    return [
        *rows,
        "1 figure differs" if len(figures) == 1 else f"{len(figures)} figures differ",
    ]
