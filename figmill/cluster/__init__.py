"""Draw jobs on a Dask cluster, like pool.draw_all, on machines without the book.

client.py talks to the cluster, worker_plugin.py runs on its workers, and bundle.py defines what is sent to them.
Unaware of YAML, the ledger and the output folder. Needs the extra `figmill[cluster]`, imported only when a build
names a scheduler.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Generator, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from figmill.cluster.bundle import Shipment, pack
from figmill.errors import AuthorError, ToolError
from figmill.kinds.answer import WrongAnswerError, error_of, raw_of
from figmill.kinds.job import Job, Raw
from figmill.kinds.tables import packed
from figmill.model import FigureTable, Origin
from figmill.render.pool import AHEAD
from figmill.render.results import Drawn, NotDrawn, Result
from figmill.render.slot import needs_drawing, without_process

if TYPE_CHECKING:
    from distributed import Future

    from figmill.cluster.client import Workers


def draw_all(
    jobs: Sequence[Job | Raw], root: Path, address: str, fonts: Sequence[Path] = ()
) -> Generator[Result, None, None]:
    """Yield one result for each job, in order. If the caller stops early, everything under way is cancelled.

    Raises ToolError if there is no cluster at `address`, or if its drawings would differ from this machine's.
    """
    sent = [job for job in jobs if needs_drawing(job)]
    if not sent:
        yield from (without_process(job, root) for job in jobs)
        return
    try:
        import distributed  # noqa: F401 - only to see whether the extra is installed
    except ImportError as error:
        text = f"--scheduler needs the package {error.name}: pip install 'figmill[cluster]'"
        raise ToolError(text) from None
    from figmill.cluster import client as clients  # not at the top: imports the extra

    with (
        clients.connected(address) as client,
        clients.Workers(client, address, pack(sent, root, fonts)) as cluster,
    ):
        waiting: deque[tuple[Job | Raw, Future[Any] | None]] = deque()
        for job in jobs:
            waiting.append((job, cluster.submit(job) if needs_drawing(job) else None))
            if len(waiting) >= AHEAD * cluster.threads:
                yield _result(cluster, *waiting.popleft(), root)
        while waiting:
            yield _result(cluster, *waiting.popleft(), root)


def _result(cluster: Workers, job: Job | Raw, future: Future[Any] | None, root: Path) -> Result:
    """A job's result. Hand drawings need no process and are not sent."""
    if future is None or isinstance(job, Raw):
        return without_process(job, root)
    return _complete(cluster.result(job, future), job, cluster.shipment)


def _complete(result: Result, job: Job, shipment: Shipment) -> Result:
    """The result, or an error if the script read a file that the workers do not have."""
    result = _checked(result, job)
    if isinstance(result, NotDrawn):
        error = result.error
        if not error.message.startswith("FileNotFoundError"):
            return result
        advice = "the cluster has only the files in the visuals folders and those named under `inputs`"
        detail = "\n".join(part for part in (error.detail, advice) if part)
        return replace(result, error=AuthorError(error.origin, error.message, detail))
    missed = next((name for name in result.raw.traced if not shipment.covers(name)), None)
    if missed is None:
        return result
    text = f"reads {missed}, which is not sent to the cluster"
    text = f"{text}; name it under `inputs`, or move it into the visuals folder"
    return NotDrawn(AuthorError(Origin(job.source), text), result.seconds)


def _packed(tables: object) -> object:
    """A worker's tables in the form of an answer; anything else as it is, for the schema to refuse."""
    try:
        return packed(cast(tuple[FigureTable, ...], tables))
    except (AttributeError, TypeError, ValueError):
        return tables


def _checked(result: Result, job: Job) -> Result:
    """A worker's result, checked by the schema of answers."""
    try:
        if isinstance(result, Drawn):
            raw = result.raw
            header = {
                "facts": raw.facts,
                "traced": raw.traced,
                "printed": raw.printed,
                "remarks": raw.remarks,
            }
            return replace(result, raw=raw_of({**header, "tables": _packed(raw.tables)}, raw.svg))
        error = result.error
        failed = {"origin": asdict(error.origin), "message": error.message, "detail": error.detail}
        return replace(result, error=error_of({"failed": failed, "printed": ""}))
    except WrongAnswerError as wrong:
        text = f"the cluster sent an invalid answer: {wrong}"
        return NotDrawn(AuthorError(Origin(job.source), text), 0.0)
