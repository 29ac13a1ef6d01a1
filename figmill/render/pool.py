"""Draw jobs in parallel, each in its limits.

Unaware of YAML, the ledger and the output folder: a job goes in, a drawing or a failure comes out, in the
order of the jobs. One thread: it hands out work, and waits for whichever process answers first.
"""

from __future__ import annotations

import pickle
import signal
import time
from collections import deque
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TypeAlias, TypeGuard

from figmill.errors import AuthorError, own_error
from figmill.kinds import KINDS
from figmill.kinds.answer import Broken, Ended, WrongAnswerError, answer_of
from figmill.kinds.job import Job, Raw, memory_limit
from figmill.model import Origin
from figmill.render import protocol
from figmill.render.processes import Answer, Connection, DeadError, Silence, Site, opened

Made: TypeAlias = protocol.Message  # plain data, which whoever asked for it looks at before believing it

AHEAD = 4  # jobs under way or waiting to be taken, for each slot


@dataclass(frozen=True, slots=True)
class Making:
    """What is to be made of an author's bytes, in a process that runs none of his code; for whom, and in what limits.

    function: picklable. doing: the words for it. timeout: in seconds; memory: in bytes.
    """

    function: Callable[[Raw], Made]
    doing: str
    source: str
    timeout: float
    memory: int

    def error(self, message: str) -> AuthorError:
        return AuthorError(Origin(self.source), message)


@dataclass(frozen=True, slots=True)
class Drawn:
    """A job done, how long it took, and what was made of it, or what kept that from being made."""

    raw: Raw
    seconds: float
    made: tuple[Made | AuthorError, ...] = ()


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
    then: Sequence[Sequence[Making]] = (),
) -> Generator[Result, None, None]:
    """One result a job, in their order. Where the caller stops early, everything under way is ended.

    jobs: drawings to make, and such as are there already. then: what to make of each of them, in further
    processes, which never run an author's code.
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
        self.making()

    def making(self) -> Site:
        """The processes that make something of drawings; they are started where they are not there."""
        if self._making is None or self._making.closed:
            self._making = self._stack.enter_context(self._opened((), first=self.first))
        return self._making

    def release(self) -> None:
        """Let the processes end, while the caller goes on: there is nothing more to draw."""
        for site in (*self._drawing.values(), self._making):
            if site is not None:
                site.hang_up()

    def _loaded(self, kinds: set[str]) -> Site | None:
        """The processes that are there and draw all of these."""
        there = ((loaded, site) for loaded, site in self._drawing.items() if not site.closed)
        return next((site for loaded, site in there if kinds and kinds <= {*loaded}), None)

    def draw_all(
        self, jobs: Sequence[Job | Raw], slots: int, then: Sequence[Sequence[Making]] = ()
    ) -> Generator[Result, None, None]:
        """The same as the function's, with the processes that are there."""
        drawn = {job.kind for job in jobs if needs_drawing(job)}
        kinds = tuple(kind for kind in KINDS if kind in drawn)
        self.has_run_scripts |= any(needs_drawing(job) and job.isolated for job in jobs)
        with ExitStack() as stack:
            drawing = self._loaded(drawn)
            if kinds and drawing is None:
                drawing = stack.enter_context(self._opened(kinds))
            making = self.making() if any(then) else None
            lanes = [Lane(self.root, drawing, making) for _ in range(slots + (making is not None))]
            for lane in lanes:
                stack.callback(lane.leave)
            yield from _through(lanes, jobs, AHEAD * slots, then)

    def make(self, raw: Raw, makings: Sequence[Making]) -> tuple[Made | AuthorError, ...]:
        """What is made of one drawing, waited for."""
        (result,) = self.draw_all([raw], 1, [makings])
        assert isinstance(result, Drawn)
        return result.made


