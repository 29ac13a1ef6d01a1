"""Messages between two processes: a JSON header and bytes, over a socket or a pipe.

The asking side trusts nothing: it checks the length of a message before it makes room for it, and never waits for
the rest of one message while other lines have something to read. Standard library only.
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

from figmill.late_dataclasses import dataclass

T = TypeVar("T")
WireMessage: TypeAlias = tuple[dict[str, Any], bytes]

PRINTED = 16 << 10  # bytes kept of what a figure prints
HEADER = 4 << 20  # bytes of JSON in one message: a drawing may have very many warnings
# Bytes beside it: several times the limit of a figure, so that a message can state its real size.
PAYLOAD = 32 << 20
PART = 1 << 18  # bytes that are read from or written to a socket at a time
_LENGTHS = struct.Struct(">II")


@dataclass(frozen=True, slots=True)
class WorkerSetup:
    """What a worker is started with; it crosses as JSON."""

    root: str
    scratch: str
    kinds: tuple[str, ...]
    way: str  # "fork" or "stay"
    fonts: tuple[str, ...] = ()  # further font files of the book
    enclosure: str = "auto"  # the book's setting `sandbox`
    preload: str = ""  # "module:function", called once before the first child is forked
    read: tuple[str, ...] = ()  # files and folders outside the book


@dataclass(frozen=True, slots=True)
class NoAnswer:
    """Why no answer came; if for neither reason, the channel is dead.

    - late: it took too long.
    - garbled: what is wrong with it.
    """

    late: bool = False
    garbled: str = ""


class GarbledError(Exception):
    """The other side sent something that is not a message; the text says what is wrong with it."""


class Stream(Protocol):
    """What messages go over. `read` returns as many bytes as asked for, or fewer if the other side is gone."""

    def read(self, size: int, /) -> bytes: ...
    def write(self, data: bytes, /) -> object: ...
    def flush(self) -> object: ...


def packed(header: dict[str, Any], payload: bytes = b"") -> bytes:
    """The bytes of one message."""
    text = json.dumps(header).encode()
    return _LENGTHS.pack(len(text), len(payload)) + text + payload


def send(stream: Stream, header: dict[str, Any], payload: bytes = b"") -> None:
    """Send one message."""
    stream.write(packed(header, payload))
    stream.flush()


def receive(stream: Stream) -> WireMessage | None:
    """The next message from a trusted side; None if that side is gone."""
    lengths = stream.read(_LENGTHS.size)
    if len(lengths) < _LENGTHS.size:
        return None
    size, payload_size = _LENGTHS.unpack(lengths)
    text, payload = stream.read(size), stream.read(payload_size)
    if len(text) < size or len(payload) < payload_size:
        return None
    return json.loads(text), payload


class Channel:
    """A socket: for the answering side a stream, for the asking side one that never blocks.

    - until: the moment (time.monotonic) from which `hear` raises TimeoutError if no whole message has come.
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
        data = bytes(self._heard[:size])
        del self._heard[:size]
        return data

    def write(self, data: bytes) -> None:
        self.connection.sendall(data)

    def flush(self) -> None:
        """`write` buffers nothing."""

    def close(self) -> None:
        self.connection.close()

    @property
    def is_sending(self) -> bool:
        """Whether a part of a posted message is still unsent."""
        return bool(self._unsent)

    def post(self, header: dict[str, Any], payload: bytes = b"") -> None:
        """Send as much of a message as the other side takes now; `hear` sends the rest."""
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
            self._unsent = memoryview(b"")  # the other side is gone, as `hear` will find out

    def hear(self) -> WireMessage | None:
        """The next message; None if it has not arrived whole. Does not wait.

        Raises TimeoutError from `until` on, EOFError if the other side is gone, and GarbledError.
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

    def _whole(self) -> WireMessage | None:
        """Take the first message out of the buffer; None if it is not whole yet."""
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
            raise GarbledError(f"text that is not JSON ({type(error).__name__})") from None
        if not isinstance(header, dict):
            raise GarbledError(f"a JSON {type(header).__name__} in place of an object")
        return header, payload

    def is_quiet(self) -> bool:
        """Whether nothing has come and the other side lives: then the next message answers the next question."""
        return not self._heard and not _ready([self], 0)


def awaited(channel: Channel) -> WireMessage:
    """Wait for the next message, at most until `channel.until`. Raises what `hear` raises."""
    while (message := channel.hear()) is None:
        readable([channel])
    return message


class Shared(Generic[T]):
    """A value that many messages share: pickled once by the sender, unpickled once by the receiver."""

    def __init__(self, value: T) -> None:
        self.value = value
        self._parts = b""

    def __reduce__(self) -> tuple[Any, ...]:
        self._parts = self._parts or pickle.dumps(self.value)
        return _unpickled, (self._parts,)


@lru_cache(maxsize=4)
def _unpickled(parts: bytes) -> Shared[Any]:
    return Shared(pickle.loads(parts))


def readable(channels: Sequence[Channel], seconds: float | None = None) -> list[Channel]:
    """Wait, at most this many seconds, for lines that can be read or written, or whose `until` has passed."""
    now = time.monotonic()
    limits = [channel.until - now for channel in channels if channel.until is not None]
    ready = _ready(channels, min([*limits, *([] if seconds is None else [seconds])], default=None))
    now = time.monotonic()
    late = (
        channel
        for channel in channels
        if channel.until is not None and channel.until <= now and channel not in ready
    )
    return [*ready, *late]


def _ready(channels: Sequence[Channel], seconds: float | None) -> list[Channel]:
    if closed := [channel for channel in channels if channel.connection.fileno() < 0]:
        return closed  # by another thread: `recv` will raise
    wait = None if seconds is None else max(0.0, seconds)
    if not hasattr(select, "poll"):  # Windows
        sending = [channel.connection for channel in channels if channel.is_sending]
        readable, writable, _ = select.select([channel.connection for channel in channels], sending, [], wait)
        return [
            channel
            for channel in channels
            if channel.connection in readable or channel.connection in writable
        ]
    poll = select.poll()
    for channel in channels:
        poll.register(channel.connection, select.POLLIN | (select.POLLOUT if channel.is_sending else 0))
    ended = {descriptor for descriptor, _ in poll.poll(None if wait is None else wait * 1000)}
    return [channel for channel in channels if channel.connection.fileno() in ended]


def tail(file: BinaryIO) -> str:
    """The last PRINTED bytes of a file that holds printed text."""
    size = file.seek(0, os.SEEK_END)
    if not size:
        return ""
    file.seek(max(0, size - PRINTED))
    return file.read(PRINTED).decode("utf-8", "replace")
