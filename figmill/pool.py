"""Draw jobs in parallel, each in its limits.

Unaware of YAML, the ledger and the output folder: a job goes in, a drawing or a failure comes out, in the
order of the jobs. Writes nothing but a scratch folder that is gone afterwards.
"""

from __future__ import annotations

import json
import os
import pickle
import select
import signal
import socket
import subprocess
import sys
import threading
import time
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, TypeAlias, TypeGuard

from figmill import sandbox, wire, worker
from figmill.errors import AuthorError, ToolError
from figmill.kinds import KINDS, typefaces
from figmill.kinds.job import Job, Raw, memory_limit
from figmill.model import Origin
from figmill.scratch import Scratch

Make: TypeAlias = Callable[[Raw], object]  # picklable, as its result is

FEW = 8  # jobs, for which it does not pay to start further processes
AHEAD = 4  # jobs under way or waiting to be taken, for each slot

_BOOT = "import sys; sys.path[:] = {path!r}; from figmill.worker import main; main(sys.argv[1])"


@dataclass(frozen=True, slots=True)
class Drawn:
    """A job done, how long it took, and what was made of it where it was drawn."""

    raw: Raw
    seconds: float
    made: Any = None


@dataclass(frozen=True, slots=True)
class NotDrawn:
    """A job that failed: somebody's file is wrong, or it broke its limits."""

    error: AuthorError
    seconds: float


Result = Drawn | NotDrawn
Answer: TypeAlias = tuple[dict[str, Any], bytes]


def draw_all(
    jobs: Sequence[Job | Raw],
    root: Path,
    slots: int,
    fonts: Sequence[Path] = (),
    enclosure: str = "auto",
    then: Sequence[Make] = (),
) -> Generator[Result, None, None]:
    """One result a job, in their order. Where the caller stops early, everything under way is ended.

    jobs: drawings to make, and such as are there already. then: what to make of each of them. Of many, it is
    made in further processes, which never run an author's code; of a few, the caller does it faster itself.
    """
    drawn = {job.kind for job in jobs if needs_drawing(job)}
    kinds = tuple(kind for kind in KINDS if kind in drawn)
    then = then if len(jobs) > FEW and slots > 1 else ()
    if not kinds and not then:
        yield from (_here(job, root) for job in jobs)
        return
    with ExitStack() as stack:
        drawing, making = (
            stack.enter_context(opened(root, loaded, fonts, enclosure=enclosure)) if needed else None
            for loaded, needed in ((kinds, kinds), ((), then))
        )

        def one(number: int) -> Result:
            job = jobs[number]
            result = drawing.draw(job) if drawing and needs_drawing(job) else _here(job, root)
            if making is None or isinstance(result, NotDrawn):
                return result
            return making.make(then[number], result)

        executor = ThreadPoolExecutor(slots + (making is not None))
        stack.callback(executor.shutdown, wait=True, cancel_futures=True)
        for site in (drawing, making):
            if site is not None:
                stack.callback(site.close)  # first: it ends what the threads wait for
        waiting: deque[Future[Result]] = deque()
        for number in range(len(jobs)):
            waiting.append(executor.submit(one, number))
            if len(waiting) >= AHEAD * slots:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()


def needs_drawing(job: Job | Raw) -> TypeGuard[Job]:
    """Whether it takes a process: it is neither drawn already nor drawn by hand."""
    return isinstance(job, Job) and job.kind != "svg"


def _here(job: Job | Raw, root: Path) -> Result:
    """Nothing of an author's is run for a hand drawing: no process is needed."""
    if isinstance(job, Raw):
        return Drawn(job, 0.0)
    try:
        return Drawn(KINDS[job.kind].load().render(job, root), 0.0)
    except OSError as error:
        return NotDrawn(AuthorError(Origin(job.source), f"cannot be read: {error.strerror}"), 0.0)


@contextmanager
def opened(
    root: Path,
    kinds: tuple[str, ...],
    fonts: Sequence[Path],
    folder: Path | None = None,
    enclosure: str = "auto",
) -> Iterator[Site]:
    """Warm processes and their scratch folder (in `folder`); both are gone afterwards."""
    with Scratch(folder) as scratch, _site(root, Path(scratch), kinds, fonts, enclosure) as site:
        yield site


