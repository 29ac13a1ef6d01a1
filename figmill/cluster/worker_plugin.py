"""The plugin of each Dask worker: the files it received, and warm processes that draw from them.

The plugin lives as long as its worker, in the worker's own folder, which Dask removes. Files are kept across builds;
a copy of the book and its processes are kept for one build. The processes are those of a local build (processes.py),
with the same limits. They end with the worker, because they end when their connections close. Unaware of the client
and of the rest of the cluster.
"""

from __future__ import annotations

import asyncio
import hashlib
import os
import threading
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path

from distributed import Worker, WorkerPlugin, get_worker
from tornado.ioloop import PeriodicCallback

from figmill.cluster.bundle import Bundle, Errand, differences, versions
from figmill.errors import AuthorError, ToolError
from figmill.host import files, trees
from figmill.kind.job import Job
from figmill.late_dataclasses import dataclass
from figmill.render import slot
from figmill.render.processes import opened
from figmill.render.results import Drawn, Result
from figmill.render.temp_dirs import Scratch

NAME = "figmill"
IDLE = 300.0  # seconds without a job after which a build counts as dead; it can return
SIZE = 1 << 30  # bytes of files kept between builds


@dataclass(frozen=True, slots=True)
class Readiness:
    """A worker's answer to a bundle. If both fields are empty, it is ready to draw."""

    differences: tuple[tuple[str, str, str], ...] = ()
    lacking: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Unprepared:
    """Instead of a result: this worker has not received the book."""

    worker: str


@dataclass(frozen=True, slots=True)
class Lacking:
    """Instead of a result: this worker does not have these files of the job."""

    worker: str
    digests: frozenset[str]


async def prepare(build: str, bundle: Bundle, dask_worker: Worker) -> Readiness:
    """Prepare to draw from a bundle, or report what is missing."""
    changed = differences(bundle.versions, versions(bundle.kinds))
    if changed:
        return Readiness(differences=changed)
    plugin = dask_worker.plugins.get(NAME)
    if plugin is None:
        plugin = DrawingPlugin(Path(os.path.realpath(dask_worker.local_directory)) / NAME)
        await dask_worker.plugin_add(plugin, NAME)
    assert isinstance(plugin, DrawingPlugin)
    with _as_tool_error():
        return Readiness(lacking=await asyncio.to_thread(plugin.open, build, bundle))


async def keep(files: Mapping[str, bytes], dask_worker: Worker) -> None:
    """Store files by digest."""
    plugin = dask_worker.plugins[NAME]
    assert isinstance(plugin, DrawingPlugin)
    with _as_tool_error():
        await asyncio.to_thread(plugin.store.put, files)


@contextmanager
def _as_tool_error() -> Iterator[None]:
    """Turn an OSError of this worker's disk into a ToolError: to the client, an OSError means a network error."""
    try:
        yield
    except OSError as error:
        raise ToolError(f"cannot write the book's files: {error.strerror}") from None


async def leave(build: str, dask_worker: Worker) -> None:
    """Cancel everything under way for a build, and forget the build."""
    plugin = dask_worker.plugins.get(NAME)
    if isinstance(plugin, DrawingPlugin):
        await asyncio.to_thread(plugin.close, build)


def draw(build: str, errand: Errand) -> Result | Unprepared | Lacking:
    """The Dask task: draw one job."""
    worker = get_worker()
    plugin = worker.plugins.get(NAME)
    if not isinstance(plugin, DrawingPlugin):
        return Unprepared(worker.address)
    try:
        if lacking := plugin.store.lacking(digest for _, digest in errand.files):
            return Lacking(worker.address, lacking)
        result = plugin.draw(build, errand)
    except ToolError as error:
        raise ToolError(f"the worker {worker.address}: {error}") from None
    return Unprepared(worker.address) if result is None else result


