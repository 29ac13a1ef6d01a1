"""A book at an earlier commit: drawn in a folder of its own, or taken from an earlier comparison."""

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
from figmill.engine.outputs import entry_of, outputs, paths
from figmill.engine.processes import pool_of
from figmill.engine.request import Request
from figmill.engine.state import BookState
from figmill.engine.update import requested_outcomes
from figmill.errors import AuthorError, ToolError
from figmill.host import files
from figmill.kinds import KINDS
from figmill.model import Inputs, Published
from figmill.store.disk import Disk
from figmill.store.ledger import Entry, key
from figmill.store.links import PRIVATE


@dataclass(frozen=True, slots=True)
class Before:
    """Its outputs by path, and by figure: the inputs, the published form, and the errors if it could not be built."""

    files: Mapping[str, bytes]
    inputs: Mapping[str, Inputs]
    published: Mapping[str, Published]
    failures: Mapping[str, tuple[AuthorError, ...]]


def at_commit(root: Path, now: Options, request: Request) -> Before:
    """The book at a commit.

    Its drawings are saved, so that no figure is drawn twice. now: the present settings, whose limits also apply to the
    commit's scripts.
    """
    commit = commit_of(root, request.against or "")
    trees = kept.DrawnTrees(root, commit)
    if not request.force and (tree := trees.of_tree()) is not None:
        return _before(tree, {})
    with checked_out(commit) as aside:
        _bring_tools(root, aside)
        cache = now.cache_store or str(root / (now.cache or f"{PRIVATE}/cache"))
        then = config.held_by(config.load(aside, is_new=True, environ={}), replace(now, cache=cache))
        latest = None if request.force else trees.latest()
        if latest is not None:
            kept.lay_out(latest, aside)
        # The ids may not exist at that commit. A fresh figure is one that figmill drew: no output was checked out.
        try:
            state = look(aside, then, replace(request, ids=(), force=latest is None))
        except ToolError as error:
            raise ToolError(f"--against {commit.ref}: {error}") from None
        tree, failures = _drawn(state, replace(request, strict=False, force=False))
        if not failures and not request.ids and kept.is_whole(tree, then):
            trees.put(tree)
        return _before(tree, failures)


def _bring_tools(root: Path, aside: Path) -> None:
    """Copy files that kinds need and that no commit holds, such as those of an npm package, unless it holds them.

    A link would not do: the sandbox shows a drawing only the files of its own tree.
    """
    for name in {name for kind in KINDS.values() for name in kind.needs.files}:
        if (root / name).is_file() and not (aside / name).exists():
            (aside / name).parent.mkdir(parents=True, exist_ok=True)
            files.create(str(aside / name), files.read(root / name, files.SOURCE))


def _drawn(state: BookState, request: Request) -> tuple[kept.DrawnTree, dict[str, tuple[AuthorError, ...]]]:
    """Each figure of the book, and the errors of those that failed."""
    entries: dict[str, Entry] = {}
    svgs: dict[str, bytes] = {}
    failures: dict[str, tuple[AuthorError, ...]] = {
        failure_key(problem): (problem.error,) for problem in state.book.problems
    }
    with pool_of(state.disk.root, state.options, request.jobs) as pool:
        for outcome in requested_outcomes(state, request, pool):
            name = key(outcome.step.visual)
            if isinstance(outcome, Failed):
                failures[name] = outcome.errors
            elif isinstance(outcome, Built):
                svgs |= dict(outputs(outcome, state.options))
                entries[name] = entry_of(outcome, state.options)
            elif outcome.step.entry is not None:
                svgs |= lying(outcome, state.disk)
                entries[name] = outcome.step.entry
    return kept.DrawnTree(entries, svgs, bool(state.book.problems)), failures


def failure_key(problem: Problem) -> str:
    """The name of a figure that cannot be read; without an id, the name of its file, which usually is the id."""
    id_ = problem.id or PurePosixPath(problem.error.origin.path).stem
    return id_ if problem.name is None else f"{id_}/{problem.name}"


def files_of(before: Before, side: Published | None) -> dict[str, bytes]:
    """The files of one figure at the commit."""
    paths = (file.path for file in side.all_files) if side else ()
    return {path: before.files[path] for path in paths if path in before.files}


def _before(tree: kept.DrawnTree, failures: Mapping[str, tuple[AuthorError, ...]]) -> Before:
    return Before(
        tree.svgs,
        {name: entry.declared | entry.traced | entry.settling for name, entry in tree.entries.items()},
        {name: entry.published for name, entry in tree.entries.items()},
        failures,
    )


def inputs_of(outcome: Fresh | Built) -> Inputs:
    """All inputs of a figure's published bytes."""
    step = outcome.step
    traced = (
        outcome.traced if isinstance(outcome, Built) else step.entry.traced if step.entry else Inputs.of(())
    )
    return step.drawn_from | traced | step.settling


def lying(outcome: Fresh, disk: Disk) -> dict[str, bytes]:
    """The present file at each output of a fresh figure."""
    return {path: disk.read(path) or b"" for path in sorted(paths(outcome.step.entry))}
