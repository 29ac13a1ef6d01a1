"""Changed figures of a build or between two versions, shown as a page, as Markdown and by an exit code."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from figmill.compare import pictures
from figmill.compare.change_page import is_page, page
from figmill.compare.comparisons import Comparisons
from figmill.compare.figures import Compared, compared, with_words
from figmill.compare.markdown import NONE, SHOWN, Paths, PicturePaths, markdown, picture
from figmill.compare.merged import merged
from figmill.compare.states import theme_of
from figmill.config import Options
from figmill.engine.outputs import is_published
from figmill.engine.request import Request
from figmill.errors import ToolError
from figmill.exit_codes import DIFFERS, WELL
from figmill.host import files
from figmill.palette import ROLES, Role
from figmill.report.model import Report
from figmill.streams import complain, hand_over, say

__all__ = ["code", "figures_of", "show", "title_of", "with_words"]
STEP_SUMMARY = "GITHUB_STEP_SUMMARY"


def figures_of(
    report: Report, root: Path, options: Options, request: Request
) -> tuple[Report, list[Compared]]:
    """The figures that differ, and the report with one row for each renamed figure.

    Raises ToolError if the request needs pixels, and they cannot be compared here; other requests go without.
    """
    if not has_pixels(request):
        return compared(report, (), request.jobs, has_pixels=False)
    fonts = [root / name for name in options.fonts]
    comparisons = Comparisons(root, fonts)
    differences = compared(report, fonts, request.jobs, comparisons)
    comparisons.keep()
    return differences


def has_pixels(request: Request) -> bool:
    """Whether pixels can be compared here. Raises ToolError if they cannot, and the request needs them."""
    if request.needs_pixels:
        pictures.require()
    elif not pictures.is_there():
        complain(f"figmill: the changes in words alone: {pictures.LACKING}")
        return False
    return True


def show(
    report: Report,
    figures: Sequence[Compared],
    request: Request,
    title: str,
    paths: Paths = NONE,
    root: Path | None = None,
    options: Options | None = None,
) -> None:
    """Write the requested page, pictures and summaries. root, options: of the book; None: there is no book."""
    palette = ROLES if options is None else options.palette
    if request.pictures is not None:
        fonts = [root / name for name in options.fonts] if root and options else []
        paths = _laid_out(request.pictures, figures, palette, fonts)
    whole = report.figures
    if request.report is not None:
        text = page(figures, whole, title, palette)
        try:
            files.replace_ours(os.fspath(request.report), text.encode(), is_page)
        except OSError as error:
            raise ToolError(f"--report {request.report}: {error.strerror or error}") from None
        if request.form == "text" and not request.quiet:
            say(
                [
                    f"{'1 figure is' if len(figures) == 1 else f'{len(figures)} figures are'} shown in {request.report}"
                ]
            )
    if request.form == "markdown":
        hand_over(markdown(figures, whole, paths).rstrip("\n"))
    if request.summary:
        place = os.environ.get(STEP_SUMMARY)
        if not place:
            complain(f"figmill: --summary wrote nothing, because ${STEP_SUMMARY} is not set")
            return
        try:
            files.append(place, markdown(figures, whole, paths).encode())
        except OSError as error:
            raise ToolError(f"--summary: cannot write {place}: {error.strerror or error}") from None


def _laid_out(
    folder: Path, figures: Sequence[Compared], palette: Sequence[Role], fonts: Sequence[Path]
) -> dict[str, PicturePaths]:
    """Write the pictures of each figure in the Markdown; returns their places by the path of the SVG."""
    places = {}
    try:
        files.own_folder(folder)
        for figure in figures[:SHOWN]:
            change = picture(figure)
            if change is None or change.before is None or change.after is None:
                continue
            theme = theme_of(change)
            name = f"{figure.label}.dark" if theme == "dark" else figure.label
            paths = [folder / f"{name}.{side}.svg" for side in ("before", "after")]
            for path, data in zip(paths, (change.before, change.after), strict=True):
                files.replace_ours(os.fspath(path), data, is_published)
            places[change.target] = PicturePaths(paths[0].as_posix(), paths[1].as_posix())
            both = merged(change.before, change.after, theme, palette)
            if both is not None:
                path = folder / f"{name}.change.png"
                files.replace_ours(os.fspath(path), pictures.png(both.svg, theme, fonts), pictures.is_png)
                places[change.target] = replace(
                    places[change.target], change=path.as_posix(), legend=both.legend
                )
    except OSError as error:
        which = f"{error.filename}: " if isinstance(error, files.ForeignError) else ""
        raise ToolError(f"--pictures {folder}: {which}{error.strerror or error}") from None
    return places


def code(report: Report, figures: Sequence[Compared], request: Request) -> int:
    """The exit code, ignoring invisible changes if the request says so."""
    if not request.ignore_invisible or report.code != DIFFERS:
        return report.code
    changed = {figure.label for figure in figures if figure.is_seen}
    others = [row for row in report.rows if row.status.is_difference and row.id is None]
    return DIFFERS if changed or others else WELL


def title_of(request: Request) -> str:
    """The heading of a page: what is compared with what."""
    if request.compares_commits:
        return f"Figures changed in {request.against}"
    if request.against:
        return f"Figures changed since {request.against}"
    return (
        "Figures that a build would change"
        if request.dry_run or request.check
        else "Figures that this build changed"
    )
