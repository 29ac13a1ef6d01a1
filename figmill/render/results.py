"""The result of a job: a drawing with its follow-ups, or why there is none. Pure.

Turns the answer of a process into these values. kind/answer.py checks what an answer may hold.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from figmill.errors import AuthorError, own_error
from figmill.kind.answer import Broken, Ended, WrongAnswerError, answer_of, name_of, read_of
from figmill.kind.job import Job, Raw, memory_limit, out_of_memory
from figmill.kinds import KINDS
from figmill.late_dataclasses import dataclass
from figmill.model import Origin
from figmill.render import protocol
from figmill.render.protocol import NoAnswer, WireMessage

# a follow-up's answer: plain data, which the caller checks before use
FollowUpAnswer: TypeAlias = protocol.WireMessage


@dataclass(frozen=True, slots=True)
class FollowUp:
    """One of figmill's own functions over an author's bytes, run in a process that never runs an author's code.

    - function: picklable.
    - doing: what it does, as a participle for messages.
    - timeout: in seconds.
    - memory: in bytes.
    """

    function: Callable[[Raw], FollowUpAnswer]
    doing: str
    source: str
    timeout: float
    memory: int

    def error(self, message: str) -> AuthorError:
        return AuthorError(Origin(self.source), message)


@dataclass(frozen=True, slots=True)
class Drawn:
    """A drawing, the seconds it took, and the answer or the error of each follow-up."""

    raw: Raw
    seconds: float
    answers: tuple[FollowUpAnswer | AuthorError, ...] = ()


@dataclass(frozen=True, slots=True)
class NotDrawn:
    """A job that failed: a file of the book is wrong, or the job broke its limits.

    - read: the files of the book that it read; None if another try may succeed although the book is the same.
    """

    error: AuthorError
    seconds: float
    read: tuple[str, ...] | None = None


Result: TypeAlias = Drawn | NotDrawn


def follow_up_from(answer: WireMessage | NoAnswer, follow_up: FollowUp) -> FollowUpAnswer | AuthorError:
    """The answer of a follow-up, or an error that says why there is none."""
    of_limits = "`memory` in the settings allows more"
    if isinstance(answer, NoAnswer):
        if answer.late:
            late = f"could not be {follow_up.doing} within {follow_up.timeout:g} s"
            return follow_up.error(f"{late}; `timeout: N` in its question allows more")
        if answer.garbled:
            return follow_up.error(f"could not be {follow_up.doing}: its process sent {answer.garbled}")
        return follow_up.error(f"its process died while it was {follow_up.doing}")
    header, payload = answer
    if isinstance(header.get("made"), dict):
        return header["made"], payload
    if "lacking" in header:
        text = f"could not be {follow_up.doing} in {follow_up.memory >> 20} MiB of memory; {of_limits}"
        return follow_up.error(text)
    if "ended" in header:
        how = name_of(header["ended"])
        text = f"its process ended ({how}) while it was {follow_up.doing}, usually for lack of memory; {of_limits}"
        return follow_up.error(text)
    cause = (str(header.get("what", "no answer")), str(header.get("broken", "")))
    return own_error(Origin(follow_up.source), f"this was {follow_up.doing}", *cause)


def result_from(answer: WireMessage | None, job: Job, seconds: float) -> Result:
    if answer is None and seconds >= job.timeout:
        text = f"took longer than {job.timeout:g} s, so figmill ended it; `timeout: N` in its question allows more"
        return NotDrawn(AuthorError(Origin(job.source), text), seconds)
    if answer is None:
        return NotDrawn(AuthorError(Origin(job.source), "its process died without a message"), seconds)
    try:
        outcome = answer_of(*answer)
        files = read_of(answer[0])
    except WrongAnswerError as error:
        text = f"its process sent an invalid answer: {error}"
        return NotDrawn(AuthorError(Origin(job.source), text), seconds)
    if isinstance(outcome, Raw):
        return Drawn(outcome, seconds)
    if isinstance(outcome, Broken):
        text = "figmill itself failed while drawing this; please report it"
        return NotDrawn(AuthorError(Origin(job.source), text, outcome.traceback), seconds)
    if isinstance(outcome, Ended):
        how, printed = _how_it_ended(outcome, job)
        return NotDrawn(AuthorError(Origin(job.source), how, printed), seconds)
    return NotDrawn(outcome, seconds, files)


def _how_it_ended(ended: Ended, job: Job) -> tuple[str, str]:
    """The message, and the output of the process if it is for authors; a renderer usually prints for developers."""
    printed = ended.printed if job.isolated else ""
    if ended.why:
        return ended.why, printed
    if not job.isolated and (cause := KINDS[job.kind].cause_of(ended, job)) is not None:
        return cause, ended.printed
    if ended.status >= 0:
        return f"its process exited with {ended.how} before it returned a figure", printed
    if ended.how == "SIGXCPU":
        return f"used more than {job.timeout:g} s of processor time, so figmill ended it", printed
    return (f"its process was ended by {ended.how}" if job.isolated else _crash(ended, job)), printed


def _crash(ended: Ended, job: Job) -> str:
    """What is said of a renderer that a signal ended."""
    if _NO_MEMORY in ended.printed or (ended.peak or 0) > job.memory // 2:
        return out_of_memory(job)
    crash = f"what draws kind {job.kind} crashed ({ended.how})"
    if ended.had_room(job.memory):
        return f"{crash}; leave out one part after the other to see which one it cannot draw"
    return f"{crash}, often for lack of memory; {memory_limit(job)}"


_NO_MEMORY = "out of memory"  # what V8 prints when the kernel gives it no more