def _through(
    lanes: Sequence[Lane], jobs: Sequence[Job | Raw], ahead: int, then: Sequence[Sequence[Making]]
) -> Iterator[Result]:
    """One result a job, in their order; at most so many jobs are begun before their turn.

    Those under way when a process died that serves several are done again, one at a time, so that no figure fails
    for another's deed, and the one that did it is told by name.
    """
    results: dict[int, Result] = {}
    again: deque[int] = deque()
    taken = 0

    def advance(until: int, wait: bool) -> None:
        """Begin jobs before `until`, hear what there is to hear, or wait for it, and collect what is done."""
        nonlocal taken
        busy = [lane for lane in lanes if lane.is_busy]
        if again and not busy:
            number = again.popleft()
            lanes[0].take(number, jobs[number], then[number] if then else (), alone=True)
        elif not again and not any(lane.is_alone for lane in busy):
            for lane in lanes:
                if not lane.is_busy and taken < until:
                    lane.take(taken, jobs[taken], then[taken] if then else ())
                    taken += 1
        listen(
            lanes, None if wait and all(lane.line is not None or not lane.is_busy for lane in lanes) else 0
        )
        for lane in lanes:
            if lane.is_lost:
                again.append(lane.number)
                lane.is_lost = False
            elif lane.result is not None:
                results[lane.number], lane.result = lane.result, None

    for number in range(len(jobs)):
        until = min(len(jobs), number + ahead)
        while number not in results:
            advance(until, wait=True)
        advance(until, wait=False)  # all have something to do while the caller has this one
        left = time.monotonic()
        yield results.pop(number)
        for lane in lanes:  # what could not go out while nobody listened is not late
            if lane.line is not None and lane.line.until is not None:
                lane.line.until += time.monotonic() - left


def needs_drawing(job: Job | Raw) -> TypeGuard[Job]:
    """Whether it takes a process: it is neither drawn already nor drawn by hand."""
    return isinstance(job, Job) and not KINDS[job.kind].by_hand


def _here(job: Job | Raw, root: Path) -> Result:
    """Nothing of an author's is run, or read, for a hand drawing: no process is needed."""
    if isinstance(job, Raw):
        return Drawn(job, 0.0)
    try:
        size = (root / job.source).stat().st_size
        if size > protocol.PAYLOAD:
            text = f"the file has {size:,} bytes; nothing above {protocol.PAYLOAD:,} is read"
            return NotDrawn(AuthorError(Origin(job.source), text), 0.0)
        return Drawn(KINDS[job.kind].load().render(job, root), 0.0)
    except OSError as error:
        return NotDrawn(AuthorError(Origin(job.source), f"cannot be read: {error.strerror}"), 0.0)


