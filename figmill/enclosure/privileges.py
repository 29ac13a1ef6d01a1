"""Privileges that a process gives up, permanently, before it runs an author's code.

Linux only; does nothing elsewhere. Standard library only. Unaware of figures.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from contextlib import suppress

from figmill.enclosure import kernel, landlock, seccomp
from figmill.enclosure.mode import Mode

# Writable in every domain: they store nothing.
DEVICES = ("/dev/null", "/dev/full")
# Readable without a sandbox. /dev/zero is not one of them: mapped and shared, it is memory that no limit counts.
READABLE = (
    "/dev/null",
    "/dev/full",
    "/dev/random",
    "/dev/urandom",
    "/dev/tty",
    "/dev/ptmx",
    "/dev/pts",
    "/dev/shm",
)
# The folder of shared memory. Only in a script's own view is it private, and gone when the script ends.
SHARED_MEMORY = "/dev/shm"


def hide() -> None:
    """Prevent this user's other processes from reading this one's memory, environment or open files."""
    if sys.platform == "linux":
        with suppress(OSError):
            kernel.prctl(kernel.PR_SET_DUMPABLE, 0)


def give_up(mode: Mode, writable: Sequence[str] | None = None) -> None:
    """Keep only the capability to read, gain no other, and reach no process except this one and its children.

    writable: as in landlock.shut_off. Skips whatever the kernel does not support.
    """
    if sys.platform != "linux":
        return
    kernel.prctl(kernel.PR_SET_NO_NEW_PRIVS, 1)
    # A build as root may read a book that belongs to another user.
    kernel.keep_capabilities((kernel.CAP_DAC_READ_SEARCH,))
    shared = (SHARED_MEMORY,) if mode is Mode.EACH else ()
    is_shut_off = landlock.shut_off(
        None if writable is None else (*writable, *DEVICES, *shared), READABLE if mode is Mode.BARE else None
    )
    seccomp.install(mode)
    # Landlock keeps out all other processes, and the warm process must be able to count its memory.
    with suppress(OSError):
        kernel.prctl(kernel.PR_SET_DUMPABLE, int(is_shut_off))
