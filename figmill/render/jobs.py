"""A figure and its source -> the job that draws it, or the errors that are known before anything runs.

Pure but for reading the source. The signature of a script is read in a process with limits, like all bytes of authors.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from figmill.config import Options
from figmill.errors import AuthorError
from figmill.host import files
from figmill.kind.definition import EARLY, Taken
from figmill.kind.job import Job, Raw
from figmill.kinds import KINDS
from figmill.kinds.scripts import signature
from figmill.model import Origin, Visual
from figmill.palette import added_roles
from figmill.render.results import FollowUp, FollowUpAnswer


def source_of(visual: Visual, read: Callable[[str, int], bytes | None]) -> Raw:
    """The bytes of a script, as input of a follow-up. Raises AuthorError if the file is gone."""
    data = read(visual.source, files.SOURCE)
    if data is None:
        raise AuthorError(visual.at("source"), f"{visual.source} is gone")
    return Raw(data)


def reading(source: str, timeout: float, memory: int) -> FollowUp:
    """The follow-up that reads the signature of a script; `job_for` takes its answer."""
    return FollowUp(partial(_offered, source), "read", source, timeout, memory)


def _offered(path: str, raw: Raw) -> FollowUpAnswer:
    return signature.offered(path, raw.svg), b""


def job_for(
    visual: Visual, options: Options, offered: FollowUpAnswer | None
) -> Job | tuple[AuthorError, ...]:
    """The job of a figure, or what is wrong with its parameters: they are checked before the script runs.

    offered: the answer of `reading`; None if no script draws the figure. Raises AuthorError, and ValueError if
    `offered` is not an answer of `reading`.
    """
    kind = KINDS[visual.kind]
    entry = "alone" if kind.process.starts_programs else "file"
    if offered is not None:
        draw = signature.decoded(offered[0], visual.source)
        wrong = tuple(_problems(visual, draw))
        if wrong:
            return wrong
        entry = "script" if draw is None else "draw"
    return Job(
        kind=visual.kind,
        source=visual.drawn_from,
        entry=entry,
        params=visual.params,
        engine=visual.engine,
        folders=options.visuals,
        inputs=visual.inputs,
        timeout=visual.timeout,
        memory=options.memory,
        rasterise=options.rasterise,
        megapixels=options.limits.megapixels,
        cycle=options.cycle,
        figure=visual.figure,
        roles=added_roles(options.palette) if Taken.ROLES in kind.takes else {},
        wording=visual.translation.wording if visual.translation and kind.translates in EARLY else {},
        settings=options.of_kind(visual.kind),
        text=None if visual.fence is None else visual.fence.text,
    )


def _problems(visual: Visual, draw: signature.Signature | None) -> list[AuthorError]:
    if draw is not None and visual.figure:
        text = (
            f"draw() of {visual.source} returns one figure; leave `figure` out, and give draw() a parameter"
        )
        return [AuthorError(visual.at("figure"), text)]
    if draw is not None:
        return list(signature.problems(draw, visual.params, visual.origins, visual.at("params")))
    if not KINDS[visual.kind].scripts.run_whole:
        return [
            AuthorError(Origin(visual.source), "a script for a graph must define draw(...) that returns it")
        ]
    if visual.explore:
        text = f"{visual.source} has no draw() to explore, because it is run as a whole script; leave explore out"
        return [AuthorError(visual.at("explore"), text)]
    if visual.params:
        text = f"{visual.source} has no draw() to take params, because it is run as a whole script"
        return [AuthorError(visual.at("params"), text)]
    return []
