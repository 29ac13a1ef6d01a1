"""Linux system calls without a Python function.

Standard library only. Each raises OSError if the kernel refuses. Unaware of their use.
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
    """Call a function of the C library that returns -1 on failure."""
    return _checked(getattr(libc(), name)(*arguments), name)


def syscall(number: int, *arguments: Any) -> int:
    """Make a system call by its number; integers are passed as the kernel's long."""
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
    """Give up all capabilities except these, permanently, in all four sets."""
    kept = tuple(kept)
    bound_capabilities(kept)
    hold_capabilities(kept)


def bound_capabilities(kept: Iterable[int]) -> None:
    """Prevent programs started from now on from gaining any other capability."""
    wanted = sum(1 << number for number in kept)
    for number in range(_CAPABILITIES):
        if not wanted >> number & 1:
            try:
                prctl(PR_CAPBSET_DROP, number)
            except OSError:
                # no such capability; or this process may not change the set, and so could not gain any
                continue
    try:
        prctl(PR_CAP_AMBIENT, _CAP_AMBIENT_CLEAR_ALL)
    except OSError:
        pass  # Linux before 4.3 has no ambient set


def hold_capabilities(kept: Iterable[int]) -> None:
    """Drop all held capabilities except these."""
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
