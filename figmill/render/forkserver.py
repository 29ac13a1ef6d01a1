"""The warm process: it forks a child for each connection handed to it, and ends each with its connection.

Unaware of what a child does with its connection. A child has PROCESSES to itself, and leaves none behind; it has a
folder of its own, a bound on what all its processes hold in memory, and no way to those of other children.
"""

from __future__ import annotations

import json
import os
import select
import shutil
import signal
import socket
import tempfile
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, NoReturn, TypeAlias

from figmill.enclosure import privileges, process_tree, seccomp
from figmill.enclosure.namespaces import Namespace, Nest, seclude
from figmill.render import protocol

PROCESSES = 64  # that may run at a time below a child: a pool for each core, and tools that it calls
LOOK = 0.05  # seconds between two counts
HOMES = ("HOME", "USERPROFILE", "TMPDIR", "TMP", "TEMP")  # variables that name a folder to write to


@dataclass(frozen=True, slots=True)
class Means:
    """What a child has to do with the world. said: the file that prints go to; home: the folder for what it writes."""

    said: BinaryIO
    home: Path
    binding: int = -1  # a descriptor

    def bind(self, memory: int, words: str) -> None:
        """Say, once and before an author's code runs, how many bytes all processes may hold, and what to say then."""
        with suppress(OSError):  # it is said already, or nobody wants to know
            os.write(self.binding, json.dumps([memory, words]).encode())
            os.close(self.binding)


Serve: TypeAlias = Callable[[protocol.Line, Means], None]


@dataclass(frozen=True, slots=True)
class Enclosure:
    """Where children live. scratch: the folder that theirs are in; nest: makes namespaces, where they can be had.

    is_loose: they may write wherever this process may.
    """

    scratch: Path
    nest: Nest | None = None
    is_loose: bool = False


@dataclass(slots=True)
class _Child:
    pid: int
    connection: socket.socket
    said: BinaryIO
    home: Path
    bound: int  # a descriptor, on which it says once what it may hold in memory
    namespace: Namespace | None
    memory: tuple[int, str] | None = None
    why: str = ""  # it was ended, where it was

    @property
    def processes(self) -> list[int]:
        """All that it has started and that runs still."""
        orphans = [] if self.namespace is None else process_tree.living(self.namespace.first)
        return [*process_tree.living(self.pid), *orphans]

    def let_go(self) -> None:
        """Close all that is held for it."""
        self.connection.close()
        self.said.close()
        os.close(self.bound)


def fork_for_each(control: socket.socket, serve: Serve, enclosure: Enclosure) -> None:
    """Serve every connection that arrives over `control` in a child of its own, until `control` is closed."""
    process_tree.adopt()
    seccomp.prepare()
    _Nursery(control, serve, enclosure).run()


