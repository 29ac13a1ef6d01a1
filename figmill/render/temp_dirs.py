"""Folders for what is written while drawing, outside the book; each is gone with the build that made it.

A build that is killed outright leaves its folder behind. Each folder therefore holds a marker that says whose it is,
and is held by a kernel lock for as long as its build lives. Whoever makes a new one sweeps those that carry a marker of
the same user, that nobody holds, and whose process is gone. A folder without a marker is somebody else's, whatever its
name. Unaware of what is drawn.
"""

from __future__ import annotations

import json
import os
import shutil
import stat
import sys
import tempfile
from contextlib import suppress
from pathlib import Path

from figmill.errors import ToolError
from figmill.host import files

PREFIX = "figmill-"
MARKER = f"{files.TEMPORARY}scratch.json"  # which no listing of a folder counts
LONGEST = 1000  # bytes of a marker


class Scratch:
    """A folder of its own below `folder` (default: the machine's for temporary files)."""

    def __init__(self, folder: Path | None = None) -> None:
        self.folder = folder
        self.held: int | None = None

    def __enter__(self) -> str:
        try:
            place = tempfile.gettempdir() if self.folder is None else str(self.folder)
            self.path = os.path.realpath(tempfile.mkdtemp(prefix=PREFIX, dir=place))
            self.held = _hold(self.path)  # before there is a marker: what carries one was held
            files.create(os.path.join(self.path, MARKER), _marker())
        except OSError as error:
            if hasattr(self, "path"):
                self.__exit__()
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
    if not _is_left(path):
        return
    held = _hold(path)
    if held is None:
        return
    try:
        status = os.fstat(held)
        if status.st_uid == os.geteuid() and os.path.samestat(status, os.lstat(path)):
            shutil.rmtree(path, ignore_errors=True)
    finally:
        os.close(held)


def _marker() -> bytes:
    """Whose a scratch folder is."""
    pid = os.getpid()
    return json.dumps({"figmill": "scratch", "pid": pid, "started": _started(pid), "uid": _uid()}).encode()


def _is_left(path: str) -> bool:
    """Whether a folder carries a marker that figmill wrote for this user, in a process that has ended."""
    marker = os.path.join(path, MARKER)
    status = os.lstat(marker)
    if not stat.S_ISREG(status.st_mode) or status.st_nlink != 1 or status.st_uid != _uid():
        return False
    try:
        whole = json.loads(files.read(marker, LONGEST))
        told = {key: whole[key] for key in ("figmill", "pid", "started", "uid")}
    except (ValueError, KeyError, TypeError, RecursionError):
        return False
    if len(whole) != len(told) or told["figmill"] != "scratch" or told["uid"] != _uid():
        return False
    pid = told["pid"]
    if isinstance(pid, bool) or not isinstance(pid, int) or not 0 < pid < 1 << 31:
        return False
    return not _lives(pid) or told["started"] != _started(pid)


def _uid() -> int:
    return os.geteuid() if hasattr(os, "geteuid") else 0


def _lives(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        pass  # another user's
    return True


def _started(pid: int) -> str:
    """When a process began, in clock ticks since the machine did; empty where the system does not tell."""
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:
            return file.read().rpartition(b")")[2].split()[19].decode()  # proc(5): field 22
    except (OSError, IndexError):
        return ""


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
