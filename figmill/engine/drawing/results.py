"""From steps to outcomes: take a drawing from the cache or draw it, and settle it.

Unaware of the ledger and of the use of an outcome. Puts new drawings into the cache if it may write.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import closing
from dataclasses import replace
from itertools import islice

from figmill import cluster
from figmill.config import Options
from figmill.engine.drawing.exploration import flat, merged
from figmill.engine.drawing.failures import lasting
from figmill.engine.drawing.jobs import job_of, offers_of
from figmill.engine.drawing.outcome import Built, Failed, Fresh, Known, Outcome, Refused
from figmill.engine.plan import State, Step
from figmill.engine.request import Request
from figmill.errors import AuthorError, as_errors, held
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
from figmill.store.links import PRIVATE
from figmill.store.seal import seal_of
from figmill.store.shared_store import SharedStore

EDITED = ("edited while it was drawn", "")
STRICT = "a warning, with --strict"


def outcomes_of(
    steps: tuple[Step, ...],
    disk: Disk,
    options: Options,
    request: Request,
    pool: Pool,
    stop: Callable[[], bool] | None = None,
) -> Iterator[Outcome]:
    """One outcome per step, in their order, with all pictures of an interactive figure.

    stop: whether to end before the last outcome, because something is more urgent; the cache keeps the finished
    drawings.
    """
    all_ = [flat(step, request.tries_again) for step in steps]
    every = tuple(outcome for some in all_ for outcome in some)
    with closing(_outcomes_of(every, disk, options, request, pool, stop)) as outcomes:
        for some in all_:
            together = [*islice(outcomes, len(some))]
            if len(together) < len(some):
                return
            yield merged(together)


def _outcomes_of(
    steps: tuple[Step, ...],
    disk: Disk,
    options: Options,
    request: Request,
    pool: Pool,
    stop: Callable[[], bool] | None,
) -> Generator[Outcome, None, None]:
    """One outcome per picture, in their order.

    Pictures with equal inputs are drawn once. An error in one picture affects no other. Nothing here reads an author's
    files.
    """
    folder = disk.root / (options.cache_folder or f"{PRIVATE}/cache")
    seal = seal_of(options)
    store = None if options.cache_store is None else SharedStore(options.cache_store, seal)
    cache = Cache(folder, (seal if store is None else None) or private.seal_of(folder), store)
    stale = [step for step in steps if step.is_due(request.tries_again)]
    known_ones = _known_ones(stale, cache, disk, request)
    offers = offers_of(stale, known_ones, disk, options, pool)
    refused: dict[int, Refused] = {}
    tasks: dict[Inputs, Known | Job] = {}
    then: dict[Inputs, list[FollowUp]] = {}
    shared = Shared(options)
    for step in stale:
        if step.declared not in tasks:
            task = known_ones.get(step.declared) or job_of(step, options, offers)
            if isinstance(task, Refused):
                refused[id(step)] = task
                continue
            tasks[step.declared] = task
        then.setdefault(step.declared, []).append(
            settling(step.visual, shared, str(disk.root), request.every)
        )
    began = time.time_ns()
    done: dict[Inputs, tuple[Known | NotDrawn, deque[FollowUpAnswer | AuthorError]]] = {}
    with closing(
        _drawn(tuple(tasks.values()), tuple(then.values()), disk, options, request, pool, stop)
    ) as results:
        for step in steps:
            if step.error is not None:
                yield Failed(step, (step.error,))
                continue
            if step.state is State.FRESH:
                yield still(step, request)
                continue
            if step.failure is not None and not request.tries_again:
                yield Failed(step, step.failure.errors, traced=step.failure.traced)
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
                drawing = _taken(result, tasks[step.declared], step, disk, began)
                if request.writes and isinstance(drawing, Known) and drawing.is_steady:
                    if options.cache_folder is None and not done:
                        private.make(disk.root)  # `lint` saves drawings as well, and takes no lock
                    disk.later(cache.put, step.declared, drawing.traced, drawing.raw)
                done[step.declared] = drawing, deque(result.made if isinstance(result, Drawn) else ())
            drawing, answers = done[step.declared]
            yield _settled(
                step, drawing if is_first else replace(drawing, seconds=0.0), answers, request, disk, began
            )
    disk.sync()
    cache.trim()


def _known_ones(
    steps: Sequence[Step], cache: Cache, disk: Disk, request: Request
) -> dict[Inputs, Known | Refused]:
    """The drawings that the cache has: here, or else in a shared store."""
    drawings = _looked_up(steps, {}, cache, disk, request)
    left = [step for step in steps if step.declared not in drawings and not KINDS[step.visual.kind].by_hand]
    if left and not request.force and cache.fetch([step.declared for step in left]):
        _looked_up(left, drawings, cache, disk, request)
    return drawings


def _looked_up(
    steps: Sequence[Step], drawings: dict[Inputs, Known | Refused], cache: Cache, disk: Disk, request: Request
) -> dict[Inputs, Known | Refused]:
    """Add what the cache finds to `drawings`."""
    for step in steps:
        if step.declared not in drawings:
            try:
                drawing = _known(step, cache, disk, request)
            except Exception as error:
                wrong = held(step.visual.at(), "looking for its drawing in the cache", error)
                drawings[step.declared] = Refused((wrong,), is_lasting=False)
            else:
                if drawing is not None:
                    drawings[step.declared] = drawing
    return drawings


def _drawn(
    tasks: tuple[Known | Job, ...],
    then: tuple[list[FollowUp], ...],
    disk: Disk,
    options: Options,
    request: Request,
    pool: Pool,
    stop: Callable[[], bool] | None,
) -> Generator[Result, None, None]:
    """One result per task, in their order, from this machine or a cluster."""
    jobs = [task if isinstance(task, Job) else task.raw for task in tasks]
    if request.scheduler is None:
        yield from pool.draw_all(jobs, then, stop)
        return
    fonts = tuple(disk.root / name for name in options.fonts)
    with closing(cluster.draw_all(jobs, disk.root, request.scheduler, fonts)) as results:
        for result, makings in zip(results, then, strict=True):
            if isinstance(result, Drawn):
                yield replace(result, made=pool.make(result.raw, makings))
            else:
                # a cluster's statements about files of the book are not trusted
                yield replace(result, read=None)


def still(step: Step, request: Request) -> Fresh | Failed:
    """The outcome of a fresh figure; its old warnings still count."""
    if request.strict and step.entry is not None and step.entry.warnings:
        return Failed(step, as_errors(step.entry.warnings, STRICT))
    return Fresh(step)


def _known(step: Step, cache: Cache, disk: Disk, request: Request) -> Known | None:
    if request.force or KINDS[step.visual.kind].by_hand:
        return None
    drawing = cache.find(step.declared, disk.digest)
    return (
        None if drawing is None else Known(*drawing, is_steady=cache.is_from_store(step.declared, drawing[1]))
    )


def _taken(result: Result, task: Known | Job, step: Step, disk: Disk, began: int) -> Known | NotDrawn:
    """A drawing with the digests of the files that were read; began: when drawing began, in ns.

    A file that was edited meanwhile may have been read before or after the edit. Such a drawing is published but not
    cached, and the next build draws it again.
    """
    if isinstance(result, NotDrawn):
        return result
    if isinstance(task, Known):
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
    return Known(
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
    drawing: Known | NotDrawn,
    answers: deque[FollowUpAnswer | AuthorError],
    request: Request,
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
    if request.strict and result.warnings:
        return Failed(step, as_errors(result.warnings, STRICT), drawing.seconds)
    return Built(step, result, traced, drawing.seconds, drawing.raw.printed)