class DrawingPlugin(WorkerPlugin):
    """Stored files, and a copy of the book for each build. Safe for a worker with several threads."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.store = Store(folder / "files")
        self.copies: dict[str, BookCopy] = {}
        self.lock = threading.Lock()
        self.closing = False

    def setup(self, worker: Worker) -> None:
        self.janitor = PeriodicCallback(self.expire, IDLE * 1000 / 4)
        self.janitor.start()

    def teardown(self, worker: Worker) -> None:
        self.janitor.stop()
        self.closing = True
        for build in list(self.copies):
            self.close(build)
        trees.remove(str(self.folder))

    def open(self, build: str, bundle: Bundle) -> frozenset[str]:
        """Copy the book and start its processes. If files are missing, returns their digests instead."""
        with self.lock:
            if self.closing:
                return frozenset()  # a closing worker gets no jobs
            lacking = self.store.lacking(digest for _, digest in bundle.files)
            if not lacking and build not in self.copies:
                self.copies[build] = BookCopy(bundle, self.store, self.folder)
            return lacking

    def draw(self, build: str, errand: Errand) -> Result | None:
        """A job's result; None if the build is unknown here, or has been closed in the meantime."""
        with self.lock:
            copy = self.copies.get(build)
            if copy is None:
                return None
            copy.busy += 1
        try:
            with _as_tool_error():
                copy.add(errand, self.store)
            result = copy.draw(errand.job)
            # None is not a failure: the job ended because its build was closed.
            return result if self.copies.get(build) is copy else None
        finally:
            with self.lock:
                copy.busy -= 1
                copy.asked = time.monotonic()

    def close(self, build: str) -> None:
        with self.lock:
            copy = self.copies.pop(build, None)
        if copy is not None:
            copy.close()
        with self.lock:
            if not self.copies:
                self.store.trim(SIZE)

    def expire(self) -> None:
        """Close builds whose client was killed before it could call `leave`."""
        before = time.monotonic() - IDLE
        for build, copy in list(self.copies.items()):
            if not copy.busy and copy.asked < before:
                self.close(build)


class Store:
    """Files by their SHA-256."""

    def __init__(self, folder: Path) -> None:
        self.folder = Path(files.own_folder(folder))

    def lacking(self, digests: Iterable[str]) -> frozenset[str]:
        return frozenset(digest for digest in digests if not (self.folder / digest).exists())

    def put(self, brought: Mapping[str, bytes]) -> None:
        for digest, data in brought.items():
            if hashlib.sha256(data).hexdigest() != digest:
                raise ToolError(f"a file arrived damaged: {digest}")
            # Two builds may send the same file.
            files.replace_whole(str(self.folder / digest), data, lasting=False)

    def copy(self, digest: str, root: Path, name: str) -> None:
        """Copy a stored file below `root`. Not a link, since a script may damage the file."""
        folder, _, file = name.rpartition("/")
        files.copy(self.folder / digest, os.path.join(files.own_folder(root, folder), file))
        files.touch(self.folder / digest)  # for `trim`

    def trim(self, size: int) -> None:
        """Remove the least recently used files until at most `size` bytes are left."""
        entries = [(path.stat().st_mtime_ns, path.stat().st_size, path) for path in self.folder.iterdir()]
        total = sum(each for _, each, _ in entries)
        for _, each, path in sorted(entries):
            if total <= size:
                break
            path.unlink(missing_ok=True)
            total -= each


class BookCopy:
    """A copy of the book for one build, and the warm processes that draw from it."""

    def __init__(self, bundle: Bundle, store: Store, folder: Path) -> None:
        self.home = bundle.home
        self.busy = 0  # drawings under way
        self.asked = time.monotonic()
        with ExitStack() as stack:
            self.root = Path(stack.enter_context(Scratch(folder)))
            for name, digest in bundle.files:
                store.copy(digest, self.root, name)
            for name in bundle.folders:
                files.own_folder(self.root, name)
            fonts = [self.root / name for name in bundle.fonts]
            self.launcher = stack.enter_context(opened(self.root, bundle.kinds, fonts, folder))
            self.threads = threading.local()
            self.added: dict[str, str] = {}  # path -> SHA-256 of the files of errands
            self.adding = threading.Lock()
            self.close = stack.pop_all().close

    def add(self, errand: Errand, store: Store) -> None:
        """Lay out the files of an errand, unless another errand has brought them."""
        job = errand.job
        with self.adding:
            if errand.text is not None and self._is_new(job.source, hashlib.sha256(errand.text).hexdigest()):
                files.replace_whole(str(self._place(job.source)), errand.text, lasting=False)
            for name, digest in errand.files:
                if self._is_new(name, digest):
                    self._place(name).unlink(missing_ok=True)
                    store.copy(digest, self.root, name)

    def _is_new(self, name: str, digest: str) -> bool:
        """Whether the file is missing or has different content."""
        is_new = self.added.get(name) != digest
        self.added[name] = digest
        return is_new

    def _place(self, name: str) -> Path:
        folder, _, file = name.rpartition("/")
        return Path(files.own_folder(self.root, folder), file)

    def draw(self, job: Job) -> Result:
        """The result of a job. Each thread has its own slot."""
        if not hasattr(self.threads, "slot"):
            self.threads.slot = slot.Slot(self.root, self.launcher)
        return _at_home(slot.draw(self.threads.slot, job), str(self.root), self.home)


def _at_home(result: Result, root: str, home: str) -> Result:
    """A result whose messages name the book's root on the sending machine."""
    if isinstance(result, Drawn):
        return replace(result, raw=replace(result.raw, printed=result.raw.printed.replace(root, home)))
    error = result.error
    moved = AuthorError(error.origin, error.message.replace(root, home), error.detail.replace(root, home))
    return replace(result, error=moved)
