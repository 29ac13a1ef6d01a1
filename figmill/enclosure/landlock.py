"""Landlock: a process shuts itself and all that it starts off from other processes, and from writing elsewhere.

Standard library only; needs no privileges, and Linux 5.13 (signals and abstract sockets: 6.12). What runs in such a
domain cannot trace, read or signal what runs outside of it, also where both belong to one user.
Unaware of figures.
"""

from __future__ import annotations

import ctypes
import os
import struct
from collections.abc import Sequence
from contextlib import suppress

from figmill.enclosure import kernel

_CREATE, _ADD, _RESTRICT = 444, 445, 446  # the same numbers on every machine
_VERSION, _PATH_BENEATH = 1, 1

# linux/landlock.h: LANDLOCK_ACCESS_FS_...
_WRITE_FILE = 1 << 1
_REFER = 1 << 13  # renaming from one folder into another; refused by every domain that does not allow it
_TRUNCATE = 1 << 14
_OF_FOLDERS = sum(1 << bit for bit in range(4, 13))  # removing, and making files and folders of every kind
_SCOPES = 0b11  # abstract Unix sockets, signals


def version() -> int:
    """What the kernel can do; 0 where it can do nothing."""
    with suppress(OSError):
        return kernel.syscall(_CREATE, 0, 0, _VERSION)
    return 0


def shut_off(writable: Sequence[str] | None) -> bool:
    """Enter a domain of one's own, for good; whether there is one.

    writable: the only files, and folders with all in them, that may be written to; None: as before.
    The process must have given up new privileges before.
    """
    can = version()
    if can < 2:  # the first forbids renaming without exception
        return False
    files = _REFER
    if writable is not None:
        files |= _WRITE_FILE | _OF_FOLDERS | (_TRUNCATE if can >= 3 else 0)
    fields = (files, 0, _SCOPES) if can >= 6 else (files, 0) if can >= 4 else (files,)
    attributes = struct.pack(f"={len(fields)}Q", *fields)
    try:
        rules = kernel.syscall(_CREATE, ctypes.c_char_p(attributes), len(attributes), 0)
    except OSError:
        return False
    try:
        for path in ["/"] if writable is None else writable:
            with suppress(FileNotFoundError):
                _allow(rules, path, files)
        kernel.syscall(_RESTRICT, rules, 0)
    except OSError:
        return False
    finally:
        os.close(rules)
    return True


def _allow(rules: int, path: str, access: int) -> None:
    place = os.open(path, os.O_PATH | os.O_CLOEXEC)
    try:
        if not os.path.isdir(path):
            access &= _WRITE_FILE | _TRUNCATE
        rule = struct.pack("=Qi", access, place)
        kernel.syscall(_ADD, rules, _PATH_BENEATH, ctypes.c_char_p(rule), 0)
    finally:
        os.close(place)
