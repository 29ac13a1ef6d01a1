"""A slot of the pool: one job at a time, from its drawing to its follow-ups, each ended at its time limit.

Slots share the processes that wait for their next job. A slot is unaware of the other slots, YAML, the ledger and the
output folder.
"""

from __future__ import annotations

import pickle
import time
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple, TypeGuard

from figmill.errors import AuthorError, own_error
from figmill.kind.job import Job, Raw
from figmill.kinds import KINDS
from figmill.model import Origin
from figmill.render import protocol
from figmill.render.connection import DeadError, WorkerConnection
from figmill.render.processes import Launcher, Standby
from figmill.render.protocol import NoAnswer, WireMessage
from figmill.render.results import (
    Drawn,
    FollowUp,
    FollowUpAnswer,
    NotDrawn,
    Result,
    follow_up_from,
    result_from,
)

JOBS = 512  # that one process serves: what a library forgets to free must not add up
# A process that answers one of these is not asked again, except after a mistake that its renderer calls harmless.
UNWELL = frozenset({"ended", "failed", "broken", "lacking"})


class _Use(NamedTuple):
    """What a process is for: it draws, or it runs follow-ups. None does both, whichever launcher started it."""

    launcher: Launcher
    draws: bool


class IdleProcesses:
    """Processes that wait for their next job, shared by the slots of a pool."""

    def __init__(self) -> None:
        self._waiting: dict[_Use, list[WorkerConnection]] = {}

    def put(self, use: _Use, connection: WorkerConnection) -> None:
        self._waiting.setdefault(use, []).append(connection)

    def take(self, use: _Use) -> WorkerConnection | None:
        """The process that waited for the shortest time; those that may not be asked again are ended."""
        waiting = self._waiting.get(use, [])
        while waiting:
            connection = waiting.pop()
            if connection.is_good():
                return connection
            use.launcher.end(connection)
        return None

    def keep_only(self, launchers: Collection[Launcher]) -> None:
        """End the processes of other launchers and of closed ones, and those that have served JOBS jobs."""
        for use, waiting in self._waiting.items():
            for connection in [*waiting]:
                if use.launcher.closed or use.launcher not in launchers or connection.asked >= JOBS:
                    waiting.remove(connection)
                    use.launcher.end(connection)


