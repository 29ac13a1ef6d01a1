"""Check a book out at a commit, into a folder of its own; the repository and its index are not touched.

The files have the committed bytes: no filter, line ending or keyword is applied. The rest of the repository is not
checked out, since a book is drawn only from its own folder.
"""

from __future__ import annotations

import os
import re
import stat
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import islice
from pathlib import Path

from figmill.engine.commits import git
from figmill.engine.commits.git import MissingError, ObjectReader, Objects, Repository, TreeFile
from figmill.errors import ToolError
from figmill.host import files
from figmill.host.inside import plain
from figmill.host.trees import DEEPEST
from figmill.late_dataclasses import dataclass
from figmill.paths import relative
from figmill.render.temp_dirs import Scratch
from figmill.store.links import PRIVATE

MOST_FILES = 200_000
MOST_BYTES = files.DATA
LONGEST = 4096  # bytes of a link


@dataclass(frozen=True, slots=True)
class Commit:
    """A resolved commit.

    - tree: the id of all its files.
    - within: the book's folder, followed by a slash.
    - store: git's folder for data of this repository on this machine, which is never part of a commit.
    """

    ref: str
    tree: str
    within: str
    store: str
    repository: Repository


def commit_of(root: Path, ref: str) -> Commit:
    """The commit of this name. Raises ToolError if there is no such commit, or no git."""
    repository = git.repository_of(root)
    within = "".join(f"{name}/" for name in root.relative_to(repository.top).parts)
    return Commit(ref, git.tree_of(repository, ref), within, git.store_of(repository), repository)


@contextmanager
def checked_out(commit: Commit) -> Iterator[Path]:
    """A folder with the book's files at a commit; removed afterwards."""
    with Scratch() as place:
        own, book = (files.new_folder(os.path.join(place, name)) for name in ("git", "tree"))
        objects = Objects(commit.repository, commit.store, commit.tree, own)
        try:
            tree = _tree_of_book(objects, commit)
            if tree is not None:  # a commit before the book began has none
                entries = _fit(objects.files(tree))
                with objects.reader() as reader:
                    _lay_out(entries, reader, book)
        except MissingError:
            raise ToolError(
                f"commit {commit.ref}: this clone lacks files of that commit; clone without --filter"
            ) from None
        except CheckoutError as error:
            raise ToolError(f"commit {commit.ref}: {error}") from None
        yield Path(book)


class CheckoutError(Exception):
    """A commit holds a file that figmill does not check out."""


def _tree_of_book(objects: Objects, commit: Commit) -> str | None:
    if not commit.within:
        return commit.tree
    entry = objects.entry(commit.tree, commit.within.rstrip("/"))
    if entry is not None and not stat.S_ISDIR(entry.mode):
        raise CheckoutError("the book's folder is not a folder at that commit")
    return None if entry is None else entry.digest


def _fit(entries: Iterator[TreeFile]) -> list[TreeFile]:
    """The files of a tree to check out. Raises CheckoutError if no checkout could have such a tree."""
    files = list(islice(entries, MOST_FILES + 1))
    if len(files) > MOST_FILES:
        raise CheckoutError(f"the book has more than {MOST_FILES:,} files at that commit")
    for entry in files:
        _refuse_name(entry.path)
    return [entry for entry in files if not _is_private(entry.path)]


def _lay_out(entries: list[TreeFile], reader: ObjectReader, book: str) -> None:
    """Write the files of a tree, then the links, so that nothing is written through a link."""
    links: dict[str, str] = {}
    folders = {""}
    room = MOST_BYTES
    for entry in entries:
        is_submodule = not (stat.S_ISREG(entry.mode) or stat.S_ISLNK(entry.mode))
        try:
            folder = entry.path if is_submodule else os.path.dirname(entry.path)
            if folder not in folders:
                files.own_folder(book, folder)
                folders.add(folder)
            if is_submodule:  # becomes an empty folder, as if it were not fetched
                continue
            size, pieces = reader.content(entry.digest)
            room -= size
            if room < 0:
                raise CheckoutError(f"the book has more than {MOST_BYTES:,} bytes at that commit")
            path = os.path.join(book, entry.path)
            if not stat.S_ISLNK(entry.mode):
                files.create_of(path, pieces, runs=bool(entry.mode & 0o100))
            elif size > LONGEST:
                raise CheckoutError(f"{entry.path} is a link of {size:,} bytes")
            else:
                links[path] = os.fsdecode(b"".join(pieces))
        except OSError as error:
            raise _unwritten(entry.path, error) from None
    for path, target in links.items():
        try:
            files.link(path, target)
        except (OSError, ValueError) as error:
            raise _unwritten(relative(path, book), error) from None


def _unwritten(path: str, error: OSError | ValueError) -> CheckoutError:
    if isinstance(error, FileExistsError | NotADirectoryError):
        return CheckoutError(f"{path} and another file have the same name on this file system")
    return CheckoutError(f"{path} cannot be laid out: {getattr(error, 'strerror', None) or error}")


def _refuse_name(path: str) -> None:
    """Raise CheckoutError for a path that git itself never checks out, or that is too deep."""
    names = path.split("/")
    if any(name in ("", ".", "..") or plain(name) in (".git", "git~1") for name in names):
        raise CheckoutError(f"it contains a file called {path}, which git never checks out")
    if sys.platform == "win32" and re.search(r"[\\:]", path):
        raise CheckoutError(f"{path} is not a valid name on this system")
    if len(names) - 2 > DEEPEST:  # a walk counts from a folder of the book, and does not count the file
        raise CheckoutError(f"{path[:80]}... is too deep: a book has at most {DEEPEST} levels of folders")


def _is_private(path: str) -> bool:
    """Whether a path is figmill's own: a journal or a cache that somebody committed is not used."""
    return plain(path.partition("/")[0]) in (PRIVATE, "figmil~1")
