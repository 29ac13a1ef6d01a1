"""The book at a commit: its figures from an earlier comparison, or else drawn from a checkout as any book is.

Unaware of how a book is drawn: the caller passes the function.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TypeAlias

from figmill import config
from figmill.compare.books import PublishedBook
from figmill.config import Options
from figmill.engine.commits import kept
from figmill.engine.commits.checkout import checked_out, commit_of
from figmill.engine.commits.kept import DrawnTree
from figmill.engine.in_memory import DrawnBook
from figmill.host import files
from figmill.kinds import KINDS
from figmill.store.links import PRIVATE

Draw: TypeAlias = Callable[
    [Path, Options], DrawnBook
]  # arguments: the root of the checkout, and its settings


def book_at(
    root: Path, now: Options, ref: str, draw: Draw, *, force: bool = False, is_whole: bool = True
) -> PublishedBook:
    """The book at a commit. If every figure is drawn, its drawings are saved, so that none is drawn twice.

    now: the present settings, whose limits also apply to the commit's scripts. force: draw again what was saved.
    is_whole: whether `draw` draws every figure.
    """
    commit = commit_of(root, ref)
    trees = kept.DrawnTrees(root, commit)
    if not force and (tree := trees.of_tree()) is not None:
        return PublishedBook.of_entries(tree.entries, tree.svgs)
    with checked_out(commit) as aside:
        _bring_tools(root, aside)
        cache = now.cache_store or str(root / (now.cache or f"{PRIVATE}/cache"))
        then = config.held_by(config.load(aside, is_new=True, environ={}), replace(now, cache=cache))
        if not force and (latest := trees.latest()) is not None:
            kept.lay_out(latest, aside)
        book = draw(aside, then)
    tree = DrawnTree(book.entries, book.files)
    failing = tuple(row for row in book.report.rows if row.errors)
    if is_whole and not failing and kept.is_whole(tree, then):
        trees.put(tree)
    return PublishedBook.of_entries(tree.entries, tree.svgs, failing)


def _bring_tools(root: Path, aside: Path) -> None:
    """Copy files that kinds need and that no commit holds, such as those of an npm package, unless it holds them.

    A link would not do: the sandbox shows a drawing only the files of its own tree.
    """
    for name in {name for kind in KINDS.values() for name in kind.needs.files}:
        if (root / name).is_file() and not (aside / name).exists():
            (aside / name).parent.mkdir(parents=True, exist_ok=True)
            files.create(str(aside / name), files.read(root / name, files.SOURCE))
