"""Turns an exception that ends the command into one line for its reader, and an exit code."""

from __future__ import annotations

import gc
import signal
from collections.abc import Callable

from figmill.errors import AuthorError, ToolError, machine_words
from figmill.streams import LostOutputError, complain


def guarded(work: Callable[[], int | None]) -> int:
    """The exit code of `work`, which is the whole process."""
    # a command creates many objects that live as long as it does, and few cycles
    gc.set_threshold(50_000, 20, 20)
    signal.signal(signal.SIGTERM, _interrupt)  # CI sends it to cancel a job: children end as after Ctrl-C
    if hasattr(signal, "SIGHUP") and signal.getsignal(signal.SIGHUP) != signal.SIG_IGN:  # ignored by `nohup`
        signal.signal(signal.SIGHUP, _interrupt)  # the terminal was closed
    try:
        return work() or 0
    except (ToolError, AuthorError) as error:
        return _ended(str(error), getattr(error, "code", 2), error.detail)
    except LostOutputError as error:
        return _ended(str(error), 1)
    except KeyboardInterrupt:
        return _ended("interrupted; finished figures are written", 130)
    except Exception as error:
        message = machine_words(error) or _missing(error)
        if message is None:
            from traceback import format_exc  # needed only for bugs

            complain(*format_exc().splitlines())
            message = (
                f"figmill itself has failed ({type(error).__name__}); please report it with the lines above"
            )
        return _ended(message, 1)


def _missing(error: Exception) -> str | None:
    """The message for a library that is not installed; None for any other error."""
    name = (error.name or "").partition(".")[0] if isinstance(error, ModuleNotFoundError) else ""
    if not name or name.startswith("figmill"):
        return None
    return f"the library {name} is not installed; `pip install figmill` installs all that it needs"


def _ended(message: str, code: int, detail: str = "") -> int:
    """Print the reason why the command ends; returns the exit code."""
    complain(f"figmill: {message}", *(f"    {line}" for line in detail.splitlines()))
    return code


def _interrupt(*_: object) -> None:
    raise KeyboardInterrupt
