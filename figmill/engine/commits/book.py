"""The book at a commit: its figures from an earlier comparison, or else drawn from a checkout as any book is."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from figmill import config
from figmill.compare.books import PublishedBook, name_in
from figmill.config import Options
from figmill.engine.commits import kept
from figmill.engine.commits.checkout import checked_out, commit_of
from figmill.engine.commits.kept import DrawnTree
from figmill.engine.dry_run import DryRun, drawn
from figmill.engine.load import look
from figmill.engine.processes import pool_of
from figmill.engine.request import Request
from figmill.errors import ToolError
from figmill.host import files
from figmill.kinds import KINDS
from figmill.report.model import Row
from figmill.store.links import PRIVATE


def book_at(root: Path, now: Options, request: Request, ref: str) -> PublishedBook:
    """The book at a commit. If every figure is requested, its drawings are saved, so that none is drawn twice.

    now: the present settings, whose limits also apply to the commit's scripts.
    """
    commit = commit_of(root, ref)
    trees = kept.DrawnTrees(root, commit)
    if not request.force and (tree := trees.of_tree()) is not None:
        return _published(tree)
    with checked_out(commit) as aside:
        _bring_tools(root, aside)
        cache = now.cache_store or str(root / (now.cache or f"{PRIVATE}/cache"))
        then = config.held_by(config.load(aside, is_new=True, environ={}), replace(now, cache=cache))
        if not request.force and (latest := trees.latest()) is not None:
            kept.lay_out(latest, aside)
        tree, failing = _split(_drawn(aside, then, request, ref))
        if not request.ids and not failing and kept.is_whole(tree, then):
            trees.put(tree)
        return _published(tree, failing)


def _drawn(aside: Path, then: Options, request: Request, ref: str) -> DryRun:
    """The book of a checkout, drawn in memory."""
    lenient = replace(request, strict=False)
    try:
        # The ids may not exist at that commit.
        state = look(aside, then, replace(lenient, ids=()))
    except ToolError as error:
        raise ToolError(f"commit {ref}: {error}") from None
    with pool_of(aside, state.options, request.jobs) as pool:
        return drawn(state, lenient, pool)


def _bring_tools(root: Path, aside: Path) -> None:
    """Copy files that kinds need and that no commit holds, such as those of an npm package, unless it holds them.

    A link would not do: the sandbox shows a drawing only the files of its own tree.
    """
    for name in {name for kind in KINDS.values() for name in kind.needs.files}:
        if (root / name).is_file() and not (aside / name).exists():
            (aside / name).parent.mkdir(parents=True, exist_ok=True)
            files.create(str(aside / name), files.read(root / name, files.SOURCE))


def _split(dry: DryRun) -> tuple[DrawnTree, tuple[Row, ...]]:
    """The figures of a book that could be drawn, and the rows of those that could not."""
    drawn = {name_in(row): row for row in dry.report.rows if row.now is not None}
    changes = (change for row in drawn.values() for change in row.changes)
    svgs = {change.target: change.after for change in changes if change.after is not None}
    failing = tuple(row for row in dry.report.rows if row.errors)
    return DrawnTree({name: dry.entries[name] for name in drawn}, svgs), failing


def published_of(dry: DryRun) -> PublishedBook:
    """The book of a dry run, with the rows of its report."""
    tree, _ = _split(dry)
    rows = (
        row for row in dry.report.rows if row.errors or row.now is not None
    )  # the manifest has a row, too
    return _published(tree, tuple(rows))


def _published(tree: DrawnTree, rows: tuple[Row, ...] = ()) -> PublishedBook:
    figures = {name: entry.published for name, entry in tree.entries.items()}
    svgs = {
        name: {file.path: tree.svgs[file.path] for file in figure.all_files if file.path in tree.svgs}
        for name, figure in figures.items()
    }
    inputs = {name: entry.declared | entry.traced | entry.settling for name, entry in tree.entries.items()}
    return PublishedBook(figures, svgs, inputs, rows)
