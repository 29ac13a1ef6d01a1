"""What a build will probably have to draw, told from times of files alone, before the book is read.

A guess, and only ever a reason to start processes while the questions are read: a wrong one costs a little
processor time, and none waits for it.
"""

from __future__ import annotations

import os
from pathlib import Path

from figmill import ledger
from figmill.config import Options
from figmill.snapshot import Seen

READ = 1 << 16  # bytes of a script that are looked at


def likely(root: Path, options: Options, seen: Seen) -> tuple[str, ...] | None:
    """The kind of the source that was changed last, since the last build: that is what an author is at.

    Empty: it is a drawing by hand, which is only settled. None: no source was changed, or it is not told of which
    kind it is. An edit of a question rarely asks for a drawing.
    """
    try:
        built = os.stat(root / ledger.PATH).st_mtime_ns
    except OSError:
        return None
    below = tuple(f"{folder}/" for folder in options.visuals)
    changed = [
        (mtime, path) for path, _, mtime, _, _ in seen.rows if mtime > built and path.startswith(below)
    ]
    if not changed or not all((root / font).is_file() for font in options.fonts):
        return None
    path = max(changed)[1]
    if path.endswith((".dot", ".gv")):
        return ("dot",)
    if path.endswith(".svg"):
        return ()
    return _of_script(root / path) if path.endswith(".py") else None


def _of_script(path: Path) -> tuple[str, ...] | None:
    try:
        with open(path, "rb") as file:
            text = file.read(READ)
    except OSError:
        return None
    if b"matplotlib" in text or b"figmill" in text:  # figmill's own generators draw with it, too
        return ("matplotlib",)
    return ("dot",) if b"graphviz" in text else None