class Slot:
    """One job at a time, in two processes: one draws, the other runs follow-ups. One launcher may start both.

    Either launcher may be None; then the slot draws in no process, or runs no follow-ups. `result` is set when the
    job is done. `is_lost` is set when a process died that other slots use too, so that the job may not be at fault.
    """

    def __init__(
        self,
        root: Path,
        drawing: Launcher | None,
        follow_up: Launcher | None = None,
        stays: bool = False,
        idle: IdleProcesses | None = None,
    ) -> None:
        """stays: the slot serves build after build, and starts the process of the next script in advance.

        idle: shared with other slots; None: the slot has its own.
        """
        self.root, self.draw_launcher, self.follow_up_launcher = root, drawing, follow_up
        self.stays = stays
        self._idle = IdleProcesses() if idle is None else idle
        self.number = 0
        self.result: Result | None = None
        self.is_lost = self.is_alone = False
        self._next = Standby()
        self._connection: WorkerConnection | None = None  # the one whose answer is awaited
        self._use: _Use | None = None  # of that connection
        self._is_reused = False  # whether the process has served other jobs before
        self._drawn: Drawn | None = None  # the drawing whose follow-ups are under way

    @property
    def is_busy(self) -> bool:
        return self._connection is not None or self.result is not None or self.is_lost

    @property
    def is_drawing(self) -> bool:
        """Whether a process draws for this slot now."""
        return self._connection is not None and self._use is not None and self._use.draws

    @property
    def channel(self) -> protocol.Channel | None:
        """The channel whose next message the job waits for."""
        return None if self._connection is None else self._connection.channel

    def begin(
        self, number: int, job: Job | Raw, follow_ups: Sequence[FollowUp] = (), alone: bool = False
    ) -> None:
        """Begin a job. alone: no other job is under way, so a process that dies now died of this one."""
        self.number, self._job, self._follow_ups, self.is_alone = number, job, follow_ups, alone
        self._drawn = None
        if self.draw_launcher is not None and needs_drawing(job):
            self._draw()
        else:
            self._finish_drawing(without_process(job, self.root))

    def hear(self) -> None:
        """Continue if the process has answered or ended, or if its time is up."""
        connection = self._connection
        if connection is None:
            return
        if not connection.is_ready:
            connection.greet()
            self._send()
            return
        answer = connection.answer()
        if answer is None:
            return
        assert self._use is not None
        self._connection = None
        seconds = time.monotonic() - self._began
        is_ended = isinstance(answer, tuple) and "ended" in answer[0]
        is_gone = isinstance(answer, NoAnswer) and not answer.late and not answer.garbled
        has_died = self._use.launcher.forks and (
            connection.has_died() if is_gone else connection.process.poll() is not None
        )
        self._keep_or_end(self._use, connection, answer)
        if has_died:
            self._lose("the process that starts all others died")
        elif self._is_reused and not connection.is_cut and (is_ended or is_gone or _lacks_memory(answer)):
            self._retry()  # an earlier job may be at fault
        elif self._drawn is None:
            self._receive_drawing(answer, seconds)
        else:
            self._receive_follow_up(answer, seconds)

    def use(self, drawing: Launcher | None, follow_up: Launcher | None) -> None:
        """Use these launchers from now on; end idle processes of others, and those that have served JOBS jobs."""
        self.draw_launcher, self.follow_up_launcher = (
            drawing or self.draw_launcher,
            follow_up or self.follow_up_launcher,
        )
        self._idle.keep_only(
            [launcher for launcher in (self.draw_launcher, self.follow_up_launcher) if launcher is not None]
        )
        self._next.keep_only(self.draw_launcher)

    def cut(self) -> None:
        """End the process under way, from another thread: the job is over as if the process had died."""
        connection = self._connection
        if connection is not None:
            connection.cut()

    def abandon(self) -> None:
        """End the process under way, because its result is no longer needed; the idle ones stay."""
        if self._connection is not None and self._use is not None:
            self._use.launcher.end(self._connection)
        self._connection, self._drawn, self.result, self.is_lost = None, None, None, False

    def close(self) -> None:
        """End the process under way and the idle ones."""
        self._next.keep_only(None)
        self._idle.keep_only(())
        if self._connection is not None and self._use is not None:
            self._use.launcher.end(self._connection)
        self._connection = None

    def _draw(self) -> None:
        assert self.draw_launcher is not None and isinstance(self._job, Job)
        alone = self.draw_launcher.forks and self._job.isolated
        self._connect(_Use(self.draw_launcher, draws=True), alone)

    def _retry(self) -> None:
        if self._drawn is None:
            self._draw()
        else:
            self._start_follow_up()

    def _connect(self, use: _Use, alone: bool = False) -> None:
        """Ask the idle process if it may be asked again, else a new one."""
        launcher = use.launcher
        idle = None if alone else self._idle.take(use)
        self._is_reused = idle is not None
        try:
            connection = idle or (self._next.taken(launcher) if alone else None) or launcher.connect()
        except DeadError as error:
            self._fail(str(error))
            return
        if connection is None:
            self._fail("the build stopped")
            return
        self._connection, self._use = connection, use
        if connection.is_ready:
            self._send()

    def _send(self) -> None:
        assert self._connection is not None
        self._began = time.monotonic()
        if self._drawn is not None:
            follow_up = self._follow_ups[len(self._drawn.answers)]
            payload = pickle.dumps((follow_up.function, self._drawn.raw, follow_up.memory))
            self._connection.ask({"make": True}, payload, follow_up.timeout)
        elif isinstance(self._job, Job):
            self._connection.ask(self._job.fields(), seconds=self._job.timeout)

    def _lose(self, why: str) -> None:
        """A process that serves several jobs has died. It is this job's fault only if the job ran alone."""
        if self.is_alone:
            self._fail(f"{why}, even when this job ran alone")
        else:
            self.is_lost = True

    def _fail(self, why: str) -> None:
        """End the current step, the drawing or a follow-up, with an error."""
        if self._drawn is None:
            self.result = NotDrawn(AuthorError(Origin(_source(self._job)), why), 0.0)
        else:
            self._add_follow_up(self._follow_ups[len(self._drawn.answers)].error(why))

    def _receive_drawing(self, answer: WireMessage | NoAnswer, seconds: float) -> None:
        assert isinstance(self._job, Job)
        at = Origin(self._job.source)
        if isinstance(answer, NoAnswer) and answer.garbled:
            self._finish_drawing(NotDrawn(AuthorError(at, f"its process sent {answer.garbled}"), seconds))
        elif isinstance(answer, NoAnswer):
            limit = self._job.timeout
            spent = max(seconds, limit) if answer.late else seconds if seconds < limit else 0.0
            self._finish_drawing(result_from(None, self._job, spent))
        elif isinstance(answer[0].get("broken"), str):
            cause = (str(answer[0].get("what", "")), str(answer[0]["broken"]))
            self._finish_drawing(NotDrawn(own_error(at, "drawing this", *cause), seconds))
        else:
            self._finish_drawing(result_from(answer, self._job, seconds))

    def _finish_drawing(self, result: Result) -> None:
        """Continue with the follow-ups, or end the job if there are none."""
        if self.follow_up_launcher is None or not self._follow_ups or isinstance(result, NotDrawn):
            self.result = result
        else:
            self._drawn = result
            self._start_follow_up()

    def _start_follow_up(self) -> None:
        assert self.follow_up_launcher is not None
        self._connect(_Use(self.follow_up_launcher, draws=False))

    def _receive_follow_up(self, answer: WireMessage | NoAnswer, seconds: float) -> None:
        assert self._drawn is not None
        self._add_follow_up(follow_up_from(answer, self._follow_ups[len(self._drawn.answers)]))

    def _add_follow_up(self, answer: FollowUpAnswer | AuthorError) -> None:
        """Add the answer of one follow-up; start the next one, or end the job."""
        assert self._drawn is not None
        self._drawn = replace(self._drawn, answers=(*self._drawn.answers, answer))
        if len(self._drawn.answers) < len(self._follow_ups):
            self._start_follow_up()
        else:
            self.result = self._drawn

    def _keep_or_end(self, use: _Use, connection: WorkerConnection, answer: WireMessage | NoAnswer) -> None:
        """Keep a process for the next job if it lives and may serve another.

        Graphviz reports some mistakes (an unknown colour) only once in the life of a process. A process that has
        reported one, or made a remark, is replaced, so the messages on a graph do not depend on earlier graphs.
        """
        is_well = isinstance(answer, tuple) and self._is_well(answer[0])
        is_spent = use.draws and use.launcher.forks and isinstance(self._job, Job) and self._job.isolated
        if is_well and not is_spent:
            self._idle.put(use, connection)
            return
        use.launcher.end(connection)
        # A person who changes a parameter soon changes it again.
        if self.stays and use.draws and isinstance(answer, tuple):
            self._next.prepare(use.launcher)

    def _is_well(self, header: Mapping[str, Any]) -> bool:
        """Whether the process that gave this answer is as it was before the job."""
        job = self._job if isinstance(self._job, Job) else None
        if header.get("remarks") and (job is None or KINDS[job.kind].process.tells_once):
            return False
        is_harmless = header.get("harmless") is True and job is not None and not job.isolated
        return header.keys().isdisjoint(UNWELL - {"failed"} if is_harmless else UNWELL)


