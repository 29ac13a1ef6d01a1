"""The warm process: it forks a child for each connection handed to it, and ends each with its connection.

Unaware of what a child does with its connection. A child has PROCESSES to itself, and leaves none behind.
"""

from __future__ import annotations

import os
import select
import signal
import socket
import tempfile
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import BinaryIO, NoReturn, TypeAlias

from figmill import offspring, wire

PROCESSES = 64  # that may run at a time below a child: a pool for each core, and tools that it calls
LOOK = 0.05  # seconds between two counts

Serve: TypeAlias = Callable[[wire.Line, BinaryIO], None]  # a connection, and the file that prints go to


@dataclass(slots=True)
class _Child:
    pid: int
    connection: socket.socket
    said: BinaryIO
    why: str = ""  # it was ended, where it was


def fork_for_each(control: socket.socket, serve: Serve) -> None:
    """Serve every connection that arrives over `control` in a child of its own, until `control` is closed."""
    offspring.adopt()
    _Nursery(control, serve).run()


class _Nursery:
    """The children, by their connections' descriptors."""

    def __init__(self, control: socket.socket, serve: Serve) -> None:
        self.control, self.serve = control, serve
        self.children: dict[int, _Child] = {}
        self.poll = select.poll()

    def run(self) -> None:
        wake, woken = os.pipe()
        os.set_blocking(woken, False)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        signal.set_wakeup_fd(woken, warn_on_full_buffer=False)
        for descriptor in (self.control.fileno(), wake):
            self.poll.register(descriptor, select.POLLIN)
        counted = 0.0
        try:
            while True:
                for descriptor, _ in self.poll.poll(LOOK * 1000 if self.children else None):
                    if descriptor == wake:
                        os.read(wake, 512)
                        self.reap()
                    elif descriptor == self.control.fileno():
                        message, descriptors, _, _ = socket.recv_fds(self.control, 1, 1)
                        if not message:
                            return
                        for received in descriptors:
                            self.fork(socket.socket(fileno=received))
                    elif descriptor in self.children:  # the pool has hung up
                        self.poll.unregister(descriptor)
                        offspring.end(self.children[descriptor].pid)
                if (now := time.monotonic()) - counted >= LOOK:
                    counted = now
                    self.count()
        finally:
            for child in self.children.values():
                offspring.end(child.pid)
            offspring.end_strays(set())

    def fork(self, connection: socket.socket) -> None:
        said = tempfile.TemporaryFile(buffering=0)  # noqa: SIM115 - closed by reap
        warm = os.getpid()
        pid = os.fork()
        if pid == 0:
            offspring.end_with(warm)
            self.control.close()
            for other in self.children.values():
                other.connection.close()
                other.said.close()
            self.be(connection, said)
        self.children[connection.fileno()] = _Child(pid, connection, said)
        self.poll.register(connection, 0)  # told only when the pool hangs up

    def be(self, connection: socket.socket, said: BinaryIO) -> NoReturn:
        """What the child does, and then ends."""
        status = 1
        try:
            os.setsid()
            offspring.adopt()
            signal.set_wakeup_fd(-1)
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            os.dup2(said.fileno(), 1)
            os.dup2(said.fileno(), 2)
            self.serve(wire.Line(connection), said)
            status = 0
        finally:
            os._exit(status)

    def count(self) -> None:
        """End the children that have too many processes."""
        for child in self.children.values():
            if not child.why and len(below := offspring.living(child.pid)) > PROCESSES:
                child.why = f"had more than {PROCESSES} processes at a time and was ended"
                for pid in (child.pid, *below):
                    offspring.end(pid)

    def reap(self) -> None:
        """Tell the pool how each ended child ended, and end what it has left running."""
        for descriptor, child in list(self.children.items()):
            ended, status = os.waitpid(child.pid, os.WNOHANG)
            if ended == 0:
                continue
            offspring.end(child.pid)  # the rest of its group
            with suppress(KeyError):  # hung up before
                self.poll.unregister(descriptor)
            del self.children[descriptor]
            offspring.end_strays({other.pid for other in self.children.values()})
            with suppress(OSError):  # the pool is not interested any more
                ended_so = {"ended": os.waitstatus_to_exitcode(status), "why": child.why}
                wire.send(wire.Line(child.connection), {**ended_so, "said": wire.tail(child.said)})
            child.connection.close()
            child.said.close()