def _site(root: Path, scratch: Path, kinds: tuple[str, ...], fonts: Sequence[Path], enclosure: str) -> Site:
    """The worker processes: forked where that is safe, else spawned and kept."""
    try:
        configuration = typefaces.fontconfig(scratch / "typefaces", fonts)
    except OSError as error:
        raise ToolError(f"cannot write temporary files below {scratch}: {error.strerror}", code=1) from error
    environment = sandbox.environment(scratch, configuration)
    way = os.environ.get("FIGMILL_WORKERS") or ("fork" if sys.platform == "linux" else "stay")
    setting = worker.Setting(str(root), str(scratch), kinds, way, tuple(map(str, fonts)), enclosure)
    return _Forked(setting, environment) if way == "fork" else _Kept(setting, environment)


def _start(setting: worker.Setting, environment: dict[str, str], **options: Any) -> subprocess.Popen[bytes]:
    boot = _BOOT.format(path=library_path(Path(setting.root)))
    command = [sys.executable, "-s", "-P", "-c", boot, json.dumps(asdict(setting))]
    command = sandbox.enclosed(command, Path(setting.scratch), setting.enclosure)
    return subprocess.Popen(command, env=environment, cwd=setting.scratch, **options)


def library_path(root: Path) -> list[str]:
    """sys.path without the book: it may come last for scripts, never first for libraries."""
    home = str(Path(__file__).parent.parent)
    kept = [path for path in sys.path if path and Path(path).resolve() != root]
    return kept if home in kept else [*kept, home]


class _Connection:
    """A line to one process that draws; closing it ends that process."""

    def __init__(self, stream: Any, end: Iterable[Any]) -> None:
        self.stream, self._end = stream, tuple(end)

    def close(self) -> None:
        for end in self._end:
            end()

    def exchange(self, header: dict[str, Any], payload: bytes = b"") -> Answer | None:
        """The answer to a message; None where the process died."""
        try:
            wire.send(self.stream, header, payload)
            return wire.receive(self.stream)
        except (BrokenPipeError, ConnectionResetError, ValueError):
            return None


class Site(ABC):
    """Where jobs are drawn: hands out connections, one for each isolated job, one for each thread else."""

    def __init__(self, setting: worker.Setting, environment: dict[str, str]) -> None:
        self.setting, self.environment = setting, environment
        self.closed = False
        self.kept = threading.local()
        self.open: set[_Connection] = set()
        self.lock = threading.Lock()

    def __enter__(self) -> Site:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        with self.lock:
            self.closed = True
            for connection in self.open:
                connection.close()
            self.open.clear()

    @abstractmethod
    def connect(self) -> _Connection:
        """A line to a process that is ready to draw."""

    def make(self, function: Make, drawn: Drawn) -> Drawn:
        """What the function makes of a drawing, in a process that is kept for this."""
        connection = self._connection(alone=False)
        if connection is None:
            return drawn
        answer = connection.exchange({"make": True}, pickle.dumps((function, drawn.raw)))
        self._keep(connection, answer)
        if answer is None or answer[0]:  # it broke or died: the caller will find out why
            return drawn
        return replace(drawn, made=pickle.loads(answer[1]))

    def _connection(self, alone: bool) -> _Connection | None:
        """This thread's line to a process, or a new one; None where the build was stopped."""
        connection: _Connection | None = None if alone else getattr(self.kept, "connection", None)
        if self.closed:
            return None
        if connection is None:
            connection = self.connect()
            with self.lock:
                self.open.add(connection)
            if self.closed:  # meanwhile: nobody else would end it
                connection.close()
        return connection

    def _keep(self, connection: _Connection, answer: Answer | None, alone: bool = False) -> None:
        """Keep a line for this thread's next job, where its process lives and may serve another.

        Graphviz says some things (an unknown colour) only once in the life of a process: one that was heard to
        complain is replaced, so that what is said of a graph does not depend on those before it.
        """
        if answer is not None and answer[0].keys().isdisjoint(("ended", "failed", "broken")) and not alone:
            self.kept.connection = connection
            return
        self.kept.connection = None
        with self.lock:
            self.open.discard(connection)
        connection.close()

    def draw(self, job: Job) -> Result:
        alone = self.alone(job)
        is_used = not alone and getattr(self.kept, "connection", None) is not None
        connection = self._connection(alone)
        if connection is None:
            return NotDrawn(AuthorError(Origin(job.source), "the build was stopped"), 0.0)
        began = time.monotonic()
        watch = threading.Timer(job.timeout, connection.close)
        watch.start()
        try:
            answer = connection.exchange(asdict(job))
        finally:
            watch.cancel()
        seconds = time.monotonic() - began
        self._keep(connection, answer, alone)
        if is_used and (answer is None or "ended" in answer[0]) and seconds < job.timeout:
            return self.draw(job)  # it may have died of the jobs before
        return _result(answer, job, seconds)

    def alone(self, job: Job) -> bool:
        """Whether the process that draws it serves nothing else."""
        return job.isolated


