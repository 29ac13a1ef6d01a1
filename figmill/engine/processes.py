"""The processes that draw and settle a book's figures."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

from figmill.config import Options
from figmill.late import imported
from figmill.render.pool import Pool

WARM = "figmill.publish.settling:warm"  # loads what settling needs
CLUSTER = "figmill.cluster.pool:ClusterPool"  # loaded only with --scheduler


def pool_of(
    root: Path, options: Options, jobs: int, stays: bool = False, scheduler: str | None = None
) -> Pool:
    """A pool with the book's fonts and sandbox, for this number of parallel jobs; starts no process yet.

    stays: it serves several builds. scheduler: the address of a Dask cluster that draws; None: draw on this machine.
    """
    fonts, readable = (
        tuple(root / name for name in names) for names in (options.fonts, options.sandbox_read)
    )
    kind: Callable[..., Pool] = Pool if scheduler is None else partial(imported(CLUSTER), scheduler)
    return kind(root, fonts, options.sandbox, WARM, readable, jobs, stays)