class Lane:
    """One job at a time, from its drawing to what is made of it, in processes that are kept for the next.

    Either site may be missing: then nothing is drawn in a process, or nothing made of it. `result` is there when
    the job is done; `is_lost` where a process has died that serves others as well, perhaps not of this job.
    """

    def __init__(self, root: Path, drawing: Site | None, making: Site | None = None) -> None:
        self.root, self.drawing, self.making = root, drawing, making
        self.number = 0
        self.result: Result | None = None
        self.is_lost = self.is_alone = False
        self._kept: dict[Site, Connection] = {}
        self._connection: Connection | None = None  # what it waits for
        self._site: Site | None = None  # of the connection
        self._is_used = False  # whether the process has served others before
        self._drawn: Drawn | None = None  # what something is being made of

    @property
    def is_busy(self) -> bool:
        return self._connection is not None or self.result is not None or self.is_lost

    @property
    def line(self) -> protocol.Line | None:
        """What has to be heard before the job goes on."""
        return None if self._connection is None else self._connection.line

    def take(self, number: int, job: Job | Raw, makings: Sequence[Making] = (), alone: bool = False) -> None:
        """Begin a job. alone: no other is under way, so that what dies dies of this one."""
        self.number, self._job, self._makings, self.is_alone = number, job, makings, alone
        self._drawn = None
        if self.drawing is not None and needs_drawing(job):
            self._draw()
        else:
            self._go_on(_here(job, self.root))

    def hear(self) -> None:
        """Go on where the process has answered, or has ended, or its time is over."""
        connection = self._connection
        if connection is None:
            return
        if not connection.is_ready:
            connection.greet()
            self._ask()
            return
        answer = connection.answer()
        if answer is None:
            return
        assert self._site is not None
        self._connection = None
        seconds = time.monotonic() - self._began
        is_ended = isinstance(answer, tuple) and "ended" in answer[0]
        is_gone = isinstance(answer, Silence) and not answer.late and not answer.garbled
        has_died = self._site.parts and (
            connection.has_died() if is_gone else connection.process.poll() is not None
        )
        self._keep(self._site, connection, answer)
        if has_died:
            self._lose("the process that starts all others has died")
        elif self._is_used and (is_ended or is_gone or _lacks_memory(answer)):
            self._again()  # it may have died of the jobs before
        elif self._drawn is None:
            self._take_drawing(answer, seconds)
        else:
            self._take_making(answer, seconds)

    def leave(self) -> None:
        """Ask nothing more: end what is under way, and what was kept."""
        for site, connection in self._kept.items():
            site.leave(connection)
        if self._connection is not None and self._site is not None:
            self._site.leave(self._connection)
        self._kept.clear()
        self._connection = None

    def _draw(self) -> None:
        assert self.drawing is not None and isinstance(self._job, Job)
        self._reach(self.drawing, alone=self.drawing.parts and self._job.isolated)

    def _again(self) -> None:
        if self._drawn is None:
            self._draw()
        else:
            self._make()

    def _reach(self, site: Site, alone: bool = False) -> None:
        """Ask a process: the one that is kept, where it may be asked, or a new one."""
        kept = None if alone else self._kept.get(site)
        if kept is not None and not kept.is_good():
            del self._kept[site]
            site.leave(kept)
            kept = None
        self._is_used = kept is not None
        try:
            connection = kept or site.connect()
        except DeadError as error:
            self._fail(str(error))
            return
        if connection is None:
            self._fail("the build was stopped")
            return
        self._connection, self._site = connection, site
        if connection.is_ready:
            self._ask()

    def _ask(self) -> None:
        assert self._connection is not None
        self._began = time.monotonic()
        if self._drawn is not None:
            making = self._makings[len(self._drawn.made)]
            payload = pickle.dumps((making.function, self._drawn.raw, making.memory))
            self._connection.ask({"make": True}, payload, making.timeout)
        elif isinstance(self._job, Job):
            self._connection.ask(self._job.fields(), seconds=self._job.timeout)

    def _lose(self, why: str) -> None:
        """A process of several jobs has died: it was not this one's fault, unless there is no other."""
        if self.is_alone:
            self._fail(f"{why}, also while nothing else was done")
        else:
            self.is_lost = True

    def _fail(self, why: str) -> None:
        """What is under way comes to nothing."""
        if self._drawn is None:
            self.result = NotDrawn(AuthorError(Origin(_source(self._job)), why), 0.0)
        else:
            self._add(self._makings[len(self._drawn.made)].error(why))

    def _take_drawing(self, answer: Answer | Silence, seconds: float) -> None:
        assert isinstance(self._job, Job)
        at = Origin(self._job.source)
        if isinstance(answer, Silence) and answer.garbled:
            self._go_on(NotDrawn(AuthorError(at, f"its process has sent {answer.garbled}"), seconds))
        elif isinstance(answer, Silence):
            limit = self._job.timeout
            told = max(seconds, limit) if answer.late else seconds if seconds < limit else 0.0
            self._go_on(_result(None, self._job, told))
        else:
            self._go_on(_result(answer, self._job, seconds))

    def _go_on(self, result: Result) -> None:
        """From a drawing to what is made of it."""
        if self.making is None or not self._makings or isinstance(result, NotDrawn):
            self.result = result
        else:
            self._drawn = result
            self._make()

    def _make(self) -> None:
        assert self.making is not None
        self._reach(self.making)

    def _take_making(self, answer: Answer | Silence, seconds: float) -> None:
        assert self._drawn is not None
        self._add(_made(answer, self._makings[len(self._drawn.made)]))

    def _add(self, made: Made | AuthorError) -> None:
        """One more of what is made of the drawing."""
        assert self._drawn is not None
        self._drawn = replace(self._drawn, made=(*self._drawn.made, made))
        if len(self._drawn.made) < len(self._makings):
            self._make()
        else:
            self.result = self._drawn

    def _keep(self, site: Site, connection: Connection, answer: Answer | Silence) -> None:
        """Keep a process for the next job, where it lives and may serve another.

        Graphviz says some things (an unknown colour) only once in the life of a process: one that was heard to
        complain is replaced, so that what is said of a graph does not depend on those before it.
        """
        is_well = isinstance(answer, tuple) and answer[0].keys().isdisjoint(UNWELL)
        is_alone = site.parts and site is self.drawing and isinstance(self._job, Job) and self._job.isolated
        if is_well and not is_alone:
            self._kept[site] = connection
            return
        self._kept.pop(site, None)
        site.leave(connection)


