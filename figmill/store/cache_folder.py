"""The folder of a cache: whether it is figmill's own, and what in it may be removed. Unaware of what an entry holds.

An entry's name is 64 hexadecimal digits, and it lies in a folder named by its first two. The folder carries a mark that
follows the Cache Directory Tagging Specification, so that backups pass over it, and a line of our own. A folder that
holds anything else and no mark is somebody's, and is neither written to nor trimmed.
"""

from __future__ import annotations

import os
import re
import stat
import time
from collections.abc import Iterator
from pathlib import Path

from figmill.errors import ToolError
from figmill.host import files

MARK = "CACHEDIR.TAG"
OURS = "# A cache of drawings made by figmill: all of it may be deleted.\n"
_TEXT = f"Signature: 8a477f597d28d172789f06886806bc55\n{OURS}"  # the signature is the specification's
BESIDES = len(_TEXT)  # bytes of a cache that are no entry
TRIMMED = "trimmed"  # its time is that of the last look at the size
_FOLDER = re.compile("[0-9a-f]{2}")
_ENTRY = re.compile("[0-9a-f]{64}")
LONGEST = 1000  # bytes of a mark


def refuse_foreign(folder: Path) -> None:
    """Raise ToolError where a folder is there, is not empty, and is no cache of figmill's.

    A cache of an older version has no mark, and nothing in it but what we write.
    """
    if is_marked(folder):
        return
    try:
        with os.scandir(folder) as entries:
            foreign = next((entry.name for entry in entries if not _is_ours(entry)), None)
    except FileNotFoundError:
        return
    except OSError as error:
        raise ToolError(f"cache: {folder} is no folder that can be read: {error.strerror}") from None
    if foreign is not None:
        raise ToolError(
            f"cache: {folder} holds '{foreign}', which figmill has not put there; name an empty folder, or a new one"
        )


def is_marked(folder: Path) -> bool:
    """Whether figmill has made the folder."""
    try:
        path = folder / MARK
        return not path.is_symlink() and OURS.encode() in files.read(path, LONGEST)
    except OSError:
        return False


def make(folder: Path, inside: str) -> str:
    """Have a folder below the cache's to write an entry to; its path. Raises OSError."""
    path = files.own_folder(folder)
    if not is_marked(folder):
        refuse_foreign(folder)
        files.replace_whole(os.path.join(path, MARK), _TEXT.encode(), lasting=False)
    return files.own_folder(folder, inside)


def note_trimming(folder: Path) -> None:
    """Remember that the size was looked at just now. Raises OSError."""
    files.replace_whole(os.path.join(folder, TRIMMED), b"", lasting=False)


def trimmed_ago(folder: Path) -> float | None:
    """Seconds since the size was looked at; None where it never was."""
    try:
        return time.time() - os.lstat(folder / TRIMMED).st_mtime
    except OSError:
        return None


def removable(folder: Path) -> Iterator[tuple[int, int, str]]:
    """Every entry with its mtime in ns and its size in bytes: regular files with our names in folders with ours."""
    if not is_marked(folder):
        return
    for place, outer in _named(folder, _FOLDER):
        if stat.S_ISDIR(outer.st_mode):
            for path, status in _named(place, _ENTRY):
                if stat.S_ISREG(status.st_mode):
                    yield status.st_mtime_ns, status.st_size, path


def _named(folder: str | Path, pattern: re.Pattern[str]) -> Iterator[tuple[str, os.stat_result]]:
    """What lies in a folder under names like these, each with its own status, not that of what a link leads to."""
    try:
        names = [name for name in os.listdir(folder) if pattern.fullmatch(name)]
    except OSError:
        return
    for path in (os.path.join(folder, name) for name in names):
        try:
            yield path, os.lstat(path)
        except OSError:
            continue  # another build was faster


def _is_ours(entry: os.DirEntry[str]) -> bool:
    """Whether it can be what an older version has left in a cache, or another build is just about to."""
    if entry.is_symlink():
        return False
    if _FOLDER.fullmatch(entry.name) and entry.is_dir():
        names = os.listdir(entry.path)
        return all(_ENTRY.fullmatch(name) or name.startswith(files.TEMPORARY) for name in names)
    if entry.name.startswith(files.TEMPORARY) or entry.name == TRIMMED:
        return entry.is_file() or not os.path.lexists(entry.path)
    return entry.name == MARK and is_marked(Path(entry.path).parent)  # by another build, just now
