"""Draw jobs in parallel, each in its limits.

Unaware of YAML, the ledger and the output folder: a job goes in, a drawing or a failure comes out, in the
order of the jobs. One thread: it hands out work, and waits for whichever process answers first.
"""

from __future__ import annotations

import pickle
import signal
import time
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, TypeAlias, TypeGuard

from figmill import wire
from figmill.errors import AuthorError
from figmill.kinds import KINDS
from figmill.kinds.job import Job, Raw, memory_limit
from figmill.model import Origin
from figmill.sites import Answer, Connection, Site, opened

Make: TypeAlias = Callable[[Raw], object]  # picklable, as its result is

FEW = 8  # jobs, for which it does not pay to start further processes
AHEAD = 4  # jobs under way or waiting to be taken, for each slot


@dataclass(frozen=True, slots=True)
class Drawn:
    """A job done, how long it took, and what was made of it where it was drawn."""

    raw: Raw
    seconds: float
    made: Any = None


@dataclass(frozen=True, slots=True)
class NotDrawn:
    """A job that failed: somebody's file is wrong, or it broke its limits."""

    error: AuthorError
    seconds: float


Result: TypeAlias = Drawn | NotDrawn


def draw_all(
    jobs: Sequence[Job | Raw],
    root: Path,
    slots: int,
    fonts: Sequence[Path] = (),
    enclosure: str = "auto",
    then: Sequence[Make] = (),
) -> Generator[Result, None, None]:
    """One result a job, in their order. Where the caller stops early, everything under way is ended.

    jobs: drawings to make, and such as are there already. then: what to make of each of them. Of many, it is
    made in further processes, which never run an author's code; of a few, the caller does it faster itself.
    """
    with Crew(root, fonts, enclosure) as crew:
        yield from crew.draw_all(jobs, slots, then)


class Crew:
    """The processes of a build. Started when they are needed, or before, by who can tell that they will be.

    first: what loads all that making needs.
    """

    def __init__(
        self,
        root: Path,
        fonts: Sequence[Path] = (),
        enclosure: str = "auto",
        first: Callable[[], object] | None = None,
        read: Sequence[Path] = (),
    ) -> None:
        self.root, self.first = root, first
        self.has_run_scripts = False
        self._opened = partial(opened, root, fonts=fonts, enclosure=enclosure, read=read)
        self._drawing: dict[tuple[str, ...], Site] = {}  # by the kinds that they have loaded
        self._making: Site | None = None
        self._stack = ExitStack()

    def __enter__(self) -> Crew:
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    def start(self, kinds: tuple[str, ...]) -> None:
        """Start what draws these kinds, and what makes something of it; there is no need to wait for either."""
        if kinds:
            self._drawing[kinds] = self._stack.enter_context(self._opened(kinds))
        self._making = self._stack.enter_context(self._opened((), first=self.first))

    def release(self) -> None:
        """Let the processes end, while the caller goes on: there is nothing more to draw."""
        for site in (*self._drawing.values(), self._making):
            if site is not None:
                site.hang_up()

    def makes(self, jobs: int, slots: int) -> bool:
        """Whether making is worth processes of its own, or they are there already."""
        return self._making is not None or (jobs > FEW and slots > 1)

    def _loaded(self, kinds: set[str]) -> Site | None:
        """The processes that are there and draw all of these."""
        return next((site for loaded, site in self._drawing.items() if kinds and kinds <= {*loaded}), None)

    def draw_all(
        self, jobs: Sequence[Job | Raw], slots: int, then: Sequence[Make] = ()
    ) -> Generator[Result, None, None]:
        """The same as the function's, with the processes that are there."""
        drawn = {job.kind for job in jobs if needs_drawing(job)}
        kinds = tuple(kind for kind in KINDS if kind in drawn)
        self.has_run_scripts |= any(needs_drawing(job) and job.isolated for job in jobs)
        then = then if self.makes(len(jobs), slots) else ()
        if not kinds and not then:
            yield from (_here(job, self.root) for job in jobs)
            return
        with ExitStack() as stack:
            drawing = self._loaded(drawn)
            if kinds and drawing is None:
                drawing = stack.enter_context(self._opened(kinds))
            making = None
            if then:
                making = self._making or stack.enter_context(self._opened((), first=self.first))
            lanes = [Lane(self.root, drawing, making) for _ in range(slots + (making is not None))]
            yield from _through(lanes, jobs, AHEAD * slots, then)


