"""`add`: bring in existing files. The pages of a site, drawings, or a code block that moves to a file of its own."""

from __future__ import annotations

import glob
import os
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

import click

from figmill import config
from figmill.commands import import_
from figmill.commands.add_pages import AddOptions, add_pages, survey
from figmill.commands.adopt import adopt
from figmill.commands.drawing_files import paths_of
from figmill.commands.environment import root_of
from figmill.commands.options import JOBS
from figmill.errors import ToolError
from figmill.fastpath import ONLY_PAGES, PAGES, rows
from figmill.streams import say

_BLOCK = re.compile(rf"(?P<page>.+(?:{'|'.join(map(re.escape, PAGES))})):(?P<line>\d+)(?::\d+)?")


@click.command("add")
@click.argument("given", metavar="PATH...", nargs=-1, required=True)
@click.option("--id", "id_", metavar="ID", help="The id of the question, for one drawing or code block.")
@click.option("--track", help="The track of the questions; default: as for `new`.")
@click.option("--fix", "fixes", is_flag=True, help="Also repair the drawings, as `lint --fix` does.")
@click.option("--no-setup", is_flag=True, help="Leave the files of the host alone.")
@click.option("--dry-run", is_flag=True, help="Show what would change and what is found; write nothing.")
@JOBS
@click.pass_obj
def command(
    root: Path | None,
    given: tuple[str, ...],
    id_: str | None,
    track: str | None,
    fixes: bool,
    no_setup: bool,
    dry_run: bool,
    jobs: int,
) -> int:
    """Bring in the pages of a site, drawings, or a code block.

    \b
    PATH             what becomes of it
    pages, a folder  their images and code blocks become figures, by settings:
                     no page changes
    drawings         a question for each, with a still copy as its source
    PAGE:LINE        the code block moves to files, and the page refers to them

    Nothing is written over; but --fix repairs the drawings of the pages where they are.
    """
    book = _book(root)
    pages, blocks, drawings = _sorted(book, given)
    if id_ is not None and len(blocks) + len(drawings) != 1:
        raise click.UsageError("--id is for one drawing or one code block")
    code = 0
    for block in blocks:
        code |= adopt(root_of(root), block, id_, track, dry_run)
    if drawings:
        left, alts = _not_shown(book, drawings)
        if left:
            code |= import_.bring_in(book, left, id_, import_.ImportOptions(track, dry_run, fixes, alts))
    if pages:
        code |= add_pages(book, pages, AddOptions(dry_run, fixes, not no_setup, jobs))
    return code


def _book(root: Path | None) -> Path:
    try:
        return root_of(root)
    except ToolError:  # not in a book yet
        if root is not None:
            raise
        return Path.cwd()


def _sorted(book: Path, given: Sequence[str]) -> tuple[list[str], list[str], list[str]]:
    """The pages and their folders by their paths in the book, the code blocks, and the drawings.

    Raises ToolError for what is none of these.
    """
    pages: list[str] = []
    blocks: list[str] = []
    drawings: list[str] = []
    for name in _globbed(given):
        if _BLOCK.fullmatch(name):
            blocks.append(name)
        elif (name.endswith(PAGES) and os.path.isfile(name)) or (
            os.path.isdir(name) and _has_pages(book, name)
        ):
            pages.append(_inside(book, name))
        elif os.path.isfile(name) or os.path.isdir(name):
            drawings.append(name)
        else:
            raise ToolError(f"{name}: there is no such file or folder")
    return pages, blocks, drawings


def _not_shown(book: Path, drawings: Sequence[str]) -> tuple[list[str], dict[str, str]]:
    """The drawings that no figure uses yet, and the alt text that a page has for one."""
    options = config.load(book, is_new=True)
    shown = {each.file: each for each in reversed(survey(book, ["."]).images) if each.file}
    left: list[str] = []
    alts: dict[str, str] = {}
    for name in paths_of(drawings):
        path = Path(name).resolve()
        inside = path.is_relative_to(book.resolve()) and path.relative_to(book.resolve()).as_posix()
        use = shown.get(inside or "")
        if use and use.suffix in options.images and _is_below(use.page, options.page_folders):
            say([f"{name} is a figure already: {use.at} shows it"])
            continue
        left.append(name)
        if use and use.image.alt:
            alts[name] = re.sub(r"[{}]", r"\g<0>\g<0>", use.image.alt)
            say([f"{use.at} shows {name}; its alt text goes into the question"])
    return left, alts


def _is_below(page: str, folders: Sequence[str]) -> bool:
    return any(folder == "." or page.startswith(f"{folder}/") for folder in folders)


def _globbed(given: Sequence[str]) -> Iterator[str]:
    """The paths, with globs resolved that no shell has resolved. Raises ToolError for one without a match."""
    for name in given:
        if os.path.lexists(name) or not glob.has_magic(name):
            yield name
            continue
        paths = sorted(glob.glob(name, recursive=True))
        if not paths:
            raise ToolError(f"{name}: no file matches")
        yield from paths


def _inside(book: Path, name: str) -> str:
    """A path in the book. Raises ToolError for another one."""
    path = Path(name).resolve()
    if not path.is_relative_to(book.resolve()):
        raise ToolError(f"{name} is outside the book {book}; run this in a folder that holds it")
    return path.relative_to(book.resolve()).as_posix()


def _has_pages(book: Path, name: str) -> bool:
    folder = _inside(book, name) if Path(name).resolve().is_relative_to(book.resolve()) else ""
    return bool(folder and rows(str(book), [f"{folder}{ONLY_PAGES}"]))
