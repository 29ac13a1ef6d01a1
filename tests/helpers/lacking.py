"""What takes something of the machine away from a process and its children; without pytest, as the keeper loads it."""

from __future__ import annotations

import ctypes
import errno
import struct

from figmill.enclosure import kernel, landlock


def without_landlock() -> None:
    """Have this process and its children see a kernel without Landlock: a filter answers for its first call."""
    load, equal, give = 0x20, 0x15, 0x06  # linux/bpf_common.h
    steps = (
        (load, 0, 0, 0),  # the number of the call
        (equal, 0, 1, landlock._CREATE),
        (give, 0, 0, 0x00050000 | errno.ENOSYS),
        (give, 0, 0, 0x7FFF0000),
    )
    code = b"".join(struct.pack("=HBBI", *step) for step in steps)
    held = ctypes.create_string_buffer(code, len(code))
    kernel.prctl(kernel.PR_SET_NO_NEW_PRIVS, 1)
    whole = ctypes.create_string_buffer(struct.pack("@HP", len(steps), ctypes.addressof(held)))
    kernel.prctl(kernel.PR_SET_SECCOMP, 2, whole)
