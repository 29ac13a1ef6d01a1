"""The lock of a book: one build at a time. The kernel frees it when the build's process ends."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from figmill.errors import not_written
from figmill.host import files
from figmill.store import private
from figmill.store.links import PRIVATE, refuse_links
from figmill.streams import complain


@contextmanager
def lock(root: Path, depth: int = 3) -> Iterator[bool]:
    """Hold the book's lock. A second build waits, and reports for which process. Yields whether it had to wait.

    Raises ReadOnlyError where this user may not write. depth: of the search for links in the private folder.
    """
    refuse_links(root, PRIVATE, depth)
    try:
        descriptor = files.open_lock(os.path.join(private.make(root), "lock"))
    except OSError as error:
        raise not_written(f"{PRIVATE}/lock", error) from error
    try:
        yield _hold(descriptor)
    finally:
        os.close(descriptor)


def _owner(descriptor: int) -> str:
    """The process number in the lock file. Waits a moment, because the owner writes it just after taking the lock."""
    for _ in range(50):
        os.lseek(descriptor, 0, os.SEEK_SET)
        if owner := os.read(descriptor, 32).decode("ascii", "replace"):
            return owner
        time.sleep(0.01)
    return "?"


def _hold(descriptor: int) -> bool:
    """Take the lock and write this process's number to it. Returns whether another process had it.

    A file system without locks, such as some network shares, gets a warning: the book is built all the same.
    """
    taken = _taken(descriptor)
    waited = taken is False
    if taken is None:
        complain(f"{PRIVATE}/lock cannot be locked on this file system; run one build of this book at a time")
    if waited:
        complain(f"waiting for another build of this book (process {_owner(descriptor)}) ...")
        _wait(descriptor)
    os.ftruncate(descriptor, 0)
    os.lseek(descriptor, 0, os.SEEK_SET)
    os.write(descriptor, str(os.getpid()).encode())
    return waited


# the byte that is locked on Windows, where nobody else can read a locked one: beyond the number
_FAR = 1 << 30
_PAUSE = 0.1  # seconds between two tries there


def _taken(descriptor: int) -> bool | None:
    """Take the lock if it is free; returns whether it was. None: there are no locks."""
    if sys.platform == "win32":
        import msvcrt

        os.lseek(descriptor, _FAR, os.SEEK_SET)
        try:
            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        return True
    return files.hold(descriptor)


def _wait(descriptor: int) -> None:
    """Take the lock when it is free."""
    if sys.platform == "win32":
        while not _taken(descriptor):
            time.sleep(_PAUSE)
        return
    import fcntl

    fcntl.flock(descriptor, fcntl.LOCK_EX)
