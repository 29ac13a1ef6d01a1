"""Scratch folders outside the book; each is removed with the build that made it.

A killed build leaves its folder behind. Each folder therefore holds a marker that names its process and user, and the
build holds a kernel lock on the folder. A build that makes a new folder sweeps the old ones: those with a marker of the
same user, without a lock, whose process is gone. A folder without a marker is never touched, whatever its name.
"""

from __future__ import annotations

import json
import os
import stat
import sys
import tempfile
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

from figmill.errors import ToolError
from figmill.host import files, trees

PREFIX = "figmill-"
MARKER = f"{files.TEMPORARY}scratch.json"  # a name that no digest of a folder's listing includes
LONGEST = 1000  # bytes of a marker
SWEEPING = 2.0  # seconds for what killed builds left behind: a script may have made a million files
CLEARING = 20.0  # seconds for a build's own folder
# Windows: PROCESS_QUERY_LIMITED_INFORMATION, ERROR_ACCESS_DENIED, STILL_ACTIVE
_QUERY, _DENIED, _ACTIVE = 0x1000, 5, 259


class Scratch:
    """A new folder below `folder` (default: the machine's folder for temporary files)."""

    def __init__(self, folder: Path | None = None) -> None:
        self.folder = folder
        self.held: int | None = None

    def __enter__(self) -> str:
        try:
            place = tempfile.gettempdir() if self.folder is None else str(self.folder)
            self.path = os.path.realpath(tempfile.mkdtemp(prefix=PREFIX, dir=place))
            # Before the marker, so that a marked folder without a lock is abandoned.
            self.held = _hold(self.path)
            files.create(os.path.join(self.path, MARKER), _marker())
        except OSError as error:
            if hasattr(self, "path"):
                self._forget()
            raise ToolError(
                f"figmill cannot make a folder for temporary files: {error.strerror}", code=1
            ) from error
        sweep(place)
        return self.path

    def __exit__(self, *_: object) -> None:
        _remove(self.path, CLEARING)
        if self.held is not None:
            os.close(self.held)

    def _forget(self) -> None:
        """Undo the first steps without opening any file, because that may be what failed."""
        if self.held is not None:
            os.close(self.held)
        with suppress(OSError):
            os.unlink(os.path.join(self.path, MARKER))
        with suppress(OSError):
            os.rmdir(self.path)


def _remove(path: str, seconds: float) -> None:
    """Remove a scratch folder, its marker last: what cannot be removed now is swept by a later build."""
    with suppress(OSError):
        if trees.remove(path, keeps=(MARKER,), seconds=seconds):
            with suppress(FileNotFoundError):
                os.unlink(os.path.join(path, MARKER))
            os.rmdir(path)


def sweep(place: str | None = None) -> None:
    """Remove the folders in `place` that killed builds of this user left behind. Never follows links.

    place: None: the machine's folder for temporary files. What takes longer than SWEEPING is left to the next build.
    """
    deadline = time.monotonic() + SWEEPING
    with suppress(OSError), os.scandir(place or tempfile.gettempdir()) as entries:
        for entry in entries:
            if entry.name.startswith(PREFIX) and entry.is_dir(follow_symlinks=False):
                with suppress(OSError):  # another user's, or another build was faster
                    _sweep_one(entry.path, max(0.0, deadline - time.monotonic()))


def _sweep_one(path: str, seconds: float) -> None:
    if not _is_left(path):
        return
    if sys.platform == "win32":  # folders have no locks there: the end of its process must suffice
        _remove(path, seconds)
        return
    held = _hold(path)
    if held is None:
        return
    try:
        status = os.fstat(held)
        if status.st_uid == _uid() and os.path.samestat(status, os.lstat(path)):
            _remove(path, seconds)
    finally:
        os.close(held)


def _marker() -> bytes:
    """The content of a marker: the process and the user of a scratch folder."""
    pid = os.getpid()
    return json.dumps({"figmill": "scratch", "pid": pid, "started": _started(pid), "uid": _uid()}).encode()


def _is_left(path: str) -> bool:
    """Whether a folder has a marker that figmill wrote for this user, in a process that has ended."""
    marker = os.path.join(path, MARKER)
    status = os.lstat(marker)
    if not stat.S_ISREG(status.st_mode) or status.st_nlink != 1 or status.st_uid != _uid():
        return False
    try:
        whole = json.loads(files.read(marker, LONGEST))
        owner = {key: whole[key] for key in ("figmill", "pid", "started", "uid")}
    except (ValueError, KeyError, TypeError, RecursionError):
        return False
    if len(whole) != len(owner) or owner["figmill"] != "scratch" or owner["uid"] != _uid():
        return False
    pid = owner["pid"]
    if isinstance(pid, bool) or not isinstance(pid, int) or not 0 < pid < 1 << 31:
        return False
    return not _lives(pid) or owner["started"] != _started(pid)


def _uid() -> int:
    return os.geteuid() if hasattr(os, "geteuid") else 0


def _lives(pid: int) -> bool:
    if sys.platform == "win32":
        return _lives_on_windows(pid)
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        pass  # another user's
    return True


def _lives_on_windows(pid: int) -> bool:
    """There, signal 0 is Ctrl-C. A number that another process has taken counts as living."""
    import ctypes

    kernel: Any = ctypes.WinDLL("kernel32", use_last_error=True)  # type: ignore[attr-defined, unused-ignore]
    kernel.OpenProcess.restype = ctypes.c_void_p
    handle = kernel.OpenProcess(_QUERY, False, pid)
    if not handle:  # another user's process lives, too
        return bool(ctypes.get_last_error() == _DENIED)  # type: ignore[attr-defined, unused-ignore]
    code = ctypes.c_ulong()
    is_known = kernel.GetExitCodeProcess(ctypes.c_void_p(handle), ctypes.byref(code))
    kernel.CloseHandle(ctypes.c_void_p(handle))
    return not is_known or code.value == _ACTIVE


def _started(pid: int) -> str:
    """When a process started, in clock ticks since boot; empty if the system does not say."""
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:
            return file.read().rpartition(b")")[2].split()[19].decode()  # proc(5): field 22
    except (OSError, IndexError):
        return ""


def _hold(path: str) -> int | None:
    """A descriptor that locks the folder until it is closed; None if the lock is taken or not available."""
    if sys.platform == "win32":
        return None
    import fcntl

    descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:  # another process holds it; or the file system has no locks, and then nothing is swept
        os.close(descriptor)
        return None
    return descriptor
