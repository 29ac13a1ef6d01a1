"""The two errors that are not a bug of figmill: AuthorError and ToolError. Any other exception keeps its traceback."""

from __future__ import annotations

import errno
import os
from contextlib import contextmanager
from typing import TYPE_CHECKING

from figmill.exit_codes import USAGE
from figmill.host.files import UnfitError
from figmill.host.lines import message as shortened
from figmill.host.lines import one_line as one_line
from figmill.host.lines import own_lines
from figmill.spelling import did_you_mean as did_you_mean

if TYPE_CHECKING:  # the command imports this module first, and must start fast
    from collections.abc import Iterable, Iterator

    from figmill.model import Origin, Warned


class AuthorError(Exception):
    """A file of the book is wrong, at `origin`.

    - detail: further lines, shown indented.
    - trace: lines for figmill's developers, shown with --verbose.
    - looked: files of the book that a renderer looked for before it failed, beside the source.
    - requirement: what pip would have to install, as `figmill[d2]`.
    - is_harmless: whether the process is as it was before, so that it may draw other figures.
    """

    def __init__(
        self,
        origin: Origin,
        message: str,
        detail: str = "",
        trace: str = "",
        looked: tuple[str, ...] = (),
        requirement: str = "",
    ) -> None:
        message = shortened(message)
        detail = own_lines(detail)
        super().__init__(f"{origin}: {message}")
        self.origin = origin
        self.message = message
        self.detail = detail
        self.trace = own_lines(trace)
        self.looked = looked
        self.requirement = requirement
        self.is_harmless = False  # of the process that raised it, so not pickled

    def __reduce__(self) -> tuple[type[AuthorError], tuple[Origin, str, str, str, tuple[str, ...], str]]:
        # Exception.args has only one text
        arguments = (self.origin, self.message, self.detail, self.trace, self.looked, self.requirement)
        return AuthorError, arguments


def as_errors(findings: Iterable[Warned], why: str) -> tuple[AuthorError, ...]:
    """Findings as errors that prevent publication. why: the reason why they are errors."""
    return tuple(AuthorError(f.origin, f"{f.message} [{f.check}: {why}]") for f in findings)


@contextmanager
def looking_for(names: Iterable[str]) -> Iterator[None]:
    """Add `names`, as they are at the end, to the files that an AuthorError of the block says its renderer sought."""
    try:
        yield
    except AuthorError as error:
        error.looked = tuple(dict.fromkeys((*names, *error.looked)))
        raise


@contextmanager
def harmless() -> Iterator[None]:
    """Have an AuthorError of the block say that the process is as it was before."""
    try:
        yield
    except AuthorError as error:
        error.is_harmless = True
        raise


class ToolError(Exception):
    """The fault is in the machine, the settings or the command line, not in a file of the book.

    - code: the exit code; 2 for usage and configuration, 1 if the build could not be finished.
    - detail: further lines, shown indented.
    """

    def __init__(self, message: str, code: int = USAGE, detail: str = "") -> None:
        super().__init__(shortened(message))
        self.code = code
        self.detail = own_lines(detail)

    @classmethod
    def quoting(cls, before: str, output: str) -> ToolError:
        """An error from another process's output: the last line is the message, the whole output the detail."""
        lines = output.strip().splitlines()
        return cls(
            before + (lines[-1].strip() if lines else ""), detail=output.strip() if len(lines) > 1 else ""
        )


class ReadOnlyError(ToolError):
    """A place in the book where this user, or every user, may not write."""


def not_written(name: str, error: OSError) -> ToolError:
    """The error for a file that could not be written. Raise it from `error`."""
    kind = ReadOnlyError if error.errno in (errno.EACCES, errno.EPERM, errno.EROFS) else ToolError
    return kind(f"cannot write {name}: {error.strerror}", code=1)


def own_error(origin: Origin, doing: str, what: str, trace: str) -> AuthorError:
    """The error for a figure on which figmill itself failed. what: the name of the exception."""
    return AuthorError(origin, f"figmill itself failed while {doing} ({what}); please report it", trace=trace)


def held(origin: Origin, doing: str, error: Exception) -> AuthorError:
    """Turn an exception, raised during work on one figure, into that figure's error.

    Raises it again if it concerns the machine or the command line instead.
    """
    if isinstance(error, AuthorError):
        return error
    if isinstance(error, ToolError) or (machine_words(error) and not isinstance(error, MemoryError)):
        raise error
    from traceback import format_exception  # not at the top: a build without errors does not need it

    return own_error(origin, doing, type(error).__name__, "".join(format_exception(error)))


_SHARE = "; a network share has changed or is gone: mount it again, then build again"
# Errors of the machine, for which neither a file of the book nor figmill is to blame, and what to do. Not every system
# has all of them.
_MACHINE = {
    getattr(errno, name): advice
    for name, advice in {
        **dict.fromkeys(
            ("ENFILE", "ENOSPC", "EDQUOT", "EFBIG", "EIO", "EROFS", "EACCES", "EPERM", "ENOMEM"), ""
        ),
        **dict.fromkeys(("ESTALE", "EREMOTEIO", "ETIMEDOUT", "ENOTCONN"), _SHARE),
        "EMFILE": "; `ulimit -n` prints how many may be open",
        "EAGAIN": "; `ulimit -u` prints how many processes and threads a user may have",
        "ENOLCK": "; this file system gives no locks: build on another, or on one machine at a time",
    }.items()
    if hasattr(errno, name)
}
_NO_THREAD = "can't start new thread"  # what Python says where the system says EAGAIN


def machine_words(error: BaseException) -> str | None:
    """The message for an exception caused by the machine; None for any other."""
    if isinstance(error, MemoryError):
        return "this machine has no memory left"
    # raised for a library written in C
    if isinstance(error, ImportError) and os.strerror(errno.EMFILE) in str(error):
        error = OSError(errno.EMFILE, os.strerror(errno.EMFILE))
    if isinstance(error, RuntimeError) and str(error) == _NO_THREAD:
        error = OSError(errno.EAGAIN, os.strerror(errno.EAGAIN))
    if isinstance(error, UnfitError):
        return one_line(f"{os.fsdecode(error.filename)} cannot be read: {error.strerror}")
    if not isinstance(error, OSError) or error.errno not in _MACHINE:
        return None
    where = "" if error.filename is None else f" at {os.fsdecode(error.filename)}"
    advice = _MACHINE[error.errno]
    return one_line(f"the build cannot continue on this machine: {error.strerror}{where}{advice}")


def joined(message: str, more: str) -> str:
    """Two texts joined in one line: a message from elsewhere, then an addition; either may be empty."""
    return f"{message.rstrip(' .;:,')}; {more}" if message and more else message or more
