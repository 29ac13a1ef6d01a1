"""Messages between two processes: a JSON header and bytes, over a socket or a pipe.

Standard library only. Unaware of what is said.
"""

from __future__ import annotations

import json
import os
import pickle
import select
import socket
import struct
import time
from collections.abc import Sequence
from functools import lru_cache
from typing import Any, BinaryIO, Generic, Protocol, TypeVar

T = TypeVar("T")

SAID = 16 << 10  # bytes kept of what a figure prints
_LENGTHS = struct.Struct(">II")


class Stream(Protocol):
    """What messages go over. `read` gives all bytes asked for, or fewer where the other side is gone."""

    def read(self, size: int, /) -> bytes: ...
    def write(self, data: bytes, /) -> object: ...
    def flush(self) -> object: ...


def send(stream: Stream, header: dict[str, Any], payload: bytes = b"") -> None:
    """One message."""
    text = json.dumps(header).encode()
    stream.write(_LENGTHS.pack(len(text), len(payload)) + text + payload)
    stream.flush()


def receive(stream: Stream) -> tuple[dict[str, Any], bytes] | None:
    """The next message; None where the other side is gone."""
    lengths = stream.read(_LENGTHS.size)
    if len(lengths) < _LENGTHS.size:
        return None
    size, payload_size = _LENGTHS.unpack(lengths)
    text, payload = stream.read(size), stream.read(payload_size)
    if len(text) < size or len(payload) < payload_size:
        return None
    return json.loads(text), payload


class Line:
    """A socket as a stream. `until`: the moment (monotonic, in seconds) at which a read raises TimeoutError."""

    def __init__(self, connection: socket.socket, until: float | None = None) -> None:
        self.connection, self.until = connection, until
        self._heard = bytearray()

    def read(self, size: int) -> bytes:
        while len(self._heard) < size:
            if self.until is not None and not _readable([self], self.until - time.monotonic()):
                raise TimeoutError
            part = self.connection.recv(max(size - len(self._heard), 1 << 16))
            if not part:
                break
            self._heard += part
        found = bytes(self._heard[:size])
        del self._heard[:size]
        return found

    def write(self, data: bytes) -> None:
        self.connection.sendall(data)

    def flush(self) -> None:
        """Nothing is held back."""

    def close(self) -> None:
        self.connection.close()


class Shared(Generic[T]):
    """A value that many pickled ones have in common: taken apart once here, and put together once there."""

    def __init__(self, value: T) -> None:
        self.value = value
        self._parts = b""

    def __reduce__(self) -> tuple[Any, ...]:
        self._parts = self._parts or pickle.dumps(self.value)
        return _together, (self._parts,)


@lru_cache(maxsize=4)
def _together(parts: bytes) -> Shared[Any]:
    return Shared(pickle.loads(parts))


def heard(lines: Sequence[Line], seconds: float | None = None) -> list[Line]:
    """Wait for lines on which something can be read, or whose moment has come; at most so many seconds."""
    now = time.monotonic()
    moments = [line.until - now for line in lines if line.until is not None]
    found = _readable(lines, min([*moments, *([] if seconds is None else [seconds])], default=None))
    now = time.monotonic()
    late = (line for line in lines if line.until is not None and line.until <= now and line not in found)
    return [*found, *late]


def _readable(lines: Sequence[Line], seconds: float | None) -> list[Line]:
    if closed := [
        line for line in lines if line.connection.fileno() < 0
    ]:  # by another thread: `recv` will tell
        return closed
    wait = None if seconds is None else max(0.0, seconds)
    if not hasattr(select, "poll"):  # Windows
        ready = select.select([line.connection for line in lines], [], [], wait)[0]
        return [line for line in lines if line.connection in ready]
    poll = select.poll()
    for line in lines:
        poll.register(line.connection, select.POLLIN)
    ended = {descriptor for descriptor, _ in poll.poll(None if wait is None else wait * 1000)}
    return [line for line in lines if line.connection.fileno() in ended]


def tail(said: BinaryIO) -> str:
    """The end of what was printed into a file."""
    size = said.seek(0, os.SEEK_END)
    if not size:
        return ""
    said.seek(max(0, size - SAID))
    return said.read(SAID).decode("utf-8", "replace")
