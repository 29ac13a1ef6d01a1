"""The process tree: find and kill the processes below a process.

Reads Linux's /proc; elsewhere it finds none. Unaware of figures.
"""

from __future__ import annotations

import os
import signal
import sys
from typing import TYPE_CHECKING, Any

from figmill.enclosure import kernel

if TYPE_CHECKING:
    import subprocess

ROUNDS = 200  # of killing strays; a script that forks faster is killed when the sandbox ends


def adopt() -> None:
    """Become the parent of every descendant whose own parent ends (PR_SET_CHILD_SUBREAPER)."""
    if sys.platform == "linux":
        kernel.prctl(kernel.PR_SET_CHILD_SUBREAPER, 1)


def end_with(parent: int) -> None:
    """Have this process killed when its parent ends. parent: the expected parent; if it is gone, die now."""
    if sys.platform == "linux":
        kernel.prctl(kernel.PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() != parent:
            os.kill(os.getpid(), signal.SIGKILL)


def children(pid: int) -> list[int]:
    """The children of a process, zombies included."""
    pids: list[int] = []
    try:
        for task in os.listdir(f"/proc/{pid}/task"):
            with open(f"/proc/{pid}/task/{task}/children", "rb") as file:
                pids += map(int, file.read().split())
    except OSError:
        pass  # the process is gone, or the system has no /proc
    return pids


def living(pid: int) -> list[int]:
    """The running descendants of a process, parents first."""
    running, waiting = [], children(pid)
    while waiting:
        descendant = waiting.pop()
        if _runs(descendant):
            running.append(descendant)
        waiting += children(descendant)
    return running


def _runs(pid: int) -> bool:
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:
            state = file.read().rpartition(b")")[2].split()[0]
    except OSError:
        return False
    return state not in (b"Z", b"X")


def end(pid: int) -> None:
    """Kill a process, and its whole group if it leads one."""
    for kill in (os.killpg, os.kill):
        try:
            kill(pid, signal.SIGKILL)
        except (ProcessLookupError, PermissionError):
            continue


def end_started(process: subprocess.Popen[Any]) -> None:
    """Kill a process that leads its own session, and everything that stayed in its group.

    It may have ended by itself: its number is not used again until somebody has waited for it.
    """
    if sys.platform != "win32" and process.returncode is None:
        end(process.pid)
    process.kill()


def end_strays(kept: set[int]) -> None:
    """Kill the adopted orphans of ended children, whatever their group or session."""
    for _ in range(ROUNDS):
        strays = [pid for pid in children(os.getpid()) if pid not in kept]
        if not strays:
            return
        for stray in strays:
            end(stray)
        for stray in strays:
            try:
                os.waitpid(stray, 0)
            except ChildProcessError:
                pass
