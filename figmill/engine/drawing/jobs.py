"""The job that draws a step, or the errors that are known before it starts. Runs and parses no file of an author."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from contextlib import closing

from figmill.config import Options
from figmill.engine.drawing.outcome import Refused
from figmill.engine.plan import Step
from figmill.errors import AuthorError, held
from figmill.kind.job import Job, Raw
from figmill.kinds import is_script
from figmill.model import Inputs
from figmill.render.jobs import job_for, reading, source_of
from figmill.render.pool import Pool
from figmill.render.results import Drawn, FollowUp, FollowUpAnswer
from figmill.store.disk import Disk

# What scripts have offered, by path and digest: moving a control draws the same script again and again.
MOST_ANSWERS = 256
_answers: dict[tuple[str, str], FollowUpAnswer] = {}


def offers_of(
    steps: Sequence[Step],
    drawings: Mapping[Inputs, object],
    disk: Disk,
    options: Options,
    pool: Pool,
) -> dict[str, FollowUpAnswer | AuthorError]:
    """The parameters that these scripts offer, by path, or the error that prevented reading them."""
    offers: dict[str, FollowUpAnswer | AuthorError] = {}
    wanted: dict[str, tuple[Raw, FollowUp]] = {}
    digests: dict[str, str] = {}
    for visual in (step.visual for step in steps if step.declared not in drawings):
        if is_script(visual.source) and visual.source not in wanted and visual.source not in offers:
            try:
                raw = source_of(visual, disk.read)
            except Exception as error:
                offers[visual.source] = held(visual.at("source"), "reading its script", error)
                continue
            digests[visual.source] = digest = hashlib.sha256(raw.svg).hexdigest()
            if (before := _answers.get((visual.source, digest))) is not None:
                offers[visual.source] = before
            else:
                wanted[visual.source] = raw, reading(visual.source, visual.timeout, options.memory)
    if not wanted:
        return offers
    makings = [[making] for _, making in wanted.values()]
    with closing(pool.draw_all([raw for raw, _ in wanted.values()], makings)) as results:
        for source, result in zip(wanted, results, strict=True):
            answer = result.answers[0] if isinstance(result, Drawn) else result.error
            offers[source] = answer
            if not isinstance(answer, AuthorError):
                while len(_answers) >= MOST_ANSWERS:
                    del _answers[next(iter(_answers))]
                _answers[source, digests[source]] = answer
    return offers


def job_of(step: Step, options: Options, offers: Mapping[str, FollowUpAnswer | AuthorError]) -> Job | Refused:
    """The job for a step, or the errors that are known before it starts."""
    offered = offers.get(step.visual.source)
    if isinstance(offered, AuthorError):
        return Refused((offered,), is_lasting=False)
    try:
        job = job_for(step.visual, options, offered)
    except Exception as error:
        wrong = held(step.visual.at(), "looking at its parameters", error)
        return Refused((wrong,), is_lasting=isinstance(error, AuthorError))
    return job if isinstance(job, Job) else Refused(job)
