"""The pool: draw jobs in parallel, each within its limits, which `slot.py` and `connection.py` enforce.

A job goes in; a drawing or a failure comes out, in the order of the jobs. One thread does it all: it hands out
jobs and waits for whichever process answers first. Unaware of YAML, the ledger and the output folder.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import ExitStack
from functools import partial
from pathlib import Path

from figmill.errors import AuthorError
from figmill.kind.job import Job, Raw
from figmill.kinds import KINDS
from figmill.render.processes import Launcher, opened, way_here
from figmill.render.results import Drawn, FollowUp, FollowUpAnswer, Result
from figmill.render.slot import IdleProcesses, Slot, listen, needs_drawing

LOOK = 0.02  # seconds between checks whether to stop
AHEAD = 4  # jobs begun before their turn, for each slot
GENERATOR_MODULES = "figmill.render.preload:load"


class Pool:
    """The processes of a build. They start when a job needs them, or earlier by `start`.

    - preload: `module:function` that loads what follow-ups need.
    - slots: the number of jobs that run at a time.
    - stays: it serves one build after the other, and its processes stay until it is closed.
    """

    def __init__(
        self,
        root: Path,
        fonts: Sequence[Path] = (),
        enclosure: str = "auto",
        preload: str = "",
        read: Sequence[Path] = (),
        slots: int = 1,
        stays: bool = False,
    ) -> None:
        self.root, self.preload, self.slots, self.stays = root, preload, slots, stays
        self.has_run_scripts = False
        self._opened = partial(opened, root, fonts=fonts, enclosure=enclosure, read=read)
        self._launchers: dict[tuple[str, ...], Launcher] = {}  # by the kinds they have loaded
        self._follow_up: Launcher | None = None
        self._stack = ExitStack()
        # Worth its time only if figures are drawn many times.
        self._preload_generators = GENERATOR_MODULES if stays else ""
        self._slots: list[Slot] = []  # of a pool that stays
        self._idle = IdleProcesses()
        self._busy: Sequence[Slot] = ()

    def __enter__(self) -> Pool:
        return self

    def __exit__(self, *_: object) -> None:
        for slot in self._slots:
            slot.close()
        self._slots = []
        self._stack.close()

    def start(self, kinds: tuple[str, ...]) -> None:
        """Start the processes that draw these kinds, and those for follow-ups. Does not wait for them."""
        if kinds and self._follow_up is None and _share(kinds):
            both = self._stack.enter_context(self._opened(kinds, preload=self.preload))
            self._launchers[kinds] = self._follow_up = both
            return
        self.follow_up_launcher()  # first, as it has more to load
        if kinds:
            self._launchers[kinds] = self._stack.enter_context(
                self._opened(kinds, preload=self._preload_generators)
            )

    def follow_up_launcher(self) -> Launcher:
        """The launcher of processes for follow-ups, started if need be."""
        if self._follow_up is None or self._follow_up.closed:
            self._follow_up = self._stack.enter_context(self._opened((), preload=self.preload))
        return self._follow_up

    def release(self) -> None:
        """Let the processes end while the caller continues; nothing more is drawn. A pool that stays keeps them."""
        if self.stays:
            return
        for launcher in (*self._launchers.values(), self._follow_up):
            if launcher is not None:
                launcher.hang_up()

    def interrupt(self) -> None:
        """End the jobs under way, from another thread; their results say that their processes died."""
        for slot in self._busy:
            slot.cut()

    def _launcher_for(self, kinds: set[str]) -> Launcher | None:
        """A started launcher whose processes draw all of these kinds."""
        started = ((loaded, launcher) for loaded, launcher in self._launchers.items() if not launcher.closed)
        return next((launcher for loaded, launcher in started if kinds and kinds <= {*loaded}), None)

    def draw_all(
        self,
        jobs: Sequence[Job | Raw],
        then: Sequence[Sequence[FollowUp]] = (),
        stop: Callable[[], bool] | None = None,
    ) -> Generator[Result, None, None]:
        """Yield one result for each job, in order. When the caller stops early, everything under way is ended.

        jobs: drawings to make, and drawings already made. then: the follow-ups of each job; they run in other
        processes, in which nothing is drawn and no author's code runs. stop: whether to end before the last result.
        """
        wanted = {job.kind for job in jobs if needs_drawing(job)}
        kinds = tuple(kind for kind in KINDS if kind in wanted)
        self.has_run_scripts |= any(needs_drawing(job) and job.isolated for job in jobs)
        with ExitStack() as stack:
            if any(then) and not self._launchers and _share(kinds):
                self.start(kinds)
            drawing = self._launcher_for(wanted)
            if kinds and drawing is None:
                home = self._stack if self.stays else stack
                drawing = home.enter_context(self._opened(kinds, preload=self._preload_generators))
                if self.stays:
                    self._launchers[kinds] = drawing
            follow_up = self.follow_up_launcher() if any(then) else None
            all_slots = self._take_slots(drawing, follow_up)
            for slot in all_slots:
                stack.callback(slot.close)
            self._busy = all_slots
            try:
                yield from _in_order(all_slots, self.slots, jobs, then, stop)
            finally:  # a caller may stop after the last result
                self._busy = ()
                if self.stays and not self._slots:
                    for slot in all_slots:
                        slot.abandon()
                    stack.pop_all()
                    self._slots = all_slots

    def _take_slots(self, drawing: Launcher | None, follow_up: Launcher | None) -> list[Slot]:
        """Slots for these launchers: those of earlier jobs, whose processes stay, or new ones."""
        kept, self._slots = self._slots, []
        count = self.slots + (follow_up is not None)
        while len(kept) < count:
            kept.append(Slot(self.root, drawing, follow_up, self.stays, self._idle))
        for slot in kept:
            slot.use(drawing, follow_up)
        return kept

    def make(self, raw: Raw, follow_ups: Sequence[FollowUp]) -> tuple[FollowUpAnswer | AuthorError, ...]:
        """Run the follow-ups of one drawing and wait for their answers."""
        (result,) = self.draw_all([raw], [follow_ups])
        assert isinstance(result, Drawn)
        return result.answers


def _share(kinds: tuple[str, ...]) -> bool:
    """Whether drawings of these kinds and follow-ups share one warm process, whose start they save.

    A renderer that reserves many addresses would leave too few for the limit of a follow-up.
    """
    if not kinds or way_here() != "fork":
        return False
    return not any(KINDS[kind].process.loads_long or KINDS[kind].process.bounds_memory for kind in kinds)


def _in_order(
    slots: Sequence[Slot],
    most: int,
    jobs: Sequence[Job | Raw],
    then: Sequence[Sequence[FollowUp]],
    stop: Callable[[], bool] | None,
) -> Iterator[Result]:
    """Yield one result for each job, in order.

    most: processes that draw at a time. There is one slot more, for follow-ups: a renderer that takes long to start
    is then started no more often than there are processors.

    When a process dies that serves several jobs, all jobs under way are run again, one at a time. So no figure
    fails for another's fault, and the one at fault is named.
    """
    results: dict[int, Result] = {}
    retries: deque[int] = deque()
    begun = 0

    def may_begin(job: Job | Raw) -> bool:
        return not needs_drawing(job) or sum(slot.is_drawing for slot in slots) < most

    def advance(until: int, wait: bool) -> None:
        """Begin jobs before `until`, receive answers (waiting for one if `wait`), and collect results."""
        nonlocal begun
        busy = [slot for slot in slots if slot.is_busy]
        if retries and not busy:
            number = retries.popleft()
            slots[0].begin(number, jobs[number], then[number] if then else (), alone=True)
        elif not retries and not any(slot.is_alone for slot in busy):
            for slot in slots:
                if begun == until or not may_begin(jobs[begun]):
                    break
                if not slot.is_busy:
                    slot.begin(begun, jobs[begun], then[begun] if then else ())
                    begun += 1
        can_wait = all(slot.channel is not None or not slot.is_busy for slot in slots)
        longest = None if stop is None else LOOK
        listen(slots, longest if wait and can_wait else 0)
        for slot in slots:
            if slot.is_lost:
                retries.append(slot.number)
                slot.is_lost = False
            elif slot.result is not None:
                results[slot.number], slot.result = slot.result, None

    for number in range(len(jobs)):
        until = min(len(jobs), number + AHEAD * most)
        while number not in results:
            if stop is not None and stop():
                return
            advance(until, wait=True)
        advance(until, wait=False)  # every slot has work while the caller handles this result
        paused = time.monotonic()
        yield results.pop(number)
        for slot in slots:  # the time without listening does not count
            if slot.channel is not None and slot.channel.until is not None:
                slot.channel.until += time.monotonic() - paused
