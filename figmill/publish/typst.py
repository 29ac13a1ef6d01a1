"""Run exports in processes of their own: SVG bytes in; the bytes of a PNG or PDF, or an error, out.

A process that takes too long, takes too much memory or dies fails one figure, and is replaced. Answers come in the
order of the tasks. Unaware of the book, the ledger and the output folder.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections.abc import Callable, Generator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from queue import SimpleQueue
from threading import Event, Timer
from types import ModuleType
from typing import Any, BinaryIO, cast

from figmill.enclosure import sandbox
from figmill.errors import AuthorError, ToolError, machine_words
from figmill.render.processes import library_path
from figmill.render.protocol import receive, send
from figmill.render.temp_dirs import Scratch

LIBRARY = "typst"
_BOOT = "import sys; sys.path[:] = {path!r}; from figmill.publish.typst import serve; serve(sys.argv[1])"


@dataclass(frozen=True, slots=True)
class Task:
    """One export to make. svg: a function that reads the SVG when its turn comes; timeout: in seconds."""

    svg: Callable[[], bytes]
    format: str
    scale: float
    timeout: float


@dataclass(frozen=True, slots=True)
class Failed:
    """Why there is no export."""

    message: str


@dataclass(frozen=True, slots=True)
class _Ended:
    """A process ended without an answer. after: its time limit in seconds, if it was ended for that."""

    code: int
    after: float | None

    def __str__(self) -> str:
        if self.after is not None:
            return (
                f"took longer than {self.after:g} s and was ended; `timeout: N` in its question allows more"
            )
        return f"its process died ({self.code}), of too little memory perhaps; `memory` in the settings allows more"


@dataclass(frozen=True, slots=True)
class Setting:
    """What a process is started with: font files in order, a folder for them, and its memory limit in bytes."""

    fonts: tuple[str, ...]
    scratch: str
    memory: int


def _exporter() -> ModuleType:
    """The module that exports; it loads figmill.svg, which a build without exports does not need."""
    from figmill.publish import exporter

    return exporter


def export_all(
    tasks: Sequence[Task], root: Path, jobs: int, fonts: Sequence[Path], memory: int
) -> Generator[bytes | Failed, None, None]:
    """Yield one answer for each task. Raises ToolError if the library is missing or does not start."""
    if not tasks:
        return
    exporter = _exporter()
    files = tuple(str(path) for path in exporter.faces(fonts))
    width = min(jobs, len(tasks))
    with Scratch() as scratch:
        presses = [_Press(Setting(files, scratch, memory), root) for _ in range(width)]
        idle: SimpleQueue[_Press] = SimpleQueue()
        for press in presses:
            idle.put(press)

        def run(task: Task) -> bytes | Failed:
            press = idle.get()
            try:
                return press.export(task)
            except AuthorError as error:  # the SVG cannot be read
                return Failed(error.message)
            except ToolError:
                raise
            except Exception as error:
                return Failed(
                    machine_words(error)
                    or f"figmill itself failed ({type(error).__name__}); please report it"
                )
            finally:
                idle.put(press)

        threads = ThreadPoolExecutor(width)
        try:
            yield from threads.map(run, tasks)
        finally:  # an interrupt must not wait for tasks under way
            threads.shutdown(wait=False, cancel_futures=True)
            for press in presses:
                press.close()
            threads.shutdown()


class _Press:
    """One exporting process, started when it is first needed, and again after it ended."""

    def __init__(self, setting: Setting, root: Path) -> None:
        self.setting = setting
        self.root = root
        self.process: subprocess.Popen[bytes] | None = None
        self.is_open = True

    def export(self, task: Task) -> bytes | Failed:
        is_used = self.process is not None
        answer = self._ask(task)
        if isinstance(answer, _Ended) and is_used and answer.after is None and self.is_open:
            answer = self._ask(task)  # typst caches earlier results, which may have filled the memory
        if isinstance(answer, _Ended):
            return Failed(str(answer))
        header, data = answer
        if "tool_error" in header:
            raise ToolError(header["tool_error"])
        return Failed(header["failed"]) if "failed" in header else data

    def _ask(self, task: Task) -> tuple[dict[str, Any], bytes] | _Ended:
        svg = task.svg()
        process = self.process = self.process or self._start()
        late = Event()

        def end() -> None:
            late.set()
            process.kill()

        timer = Timer(task.timeout, end)
        timer.start()
        try:
            send(cast(BinaryIO, process.stdin), {"format": task.format, "scale": task.scale}, svg)
            answer = receive(cast(BinaryIO, process.stdout))
        except OSError:  # the process is gone
            answer = None
        finally:
            timer.cancel()
        if answer is not None:
            return answer
        self.end()
        return _Ended(process.returncode, task.timeout if late.is_set() else None)

    def _start(self) -> subprocess.Popen[bytes]:
        boot = _BOOT.format(path=library_path(self.root))
        command = [sys.executable, "-s", "-P", "-c", boot, json.dumps(asdict(self.setting))]
        return subprocess.Popen(
            command, cwd=self.setting.scratch, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )  # fmt: skip

    def close(self) -> None:
        self.is_open = False
        self.end()

    def end(self) -> None:
        if self.process is not None:
            self.process.kill()
            self.process.wait()
            for stream in (self.process.stdin, self.process.stdout):
                with suppress(OSError):  # unsent bytes in the buffer
                    if stream:
                        stream.close()
            self.process = None


def serve(argument: str) -> None:
    """The loop of an exporting process: answer one task after another. argument: a Setting as JSON."""
    exporter = _exporter()
    setting = Setting(**json.loads(argument))
    sandbox.limit(setting.memory)
    folder = Path(tempfile.mkdtemp(dir=setting.scratch))
    try:
        fonts = exporter.load(map(Path, setting.fonts), folder)
    except Exception as error:
        receive(sys.stdin.buffer)
        send(sys.stdout.buffer, {"tool_error": f"{LIBRARY} does not start: {type(error).__name__}: {error}"})
        return
    while (message := receive(sys.stdin.buffer)) is not None:
        task, svg = message
        try:
            data = exporter.export(svg, task["format"], task["scale"], fonts)
            send(sys.stdout.buffer, {}, data)
        except exporter.ExportError as error:
            send(sys.stdout.buffer, {"failed": str(error)})
        except BaseException as error:  # a panic of the library is not an Exception
            send(sys.stdout.buffer, {"failed": f"{LIBRARY} failed: {type(error).__name__}: {error}"})