UNWELL = ("ended", "failed", "broken", "lacking")  # what a process says that is not asked again


def _source(job: Job | Raw) -> str:
    return job.source if isinstance(job, Job) else ""


def _lacks_memory(answer: Answer | Silence) -> bool:
    return isinstance(answer, tuple) and "lacking" in answer[0]


def _made(answer: Answer | Silence, making: Making) -> Made | AuthorError:
    """What was made, or in words why it was not."""
    of_limits = "`memory` in the settings allows more"
    if isinstance(answer, Silence):
        if answer.late:
            late = f"took longer than {making.timeout:g} s to be {making.doing}"
            return making.error(f"{late}; `timeout: N` in its question allows more")
        if answer.garbled:
            return making.error(f"the process by which it was to be {making.doing} has sent {answer.garbled}")
        return making.error(f"its process died while it was {making.doing}")
    header, payload = answer
    if isinstance(header.get("made"), dict):
        return header["made"], payload
    if "lacking" in header:
        text = f"could not be {making.doing} in {making.memory >> 20} MiB of memory; {of_limits}"
        return making.error(text)
    if "ended" in header:
        how = signal.Signals(-header["ended"]).name if header["ended"] < 0 else f"exit code {header['ended']}"
        text = f"its process ended ({how}) while it was {making.doing}, as a rule for want of memory; {of_limits}"
        return making.error(text)
    words = (str(header.get("what", "no answer")), str(header.get("broken", "")))
    return own_error(Origin(making.source), f"this was {making.doing}", *words)


def draw(lane: Lane, job: Job) -> Result:
    """The result of one job, waited for; begun once more where a process died that serves others as well."""
    for alone in (False, True):
        lane.take(0, job, alone=alone)
        while lane.result is None and not lane.is_lost:
            listen([lane])
        if not lane.is_lost:
            break
        lane.is_lost = False
    result, lane.result = lane.result, None
    assert result is not None
    return result


def listen(lanes: Sequence[Lane], seconds: float | None = None) -> None:
    """Let those go on that can, and wait for one so long, without end where that is None."""
    lines = [lane.line for lane in lanes if lane.line is not None]
    heard = set(protocol.heard(lines, seconds)) if lines else set()
    for lane in lanes:
        if lane.line in heard:
            lane.hear()


def _result(answer: Answer | None, job: Job, seconds: float) -> Result:
    if answer is None and seconds >= job.timeout:
        text = f"took longer than {job.timeout:g} s and was ended; `timeout: N` in its question allows more"
        return NotDrawn(AuthorError(Origin(job.source), text), seconds)
    if answer is None:
        return NotDrawn(AuthorError(Origin(job.source), "its process died without a word"), seconds)
    try:
        found = answer_of(*answer)
    except WrongAnswerError as error:
        text = f"its process sent no proper answer: {error}"
        return NotDrawn(AuthorError(Origin(job.source), text), seconds)
    if isinstance(found, Raw):
        return Drawn(found, seconds)
    if isinstance(found, Broken):
        return NotDrawn(own_error(Origin(job.source), "drawing this", found.what, found.traceback), seconds)
    if isinstance(found, Ended):
        how = found.why or _how_it_ended(found.status, job)
        return NotDrawn(AuthorError(Origin(job.source), how, found.said), seconds)
    return NotDrawn(found, seconds)


def _how_it_ended(status: int, job: Job) -> str:
    name = _signal(-status) if status < 0 else f"exit code {status}"
    # Graphviz ends the process where it gets no memory: itself, by an assertion, or by what it did not look at.
    if not job.isolated and (status > 0 or name in ("SIGABRT", "SIGBUS", "SIGSEGV", "SIGTRAP")):
        return f"Graphviz gave up ({name}), as a rule for want of memory; {memory_limit(job)}"
    if status >= 0:
        return f"its process ended itself with {name} before a figure was there"
    if name == "SIGXCPU":
        return f"used more than {job.timeout:g} s of processor time and was ended"
    return f"its process was ended by {name}"


def _signal(number: int) -> str:
    """The name of a signal; those of real time, which a script may send itself, have none."""
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
