"""Steps -> outcomes: look a drawing up, or have it drawn, and settle it.

Unaware of the ledger and of what is done with an outcome. Keeps new drawings in the cache where it may write.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Generator, Iterator
from contextlib import closing
from dataclasses import dataclass, replace
from threading import Thread
from typing import Any, TypeAlias

from figmill import pool
from figmill.cache import Cache
from figmill.config import Options
from figmill.disk import PRIVATE, Disk
from figmill.errors import AuthorError
from figmill.jobs import job_for
from figmill.kinds.job import Job, Raw
from figmill.ledger import key
from figmill.model import Form, Inputs
from figmill.plan import Step
from figmill.pool import Crew
from figmill.seal import seal_of
from figmill.settle import Settled, as_errors, settle, settling, warm
from figmill.wire import Shared

STRICT = "a warning, with --strict"


@dataclass(frozen=True, slots=True)
class Request:
    """What a build is asked to do."""

    ids: tuple[str, ...] = ()
    write: bool = True
    check: bool = False
    against: str | None = None
    force: bool = False
    jobs: int = 1
    strict: bool = False
    every: bool = False  # do the checks of `lint` as well
    scheduler: str | None = None  # of a Dask cluster that draws; None: this machine does
    forms: tuple[Form, ...] = ()  # that are wanted beside the SVGs


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
    steps: tuple[Step, ...], disk: Disk, options: Options, request: Request, crew: Crew
) -> Iterator[Outcome]:
    """One outcome a step, in their order. Figures with equal inputs are drawn once."""
    cache = Cache(disk.root / (options.cache or f"{PRIVATE}/cache"), seal_of(options))
    refused: dict[str, tuple[AuthorError, ...]] = {}
    tasks: dict[Inputs, Known | Job] = {}
    then: list[Callable[[Raw], object]] = []
    shared = Shared(options)
    for step in steps:
        if step.reasons and step.declared not in tasks:
            found = _known(step, cache, disk, request) or job_for(step.visual, disk.read, options)
            if isinstance(found, tuple):
                refused[key(step.visual)] = found
            else:
                tasks[step.declared] = found
                then.append(settling(step.visual, shared, request.every))
    began = time.time_ns()
    if tasks and not crew.makes(len(tasks), request.jobs):  # settling is done here, then
        Thread(target=warm, daemon=True).start()
    done: dict[Inputs, Known | pool.NotDrawn] = {}
    with closing(_drawn(tuple(tasks.values()), then, disk, options, request, crew)) as results:
        for step in steps:
            if not step.reasons:
                yield _still(step, request)
            elif key(step.visual) in refused:
                yield Failed(step, refused[key(step.visual)])
            elif step.declared in done:  # another figure has needed this drawing
                yield _settled(step, replace(done[step.declared], seconds=0.0), options, request)
            else:
                task, result = tasks[step.declared], next(results)
                known = _taken(result, step, disk, began) if isinstance(task, Job) else task
                if request.write and isinstance(known, Known) and known.is_steady:
                    disk.later(cache.put, step.declared, known.traced, known.raw)
                done[step.declared] = known
                made = result.made if isinstance(result, pool.Drawn) else None
                yield _settled(step, known, options, request, made)
    disk.sync()
    cache.trim()


def _drawn(
    tasks: tuple[Known | Job, ...],
    then: list[Callable[[Raw], object]],
    disk: Disk,
    options: Options,
    request: Request,
    crew: Crew,
) -> Generator[pool.Result, None, None]:
    """One result a task, in their order, from wherever it is asked to be drawn."""
    jobs = [task if isinstance(task, Job) else task.raw for task in tasks]
    if request.scheduler is None:
        yield from crew.draw_all(jobs, request.jobs, then)
        return
    from figmill import cluster  # its library is an extra

    fonts = tuple(disk.root / name for name in options.fonts)
    yield from cluster.draw_all(jobs, disk.root, request.scheduler, fonts)


def _still(step: Step, request: Request) -> Outcome:
    """A figure that nothing has changed for; what it was warned of counts as much as on the first day."""
    if request.strict and step.entry is not None and step.entry.warnings:
        return Failed(step, as_errors(step.entry.warnings, STRICT))
    return Fresh(step)


def _known(step: Step, cache: Cache, disk: Disk, request: Request) -> Known | None:
    if request.force or step.visual.kind == "svg":
        return None
    found = cache.find(step.declared, disk.digest)
    return None if found is None else Known(*found)


def _taken(result: pool.Result, step: Step, disk: Disk, began: int) -> Known | pool.NotDrawn:
    """A fresh drawing with the digests of what was read; began: when drawing began, in ns.

    What was edited while it was drawn may have been read before or after: such a drawing is published, but not
    kept, and the next build makes it again.
    """
    if isinstance(result, pool.NotDrawn):
        return result
    names = result.raw.traced
    traced = Inputs.of((name, disk.digest(name)) for name in names)
    files = (step.visual.source, *step.visual.inputs, *names)
    steady = not any(disk.has_changed(name, began) for name in files)
    if not steady:
        traced |= Inputs.of([("edited while it was drawn", "")])
    return Known(result.raw, traced, result.seconds, is_steady=steady and step.visual.kind != "svg")


def _settled(
    step: Step, drawing: Known | pool.NotDrawn, options: Options, request: Request, made: Any = None
) -> Outcome:
    """made: what settle has made of it already, in another process."""
    if isinstance(drawing, pool.NotDrawn):
        return Failed(step, (drawing.error,), drawing.seconds)
    settled = made or settle(step.visual, drawing.raw, options, request.every)
    if not isinstance(settled, Settled):
        return Failed(step, settled, drawing.seconds)
    if request.strict and settled.warnings:
        return Failed(step, as_errors(settled.warnings, STRICT), drawing.seconds)
    return Built(step, settled, drawing.traced, drawing.seconds, drawing.raw.said)
