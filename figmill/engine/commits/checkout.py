"""A book as it is at a commit, laid out in a folder aside; the repository and its index are not touched."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from figmill.errors import ToolError
from figmill.host import files
from figmill.render.temp_dirs import Scratch
from figmill.store.links import PRIVATE


@dataclass(frozen=True, slots=True)
class Commit:
    """What a name in git stands for. tree: the id of all its files; within: the book's folder below `top`.

    store: where git keeps what belongs to this repository on this machine, and never to a commit.
    """

    ref: str
    tree: str
    top: str
    within: str
    store: str


def commit_of(root: Path, ref: str) -> Commit:
    """The commit of this name. Raises ToolError where there is none, or no git."""
    words = ("rev-parse", "--show-toplevel", "--show-prefix", "--git-common-dir")
    top, within, store = _git(root, *words).split("\n")[:3]
    asked = ("rev-parse", "--verify", "--quiet", "--end-of-options")
    tree = _git(root, *asked, f"{ref}^{{tree}}", ref=ref).strip()
    return Commit(ref, tree, top, within, os.path.join(root, store))


@contextmanager
def checked_out(commit: Commit) -> Iterator[Path]:
    """A folder with the book's files at a commit; gone afterwards."""
    with Scratch() as place:
        top, within = Path(commit.top), commit.within
        index = {"GIT_INDEX_FILE": os.path.join(place, "index")}
        _git(top, "read-tree", commit.tree, extra=index)
        # A ledger or a cache that somebody has committed says nothing of the figures aside.
        _git(
            top, "rm", "-r", "-f", "--cached", "--quiet", "--ignore-unmatch", "--", f"{within}{PRIVATE}",
            extra=index,
        )  # fmt: skip
        _git(top, "checkout-index", "--all", f"--prefix={place}/tree/", extra=index)
        try:
            tree = files.own_folder(place, f"tree/{within}")  # a commit before the book began has none
        except NotADirectoryError:
            raise ToolError(
                f"--against {commit.ref}: the book's folder is no folder at that commit"
            ) from None
        yield Path(tree)


def _git(folder: Path, *words: str, extra: dict[str, str] | None = None, ref: str = "") -> str:
    try:
        done = subprocess.run(
            ["git", *words], cwd=folder, env={**os.environ, **(extra or {})},
            capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL,
        )  # fmt: skip
    except FileNotFoundError:
        raise ToolError("--against needs git, which is not installed") from None
    if done.returncode != 0:
        if ref:
            why = "this clone is shallow" if _is_shallow(folder) else "in CI, fetch it first"
            raise ToolError(f"--against {ref}: there is no such commit here; {why} (fetch-depth: 0)")
        raise ToolError.said("--against: git says: ", done.stderr.strip() or done.stdout)
    return done.stdout


def _is_shallow(folder: Path) -> bool:
    return _git(folder, "rev-parse", "--is-shallow-repository").strip() == "true"
