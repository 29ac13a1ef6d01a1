"""The figures of commits, saved in the private folder of the book, so that no commit can put anything there.

There is one file per tree, named by a digest of the tree and of the installation that drew it. For a new tree, the
files that were saved last serve as an earlier build, so that only the differing figures are drawn. A file counts only
in the checkout where it was written, see host/bound.py.
"""

from __future__ import annotations

import hashlib
import json
import os
import sys
from collections.abc import Mapping
from contextlib import suppress
from functools import cache
from pathlib import Path

from figmill.config import Options
from figmill.engine.commits.checkout import Commit
from figmill.engine.keys import installation
from figmill.host import bound, files
from figmill.late_dataclasses import dataclass
from figmill.store import journal, memory, private
from figmill.store.ledger import Entry, Ledger

FOLDER = f"{bound.PRIVATE}/commits"
MOST = 8  # saved trees
LARGEST = 256 << 20  # bytes of a saved tree


@dataclass(frozen=True, slots=True)
class DrawnTree:
    """A book's figures, by name, and their files, by path."""

    entries: Mapping[str, Entry]
    svgs: Mapping[str, bytes]


class DrawnTrees:
    """The folder of saved trees, for one commit of a book. A damaged file is a miss."""

    def __init__(self, root: Path, commit: Commit) -> None:
        self._root = root
        self.folder = os.path.join(root, FOLDER)
        name = f"{commit.within}\0{commit.tree}\0{_installed()}"
        digest = hashlib.sha256(name.encode("utf-8", "surrogateescape")).hexdigest()
        self._path = os.path.join(self.folder, digest[:32])

    def of_tree(self) -> DrawnTree | None:
        """The figures of exactly this tree, drawn by this installation."""
        tree = self._read(self._path)
        if tree is not None:
            with suppress(OSError):
                files.touch(self._path)
        return tree

    def latest(self) -> DrawnTree | None:
        """The figures that were saved last, of any tree of this book."""
        return next((tree for path in self._paths() if (tree := self._read(path)) is not None), None)

    def put(self, tree: DrawnTree) -> None:
        with suppress(OSError):  # the folder is read-only: the next run draws again
            private.make(self._root)
            files.own_folder(self._root, FOLDER)
            data = bound.sealed(bound.bind(self._root), self._name(self._path), dumps(tree))
            files.replace_whole(self._path, data, lasting=False)
            for path in self._paths()[MOST:]:
                os.unlink(path)
            for name in os.listdir(self.folder):
                files.sweep(os.path.join(self.folder, name))

    def _paths(self) -> list[str]:
        """The saved files, the latest first."""
        with suppress(OSError):
            entries = [entry for entry in os.scandir(self.folder) if not entry.name.startswith(".")]
            return [e.path for e in sorted(entries, key=lambda e: (-e.stat().st_mtime_ns, e.name))]
        return []

    def _name(self, path: str) -> str:
        return f"{FOLDER}/{os.path.basename(path)}"

    def _read(self, path: str) -> DrawnTree | None:
        try:
            data = files.read(path, LARGEST, follow=False)
            content = bound.opened(bound.key_of(self._root), self._name(path), data)
            return None if content is None else _loaded(content)
        except OSError:
            return None


def is_whole(tree: DrawnTree, options: Options) -> bool:
    """Whether the figures depend on nothing but the tree and the installation."""
    traced = {name for entry in tree.entries.values() for name, _ in entry.traced.rows}
    names = {*traced, *options.fonts}
    return not any(os.path.isabs(name) or name.startswith(("..", "~")) for name in names)


def lay_out(tree: DrawnTree, book: Path) -> None:
    """Put the figures where a build would have put them; links of the checkout are not followed."""
    with suppress(OSError):
        for path, svg in tree.svgs.items():
            folder, name = os.path.split(path)
            files.replace_whole(os.path.join(files.own_folder(book, folder), name), svg, lasting=False)
        private.make(book)
        journal.Journal(book).write(memory.records_of(Ledger(tree.entries)), lasting=False)


def dumps(tree: DrawnTree) -> bytes:
    """A line with the sizes, then the records of the figures, then the SVGs."""
    ledger = journal.packed(memory.records_of(Ledger(tree.entries)))
    sizes = [[path, len(svg)] for path, svg in sorted(tree.svgs.items())]
    head = json.dumps([len(ledger), sizes]).encode() + b"\n"
    return head + ledger + b"".join(svg for _, svg in sorted(tree.svgs.items()))


def _loaded(content: bytes) -> DrawnTree | None:
    """The inverse of `dumps`; None for what an earlier version wrote otherwise."""
    try:
        head, _, body = content.partition(b"\n")
        at, sizes = json.loads(head)
        entries = memory.ledger_of(journal.lines(body[:at])).entries
        svgs = {}
        for name, size in sizes:
            svgs[name] = body[at : at + size]
            at += size
    except (ValueError, TypeError, KeyError, RecursionError):
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
