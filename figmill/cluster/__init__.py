"""Draw jobs on a Dask cluster: the contract of pool.draw_all, on machines that do not have the book.

Unaware of YAML, the ledger and the output folder. What runs on the workers is in worker_plugin.py, and what is sent
to them in bundle.py. Needs the extra `figmill[cluster]`, which is imported only when a cluster is asked for.
"""

from __future__ import annotations

import logging
import re
from collections import deque
from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import CancelledError
from contextlib import contextmanager
from dataclasses import asdict, replace
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any

from figmill.cluster.bundle import Cargo, differences, pack, versions
from figmill.errors import AuthorError, ToolError
from figmill.kinds.answer import WrongAnswerError, error_of, raw_of
from figmill.kinds.job import Job, Raw
from figmill.model import Origin
from figmill.render import pool
from figmill.render.results import Drawn, NotDrawn, Result
from figmill.render.slot import needs_drawing

if TYPE_CHECKING:
    from distributed import Client, Future

CONNECT = 10.0  # seconds that a scheduler has to answer, and its first worker to be there
PATIENCE = 20.0  # seconds without a result before it is asked whether any worker is left
PARCEL = 16 << 20  # bytes of files in one message
ROUNDS = 4  # of sending: what was sent can be forgotten again while another build ends

ADDRESS = re.compile(r"((tcp|tls|ws|wss)://)?[^/\s]+:\d+")

log = logging.getLogger(__name__)


def draw_all(
    jobs: Sequence[Job | Raw], root: Path, address: str, fonts: Sequence[Path] = ()
) -> Generator[Result, None, None]:
    """One result a job, in their order. Where the caller stops early, everything under way is ended.

    Raises ToolError where there is no cluster at `address`, or where it would draw otherwise than this machine.
    """
    sent = [job for job in jobs if needs_drawing(job)]
    if not sent:
        yield from pool.draw_all(jobs, root, 1)
        return
    with _connected(address) as client, _Crew(client, address, pack(sent, root, fonts)) as crew:
        waiting: deque[tuple[Job | Raw, Future[Any] | None]] = deque()
        for job in jobs:
            waiting.append((job, crew.submit(job) if needs_drawing(job) else None))
            if len(waiting) >= pool.AHEAD * crew.threads:
                yield _result(crew, *waiting.popleft(), root)
        while waiting:
            yield _result(crew, *waiting.popleft(), root)


def _result(crew: _Crew, job: Job | Raw, future: Future[Any] | None, root: Path) -> Result:
    """A job's result. Hand drawings take no work and stay here."""
    if future is None or isinstance(job, Raw):
        return next(pool.draw_all((job,), root, 1))
    return _complete(crew.result(job, future), job, crew.cargo)


def _complete(result: Result, job: Job, cargo: Cargo) -> Result:
    """The result, unless the drawing has missed something that a local one would have seen."""
    result = _checked(result, job)
    if isinstance(result, NotDrawn):
        error = result.error
        if not error.message.startswith("FileNotFoundError"):
            return result
        advice = "on the cluster there is only what lies in the visuals folders or is named under `inputs`"
        detail = "\n".join(part for part in (error.detail, advice) if part)
        return replace(result, error=AuthorError(error.origin, error.message, detail))
    missed = next((name for name in result.raw.traced if not cargo.covers(name)), None)
    if missed is None:
        return result
    text = f"reads {missed}, which the cluster is not sent; name it under `inputs`, or move it into the visuals folder"
    return NotDrawn(AuthorError(Origin(job.source), text), result.seconds)


def _checked(result: Result, job: Job) -> Result:
    """A worker's result, held to the schema that a process of this machine is held to."""
    try:
        if isinstance(result, Drawn):
            raw = result.raw
            header = {"facts": raw.facts, "traced": raw.traced, "said": raw.said}
            return replace(result, raw=raw_of(header, raw.svg))
        error = result.error
        failed = {"origin": asdict(error.origin), "message": error.message, "detail": error.detail}
        return replace(result, error=error_of({"failed": failed, "said": ""}))
    except WrongAnswerError as wrong:
        text = f"the cluster sent no proper answer: {wrong}"
        return NotDrawn(AuthorError(Origin(job.source), text), 0.0)


@contextmanager
def _connected(address: str) -> Iterator[Client]:
    try:
        from distributed import Client
    except ImportError as error:
        text = f"--scheduler needs the package {error.name}: pip install 'figmill[cluster]'"
        raise ToolError(text) from None
    if not ADDRESS.fullmatch(address):  # which Dask would try for long
        raise ToolError(f"--scheduler {address}: give it as tcp://HOST:PORT, or tls://HOST:PORT")
    logging.getLogger("distributed.client").setLevel(logging.CRITICAL)  # we say it in one line
    try:
        client = Client(address, timeout=CONNECT, set_as_default=False, name="figmill")
    except (OSError, ValueError) as error:
        hint = "start one there with `dask scheduler`, or see docs/cluster.md"
        raise ToolError(f"no Dask scheduler answers at {address} ({_one_line(error)}); {hint}") from None
    try:
        yield client
    finally:
        client.close(timeout=2)


def _one_line(error: BaseException) -> str:
    return " ".join(str(error).split()) or type(error).__name__


