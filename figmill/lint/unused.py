"""Finds sources that no figure uses."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from pathlib import PurePosixPath

from figmill.engine.book_state import BookState
from figmill.engine.outputs import targets
from figmill.engine.processes import pool_of
from figmill.errors import AuthorError
from figmill.kind.job import Raw
from figmill.kinds import is_script
from figmill.kinds.scripts import signature
from figmill.model import Origin, Warned
from figmill.render.jobs import reading
from figmill.render.results import Drawn

SECONDS = 60.0  # to read one script


def unused_sources(state: BookState, files: Iterable[str], jobs: int) -> Iterator[Warned]:
    """A warning for each source that no figure uses.

    A file counts only if a build would find it by its bare name, and if it cannot be anything else: data, an output,
    or a script run by hand. files: those that figures read; jobs: the number of processes that parse scripts.
    """
    paths = _candidates(state, frozenset(files))
    generators = _generators([path for path in paths if is_script(path)], state, jobs)
    for path in paths:
        if not is_script(path) or path in generators:
            message = "no figure uses this source; remove it, or declare its figure"
            yield Warned(Origin(path), message, "unused-source")


def _candidates(state: BookState, files: frozenset[str]) -> list[str]:
    """The files in the source folders that no figure reads, names or writes."""
    visuals, options = state.book.visuals, state.options
    named = {name for v in visuals for name in (v.source, *v.inputs, v.old_product) if name}
    named |= {translation.source for v in visuals for translation in v.translations if translation.source}
    used = files | named | {path for visual in visuals for path in targets(visual, options)}
    listed = tuple(name for name in used if name.endswith("/"))
    tracks = {visual.track for visual in visuals}
    folders = {place for top in options.visuals for place in (top, *(f"{top}/{track}" for track in tracks))}
    folders |= {str(PurePosixPath(visual.source).parent) for visual in visuals}
    return [
        path
        for path in state.disk.files(options.visuals, (".dot", ".gv", ".svg", ".py"))
        if str(PurePosixPath(path).parent) in folders
        and not (path in used or path.startswith(listed) or (path.endswith(".svg") and options.in_place))
    ]


def _generators(paths: Sequence[str], state: BookState, jobs: int) -> set[str]:
    """The scripts among these that have a top-level draw()."""
    raws = [Raw(state.disk.read(path) or b"") for path in paths]
    readings = [[reading(path, SECONDS, state.options.memory)] for path in paths]
    generators: set[str] = set()
    with pool_of(state.disk.root, state.options, jobs) as pool:
        for path, result in zip(paths, pool.draw_all(raws, readings), strict=True):
            answer = result.answers[0] if isinstance(result, Drawn) else None
            with suppress(AuthorError, ValueError):
                if isinstance(answer, tuple) and signature.decoded(answer[0], path) is not None:
                    generators.add(path)
    return generators
