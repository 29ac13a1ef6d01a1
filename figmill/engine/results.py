"""Steps -> outcomes: look a drawing up, or have it drawn, and settle it.

Unaware of the ledger and of what is done with an outcome. Keeps new drawings in the cache where it may write.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from typing import TypeAlias

from figmill import cluster
from figmill.config import Options
from figmill.engine.plan import Step
from figmill.engine.request import Request
from figmill.errors import AuthorError, held
from figmill.kinds import KINDS, is_script
from figmill.kinds.job import Job, Raw
from figmill.model import Inputs
from figmill.publish.finalise import Settled, as_errors
from figmill.publish.settling import settling, unpacked
from figmill.render.jobs import job_for, reading, source_of
from figmill.render.pool import Pool
from figmill.render.protocol import Shared
from figmill.render.results import Drawn, FollowUp, Made, NotDrawn, Result
from figmill.store.cache import Cache
from figmill.store.disk import Disk
from figmill.store.ledger import key
from figmill.store.links import PRIVATE
from figmill.store.seal import seal_of

STRICT = "a warning, with --strict"


@dataclass(frozen=True, slots=True)
class Fresh:
    """Nothing that the figure depends on has changed."""

    step: Step


@dataclass(frozen=True, slots=True)
class Built:
    """A figure was settled anew. traced: what was read to draw it; said: what its script printed."""

    step: Step
    settled: Settled
    traced: Inputs
    seconds: float
    said: str = ""


@dataclass(frozen=True, slots=True)
class Failed:
    """What keeps a figure from being built."""

    step: Step
    errors: tuple[AuthorError, ...]
    seconds: float = 0.0


Outcome: TypeAlias = Fresh | Built | Failed


@dataclass(frozen=True, slots=True)
class Known:
    """A drawing that is there, and what was read to make it."""

    raw: Raw
    traced: Inputs
    seconds: float = 0.0
    is_steady: bool = False  # drawn here and now, by a renderer, from files that nobody changed meanwhile


def outcomes_of(
    steps: tuple[Step, ...], disk: Disk, options: Options, request: Request, pool: Pool
) -> Iterator[Outcome]:
    """One outcome a step, in their order. Figures with equal inputs are drawn once.

    Whatever happens in one of them is its own failure. Nothing that an author has written is read here.
    """
    cache = Cache(disk.root / (options.cache or f"{PRIVATE}/cache"), seal_of(options))
    stale = [step for step in steps if step.reasons and step.error is None]
    found = _known_ones(stale, cache, disk, request)
    offers = _offers(stale, found, disk, options, request, pool)
    refused: dict[str, tuple[AuthorError, ...]] = {}
    tasks: dict[Inputs, Known | Job] = {}
    then: dict[Inputs, list[FollowUp]] = {}
    shared = Shared(options)
    for step in stale:
        if step.declared not in tasks:
            task = found.get(step.declared) or _job(step, options, offers)
            if isinstance(task, tuple):
                refused[key(step.visual)] = task
                continue
            tasks[step.declared] = task
        then.setdefault(step.declared, []).append(
            settling(step.visual, shared, str(disk.root), request.every)
        )
    began = time.time_ns()
    done: dict[Inputs, tuple[Known | NotDrawn, deque[Made | AuthorError]]] = {}
    with closing(
        _drawn(tuple(tasks.values()), tuple(then.values()), disk, options, request, pool)
    ) as results:
        for step in steps:
            if step.error is not None:
                yield Failed(step, (step.error,))
                continue
            if not step.reasons:
                yield _still(step, request)
                continue
            if key(step.visual) in refused:
                yield Failed(step, refused[key(step.visual)])
                continue
            is_first = step.declared not in done
            if is_first:  # no figure before has needed this drawing
                result = next(results)
                known = _taken(result, tasks[step.declared], step, disk, began)
                if request.writes and isinstance(known, Known) and known.is_steady:
                    disk.later(cache.put, step.declared, known.traced, known.raw)
                done[step.declared] = known, deque(result.made if isinstance(result, Drawn) else ())
            known, made = done[step.declared]
            yield _settled(
                step, known if is_first else replace(known, seconds=0.0), made, request, disk, began
            )
    disk.sync()
    cache.trim()


def _known_ones(
    steps: Sequence[Step], cache: Cache, disk: Disk, request: Request
) -> dict[Inputs, Known | tuple[AuthorError, ...]]:
    """The drawings that are there already."""
    found: dict[Inputs, Known | tuple[AuthorError, ...]] = {}
    for step in steps:
        if step.declared not in found:
            try:
                known = _known(step, cache, disk, request)
            except Exception as error:
                found[step.declared] = (
                    held(step.visual.at(), "looking for its drawing in the cache", error),
                )
            else:
                if known is not None:
                    found[step.declared] = known
    return found


def _offers(
    steps: Sequence[Step], known: Mapping[Inputs, object], disk: Disk, options: Options, request: Request, pool: Pool
) -> dict[str, Made | AuthorError]:  # fmt: skip
    """What the scripts offer that are to be run, by their paths; or why that cannot be told."""
    found: dict[str, Made | AuthorError] = {}
    wanted: dict[str, tuple[Raw, FollowUp]] = {}
    for visual in (step.visual for step in steps if step.declared not in known):
        if is_script(visual.source) and visual.source not in wanted:
            try:
                raw = source_of(visual, disk.read)
            except Exception as error:
                found[visual.source] = held(visual.at("source"), "reading its script", error)
            else:
                wanted[visual.source] = raw, reading(visual.source, visual.timeout, options.memory)
    makings = [[making] for _, making in wanted.values()]
    with closing(pool.draw_all([raw for raw, _ in wanted.values()], makings)) as results:
        for source, result in zip(wanted, results, strict=True):
            found[source] = result.made[0] if isinstance(result, Drawn) else result.error
    return found


def _job(
    step: Step, options: Options, offers: Mapping[str, Made | AuthorError]
) -> Job | tuple[AuthorError, ...]:
    """The drawing to make, or what is wrong with it beforehand."""
    offered = offers.get(step.visual.source)
    if isinstance(offered, AuthorError):
        return (offered,)
    try:
        return job_for(step.visual, options, offered)
    except Exception as error:
        return (held(step.visual.at(), "looking at its parameters", error),)


def _drawn(
    tasks: tuple[Known | Job, ...],
    then: tuple[list[FollowUp], ...],
    disk: Disk,
    options: Options,
    request: Request,
    pool: Pool,
) -> Generator[Result, None, None]:
    """One result a task, in their order, from wherever it is asked to be drawn."""
    jobs = [task if isinstance(task, Job) else task.raw for task in tasks]
    if request.scheduler is None:
        yield from pool.draw_all(jobs, then)
        return
    fonts = tuple(disk.root / name for name in options.fonts)
    with closing(cluster.draw_all(jobs, disk.root, request.scheduler, fonts)) as results:
        for result, makings in zip(results, then, strict=True):
            if isinstance(result, Drawn):
                yield replace(result, made=pool.make(result.raw, makings))
            else:
                yield result


def _still(step: Step, request: Request) -> Outcome:
    """A figure that nothing has changed for; what it was warned of counts as much as on the first day."""
    if request.strict and step.entry is not None and step.entry.warnings:
        return Failed(step, as_errors(step.entry.warnings, STRICT))
    return Fresh(step)


def _known(step: Step, cache: Cache, disk: Disk, request: Request) -> Known | None:
    if request.force or KINDS[step.visual.kind].by_hand:
        return None
    found = cache.find(step.declared, disk.digest)
    return None if found is None else Known(*found)


def _taken(result: Result, task: Known | Job, step: Step, disk: Disk, began: int) -> Known | NotDrawn:
    """A drawing with the digests of what was read; began: when drawing began, in ns.

    What was edited while it was drawn may have been read before or after: such a drawing is published, but not
    kept, and the next build makes it again.
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
        traced |= Inputs.of([("edited while it was drawn", "")])
    return Known(result.raw, traced, result.seconds, is_steady=steady and not KINDS[step.visual.kind].by_hand)