class _Crew:
    """The workers of a cluster, each of which is given the book before it draws.

    `threads`: how many drawings they make at once, as of when the crew last changed.
    """

    def __init__(self, client: Client, address: str, cargo: Cargo) -> None:
        self.client, self.address, self.cargo = client, address, cargo
        self.build = client.id  # the name of this build among others on the same workers
        self.numbers = count()
        self.threads = 1
        self.futures: set[Future[Any]] = set()

    def __enter__(self) -> _Crew:
        try:
            self._check_scheduler()
            self._wait_for_workers()
            self.prepare()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        """Take back what is under way; nobody waits for the workers to tidy up."""
        from figmill.cluster import worker_plugin

        try:
            self.client.cancel(list(self.futures))
            self.client.run(worker_plugin.leave, self.build, wait=False, on_error="ignore")
        except (OSError, CancelledError, RuntimeError) as error:
            log.info("could not take leave: %s", error)  # they will notice that nobody asks any more

    def submit(self, job: Job) -> Future[Any]:
        """Have a job drawn by whichever worker is free; again elsewhere if that one dies."""
        from figmill.cluster import worker_plugin

        key = f"figmill-draw-{self.build}-{next(self.numbers)}"
        future = self.client.submit(worker_plugin.draw, self.build, job, key=key, pure=False)
        self.futures.add(future)
        return future

    def result(self, job: Job, future: Future[Any]) -> Result:
        """What came of a job. A worker that has joined meanwhile is given the book first."""
        from distributed.scheduler import KilledWorker

        from figmill.cluster import worker_plugin

        alone = False
        while True:
            answer = self._answer(future)
            if isinstance(answer, worker_plugin.Unprepared):
                self.prepare([answer.worker])
            elif not isinstance(answer, KilledWorker):
                assert isinstance(answer, Drawn | NotDrawn)
                return answer
            elif alone:
                times = answer.allowed_failures + 1
                text = f"killed {times} Dask workers in turn, while nothing else was drawn"
                return NotDrawn(AuthorError(Origin(job.source), text), 0.0)
            else:  # by this figure or by another; once more, when none of the others is under way
                alone = True
                self._wait_for(*self.futures)
            future = self.submit(job)

    def _answer(self, future: Future[Any]) -> Any:
        """What a task returned; a KilledWorker where too many workers have died of it."""
        from distributed.scheduler import KilledWorker

        try:
            self._wait_for(future)
            return future.result()
        except KilledWorker as error:
            return error
        finally:
            self.futures.discard(future)

    def _wait_for(self, *futures: Future[Any]) -> None:
        """Until they are done or failed. ToolError where nobody is left who could do them."""
        from distributed import wait

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
        """Give the book to workers (None: to all), each what it lacks; refuse those that would draw otherwise."""
        from figmill.cluster import worker_plugin

        for _ in range(ROUNDS):
            greetings = self._ask(worker_plugin.prepare, self.build, self.cargo.bundle, workers=workers)
            for worker, greeting in sorted(greetings.items()):
                _refuse(f"the worker {worker}", greeting.differences)
            lacking = {worker: greeting.lacking for worker, greeting in greetings.items() if greeting.lacking}
            if not lacking:
                self.threads = max(1, sum(self.client.nthreads().values()))
                return
            self._send(lacking)
        raise ToolError(f"the workers {', '.join(sorted(lacking))} do not keep the files that they are sent")

    def _send(self, lacking: Mapping[str, frozenset[str]]) -> None:
        """Files by their digests; the scheduler hands a parcel on to all that lack the same."""
        from figmill.cluster import worker_plugin

        groups: dict[frozenset[str], list[str]] = {}
        for worker, digests in lacking.items():
            groups.setdefault(digests, []).append(worker)
        for digests, workers in groups.items():
            for parcel in _parcels(self.cargo, sorted(digests)):
                self._ask(worker_plugin.keep, parcel, workers=workers)
            log.info("sent %d of %d files to %s", len(digests), self.cargo.count, ", ".join(sorted(workers)))

    def _ask(self, function: Any, *arguments: Any, workers: list[str] | None) -> dict[str, Any]:
        """What each worker answers; one that dies meanwhile has no answer."""
        answers: dict[str, Any] = self.client.run(function, *arguments, workers=workers, on_error="return")
        for worker, answer in sorted(answers.items()):
            if isinstance(answer, ToolError):
                raise ToolError(f"the worker {worker}: {answer}")
            if isinstance(answer, Exception) and not isinstance(answer, OSError):
                raise _stranger(f"the worker {worker}", answer)
        return {w: answer for w, answer in answers.items() if not isinstance(answer, Exception)}

    def _check_scheduler(self) -> None:
        """It unpacks what it hands on, and so needs the same figmill as the workers."""
        who = f"the scheduler {self.address}"
        try:
            found = self.client.run_on_scheduler(versions)
        except Exception as error:
            raise _stranger(who, error) from None
        _refuse(who, differences(self.cargo.bundle.versions, found))

    def _wait_for_workers(self) -> None:
        try:
            self.client.wait_for_workers(1, timeout=CONNECT)
        except TimeoutError:
            hint = f"start one with `dask worker {self.address}`"
            raise ToolError(f"the Dask scheduler at {self.address} has no workers; {hint}") from None


def _stranger(who: str, error: Exception) -> ToolError:
    said = f"{type(error).__name__}: {_one_line(error)}"
    return ToolError(f"{who} cannot do figmill's work ({said}); install the same 'figmill[cluster]' there")


def _refuse(who: str, found: Iterable[tuple[str, str, str]]) -> None:
    """ToolError where somebody has other versions of what drawings depend on."""
    told = ", ".join(f"{name} {there} (here {here})" for name, here, there in found)
    if told:
        raise ToolError(
            f"{who} has {told}; drawings would differ: install the same versions, and start it again"
        )


def _parcels(cargo: Cargo, digests: Sequence[str]) -> Iterator[dict[str, bytes]]:
    """The files' bytes in messages of bearable size."""
    parcel: dict[str, bytes] = {}
    size = 0
    for digest in digests:
        data = cargo.read(digest)
        if parcel and size + len(data) > PARCEL:
            yield parcel
            parcel, size = {}, 0
        parcel[digest] = data
        size += len(data)
    if parcel:
        yield parcel
