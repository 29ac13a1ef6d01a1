"""From steps to outcomes: take a drawing from the cache or draw it, and settle it.

Unaware of the ledger and of the use of an outcome. Puts new drawings into the cache if that keeps any.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import closing
from dataclasses import replace
from itertools import islice

from figmill.config import Options
from figmill.engine.drawing.exploration import flat, merged
from figmill.engine.drawing.failures import lasting
from figmill.engine.drawing.jobs import job_of, offers_of
from figmill.engine.drawing.outcome import Built, Failed, Outcome, Refused, Skipped, TracedDrawing
from figmill.engine.plan import FailedBefore, Fresh, Stale, Step, Unreadable
from figmill.errors import AuthorError, held
from figmill.kind.job import Job
from figmill.kinds import KINDS
from figmill.model import Inputs
from figmill.publish.finalise import Settled
from figmill.publish.settling import settling, unpacked
from figmill.render.pool import Pool
from figmill.render.protocol import Shared
from figmill.render.results import Drawn, FollowUp, FollowUpAnswer, NotDrawn, Result
from figmill.store import private
from figmill.store.cache import Cache
from figmill.store.disk import Disk

EDITED = ("edited while it was drawn", "")


def outcomes_of(
    steps: tuple[Step, ...],
    disk: Disk,
    options: Options,
    cache: Cache,
    pool: Pool,
    *,
    every: bool = False,
    stop: Callable[[], bool] | None = None,
) -> Iterator[Outcome]:
    """One outcome per step, in their order, with all pictures of an interactive figure.

    every: also run the checks of `lint`. stop: whether to end before the last outcome, because something is more
    urgent; the cache keeps the finished drawings.
    """
    pictures = [flat(step) for step in steps]
    flattened = tuple(picture for of_step in pictures for picture in of_step)
    with closing(_outcomes_of(flattened, disk, options, cache, pool, every, stop)) as outcomes:
        for of_step in pictures:
            together = [*islice(outcomes, len(of_step))]
            if len(together) < len(of_step):
                return
            yield merged(together)


def _outcomes_of(
    steps: tuple[Step, ...],
    disk: Disk,
    options: Options,
    cache: Cache,
    pool: Pool,
    every: bool,
    stop: Callable[[], bool] | None,
) -> Generator[Outcome, None, None]:
    """One outcome per picture, in their order.

    Pictures with equal inputs are drawn once. An error in one picture affects no other. Nothing here reads an author's
    files.
    """
    stale = [step for step in steps if isinstance(step.state, Stale)]
    cached = _cached(stale, cache, disk)
    offers = offers_of(stale, cached, disk, options, pool)
    refused: dict[int, Refused] = {}
    tasks: dict[Inputs, TracedDrawing | Job] = {}
    then: dict[Inputs, list[FollowUp]] = {}
    shared = Shared(options)
    for step in stale:
        if step.declared not in tasks:
            task = cached.get(step.declared) or job_of(step, options, offers)
            if isinstance(task, Refused):
                refused[id(step)] = task
                continue
            tasks[step.declared] = task
        follow_up = settling(step.visual, shared, str(disk.root), every)
        then.setdefault(step.declared, []).append(follow_up)
    jobs = [task if isinstance(task, Job) else task.raw for task in tasks.values()]
    began = time.time_ns()
    done: dict[Inputs, tuple[TracedDrawing | NotDrawn, deque[FollowUpAnswer | AuthorError]]] = {}
    with closing(pool.draw_all(jobs, tuple(then.values()), stop)) as results:
        for step in steps:
            if (outcome := _undrawn(step)) is not None:
                yield outcome
                continue
            if (refusal := refused.get(id(step))) is not None:
                files = () if refusal.is_lasting else None
                yield Failed(step, refusal.errors, traced=lasting(step.visual, files, disk, began))
                continue
            is_first = step.declared not in done
            if is_first:  # no earlier figure needs this drawing
                result = next(results, None)
                if result is None:  # it was stopped
                    break
                drawing = _traced_drawing(result, tasks[step.declared], step, disk, began)
                if cache.keeps and isinstance(drawing, TracedDrawing) and drawing.is_steady:
                    if options.cache_folder is None and not done:
                        private.make(disk.root)  # `lint` saves drawings as well, and takes no lock
                    disk.later(cache.put, step.declared, drawing.traced, drawing.raw)
                done[step.declared] = drawing, deque(result.answers if isinstance(result, Drawn) else ())
            drawing, answers = done[step.declared]
            yield _settled(step, drawing if is_first else replace(drawing, seconds=0.0), answers, disk, began)
    disk.sync()
    cache.trim()


def _undrawn(step: Step) -> Outcome | None:
    """The outcome of a step for which nothing is drawn; None: it is stale."""
    match step.state:
        case Fresh():
            return Skipped(step)
        case Stale():
            return None
        case FailedBefore(failure=failure):
            return Failed(step, failure.errors, traced=failure.traced)
        case Unreadable(error=error):
            return Failed(step, (error,))


def _cached(steps: Sequence[Step], cache: Cache, disk: Disk) -> dict[Inputs, TracedDrawing | Refused]:
    """The drawings that the cache has: here, or else in a shared store."""
    steps = [step for step in steps if not KINDS[step.visual.kind].by_hand]
    drawings = _looked_up(steps, {}, cache, disk)
    left = [step for step in steps if step.declared not in drawings]
    if left and cache.fetch([step.declared for step in left]):
        _looked_up(left, drawings, cache, disk)
    return drawings


def _looked_up(
    steps: Sequence[Step], drawings: dict[Inputs, TracedDrawing | Refused], cache: Cache, disk: Disk
) -> dict[Inputs, TracedDrawing | Refused]:
    """Add what the cache finds to `drawings`."""
    for step in steps:
        if step.declared in drawings:
            continue
        try:
            run = cache.find(step.declared, disk.digest)
            if run is not None:
                is_steady = cache.is_from_store(step.declared, run[1])
                drawings[step.declared] = TracedDrawing(*run, is_steady=is_steady)
        except Exception as error:
            wrong = held(step.visual.at(), "looking for its drawing in the cache", error)
            drawings[step.declared] = Refused((wrong,), is_lasting=False)
    return drawings


def _traced_drawing(
    result: Result, task: TracedDrawing | Job, step: Step, disk: Disk, began: int
) -> TracedDrawing | NotDrawn:
    """A drawing with the digests of the files that were read; began: when drawing began, in ns.

    A file that was edited meanwhile may have been read before or after the edit. Such a drawing is published but not
    cached, and the next build draws it again.
    """
    if isinstance(result, NotDrawn):
        return result
    if isinstance(task, TracedDrawing):
        return task
    try:
        names = result.raw.traced
        traced = Inputs.of((name, disk.digest(name)) for name in names)
        files = (step.visual.source, *step.visual.inputs, *names)
        steady = not any(disk.has_changed(name, began) for name in files)
    except Exception as error:
        at = step.visual.at()
        return NotDrawn(held(at, "looking at what its script has read", error), result.seconds)
    if not steady:
        traced |= Inputs.of([EDITED])
    return TracedDrawing(
        result.raw,
        traced,
        result.seconds,
        is_steady=steady and not KINDS[step.visual.kind].by_hand and not result.raw.unseen,
    )


def _traced(names: Sequence[str], disk: Disk, began: int) -> tuple[Inputs, bool]:
    """The digests of files, with a further row if one of them was edited since `began`, in ns."""
    rows = [(name, disk.digest(name)) for name in names]
    steady = not any(disk.has_changed(name, began) for name in names)
    return Inputs.of(rows if steady else [*rows, EDITED]), steady


def _settled(
    step: Step,
    drawing: TracedDrawing | NotDrawn,
    answers: deque[FollowUpAnswer | AuthorError],
    disk: Disk,
    began: int,
) -> Outcome:
    """answers: the results of settling the drawing, beginning with this figure's."""
    if isinstance(drawing, NotDrawn):
        traced = lasting(step.visual, drawing.read, disk, began)
        error = drawing.error
        at = step.visual.placed(error.origin)
        placed = error if at == error.origin else AuthorError(at, error.message, error.detail)
        return Failed(step, (placed,), drawing.seconds, traced)
    settled = answers.popleft()
    if isinstance(settled, AuthorError):
        return Failed(step, (settled,), drawing.seconds)
    try:
        result = unpacked(settled, step.visual, drawing.raw.facts, drawing.raw.tables)
        traced = drawing.traced
        pictures = result.pictures if isinstance(result, Settled) else ()
        if read := (*pictures, *dict.fromkeys(each.file for each in step.visual.facts)):
            traced |= _traced(read, disk, began)[0]
    except Exception as error:
        return Failed(step, (held(step.visual.at(), "taking back what was checked", error),), drawing.seconds)
    if not isinstance(result, Settled):
        may_change = settled[0].get("pictures") or EDITED in traced.rows
        inputs = None if may_change else lasting(step.visual, (), disk, began)
        return Failed(step, result, drawing.seconds, None if inputs is None else traced)
    return Built(step, result, traced, drawing.seconds, drawing.raw.printed)
