"""The limits of a process that draws: memory, processor time, files. The kernel keeps them.

Standard library only. Unaware of figures.
"""

from __future__ import annotations

import os
import sys

FILE_SIZE = 256 << 20  # bytes per file written by a figure
SCRATCH = 512 << 20  # bytes of all files that a figure may write to its scratch folder
ENTRIES = 10_000  # files and folders there
MUCH = f"more than {SCRATCH >> 20} MiB, {ENTRIES:,} files, or folders too deep to count"
OPEN = 1024  # files that a process may have open
V8 = 600 << 20  # bytes that V8 may write to as soon as it runs, and does not use


def limit(memory: int | None, seconds: float | None = None, for_good: bool = True) -> None:
    """Limit this process and its children as one figure; does nothing if the platform has no limits.

    memory: bytes of address space beyond what is mapped now, so that the limit does not depend on the libraries'
    size; None: no limit. seconds: of processor time, for a process that serves only one figure. for_good: the process
    cannot raise its limit on addresses again, which is required if it runs an author's code.
    """
    if sys.platform == "win32":
        return
    import resource

    _lower(resource.RLIMIT_FSIZE, FILE_SIZE)
    _lower(resource.RLIMIT_CORE, 0)
    _lower(resource.RLIMIT_NOFILE, OPEN)
    if seconds is not None:
        _lower(resource.RLIMIT_CPU, int(seconds) + 5)
    if memory is not None and sys.platform != "darwin":  # macOS accepts this limit and ignores it
        _lower(resource.RLIMIT_AS, _mapped() + memory, for_good)


def hold(memory: int) -> None:
    """Limit what this process may write to, in bytes beyond what it may now; not for good.

    Addresses that are only reserved do not count, so V8 fits. Does nothing outside of Linux.
    """
    if sys.platform == "linux":
        import resource

        _lower(resource.RLIMIT_DATA, _mapped(_DATA) + memory, for_good=False)


def lift() -> None:
    """Remove the limits on addresses and on what may be written to that were not for good. Linux only."""
    if sys.platform == "linux":
        import resource

        for kind in (resource.RLIMIT_AS, resource.RLIMIT_DATA):
            _, hard = resource.getrlimit(kind)
            resource.setrlimit(kind, (hard, hard))


_ALL, _DATA = 0, 5  # fields of /proc/PID/statm: all addresses, and those of data and stack


def _mapped(field: int = _ALL) -> int:
    """Bytes of this process's address space; 0 if the system does not say."""
    try:
        with open("/proc/self/statm", "rb") as file:
            return int(file.read().split()[field]) * os.sysconf("SC_PAGE_SIZE")
    except OSError:
        return 0


def _lower(kind: int, value: int, for_good: bool = True) -> None:
    import resource

    _, hard = resource.getrlimit(kind)
    bound = value if hard == resource.RLIM_INFINITY else min(value, hard)
    resource.setrlimit(kind, (bound, bound if for_good else hard))
