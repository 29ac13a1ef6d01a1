"""The process that draws: jobs come in over a socket, drawings and failures go out.

Unaware of YAML, the ledger and the output folder. Started by pool.py in one of two ways:

- `fork`: load what is heavy once, then fork a child for each connection that the pool hands over. A child
  lives as long as its connection; its whole process group ends with it.
- `stay`: serve jobs on standard input and output, one after the other (where there is no safe fork).
"""

from __future__ import annotations

import gc
import json
import os
import pickle
import shutil
import socket
import sys
import tempfile
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from importlib import import_module
from pathlib import Path
from typing import Any, BinaryIO

from figmill.enclosure import privileges, sandbox
from figmill.enclosure.namespaces import Nest
from figmill.errors import AuthorError, ToolError, machine_words
from figmill.kinds import KINDS, script
from figmill.kinds.job import Job
from figmill.model import Origin
from figmill.render import file_tracer, forkserver, protocol


@dataclass(frozen=True, slots=True)
class Setting:
    """What a worker is started with."""

    root: str
    scratch: str
    kinds: tuple[str, ...]
    way: str  # "fork" or "stay"
    fonts: tuple[str, ...] = ()  # further font files of the book
    enclosure: str = "auto"  # the book's setting `sandbox`
    first: str = ""  # "module:function" to be called once, before there are children that need what it loads
    read: tuple[str, ...] = ()  # files and folders outside the book


def main(argument: str) -> None:
    """Entry point of a worker process; `argument` is a Setting as JSON."""
    setting = Setting(**json.loads(argument))
    privileges.hide()
    enclosure = _enclosure(setting)
    os.chdir(setting.scratch)
    script.import_from_source(Path(setting.root))
    line, output = _private_streams()
    try:
        for kind in setting.kinds:
            KINDS[kind].load().warm(setting.fonts)
        if setting.first:
            module, _, function = setting.first.partition(":")
            getattr(import_module(module), function)()
    except Exception as error:
        text = str(error) if isinstance(error, ToolError) else traceback.format_exc()
        protocol.send(line, {"tool_error": text})
        return
    gc.freeze()  # what is loaded stays: no child need look through it again
    protocol.send(line, {"ready": True})
    if setting.way == "fork":
        with line.connection as control:
            forkserver.fork_for_each(
                control, lambda line, means: _Session(setting, means).serve(line), enclosure
            )
        os._exit(0)  # nothing here is worth the time that taking matplotlib down takes
    else:
        privileges.give_up()
        _Session(setting, forkserver.Means(output, enclosure.scratch)).serve(line)


def _enclosure(setting: Setting) -> forkserver.Enclosure:
    """Called before anything is loaded: what makes namespaces must be small."""
    how = os.environ.pop(sandbox.ENCLOSED, "")
    nest = Nest() if setting.way == "fork" and how == sandbox.EACH else None
    return forkserver.Enclosure(Path(setting.scratch), nest, is_loose=setting.enclosure == "off")


def _private_streams() -> tuple[protocol.Line, BinaryIO]:
    """The connection, moved away from descriptors 0 and 1, and the file that these write to from now on.

    An author's print() must not end up between two messages.
    """
    connection = socket.socket(fileno=os.dup(0))
    output = tempfile.TemporaryFile(buffering=0)  # noqa: SIM115
    null = os.open(os.devnull, os.O_RDONLY)
    os.dup2(null, 0)
    os.dup2(output.fileno(), 1)
    os.dup2(output.fileno(), 2)
    return protocol.Line(connection), output


def _made(payload: bytes) -> tuple[dict[str, Any], bytes]:
    """What a function of figmill's own makes of a drawing. The pool asks that of processes that do nothing else."""
    function, raw, memory = pickle.loads(payload)
    try:
        if not _made_before:
            sandbox.limit(memory)
            _made_before.append(True)
        header, product = function(raw)
        return {"made": header}, product
    except MemoryError:
        return {"lacking": "memory"}, b""
    except Exception as error:
        return {"broken": traceback.format_exc(), "what": type(error).__name__}, b""


_made_before: list[bool] = []  # in this process, which holds its limits from then on


