"""Folders for what is written while drawing, outside the book; each is gone with the build that made it.

A build that is killed outright leaves its folder behind. Each folder is therefore held by a kernel lock for as
long as its build lives, and whoever makes a new one sweeps those that nobody holds. Unaware of what is drawn.
"""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
import time
from contextlib import suppress
from pathlib import Path

from figmill.errors import ToolError

PREFIX = "figmill-"
YOUNG = 60.0  # seconds in which a folder may be made and not yet held


class Scratch:
    """A folder of its own below `folder` (default: the machine's for temporary files)."""

    def __init__(self, folder: Path | None = None) -> None:
        self.folder = folder

    def __enter__(self) -> str:
        try:
            place = tempfile.gettempdir() if self.folder is None else str(self.folder)
            self.path = os.path.realpath(tempfile.mkdtemp(prefix=PREFIX, dir=place))
            self.held = _hold(self.path)
        except OSError as error:
            raise ToolError(f"no folder for temporary files can be made: {error.strerror}", code=1) from error
        sweep(place)
        return self.path

    def __exit__(self, *_: object) -> None:
        shutil.rmtree(self.path, ignore_errors=True)
        if self.held is not None:
            os.close(self.held)


def sweep(place: str) -> None:
    """Remove the folders in `place` that this user's builds have left behind; links are never followed."""
    with suppress(OSError), os.scandir(place) as entries:
        for entry in entries:
            if entry.name.startswith(PREFIX) and entry.is_dir(follow_symlinks=False):
                with suppress(OSError):  # another's, or somebody was faster
                    _sweep_one(entry.path)


def _sweep_one(path: str) -> None:
    if time.time() - os.lstat(path).st_mtime <= YOUNG:
        return  # its maker may be about to hold it, and must not find it held
    held = _hold(path)
    if held is None:
        return
    try:
        status = os.fstat(held)
        if status.st_uid == os.geteuid() and os.path.samestat(status, os.lstat(path)):
            shutil.rmtree(path, ignore_errors=True)
    finally:
        os.close(held)


def _hold(path: str) -> int | None:
    """A descriptor that holds the folder until it is closed; None where it is held, or cannot be."""
    if sys.platform == "win32":
        return None
    import fcntl

    descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:  # another holds it; or the file system has no locks, and then nobody sweeps either
        os.close(descriptor)
        return None
    return descriptor
