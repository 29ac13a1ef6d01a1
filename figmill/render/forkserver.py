"""The fork server: the warm process forks a child for each connection, and ends it with its connection.

A child may have at most PROCESSES processes and THREADS threads, and leaves none behind. It has a folder of its own
with a quota, a limit on the memory of all its processes together, and no access to other children. Unaware of what a
child does.
"""

from __future__ import annotations

import json
import os
import select
import signal
import socket
import tempfile
import time
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO, NoReturn, TypeAlias

from figmill.enclosure import limits, privileges, process_tree, seccomp, usage, view
from figmill.enclosure.mode import Mode
from figmill.enclosure.namespaces import IN_MEMORY, Namespace, NamespaceServer, seclude
from figmill.host import trees
from figmill.late_dataclasses import dataclass
from figmill.render import open_watch, protocol

PROCESSES = 64  # below one child at a time: enough for a process pool on many cores
THREADS = 256  # of all these processes together
MENTIONED = 1 << 20  # bytes of temporary files from which a message about memory mentions them
INTERVAL = 0.05  # seconds between two checks of the limits
SLICE = 0.02  # seconds of clearing at a time: a script may have made a million files, and other children wait
SLICES = 500  # of clearing one child's folder; the rest is removed at the end of the build
# Variables that name a folder to write to.
HOMES = (
    "HOME",
    "USERPROFILE",
    "TMPDIR",
    "TMP",
    "TEMP",
    "XDG_CACHE_HOME",
)


@dataclass(frozen=True, slots=True)
class ChildContext:
    """What a child works with.

    - output: the file that receives its prints.
    - home: the folder that it may write to.
    - limit_write: the descriptor of a pipe on which the child states its memory limit once.
    - opens: the descriptor of the watch on the files that it opens; -1: none.
    """

    output: BinaryIO
    home: Path
    limit_write: int = -1
    opens: int = -1

    def state_limit(self, memory: int, message: str) -> None:
        """State the memory limit, in bytes of all processes together, and the message for a child that exceeds it.

        Call it once, before an author's code runs.
        """
        with suppress(OSError):  # stated before, or outside of a fork server
            os.write(self.limit_write, json.dumps([memory, message]).encode())
            os.close(self.limit_write)


@dataclass(slots=True)
class _Left:
    """A folder of a child that has ended."""

    home: str
    slices: int = 0  # how often it was cleared


Serve: TypeAlias = Callable[[protocol.Channel, ChildContext], None]


@dataclass(frozen=True, slots=True)
class Enclosure:
    """The limits of all children.

    - scratch: holds their folders.
    - namespaces: None if the kernel refuses them.
    - root: the book.
    """

    root: Path
    scratch: Path
    mode: Mode
    namespaces: NamespaceServer | None = None


@dataclass(slots=True)
class _Child:
    pid: int
    connection: socket.socket
    output: BinaryIO
    home: Path
    limit_read: int  # the other end of ChildContext.limit_write
    namespace: Namespace | None
    memory: tuple[int, str] | None = None  # the limit in bytes, and the message for a child that exceeds it
    why: str = ""  # why the server ended it; empty: it did not
    peak: int = 0  # its peak memory in bytes, beyond that of the warm process

    @property
    def processes(self) -> list[int]:
        """The running processes that it has started."""
        orphans = [] if self.namespace is None else process_tree.living(self.namespace.first)
        return [*process_tree.living(self.pid), *orphans]

    def close(self) -> None:
        """Close the descriptors that the server holds for it."""
        self.connection.close()
        self.output.close()
        os.close(self.limit_read)


def fork_for_each(control: socket.socket, serve: Serve, enclosure: Enclosure) -> None:
    """Fork a child for every connection that arrives over `control`, until `control` is closed."""
    process_tree.adopt()
    seccomp.prepare(enclosure.mode)
    _ForkServer(control, serve, enclosure).run()