class _Session:
    """Serves the jobs of one connection, each in a scratch folder of its own."""

    def __init__(self, setting: Setting, means: forkserver.Means) -> None:
        self.setting, self.means, self.output = setting, means, means.said
        self.root = Path(setting.root)
        self.tracer = file_tracer.Tracer(self.root, besides=(Path(setting.scratch),))
        self.traced = False
        self.limited = False
        self.streams: list[Any] = []

    def serve(self, line: protocol.Line) -> None:
        if hasattr(os, "register_at_fork"):  # a script's own child must neither answer nor hold the line
            os.register_at_fork(after_in_child=line.close)
        while (message := protocol.receive(line)) is not None:
            fields, payload = message
            number = {"number": fields.pop("number", None)}
            if "make" in fields:
                header, payload = _made(payload)
                protocol.send(line, header | number, payload)
                continue
            job = Job(**{**fields, "folders": tuple(fields["folders"]), "inputs": tuple(fields["inputs"])})
            header, payload = self._perform(job)
            protocol.send(line, header | number, payload)

    def _perform(self, job: Job) -> tuple[dict[str, Any], bytes]:
        if self.output.seek(0, os.SEEK_CUR):  # something was printed before
            self.output.seek(0)
            self.output.truncate()
        try:
            if not job.isolated:
                self._limit(job.memory)
                raw, traced = KINDS[job.kind].load().render(job, self.root), set[str]()
            else:
                raw, traced = self._isolated(job)
        except AuthorError as error:
            origin = asdict(error.origin)
            failed = {"origin": origin, "message": error.message, "detail": error.detail}
            return {"failed": failed, "said": self._said()}, b""
        except MemoryError:
            failed = {"origin": {"path": job.source}, "message": script.out_of_memory(job), "detail": ""}
            return {"failed": failed, "said": ""}, b""
        except Exception as error:
            if (words := machine_words(error)) is not None:
                failed = {"origin": asdict(Origin(job.source)), "message": words, "detail": ""}
                return {"failed": failed, "said": self._said()}, b""
            return {"broken": traceback.format_exc(), "what": type(error).__name__}, b""
        header = {"facts": dict(raw.facts), "traced": sorted(traced), "said": self._said()}
        return header, raw.svg

    def _isolated(self, job: Job) -> tuple[Any, set[str]]:
        """Run an author's code, recorded and within its limits; leave the process as it was."""
        if not self.traced:
            self.tracer.install()
            self.traced = True
        self._limit(job.memory, job.timeout)
        self.means.bind(job.memory, script.out_of_memory(job))
        self._listen()
        folder = tempfile.mkdtemp(dir=self.means.home)
        os.environ.update(dict.fromkeys(("HOME", "TMPDIR", "TMP", "TEMP"), folder))
        tempfile.tempdir = None
        os.chdir(folder)
        try:
            with _restored(self.root), self.tracer.recording() as traced:
                raw = KINDS[job.kind].load().render(job, self.root)
            return raw, traced
        finally:
            os.chdir(self.setting.scratch)
            shutil.rmtree(folder, ignore_errors=True)

    def _limit(self, memory: int, seconds: float | None = None) -> None:
        """Hold this process to its limits, where it may not serve others with others; once is for good."""
        if self.setting.way == "fork" and not self.limited:
            sandbox.limit(memory, seconds)
            self.limited = True

    def _listen(self) -> None:
        """Have what a script prints written into `output`."""
        self.streams = sys.stdout, sys.stderr = [
            open(descriptor, "w", encoding="utf-8", errors="backslashreplace", closefd=False)  # noqa: SIM115
            for descriptor in (1, 2)
        ]

    def _said(self) -> str:
        """What was printed, also by a script that has closed or replaced its streams."""
        for descriptor, stream in enumerate(self.streams, 1):
            os.dup2(self.output.fileno(), descriptor)
            if not stream.closed:
                stream.flush()
        return protocol.tail(self.output)


@contextmanager
def _restored(root: Path) -> Iterator[None]:
    """Undo what a script does to a process that has to serve the next one too."""
    environ, path, argv = dict(os.environ), list(sys.path), list(sys.argv)
    modules = set(sys.modules)
    umask = os.umask(0o022)
    os.umask(umask)
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(environ)
        sys.path[:], sys.argv[:] = path, argv
        os.umask(umask)
        for name in set(sys.modules) - modules:
            file = getattr(sys.modules[name], "__file__", None) or ""
            if name in ("__figure__", "__main__") or file.startswith(str(root) + os.sep):
                del sys.modules[name]
        if "matplotlib.pyplot" in sys.modules:
            sys.modules["matplotlib.pyplot"].close("all")
