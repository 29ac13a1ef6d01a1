"""One render at a time, and for each page only its newest request: a moved slider shows its last position.

A request lives as long as the page waits for it: a task that is cancelled takes its render with it. Runs in the event
loop; the renders themselves run in one thread. Unaware of what is rendered.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from concurrent.futures import Executor
from dataclasses import field
from typing import Any

from figmill.late_dataclasses import dataclass

PAGES = 256  # that may wait; the one that has waited longest gives way
AGAIN = 0.2  # seconds until a render that goes on is interrupted again
PATIENCE = 0.4  # seconds after which a render ends for a newer request of the same page


@dataclass(slots=True, eq=False)
class _Request:
    """What a page waits for."""

    page: str
    work: Callable[[], Any]
    answer: asyncio.Future[Any]
    began: float | None = None  # when its render began, on the monotonic clock; None while it waits

    def give_up(self) -> None:
        if not self.answer.done():
            self.answer.set_result(None)


@dataclass(slots=True)
class RenderQueue:
    """The renders that pages wait for, one at a time."""

    threads: Executor
    interrupt: Callable[[], None]  # ends the render under way, from another thread
    is_closed: bool = False
    _waiting: dict[str, _Request] = field(default_factory=dict)  # by page
    _under_way: _Request | None = None
    _task: asyncio.Task[None] | None = None

    async def render(self, page: str, work: Callable[[], Any]) -> Any:
        """The result of `work`; None if a newer request of the same page took its place. Raises what `work` raises.

        Cancelling the task that waits here ends the render, and no other.
        """
        if self.is_closed:
            return None
        request = _Request(page, work, asyncio.get_running_loop().create_future())
        self._add(request)
        try:
            return await request.answer
        except asyncio.CancelledError:
            if self._waiting.get(page) is request:
                del self._waiting[page]
            self._end(request)
            raise

    def _add(self, request: _Request) -> None:
        page, running = request.page, self._under_way
        if page in self._waiting:
            self._waiting[page].give_up()  # the newer one takes its place in the queue
        elif len(self._waiting) >= PAGES:
            self._waiting.pop(next(iter(self._waiting))).give_up()
        self._waiting[page] = request
        if self._task is None:
            self._task = asyncio.create_task(self._run())
        elif running is not None and running.page == page and running.began is not None:
            left = running.began + PATIENCE - time.monotonic()
            asyncio.get_running_loop().call_later(max(0.0, left), self._end, running)

    def _end(self, request: _Request) -> None:
        """Interrupt a render until it has ended: one that has just begun, or waits for a build, ignores the first."""
        if request is self._under_way:
            self.interrupt()
            asyncio.get_running_loop().call_later(AGAIN, self._end, request)

    async def _run(self) -> None:
        loop = asyncio.get_running_loop()
        while self._waiting:
            request = self._waiting.pop(next(iter(self._waiting)))
            request.began = time.monotonic()
            self._under_way = request
            try:
                result = await loop.run_in_executor(self.threads, request.work)
            except Exception as error:
                if not request.answer.done():
                    request.answer.set_exception(error)
            else:
                if not request.answer.done():
                    request.answer.set_result(result)
            finally:
                self._under_way = None
        self._task = None

    def close(self) -> None:
        """Answer every page that waits, and begin nothing more."""
        self.is_closed = True
        for request in self._waiting.values():
            request.give_up()
        self._waiting.clear()
        if self._under_way:
            self.interrupt()