def needs_drawing(job: Job | Raw) -> TypeGuard[Job]:
    """Whether a job needs a process: it is not drawn yet, and not a drawing by hand."""
    return isinstance(job, Job) and not KINDS[job.kind].by_hand


def without_process(job: Job | Raw, root: Path) -> Result:
    """The result of a job that needs no process: a hand drawing is neither run nor parsed here."""
    if isinstance(job, Raw):
        return Drawn(job, 0.0)
    try:
        size = (root / job.source).stat().st_size
        if size > protocol.PAYLOAD:
            text = f"the file has {size:,} bytes; at most {protocol.PAYLOAD:,} are read"
            return NotDrawn(AuthorError(Origin(job.source), text), 0.0)
        return Drawn(KINDS[job.kind].load().render(job, root), 0.0)
    except OSError as error:
        return NotDrawn(AuthorError(Origin(job.source), f"cannot be read: {error.strerror}"), 0.0)


def _source(job: Job | Raw) -> str:
    return job.source if isinstance(job, Job) else ""


def _lacks_memory(answer: WireMessage | NoAnswer) -> bool:
    return isinstance(answer, tuple) and "lacking" in answer[0]


def draw(slot: Slot, job: Job) -> Result:
    """Run one job and wait for its result. The job runs a second time if a shared process died."""
    for alone in (False, True):
        slot.begin(0, job, alone=alone)
        while slot.result is None and not slot.is_lost:
            listen([slot])
        if not slot.is_lost:
            break
        slot.is_lost = False
    result, slot.result = slot.result, None
    assert result is not None
    return result


def listen(slots: Sequence[Slot], seconds: float | None = None) -> None:
    """Let each slot that can continue do so; wait for the first at most this many seconds, or without limit if None."""
    channels = [slot.channel for slot in slots if slot.channel is not None]
    readable = set(protocol.readable(channels, seconds)) if channels else set()
    for slot in slots:
        if slot.channel in readable:
            slot.hear()
