"""`setup`: write the files that a host needs into the book, and add its lines, or print them."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from difflib import unified_diff
from functools import partial
from pathlib import Path, PurePosixPath

import click

from figmill.commands.environment import root_of
from figmill.errors import ToolError
from figmill.fastpath import CONFIGURATION
from figmill.host import files
from figmill.integrations import copies, hosts
from figmill.integrations.configuration import UnsafeChangeError
from figmill.integrations.copies import Copy, CopyState
from figmill.integrations.hosts import HOSTS, Lines
from figmill.model import Fact
from figmill.store.memory import Memory
from figmill.streams import say

# The state of a file -> the text of the report after writing it, and in a dry run.
WRITTEN = {
    CopyState.MISSING: ("wrote", "would write"),
    CopyState.OLD: ("updated", "is old; would update"),
}
AWAY = "move it away first, then run this again"


@click.command("setup")
@click.argument("name", metavar="HOST", type=click.Choice(list(HOSTS)))
@click.option(
    "--into",
    type=click.Path(file_okay=False, path_type=Path),
    metavar="DIR",
    help="Where the pages are; default: the book's root.",
)
@click.option(
    "--apply", "applies", is_flag=True, help="Also add the lines to the host's own files; shows the changes."
)
@click.option("--dry-run", is_flag=True, help="Show what would be written; write nothing.")
@click.pass_obj
def command(root: Path | None, name: str, into: Path | None, applies: bool, dry_run: bool) -> int:
    """Write what Sphinx, MkDocs, Quarto or another host needs.

    Prints the lines to add.
    """
    example: tuple[str, str] | None = None
    try:
        book = root_of(root)
        place, example = into or book, _example(book)
    except ToolError:  # not in a book yet
        place = into or Path.cwd()
    say([f"Install: pip install {_quoted(hosts.host_of(name, _has(place)).needs)}"])
    say(set_up(place, name, example, applies=applies, dry_run=dry_run))
    return 0


def set_up(
    place: Path,
    name: str,
    example: tuple[str, str] | None,
    *,
    applies: bool,
    dry_run: bool,
    least: bool = False,
) -> Iterator[str]:
    """Write what a host needs; what was done, and the lines that the author has to add. Raises ToolError.

    least: only what shows the figures of pages that stay as they are.
    """
    host = hosts.host_of(name, _has(place))
    states = [(copy, copies.state_of(copy, _content(place, copy))) for copy in host.copies]
    for copy, state in states:
        if state is CopyState.FOREIGN:
            ours = copies.is_stamped(_content(place, copy) or b"")
            why = "differs from what figmill wrote" if ours else "was not written by `figmill setup`"
            raise ToolError(f"{copy.target} {why}; {AWAY}")
    yield from _written(place, states, dry_run)
    for lines in host.lines:
        if least and lines.where == "a page":
            continue
        lines = replace(lines, added=lines.least or lines.added) if least else lines
        done = _applied(place, lines, dry_run) if applies and lines.added else None
        yield from _instructions(place, lines, example) if done is None else done


def _has(place: Path) -> Callable[[str], bool]:
    return lambda file: (place / file).is_file()


def _quoted(needs: str) -> str:
    return " ".join(f"'{name}'" if "[" in name else name for name in needs.split())


def _example(root: Path) -> tuple[str, str] | None:
    """The id of a built figure of the book, and a number that it states, with its format; None if none is built."""
    entries = Memory(root).ledger().entries.values()
    shown = [
        (rank, entry.published.label, name)
        for entry in entries
        for rank, name in [_number(entry.published.facts)]
    ]
    return next(((label, name + ":.2f" * (rank == 0)) for rank, label, name in sorted(shown)), None)


def _number(facts: Mapping[str, Fact]) -> tuple[int, str]:
    """The rank and the name of the best example of a numeric fact: 0 for a float, 1 for an integer, 2 for none."""
    ranks = ((0, float), (1, int))
    named = ((rank, name) for rank, kind in ranks for name, fact in facts.items() if type(fact) is kind)
    return next(named, (2, ""))


def _content(place: Path, copy: Copy) -> bytes | None:
    """The content of the file that is to be written; None if there is none. Raises ToolError for a link or a folder."""
    try:
        return files.read(place / copy.target, files.SETTINGS, follow=False)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise ToolError(f"{copy.target} cannot be written: {error.strerror}; {AWAY}") from None


def _written(place: Path, states: list[tuple[Copy, CopyState]], dry_run: bool) -> Iterator[str]:
    for copy, state in states:
        if state is CopyState.CURRENT:
            yield f"{copy.target} is up to date"
            continue
        done, would = WRITTEN[state]
        if dry_run:
            yield f"{copy.target} {would} it" if state is CopyState.OLD else f"{would} {copy.target}"
            continue
        target = PurePosixPath(copy.target)
        try:
            folder = files.own_folder(place, target.parent.as_posix().removeprefix("."))
            path = os.path.join(folder, target.name)
            there = _content(place, copy)
            ours = there is not None and copies.is_ours(copy, there)
            files.replace_ours(
                path, copies.content(copy), copies.is_stamped if not ours else partial(_is_same, there)
            )
        except OSError as error:
            raise ToolError(f"{copy.target} cannot be written: {error.strerror}; {AWAY}") from None
        yield f"{done} {copy.target}"


def _is_same(there: bytes | None, begin: bytes) -> bool:
    """Whether a file still begins as the one that was read."""
    return there is not None and there.startswith(begin)


def _file(place: Path, lines: Lines) -> str:
    """The file that the lines are for, by its path in the folder: the first of its places that exists."""
    return next((name for name in (lines.where, *lines.places) if (place / name).is_file()), lines.where)


def _applied(place: Path, lines: Lines, dry_run: bool) -> list[str] | None:
    """Add lines to a file of the host; returns what to print. None: the author has to add them."""
    name = _file(place, lines)
    path = place / name
    assert lines.added is not None
    try:
        before = files.read(path, files.SETTINGS, follow=False)
    except FileNotFoundError:
        before = None
    except OSError as error:
        say([f"{name} is left as it is: {error.strerror}"])
        return None
    try:
        old = (before or b"").decode("utf-8")
        new = lines.added(old)
    except UnicodeDecodeError:
        say([f"{name} is left as it is: it is not in UTF-8"])
        return None
    except UnsafeChangeError as error:
        say([f"{name} is left as it is: {error}"])
        return None
    if new == old:
        return [f"{name} already names figmill"]
    # a host's own file may hold more than figmill knows
    if before is None and not lines.is_whole and name not in CONFIGURATION:
        say([f"there is no {name} yet"])
        return None
    diff = unified_diff(old.splitlines(), new.splitlines(), f"a/{name}", f"b/{name}", n=2, lineterm="")
    if not dry_run:
        try:
            if before is None:
                folder = PurePosixPath(name).parent.as_posix()
                files.own_folder(place, "" if folder == "." else folder)
                files.create(os.fspath(path), new.encode())
            elif not files.rewrite(os.fspath(path), before, new.encode()):
                raise ToolError(f"{name} was changed meanwhile; run this again", code=1)
        except OSError as error:
            raise ToolError(f"{name} cannot be written: {error.strerror}", code=1) from error
    return [f"would change {name}:" if dry_run else f"changed {name}:", *(f"    {row}" for row in diff)]


def _instructions(place: Path, lines: Lines, example: tuple[str, str] | None) -> list[str]:
    """The lines to add, unless the file already mentions figmill."""
    name = _file(place, lines)
    path = place / name
    if path.is_file() and "figmill" in files.read(path, files.SETTINGS).decode("utf-8", "replace"):
        return [f"{name} already names figmill"]
    begin = "In" if lines.where.startswith(("a ", "the ")) else "Add to"
    begin = "On" if lines.where == "the command line" else begin
    text = _with_example(lines.text, example) if begin in ("In", "On") else lines.text
    return [f"{begin} {name}:", *(f"    {line}".rstrip() for line in text.splitlines())]


def _with_example(text: str, example: tuple[str, str] | None) -> str:
    """Lines of a page with a figure and a fact of the book, if there are any."""
    if example is None:
        return text
    label, fact = example
    if not fact:  # a sentence with a fact would be wrong
        text = "\n".join(line for line in text.splitlines() if "FACT" not in line).rstrip()
    name, _, form = fact.partition(":")
    if not form:  # LaTeX and Jekyll write it apart from the name
        text = text.replace("[.2f]", "").replace(' form=".2f"', "")
    text = re.sub(r"\bFACT:\.2f\b", lambda _: fact, text)
    return re.sub(r"\bFACT\b", lambda _: name, re.sub(r"\bID\b", lambda _: label, text))
