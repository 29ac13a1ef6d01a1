"""One render at a time, and of each page only its newest wish: whoever turns a knob wants the last picture.

Runs in the event loop; the renders themselves run in one thread. Unaware of what is rendered.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from concurrent.futures import Executor
from dataclasses import dataclass, field
from typing import Any

PAGES = 256  # that may wait; the one that has waited longest gives way
AGAIN = 0.2  # seconds after which a render that goes on is interrupted again
PATIENCE = 0.4  # seconds after which a render ends for a newer wish of the same page


@dataclass(slots=True)
class _Wish:
    work: Callable[[], Any]
    answer: asyncio.Future[Any]


@dataclass(frozen=True, slots=True, eq=False)
class _Render:
    """The render under way. began: on the monotonic clock."""

    page: str
    began: float


@dataclass(slots=True)
class Turns:
    """interrupt: ends the render under way, from another thread."""

    threads: Executor
    interrupt: Callable[[], None]
    is_closed: bool = False
    _waiting: dict[str, _Wish] = field(default_factory=dict)
    _under_way: _Render | None = None
    _task: asyncio.Task[None] | None = None

    async def turn(self, page: str, work: Callable[[], Any]) -> Any:
        """What `work` gives; None where a newer wish of the same page took its place. Raises what `work` raises."""
        if self.is_closed:
            return None
        wish = _Wish(work, asyncio.get_running_loop().create_future())
        if page in self._waiting:
            _give_up(self._waiting[page])  # the newer one inherits its place
        elif len(self._waiting) >= PAGES:
            _give_up(self._waiting.pop(next(iter(self._waiting))))
        self._waiting[page] = wish
        if self._task is None:
            self._task = asyncio.create_task(self._run())
        elif self._under_way is not None and self._under_way.page == page:
            left = self._under_way.began + PATIENCE - time.monotonic()
            asyncio.get_running_loop().call_later(max(0.0, left), self._end, self._under_way)
        return await wish.answer

    def cancel(self, page: str) -> None:
        """Give up whatever a page wishes: what waits, and the render under way."""
        if (wish := self._waiting.pop(page, None)) is not None:
            _give_up(wish)
        if self._under_way is not None and self._under_way.page == page:
            self._end(self._under_way)

    def _end(self, render: _Render) -> None:
        """Interrupt a render until it has ended: one that has just begun, or waits for a build, does not hear it."""
        if render is self._under_way:
            self.interrupt()
            asyncio.get_running_loop().call_later(AGAIN, self._end, render)

    async def _run(self) -> None:
        loop = asyncio.get_running_loop()
        while self._waiting:
            page = next(iter(self._waiting))
            wish = self._waiting.pop(page)
            self._under_way = _Render(page, time.monotonic())
            try:
                made = await loop.run_in_executor(self.threads, wish.work)
            except Exception as error:
                if not wish.answer.done():
                    wish.answer.set_exception(error)
            else:
                if not wish.answer.done():
                    wish.answer.set_result(made)
            finally:
                self._under_way = None
        self._task = None

    def close(self) -> None:
        """Answer everybody who waits, and begin nothing more."""
        self.is_closed = True
        for wish in self._waiting.values():
            _give_up(wish)
        self._waiting.clear()
        if self._under_way:
            self.interrupt()


def _give_up(wish: _Wish) -> None:
    if not wish.answer.done():
        wish.answer.set_result(None)
