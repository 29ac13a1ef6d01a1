"""Launchers: they start the processes that draw or run follow-ups, and restart them if they die.

Unaware of the order of jobs and of the use of a drawing. Writes only to a scratch folder, which it removes.
"""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import threading
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict
from pathlib import Path
from typing import Any

from figmill.enclosure import process_tree, sandbox
from figmill.errors import ToolError
from figmill.paths import PACKAGE, this_python
from figmill.render import protocol
from figmill.render.connection import (
    START,
    DeadError,
    EndedError,
    OwnConnection,
    WorkerConnection,
    await_ready,
    end_for_good,
    hang_up,
    starting,
    was_killed,
)
from figmill.render.temp_dirs import Scratch

STARTS = 3  # tries to start a process that is killed before it is ready
DEATHS = 32  # of the warm process in one build, after which it is not started again

# The loaded libraries stay: the garbage collector would search them again and again for nothing. `main` turns it on
# again.
_BOOT = (
    "import gc, sys; gc.disable(); sys.path[:] = {path!r}; "
    "from figmill.render.worker import main; main(sys.argv[1])"
)


def way_here() -> str:
    """How processes serve jobs here (worker.py): `fork` or `stay`."""
    return os.environ.get("FIGMILL_WORKERS") or ("fork" if sys.platform == "linux" else "stay")


@contextmanager
def opened(
    root: Path,
    kinds: tuple[str, ...],
    fonts: Sequence[Path],
    folder: Path | None = None,
    enclosure: str = "auto",
    preload: str = "",
    read: Sequence[Path] = (),
) -> Iterator[Launcher]:
    """A launcher with a scratch folder (in `folder`) of its own; both are gone afterwards.

    preload: `module:function`, called in the warm process before its first job; empty: nothing.
    read: files and folders outside the book that scripts may read.
    """
    with Scratch(folder) as name:
        scratch = Path(name)
        environment = sandbox.environment(scratch)
        way = way_here()
        files, more = tuple(map(str, fonts)), tuple(map(str, read))
        setting = protocol.WorkerSetup(str(root), str(scratch), kinds, way, files, enclosure, preload, more)
        with (_ForkLauncher if way == "fork" else _SpawnLauncher)(setting, environment) as launcher:
            yield launcher


def start_process(
    setting: protocol.WorkerSetup, environment: dict[str, str], **options: Any
) -> subprocess.Popen[bytes]:
    """Start a process of this setting in its sandbox. Launchers start all their processes here, and nowhere else.

    environment: all of its variables. options: of Popen. Raises OSError, and ToolError where a sandbox is required and
    missing.
    """
    boot = _BOOT.format(path=library_path(Path(setting.root)))
    python, more = _python()
    command = [python, "-s", "-P", "-c", boot, json.dumps(asdict(setting))]
    also = [Path(path) for path in (*setting.fonts, *setting.read)]
    command = sandbox.enclosed(command, Path(setting.scratch), setting.enclosure, Path(setting.root), also)
    return subprocess.Popen(command, env={**environment, **more}, cwd=setting.scratch, **options)


def _python() -> tuple[str, dict[str, str]]:
    """The Python to start, and the variables that it needs.

    On Windows, that of a virtual environment only starts the real one, which then has another process number: it could
    not be given a socket. So the real one is started, and told whose place it takes, as multiprocessing does.
    """
    real: str = getattr(sys, "_base_executable", sys.executable)
    if sys.platform == "win32" and real != sys.executable:
        return real, {"__PYVENV_LAUNCHER__": sys.executable}
    return this_python(), {}


def library_path(root: Path) -> list[str]:
    """sys.path without the book: a file of the book must never shadow a library."""
    home = str(PACKAGE.parent)
    kept = [path for path in sys.path if path and Path(path).resolve() != root]
    return kept if home in kept else [*kept, home]


class Launcher(ABC):
    """Starts processes and hands out connections to them. Safe for several threads."""

    def __init__(self, setting: protocol.WorkerSetup, environment: dict[str, str]) -> None:
        self.setting, self.environment = setting, environment
        self.closed = False
        self.open: set[WorkerConnection] = set()
        self.lock = threading.Lock()

    def __enter__(self) -> Launcher:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def hang_up(self) -> None:
        """Close all connections, at which the processes end. Does not wait."""
        with self.lock:
            self.closed = True
            for connection in self.open:
                connection.close()
            self.open.clear()

    def close(self) -> None:
        """Hang up and wait until the processes have ended."""
        self.hang_up()

    def connect(self) -> WorkerConnection | None:
        """A connection to a new process; None if the launcher is closed.

        Raises ToolError if the process cannot start, and DeadError if the warm process has died too often.
        """
        if self.closed:
            return None
        connection = self._connect()
        with self.lock:
            self.open.add(connection)
        if self.closed:  # by another thread meanwhile, which did not see this connection
            connection.close()
        return connection

    def end(self, connection: WorkerConnection) -> None:
        """End a process that is no longer needed."""
        with self.lock:
            self.open.discard(connection)
        connection.close()

    @abstractmethod
    def _connect(self) -> WorkerConnection: ...

    @property
    @abstractmethod
    def forks(self) -> bool:
        """Whether it forks: then a process costs so little that each script gets a new one."""


