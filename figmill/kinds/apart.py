"""A function that is called in a forked child; the child is kept for the next call, as long as all goes well in it.

For libraries in C that say some things only once in the life of a process, or that die: what becomes of one call
must not depend on the calls before it. Unaware of what the function does. Linux only, where forking is safe.
"""

from __future__ import annotations

import os
import pickle
import signal
import socket
import struct
from collections.abc import Callable
from typing import Any

from figmill import sandbox

_LENGTH = struct.Struct(">Q")


class ChildDiedError(Exception):
    """The child ended before it answered; `how` says by what."""

    def __init__(self, status: int) -> None:
        self.how = f"exit code {status}" if status >= 0 else signal.Signals(-status).name
        super().__init__(self.how)


class Apart:
    """`call(...)` of the function in a child. is_spoilt: whether a result is that of a child to be replaced."""

    def __init__(self, function: Callable[..., Any], is_spoilt: Callable[[Any], bool]) -> None:
        self.function, self.is_spoilt = function, is_spoilt
        self.child: tuple[int, Any] | None = None

    def call(self, memory: int, *arguments: Any) -> Any:
        """memory: bytes that the child may have. Raises ChildDiedError."""
        pid, stream = self.child = self.child or self._fork(memory)
        try:
            _send(stream, arguments)
            result = _receive(stream)
        except (EOFError, OSError):
            stream.close()
            self.child = None
            raise ChildDiedError(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])) from None
        if self.is_spoilt(result):
            stream.close()
            self.child = None
            os.waitpid(pid, 0)
        return result

    def _fork(self, memory: int) -> tuple[int, Any]:
        ours, theirs = socket.socketpair()
        pid = os.fork()
        if pid:
            theirs.close()
            with ours:
                return pid, ours.makefile("rwb")
        status = 1
        try:
            ours.close()
            sandbox.limit_memory(memory)
            stream = theirs.makefile("rwb")
            while True:
                try:
                    arguments = _receive(stream)
                except EOFError:
                    break
                _send(stream, self.function(*arguments))
            status = 0
        finally:
            os._exit(status)


def _send(stream: Any, value: Any) -> None:
    data = pickle.dumps(value)
    stream.write(_LENGTH.pack(len(data)) + data)
    stream.flush()


def _receive(stream: Any) -> Any:
    """The next value; both ends are this very process, before and after a fork. Raises EOFError."""
    head = stream.read(_LENGTH.size)
    if len(head) < _LENGTH.size:
        raise EOFError
    size = _LENGTH.unpack(head)[0]
    data = stream.read(size)
    if len(data) < size:
        raise EOFError
    return pickle.loads(data)
