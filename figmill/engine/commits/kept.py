"""The figures of commits, saved in the repository's `.git` folder, where no commit can put anything.

There is one file per tree, named by a digest of the tree and of the installation that drew it. For a new tree, the
files that were saved last serve as an earlier build, so that only the differing figures are drawn.
"""

from __future__ import annotations

import hashlib
import json
import os
import sys
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from figmill.config import Options
from figmill.engine.commits.checkout import Commit
from figmill.engine.plan import installation
from figmill.host import files
from figmill.store import journal, memory, private
from figmill.store.ledger import Entry, Ledger

FOLDER = "figmill"
MOST = 8  # saved trees
LARGEST = 256 << 20  # bytes of a saved tree


@dataclass(frozen=True, slots=True)
class DrawnTree:
    """A book's figures with their files. has_problems: whether a question could not be read."""

    entries: Mapping[str, Entry]
    svgs: Mapping[str, bytes]
    has_problems: bool = False


class DrawnTrees:
    """The folder of saved trees, for one commit. A damaged file is a miss."""

    def __init__(self, commit: Commit) -> None:
        self.folder = os.path.join(commit.store, FOLDER)
        book = hashlib.sha256(commit.within.encode("utf-8", "surrogateescape")).hexdigest()[:8]
        self._prefix = f"{book}-"
        name = f"{commit.tree}\0{_installed()}"
        self._path = os.path.join(
            self.folder, f"{self._prefix}{hashlib.sha256(name.encode()).hexdigest()[:32]}"
        )

    def of_tree(self) -> DrawnTree | None:
        """The figures of exactly this tree, drawn by this installation."""
        tree = _read(self._path)
        if tree is not None:
            with suppress(OSError):
                files.touch(self._path)
        return tree

    def latest(self) -> DrawnTree | None:
        """The figures that were saved last, of any tree of this book."""
        return next((tree for path in self._paths() if (tree := _read(path)) is not None), None)

    def put(self, tree: DrawnTree) -> None:
        with suppress(OSError):  # the folder is read-only: the next run draws again
            files.own_folder(os.path.dirname(self.folder), FOLDER)
            files.replace_whole(self._path, dumps(tree), lasting=False)
            for path in self._paths()[MOST:]:
                os.unlink(path)
            for name in os.listdir(self.folder):
                files.sweep(os.path.join(self.folder, name))

    def _paths(self) -> list[str]:
        """The files of this book, the latest first."""
        with suppress(OSError):
            entries = [entry for entry in os.scandir(self.folder) if entry.name.startswith(self._prefix)]
            return [e.path for e in sorted(entries, key=lambda e: (-e.stat().st_mtime_ns, e.name))]
        return []


def is_whole(tree: DrawnTree, options: Options) -> bool:
    """Whether the figures depend on nothing but the tree and the installation."""
    traced = {name for entry in tree.entries.values() for name, _ in entry.traced.rows}
    names = {*traced, *options.fonts}
    return not tree.has_problems and not any(
        os.path.isabs(name) or name.startswith(("..", "~")) for name in names
    )


def lay_out(tree: DrawnTree, book: Path) -> None:
    """Put the figures where a build would have put them; links of the checkout are not followed."""
    with suppress(OSError):
        for path, svg in tree.svgs.items():
            folder, name = os.path.split(path)
            files.replace_whole(os.path.join(files.own_folder(book, folder), name), svg, lasting=False)
        private.make(book)
        journal.Journal(book).write(memory.records_of(Ledger(tree.entries)), lasting=False)


def dumps(tree: DrawnTree) -> bytes:
    """A line with the digest of the rest, a line with the sizes, the records of the figures, the SVGs."""
    ledger = journal.packed(memory.records_of(Ledger(tree.entries)))
    sizes = [[path, len(svg)] for path, svg in sorted(tree.svgs.items())]
    rest = json.dumps([len(ledger), sizes]).encode() + b"\n" + ledger
    rest += b"".join(svg for _, svg in sorted(tree.svgs.items()))
    return hashlib.sha256(rest).hexdigest().encode() + b"\n" + rest


def _read(path: str) -> DrawnTree | None:
    try:
        digest, _, rest = files.read(path, LARGEST, follow=False).partition(b"\n")
        if digest.decode() != hashlib.sha256(rest).hexdigest():
            return None
        head, _, body = rest.partition(b"\n")
        at, sizes = json.loads(head)
        entries = memory.ledger_of(journal.lines(body[:at])).entries
        svgs = {}
        for name, size in sizes:
            svgs[name] = body[at : at + size]
            at += size
    except OSError:
        return None
    except (ValueError, TypeError, KeyError, RecursionError):  # damaged, and would stay so
        with suppress(OSError):
            os.unlink(path)
        return None
    return DrawnTree(entries, svgs) if entries or not svgs else None


@cache
def _installed() -> str:
    """A digest of what draws: the interpreter, figmill and its installed libraries."""
    rows = [sys.version, sys.platform]
    for path in installation():
        with suppress(OSError):
            status = os.stat(path)
            rows.append(f"{path} {status.st_size} {status.st_mtime_ns}")
    return hashlib.sha256("\n".join(rows).encode("utf-8", "surrogateescape")).hexdigest()
