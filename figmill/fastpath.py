"""The answer for a book in which nothing at all has changed: from stats alone, before anything is loaded.

What lies between an unchanged book and its answer is this module, so it imports next to nothing. It knows no
questions and no figures, only which folders to walk, which further paths to look at, and their sizes, times and
inodes. Any doubt means no answer, and the build looks properly.
"""

from __future__ import annotations

import os
import stat
import sys
import time

from figmill import streams
from figmill.host import files

TYPE_CHECKING = False  # loading `typing` would take a tenth of the time
if TYPE_CHECKING:
    from typing import NoReturn

PATH = os.path.join(".figmill", "snapshot")
VERSION = "3"
CONFIGURATION = ("figmill.toml", "pyproject.toml")
# A file changed within this time of being looked at may be changed again with the same time stamp.
RACY_NS = 20_000_000


def plain(words: list[str]) -> tuple[str | None, bool] | None:
    """The root, if it is given, and whether to be quiet; None where more is asked than that."""
    root, quiet = None, False
    left = iter(words)
    for word in left:
        if word in ("-q", "--quiet"):
            quiet = True
        elif word == "--root" and (root := next(left, None)) is not None:
            continue
        else:
            return None
    return root, quiet


def answered(root: str | None, quiet: bool, forms: frozenset[str] = frozenset()) -> tuple[bool, Seen | None]:
    """Whether nothing has changed, which is said then; and what was seen of the book on the way.

    root: None: found from here. forms: that are asked for beside SVG.
    """
    found = find(os.getcwd()) if root is None else os.path.realpath(root)
    if found is None:
        return False, None
    known, seen = answer(found, forms)
    if known is None:
        return False, seen
    figures, warnings = known
    streams.complain(*warnings)
    if not quiet:
        streams.say([summary(figures)])
    return True, seen


def leave(code: int) -> NoReturn:
    """End the process: taking ten thousand questions apart at its end would take as long as its start."""
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except (OSError, ValueError):  # told before, or closed by whoever reads
            pass
    os._exit(code)


def find(start: str) -> str | None:
    """The nearest folder upwards with a snapshot, if it is surely the book that a build here would be of."""
    folder = os.path.realpath(start)
    while True:
        if os.path.exists(os.path.join(folder, PATH)):
            return folder
        doubtful = ("questions", *CONFIGURATION)
        parent = os.path.dirname(folder)
        if parent == folder or any(os.path.exists(os.path.join(folder, name)) for name in doubtful):
            return None
        folder = parent


# Path below the root, size, mtime in ns, inode, ctime in ns, whether a link. An mtime can be set back; a ctime cannot.
Row = tuple[str, int, int, int, int, bool]


class Seen:
    """Every file below some folders, as it was at one moment."""

    __slots__ = ("folders", "rows")

    def __init__(self, folders: list[str], rows: list[Row]) -> None:
        self.folders, self.rows = folders, rows


def look(root: str, folders: list[str]) -> Seen:
    return Seen(folders, rows(root, folders))


def answer(
    root: str, forms: frozenset[str] = frozenset()
) -> tuple[tuple[int, list[str]] | None, Seen | None]:
    """The number of figures, all fresh, and their warnings; None where anything may have changed.

    forms: those that are asked for beside SVG, such as `png@2.0`; None where they are not all there, either.
    Also what was seen on the way, which a build need not look at again.
    """
    seen = None
    try:
        text = files.read(os.path.join(root, PATH)).decode("utf-8", "surrogateescape")
        version, *kept = text.split(SECTION)
        if version != VERSION:
            return None, None
        *lists, others, sources = kept
        known_forms, figures, warnings, folders, also = map(_items, lists)
        if any(os.path.isabs(folder) or ".." in folder.split("/") for folder in folders):
            return None, None  # forged: nothing outside the book is walked
        seen = look(root, folders)
        if not forms <= set(known_forms):
            return None, seen
        if state(seen.rows) != sources or state_of(root, also) != others:
            return None, seen
        return (int(figures[0]), warnings), seen
    except (OSError, ValueError, IndexError):
        return None, seen


def rows(root: str, folders: list[str]) -> list[Row]:
    """Every file below the folders; size -1: a folder, or whatever is no regular file. Hidden ones are passed over.

    Raises OSError where a folder is there and cannot be read: that is not the same as an empty one.
    """
    found: list[Row] = []
    waiting = list(folders)
    while waiting:
        folder = waiting.pop()
        found.append((folder, -1, 0, 0, 0, False))
        try:
            entries = os.scandir(os.path.join(root, folder))
        except (FileNotFoundError, NotADirectoryError):
            continue
        with entries:
            for entry in entries:
                name = entry.name
                if name[0] == "." or name == "__pycache__":
                    continue
                path = f"{folder}/{name}"
                if entry.is_dir(follow_symlinks=False):
                    waiting.append(path)
                    continue
                is_link = entry.is_symlink()
                try:
                    status = entry.stat()
                except OSError:  # a link that leads nowhere
                    found.append((path, -1, 0, 0, 0, is_link))
                    continue
                if stat.S_ISREG(status.st_mode):
                    times = status.st_mtime_ns, status.st_ino, status.st_ctime_ns
                    found.append((path, status.st_size, *times, is_link))
                else:
                    found.append((path, -1, 0, 0, 0, is_link))
    found.sort()
    return found


def state(found: list[Row]) -> str:
    """All of it as one text."""
    return "\n".join(
        [f"{path}\0{size}\0{mtime}\0{inode}\0{ctime}" for path, size, mtime, inode, ctime, _ in found]
    )


def state_of(root: str, paths: list[str]) -> str:
    """The same of single paths, also of those that are not there; a folder counts with its listing."""
    seen = [sys.version, sys.prefix, sys.platform]
    for path in paths:
        try:
            status = os.stat(os.path.join(root, path))
        except (OSError, ValueError):
            seen.append(f"{path}\0absent")
            continue
        seen.append(f"{path}\0{status.st_size}\0{status.st_mtime_ns}\0{status.st_ino}\0{status.st_ctime_ns}")
    return "\n".join(seen)


def summary(figures: int) -> str:
    """The one line that a build of a fresh book has to say."""
    count = "1 figure" if figures == 1 else f"{figures} figures"
    return f"{count}, all fresh" if figures else count


def settle_clock(found: list[Row]) -> None:
    """Wait until the newest file is old enough for a later change to show in its time."""
    newest = max((max(mtime, ctime) for _, _, mtime, _, ctime, _ in found), default=0)
    left = newest + RACY_NS - time.time_ns()
    if 0 < left <= RACY_NS:
        time.sleep(left / 1e9)


# Between the parts of what is kept, and between the items of a list. No path holds a NUL, and no item is empty.
SECTION, ITEM = "\0\0", "\0,\0"


def dumps(
    root: str,
    folders: list[str],
    sources: str,
    also: list[str],
    figures: int,
    warnings: list[str],
    forms: list[str] | None = None,
) -> bytes:
    """What to keep of a book whose figures are all fresh. `sources`: as seen before anything was read.

    forms: those in which all figures are there, beside SVG.
    """
    lists = (forms or [], [str(figures)], warnings, folders, also)
    parts = (VERSION, *(ITEM.join(items) for items in lists), state_of(root, also), sources)
    return SECTION.join(parts).encode("utf-8", "surrogateescape")


def _items(text: str) -> list[str]:
    return text.split(ITEM) if text else []
