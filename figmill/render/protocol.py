"""Messages between two processes: a JSON header and bytes, over a socket or a pipe.

Standard library only. Unaware of what is said. Who asks believes nothing: how long a message may be is looked at
before there is room for any of it, and nobody waits for the rest of one while others have something to say.
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
from typing import Any, BinaryIO, Generic, Protocol, TypeAlias, TypeVar

T = TypeVar("T")
Message: TypeAlias = tuple[dict[str, Any], bytes]

SAID = 16 << 10  # bytes kept of what a figure prints
HEADER = 4 << 20  # bytes of JSON in one message: a drawing may be warned of at very many lines
PAYLOAD = 32 << 20  # bytes beside it: some times what a figure may have, so that its real size can be told
PART = 1 << 18  # bytes that are taken from a socket, or given to one, at a time
_LENGTHS = struct.Struct(">II")


class GarbledError(Exception):
    """The other side has sent what is no message; the words say what is wrong with it."""


class Stream(Protocol):
    """What messages go over. `read` gives all bytes asked for, or fewer where the other side is gone."""

    def read(self, size: int, /) -> bytes: ...
    def write(self, data: bytes, /) -> object: ...
    def flush(self) -> object: ...


def packed(header: dict[str, Any], payload: bytes = b"") -> bytes:
    """One message as it goes over a stream."""
    text = json.dumps(header).encode()
    return _LENGTHS.pack(len(text), len(payload)) + text + payload


def send(stream: Stream, header: dict[str, Any], payload: bytes = b"") -> None:
    """One message."""
    stream.write(packed(header, payload))
    stream.flush()


def receive(stream: Stream) -> Message | None:
    """The next message of somebody who is believed; None where the other side is gone."""
    lengths = stream.read(_LENGTHS.size)
    if len(lengths) < _LENGTHS.size:
        return None
    size, payload_size = _LENGTHS.unpack(lengths)
    text, payload = stream.read(size), stream.read(payload_size)
    if len(text) < size or len(payload) < payload_size:
        return None
    return json.loads(text), payload


class Line:
    """A socket as a stream, for who answers; and for who asks, a line that never makes it wait.

    `until`: the moment (monotonic, in seconds) at which `hear` raises TimeoutError, whatever has come by then.
    """

    def __init__(self, connection: socket.socket, until: float | None = None) -> None:
        self.connection, self.until = connection, until
        self._heard = bytearray()
        self._unsent = memoryview(b"")

    def read(self, size: int) -> bytes:
        while len(self._heard) < size:
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

    @property
    def is_sending(self) -> bool:
        """Whether some of what was posted has not gone out yet."""
        return bool(self._unsent)

    def post(self, header: dict[str, Any], payload: bytes = b"") -> None:
        """Send a message as fast as the other side takes it; `hear` sends on."""
        self._unsent = memoryview(packed(header, payload))
        self._send_on()

    def _send_on(self) -> None:
        try:
            if self.connection.getblocking():
                self.connection.setblocking(False)
            while self._unsent:
                self._unsent = self._unsent[self.connection.send(self._unsent[:PART]) :]
        except BlockingIOError:
            pass
        except OSError:
            self._unsent = memoryview(b"")  # the other side is gone, which `hear` will find

    def hear(self) -> Message | None:
        """The next message, where all of it is there by now; None: not yet. Does not wait.

        Raises TimeoutError after its moment, EOFError where the other side is gone, and GarbledError.
        """
        self._send_on()
        while (message := self._whole()) is None:
            try:
                part = self.connection.recv(PART)
            except BlockingIOError:
                break
            except OSError as error:
                raise EOFError from error
            if not part:
                raise EOFError
            self._heard += part
        if message is None and self.until is not None and time.monotonic() >= self.until:
            raise TimeoutError
        return message

    def _whole(self) -> Message | None:
        """The message that has come, taken out, where it has come to its end."""
        if len(self._heard) < _LENGTHS.size:
            return None
        size, payload_size = _LENGTHS.unpack_from(self._heard)
        for count, most, what in ((size, HEADER, "words"), (payload_size, PAYLOAD, "a drawing")):
            if count > most:
                raise GarbledError(f"{what} of {count:,} bytes; at most {most:,} are taken")
        start, end = _LENGTHS.size + size, _LENGTHS.size + size + payload_size
        if len(self._heard) < end:
            return None
        text, payload = self._heard[_LENGTHS.size : start], bytes(memoryview(self._heard)[start:end])
        del self._heard[:end]
        try:
            header = json.loads(text)
        except (ValueError, RecursionError) as error:
            raise GarbledError(f"words that are no JSON ({type(error).__name__})") from None
        if not isinstance(header, dict):
            raise GarbledError(f"a JSON {type(header).__name__} in place of an object")
        return header, payload

    def is_quiet(self) -> bool:
        """Whether nothing has come, and the other side is there: what is heard next was asked for."""
        return not self._heard and not _ready([self], 0)


def awaited(line: Line) -> Message:
    """The next message, waited for until the line's moment. Raises what `hear` does."""
    while (message := line.hear()) is None:
        heard([line])
    return message


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
    """Wait for lines on which something can be read or sent, or whose moment has come; at most so many seconds."""
    now = time.monotonic()
    moments = [line.until - now for line in lines if line.until is not None]
    found = _ready(lines, min([*moments, *([] if seconds is None else [seconds])], default=None))
    now = time.monotonic()
    late = (line for line in lines if line.until is not None and line.until <= now and line not in found)
    return [*found, *late]


def _ready(lines: Sequence[Line], seconds: float | None) -> list[Line]:
    if closed := [line for line in lines if line.connection.fileno() < 0]:
        return closed  # by another thread: `recv` will tell
    wait = None if seconds is None else max(0.0, seconds)
    if not hasattr(select, "poll"):  # Windows
        sending = [line.connection for line in lines if line.is_sending]
        readable, writable, _ = select.select([line.connection for line in lines], sending, [], wait)
        return [line for line in lines if line.connection in readable or line.connection in writable]
    poll = select.poll()
    for line in lines:
        poll.register(line.connection, select.POLLIN | (select.POLLOUT if line.is_sending else 0))
    ended = {descriptor for descriptor, _ in poll.poll(None if wait is None else wait * 1000)}
    return [line for line in lines if line.connection.fileno() in ended]


def tail(said: BinaryIO) -> str:
    """The end of what was printed into a file."""
    size = said.seek(0, os.SEEK_END)
    if not size:
        return ""
    said.seek(max(0, size - SAID))
    return said.read(SAID).decode("utf-8", "replace")
