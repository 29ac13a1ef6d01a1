"""Messages between two processes over a socket: a JSON header and bytes.

Standard library only. Unaware of what is said.
"""

from __future__ import annotations

import json
import os
import struct
from typing import Any, BinaryIO

SAID = 16 << 10  # bytes kept of what a figure prints
_LENGTHS = struct.Struct(">II")


def send(stream: BinaryIO, header: dict[str, Any], payload: bytes = b"") -> None:
    """One message: a JSON header and bytes."""
    text = json.dumps(header).encode()
    stream.write(_LENGTHS.pack(len(text), len(payload)) + text + payload)
    stream.flush()


def receive(stream: BinaryIO) -> tuple[dict[str, Any], bytes] | None:
    """The next message; None where the other side is gone."""
    lengths = stream.read(_LENGTHS.size)
    if len(lengths) < _LENGTHS.size:
        return None
    size, payload_size = _LENGTHS.unpack(lengths)
    text, payload = stream.read(size), stream.read(payload_size)
    if len(text) < size or len(payload) < payload_size:
        return None
    return json.loads(text), payload


class Whole:
    """An unbuffered socket stream whose reads and writes are whole, or end with the connection."""

    def __init__(self, raw: Any) -> None:
        self._raw = raw

    def fileno(self) -> int:
        return int(self._raw.fileno())

    def read(self, size: int) -> bytes:
        parts, left = [], size
        while left:
            part = self._raw.read(min(left, 1 << 20))
            if not part:
                break
            parts.append(part)
            left -= len(part)
        return b"".join(parts)

    def write(self, data: bytes) -> int:
        view = memoryview(data)
        while view:
            view = view[self._raw.write(view) :]
        return len(data)

    def flush(self) -> None:
        """Nothing is held back."""

    def close(self) -> None:
        self._raw.close()


def tail(said: BinaryIO) -> str:
    """The end of what was printed into a file."""
    size = said.seek(0, os.SEEK_END)
    said.seek(max(0, size - SAID))
    return said.read(SAID).decode("utf-8", "replace")