class _ForkLauncher(Launcher):
    """One warm process, which forks a child for each connection. When it dies, another takes its place."""

    def __init__(self, setting: protocol.WorkerSetup, environment: dict[str, str]) -> None:
        super().__init__(setting, environment)
        self.deaths = 0
        self._begin()

    def _begin(self) -> None:
        self.control, other = socket.socketpair()
        self.control.settimeout(START)  # else a hanging warm process would hold the build
        self.process = start_process(
            self.setting,
            self.environment,
            stdin=other,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )
        other.close()
        self.is_ready = False

    @property
    def forks(self) -> bool:
        return True

    def _connect(self) -> WorkerConnection:
        with self.lock:
            while True:
                self._be_ready()
                ours, theirs = socket.socketpair()
                try:
                    socket.send_fds(self.control, [b"+"], [theirs.fileno()])
                except OSError:
                    ours.close()
                    process_tree.end_started(self.process)  # it is dying or hanging
                    self.process.wait()
                    continue
                finally:
                    theirs.close()
                return WorkerConnection(protocol.Channel(ours), self.process, is_ready=True)

    def _be_ready(self) -> None:
        """Wait for the warm process; start it again if something killed it."""
        for left in reversed(range(STARTS)):
            if self.is_ready and self.process.poll() is None:
                return
            if self.is_ready:
                self._begin_again()
            try:
                await_ready(starting(self.control), self.process)
                self.is_ready = True
                return
            except EndedError:
                if not left or not was_killed(self.process):
                    raise
                self._begin_again()

    def _begin_again(self) -> None:
        self.deaths += 1
        hang_up(self.control)
        end_for_good(self.process)
        if self.deaths > DEATHS:
            raise DeadError(f"the process that starts all others died {DEATHS} times in this build")
        self._begin()

    def hang_up(self) -> None:
        super().hang_up()
        hang_up(self.control)

    def close(self) -> None:
        super().close()
        if not self.is_ready:  # no job needs it, so it need not finish loading
            process_tree.end_started(self.process)
        end_for_good(self.process)


class _SpawnLauncher(Launcher):
    """A new process for each connection, which serves one job after another."""

    @property
    def forks(self) -> bool:
        return False

    def _connect(self) -> WorkerConnection:
        ours, theirs = socket.socketpair()
        is_windows = sys.platform == "win32"
        process = start_process(
            self.setting,
            self.environment,
            stdin=subprocess.PIPE if is_windows else theirs,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )
        if sys.platform == "win32" and process.stdin is not None:  # a socket is not a file: it gets a copy
            with suppress(OSError), process.stdin:  # if it has died, `await_ready` says so
                process.stdin.write(theirs.share(process.pid))
        theirs.close()
        return OwnConnection(starting(ours), process, is_ready=False)


class Standby:
    """At most one process, started before a job needs it, that has served no job yet."""

    def __init__(self) -> None:
        self._launcher: Launcher | None = None
        self._connection: WorkerConnection | None = None

    def prepare(self, launcher: Launcher) -> None:
        """Start one if none is waiting. Does not wait for it."""
        if self._connection is None and not launcher.closed:
            with suppress(DeadError, ToolError):  # the job that needs one reports it
                self._launcher, self._connection = launcher, launcher.connect()

    def taken(self, launcher: Launcher) -> WorkerConnection | None:
        """The waiting process; None if there is none, if it belongs to another launcher, or if it has died."""
        self.keep_only(launcher)
        connection, self._connection = self._connection, None
        if connection is not None and not connection.is_good():
            launcher.end(connection)
            return None
        return connection

    def keep_only(self, launcher: Launcher | None) -> None:
        """End the waiting process unless it belongs to this launcher, and the launcher is open."""
        mine = self._launcher
        if self._connection is not None and mine is not None and (mine is not launcher or mine.closed):
            mine.end(self._connection)
            self._connection = None
