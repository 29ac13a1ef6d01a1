"""A view of the machine for each script: processes, files to write to, and shared memory of its own.

Linux, inside of bubblewrap, where the warm process holds the capabilities that this takes (sandbox.NESTING).
Standard library only. Unaware of figures.

A PID namespace ends with its first process. That is a tiny one, which a `Nest` keeps ready to make: forked before the
libraries are loaded, so that it costs next to nothing. The warm process joins the namespace only for the moment in
which it forks a child into it, and so remains that child's parent, which is told how it ended.
"""

from __future__ import annotations

import ctypes
import os
import signal
import socket
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn

from figmill.enclosure import kernel, privileges
from figmill.enclosure.seccomp import MACHINES

# linux/sched.h, linux/mount.h
_NEWNS, _NEWIPC, _NEWPID = 0x20000, 0x08000000, 0x20000000
_RDONLY, _NOSUID, _NODEV, _NOEXEC, _REMOUNT, _BIND, _REC, _PRIVATE = (
    1, 2, 4, 8, 0x20, 0x1000, 0x4000, 1 << 18,
)  # fmt: skip
SHARED = 256 << 20  # bytes that the processes of one script may share below /dev/shm


@dataclass(frozen=True, slots=True)
class Namespace:
    """A PID namespace. first: the process that it ends with; descriptor: of that process."""

    first: int
    descriptor: int

    def join(self) -> None:
        """What this process forks from now on is in the namespace, until it joins another."""
        kernel.call("setns", self.descriptor, _NEWPID)

    def end(self) -> None:
        """Begin to end all that runs in it: `descriptor` can be read when that is done."""
        with suppress(ProcessLookupError):
            signal.pidfd_send_signal(self.descriptor, signal.SIGKILL)


class Nest:
    """Makes namespaces, one after the other."""

    def __init__(self) -> None:
        """Forks: to be made before there are threads, and before the process has grown."""
        self._line, theirs = socket.socketpair()
        self.pid = os.fork()
        if self.pid == 0:
            _make(theirs)
        theirs.close()

    def namespace(self) -> Namespace:
        """A new one. Raises OSError where the kernel refuses it."""
        self._line.sendall(b"+")
        answer = self._line.recv(32)
        if not answer or int(answer) < 0:
            raise OSError(-int(answer or b"-1"), "no namespace for processes")
        first = int(answer)
        return Namespace(first, os.pidfd_open(first))

    def close(self) -> None:
        """In a child: it has no business with it."""
        self._line.close()


def _make(line: socket.socket) -> NoReturn:
    """The nest's own process: one first process for each byte that it is sent."""
    try:
        kernel.prctl(kernel.PR_SET_PDEATHSIG, signal.SIGKILL)
        privileges.hide()
        kernel.prctl(kernel.PR_SET_NO_NEW_PRIVS, 1)
        kernel.bound_capabilities(())
        signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # so that nobody has to ask after those that have ended
        kept = line.detach()
        os.dup2(kept, 0)
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
    """Do nothing, and be nothing that is worth having."""
    try:
        kernel.prctl(kernel.PR_SET_PDEATHSIG, signal.SIGKILL)
        os.close(0)
        kernel.hold_capabilities(())
        privileges.hide()
        while True:
            signal.pause()
    finally:
        os._exit(1)


def seclude(scratch: Path, home: Path, kept: tuple[str, ...]) -> None:
    """In a child: see no processes but those of its namespace, and `home` in the place of the scratch folder.

    kept: what the scratch folder has in it that is to be seen there still, and not to be changed.
    Raises OSError where the kernel refuses it.
    """
    kernel.call("unshare", _NEWNS | _NEWIPC)
    _mount("none", "/", None, _REC | _PRIVATE)
    # Not to be written: root owns the settings of the kernel in it, whatever it has given up.
    _mount("proc", "/proc", "proc", _NOSUID | _NODEV | _NOEXEC | _RDONLY)
    _mount("tmpfs", "/dev/shm", "tmpfs", _NOSUID | _NODEV, f"mode=1777,size={SHARED}")
    for name in kept:
        source, place = scratch / name, home / name
        place.mkdir() if source.is_dir() else place.touch()
        _mount(str(source), str(place), None, _BIND | _REC)
        locked = os.statvfs(place).f_flag & (_NOSUID | _NODEV | _NOEXEC)  # may not be taken away
        _mount("none", str(place), None, _BIND | _REMOUNT | _RDONLY | locked)
    _mount(str(home), str(scratch), None, _BIND | _REC)
    os.chdir(scratch)


def _mount(source: str, place: str, kind: str | None, flags: int, data: str = "") -> None:
    kernel.call(
        "mount", source.encode(), os.fsencode(place), kind and kind.encode(),
        ctypes.c_ulong(flags), data.encode() or None,
    )  # fmt: skip
