"""Open a book's own fonts, as drawing and settling do, in a process with limits: a font is an author's bytes.

Unaware of settings, and of how processes are started.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

from figmill import font_metrics
from figmill.errors import AuthorError
from figmill.host.lines import one_line
from figmill.kind import typefaces
from figmill.kind.job import Raw
from figmill.render.results import FollowUp, FollowUpAnswer

SECONDS, MEMORY = 60.0, 1 << 30  # a font of all scripts takes a few seconds, and 200 MB
LONG = 120  # characters of a library's own message


def opening(font: Path) -> FollowUp:
    """The follow-up that opens a font; `fault` takes its answer."""
    function: Callable[[Raw], FollowUpAnswer] = partial(_opened, font)
    return FollowUp(function, "opened", font.name, SECONDS, MEMORY)


# Each reader of a font -> its name for authors, and what it does first.
READERS: tuple[tuple[str, Callable[[Path], object]], ...] = (
    ("fontTools", lambda font: font_metrics.code_points(str(font))),
    ("FreeType", typefaces.opened_by_matplotlib),
)


def _opened(font: Path, _: Raw) -> FollowUpAnswer:
    for name, opened in READERS:
        try:
            opened(font)
        except MemoryError:
            raise
        except Exception as error:  # for damaged fonts, these libraries raise any exception
            return {"fault": f"{name} cannot read it ({_words(error)})"}, b""
    return {}, b""


def _words(error: Exception) -> str:
    text = one_line(str(error)) or type(error).__name__
    return text if len(text) <= LONG else f"{text[:LONG]}..."


def fault(answer: FollowUpAnswer | AuthorError) -> str:
    """What is wrong with a font; empty if nothing is."""
    if isinstance(answer, AuthorError):
        return f"it could not be opened in {SECONDS:g} s and {MEMORY >> 30} GiB of memory"
    return str(answer[0].get("fault", ""))
