"""Landlock: a process cuts itself and its children off from other processes, and from writing to most files.

A process in a Landlock domain cannot trace, read or signal a process outside it, even of the same user. Needs Linux
5.13 (signals and abstract sockets: 6.12) and no privileges. Standard library only. Unaware of figures.
"""

from __future__ import annotations

import ctypes
import os
import stat
import struct
import sys
from collections.abc import Sequence
from contextlib import suppress

from figmill.enclosure import kernel

_CREATE, _ADD, _RESTRICT = 444, 445, 446  # the same numbers on every machine
_VERSION, _PATH_BENEATH = 1, 1

# linux/landlock.h: LANDLOCK_ACCESS_FS_...
_WRITE_FILE = 1 << 1
_READ_FILE = 1 << 2
_REFER = 1 << 13  # renaming into another folder; every domain refuses it unless allowed
_TRUNCATE = 1 << 14
_OF_FOLDERS = sum(1 << bit for bit in range(4, 13))  # removing and making entries of every kind
_SCOPES = 0b11  # abstract Unix sockets, signals


def version() -> int:
    """The version of the kernel's Landlock; 0 if it has none."""
    if sys.platform != "linux":
        return 0
    with suppress(OSError):
        return kernel.syscall(_CREATE, 0, 0, _VERSION)
    return 0


def is_enough() -> bool:
    """Whether this kernel's Landlock keeps scripts from writing; version 1 forbids all renaming between folders."""
    return version() >= 2


def shut_off(writable: Sequence[str] | None, devices: Sequence[str] | None = None) -> bool:
    """Enter a new domain, permanently. Returns False if the kernel does not support it.

    writable: the only files and folder trees that may be written to; devices: the only ones below /dev that may be
    read; None: no restriction. The process must have set no_new_privs before.
    """
    if not is_enough():
        return False
    can = version()
    files = _REFER
    if writable is not None:
        files |= _WRITE_FILE | _OF_FOLDERS | (_TRUNCATE if can >= 3 else 0)
    if devices is not None:
        files |= _READ_FILE
    fields = (files, 0, _SCOPES) if can >= 6 else (files, 0) if can >= 4 else (files,)
    attributes = struct.pack(f"={len(fields)}Q", *fields)
    try:
        rules = kernel.syscall(_CREATE, ctypes.c_char_p(attributes), len(attributes), 0)
    except OSError:
        return False
    try:
        for path in ["/"] if writable is None else writable:
            _allow(rules, path, files)
        if devices is not None:
            for path in (*_beside_devices(), *devices):
                _allow(rules, path, _READ_FILE)
        kernel.syscall(_RESTRICT, rules, 0)
    except OSError:
        return False
    finally:
        os.close(rules)
    return True


def _beside_devices() -> list[str]:
    """The entries of the root folder except /dev. A link needs no rule: its target lies in one of the others."""
    with os.scandir("/") as entries:
        return [entry.path for entry in entries if entry.name != "dev" and not entry.is_symlink()]


def _allow(rules: int, path: str, access: int) -> None:
    try:
        place = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except OSError:  # no such file, or one that this process may not look at either
        return
    try:
        if not stat.S_ISDIR(os.fstat(place).st_mode):
            access &= _READ_FILE | _WRITE_FILE | _TRUNCATE
        rule = struct.pack("=Qi", access, place)
        kernel.syscall(_ADD, rules, _PATH_BENEATH, ctypes.c_char_p(rule), 0)
    finally:
        os.close(place)
