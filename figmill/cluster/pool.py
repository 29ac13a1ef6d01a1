"""A pool that draws on the workers of a Dask cluster. Settling, exports and other follow-ups run on this machine."""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

from figmill import cluster
from figmill.kind.job import Job, Raw
from figmill.render.pool import Pool
from figmill.render.results import Drawn, FollowUp, Result
from figmill.render.slot import needs_drawing


class ClusterPool(Pool):
    """Draws at `address`, such as tcp://HOST:8786; otherwise like `Pool`, whose further arguments it takes."""

    def __init__(self, address: str, root: Path, fonts: Sequence[Path] = (), *rest: Any) -> None:
        super().__init__(root, fonts, *rest)
        self.address, self.fonts = address, fonts

    def draw_all(
        self,
        jobs: Sequence[Job | Raw],
        then: Sequence[Sequence[FollowUp]] = (),
        stop: Callable[[], bool] | None = None,
    ) -> Generator[Result, None, None]:
        """Yield one result for each job, in order. Raises ToolError if there is no such cluster.

        stop: applies only where nothing has to be drawn.
        """
        if not any(map(needs_drawing, jobs)):
            yield from super().draw_all(jobs, then, stop)
            return
        with closing(cluster.draw_all(jobs, self.root, self.address, self.fonts)) as results:
            for result, follow_ups in zip(results, then or [()] * len(jobs), strict=True):
                if isinstance(result, Drawn):
                    yield replace(result, answers=self.make(result.raw, follow_ups))
                else:
                    # a cluster's statements about files of the book are not trusted
                    yield replace(result, read=None)
