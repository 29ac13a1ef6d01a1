"""Drawings without a book: jobs given to a pool of their own."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from pathlib import Path

from figmill.kind.job import Job, Raw
from figmill.render.pool import Pool
from figmill.render.results import FollowUp, Result


def draw_all(
    jobs: Sequence[Job | Raw],
    root: Path,
    slots: int,
    fonts: Sequence[Path] = (),
    enclosure: str = "auto",
    then: Sequence[Sequence[FollowUp]] = (),
) -> Generator[Result, None, None]:
    """One result for each job, in order, as `Pool.draw_all` yields them."""
    with Pool(root, fonts, enclosure, slots=slots) as pool:
        yield from pool.draw_all(jobs, then)