class _Nursery:
    """The children, by their connections' descriptors."""

    def __init__(self, control: socket.socket, serve: Serve, enclosure: Enclosure) -> None:
        self.control, self.serve, self.enclosure = control, serve, enclosure
        self.children: dict[int, _Child] = {}
        self.ending: dict[int, tuple[_Child, int]] = {}  # with exit status, by their namespaces' descriptors
        self.poll = select.poll()
        self.kept = tuple(sorted(os.listdir(enclosure.scratch)))
        self.homes = Path(tempfile.mkdtemp(prefix="homes-", dir=enclosure.scratch))
        self.warm = process_tree.resident(os.getpid())
        self.wake, self.woken = os.pipe()

    def run(self) -> None:
        os.set_blocking(self.woken, False)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        signal.set_wakeup_fd(self.woken, warn_on_full_buffer=False)
        for descriptor in (self.control.fileno(), self.wake):
            self.poll.register(descriptor, select.POLLIN)
        counted = 0.0
        try:
            while True:
                for descriptor, _ in self.poll.poll(LOOK * 1000 if self.children else None):
                    if descriptor == self.wake:
                        os.read(self.wake, 512)
                        self.reap()
                    elif descriptor == self.control.fileno():
                        message, descriptors, _, _ = socket.recv_fds(self.control, 1, 1)
                        if not message:
                            return
                        for received in descriptors:
                            self.take(socket.socket(fileno=received))
                    elif descriptor in self.ending:
                        self.finish(*self.ending.pop(descriptor))
                    elif descriptor in self.children:  # the pool has hung up
                        self.poll.unregister(descriptor)
                        process_tree.end(self.children[descriptor].pid)
                if (now := time.monotonic()) - counted >= LOOK:
                    counted = now
                    self.count()
        finally:
            for child in self.children.values():
                process_tree.end(child.pid)
            process_tree.end_strays(set())

    def take(self, connection: socket.socket) -> None:
        """Serve a connection, or tell the pool why that cannot be."""
        try:
            self.fork(connection)
        except OSError as error:
            why = f"no process could be started for it: {error.strerror}"
            with suppress(OSError):
                protocol.send(protocol.Line(connection), {"ended": 1, "why": why, "said": ""})
            connection.close()

    def fork(self, connection: socket.socket) -> None:
        said = tempfile.TemporaryFile(buffering=0)  # noqa: SIM115 - closed by reap
        home = Path(tempfile.mkdtemp(dir=self.homes))
        namespace = None
        if self.enclosure.nest is not None:
            namespace = self.enclosure.nest.namespace()
            namespace.join()
        bound, binding = os.pipe()
        os.set_blocking(bound, False)
        warm = os.getpid()
        pid = os.fork()
        if pid == 0:
            if namespace is None:  # which ends with the warm process by itself
                process_tree.end_with(warm)
            self.be(connection, Means(said, home, binding), bound, namespace)
        os.close(binding)
        self.children[connection.fileno()] = _Child(pid, connection, said, home, bound, namespace)
        self.poll.register(connection, 0)  # told only when the pool hangs up

    def be(
        self, connection: socket.socket, means: Means, bound: int, namespace: Namespace | None
    ) -> NoReturn:
        """What the child does, and then ends."""
        status = 1
        try:
            signal.set_wakeup_fd(-1)
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            self.forget(bound, namespace)
            os.setsid()
            process_tree.adopt()
            os.dup2(means.said.fileno(), 1)
            os.dup2(means.said.fileno(), 2)
            self.serve(protocol.Line(connection), self.enclosed(means))
            status = 0
        finally:
            os._exit(status)

    def forget(self, bound: int, namespace: Namespace | None) -> None:
        """In a child: let go of what is its parent's and its siblings'."""
        self.control.close()
        if self.enclosure.nest is not None:
            self.enclosure.nest.close()
        for descriptor in (self.wake, self.woken, bound):
            os.close(descriptor)
        others = [*self.children.values(), *(child for child, _ in self.ending.values())]
        for other in others:
            other.let_go()
        for one in (namespace, *(other.namespace for other in others)):
            if one is not None:
                os.close(one.descriptor)

    def enclosed(self, means: Means) -> Means:
        """In a child: give up all that is not needed, and the sight of all that is another's."""
        scratch, home = self.enclosure.scratch, means.home
        if self.enclosure.nest is not None:
            seclude(scratch, home, self.kept)
            home = scratch  # where its own folder is to be seen from now on
        os.environ.update(dict.fromkeys(HOMES, str(home)))
        tempfile.tempdir = None
        privileges.give_up(None if self.enclosure.is_loose else (str(home),))
        return Means(means.said, home, means.binding)

    def count(self) -> None:
        """End the children that have too many processes, or too much in memory."""
        for child in self.children.values():
            if not child.why:
                below = child.processes
                child.why = self.excess(child, below)
                if child.why:
                    for pid in (child.pid, *below):
                        process_tree.end(pid)

    def excess(self, child: _Child, below: list[int]) -> str:
        """What a child has too much of; empty where there is nothing of the kind."""
        if len(below) > PROCESSES:
            return f"had more than {PROCESSES} processes at a time and was ended"
        child.memory = child.memory or _heard(child.bound)
        if child.memory is None or not below:  # of one process the kernel itself sees to it
            return ""
        memory, words = child.memory
        # Each has this process's libraries in its memory, too, which the limit does not count.
        return words if process_tree.hold_more_than(memory, [child.pid, *below], self.warm) else ""

    def reap(self) -> None:
        """End what each ended child has left running; then tell the pool how it ended."""
        for descriptor, child in list(self.children.items()):
            ended, status = os.waitpid(child.pid, os.WNOHANG)
            if ended == 0:
                continue
            process_tree.end(child.pid)  # the rest of its group
            with suppress(KeyError):  # hung up before
                self.poll.unregister(descriptor)
            del self.children[descriptor]
            if child.namespace is None:
                self.finish(child, status)
            else:  # which takes the kernel some milliseconds, and nobody waits for it here
                child.namespace.end()
                self.ending[child.namespace.descriptor] = child, status
                self.poll.register(child.namespace.descriptor, select.POLLIN)

    def finish(self, child: _Child, status: int) -> None:
        """Tell the pool how a child ended, of which nothing runs any more."""
        if child.namespace is not None:
            self.poll.unregister(child.namespace.descriptor)
            os.close(child.namespace.descriptor)
        nest = set() if self.enclosure.nest is None else {self.enclosure.nest.pid}
        process_tree.end_strays(nest | {other.pid for other in self.children.values()})
        with suppress(OSError):  # the pool is not interested any more
            ended_so = {"ended": os.waitstatus_to_exitcode(status), "why": child.why}
            protocol.send(protocol.Line(child.connection), {**ended_so, "said": protocol.tail(child.said)})
        child.let_go()
        shutil.rmtree(child.home, ignore_errors=True)


def _heard(bound: int) -> tuple[int, str] | None:
    """What a child has said of its memory; None: nothing yet."""
    try:
        said = os.read(bound, 4096)
    except BlockingIOError:
        return None
    if not said:
        return None
    memory, words = json.loads(said)
    return memory, words
