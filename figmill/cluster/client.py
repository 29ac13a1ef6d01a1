"""The client of a Dask cluster: connect, send the workers the book, submit jobs, collect their results.

Imports the extra `figmill[cluster]`, so it is itself imported only when a build names a scheduler.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import CancelledError
from contextlib import contextmanager
from itertools import count
from typing import Any

from distributed import Client, Future, wait
from distributed.scheduler import KilledWorker

from figmill.cluster import worker_plugin
from figmill.cluster.bundle import Errand, Shipment, differences, versions
from figmill.errors import AuthorError, ToolError
from figmill.model import Origin
from figmill.render.results import Drawn, NotDrawn, Result

CONNECT = 10.0  # seconds to wait for the scheduler's answer
SILENT = 5.0  # seconds to wait for a worker before saying so
WAIT = 120.0  # seconds to wait for a worker: one starts slowly on a busy machine, or in a queue
PATIENCE = 20.0  # seconds without a result before checking that there are workers
PARCEL = 16 << 20  # bytes of files in one message
ROUNDS = 4  # of sending: a worker may drop files again if another build ends

ADDRESS = re.compile(r"((tcp|tls|ws|wss)://)?[^/\s]+:\d+")

log = logging.getLogger(__name__)


@contextmanager
def connected(address: str) -> Iterator[Client]:
    if not ADDRESS.fullmatch(address):  # Dask would retry a malformed address for a long time
        raise ToolError(f"--scheduler {address}: give it as tcp://HOST:PORT, or tls://HOST:PORT")
    logging.getLogger("distributed.client").setLevel(logging.CRITICAL)  # figmill reports it in one line
    try:
        client = Client(address, timeout=CONNECT, set_as_default=False, name="figmill")
    except (OSError, ValueError) as error:
        hint = "start one there with `dask scheduler`, or see docs/cache.md"
        raise ToolError(f"no Dask scheduler answers at {address} ({_one_line(error)}); {hint}") from None
    try:
        yield client
    finally:
        client.close(timeout=2)


def _one_line(error: BaseException) -> str:
    return " ".join(str(error).split()) or type(error).__name__


class Workers:
    """The workers of a cluster. Each receives the book before it draws.

    - threads: the number of concurrent drawings, as of the workers' last change.
    """

    def __init__(self, client: Client, address: str, shipment: Shipment) -> None:
        self.client, self.address, self.shipment = client, address, shipment
        self.build = client.id  # distinguishes this build from others on the same workers
        self.numbers = count()
        self.threads = 1
        self.futures: set[Future[Any]] = set()

    def __enter__(self) -> Workers:
        try:
            self._check_scheduler()
            self._wait_for_workers()
            self.prepare()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        """Cancel everything under way, without waiting for the workers to clean up."""
        try:
            self.client.cancel(list(self.futures))
            self.client.run(worker_plugin.leave, self.build, wait=False, on_error="ignore")
        except (OSError, CancelledError, RuntimeError) as error:
            log.info("could not unregister: %s", error)  # the workers close an idle build by themselves

    def submit(self, errand: Errand) -> Future[Any]:
        """Submit a job to any free worker; if that worker dies, Dask tries another one."""
        key = f"figmill-draw-{self.build}-{next(self.numbers)}"
        future = self.client.submit(worker_plugin.draw, self.build, errand, key=key, pure=False)
        self.futures.add(future)
        return future

    def result(self, errand: Errand, future: Future[Any]) -> Result:
        """The result of a job. A worker that joined in the meantime, or lacks the job's files, first receives them."""
        job, alone = errand.job, False
        while True:
            answer = self._answer(future)
            if isinstance(answer, worker_plugin.Unprepared):
                self.prepare([answer.worker])
            elif isinstance(answer, worker_plugin.Lacking):
                self._send({answer.worker: answer.digests})
            elif not isinstance(answer, KilledWorker):
                assert isinstance(answer, Drawn | NotDrawn)
                return answer
            elif alone:
                times = answer.allowed_failures + 1
                text = f"killed {times} Dask workers in turn, while nothing else was drawn"
                return NotDrawn(AuthorError(Origin(job.source), text), 0.0)
            else:  # this figure or another one killed them: try again while nothing else runs
                alone = True
                self._wait_for(*self.futures)
            future = self.submit(errand)

    def _answer(self, future: Future[Any]) -> Any:
        """A task's return value; a KilledWorker if too many workers died running it."""
        try:
            self._wait_for(future)
            return future.result()
        except KilledWorker as error:
            return error
        finally:
            self.futures.discard(future)

    def _wait_for(self, *futures: Future[Any]) -> None:
        """Wait until the futures are done or failed. Raises ToolError if no worker is left."""
        while True:
            try:
                with self.client.as_current():
                    wait(futures, timeout=PATIENCE)
                return
            except TimeoutError:
                self._wait_for_workers()
            except CancelledError:
                raise ToolError(f"the Dask scheduler at {self.address} was lost; build again") from None

    def prepare(self, workers: list[str] | None = None) -> None:
        """Send workers (None: all) the files they lack. Raises ToolError if a worker's drawings would differ."""
        for _ in range(ROUNDS):
            answers = self._ask(worker_plugin.prepare, self.build, self.shipment.bundle, workers=workers)
            for worker, readiness in sorted(answers.items()):
                _refuse(f"the worker {worker}", readiness.differences)
            lacking = {
                worker: readiness.lacking for worker, readiness in answers.items() if readiness.lacking
            }
            if not lacking:
                self.threads = max(1, sum(self.client.nthreads().values()))
                return
            self._send(lacking)
        raise ToolError(f"the workers {', '.join(sorted(lacking))} do not keep the files that they are sent")

    def _send(self, lacking: Mapping[str, frozenset[str]]) -> None:
        """Send files by digest. Workers that lack the same files share a message, which the scheduler forwards."""
        groups: dict[frozenset[str], list[str]] = {}
        for worker, digests in lacking.items():
            groups.setdefault(digests, []).append(worker)
        for digests, workers in groups.items():
            for parcel in _parcels(self.shipment, sorted(digests)):
                self._ask(worker_plugin.keep, parcel, workers=workers)
            log.info(
                "sent %d of %d files to %s", len(digests), self.shipment.count, ", ".join(sorted(workers))
            )

    def _ask(self, function: Any, *arguments: Any, workers: list[str] | None) -> dict[str, Any]:
        """The answer of each worker; workers that die in the meantime are left out."""
        answers: dict[str, Any] = self.client.run(function, *arguments, workers=workers, on_error="return")
        for worker, answer in sorted(answers.items()):
            if isinstance(answer, ToolError):
                raise ToolError(f"the worker {worker}: {answer}")
            if isinstance(answer, Exception) and not isinstance(answer, OSError):
                raise _incompatible(f"the worker {worker}", answer)
        return {w: answer for w, answer in answers.items() if not isinstance(answer, Exception)}

    def _check_scheduler(self) -> None:
        """Require the same versions on the scheduler, because it unpickles what it forwards."""
        who = f"the scheduler {self.address}"
        try:
            theirs = self.client.run_on_scheduler(versions, self.shipment.bundle.kinds)
        except Exception as error:
            raise _incompatible(who, error) from None
        _refuse(who, differences(self.shipment.bundle.versions, theirs))

    def _wait_for_workers(self) -> None:
        """Wait until a worker runs: at the start, and when all are lost. Says so if that takes long."""
        try:
            self.client.wait_for_workers(1, timeout=SILENT)
            return
        except TimeoutError:
            text = f"waiting up to {WAIT:g} s for a worker of {self.address}; {self._cure()}"
        log.warning("figmill: %s", text)
        try:
            self.client.wait_for_workers(1, timeout=WAIT)
        except TimeoutError:
            raise ToolError(f"the Dask scheduler at {self.address} has no workers; {self._cure()}") from None

    def _cure(self) -> str:
        """How to get a worker that runs."""
        paused = [
            address
            for address, worker in self.client.scheduler_info()["workers"].items()
            if worker.get("status") == "paused"
        ]
        if paused:
            return f"{', '.join(paused)} pauses, because its memory is full: end what uses it"
        return f"start one with `dask worker {self.address}`"


def _incompatible(who: str, error: Exception) -> ToolError:
    cause = f"{type(error).__name__}: {_one_line(error)}"
    return ToolError(f"{who} cannot run figmill's tasks ({cause}); install the same 'figmill[cluster]' there")


def _refuse(who: str, rows: Iterable[tuple[str, str, str]]) -> None:
    """Raise ToolError if a machine has other versions of anything that drawings depend on."""
    listed = ", ".join(f"{name} {there} (here {here})" for name, here, there in rows)
    if listed:
        raise ToolError(
            f"{who} has {listed}; drawings would differ: install the same versions, and start it again"
        )


def _parcels(shipment: Shipment, digests: Sequence[str]) -> Iterator[dict[str, bytes]]:
    """The bytes of the files by digest, in messages of about PARCEL bytes."""
    parcel: dict[str, bytes] = {}
    size = 0
    for digest in digests:
        data = shipment.read(digest)
        if parcel and size + len(data) > PARCEL:
            yield parcel
            parcel, size = {}, 0
        parcel[digest] = data
        size += len(data)
    if parcel:
        yield parcel
