"""Run the server: a socket of this machine alone, the pages, and the watch over the book's files, until interrupted."""

from __future__ import annotations

import asyncio
import socket
import sys
from collections.abc import AsyncIterator, Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from types import FrameType
from typing import NoReturn

import uvicorn
from watchfiles import awatch

from figmill.engine.resident.builder import Resident
from figmill.engine.resident.views import Update
from figmill.errors import ToolError
from figmill.late_dataclasses import dataclass
from figmill.serve.app import Site, site
from figmill.serve.connections import AT_ONCE, Connection, once
from figmill.serve.guard import ADDRESS, Keys
from figmill.serve.snapshot import Snapshot

ENDING = 1  # seconds that open connections have to end
# In ms. A change is taken once nothing more has come for one step, at the latest after the whole time.
STEP, TOGETHER = 6, 60
IDLE = 0.3  # seconds without a change, after which deferred work is done


@dataclass(frozen=True, slots=True)
class Watching:
    """How the book is watched.

    - concerns: whether a change at a path matters.
    - settle: waits for half-written files.
    """

    concerns: Callable[[str], bool]
    settle: Callable[[Iterable[Path]], None]


def listening(port: int) -> socket.socket:
    """A socket of 127.0.0.1. port: 0 for any free one. Raises ToolError."""
    taken = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    try:
        if sys.platform == "win32":  # SO_REUSEADDR would let any program of this machine take the same port
            taken.setsockopt(socket.SOL_SOCKET, socket.SO_EXCLUSIVEADDRUSE, 1)
        else:
            taken.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        taken.bind((ADDRESS, port))
        taken.listen(AT_ONCE)
    except OSError as error:
        taken.close()
        raise ToolError(
            f"--port {port}: cannot listen there ({error.strerror}); leave it out for any free one"
        ) from None
    return taken


def serve(
    resident: Resident,
    taken: socket.socket,
    keys: Keys,
    *,
    watching: Watching,
    report: Callable[[Update | None, str], None],
    ready: Callable[[], None],
    editor: str | None = None,
) -> NoReturn:
    """Serve until interrupted, by KeyboardInterrupt.

    report: receives what an update did, or the trouble with the book; ready: is called once the address can be opened.
    """
    threads = ThreadPoolExecutor(2, "figmill")  # one that builds, one that renders what a page asks for
    try:
        asyncio.run(_run(resident, taken, keys, threads, watching, report, ready, editor))
        raise KeyboardInterrupt  # nothing else ends a server cleanly
    finally:
        resident.interrupt()
        threads.shutdown(wait=False, cancel_futures=True)


async def _run(
    resident: Resident,
    taken: socket.socket,
    keys: Keys,
    threads: ThreadPoolExecutor,
    watching: Watching,
    report: Callable[[Update | None, str], None],
    ready: Callable[[], None],
    editor: str | None,
) -> None:
    pages = site(resident, keys, threads, editor)
    config = uvicorn.Config(
        pages.app(),
        loop="asyncio",
        http=Connection,
        backlog=AT_ONCE,
        ws="none",
        lifespan="off",
        log_config=None,
        log_level="error",  # input that is not HTTP need not be reported
        access_log=False,
        proxy_headers=False,
        server_header=False,
        date_header=False,
        timeout_graceful_shutdown=ENDING,
    )
    server = _Server(config, pages)
    stop = asyncio.Event()
    keeping = asyncio.create_task(_keep(pages, threads, resident.root, watching, report, stop))
    keeping.add_done_callback(lambda _: server.end())
    asyncio.get_running_loop().set_exception_handler(once(lambda message: report(None, message)))
    asyncio.get_running_loop().call_soon(ready)
    try:
        await server.serve(sockets=[taken])
    finally:
        stop.set()
        keeping.cancel()
        with suppress(asyncio.CancelledError):
            await keeping


class _Server(uvicorn.Server):
    """A server that ends its streams first: an open one would delay the end."""

    def __init__(self, config: uvicorn.Config, pages: Site) -> None:
        super().__init__(config)
        self._pages = pages

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        super().handle_exit(sig, frame)
        self.end()

    def end(self) -> None:
        self.should_exit = True
        self._pages.live.close()
        self._pages.renders.close()


async def _keep(
    pages: Site,
    threads: ThreadPoolExecutor,
    root: Path,
    watching: Watching,
    report: Callable[[Update | None, str], None],
    stop: asyncio.Event,
) -> None:
    """Keep the book up to date, and every page with it."""
    loop = asyncio.get_running_loop()
    queue: asyncio.Queue[frozenset[Path]] = asyncio.Queue()
    pages.live.resident.has_news = lambda: not queue.empty()
    async for changed in _changes(root, watching, stop, queue):
        news: tuple[Snapshot, Update | None] | None
        if changed == frozenset():  # time for deferred work
            news = await loop.run_in_executor(threads, pages.live.rest)
            if news is None:
                continue
        else:
            await loop.run_in_executor(threads, watching.settle, changed or ())
            news = await loop.run_in_executor(threads, pages.live.refresh, changed)
        snapshot, update = news
        pages.live.publish(snapshot)
        report(update, snapshot.trouble)


async def _changes(
    root: Path, watching: Watching, stop: asyncio.Event, queue: asyncio.Queue[frozenset[Path]]
) -> AsyncIterator[frozenset[Path] | None]:
    """Yield None first; then the files of every change, and an empty set if nothing happens.

    The watcher begins before the first build: no change is lost.
    """
    begun = asyncio.Event()

    async def watch() -> None:
        watched = awatch(
            root,
            watch_filter=lambda _, path: watching.concerns(path),
            debounce=TOGETHER,
            step=STEP,
            rust_timeout=250,
            yield_on_timeout=True,
            stop_event=stop,
        )
        async for changes in watched:
            begun.set()
            if changes:
                queue.put_nowait(frozenset(Path(path) for _, path in changes))

    def ended(_: asyncio.Task[None]) -> None:
        begun.set()
        queue.put_nowait(frozenset())

    watcher = asyncio.create_task(watch())
    watcher.add_done_callback(ended)
    try:
        await begun.wait()
        yield None
        while not watcher.done():
            try:
                changed = await asyncio.wait_for(queue.get(), IDLE)
            except TimeoutError:
                changed = frozenset()
            while not queue.empty():  # changes during the last build become one build
                changed |= queue.get_nowait()
            yield changed
        watcher.result()  # raises what has ended it
    finally:
        watcher.cancel()
