"""Run the server: a socket of this machine alone, the pages, and the watch over the book's files, until interrupted."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncIterator, Callable
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
from figmill.serve.app import Site, site
from figmill.serve.guard import ADDRESS, Keys

ENDING = 1  # seconds that open connections have to end
BURST = 20  # ms in which writes of one file belong together


def listening(port: int) -> socket.socket:
    """A socket of 127.0.0.1. port: 0 for any free one. Raises ToolError."""
    taken = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    try:
        taken.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        taken.bind((ADDRESS, port))
        taken.listen(128)
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
    concerns: Callable[[str], bool],
    told: Callable[[Update | None, str], None],
    ready: Callable[[], None],
    editor: str | None = None,
) -> NoReturn:
    """Serve until interrupted, by KeyboardInterrupt.

    concerns: whether a change at a path matters; told: what an update did, or the trouble with the book; ready: is
    called once the address can be opened.
    """
    threads = ThreadPoolExecutor(2, "figmill")  # one that builds, one that renders what a page wishes
    try:
        asyncio.run(_run(resident, taken, keys, threads, concerns, told, ready, editor))
        raise KeyboardInterrupt  # nothing else ends a server in order
    finally:
        resident.interrupt()
        threads.shutdown(wait=False, cancel_futures=True)


async def _run(
    resident: Resident,
    taken: socket.socket,
    keys: Keys,
    threads: ThreadPoolExecutor,
    concerns: Callable[[str], bool],
    told: Callable[[Update | None, str], None],
    ready: Callable[[], None],
    editor: str | None,
) -> None:
    pages = site(resident, keys, threads, editor)
    config = uvicorn.Config(
        pages.app(),
        loop="asyncio",
        http="h11",
        ws="none",
        lifespan="off",
        log_config=None,
        log_level="error",  # what is no HTTP is nothing to tell of
        access_log=False,
        proxy_headers=False,
        server_header=False,
        date_header=False,
        timeout_graceful_shutdown=ENDING,
    )
    server = _Server(config, pages)
    stop = asyncio.Event()
    keeping = asyncio.create_task(_keep(pages, threads, resident.root, concerns, told, stop))
    keeping.add_done_callback(lambda _: server.end())
    asyncio.get_running_loop().call_soon(ready)
    try:
        await server.serve(sockets=[taken])
    finally:
        stop.set()
        keeping.cancel()
        with suppress(asyncio.CancelledError):
            await keeping


class _Server(uvicorn.Server):
    """A server that ends its streams first: an open one would hold up the end."""

    def __init__(self, config: uvicorn.Config, pages: Site) -> None:
        super().__init__(config)
        self._pages = pages

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        super().handle_exit(sig, frame)
        self.end()

    def end(self) -> None:
        self.should_exit = True
        self._pages.live.close()
        self._pages.turns.close()


async def _keep(
    pages: Site,
    threads: ThreadPoolExecutor,
    root: Path,
    concerns: Callable[[str], bool],
    told: Callable[[Update | None, str], None],
    stop: asyncio.Event,
) -> None:
    """Keep the book up to date, and every page with it."""
    loop = asyncio.get_running_loop()
    pages.live.publish(await loop.run_in_executor(threads, pages.live.glance))
    async for changed in _changes(root, concerns, stop):
        snapshot, update = await loop.run_in_executor(threads, pages.live.refresh, changed)
        pages.live.publish(snapshot)
        told(update, snapshot.trouble)


async def _changes(
    root: Path, concerns: Callable[[str], bool], stop: asyncio.Event
) -> AsyncIterator[frozenset[Path] | None]:
    """None to begin with; then the files of every change. The watcher begins before the first build: none is lost."""
    begun = asyncio.Event()
    queue: asyncio.Queue[frozenset[Path] | None] = asyncio.Queue()

    async def watch() -> None:
        watched = awatch(
            root,
            watch_filter=lambda _, path: concerns(path),
            debounce=BURST,
            step=BURST // 2,
            rust_timeout=250,
            yield_on_timeout=True,
            stop_event=stop,
        )
        async for found in watched:
            begun.set()
            if found:
                queue.put_nowait(frozenset(Path(path) for _, path in found))

    def ended(_: asyncio.Task[None]) -> None:
        begun.set()
        queue.put_nowait(None)

    watching = asyncio.create_task(watch())
    watching.add_done_callback(ended)
    try:
        await begun.wait()
        yield None
        while (one := await queue.get()) is not None:
            while not queue.empty():  # what came while the last was built is one build
                one |= queue.get_nowait() or frozenset()
            yield one
        watching.result()  # raises what has ended it
    finally:
        watching.cancel()
