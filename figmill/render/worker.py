"""The worker: a process that receives jobs over a socket and sends drawings and failures back.

Unaware of YAML, the ledger and the output folder. A launcher (processes.py) starts it in one of two ways:

- `fork`: load the libraries once, then fork a child for each connection. A child lives as long as its
  connection, and its whole process group ends with it.
- `stay`: serve one job after another over standard input, on systems without a safe fork.
"""

from __future__ import annotations

import gc
import json
import os
import pickle
import socket
import sys
import tempfile
import threading
import traceback
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any, BinaryIO

import figmill
from figmill.enclosure import limits, privileges, sandbox, usage
from figmill.enclosure.mode import Mode
from figmill.enclosure.namespaces import NamespaceServer
from figmill.errors import AuthorError, ToolError, machine_words
from figmill.host import files, inside, trees
from figmill.kind import answer, script, script_facts
from figmill.kind.job import Job, Raw, out_of_memory, source
from figmill.kinds import KINDS
from figmill.kinds.drawing import drawn
from figmill.kinds.scripts import clock
from figmill.late import imported
from figmill.model import Origin
from figmill.render import beside, file_tracer, forkserver, protocol
from figmill.render.import_tracer import ImportTracer
from figmill.render.open_watch import OpenWatch
from figmill.wording import Words, speaking

CLEARING = 1.0  # seconds that an answer waits while a script's files are removed


def main(argument: str) -> None:
    """The entry point of a worker process; `argument` is a WorkerSetup as JSON."""
    setting = protocol.WorkerSetup(**json.loads(argument))
    privileges.hide()
    enclosure = _enclosure(setting)
    os.chdir(setting.scratch)
    script.import_from_source(Path(setting.root))
    figmill.show = script.no_show
    imports = ImportTracer()
    channel, output = _private_streams()
    try:
        for kind in setting.kinds:
            KINDS[kind].load().warm(setting.fonts)
        imports.install()
        if setting.preload:
            imported(setting.preload)()
    except Exception as error:
        text = str(error) if isinstance(error, ToolError) else traceback.format_exc()
        protocol.send(channel, {"tool_error": text})
        return
    gc.freeze()  # the loaded libraries stay: no child's garbage collector has to visit them
    gc.enable()
    protocol.send(channel, {"ready": True})
    if setting.way == "fork":
        with channel.connection as control:
            forkserver.fork_for_each(
                control,
                lambda channel, context: _Session(setting, context, imports).serve(channel),
                enclosure,
            )
        os._exit(0)  # an orderly exit would spend its time on tearing matplotlib down
    else:
        privileges.give_up(enclosure.mode)
        _Session(setting, forkserver.ChildContext(output, enclosure.scratch), imports).serve(channel)


def _rendered(job: Job, root: Path) -> Raw:
    """The drawing of a job, in its language."""
    if not job.wording:
        return drawn(job, root)
    words = Words(job.wording)
    with speaking(words):
        raw = drawn(job, root)
    return replace(raw, asked=tuple(words.asked))


def _enclosure(setting: protocol.WorkerSetup) -> forkserver.Enclosure:
    """Called before anything is loaded: the namespace server must be forked from a small process."""
    mode = sandbox.mode(setting.enclosure)
    namespaces = NamespaceServer() if setting.way == "fork" and mode is Mode.EACH else None
    return forkserver.Enclosure(Path(setting.root), Path(setting.scratch), mode, namespaces)


def _private_streams() -> tuple[protocol.Channel, BinaryIO]:
    """The connection, moved away from descriptor 0, and the file that receives prints from now on.

    An author's print() must not end up between two messages.
    """
    if sys.platform == "win32":  # standard input says which socket is meant
        connection = socket.fromshare(sys.stdin.buffer.read())
    else:
        connection = socket.socket(fileno=os.dup(0))
    output = tempfile.TemporaryFile(buffering=0)  # noqa: SIM115
    null = os.open(os.devnull, os.O_RDONLY)
    os.dup2(null, 0)
    os.dup2(output.fileno(), 1)
    os.dup2(output.fileno(), 2)
    return protocol.Channel(connection), output


def _follow_up(payload: bytes) -> tuple[dict[str, Any], bytes]:
    """Run a follow-up. The pool sends follow-ups only to processes that run no author's code."""
    function, raw, memory = pickle.loads(payload)
    try:
        if not _limited:
            limits.limit(memory)
            _limited.append(True)
        header, product = function(raw)
        return {"made": header}, product
    except MemoryError:
        return {"lacking": "memory"}, b""
    except Exception as error:
        return {"broken": traceback.format_exc(), "what": type(error).__name__}, b""


_limited: list[bool] = []  # not empty once this process has its memory limit


