"""A figure and its source -> the job that draws it, or all that is wrong before anything runs.

Pure but for reading the source. What a script offers is read where all bytes of authors are: in a process with limits.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from figmill.config import Options
from figmill.errors import AuthorError
from figmill.host import files
from figmill.kinds import KINDS, signature
from figmill.kinds.job import Job, Raw
from figmill.model import Origin, Visual
from figmill.palette import added_roles
from figmill.render.pool import Made, Making


def source_of(visual: Visual, read: Callable[[str, int], bytes | None]) -> Raw:
    """The bytes of a script, as something is to be made of them. Raises AuthorError where they are gone."""
    data = read(visual.source, files.SOURCE)
    if data is None:
        raise AuthorError(visual.at("source"), f"{visual.source} is gone")
    return Raw(data)


def reading(source: str, timeout: float, memory: int) -> Making:
    """What a script offers, for another process to read; `job_for` takes what it answers."""
    return Making(partial(_offered, source), "read", source, timeout, memory)


def _offered(path: str, raw: Raw) -> Made:
    return signature.offered(path, raw.svg), b""


def job_for(visual: Visual, options: Options, offered: Made | None) -> Job | tuple[AuthorError, ...]:
    """What to run for a figure; parameters are held against draw()'s signature here, not in the script.

    offered: what its script offers; None where it is not drawn by one. Raises AuthorError, and ValueError where
    that is nothing which can be offered.
    """
    entry = "file"
    if offered is not None:
        found = signature.told(offered[0], visual.source)
        wrong = tuple(_problems(visual, found))
        if wrong:
            return wrong
        entry = "script" if found is None else "draw"
    return Job(
        kind=visual.kind,
        source=visual.source,
        entry=entry,
        params=visual.params,
        engine=visual.engine,
        folders=options.visuals,
        inputs=visual.inputs,
        timeout=visual.timeout,
        memory=options.memory,
        roles=added_roles(options.palette) if KINDS[visual.kind].takes_roles else {},
    )


def _problems(visual: Visual, found: signature.Signature | None) -> list[AuthorError]:
    if found is not None:
        return list(signature.problems(found, visual.params, visual.origins, visual.at("params")))
    if not KINDS[visual.kind].whole_scripts:
        return [
            AuthorError(Origin(visual.source), "a script for a graph must define draw(...) that returns it")
        ]
    if visual.params:
        text = f"{visual.source} has no draw() to take params; it is run as a whole script"
        return [AuthorError(visual.at("params"), text)]
    return []
