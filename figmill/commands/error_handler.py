"""From whatever went wrong to one line for whoever reads it, and an exit code."""

from __future__ import annotations

import gc
import signal
import traceback
from collections.abc import Callable

from figmill.errors import AuthorError, ToolError, machine_words
from figmill.host.lines import shown, shown_lines
from figmill.streams import complain


def guarded(work: Callable[[], int | None]) -> int:
    """The exit code of some work, which is the whole of this process."""
    gc.set_threshold(50_000, 20, 20)  # many objects that live as long as the command, and few cycles
    signal.signal(signal.SIGTERM, _interrupt)  # how CI cancels: children are ended as after Ctrl-C
    if hasattr(signal, "SIGHUP") and signal.getsignal(signal.SIGHUP) != signal.SIG_IGN:  # by `nohup`
        signal.signal(signal.SIGHUP, _interrupt)  # the terminal was closed
    try:
        return work() or 0
    except (ToolError, AuthorError) as error:
        return told(str(error), getattr(error, "code", 2), error.detail)
    except KeyboardInterrupt:
        return told("interrupted; what was finished is written", 130)
    except Exception as error:
        words = machine_words(error)
        if words is None:
            complain(*shown_lines(traceback.format_exc()))
            words = (
                f"figmill itself has failed ({type(error).__name__}); please report it with the lines above"
            )
        return told(words, 1)


def told(message: str, code: int, detail: str = "") -> int:
    """Say why the command ends with this code."""
    complain(shown(f"render-visuals: {message}"), *(f"    {line}" for line in shown_lines(detail)))
    return code


def _interrupt(*_: object) -> None:
    raise KeyboardInterrupt
