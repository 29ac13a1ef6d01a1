"""`setup`: write the files that a host needs into the book, and print the lines to add."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

import click

from figmill.commands.environment import root_of
from figmill.errors import ToolError
from figmill.host import files
from figmill.integrations import hosts
from figmill.integrations.hosts import HOSTS, Copy, Lines
from figmill.streams import say

# The state of a file -> the words after writing it, and in a dry run.
WORDS = {"missing": ("wrote", "would write"), "old": ("updated", "is old; would update")}
AWAY = "move it away first, then run this again"


@click.command("setup")
@click.argument("name", metavar="HOST", type=click.Choice(list(HOSTS)))
@click.option(
    "--into",
    type=click.Path(file_okay=False, path_type=Path),
    metavar="DIR",
    help="Where the pages are; default: the book's root.",
)
@click.option("--dry-run", is_flag=True, help="Say what would be written; write nothing.")
@click.pass_obj
def command(root: Path | None, name: str, into: Path | None, dry_run: bool) -> int:  # fmt: skip
    """Write what Sphinx, MkDocs, pandoc or another host needs, and say which lines to add."""
    try:
        place = into or root_of(root)
    except ToolError:  # not in a book yet
        place = Path.cwd()
    host = HOSTS[name]
    states = [(copy, hosts.standing(copy, _there(place, copy))) for copy in host.copies]
    for copy, state in states:
        if state == "foreign":
            raise ToolError(f"{copy.target} is not as figmill wrote it; {AWAY}")
    say(_written(place, states, dry_run))
    for lines in host.lines:
        say(_told(place, lines))
    return 0


def _there(place: Path, copy: Copy) -> bytes | None:
    """What lies where a file is to be written; None: nothing. Raises ToolError for a link, a folder and the like."""
    try:
        return files.read(place / copy.target, files.SETTINGS, follow=False)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise ToolError(f"{copy.target} cannot be written: {error.strerror}; {AWAY}") from None


def _written(place: Path, states: list[tuple[Copy, str]], dry_run: bool) -> Iterator[str]:
    for copy, state in states:
        if state == "current":
            yield f"{copy.target} is up to date"
            continue
        done, would = WORDS[state]
        if dry_run:
            yield f"{copy.target} {would} it" if state == "old" else f"{would} {copy.target}"
            continue
        target = PurePosixPath(copy.target)
        try:
            folder = files.own_folder(place, target.parent.as_posix().removeprefix("."))
            files.replace_ours(os.path.join(folder, target.name), hosts.content(copy), hosts.is_stamped)
        except OSError as error:
            raise ToolError(f"{copy.target} cannot be written: {error.strerror}; {AWAY}") from None
        yield f"{done} {copy.target}"


def _told(place: Path, lines: Lines) -> list[str]:
    """The lines to add, unless the file already mentions figmill."""
    path = place / lines.where
    if path.is_file() and "figmill" in files.read(path, files.SETTINGS).decode("utf-8", "replace"):
        return [f"{lines.where} names figmill already"]
    begin = "In" if lines.where.startswith(("a ", "the ")) else "Add to"
    begin = "On" if lines.where == "the command line" else begin
    return [f"{begin} {lines.where}:", *(f"    {line}".rstrip() for line in lines.text.splitlines())]
