"""Draw jobs on a Dask cluster, like pool.draw_all, on machines without the book.

client.py talks to the cluster, worker_plugin.py runs on its workers, and bundle.py defines what is sent to them.
Unaware of YAML, the ledger and the output folder. Needs the extra `figmill[cluster]`, imported only when a build
names a scheduler.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Generator, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from figmill.cluster.bundle import Errand, Shipment, pack
from figmill.errors import AuthorError, ToolError
from figmill.kind.answer import WrongAnswerError, error_of, raw_of, traced_of
from figmill.kind.job import Job, Raw
from figmill.kind.tables import packed
from figmill.model import FigureTable, Origin
from figmill.render.pool import AHEAD
from figmill.render.results import Drawn, NotDrawn, Result
from figmill.render.slot import needs_drawing, without_process

# The beginning of a script's message.
_MISSES = re.compile(r"FileNotFoundError|OSError|(subprocess\.)?CalledProcessError")

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
        waiting: deque[tuple[Job | Raw, Errand | None, Future[Any] | None]] = deque()
        for job in jobs:
            if needs_drawing(job):
                errand = cluster.shipment.errand(job)
                waiting.append((job, errand, cluster.submit(errand)))
            else:
                waiting.append((job, None, None))
            if len(waiting) >= AHEAD * cluster.threads:
                yield _result(cluster, *waiting.popleft(), root)
        while waiting:
            yield _result(cluster, *waiting.popleft(), root)


def _result(
    cluster: Workers, job: Job | Raw, errand: Errand | None, future: Future[Any] | None, root: Path
) -> Result:
    """A job's result. Hand drawings need no process and are not sent."""
    if errand is None or future is None:
        return without_process(job, root)
    result = _checked(cluster.result(errand, future), errand.job)
    while more := _lacked(result, errand, cluster.shipment):  # an included file may include others
        errand = more
        result = _checked(cluster.result(errand, cluster.submit(errand)), errand.job)
    return _complete(result, errand, cluster.shipment)


def _lacked(result: Result, errand: Errand, shipment: Shipment) -> Errand | None:
    """The errand with the files that its job looked for and did not have; None: it had all of them."""
    paths = (result.raw.traced if isinstance(result, Drawn) else result.read) or ()
    if all(shipment.covers(name, errand) for name in paths):
        if isinstance(result, Drawn) or not errand.job.isolated or not _MISSES.match(result.error.message):
            return None
        paths = shipment.listings  # C code or another program missed a file, and nobody saw which
    more = shipment.errand(errand.job, (*errand.names, *paths))
    return more if more.names > errand.names else None


def _complete(result: Result, errand: Errand, shipment: Shipment) -> Result:
    """The result, or an error if the job looked for a file that the workers do not have."""
    source = errand.job.source
    paths = (result.raw.traced if isinstance(result, Drawn) else result.read) or ()
    missed = next((name for name in paths if not shipment.covers(name, errand)), None)
    if isinstance(result, NotDrawn) and result.error.message.startswith("FileNotFoundError"):
        error = result.error
        advice = "the cluster has only the files in the visuals folders and those named under `inputs`"
        detail = "\n".join(part for part in (error.detail, advice) if part)
        return replace(result, error=AuthorError(error.origin, error.message, detail))
    if missed is None or (isinstance(result, NotDrawn) and errand.job.isolated):
        return result
    text = f"reads {missed}, which is not sent to the cluster"
    text = f"{text}; name it under `inputs`, or move it into the visuals folder"
    return NotDrawn(AuthorError(Origin(source), text), result.seconds)


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
                "stated": raw.stated,
            }
            return replace(result, raw=raw_of({**header, "tables": _packed(raw.tables)}, raw.svg))
        error = result.error
        failed = {"origin": asdict(error.origin), "message": error.message, "detail": error.detail}
        read = None if result.read is None else traced_of(result.read)
        return replace(result, error=error_of({"failed": failed, "printed": ""}), read=read)
    except WrongAnswerError as wrong:
        text = f"the cluster sent an invalid answer: {wrong}"
        return NotDrawn(AuthorError(Origin(job.source), text), 0.0)
