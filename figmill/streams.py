"""Standard output and standard error: the one way to write to them, and what happens if nobody reads.

Text comes from anywhere: file names, scripts, exceptions, git. No text that goes through this module can act on a
terminal or a CI service: host/lines.py says how. There are four ways out: lines for people (`say`, `complain`), a line
that is drawn over the last (`redraw`), a document for a program (`hand_over`), and commands to GitHub (`annotate`).
The same rules apply to text that other code writes, such as a traceback of Python or the help of click.

The reader may have gone (`| head`), a stream may have been closed before the start (`>&-`), or its disk may be full.
The build is still completed, and its exit code stays the same, with one exception: a lost report is an error.
"""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False  # loading `typing` would take a tenth of the time of a quick answer
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any, TextIO


class LostOutputError(OSError):
    """Standard output cannot be written, for a reason other than a reader who has gone."""


class Painted:
    """A line in colours: pieces of text, each with the number of its colour (ECMA-48 SGR) or an empty string."""

    __slots__ = ("pieces",)

    def __init__(self, *pieces: tuple[str, str]) -> None:
        self.pieces = pieces

    def __add__(self, more: str | Painted) -> Painted:
        return Painted(*self.pieces, *((more, ""),) if isinstance(more, str) else more.pieces)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Painted) and self.pieces == other.pieces

    def __hash__(self) -> int:
        return hash(self.pieces)

    def __str__(self) -> str:
        return "".join([text for text, _ in self.pieces])


class _HeldStream:
    """A standard stream for code that does not use this module: a line is held until it is whole, then filtered."""

    def __init__(self, stream: TextIO) -> None:
        self.stream, self._begun = stream, ""

    def write(self, text: str) -> int:
        *whole, self._begun = (self._begun + text).split("\n")
        if whole:
            self.stream.write("".join([f"{_safe(line)}\n" for line in whole]))
        return len(text)

    def writelines(self, lines: Iterable[str]) -> None:
        for line in lines:
            self.write(line)

    def flush(self) -> None:
        if self._begun:
            self.stream.write(_safe(self._begun))
            self._begun = ""
        self.stream.flush()

    def __getattr__(self, name: str) -> Any:
        return getattr(self.stream, name)


def _safe(line: str | Painted) -> str:
    """A line that neither a terminal nor a CI service obeys."""
    if not isinstance(line, str):
        return "".join(
            [f"\x1b[{sgr}m{_safe(text)}\x1b[0m" if sgr else _safe(text) for text, sgr in line.pieces]
        )
    if line.isprintable() and "::" not in line and "##" not in line:
        return line
    from figmill.host import lines  # loads `re` and `json`; few lines need it

    return lines.shown_source(line)


def stand_in() -> None:
    """Replace both streams by filtered ones; first open the null device in place of a closed stream.

    Otherwise the next file would take its number.
    """
    for descriptor in (0, 1, 2):
        try:
            os.fstat(descriptor)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # uses the lowest free number, which is this one
            os.set_inheritable(descriptor, True)
    if sys.stdin is None:
        sys.stdin = open(0, closefd=False)  # noqa: SIM115 - open as long as the process runs
    if sys.stdout is None:
        sys.stdout = open(1, "w", closefd=False)  # noqa: SIM115
    if sys.stderr is None:
        sys.stderr = open(2, "w", closefd=False)  # noqa: SIM115
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
    sys.stdout, sys.stderr = _HeldStream(sys.stdout), _HeldStream(sys.stderr)


def say(lines: Iterable[str | Painted]) -> None:
    """Write lines to standard output. Raises LostOutputError if they are lost, unless the reader has gone."""
    _put("".join([f"{_safe(line)}\n" for line in lines]))


def hand_over(text: str) -> None:
    """Write a document of many lines, such as JSON or Markdown, to standard output. Raises LostOutputError."""
    from figmill.host import lines  # the fast path does not use this

    _put(f"{lines.document(text)}\n")


def annotate(commands: Iterable[str]) -> None:
    """Write lines to standard output: GitHub shows its commands for errors, warnings and notices.

    Raises LostOutputError.
    """
    from figmill.host import lines  # as above

    _put("".join([f"{lines.annotation(command)}\n" for command in commands]))


def _put(text: str) -> None:
    try:
        _write(sys.stdout, text)
    except BrokenPipeError:
        pass  # the reader has read enough
    except OSError as error:
        message = f"standard output cannot be written: {error.strerror}; everything else is done"
        raise LostOutputError(message) from None


def complain(*lines: str | Painted) -> None:
    """Write lines to standard error. If they are lost, there is nowhere left to report it."""
    _murmur("".join([f"{_safe(line)}\n" for line in lines]))


def redraw(text: str) -> None:
    """Write a text over the last line of a terminal, at standard error."""
    _murmur(f"\r\x1b[K{_safe(text)}")


def _murmur(text: str) -> None:
    try:
        _write(sys.stderr, text)
    except OSError:
        pass


def _write(stream: TextIO, text: str) -> None:
    if isinstance(stream, _HeldStream):
        stream = stream.stream
    try:
        stream.write(text)
        stream.flush()
    except OSError:
        null = os.open(os.devnull, os.O_WRONLY)  # the rest of the buffer must not fail a second time
        try:
            os.dup2(null, stream.fileno())
        finally:
            os.close(null)
        raise
