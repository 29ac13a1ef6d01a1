"""The two ways in which a build can go wrong that are not our bug.

Anything else that is raised keeps its traceback.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Iterable
from typing import TYPE_CHECKING

from figmill.host.files import UnfitError
from figmill.host.lines import one_line as one_line
from figmill.host.lines import own_lines

if TYPE_CHECKING:  # the command imports this module first, and must start fast
    from figmill.model import Origin


class AuthorError(Exception):
    """Somebody's file is wrong, at `origin`; `detail` holds further lines, shown indented.

    trace: lines that only a developer of figmill has a use for, shown with --verbose.
    """

    def __init__(self, origin: Origin, message: str, detail: str = "", trace: str = "") -> None:
        message = one_line(message)
        detail = own_lines(detail)
        super().__init__(f"{origin}: {message}")
        self.origin = origin
        self.message = message
        self.detail = detail
        self.trace = own_lines(trace)

    def __reduce__(self) -> tuple[type[AuthorError], tuple[Origin, str, str, str]]:
        given = (self.origin, self.message, self.detail, self.trace)  # not what Exception itself was given
        return AuthorError, given


class ToolError(Exception):
    """This machine, or the way the command was called, cannot do it; nothing in the book is at fault.

    code: the exit code; 2 for usage and configuration, 1 where the build could not be finished. detail: further
    lines, shown indented.
    """

    def __init__(self, message: str, code: int = 2, detail: str = "") -> None:
        super().__init__(one_line(message))
        self.code = code
        self.detail = own_lines(detail)

    @classmethod
    def said(cls, before: str, said: str) -> ToolError:
        """Of another process: what it said last is the message, and all of it the detail."""
        lines = said.strip().splitlines()
        return cls(
            before + (lines[-1].strip() if lines else ""), detail=said.strip() if len(lines) > 1 else ""
        )


def own_error(origin: Origin, doing: str, what: str, trace: str) -> AuthorError:
    """figmill's own mistake while it did something for one figure; what: the name of the exception."""
    return AuthorError(origin, f"figmill itself failed while {doing} ({what}); please report it", trace=trace)


def held(origin: Origin, doing: str, error: Exception) -> AuthorError:
    """An exception that came up while something was done for one figure, as that figure's error.

    Raises it on where it concerns no figure but the machine, or how the command was called.
    """
    if isinstance(error, AuthorError):
        return error
    if isinstance(error, ToolError) or (machine_words(error) and not isinstance(error, MemoryError)):
        raise error
    from traceback import format_exception  # nothing that a build without mistakes need load

    return own_error(origin, doing, type(error).__name__, "".join(format_exception(error)))


# What a machine says where it cannot go on. None of these is anybody's mistake in a file, nor ours.
_MACHINE = frozenset(
    getattr(errno, name)
    for name in ("EMFILE", "ENFILE", "ENOSPC", "EDQUOT", "EFBIG", "EIO", "EROFS", "EACCES", "EPERM", "ENOMEM")
    if hasattr(errno, name)
)


def machine_words(error: BaseException) -> str | None:
    """One line where the machine, and nobody's file or code, is why a call failed; None for anything else."""
    if isinstance(error, MemoryError):
        return "this machine has no memory left"
    if isinstance(error, ImportError) and os.strerror(errno.EMFILE) in str(error):  # a library written in C
        error = OSError(errno.EMFILE, os.strerror(errno.EMFILE))
    if isinstance(error, UnfitError):
        return one_line(f"{os.fsdecode(error.filename)} cannot be read: {error.strerror}")
    if not isinstance(error, OSError) or error.errno not in _MACHINE:
        return None
    where = "" if error.filename is None else f" at {os.fsdecode(error.filename)}"
    advice = "; `ulimit -n` tells how many may be open" if error.errno == errno.EMFILE else ""
    return one_line(f"this machine does not let the build go on: {error.strerror}{where}{advice}")


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """`; did you mean 'dot'?` where a known word is near, else an empty string."""
    from difflib import get_close_matches

    folded = {name.casefold(): name for name in known}
    near = get_close_matches(word.casefold(), folded, n=1, cutoff=0.6)
    return f"; did you mean '{folded[near[0]]}'?" if near else ""
