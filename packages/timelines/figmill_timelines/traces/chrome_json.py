"""Chrome Trace Event JSON, event by event, with one event and a few MB of text in memory.

A trace is an object with `traceEvents` or a bare array, gzipped or not. The closing bracket may be missing, as the
format allows ("Trace Event Format", Duffin and others, Google). A damaged trace is read up to the damage.
"""

from __future__ import annotations

import codecs
import gzip
import json
import re
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from decimal import Decimal
from io import BufferedReader
from pathlib import Path
from typing import Any

CHUNK = 1 << 20  # bytes read at once
LONGEST = 1 << 25  # characters; no event is longer
HEAD = frozenset({"baseTimeNanoseconds", "distributedInfo"})  # Kineto's keys for the clock and the rank
_SPACE = " \t\r\n"


@dataclass(slots=True)
class ReadProgress:
    """The progress of a reader.

    - damage: what could not be read, and where; empty for a sound file.
    - head: the values of the keys in HEAD, as far as the file was read.
    """

    events: int = 0
    damage: str = ""
    head: dict[str, Any] = field(default_factory=dict)


def events(path: str | Path, reading: ReadProgress) -> Iterator[dict[str, Any]]:
    """The events of a trace in the order of the file; their number and any damage go into `reading`.

    Numbers with a point are decimals: a float cannot hold the nanoseconds of a time since 1970 in microseconds.
    """
    file = Path(path)
    with _open(file) as stream:
        text = _TextWindow(stream)
        try:
            for number, event in enumerate(_events(text, reading.head), start=1):
                reading.events = number
                yield event
            if text.broken:
                raise _DamageError(text.broken)
        except _DamageError as error:
            reading.damage = f"{file.name}: broken after {reading.events} events, {text.broken or error}"


def _open(file: Path) -> BufferedReader | gzip.GzipFile:
    stream = file.open("rb")
    if stream.peek(2)[:2] == b"\x1f\x8b":
        return gzip.GzipFile(fileobj=stream)
    return stream


class _DamageError(Exception):
    pass


class _TextWindow:
    """A window on a long text: `value` reads a JSON value, `peek` returns the next character that is not a space."""

    def __init__(self, stream: BufferedReader | gzip.GzipFile) -> None:
        self.stream, self.text, self.at, self.before, self.broken = stream, "", 0, 0, ""
        decoder = json.JSONDecoder(parse_float=Decimal, parse_constant=Decimal)
        self.decode = decoder.raw_decode
        self.scan = decoder.scan_once  # type: ignore[attr-defined]  # raw_decode without its own error messages
        self.to_text = codecs.getincrementaldecoder("utf-8")(errors="replace").decode

    def more(self) -> bool:
        """Read more. False at the end, and if the compressed data is damaged: `broken` then describes the damage."""
        try:
            data = self.stream.read1(CHUNK)
        except (OSError, EOFError, zlib.error) as error:
            data, self.broken = b"", str(error)
        if not data:
            return False
        self.before += self.at
        self.text, self.at = self.text[self.at :] + self.to_text(data), 0
        return True

    def peek(self) -> str:
        while True:
            while self.at < len(self.text):
                character = self.text[self.at]
                if character not in _SPACE:
                    return character
                self.at += 1
            if not self.more():
                return ""

    def value(self) -> Any:
        while True:
            try:
                value, end = self.decode(self.text, self.at)
            except RecursionError:
                raise _DamageError(f"at character {self.before + self.at}: nested too deep") from None
            except ArithmeticError:  # of Decimal
                raise _DamageError(f"at character {self.before + self.at}: a number is too large") from None
            except ValueError as error:
                if len(self.text) - self.at > LONGEST or not self.more():
                    raise _DamageError(f"at character {self.before + self.at}: {error.args[0]}") from None
                continue
            if end == len(self.text) and self.more():  # a number may continue
                continue
            self.at = end
            return value

    def take(self, wanted: str) -> None:
        if self.peek() != wanted:
            raise _DamageError(f"at character {self.before + self.at}: expected '{wanted}'")
        self.at += 1


def _events(text: _TextWindow, head: dict[str, Any]) -> Iterator[dict[str, Any]]:
    if text.peek() == "[":
        yield from _array(text)
        return
    text.take("{")
    while text.peek() not in ("}", ""):
        key = text.value()
        text.take(":")
        if key == "traceEvents" and text.peek() == "[":
            yield from _array(text)
        else:
            text.peek()
            value = text.value()
            if key in HEAD:
                head[key] = value
        if text.peek() == ",":
            text.at += 1


_BETWEEN = re.compile(r"[ \t\r\n,]*")


def _array(text: _TextWindow) -> Iterator[dict[str, Any]]:
    text.take("[")
    between, scan = _BETWEEN.match, text.scan
    while True:
        at = between(text.text, text.at).end()  # type: ignore[union-attr]  # matches the empty string too
        text.at = at
        if at == len(text.text):
            if text.more():
                continue
            return  # no closing bracket, as the format allows
        if text.text[at] == "]":
            text.at += 1
            return
        try:
            event, text.at = scan(text.text, at)
        except (
            ArithmeticError,
            ValueError,
            StopIteration,
            RecursionError,
        ):
            # it continues in text that has not been read, or is damaged
            event = text.value()
        if isinstance(event, dict):
            yield event
