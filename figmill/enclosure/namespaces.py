"""Linux namespaces: each script has its own processes, writable files and shared memory.

They work inside bubblewrap, where the warm process holds the capabilities they need (sandbox.NESTING). Standard
library only. Unaware of figures.

A PID namespace ends with its first process. The NamespaceServer forks that process: it was itself forked before any
library was loaded, so the fork is small and fast. The warm process joins a namespace only while it forks a child into
it. So it stays the child's parent and learns how the child ends.
"""

from __future__ import annotations

import ctypes
import os
import signal
import socket
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import NoReturn

from figmill.enclosure import kernel, privileges
from figmill.enclosure.seccomp import MACHINES
from figmill.late_dataclasses import dataclass

# linux/sched.h, linux/mount.h
_NEWNS, _NEWIPC, _NEWPID = 0x20000, 0x08000000, 0x20000000
_RDONLY, _NOSUID, _NODEV, _NOEXEC, _REMOUNT, _BIND, _REC, _PRIVATE = (
    1,
    2,
    4,
    8,
    0x20,
    0x1000,
    0x4000,
    1 << 18,
)
SHARED = 256 << 20  # bytes that one script may write below /dev/shm
IN_MEMORY = "/dev/shm"


@dataclass(frozen=True, slots=True)
class Namespace:
    """A PID namespace.

    - first: its first process, whose end ends it.
    - descriptor: a pidfd of that process.
    """

    first: int
    descriptor: int

    def join(self) -> None:
        """Fork into the namespace from now on, until the process joins another."""
        kernel.call("setns", self.descriptor, _NEWPID)

    def end(self) -> None:
        """Kill all processes in it. Does not wait: `descriptor` becomes readable when they are gone."""
        with suppress(ProcessLookupError):
            signal.pidfd_send_signal(self.descriptor, signal.SIGKILL)


class NamespaceServer:
    """A small process that makes PID namespaces on request."""

    def __init__(self) -> None:
        """Fork the server, so call this before the first thread starts and before the process grows."""
        self._line, theirs = socket.socketpair()
        self.pid = os.fork()
        if self.pid == 0:
            _serve(theirs)
        theirs.close()

    def namespace(self) -> Namespace:
        """A new namespace. Raises OSError if the kernel refuses it."""
        self._line.sendall(b"+")
        answer = self._line.recv(32)
        if not answer or int(answer) < 0:
            raise OSError(-int(answer or b"-1"), "the kernel made no PID namespace")
        first = int(answer)
        return Namespace(first, os.pidfd_open(first))

    def close(self) -> None:
        """Close this process's end of the socket: a forked child must not ask for namespaces."""
        self._line.close()


def _serve(line: socket.socket) -> NoReturn:
    """The loop of the server's process: fork one first process for each byte received."""
    try:
        kernel.prctl(kernel.PR_SET_PDEATHSIG, signal.SIGKILL)
        privileges.hide()
        kernel.prctl(kernel.PR_SET_NO_NEW_PRIVS, 1)
        kernel.bound_capabilities(())
        signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # the kernel reaps the first processes
        descriptor = line.detach()
        os.dup2(descriptor, 0)
        os.closerange(1, os.sysconf("SC_OPEN_MAX"))
        clone = MACHINES[os.uname().machine].clone
        while os.read(0, 1):
            try:
                first = kernel.syscall(clone, _NEWPID | signal.SIGCHLD, 0, 0, 0, 0)
            except OSError as error:
                first = -(error.errno or 1)
            if first == 0:
                _be_first()
            os.write(0, str(first).encode())
    finally:
        os._exit(0)


def _be_first() -> NoReturn:
    """The first process: it holds nothing, and only keeps its namespace alive."""
    try:
        kernel.prctl(kernel.PR_SET_PDEATHSIG, signal.SIGKILL)
        os.close(0)
        kernel.hold_capabilities(())
        privileges.hide()
        while True:
            signal.pause()
    finally:
        os._exit(1)


def seclude(scratch: Path, home: Path, shared: tuple[str, ...], size: str, hidden: Iterable[Path]) -> None:
    """In a child: enter a view that has only its namespace's processes, and an empty folder in place of `scratch`.

    The folder lies in memory and ends with the namespace, whatever is in it. home: a folder to mount it on. shared:
    names in the scratch folder that stay visible there, read-only. size: of the folder, as options of tmpfs. hidden:
    the paths to hide. Raises OSError if the kernel refuses.
    """
    kernel.call("unshare", _NEWNS | _NEWIPC)
    _mount("none", "/", None, _REC | _PRIVATE)
    # Read-only: /proc holds kernel settings that root may write even without capabilities.
    _mount("proc", "/proc", "proc", _NOSUID | _NODEV | _NOEXEC | _RDONLY)
    _mount("tmpfs", IN_MEMORY, "tmpfs", _NOSUID | _NODEV, f"mode=1777,size={SHARED}")
    for path in hidden:
        if path.is_dir():
            _mount("tmpfs", str(path), "tmpfs", _NOSUID | _NODEV | _RDONLY, "size=4k")
        else:
            _mount(os.devnull, str(path), None, _BIND)
    _mount("tmpfs", str(home), "tmpfs", _NOSUID | _NODEV, f"mode=700,{size}")
    for name in shared:
        source, place = scratch / name, home / name
        place.mkdir() if source.is_dir() else place.touch()
        _mount(str(source), str(place), None, _BIND | _REC)
        locked = os.statvfs(place).f_flag & (_NOSUID | _NODEV | _NOEXEC)  # flags that a remount may not drop
        _mount("none", str(place), None, _BIND | _REMOUNT | _RDONLY | locked)
    _mount(str(home), str(scratch), None, _BIND | _REC)
    os.chdir(scratch)


def _mount(source: str, place: str, kind: str | None, flags: int, data: str = "") -> None:
    kernel.call(
        "mount",
        source.encode(),
        os.fsencode(place),
        kind and kind.encode(),
        ctypes.c_ulong(flags),
        data.encode() or None,
    )
