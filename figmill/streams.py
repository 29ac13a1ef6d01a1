"""Standard output and standard error: what is said there, and what is done where nobody hears it.

Whoever reads may have gone (`| head`), a stream may have been closed before we began (`>&-`), or its disk may be full.
None of it keeps a build from being done, nor changes its exit code, but that a report which is lost is told.
"""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False  # loading `typing` would take a tenth of the time of a quick answer
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import TextIO


def stand_in() -> None:
    """Give a stream that was closed before we began to the null device: else the next file would take its place."""
    for descriptor in (0, 1, 2):
        try:
            os.fstat(descriptor)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # which takes the lowest number that is free: this one
            os.set_inheritable(descriptor, True)
    if sys.stdin is None:
        sys.stdin = open(0, closefd=False)  # noqa: SIM115 - as long as the process
    if sys.stdout is None:
        sys.stdout = open(1, "w", closefd=False)  # noqa: SIM115
    if sys.stderr is None:
        sys.stderr = open(2, "w", closefd=False)  # noqa: SIM115
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")


def say(lines: Iterable[str]) -> None:
    """Write lines to standard output. Raises ToolError where they are lost, but not where nobody listens any more."""
    text = "".join([f"{line}\n" for line in lines])  # made first: its making may fail as well
    try:
        _write(sys.stdout, text)
    except BrokenPipeError:
        pass  # whoever asked has heard enough
    except OSError as error:
        from figmill.errors import ToolError

        words = f"standard output cannot be written: {error.strerror}; all else is done"
        raise ToolError(words, code=1) from None


def complain(*lines: str) -> None:
    """Write lines to standard error. Where they are lost, nobody is left to be told."""
    murmur("".join([f"{line}\n" for line in lines]))


def murmur(text: str) -> None:
    """Write text to standard error, which may be a part of a line."""
    try:
        _write(sys.stderr, text)
    except OSError:
        pass


def _write(stream: TextIO, text: str) -> None:
    try:
        stream.write(text)
        stream.flush()
    except OSError:
        null = os.open(os.devnull, os.O_WRONLY)  # what is left in the buffer must not be told twice
        try:
            os.dup2(null, stream.fileno())
        finally:
            os.close(null)
        raise
