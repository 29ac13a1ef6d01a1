"""Processes that draw, or make something of drawings: started, reached, ended, and started again where they died.

Unaware of jobs' order and of what becomes of a drawing. Writes nothing but a scratch folder that is gone afterwards.
"""

from __future__ import annotations

import json
import os
import secrets
import select
import socket
import subprocess
import sys
import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, TypeAlias

from figmill.enclosure import process_tree, sandbox
from figmill.errors import ToolError
from figmill.kinds import typefaces
from figmill.paths import PACKAGE
from figmill.render import protocol, worker
from figmill.render.temp_dirs import Scratch

START = 90.0  # seconds that loading all libraries may take, from a slow disk
DYING = 1.0  # seconds in which a process that has let its lines go is gone
STARTS = 3  # tries, where a process is ended from without before it is there
DEATHS = 32  # of the warm process in one build, after which it is not started again
Answer: TypeAlias = protocol.Message

_BOOT = "import sys; sys.path[:] = {path!r}; from figmill.render.worker import main; main(sys.argv[1])"


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
    home = str(PACKAGE.parent)
    kept = [path for path in sys.path if path and Path(path).resolve() != root]
    return kept if home in kept else [*kept, home]


@dataclass(frozen=True, slots=True)
class Silence:
    """In place of an answer. late: its time is over; garbled: what is wrong with what came; else: the line is dead."""

    late: bool = False
    garbled: str = ""


class _EndedError(ToolError):
    """A process has ended before it was there."""


class DeadError(Exception):
    """The warm process dies again and again, and is not started any more."""


class Connection:
    """A line to one process; closing it ends that process. is_ready: it has said that it is there to be asked."""

    tells_ends = True  # whether somebody else says on this line how the process has ended

    def __init__(self, line: protocol.Line, process: subprocess.Popen[bytes], is_ready: bool) -> None:
        self.line, self.process, self.is_ready = line, process, is_ready
        self._number = ""

    def greet(self) -> None:
        """Hear that the process is there. Raises ToolError where it could not start."""
        _await_ready(self.line, self.process)
        self.is_ready = True

    def ask(self, header: dict[str, Any], payload: bytes = b"", seconds: float | None = None) -> None:
        """Send a message that is to be answered within so many seconds. Nobody can guess the question's number."""
        self._number = secrets.token_hex(8)
        self.line.until = None if seconds is None else time.monotonic() + seconds
        self.line.post({**header, "number": self._number}, payload)

    def answer(self) -> Answer | Silence | None:
        """The answer to what was asked; None: it has not come yet. Does not wait."""
        try:
            message = self.line.hear()
        except TimeoutError:
            return Silence(late=True)
        except EOFError:
            return Silence()
        except protocol.GarbledError as error:
            return Silence(garbled=str(error))
        if message is None:
            return None
        self.line.until = None
        header, payload = message
        number = header.pop("number", None)
        if number != self._number and not (self.tells_ends and "ended" in header):
            return Silence(garbled="an answer that nobody has asked for")
        return header, payload

    def is_good(self) -> bool:
        """Whether a process that was asked before may be asked again: it lives, and has said nothing since."""
        return self.process.poll() is None and self.line.is_quiet()

    def has_died(self) -> bool:
        """Whether the process behind the line, or the one that it was forked from, is gone; it may be dying."""
        try:
            self.process.wait(DYING)
        except subprocess.TimeoutExpired:
            return False
        return True

    def close(self) -> None:
        _hang_up(self.line.connection)


class _Own(Connection):
    """A line to a process that serves nobody else."""

    tells_ends = False

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
        """A line to a new process; None where the site was closed. Raises ToolError where it cannot start.

        Raises DeadError where it started, and has died too often.
        """
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
    """One warm process that forks a child for each connection; another takes its place where it has died."""

    def __init__(self, setting: worker.Setting, environment: dict[str, str]) -> None:
        super().__init__(setting, environment)
        self.deaths = 0
        self._begin()

    def _begin(self) -> None:
        self.control, other = socket.socketpair()
        self.control.settimeout(START)  # it takes what it is handed, or hangs
        self.process = _start(self.setting, self.environment, stdin=other, stdout=subprocess.DEVNULL,
                              stderr=subprocess.PIPE, start_new_session=True)  # fmt: skip
        other.close()
        self.is_ready = False

    @property
    def parts(self) -> bool:
        return True

    def _connect(self) -> Connection:
        with self.lock:
            while True:
                self._be_ready()
                ours, theirs = socket.socketpair()
                try:
                    socket.send_fds(self.control, [b"+"], [theirs.fileno()])
                except OSError:
                    ours.close()
                    process_tree.end_started(self.process)  # it is dying, or hangs
                    self.process.wait()
                    continue
                finally:
                    theirs.close()
                return Connection(protocol.Line(ours), self.process, is_ready=True)

    def _be_ready(self) -> None:
        """Wait for the warm process; start it again where somebody has ended it."""
        for left in reversed(range(STARTS)):
            if self.is_ready and self.process.poll() is None:
                return
            if self.is_ready:
                self._begin_again()
            try:
                _await_ready(_starting(self.control), self.process)
                self.is_ready = True
                return
            except _EndedError:
                if not left or not _was_killed(self.process):
                    raise
                self._begin_again()

    def _begin_again(self) -> None:
        self.deaths += 1
        _hang_up(self.control)
        _end_for_good(self.process)
        if self.deaths > DEATHS:
            raise DeadError(f"the process that starts all others has died {DEATHS} times in this build")
        self._begin()

    def hang_up(self) -> None:
        super().hang_up()
        _hang_up(self.control)

    def close(self) -> None:
        super().close()
        if not self.is_ready:  # nobody has asked it for anything: it need not load the rest first
            process_tree.end_started(self.process)
        _end_for_good(self.process)


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
        process_tree.end_started(process)
        process.wait()


def _end_for_good(process: subprocess.Popen[bytes]) -> None:
    _end(process)
    if process.stderr:
        process.stderr.close()


def _end_group(process: subprocess.Popen[bytes]) -> None:
    """End a process that keeps nothing, with whatever its scripts have left running."""
    process_tree.end_started(process)
    _end_for_good(process)


def _was_killed(process: subprocess.Popen[bytes]) -> bool:
    """Whether a process that has ended was ended from without; bubblewrap tells that as a shell does."""
    return process.poll() is not None and not 0 <= process.returncode <= 128


def _starting(connection: socket.socket) -> protocol.Line:
    """A line on which a process is to say in time that it is there; from then on each question has its own time."""
    return protocol.Line(connection, time.monotonic() + START)


def _await_ready(line: protocol.Line, process: subprocess.Popen[bytes]) -> None:
    try:
        header, _ = protocol.awaited(line)
    except TimeoutError:
        process_tree.end_started(process)
        raise ToolError(f"the drawing process did not start within {START:g} s, and was ended") from None
    except (EOFError, protocol.GarbledError):
        _end(process)
        raise _EndedError.said("the drawing process did not start: ", _last_words(process)) from None
    if "tool_error" in header:
        raise ToolError.said("", str(header["tool_error"]))
    line.until = None


def _last_words(process: subprocess.Popen[bytes]) -> str:
    said = process.stderr.read().decode("utf-8", "replace").strip() if process.stderr else ""
    return said or "it said nothing"
