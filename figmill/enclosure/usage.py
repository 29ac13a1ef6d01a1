"""What the processes of one figure use together: memory, threads, temporary files.

Reads Linux's /proc; elsewhere everything is zero, except the peak of this very process on macOS. Shared memory without
a file is not counted: seccomp refuses it. Unaware of figures and of their limits.
"""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress

from figmill.late_dataclasses import dataclass

DESCRIPTORS = 64  # open files of one process; if it has more, each is looked at
# The most bytes that the kernel keeps for unread data: no process is charged for them.
BUFFERS = {"socket": 1 << 19, "pipe": 1 << 16}


@dataclass(frozen=True, slots=True)
class Taken:
    """What a process has taken."""

    memory: int = 0  # resident bytes, shared pages included, and swapped ones
    threads: int = 0


def of(pid: int) -> Taken:
    """What a process uses; zeros if it is gone."""
    fields = {b"VmRSS": 0, b"VmSwap": 0, b"Threads": 0}
    try:
        with open(f"/proc/{pid}/status", "rb") as file:
            for line in file:
                name, _, value = line.partition(b":")
                if name in fields:
                    fields[name] = int(value.split()[0])
    except (OSError, ValueError):
        return Taken()
    return Taken((fields[b"VmRSS"] + fields[b"VmSwap"]) << 10, fields[b"Threads"])


def peak() -> int:
    """The most bytes of memory that this process has held at a time; 0 if the system does not say."""
    if sys.platform == "win32":
        return 0
    import resource

    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return most if sys.platform == "darwin" else most << 10


def hold_more_than(memory: int, taken: Mapping[int, Taken], each: int, files: int = 0) -> bool:
    """Whether processes together hold more than `memory` bytes; shared pages count once.

    taken: what each of them uses, by its number. each: bytes of libraries that every process maps beyond that. files:
    bytes that their files hold in memory. First tries the upper bound, which is cheap to read and usually enough. False
    if the system does not say.
    """
    buffers = sum(map(_buffers, taken))
    if files + buffers + sum(max(0, process.memory - each) for process in taken.values()) <= memory:
        return False
    return files + buffers + sum(_proportional(pid, bool(files)) for pid in taken) > memory + each


def _buffers(pid: int) -> int:
    """The most that the sockets and pipes of a process may hold, if it has so many that this matters."""
    folder = f"/proc/{pid}/fd"
    try:
        names = os.listdir(folder)
    except OSError:
        return 0
    if len(names) <= DESCRIPTORS:
        return 0
    kinds = []
    for name in names:
        with suppress(OSError):
            kinds.append(os.readlink(f"{folder}/{name}").partition(":")[0])
    return sum(BUFFERS.get(kind, 0) for kind in kinds)


def _proportional(pid: int, without_files: bool) -> int:
    """Bytes of proportional memory (Pss: each shared page divided by its users); 0 if the system does not say.

    without_files: leave out mapped files in memory, which have been counted.
    """
    sizes: dict[bytes, int] = {}
    try:
        with open(f"/proc/{pid}/smaps_rollup", "rb") as file:
            for line in file:
                name, _, value = line.partition(b":")
                if name in (b"Pss", b"SwapPss", b"Pss_Shmem"):
                    sizes[name] = int(value.split()[0]) << 10
    except (OSError, ValueError):
        return 0
    taken = sizes.get(b"Pss", 0) + sizes.get(b"SwapPss", 0)
    return taken - sizes.get(b"Pss_Shmem", 0) if without_files else taken


def held_in(pid: int, folders: Sequence[str]) -> int:
    """Bytes of the file systems at these places, as a process with a view of its own sees them."""
    total = 0
    for folder in folders:
        with suppress(OSError):
            status = os.statvfs(f"/proc/{pid}/root{folder}")
            total += (status.f_blocks - status.f_bfree) * status.f_frsize
    return total


def is_over(folder: str, pids: Sequence[int], most: int, entries: int) -> bool:
    """Whether a folder holds more than `most` bytes or `entries` files, including deleted files that are still open.

    True also if a folder in it cannot be listed, or lies too deep for a path.
    """
    count = total = 0
    waiting = [folder]
    while waiting:
        try:
            with os.scandir(waiting.pop()) as listing:
                for entry in listing:
                    count += 1
                    status = entry.stat(follow_symlinks=False)
                    total += status.st_blocks << 9
                    if stat.S_ISDIR(status.st_mode):
                        waiting.append(entry.path)
                    if count > entries or total > most:
                        return True
        except FileNotFoundError:
            continue  # removed meanwhile
        except OSError:
            return True
    return total + _unnamed(pids) > most


def _unnamed(pids: Sequence[int]) -> int:
    """Bytes of the files that these processes have open and that have no name."""
    sizes: dict[tuple[int, int], int] = {}
    for pid in pids:
        folder = f"/proc/{pid}/fd"
        with suppress(OSError):
            for name in os.listdir(folder):
                with suppress(OSError):
                    status = os.stat(f"{folder}/{name}")
                    if stat.S_ISREG(status.st_mode) and status.st_nlink == 0:
                        sizes[status.st_dev, status.st_ino] = status.st_blocks << 9
    return sum(sizes.values())
