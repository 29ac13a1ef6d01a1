"""The book of this repository, as one to try things on."""

from __future__ import annotations

import shutil
from pathlib import Path

from helpers.book import REPOSITORY, Space


def written(root: Path) -> Space:
    """The questions and sources, without settings."""
    for name in ("questions", "visuals"):
        shutil.copytree(REPOSITORY / name, root / name, ignore=shutil.ignore_patterns("__pycache__"))
    return Space(root)


def built(root: Path) -> Space:
    """The same, built in both themes. AssertionError if anything fails, or if words do not fit."""
    space = written(root)
    ran = space.run("--quiet")
    assert ran.code == 0, ran.err
    assert "[text-" not in ran.err, ran.err
    return space
