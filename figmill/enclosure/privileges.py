"""What a process gives up for good before it runs an author's code.

Linux only; elsewhere there is nothing of the kind to give up. Standard library only. Unaware of figures.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from contextlib import suppress

from figmill.enclosure import kernel, landlock, seccomp

# What may be written to where all else may not: neither of them holds anything, but for what processes share.
DEVICES = ("/dev/null", "/dev/zero", "/dev/full", "/dev/shm")


def hide() -> None:
    """Let no other process of this user look into this one: not its memory, its environment, its open files."""
    if sys.platform == "linux":
        with suppress(OSError):
            kernel.prctl(kernel.PR_SET_DUMPABLE, 0)


def give_up(writable: Sequence[str] | None = None) -> None:
    """Keep no capability but that of reading, gain none any more, and reach no process but one's own.

    writable: see landlock. What the kernel does not know is left out.
    """
    if sys.platform != "linux":
        return
    kernel.prctl(kernel.PR_SET_NO_NEW_PRIVS, 1)
    # Who builds as root reads a book that belongs to somebody else.
    kernel.keep_capabilities((kernel.CAP_DAC_READ_SEARCH,))
    is_shut_off = landlock.shut_off(None if writable is None else (*writable, *DEVICES))
    seccomp.install()
    with suppress(OSError):  # its memory is counted by who has started it, where nobody else can look into it
        kernel.prctl(kernel.PR_SET_DUMPABLE, int(is_shut_off))
