"""The processes that draw and settle a book's figures."""

from __future__ import annotations

from pathlib import Path

from figmill.config import Options
from figmill.render.pool import Pool

WARM = "figmill.publish.settling:warm"  # loads what settling needs


def pool_of(root: Path, options: Options, jobs: int, stays: bool = False) -> Pool:
    """A pool with the book's fonts and sandbox, for this number of parallel jobs; starts no process yet.

    stays: it serves several builds.
    """
    fonts, readable = (
        tuple(root / name for name in names) for names in (options.fonts, options.sandbox_read)
    )
    return Pool(root, fonts, options.sandbox, WARM, readable, jobs, stays)
