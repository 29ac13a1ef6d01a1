"""A book as it is at a commit, laid out in a folder aside; the repository and its index are not touched.

The files have the bytes that were committed: no filter, no line ends, no keyword. The rest of the repository is not
laid out, for a book is drawn from what is in its folder.
"""

from __future__ import annotations

import os
import re
import stat
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from figmill.engine.commits import git
from figmill.engine.commits.git import MissingError, ObjectReader, Objects, Repository, TreeFile
from figmill.errors import ToolError
from figmill.host import files
from figmill.host.trees import DEEPEST
from figmill.render.temp_dirs import Scratch
from figmill.store.links import PRIVATE

MOST_FILES = 200_000
MOST_BYTES = files.DATA
LONGEST = 4096  # bytes of a link


@dataclass(frozen=True, slots=True)
class Commit:
    """What a name in git stands for. tree: the id of all its files; within: the book's folder, with a slash after it.

    store: where git keeps what belongs to this repository on this machine, and never to a commit.
    """

    ref: str
    tree: str
    within: str
    store: str
    repository: Repository


def commit_of(root: Path, ref: str) -> Commit:
    """The commit of this name. Raises ToolError where there is none, or no git."""
    repository = git.repository_of(root)
    within = "".join(f"{name}/" for name in root.relative_to(repository.top).parts)
    return Commit(ref, git.tree_of(repository, ref), within, git.store_of(repository), repository)


@contextmanager
def checked_out(commit: Commit) -> Iterator[Path]:
    """A folder with the book's files at a commit; gone afterwards."""
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
                f"--against {commit.ref}: this clone lacks files of that commit; clone without --filter"
            ) from None
        except CheckoutError as error:
            raise ToolError(f"--against {commit.ref}: {error}") from None
        yield Path(book)


class CheckoutError(Exception):
    """A commit holds what is not laid out."""


def _tree_of_book(objects: Objects, commit: Commit) -> str | None:
    if not commit.within:
        return commit.tree
    entry = objects.entry(commit.tree, commit.within.rstrip("/"))
    if entry is not None and not stat.S_ISDIR(entry.mode):
        raise CheckoutError("the book's folder is no folder at that commit")
    return None if entry is None else entry.digest


def _fit(entries: Iterator[TreeFile]) -> list[TreeFile]:
    """The files of a tree that are laid out. Raises CheckoutError for a tree that no checkout has."""
    found = list(islice(entries, MOST_FILES + 1))
    if len(found) > MOST_FILES:
        raise CheckoutError(f"the book has more than {MOST_FILES:,} files at that commit")
    for entry in found:
        _refuse_name(entry.path)
    return [entry for entry in found if not _is_private(entry.path)]


def _lay_out(entries: list[TreeFile], reader: ObjectReader, book: str) -> None:
    """Write the files of a tree, and the links last: then nothing is written through one."""
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
            if is_submodule:  # a folder, as where it has not been fetched
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
            raise _unwritten(os.path.relpath(path, book), error) from None


def _unwritten(path: str, error: OSError | ValueError) -> CheckoutError:
    if isinstance(error, FileExistsError | NotADirectoryError):
        return CheckoutError(f"{path} and another file have one name on this file system")
    return CheckoutError(f"{path} cannot be laid out: {getattr(error, 'strerror', None) or error}")


def _refuse_name(path: str) -> None:
    """Raise CheckoutError for a path that git itself never checks out, and for what is too deep."""
    names = path.split("/")
    if any(name in ("", ".", "..") or _plain(name) in (".git", "git~1") for name in names):
        raise CheckoutError(f"it holds a file of the name {path}, which no checkout has")
    if sys.platform == "win32" and re.search(r"[\\:]", path):
        raise CheckoutError(f"{path} is no name on this system")
    if len(names) - 2 > DEEPEST:  # a walk counts from a folder of the book, and no file
        raise CheckoutError(f"{path[:80]}... lies too deep: a book has at most {DEEPEST} levels of folders")


def _is_private(path: str) -> bool:
    """Whether a path is figmill's own: a ledger or a cache that somebody has committed says nothing of the figures."""
    return _plain(path.partition("/")[0]) in (PRIVATE, "figmil~1")


# Letters that HFS+ leaves out of a name.
_UNSEEN = re.compile("[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]")


def _plain(name: str) -> str:
    """A name as the file systems take it that tell the fewest names apart."""
    return _UNSEEN.sub("", name).casefold().partition(":")[0].rstrip(" .")