def _through(
    lanes: Sequence[Lane], jobs: Sequence[Job | Raw], ahead: int, then: Sequence[Make]
) -> Iterator[Result]:
    """One result a job, in their order; at most so many jobs are begun before their turn."""
    results: dict[int, Result] = {}
    taken = 0

    def advance(until: int, wait: bool) -> None:
        """Begin jobs before `until`, hear what there is to hear, or wait for it, and collect what is done."""
        nonlocal taken
        for lane in lanes:
            if not lane.is_busy and taken < until:
                lane.take(taken, jobs[taken], then[taken] if then else None)
                taken += 1
        listen(lanes, None if wait and all(lane.result is None for lane in lanes) else 0)
        for lane in lanes:
            if lane.result is not None:
                results[lane.number], lane.result = lane.result, None

    for number in range(len(jobs)):
        until = min(len(jobs), number + ahead)
        while number not in results:
            advance(until, wait=True)
        advance(until, wait=False)  # all have something to do while the caller has this one
        yield results.pop(number)


def needs_drawing(job: Job | Raw) -> TypeGuard[Job]:
    """Whether it takes a process: it is neither drawn already nor drawn by hand."""
    return isinstance(job, Job) and job.kind != "svg"


def _here(job: Job | Raw, root: Path) -> Result:
    """Nothing of an author's is run for a hand drawing: no process is needed."""
    if isinstance(job, Raw):
        return Drawn(job, 0.0)
    try:
        return Drawn(KINDS[job.kind].load().render(job, root), 0.0)
    except OSError as error:
        return NotDrawn(AuthorError(Origin(job.source), f"cannot be read: {error.strerror}"), 0.0)


class Lane:
    """One job at a time, from its drawing to what is made of it, in processes that are kept for the next.

    Either site may be missing: then nothing is drawn in a process, or nothing made of it. `result` is there when
    the job is done.
    """

    def __init__(self, root: Path, drawing: Site | None, making: Site | None = None) -> None:
        self.root, self.drawing, self.making = root, drawing, making
        self.number = 0
        self.result: Result | None = None
        self._kept: dict[Site, Connection] = {}
        self._connection: Connection | None = None  # what it waits for
        self._drawn: Drawn | None = None  # what something is being made of

    @property
    def is_busy(self) -> bool:
        return self._connection is not None or self.result is not None

    @property
    def line(self) -> wire.Line | None:
        """What has to be heard before the job goes on."""
        return None if self._connection is None else self._connection.line

    def take(self, number: int, job: Job | Raw, make: Make | None = None) -> None:
        """Begin a job."""
        self.number, self._job, self._make, self._drawn = number, job, make, None
        if self.drawing is not None and needs_drawing(job):
            self._draw()
        else:
            self._go_on(_here(job, self.root))

    def hear(self) -> None:
        """Go on: the process has answered, or has ended, or its time is over."""
        if self._connection is None:
            return
        if not self._connection.is_ready:
            self._connection.greet()
            self._ask()
            return
        answer = self._connection.answer()
        if self._drawn is None:
            self._take_drawing(self._connection, answer)
        else:
            self._take_making(self._connection, answer)

    def _draw(self) -> None:
        assert self.drawing is not None and isinstance(self._job, Job)
        self._alone = self.drawing.parts and self._job.isolated
        self._is_used = not self._alone and self.drawing in self._kept
        self._reach(self.drawing, self._alone)

    def _reach(self, site: Site, alone: bool = False) -> None:
        connection = None if alone else self._kept.get(site)
        self._connection = connection or site.connect()
        if self._connection is None:
            self.result = NotDrawn(AuthorError(Origin(_source(self._job)), "the build was stopped"), 0.0)
        elif self._connection.is_ready:
            self._ask()

    def _ask(self) -> None:
        assert self._connection is not None
        self._began = time.monotonic()
        if self._drawn is not None:
            self._connection.ask({"make": True}, pickle.dumps((self._make, self._drawn.raw)))
        elif isinstance(self._job, Job):
            self._connection.ask(self._job.fields(), seconds=self._job.timeout)

    def _take_drawing(self, connection: Connection, answer: Answer | None) -> None:
        assert self.drawing is not None and isinstance(self._job, Job)
        seconds = time.monotonic() - self._began
        self._keep(self.drawing, connection, answer, self._alone)
        if self._is_used and (answer is None or "ended" in answer[0]) and seconds < self._job.timeout:
            self._draw()  # it may have died of the jobs before
        else:
            self._go_on(_result(answer, self._job, seconds))

    def _go_on(self, result: Result) -> None:
        """From a drawing to what is made of it."""
        self._connection = None
        if self.making is None or self._make is None or isinstance(result, NotDrawn):
            self.result = result
        else:
            self._drawn = result
            self._reach(self.making)

    def _take_making(self, connection: Connection, answer: Answer | None) -> None:
        assert self.making is not None and self._drawn is not None
        self._keep(self.making, connection, answer)
        self._connection = None
        is_made = answer is not None and not answer[0]
        # Where it broke or died the caller, who makes it again, will find out why.
        self.result = (
            replace(self._drawn, made=pickle.loads(answer[1])) if answer and is_made else self._drawn
        )

    def _keep(self, site: Site, connection: Connection, answer: Answer | None, alone: bool = False) -> None:
        """Keep a process for the next job, where it lives and may serve another.

        Graphviz says some things (an unknown colour) only once in the life of a process: one that was heard to
        complain is replaced, so that what is said of a graph does not depend on those before it.
        """
        if answer is not None and answer[0].keys().isdisjoint(("ended", "failed", "broken")) and not alone:
            self._kept[site] = connection
            return
        self._kept.pop(site, None)
        site.leave(connection)


