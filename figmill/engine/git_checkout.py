"""A book as it is at a commit, laid out in a folder aside; the repository and its index are not touched."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from figmill.errors import ToolError
from figmill.host import files
from figmill.render.temp_dirs import Scratch
from figmill.store.links import PRIVATE


@contextmanager
def checked_out(root: Path, ref: str) -> Iterator[Path]:
    """A folder with the book's files at the commit `ref`; gone afterwards."""
    with Scratch() as place:
        top = _git(root, "rev-parse", "--show-toplevel").strip()
        within = _git(root, "rev-parse", "--show-prefix").strip()
        commit = _git(
            root, "rev-parse", "--verify", "--quiet", "--end-of-options", f"{ref}^{{commit}}", ref=ref
        ).strip()
        index = {"GIT_INDEX_FILE": os.path.join(place, "index")}
        _git(Path(top), "read-tree", commit, extra=index)
        # A ledger or a cache that somebody has committed says nothing of the figures aside.
        _git(
            Path(top), "rm", "-r", "-f", "--cached", "--quiet", "--ignore-unmatch", "--", f"{within}{PRIVATE}",
            extra=index,
        )  # fmt: skip
        _git(Path(top), "checkout-index", "--all", f"--prefix={place}/tree/", extra=index)
        try:
            tree = files.own_folder(place, f"tree/{within}")  # a commit before the book began has none
        except NotADirectoryError:
            raise ToolError(f"--against {ref}: the book's folder is no folder at that commit") from None
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
            raise ToolError(
                f"--against {ref}: there is no such commit here; in CI, fetch it first (fetch-depth: 0)"
            )
        raise ToolError.said("--against: git says: ", done.stderr.strip() or done.stdout)
    return done.stdout
