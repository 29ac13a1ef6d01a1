"""A book at an earlier commit: drawn aside, or as it was drawn when it was last asked for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath

from figmill import config
from figmill.book.question import Problem
from figmill.config import Options
from figmill.engine.commits import kept
from figmill.engine.commits.checkout import checked_out, commit_of
from figmill.engine.drawing.outcome import Built, Failed, Fresh
from figmill.engine.load import look
from figmill.engine.processes import pool_of
from figmill.engine.request import Request
from figmill.engine.state import BookState, entry_of, outputs, paths
from figmill.engine.update import asked_outcomes
from figmill.errors import AuthorError, ToolError
from figmill.model import Inputs, Published
from figmill.store.disk import Disk
from figmill.store.ledger import Entry, key
from figmill.store.links import PRIVATE


@dataclass(frozen=True, slots=True)
class Before:
    """Its outputs by path; by figure what they came from, what was published, and why it could not be built."""

    files: Mapping[str, bytes]
    inputs: Mapping[str, Inputs]
    published: Mapping[str, Published]
    failures: Mapping[str, tuple[AuthorError, ...]]


def at_commit(root: Path, now: Options, request: Request) -> Before:
    """The book as it is at a commit. What is drawn of it is kept, so that the same figure is not drawn again.

    now: the settings of today, by which the commit's scripts are held as well.
    """
    commit = commit_of(root, request.against or "")
    trees = kept.KeptTrees(commit)
    if not request.force and (found := trees.of_tree()) is not None:
        return _before(found, {})
    with checked_out(commit) as aside:
        cache = str(root / (now.cache or f"{PRIVATE}/cache"))
        then = config.held_by(config.load(aside, is_new=True, environ={}), replace(now, cache=cache))
        latest = None if request.force else trees.latest()
        if latest is not None:
            kept.lay_out(latest, aside)
        # The ids need not have been there then. What is fresh is so by our own word: none was checked out.
        try:
            state = look(aside, then, replace(request, ids=(), force=latest is None))
        except ToolError as error:
            raise ToolError(f"--against {commit.ref}: {error}") from None
        found, failures = _drawn(state, replace(request, strict=False, force=False))
        if not failures and not request.ids and kept.is_whole(found, then):
            trees.put(found)
        return _before(found, failures)


def _drawn(state: BookState, request: Request) -> tuple[kept.Kept, dict[str, tuple[AuthorError, ...]]]:
    """Each figure of the book, and why the others failed."""
    entries: dict[str, Entry] = {}
    svgs: dict[str, bytes] = {}
    failures: dict[str, tuple[AuthorError, ...]] = {
        failure_key(problem): (problem.error,) for problem in state.book.problems
    }
    with pool_of(state.disk.root, state.options, request.jobs) as pool:
        for outcome in asked_outcomes(state, request, pool):
            name = key(outcome.step.visual)
            if isinstance(outcome, Failed):
                failures[name] = outcome.errors
            elif isinstance(outcome, Built):
                svgs |= dict(outputs(outcome, state.options))
                entries[name] = entry_of(outcome, state.options)
            elif outcome.step.entry is not None:
                svgs |= lying(outcome, state.disk)
                entries[name] = outcome.step.entry
    return kept.Kept(entries, svgs, bool(state.book.problems)), failures


def failure_key(problem: Problem) -> str:
    """The name of the figure that cannot be read; without an id that of its file, which most often is the id."""
    id_ = problem.id or PurePosixPath(problem.error.origin.path).stem
    return id_ if problem.name is None else f"{id_}/{problem.name}"


def files_of(before: Before, side: Published | None) -> dict[str, bytes]:
    """The files of one figure at the commit."""
    paths = (file.path for file in side.all_files) if side else ()
    return {path: before.files[path] for path in paths if path in before.files}


def _before(found: kept.Kept, failures: Mapping[str, tuple[AuthorError, ...]]) -> Before:
    return Before(
        found.svgs,
        {name: entry.declared | entry.traced | entry.settling for name, entry in found.entries.items()},
        {name: entry.published for name, entry in found.entries.items()},
        failures,
    )


def inputs_of(outcome: Fresh | Built) -> Inputs:
    """All that a figure's published bytes depend on."""
    step = outcome.step
    read = (
        outcome.traced if isinstance(outcome, Built) else step.entry.traced if step.entry else Inputs.of(())
    )
    return step.drawn_from | read | step.settling


def lying(outcome: Fresh, disk: Disk) -> dict[str, bytes]:
    """What lies at each output of a figure for which nothing has changed."""
    return {path: disk.read(path) or b"" for path in sorted(paths(outcome.step.entry))}
