"""The processes that draw and settle a book's figures."""

from __future__ import annotations

from pathlib import Path

from figmill.config import Options
from figmill.render.pool import Pool

WARM = "figmill.publish.finalise:warm"  # loads what settling needs


def pool_of(root: Path, options: Options, jobs: int, stays: bool = False) -> Pool:
    """A pool with the book's fonts and sandbox, for so many jobs at a time; no process is started yet.

    stays: it serves one build after the other.
    """
    fonts, readable = (
        tuple(root / name for name in names) for names in (options.fonts, options.sandbox_read)
    )
    return Pool(root, fonts, options.sandbox, WARM, readable, jobs, stays)