def _source(job: Job | Raw) -> str:
    return job.source if isinstance(job, Job) else ""


def draw(lane: Lane, job: Job) -> Result:
    """The result of one job, waited for."""
    lane.take(0, job)
    while lane.result is None:
        listen([lane])
    result, lane.result = lane.result, None
    return result


def listen(lanes: Sequence[Lane], seconds: float | None = None) -> None:
    """Let those go on that can, and wait for one so long, without end where that is None."""
    lines = [lane.line for lane in lanes if lane.line is not None]
    heard = set(wire.heard(lines, seconds)) if lines else set()
    for lane in lanes:
        if lane.line in heard:
            lane.hear()


def _result(answer: Answer | None, job: Job, seconds: float) -> Result:
    if answer is None and seconds >= job.timeout:
        text = f"took longer than {job.timeout:g} s and was ended; `timeout: N` in its question allows more"
        return NotDrawn(AuthorError(Origin(job.source), text), seconds)
    if answer is None:
        return NotDrawn(AuthorError(Origin(job.source), "its process died without a word"), seconds)
    header, svg = answer
    if "failed" in header:
        failed = header["failed"]
        detail = "\n".join(part for part in (failed["detail"], header["said"].strip()) if part)
        return NotDrawn(AuthorError(Origin(**failed["origin"]), failed["message"], detail), seconds)
    if "broken" in header:
        text = "figmill itself failed while drawing this; please report it"
        return NotDrawn(AuthorError(Origin(job.source), text, header["broken"]), seconds)
    if "ended" in header:
        how = header["why"] or _how_it_ended(header["ended"], job)
        return NotDrawn(AuthorError(Origin(job.source), how, header["said"]), seconds)
    return Drawn(Raw(svg, header["facts"], header["said"], tuple(header["traced"])), seconds)


def _how_it_ended(status: int, job: Job) -> str:
    name = signal.Signals(-status).name if status < 0 else f"exit code {status}"
    # Graphviz ends the process where it gets no memory: itself, by an assertion, or by what it did not look at.
    if not job.isolated and (status > 0 or name in ("SIGABRT", "SIGBUS", "SIGSEGV", "SIGTRAP")):
        return f"Graphviz gave up ({name}), as a rule for want of memory; {memory_limit(job)}"
    if status >= 0:
        return f"its process ended itself with {name} before a figure was there"
    if name == "SIGXCPU":
        return f"used more than {job.timeout:g} s of processor time and was ended"
    return f"its process was ended by {name}"