class _ForkServer:
    """The loop of the warm process. `children` are keyed by the descriptors of their connections."""

    def __init__(self, control: socket.socket, serve: Serve, enclosure: Enclosure) -> None:
        self.control, self.serve, self.enclosure = control, serve, enclosure
        self.children: dict[int, _Child] = {}
        self.ending: dict[int, tuple[_Child, int]] = {}  # children with exit status, by namespace descriptor
        self.left: deque[_Left] = deque()
        self.poll = select.poll()
        self.shared = tuple(sorted(os.listdir(enclosure.scratch)))
        self.homes = Path(tempfile.mkdtemp(prefix="homes-", dir=enclosure.scratch))
        self.warm_memory = usage.of(os.getpid()).memory
        self.wake, self.woken = os.pipe()

    def run(self) -> None:
        os.set_blocking(self.woken, False)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        signal.set_wakeup_fd(self.woken, warn_on_full_buffer=False)
        for descriptor in (self.control.fileno(), self.wake):
            self.poll.register(descriptor, select.POLLIN)
        checked_at = 0.0
        try:
            while True:
                ready = {number for number, _ in self.poll.poll(self.patience())}
                # Handle first what the pool closed before it asked for more.
                if self.control.fileno() in ready:
                    ready |= {number for number, _ in self.poll.poll(0)}
                for descriptor in ready - {self.control.fileno()}:
                    self.attend(descriptor)
                if self.control.fileno() in ready:
                    message, descriptors, _, _ = socket.recv_fds(self.control, 1, 1)
                    if not message:
                        return
                    for received in descriptors:
                        self.accept(socket.socket(fileno=received))
                if (now := time.monotonic()) - checked_at >= INTERVAL:
                    checked_at = now
                    self.check_limits()
                self.clear()
        finally:
            for child in self.children.values():
                process_tree.end(child.pid)
            process_tree.end_strays(set())

    def patience(self) -> float | None:
        """How long to wait for an event, in ms; None: without limit."""
        if self.left:
            return 0
        return INTERVAL * 1000 if self.children else None

    def clear(self) -> None:
        """Remove a part of the files that an ended child left."""
        if self.left:
            left = self.left[0]
            left.slices += 1
            if trees.remove(left.home, seconds=SLICE) or left.slices >= SLICES:
                self.left.popleft()

    def attend(self, descriptor: int) -> None:
        """Handle an event on a descriptor other than `control`."""
        if descriptor == self.wake:
            os.read(self.wake, 512)
            self.reap()
        elif descriptor in self.ending:
            self.finish(*self.ending.pop(descriptor))
        elif descriptor in self.children:  # the pool has closed the connection
            self.poll.unregister(descriptor)
            child = self.children[descriptor]
            process_tree.end(child.pid)
            if child.namespace is None:  # the next child would see what this one has left running
                os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT)
                self.reap()

    def accept(self, connection: socket.socket) -> None:
        """Fork a child for a connection, or tell the pool why that failed."""
        try:
            self.fork_child(connection)
        except OSError as error:
            why = f"figmill could not start a process for it: {error.strerror}"
            with suppress(OSError):
                protocol.send(protocol.Channel(connection), {"ended": 1, "why": why, "printed": ""})
            connection.close()

    def fork_child(self, connection: socket.socket) -> None:
        output = tempfile.TemporaryFile(buffering=0)  # noqa: SIM115 - closed by reap
        home = Path(tempfile.mkdtemp(dir=self.homes))
        namespace = None
        if self.enclosure.namespaces is not None:
            namespace = self.enclosure.namespaces.namespace()
            namespace.join()
        limit_read, limit_write = os.pipe()
        os.set_blocking(limit_read, False)
        warm = os.getpid()
        pid = os.fork()
        if pid == 0:
            if namespace is None:  # a namespace ends with the warm process by itself
                process_tree.end_with(warm)
            self.run_child(connection, ChildContext(output, home, limit_write), limit_read, namespace)
        os.close(limit_write)
        self.children[connection.fileno()] = _Child(pid, connection, output, home, limit_read, namespace)
        self.poll.register(connection, 0)  # no events but a hang-up

    def run_child(
        self, connection: socket.socket, context: ChildContext, limit_read: int, namespace: Namespace | None
    ) -> NoReturn:
        """In the child: serve the connection, then exit."""
        status = 1
        try:
            signal.set_wakeup_fd(-1)
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            self.close_inherited(limit_read, namespace)
            os.setsid()
            process_tree.adopt()
            os.dup2(context.output.fileno(), 1)
            os.dup2(context.output.fileno(), 2)
            self.serve(protocol.Channel(connection), self.enclose(context))
            status = 0
        finally:
            os._exit(status)

    def close_inherited(self, limit_read: int, namespace: Namespace | None) -> None:
        """In a child: close the descriptors of its parent and its siblings."""
        self.control.close()
        if self.enclosure.namespaces is not None:
            self.enclosure.namespaces.close()
        for descriptor in (self.wake, self.woken, limit_read):
            os.close(descriptor)
        others = [*self.children.values(), *(child for child, _ in self.ending.values())]
        for other in others:
            other.close()
        for space in (namespace, *(other.namespace for other in others)):
            if space is not None:
                os.close(space.descriptor)

    def enclose(self, context: ChildContext) -> ChildContext:
        """In a child: give up privileges, and enter a view that shows nothing of other children."""
        scratch, home = self.enclosure.scratch, context.home
        if self.enclosure.namespaces is not None:
            seclude(
                scratch,
                home,
                self.shared,
                f"size={limits.SCRATCH},nr_inodes={limits.ENTRIES}",
                view.uncovered(self.enclosure.root),
            )
            home = scratch  # where the child sees its own folder from now on
        os.environ.update(dict.fromkeys(HOMES, str(home)))
        tempfile.tempdir = None
        opens = open_watch.begin()  # an author's code cannot begin one
        mode = self.enclosure.mode
        privileges.give_up(mode, None if mode is Mode.OFF else (str(home),))
        return ChildContext(context.output, home, context.limit_write, opens)

    def check_limits(self) -> None:
        """End the children that are over one of their limits."""
        for child in self.children.values():
            if not child.why:
                below = child.processes
                child.why = self.excess(child, below)
                if child.why:
                    for pid in (child.pid, *below):
                        process_tree.end(pid)

    def excess(self, child: _Child, below: list[int]) -> str:
        """The message for a child that is over a limit; empty if it is not."""
        if len(below) > PROCESSES:
            return f"started more than {PROCESSES} processes at a time, so figmill ended it"
        pids = [child.pid, *below]
        taken = {pid: usage.of(pid) for pid in pids}
        if sum(process.threads for process in taken.values()) > THREADS:
            return f"started more than {THREADS} threads at a time, so figmill ended it"
        child.memory = child.memory or _stated_limit(child.limit_read)
        if child.memory is None:
            return ""
        files = 0
        if child.namespace is not None:  # its files are in memory, and the kernel holds them to their size
            files = usage.held_in(child.pid, (str(self.enclosure.scratch), IN_MEMORY))
        elif usage.is_over(str(child.home), pids, limits.SCRATCH, limits.ENTRIES):
            return f"wrote {limits.MUCH} to its folder for temporary files, so figmill ended it"
        memory, message = child.memory
        # Each process also maps the libraries of the warm process, which the limit does not count.
        if not usage.hold_more_than(memory, taken, self.warm_memory, files):
            return ""
        return f"{message}; {files >> 20} MiB of it are temporary files" if files >= MENTIONED else message

    def reap(self) -> None:
        """For each child that has ended: end what it left running, then tell the pool how it ended."""
        for descriptor, child in list(self.children.items()):
            ended, status, usage = os.wait4(child.pid, os.WNOHANG)
            if ended == 0:
                continue
            child.peak = max(0, (usage.ru_maxrss << 10) - self.warm_memory)
            process_tree.end(child.pid)  # the rest of its group
            with suppress(KeyError):  # unregistered when the pool hung up
                self.poll.unregister(descriptor)
            del self.children[descriptor]
            if child.namespace is None:
                self.finish(child, status)
            else:  # the kernel needs some milliseconds to end a namespace: do not wait here
                child.namespace.end()
                self.ending[child.namespace.descriptor] = child, status
                self.poll.register(child.namespace.descriptor, select.POLLIN)

    def finish(self, child: _Child, status: int) -> None:
        """Tell the pool how a child ended. None of its processes is running."""
        if child.namespace is not None:
            self.poll.unregister(child.namespace.descriptor)
            os.close(child.namespace.descriptor)
        nest = set() if self.enclosure.namespaces is None else {self.enclosure.namespaces.pid}
        process_tree.end_strays(nest | {other.pid for other in self.children.values()})
        with suppress(OSError):  # the pool has closed the connection
            ending = {"ended": os.waitstatus_to_exitcode(status), "why": child.why, "peak": child.peak}
            protocol.send(
                protocol.Channel(child.connection), {**ending, "printed": protocol.tail(child.output)}
            )
        child.close()
        self.left.append(_Left(str(child.home)))
        self.clear()


def _stated_limit(limit_read: int) -> tuple[int, str] | None:
    """The memory limit that a child has stated, with its message; None if it has not yet."""
    try:
        data = os.read(limit_read, 4096)
    except BlockingIOError:
        return None
    if not data:
        return None
    memory, message = json.loads(data)
    return memory, message