class _Forked(Site):
    """One warm process that forks a child for each connection."""

    def __init__(self, setting: worker.Setting, environment: dict[str, str]) -> None:
        super().__init__(setting, environment)
        self.control, other = socket.socketpair()
        self.process = _start(setting, environment, stdin=other, stdout=subprocess.DEVNULL,
                              stderr=subprocess.PIPE, start_new_session=True)  # fmt: skip
        other.close()
        self.ready = threading.Event()

    def connect(self) -> _Connection:
        with self.lock:
            if not self.ready.is_set():
                _await_ready(self.control.makefile("rb"), self.process)
                self.ready.set()
            ours, theirs = socket.socketpair()
            socket.send_fds(self.control, [b"+"], [theirs.fileno()])
            theirs.close()
        stream = ours.makefile("rwb")
        return _Connection(stream, (lambda: _hang_up(ours),))

    def close(self) -> None:
        super().close()
        _hang_up(self.control)
        _end(self.process)


class _Kept(Site):
    """A spawned process for each thread, replaced when it dies."""

    def connect(self) -> _Connection:
        ours, theirs = socket.socketpair()
        process = _start(self.setting, self.environment, stdin=theirs, stdout=subprocess.DEVNULL,
                         stderr=subprocess.PIPE, start_new_session=True)  # fmt: skip
        theirs.close()
        stream = ours.makefile("rwb")
        _await_ready(stream, process)
        return _Connection(stream, (lambda: _hang_up(ours), lambda: _end_group(process)))

    def alone(self, job: Job) -> bool:
        return False


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
        process.kill()
        process.wait()
    if process.stderr:
        process.stderr.close()


def _end_group(process: subprocess.Popen[bytes]) -> None:
    """End a process that keeps nothing, with whatever its scripts have left running."""
    if sys.platform != "win32" and process.returncode is None:
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
    process.kill()
    _end(process)


def _await_ready(stream: Any, process: subprocess.Popen[bytes]) -> None:
    message = wire.receive(stream)
    if message is None:
        said = process.stderr.read().decode("utf-8", "replace").strip() if process.stderr else ""
        raise ToolError(f"the drawing process did not start: {said or 'it said nothing'}")
    if "tool_error" in message[0]:
        raise ToolError(message[0]["tool_error"])


def _result(answer: Answer | None, job: Job, seconds: float) -> Result:
    if answer is None and seconds >= job.timeout:
        text = f"took longer than {job.timeout:g} s and was ended; `timeout: N` in its question allows more"
        return NotDrawn(AuthorError(Origin(job.source), text), seconds)
    if answer is None:
        return NotDrawn(AuthorError(Origin(job.source), "its process died without a word"), seconds)
    header, svg = answer
    if "failed" in header:
        failed = header["failed"]
        detail = "\n".join(part for part in (failed["detail"], header["said"].strip()) if part)
        return NotDrawn(AuthorError(Origin(**failed["origin"]), failed["message"], detail), seconds)
    if "broken" in header:
        text = "figmill itself failed while drawing this; please report it"
        return NotDrawn(AuthorError(Origin(job.source), text, header["broken"]), seconds)
    if "ended" in header:
        how = header["why"] or _how_it_ended(header["ended"], job)
        return NotDrawn(AuthorError(Origin(job.source), how, header["said"]), seconds)
    return Drawn(Raw(svg, header["facts"], header["said"], tuple(header["traced"])), seconds)


def _how_it_ended(status: int, job: Job) -> str:
    name = signal.Signals(-status).name if status < 0 else f"exit code {status}"
    # Graphviz ends the process where it gets no memory: itself, by an assertion, or by what it did not look at.
    if not job.isolated and (status > 0 or name in ("SIGABRT", "SIGBUS", "SIGSEGV", "SIGTRAP")):
        return f"Graphviz gave up ({name}), as a rule for want of memory; {memory_limit(job)}"
    if status >= 0:
        return f"its process ended itself with {name} before a figure was there"
    if name == "SIGXCPU":
        return f"used more than {job.timeout:g} s of processor time and was ended"
    return f"its process was ended by {name}"
