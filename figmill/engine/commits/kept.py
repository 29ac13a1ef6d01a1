"""What was drawn of a commit, kept in git's own folder of this repository: no commit can put anything there.

A file for each tree of files, named by its digest together with the installation that drew it. Of another tree, what
was drawn last is laid out like an earlier build of it, so that only those figures are drawn that differ.
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
MOST = 8  # trees that are kept
LARGEST = 256 << 20  # bytes of one


@dataclass(frozen=True, slots=True)
class DrawnTree:
    """A book's figures with their files. has_problems: whether a question could not be read."""

    entries: Mapping[str, Entry]
    svgs: Mapping[str, bytes]
    has_problems: bool = False


class DrawnTrees:
    """The folder of what is kept, for one commit. A damaged file is a miss; what cannot be written is not kept."""

    def __init__(self, commit: Commit) -> None:
        self.folder = os.path.join(commit.store, FOLDER)
        book = hashlib.sha256(commit.within.encode("utf-8", "surrogateescape")).hexdigest()[:8]
        self._prefix = f"{book}-"
        name = f"{commit.tree}\0{_installed()}"
        self._path = os.path.join(
            self.folder, f"{self._prefix}{hashlib.sha256(name.encode()).hexdigest()[:32]}"
        )

    def of_tree(self) -> DrawnTree | None:
        """What was drawn of exactly this tree, by this installation."""
        found = _read(self._path)
        if found is not None:
            with suppress(OSError):
                files.touch(self._path)
        return found

    def latest(self) -> DrawnTree | None:
        """What was drawn last, of whatever tree of this book."""
        return next((found for path in self._paths() if (found := _read(path)) is not None), None)

    def put(self, found: DrawnTree) -> None:
        with suppress(OSError):  # a folder that is read-only: the next run draws again
            files.own_folder(os.path.dirname(self.folder), FOLDER)
            files.replace_whole(self._path, dumps(found), lasting=False)
            for path in self._paths()[MOST:]:
                os.unlink(path)
            for name in os.listdir(self.folder):
                files.sweep(os.path.join(self.folder, name))

    def _paths(self) -> list[str]:
        """The files of this book, the latest first."""
        with suppress(OSError):
            found = [entry for entry in os.scandir(self.folder) if entry.name.startswith(self._prefix)]
            return [e.path for e in sorted(found, key=lambda e: (-e.stat().st_mtime_ns, e.name))]
        return []


def is_whole(found: DrawnTree, options: Options) -> bool:
    """Whether the tree and the installation are all that the figures came from."""
    read = {name for entry in found.entries.values() for name, _ in entry.traced.rows}
    names = {*read, *options.fonts}
    return not found.has_problems and not any(
        os.path.isabs(name) or name.startswith(("..", "~")) for name in names
    )


def lay_out(found: DrawnTree, book: Path) -> None:
    """Put what was drawn where a build would have left it; links of the checkout are not followed."""
    with suppress(OSError):
        for path, svg in found.svgs.items():
            folder, name = os.path.split(path)
            files.replace_whole(os.path.join(files.own_folder(book, folder), name), svg, lasting=False)
        private.make(book)
        journal.Journal(book).write(memory.records_of(Ledger(found.entries)), lasting=False)


def dumps(found: DrawnTree) -> bytes:
    """A line with the digest of the rest, a line with the sizes, the records of the figures, the SVGs."""
    ledger = journal.packed(memory.records_of(Ledger(found.entries)))
    sizes = [[path, len(svg)] for path, svg in sorted(found.svgs.items())]
    rest = json.dumps([len(ledger), sizes]).encode() + b"\n" + ledger
    rest += b"".join(svg for _, svg in sorted(found.svgs.items()))
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
    except (ValueError, TypeError, KeyError, RecursionError):  # damaged: it would be so each time
        with suppress(OSError):
            os.unlink(path)
        return None
    return DrawnTree(entries, svgs) if entries or not svgs else None


@cache
def _installed() -> str:
    """What draws: the interpreter, figmill and its libraries, as they lie here."""
    rows = [sys.version, sys.platform]
    for path in installation():
        with suppress(OSError):
            status = os.stat(path)
            rows.append(f"{path} {status.st_size} {status.st_mtime_ns}")
    return hashlib.sha256("\n".join(rows).encode("utf-8", "surrogateescape")).hexdigest()
