"""Processes that draw, or make something of drawings: started, reached, and ended.

Unaware of jobs' order and of what becomes of a drawing. Writes nothing but a scratch folder that is gone afterwards.
"""

from __future__ import annotations

import json
import os
import select
import socket
import subprocess
import sys
import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict
from pathlib import Path
from typing import Any, TypeAlias

from figmill import offspring, sandbox, wire, worker
from figmill.errors import ToolError
from figmill.kinds import typefaces
from figmill.scratch import Scratch

START = 90.0  # seconds that loading all libraries may take, from a slow disk
Answer: TypeAlias = tuple[dict[str, Any], bytes]

_BOOT = "import sys; sys.path[:] = {path!r}; from figmill.worker import main; main(sys.argv[1])"


@contextmanager
def opened(
    root: Path,
    kinds: tuple[str, ...],
    fonts: Sequence[Path],
    folder: Path | None = None,
    enclosure: str = "auto",
    first: Callable[[], object] | None = None,
    read: Sequence[Path] = (),
) -> Iterator[Site]:
    """Warm processes and their scratch folder (in `folder`); both are gone afterwards.

    first: a function of a module, to be called in the warm process before it is asked for anything.
    read: what there is to read outside the book.
    """
    with Scratch(folder) as name:
        scratch = Path(name)
        try:
            configuration = typefaces.fontconfig(scratch / "typefaces", fonts)
        except OSError as error:
            raise ToolError(
                f"cannot write temporary files below {scratch}: {error.strerror}", code=1
            ) from error
        environment = sandbox.environment(scratch, configuration)
        way = os.environ.get("FIGMILL_WORKERS") or ("fork" if sys.platform == "linux" else "stay")
        call = "" if first is None else f"{first.__module__}:{first.__qualname__}"
        files, more = tuple(map(str, fonts)), tuple(map(str, read))
        setting = worker.Setting(str(root), str(scratch), kinds, way, files, enclosure, call, more)
        with (_Forked if way == "fork" else _Kept)(setting, environment) as site:
            yield site


def _start(setting: worker.Setting, environment: dict[str, str], **options: Any) -> subprocess.Popen[bytes]:
    boot = _BOOT.format(path=library_path(Path(setting.root)))
    command = [sys.executable, "-s", "-P", "-c", boot, json.dumps(asdict(setting))]
    also = [Path(path) for path in (*setting.fonts, *setting.read)]
    command = sandbox.enclosed(command, Path(setting.scratch), setting.enclosure, Path(setting.root), also)
    return subprocess.Popen(command, env=environment, cwd=setting.scratch, **options)


def library_path(root: Path) -> list[str]:
    """sys.path without the book: it may come last for scripts, never first for libraries."""
    home = str(Path(__file__).parent.parent)
    kept = [path for path in sys.path if path and Path(path).resolve() != root]
    return kept if home in kept else [*kept, home]


class Connection:
    """A line to one process; closing it ends that process. is_ready: it has said that it is there to be asked."""

    def __init__(self, line: wire.Line, process: subprocess.Popen[bytes], is_ready: bool) -> None:
        self.line, self.process, self.is_ready = line, process, is_ready

    def greet(self) -> None:
        """Hear that the process is there. Raises ToolError where it could not start."""
        _await_ready(self.line, self.process)
        self.is_ready = True

    def ask(self, header: dict[str, Any], payload: bytes = b"", seconds: float | None = None) -> None:
        """Send a message that is to be answered within so many seconds."""
        self.line.until = None if seconds is None else time.monotonic() + seconds
        with suppress(OSError):  # `answer` will find out
            wire.send(self.line, header, payload)

    def answer(self) -> Answer | None:
        """The answer; None where the process died, was ended, or the time is over."""
        try:
            return wire.receive(self.line)
        except (OSError, ValueError):
            return None

    def close(self) -> None:
        _hang_up(self.line.connection)


class _Own(Connection):
    """A line to a process that serves nobody else."""

    def close(self) -> None:
        super().close()
        _end_group(self.process)


