"""`diff`: the differences between two built folders."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

import click

from figmill.commands import changes
from figmill.commands.environment import cores
from figmill.compare import folders
from figmill.compare.figures import Compared, compared, with_words
from figmill.compare.markdown import PicturePaths, share
from figmill.engine.request import Request
from figmill.report.json_ import build_json, encodable
from figmill.report.model import Report
from figmill.streams import hand_over, say

PLACE = click.Path(exists=True, path_type=Path)


@click.command("diff")
@click.argument("before", type=PLACE)
@click.argument("after", type=PLACE)
@click.option(
    "--report",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Also write the comparison as one HTML page.",
)
@click.option(
    "--format",
    "form",
    type=click.Choice(["text", "json", "markdown"]),
    default="text",
    show_default=True,
    help="The format of the changes.",
)
def command(before: Path, after: Path, report: Path | None, form: str) -> int:
    """Compare two built folders; exit 3 if they differ."""
    request = Request(report=report, form=form)
    between = folders.between(folders.load(before), folders.load(after))
    merged, figures = compared(between, (), cores(), has_pixels=changes.has_pixels(request))
    if form == "text":
        say(lines(figures))
    if form == "json":
        hand_over(encodable(build_json(_as_rows(merged, figures)), sys.stdout.encoding))
    changes.show(
        merged, figures, request, f"Figures of {before} and {after}", _pictures(figures, before, after)
    )
    return 3 if figures else 0


def _as_rows(report: Report, figures: list[Compared]) -> Report:
    """The rows as `--check` prints them: figures that are not among the compared ones count as unchanged."""
    changed = {figure.label for figure in figures}
    rows = (row if row.title in changed else replace(row, status="unchanged") for row in report.rows)
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