def _traced(names: Sequence[str], disk: Disk, began: int) -> tuple[Inputs, bool]:
    """The digests of files, and whether none of them was edited since `began`, in ns; if one was, that is a row."""
    rows = [(name, disk.digest(name)) for name in names]
    steady = not any(disk.has_changed(name, began) for name in names)
    return Inputs.of(rows if steady else [*rows, ("edited while it was drawn", "")]), steady


def _settled(
    step: Step,
    drawing: Known | NotDrawn,
    made: deque[Made | AuthorError],
    request: Request,
    disk: Disk,
    began: int,
) -> Outcome:
    """made: what settling the drawing has come to, for this figure first."""
    if isinstance(drawing, NotDrawn):
        return Failed(step, (drawing.error,), drawing.seconds)
    settled = made.popleft()
    if isinstance(settled, AuthorError):
        return Failed(step, (settled,), drawing.seconds)
    try:
        found = unpacked(settled, step.visual, drawing.raw.facts)
        traced = drawing.traced
        if isinstance(found, Settled) and found.pictures:
            traced |= _traced(found.pictures, disk, began)[0]
    except Exception as error:
        return Failed(step, (held(step.visual.at(), "taking back what was checked", error),), drawing.seconds)
    if not isinstance(found, Settled):
        return Failed(step, found, drawing.seconds)
    if request.strict and found.warnings:
        return Failed(step, as_errors(found.warnings, STRICT), drawing.seconds)
    return Built(step, found, traced, drawing.seconds, drawing.raw.said)
