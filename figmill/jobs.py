"""A figure and its source -> the job that draws it, or all that is wrong before anything runs.

Pure but for reading the source.
"""

from __future__ import annotations

from collections.abc import Callable

from figmill import files
from figmill.config import Options
from figmill.errors import AuthorError
from figmill.kinds import signature
from figmill.kinds.job import Job
from figmill.model import Origin, Visual
from figmill.palette import added_roles


def job_for(
    visual: Visual, read: Callable[[str, int], bytes | None], options: Options
) -> Job | tuple[AuthorError, ...]:
    """What to run for a figure; parameters are held against draw()'s signature here, not in the script."""
    entry = "file"
    if visual.source.endswith(".py"):
        try:
            data = read(visual.source, files.SOURCE)
            if data is None:
                return (AuthorError(visual.at("source"), f"{visual.source} is gone"),)
            tree = signature.parse(data, visual.source)
        except AuthorError as error:
            return (error,)
        found = signature.signature(tree)
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
        roles=added_roles(options.palette) if visual.kind == "dot" else {},
    )


def _problems(visual: Visual, found: signature.Signature | None) -> list[AuthorError]:
    if found is not None:
        return list(signature.problems(found, visual.params, visual.origins, visual.at("params")))
    if visual.kind == "dot":
        return [
            AuthorError(Origin(visual.source), "a script for a graph must define draw(...) that returns it")
        ]
    if visual.params:
        text = f"{visual.source} has no draw() to take params; it is run as a whole script"
        return [AuthorError(visual.at("params"), text)]
    return []
