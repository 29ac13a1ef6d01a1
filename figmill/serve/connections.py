"""Connections of the live pages: how many there may be, and how long one may take to send a request.

Any program of the machine can open connections without asking for anything. If there are too many, those that have
waited longest without a whole request are closed first; each is closed after a few seconds. Unaware of the content of
requests.
"""

from __future__ import annotations

import asyncio
import sys
import time
from collections.abc import Callable
from typing import Any

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

MOST = 256  # connections; a browser opens some six
AT_ONCE = 64  # connections that wait to be accepted, all before any is served
PATIENCE = 5.0  # seconds from the first byte of a request, or from connecting, to the end of its body


def most() -> int:
    """How many connections there may be: at most half of the files that this process may open."""
    if sys.platform == "win32":
        return MOST
    import resource

    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return MOST if soft == resource.RLIM_INFINITY else max(AT_ONCE, min(MOST, soft // 2))


class Connection(H11Protocol):
    """One connection. `is_awaited`: whether a request, or the rest of its body, has yet to arrive."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        self.began, self._ending = time.monotonic(), None
        super().connection_made(transport)
        self._limit()
        if len(self.connections) > most():
            self._make_room()

    def connection_lost(self, exc: Exception | None) -> None:
        self._unlimit()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        if self.is_awaited and not self.transport.is_closing():
            if self._ending is None:  # part of the next request has come
                self._limit()
        else:
            self._unlimit()

    @property
    def is_awaited(self) -> bool:
        return self.conn.their_state in (h11.IDLE, h11.SEND_BODY)

    def _limit(self) -> None:
        self._ending = self.loop.call_later(PATIENCE, self.transport.abort)

    def _unlimit(self) -> None:
        if self._ending is not None:
            self._ending.cancel()
            self._ending = None

    def _make_room(self) -> None:
        """End the oldest connection without a request; this one, if all the others have one."""
        silent = (
            connection
            for connection in self.connections
            if isinstance(connection, Connection) and connection.is_awaited
        )
        oldest = min(silent, key=lambda connection: connection.began, default=self)
        self.connections.discard(oldest)
        oldest.transport.abort()

    _ending: asyncio.TimerHandle | None


def once(write: Callable[[str], None]) -> Callable[[asyncio.AbstractEventLoop, dict[str, Any]], None]:
    """Report a fault of the event loop, such as a connection that cannot be accepted: one line, and each once."""
    reported: set[str] = set()

    def report(_: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        error = context.get("exception")
        message = (
            context["message"] if error is None else f"{context['message']} ({type(error).__name__}: {error})"
        )
        if message not in reported and len(reported) < 100:
            reported.add(message)
            write(message)

    return report
