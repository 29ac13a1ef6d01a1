"""Standard output and standard error: writing to them, and what to do if nobody reads.

The reader may have gone (`| head`), a stream may have been closed before the start (`>&-`), or its disk may be full.
The build is still completed, and its exit code stays the same, with one exception: a lost report is an error.
"""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False  # loading `typing` would take a tenth of the time of a quick answer
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import TextIO


class LostOutputError(OSError):
    """Standard output cannot be written, for a reason other than a reader who has gone."""


def stand_in() -> None:
    """Open the null device for each stream that is closed: otherwise the next file would take its number."""
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


def say(lines: Iterable[str]) -> None:
    """Write lines to standard output. Raises LostOutputError if they are lost, unless the reader has gone."""
    text = "".join([f"{line}\n" for line in lines])  # outside the try: making the lines may fail as well
    try:
        _write(sys.stdout, text)
    except BrokenPipeError:
        pass  # the reader has read enough
    except OSError as error:
        words = f"standard output cannot be written: {error.strerror}; all else is done"
        raise LostOutputError(words) from None


def complain(*lines: str) -> None:
    """Write lines to standard error. If they are lost, there is nowhere left to report it."""
    murmur("".join([f"{line}\n" for line in lines]))


def murmur(text: str) -> None:
    """Write text, not necessarily whole lines, to standard error."""
    try:
        _write(sys.stderr, text)
    except OSError:
        pass


def _write(stream: TextIO, text: str) -> None:
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
