"""The answer for a book in which nothing at all has changed, given before anything is loaded."""

from __future__ import annotations

import os
import sys

from figmill import snapshot
from figmill.host import streams

TYPE_CHECKING = False  # loading `typing` would take a tenth of the time
if TYPE_CHECKING:
    from typing import NoReturn

    from figmill.snapshot import Seen


def plain(words: list[str]) -> tuple[str | None, bool] | None:
    """The root, if it is given, and whether to be quiet; None where more is asked than that."""
    root, quiet = None, False
    left = iter(words)
    for word in left:
        if word in ("-q", "--quiet"):
            quiet = True
        elif word == "--root" and (root := next(left, None)) is not None:
            continue
        else:
            return None
    return root, quiet


def answered(root: str | None, quiet: bool, forms: frozenset[str] = frozenset()) -> tuple[bool, Seen | None]:
    """Whether nothing has changed, which is said then; and what was seen of the book on the way.

    root: None: found from here. forms: that are asked for beside SVG.
    """
    found = snapshot.find(os.getcwd()) if root is None else os.path.realpath(root)
    if found is None:
        return False, None
    known, seen = snapshot.answer(found, forms)
    if known is None:
        return False, seen
    figures, warnings = known
    streams.complain(*warnings)
    if not quiet:
        streams.say([snapshot.summary(figures)])
    return True, seen


def leave(code: int) -> NoReturn:
    """End the process: taking ten thousand questions apart at its end would take as long as its start."""
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except (OSError, ValueError):  # told before, or closed by whoever reads
            pass
    os._exit(code)
