"""Which files of the book this process opens, whether Python opens them or a library's C code.

The kernel reports it (fanotify, without privileges: Linux 5.13 and newer). It names the process of an event only to
that process itself, so files that other processes open at the same time can be left out. If the kernel or a container
does not allow it, there is no watch. Programs that a script starts are other processes, which the watch does not see.
https://man7.org/linux/man-pages/man7/fanotify.7.html
"""

from __future__ import annotations

import ctypes
import os
import struct
import sys
from collections.abc import Collection, Iterator
from pathlib import Path

FOLDERS = 1000  # that are watched, those nearest to the root first
BUFFER = 1 << 16
# linux/fanotify.h, linux/fcntl.h
_CLOEXEC, _NONBLOCK, _REPORT_DIR, _REPORT_NAME = 0x1, 0x2, 0x400, 0x800
_ADD, _OPEN, _ON_CHILD, _OVERFLOW = 0x1, 0x20, 0x08000000, 0x4000
_FOLDER_AND_NAME = 2  # FAN_EVENT_INFO_TYPE_DFID_NAME
_HERE = -100  # AT_FDCWD
_HANDLE = 128  # bytes of a file handle, at most
_METADATA = struct.Struct("=IBBHQii")


def begin() -> int:
    """The descriptor of a new, empty watch; -1 if there can be none. Call it before privileges are given up."""
    if sys.platform != "linux":
        return -1
    try:
        function = ctypes.CDLL(None).fanotify_init
        return int(function(_CLOEXEC | _NONBLOCK | _REPORT_DIR | _REPORT_NAME, os.O_RDONLY))
    except (OSError, AttributeError):
        return -1


class OpenWatch:
    """A watch of the book's folders.

    - is_complete: whether it has certainly missed nothing so far.
    """

    def __init__(self, descriptor: int, root: Path, passed: Collection[str] = ()) -> None:
        self._descriptor = descriptor
        self._root = str(root)
        self._folders: dict[bytes, str] = {}  # by the kernel's handle
        self.is_complete = descriptor >= 0 and self._add_folders(tuple(passed))

    def _add_folders(self, passed: tuple[str, ...]) -> bool:
        library = ctypes.CDLL(None)
        for number, path in enumerate(_folders(self._root, passed)):
            if number == FOLDERS:
                return False
            handle = ctypes.create_string_buffer(struct.pack("=Ii", _HANDLE, 0), 8 + _HANDLE)
            name = os.fsencode(path)
            mask = ctypes.c_uint64(_OPEN | _ON_CHILD)
            if library.name_to_handle_at(_HERE, name, handle, ctypes.byref(ctypes.c_int()), 0):
                return False
            if library.fanotify_mark(self._descriptor, _ADD, mask, _HERE, name):
                return False
            size = struct.unpack_from("=I", handle.raw)[0]
            self._folders[handle.raw[: 8 + size]] = path
        return True

    def opened(self) -> set[str]:
        """The full paths of the files that this process has opened since the last call."""
        paths: set[str] = set()
        while self._descriptor >= 0:
            try:
                data = os.read(self._descriptor, BUFFER)
            except OSError:  # nothing more
                break
            paths.update(self._paths(data))
        return paths

    def _paths(self, data: bytes) -> Iterator[str]:
        start = 0
        while start < len(data):
            length, _, _, header, mask, _, process = _METADATA.unpack_from(data, start)
            if mask & _OVERFLOW:
                self.is_complete = False
            elif process == os.getpid():
                path = self._path(data[start + header : start + length])
                if path is not None:
                    yield path
            start += length

    def _path(self, record: bytes) -> str | None:
        """The path in the first record of an event: a header, the file system's id, a folder's handle, a name."""
        if len(record) < 20 or record[0] != _FOLDER_AND_NAME:
            return None
        size = struct.unpack_from("=I", record, 12)[0]
        folder = self._folders.get(record[12 : 20 + size])
        name = record[20 + size :].partition(b"\0")[0]
        return None if folder is None else os.path.join(folder, os.fsdecode(name))


def _folders(root: str, passed: tuple[str, ...]) -> Iterator[str]:
    """The folders of the book, level by level, hidden ones and installed packages excepted."""
    level = [root]
    while level:
        below: list[str] = []
        for path in level:
            yield path
            try:
                with os.scandir(path) as entries:
                    names = [entry.name for entry in entries if entry.is_dir(follow_symlinks=False)]
            except OSError:
                continue
            kept = (n for n in sorted(names) if n[0] != "." and n not in ("__pycache__", "node_modules"))
            paths = (os.path.join(path, name) for name in kept)
            below += [place for place in paths if not (place + os.sep).startswith(passed)]
        level = below
