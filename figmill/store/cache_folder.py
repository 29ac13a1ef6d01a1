"""The folder of a cache: whether it is figmill's, and which files in it may be removed.

An entry's name is 64 hexadecimal digits; it is in a folder named by the first two. The cache folder contains a tag as
in the Cache Directory Tagging Specification, so that backups skip it, with a line of figmill's own. A folder with
other files and without the tag belongs to somebody else: figmill neither writes to it nor trims it.
"""

from __future__ import annotations

import os
import re
import stat
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from figmill.errors import ToolError
from figmill.host import files

MARK = "CACHEDIR.TAG"
OURS = "# A cache of drawings made by figmill: all of it may be deleted.\n"
_TEXT = f"Signature: 8a477f597d28d172789f06886806bc55\n{OURS}"  # the signature is the specification's
BESIDES = len(_TEXT)  # bytes of a cache apart from its entries
TRIMMED = "trimmed"  # a file whose time is that of the last size check
_FOLDER = re.compile("[0-9a-f]{2}")
_ENTRY = re.compile("[0-9a-f]{64}")
_UNFINISHED = re.compile(re.escape(files.TEMPORARY) + ".*")
LONGEST = 1000  # bytes of a mark


def refuse_foreign(folder: Path) -> None:
    """Raise ToolError if the folder exists, is not empty, and is not a cache of figmill's.

    A cache of an older version has no mark, but holds nothing except figmill's own files.
    """
    if is_marked(folder):
        return
    try:
        with os.scandir(folder) as entries:
            foreign = next((entry.name for entry in entries if not _is_ours(entry)), None)
    except FileNotFoundError:
        return
    except OSError as error:
        raise ToolError(f"cache: {folder} is not a folder that can be read: {error.strerror}") from None
    if foreign is not None:
        raise ToolError(
            f"cache: {folder} holds '{foreign}', which figmill has not put there; name an empty folder, or a new one"
        )


def is_marked(folder: Path) -> bool:
    """Whether the folder holds figmill's mark."""
    try:
        path = folder / MARK
        return not path.is_symlink() and OURS.encode() in files.read(path, LONGEST)
    except OSError:
        return False


def make(folder: Path, inside: str) -> str:
    """Create the folder of an entry, and the cache folder with its mark; returns the path. Raises OSError."""
    path = files.own_folder(folder)
    if not is_marked(folder):
        refuse_foreign(folder)
        files.replace_whole(os.path.join(path, MARK), _TEXT.encode(), lasting=False)
    return files.own_folder(folder, inside)


def note_trimming(folder: Path) -> None:
    """Record that the size was checked just now. Raises OSError."""
    files.replace_whole(os.path.join(folder, TRIMMED), b"", lasting=False)


def trimmed_ago(folder: Path) -> float | None:
    """Seconds since the size was last checked; None if it never was."""
    try:
        return time.time() - os.lstat(folder / TRIMMED).st_mtime
    except OSError:
        return None


def removable(folder: Path) -> Iterator[tuple[int, int, str]]:
    """Every entry as (mtime in ns, size in bytes, path): regular files with an entry's name in an entry's folder."""
    if not is_marked(folder):
        return
    for place, outer in _named(folder, _FOLDER):
        if stat.S_ISDIR(outer.st_mode):
            for path, status in _named(place, _ENTRY):
                if stat.S_ISREG(status.st_mode):
                    yield status.st_mtime_ns, status.st_size, path


def sweep(folder: Path) -> None:
    """Remove the files that killed builds left unfinished in a cache; old ones, as other machines may share it."""
    if not is_marked(folder):
        return
    places = [
        str(folder),
        *(place for place, outer in _named(folder, _FOLDER) if stat.S_ISDIR(outer.st_mode)),
    ]
    for place in places:
        for path, status in _named(place, _UNFINISHED):
            if time.time() - status.st_mtime > files.LEFT_BEHIND:
                with suppress(OSError):  # another build was faster
                    files.sweep(path)


def _named(folder: str | Path, pattern: re.Pattern[str]) -> Iterator[tuple[str, os.stat_result]]:
    """The matching paths in a folder, each with its own status: links are not followed."""
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
    """Whether an older version, or a concurrent build, may have created this in a cache."""
    if entry.is_symlink():
        return False
    if _FOLDER.fullmatch(entry.name) and entry.is_dir():
        names = os.listdir(entry.path)
        return all(_ENTRY.fullmatch(name) or name.startswith(files.TEMPORARY) for name in names)
    if entry.name.startswith(files.TEMPORARY) or entry.name == TRIMMED:
        return entry.is_file() or not os.path.lexists(entry.path)
    return entry.name == MARK and is_marked(Path(entry.path).parent)  # another build has just created it