class Site(ABC):
    """Where processes are to be had. Safe for several threads."""

    def __init__(self, setting: worker.Setting, environment: dict[str, str]) -> None:
        self.setting, self.environment = setting, environment
        self.closed = False
        self.open: set[Connection] = set()
        self.lock = threading.Lock()

    def __enter__(self) -> Site:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def hang_up(self) -> None:
        """Ask for nothing any more: the processes end by themselves."""
        with self.lock:
            self.closed = True
            for connection in self.open:
                connection.close()
            self.open.clear()

    def close(self) -> None:
        """Hang up, and wait for the end."""
        self.hang_up()

    def connect(self) -> Connection | None:
        """A line to a new process; None where the site was closed."""
        if self.closed:
            return None
        connection = self._connect()
        with self.lock:
            self.open.add(connection)
        if self.closed:  # meanwhile: nobody else would end it
            connection.close()
        return connection

    def leave(self, connection: Connection) -> None:
        """End a process that is not asked any more."""
        with self.lock:
            self.open.discard(connection)
        connection.close()

    @abstractmethod
    def _connect(self) -> Connection: ...

    @property
    @abstractmethod
    def parts(self) -> bool:
        """Whether a new process costs so little that each script is given its own."""


class _Forked(Site):
    """One warm process that forks a child for each connection."""

    def __init__(self, setting: worker.Setting, environment: dict[str, str]) -> None:
        super().__init__(setting, environment)
        self.control, other = socket.socketpair()
        self.process = _start(setting, environment, stdin=other, stdout=subprocess.DEVNULL,
                              stderr=subprocess.PIPE, start_new_session=True)  # fmt: skip
        other.close()
        self.is_ready = False

    @property
    def parts(self) -> bool:
        return True

    def _connect(self) -> Connection:
        with self.lock:
            if not self.is_ready:
                _await_ready(_starting(self.control), self.process)
                self.is_ready = True
            ours, theirs = socket.socketpair()
            socket.send_fds(self.control, [b"+"], [theirs.fileno()])
            theirs.close()
        return Connection(wire.Line(ours), self.process, is_ready=True)

    def hang_up(self) -> None:
        super().hang_up()
        _hang_up(self.control)

    def close(self) -> None:
        super().close()
        if not self.is_ready:  # nobody has asked it for anything: it need not load the rest first
            offspring.end_started(self.process)
        _end(self.process)


class _Kept(Site):
    """A spawned process for each connection, which serves one job after the other."""

    @property
    def parts(self) -> bool:
        return False

    def _connect(self) -> Connection:
        ours, theirs = socket.socketpair()
        process = _start(self.setting, self.environment, stdin=theirs, stdout=subprocess.DEVNULL,
                         stderr=subprocess.PIPE, start_new_session=True)  # fmt: skip
        theirs.close()
        return _Own(_starting(ours), process, is_ready=False)


def _hang_up(connection: socket.socket) -> None:
    try:
        connection.shutdown(socket.SHUT_RDWR)
    except OSError:
        pass  # the other side was faster
    connection.close()


def _end(process: subprocess.Popen[bytes]) -> None:
    if hasattr(os, "pidfd_open") and process.returncode is None:
        descriptor = os.pidfd_open(process.pid)  # told at once, where wait() looks again and again
        waiting = select.poll()
        waiting.register(descriptor, select.POLLIN)
        waiting.poll(1000)
        os.close(descriptor)
    try:
        process.wait(timeout=1)
    except subprocess.TimeoutExpired:
        offspring.end_started(process)
        process.wait()
    if process.stderr:
        process.stderr.close()


def _end_group(process: subprocess.Popen[bytes]) -> None:
    """End a process that keeps nothing, with whatever its scripts have left running."""
    offspring.end_started(process)
    _end(process)


def _starting(connection: socket.socket) -> wire.Line:
    """A line on which a process is to say in time that it is there; from then on each question has its own time."""
    return wire.Line(connection, time.monotonic() + START)


def _await_ready(line: wire.Line, process: subprocess.Popen[bytes]) -> None:
    try:
        message = wire.receive(line)
    except TimeoutError:
        offspring.end_started(process)
        raise ToolError(f"the drawing process did not start within {START:g} s, and was ended") from None
    if message is None:
        said = process.stderr.read().decode("utf-8", "replace").strip() if process.stderr else ""
        raise ToolError(f"the drawing process did not start: {said or 'it said nothing'}")
    if "tool_error" in message[0]:
        raise ToolError(message[0]["tool_error"])
