"""Calls of the Linux kernel that Python has no names for.

Standard library only. Unaware of what they are used for. Each raises OSError where the kernel refuses.
"""

from __future__ import annotations

import ctypes
import os
import struct
from collections.abc import Iterable
from functools import cache
from typing import Any

# linux/prctl.h
PR_SET_PDEATHSIG, PR_SET_DUMPABLE, PR_SET_SECCOMP, PR_CAPBSET_DROP = 1, 4, 22, 24
PR_SET_CHILD_SUBREAPER, PR_SET_NO_NEW_PRIVS, PR_CAP_AMBIENT = 36, 38, 47
_CAP_AMBIENT_CLEAR_ALL = 4

# linux/capability.h
CAP_DAC_READ_SEARCH = 2
_CAPABILITIES = 64  # more than there are
_VERSION_3 = 0x20080522


@cache
def libc() -> Any:
    return ctypes.CDLL(None, use_errno=True)


def call(name: str, *arguments: Any) -> int:
    """A function of the C library, which returns -1 where it fails."""
    return _checked(getattr(libc(), name)(*arguments), name)


def syscall(number: int, *arguments: Any) -> int:
    """A system call by its number; whole numbers are passed as the kernel's long."""
    passed = (ctypes.c_long(value) if isinstance(value, int) else value for value in arguments)
    return _checked(libc().syscall(ctypes.c_long(number), *passed), f"system call {number}")


def _checked(result: int, name: str) -> int:
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{name}: {os.strerror(number)}")
    return result


def prctl(option: int, value: Any = 0, more: Any = 0) -> int:
    return call("prctl", option, ctypes.c_ulong(value), more, 0, 0)


def keep_capabilities(kept: Iterable[int]) -> None:
    """Give up all capabilities but these, and those of these that are not held; for good, in all four sets."""
    kept = tuple(kept)
    bound_capabilities(kept)
    hold_capabilities(kept)


def bound_capabilities(kept: Iterable[int]) -> None:
    """Let no program that is started from here on gain other capabilities than these."""
    wanted = sum(1 << number for number in kept)
    for number in range(_CAPABILITIES):
        if not wanted >> number & 1:
            try:
                prctl(PR_CAPBSET_DROP, number)
            except OSError:
                continue  # there is no such, or this process may not change the set, and gains nothing by it
    try:
        prctl(PR_CAP_AMBIENT, _CAP_AMBIENT_CLEAR_ALL)
    except OSError:
        pass  # before Linux 4.3 there are none


def hold_capabilities(kept: Iterable[int]) -> None:
    """Hold no capabilities but these from now on, as far as they are held."""
    wanted = sum(1 << number for number in kept)
    header = struct.pack("=Ii", _VERSION_3, 0)
    held = ctypes.create_string_buffer(24)
    call("capget", header, held)
    effective, permitted = (
        struct.unpack("=6I", held.raw)[index] | struct.unpack("=6I", held.raw)[index + 3] << 32
        for index in (0, 1)
    )
    new = [effective & wanted, permitted & wanted, 0]
    data = struct.pack("=6I", *(value & 0xFFFFFFFF for value in new), *(value >> 32 for value in new))
    call("capset", header, data)
