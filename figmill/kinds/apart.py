"""A function that is called in a forked child; the child is kept for the next call, as long as all goes well in it.

For libraries in C that say some things only once in the life of a process, or that die: what becomes of one call
must not depend on the calls before it. Unaware of what the function does. Linux only, where forking is safe.
"""

from __future__ import annotations

import json
import os
import signal
import socket
import struct
from collections.abc import Callable
from typing import Any

from figmill import sandbox

_LENGTHS = struct.Struct(">QQ")

Message = tuple[dict[str, Any], bytes]  # what fits into JSON, and bytes


class ChildDiedError(Exception):
    """The child ended before it answered; `how` says by what."""

    def __init__(self, status: int) -> None:
        self.how = f"exit code {status}" if status >= 0 else signal.Signals(-status).name
        super().__init__(self.how)


class Apart:
    """`call(message)` of the function in a child. is_spoilt: whether an answer is that of a child to be replaced."""

    def __init__(self, function: Callable[[Message], Message], is_spoilt: Callable[[Message], bool]) -> None:
        self.function, self.is_spoilt = function, is_spoilt
        self.child: tuple[int, Any] | None = None

    def call(self, message: Message, memory: int) -> Message:
        """memory: bytes that the child may have. Raises ChildDiedError."""
        pid, stream = self.child = self.child or self._fork(memory)
        try:
            _send(stream, message)
            answer = _receive(stream)
        except OSError:
            answer = None
        if answer is not None and not self.is_spoilt(answer):
            return answer
        self.child = None
        stream.close()
        _, status = os.waitpid(pid, 0)
        if answer is None:
            raise ChildDiedError(os.waitstatus_to_exitcode(status))
        return answer

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
            while (message := _receive(stream)) is not None:
                _send(stream, self.function(message))
            status = 0
        finally:
            os._exit(status)


def _send(stream: Any, message: Message) -> None:
    header, payload = json.dumps(message[0]).encode(), message[1]
    stream.write(_LENGTHS.pack(len(header), len(payload)) + header + payload)
    stream.flush()


def _receive(stream: Any) -> Message | None:
    """The next message; None where the other side is gone."""
    lengths = stream.read(_LENGTHS.size)
    if len(lengths) < _LENGTHS.size:
        return None
    size, payload_size = _LENGTHS.unpack(lengths)
    header, payload = stream.read(size), stream.read(payload_size)
    if len(header) < size or len(payload) < payload_size:
        return None
    return json.loads(header), payload
