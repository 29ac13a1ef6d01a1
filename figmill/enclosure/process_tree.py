"""The processes that a process has started, and those that they have: counted, and ended.

Linux's /proc, and two things that its kernel is asked for; elsewhere there are none to be seen. Unaware of figures.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from typing import Any

from figmill.enclosure import kernel

ROUNDS = 200  # of ending what is there; what starts processes faster than that is left to the sandbox's end


def adopt() -> None:
    """From now on, a process below this one whose parent has ended becomes this one's own child."""
    if sys.platform == "linux":
        kernel.prctl(kernel.PR_SET_CHILD_SUBREAPER, 1)


def end_with(parent: int) -> None:
    """From now on, this process ends when its parent does, which is `parent` unless that is gone already."""
    if sys.platform == "linux":
        kernel.prctl(kernel.PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() != parent:
            os.kill(os.getpid(), signal.SIGKILL)


def children(pid: int) -> list[int]:
    """The processes that one has started, ended ones included until somebody has asked after them."""
    found: list[int] = []
    try:
        for task in os.listdir(f"/proc/{pid}/task"):
            with open(f"/proc/{pid}/task/{task}/children", "rb") as file:
                found += map(int, file.read().split())
    except OSError:
        pass  # gone meanwhile, or a system that does not tell
    return found


def living(pid: int) -> list[int]:
    """All that a process has below it and that runs still, each after the one that started it."""
    found, next_ones = [], children(pid)
    while next_ones:
        one = next_ones.pop()
        if _runs(one):
            found.append(one)
        next_ones += children(one)
    return found


def _runs(pid: int) -> bool:
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:
            state = file.read().rpartition(b")")[2].split()[0]
    except OSError:
        return False
    return state not in (b"Z", b"X")


def end(pid: int) -> None:
    """End a process and its whole group, where it leads one."""
    for kill in (os.killpg, os.kill):
        try:
            kill(pid, signal.SIGKILL)
        except (ProcessLookupError, PermissionError):
            continue


def end_started(process: subprocess.Popen[Any]) -> None:
    """End a process that was started with a session of its own, and all that stayed in its group."""
    if sys.platform != "win32" and process.poll() is None:
        end(process.pid)
    process.kill()


def end_strays(known: set[int]) -> None:
    """End what this process was left by children that are gone, wherever it went: another group, another session."""
    for _ in range(ROUNDS):
        strays = [pid for pid in children(os.getpid()) if pid not in known]
        if not strays:
            return
        for stray in strays:
            end(stray)
        for stray in strays:
            try:
                os.waitpid(stray, 0)
            except ChildProcessError:
                pass


def resident(pid: int) -> int:
    """Bytes of memory that a process holds, shared ones included; 0 where it is gone."""
    try:
        with open(f"/proc/{pid}/statm", "rb") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except OSError:
        return 0


def hold_more_than(memory: int, pids: list[int], each: int) -> bool:
    """Whether processes hold more bytes together; what several share counts once. each: that all may have besides.

    What they hold at most is quickly told, and as a rule answers that. False where the system does not let one look.
    """
    if sum(max(0, resident(pid) - each) for pid in pids) <= memory:
        return False
    return sum(int(_proportional(pid)) for pid in pids) > memory + each


def _proportional(pid: int) -> int:
    """Bytes of memory, of each shared page the part that falls to this process; 0 where that is not told."""
    try:
        with open(f"/proc/{pid}/smaps_rollup", "rb") as file:
            found = [line for line in file if line.startswith((b"Pss:", b"SwapPss:"))]
        return sum(int(line.split()[1]) << 10 for line in found)
    except OSError:
        return 0
