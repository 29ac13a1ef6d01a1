"""Build, then build again after every change of the book, until interrupted.

Knows when to build, not how. Files written by a build itself do not count as changes.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Collection, Iterable
from functools import lru_cache
from pathlib import Path
from queue import Empty, Queue
from threading import Event, Thread
from typing import NoReturn

from figmill import config
from figmill.commands.build import progress_of, refuse_cluster
from figmill.commands.environment import root_of
from figmill.commands.printing import print_report
from figmill.config import Options
from figmill.engine.request import Progress, Request
from figmill.engine.resident.builder import Resident
from figmill.engine.resident.views import Update
from figmill.errors import ToolError
from figmill.fastpath import CONFIGURATION, Seen
from figmill.store import journal
from figmill.store.memory import Memory
from figmill.streams import LostOutputError, complain

# In ms. Changes are collected until none has come for one step, at most for the whole time.
STEP, TOGETHER = 6, 60
IDLE = 300  # ms without a change, after which deferred work is done
HALF_WRITTEN = 0.1  # seconds for which an empty file is taken to be half written


def run(request: Request, seen: Seen | None = None) -> NoReturn:
    """Build and watch as requested. seen: the fast path's listing; the book is listed again in any case."""
    root = root_of(request.root)

    def load() -> Options:
        return config.load(root)

    refuse_cluster(request, load())
    with Resident(root, load, request) as resident:

        def build(update: Callable[[Progress], Update | None]) -> None:
            with progress_of(request) as progress:
                result = update(progress)
            if result is not None:
                print_report(result.report, request, root, load(), resident.has_run_scripts)

        watch(resident, load, build, request.quiet)


def watch(
    resident: Resident,
    load: Callable[[], Options],
    build: Callable[[Callable[[Progress], Update | None]], object],
    is_quiet: bool = False,
) -> NoReturn:
    """Build now, and again whenever a file changes that a figure may depend on. Never returns.

    build: calls its argument and prints the report.
    """
    try:
        from watchfiles import watch as watched
    except ImportError:
        raise ToolError("watch needs the package watchfiles: pip install 'figmill[watch]'") from None
    root, options = resident.root, load()
    seen: dict[Path, object] = {}

    def update(paths: set[Path], progress: Progress) -> Update | None:
        """The update, or None if nothing is new: one save may be reported twice."""
        before = {path: seen.get(path) for path in paths}
        seen.update({path: _status(path) for path in paths})
        result = resident.update(paths, progress)
        is_news = result.looked_at or result.removed or any(seen[path] != before[path] for path in paths)
        return result if is_news else None

    changes = _Changes(
        lambda stop: watched(
            root,
            watch_filter=None,
            debounce=TOGETHER,
            step=STEP,
            stop_event=stop,
            rust_timeout=IDLE,
            yield_on_timeout=True,
        ),
        lambda path: concerns(path, root, options),  # by the latest settings
    )
    with changes:  # the watcher comes first, so that a change during the first build counts
        resident.has_news = lambda: changes.is_waiting
        build(lambda progress: resident.update(None, progress))
        if not is_quiet:
            complain(f"watching {root}: every change is built; press Ctrl-C to stop")
        while True:
            paths = changes.next()
            try:
                if not paths:
                    build(lambda _: resident.rest())
                    continue
                if any(root / name in paths for name in CONFIGURATION):
                    options = load()
                await_content(paths)
                build(lambda progress: update(paths, progress))  # noqa: B023 - called at once
            except (ToolError, LostOutputError) as error:
                complain(str(error))  # perhaps half-written settings: the next save repairs them


class _Changes:
    """The changes of a book, collected by a thread while earlier ones are built. A context manager."""

    def __init__(
        self,
        watch: Callable[[Event], Iterable[Iterable[tuple[object, str]]]],
        concerns: Callable[[str], bool],
    ) -> None:
        """watch: yields the changes until the event is set, and now and then an empty set.

        concerns: whether a change at a path matters. It is asked late, when what a build has written is known.
        """
        self._watch, self._concerns, self._stop, self._begun = watch, concerns, Event(), Event()
        self._queue: Queue[frozenset[str] | BaseException] = Queue()

    def __enter__(self) -> None:
        Thread(target=self._listen, daemon=True).start()
        self._begun.wait()

    def __exit__(self, *_: object) -> None:
        self._stop.set()

    @property
    def is_waiting(self) -> bool:
        """Whether a change is waiting to be built."""
        waiting = [change for change in tuple(self._queue.queue) if isinstance(change, frozenset)]
        return any(self._concerns(path) for path in frozenset().union(*waiting))

    def next(self) -> set[Path]:
        """All paths that have changed since the last call; empty after a while without a change.

        Raises what ended the watch.
        """
        paths = set[Path]()
        try:
            while True:
                change = self._queue.get_nowait() if paths else self._queue.get(timeout=IDLE / 1000)
                if isinstance(change, BaseException):
                    raise change
                paths |= {Path(path) for path in change if self._concerns(path)}
        except Empty:
            return paths

    def _listen(self) -> None:
        try:
            for changes in self._watch(self._stop):
                self._begun.set()
                if changes:
                    self._queue.put(frozenset(path for _, path in changes))
            self._queue.put(KeyboardInterrupt())  # the watch was stopped
        except BaseException as error:
            self._queue.put(error)
        finally:
            self._begun.set()


def await_content(paths: Iterable[Path]) -> None:
    """Wait a moment while one of the files is empty: many programs empty a file before writing it."""
    until = time.monotonic() + HALF_WRITTEN
    while any(map(_is_empty, paths)) and time.monotonic() < until:
        time.sleep(0.005)


def _status(path: Path) -> object:
    try:
        status = path.lstat()
    except OSError:
        return "gone"
    return status.st_size, status.st_mtime_ns, status.st_ino, status.st_ctime_ns


def _is_empty(path: Path) -> bool:
    try:
        return path.stat().st_size == 0
    except OSError:
        return False


def concerns(path: str, root: Path, options: Options) -> bool:
    """Whether a change at this path can change a figure: true for every file in the book that no build writes."""
    inside = Path(path).relative_to(root)
    if any(part.startswith(".") or part == "__pycache__" for part in inside.parts):
        return False
    if not options.in_place:
        return not inside.is_relative_to(options.output)
    return not inside.is_relative_to("build") and inside.as_posix() not in _written(root)


def _written(root: Path) -> Collection[str]:
    """The outputs of the last build, except hand drawings in place, which their authors write."""
    try:
        status = os.stat(root / journal.PATH)
        return _listed(root, (status.st_mtime_ns, status.st_ino, status.st_size))
    except OSError:
        return ()


@lru_cache(maxsize=1)
def _listed(root: Path, _: tuple[int, int, int]) -> Collection[str]:
    ledger = Memory(root).ledger()
    figures = [entry.published for entry in ledger.entries.values()]
    svgs = {file.path for figure in figures for file in figure.all_files if file.path != figure.source}
    return svgs | {export.file.path for entry in ledger.entries.values() for export in entry.exports}