def _lacking(job: Job) -> dict[str, Any]:
    """The answer of a job that got no more memory."""
    return _failed(AuthorError(Origin(job.source), out_of_memory(job)), job)


def _failed(error: AuthorError, job: Job, printed: str = "") -> dict[str, Any]:
    """The answer of a job with an error of the author. A place outside the book becomes the source."""
    origin = error.origin if answer.is_path(error.origin.path) else Origin(job.source)
    failed = {"origin": asdict(origin), "message": error.message, "detail": error.detail}
    harmless = {"harmless": True} if error.is_harmless else {}
    return {"failed": failed, "printed": printed, **harmless}


class _Session:
    """Serves the jobs of one connection, each in a scratch folder of its own."""

    def __init__(
        self, setting: protocol.WorkerSetup, context: forkserver.ChildContext, imports: ImportTracer
    ) -> None:
        self.setting, self.context, self.output = setting, context, context.output
        self.imports = imports
        self.root = Path(setting.root)
        self.tracer = file_tracer.Tracer(self.root, (Path(setting.scratch),), setting.read)
        self.traced = False
        self.limited = self.stated = False
        self.streams: list[Any] = []
        self.reads = set[str]()  # of the job under way
        self.unseen = ""  # the library that may have read files which figmill did not see

    def serve(self, channel: protocol.Channel) -> None:
        # a script's own child must neither answer nor keep the channel open
        if hasattr(os, "register_at_fork"):
            os.register_at_fork(after_in_child=channel.close)
        while (message := protocol.receive(channel)) is not None:
            fields, payload = message
            number = {"number": fields.pop("number", None)}
            if "make" in fields:
                header, payload = _follow_up(payload)
                protocol.send(channel, header | number, payload)
                continue
            job = Job(**{**fields, "folders": tuple(fields["folders"]), "inputs": tuple(fields["inputs"])})
            with self._measured(job, channel, number):
                header, payload = self._perform(job)
            protocol.send(channel, header | number, payload)

    @contextmanager
    def _measured(self, job: Job, channel: protocol.Channel, number: dict[str, Any]) -> Iterator[None]:
        """End a `stay` worker that takes more than its job's memory, with an answer. The fork server ends others."""
        if self.setting.way == "fork":
            yield
            return
        done, most = threading.Event(), usage.peak() + job.memory

        def measure() -> None:
            while not done.wait(forkserver.INTERVAL):
                if usage.peak() > most:
                    protocol.send(channel, _lacking(job) | number)
                    os._exit(1)

        measuring = threading.Thread(target=measure, daemon=True)
        measuring.start()
        try:
            yield
        finally:
            done.set()
            measuring.join()  # two answers must not mix

    def _perform(self, job: Job) -> tuple[dict[str, Any], bytes]:
        if self.output.seek(0, os.SEEK_CUR):  # an earlier job printed something
            self.output.seek(0)
            self.output.truncate()
        self.reads, self.unseen = set[str](), ""
        try:
            if not job.isolated:
                self._limit_or_lift(job)
                self._state_limit(job)
                raw = _rendered(job, self.root)
                traced = set(raw.traced)
            else:
                raw, traced = self._isolated(job)
            unseen = {"unseen": self.unseen} if self.unseen else {}
            printed = self._printed()
            header = {**raw.header(), "traced": sorted(traced), "printed": printed, **unseen}
            if job.isolated:
                header["facts"] = {**script.printed_facts(printed, job), **header["facts"]}
            answer.raw_of(header, raw.svg)
            return header, raw.svg
        except AuthorError as error:
            return {**_failed(error, job, self._printed()), **self._read(error.looked)}, b""
        except answer.WrongAnswerError as error:  # what the author's bytes or code have become
            return _failed(AuthorError(Origin(job.source), str(error)), job, self._printed()), b""
        except MemoryError:
            return _lacking(job), b""
        except Exception as error:
            if (message := machine_words(error)) is not None:
                return _failed(AuthorError(Origin(job.source), message), job, self._printed()), b""
            return {"broken": traceback.format_exc(), "what": type(error).__name__}, b""

    def _read(self, paths: Sequence[str]) -> dict[str, Any]:
        """The files that a failed job read or looked for; nothing if another try may succeed with the same book."""
        names = {*self.reads, *filter(answer.is_path, paths)}
        if self.tracer.left_book or self.unseen or not all(map(answer.is_path, names)):
            return {}
        return {"read": sorted(names)}

    def _isolated(self, job: Job) -> tuple[Any, set[str]]:
        """Run an author's code, with its reads recorded and within its limits; then restore the process."""
        if not self.traced:
            self.tracer.install()
            self.traced = True
        self._start_helpers(job)
        self._limit(job.memory, job.timeout)
        self._state_limit(job)
        self._redirect_streams()
        folder = tempfile.mkdtemp(dir=self.context.home)
        os.environ.update(dict.fromkeys(("HOME", "TMPDIR", "TMP", "TEMP"), folder))
        tempfile.tempdir = None
        os.chdir(folder)
        self.tracer.allowed = job.allowed
        self.tracer.beside = beside.link(self.root / job.source, os.path.realpath(folder))
        # Before the recording, which would take its listing of folders for the script's.
        watch = OpenWatch(self.context.opens, self.root, self.tracer.passed)
        try:
            code = script.text_of(job, self.root)
            with _restored(self.root), self.tracer.recording() as traced, self.imports.recording(traced):
                self.reads = traced
                try:
                    with script_facts.recording() as stated:
                        raw = _rendered(job, self.root)
                    raw = replace(raw, facts={**stated, **raw.facts})
                finally:
                    self.tracer.add_opened(watch.opened())
                    self.unseen = (
                        "" if watch.is_complete or job.inputs else _reader(code + self._modules(traced))
                    )
            readings = clock.remarks(script.text_of(job, self.root))
            return replace(raw, remarks=(*raw.remarks, *readings)), traced | set(raw.traced)
        finally:
            os.chdir(self.setting.scratch)
            trees.remove(folder, seconds=CLEARING)  # the rest is removed with its folder

    def _modules(self, traced: set[str]) -> bytes:
        """The code of the book's modules that a script has imported."""
        code = []
        for name in sorted(name for name in traced if name.endswith(".py")):
            with suppress(OSError):
                code.append(inside.read(self.root, name, files.SOURCE))
        return b"\n".join(code)

    def _start_helpers(self, job: Job) -> None:
        """Start the helper processes that draw what this process, with its limits, cannot."""
        if self.setting.way != "fork" or self.limited:
            return
        try:
            text = source(job, self.root)
        except AuthorError:
            return  # running the source reports the error

        def limit() -> None:
            limits.limit(None, job.timeout)
            limits.hold(job.memory + limits.V8)

        for word, target in KINDS[job.kind].process.helpers:
            if word in text:
                imported(target)(limit)

    def _limit_or_lift(self, job: Job) -> None:
        """Set the limits for a job that runs no author's code: its renderer may bound its memory itself."""
        if not KINDS[job.kind].process.bounds_memory:
            if self.setting.way == "fork" and not self.limited:
                limits.lift()  # what the renderer of an earlier job has set
            self._limit(job.memory, for_good=False)
        elif self.setting.way == "fork":
            limits.limit(None)
            limits.lift()
            self.limited = False

    def _limit(self, memory: int, seconds: float | None = None, for_good: bool = True) -> None:
        """Set the limits of this process once. A `stay` worker has none: they could not be raised for the next job."""
        if self.setting.way == "fork" and not self.limited:
            limits.limit(memory, seconds, for_good)
            self.limited = True

    def _state_limit(self, job: Job) -> None:
        """Have the fork server measure the memory of this process, from its first job on."""
        if not self.stated:
            self.context.state_limit(job.memory, out_of_memory(job))
            self.stated = True

    def _redirect_streams(self) -> None:
        """Write what a script prints to `output`."""
        self.streams = sys.stdout, sys.stderr = [
            open(descriptor, "w", encoding="utf-8", errors="backslashreplace", closefd=False)  # noqa: SIM115
            for descriptor in (1, 2)
        ]

    def _printed(self) -> str:
        """What the script printed, even if it has closed or replaced its streams."""
        for descriptor, stream in enumerate(self.streams, 1):
            os.dup2(self.output.fileno(), descriptor)
            if not stream.closed:
                stream.flush()
        return protocol.tail(self.output)


# Libraries that open data in C, where Python's audit events do not reach.
READERS = (
    "pyarrow",
    "h5py",
    "netCDF4",
    "osgeo",
    "duckdb",
    "rasterio",
    "fiona",
    "pyogrio",
    "tables",
    "polars",
    "fastparquet",
    "cv2",
    "zarr",
    "lxml",
    "vtk",
    "ROOT",
    "uproot",
    "soundfile",
)


# figmill draws with these itself, so a process may have loaded them before a script: they count if its code names them.
OURS = frozenset({"lxml"})


def _reader(code: bytes) -> str:
    """The first of these libraries that a script has loaded; empty if none. code: its own, with its modules'."""
    loaded = (name for name in READERS if name in sys.modules)
    return next((name for name in loaded if name not in OURS or name.encode() in code), "")


@contextmanager
def _restored(root: Path) -> Iterator[None]:
    """Undo a script's changes to the process, which must serve the next job too."""
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
