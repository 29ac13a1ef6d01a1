"""The book of this repository, as one to try things on."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable
from pathlib import Path

from helpers.book import REPOSITORY, Space

# Of a parameter that readers explore, the first two values (one of them is the question's own), and the others.
VALUES = re.compile(r"^(    \w+: \[[^],]+, [^],]+)[^]]*\]$", re.MULTILINE)


def written(root: Path) -> Space:
    """The questions and sources, without settings."""
    for name in ("questions", "visuals"):
        shutil.copytree(REPOSITORY / name, root / name, ignore=shutil.ignore_patterns("__pycache__"))
    return Space(root)


def with_two_values(root: Path) -> Space:
    """The same, in which readers explore two values of each parameter: much less is drawn."""
    space = written(root)
    for path in (root / "questions").rglob("*.yaml"):
        head, explore, rest = path.read_text(encoding="utf-8").partition("\n  explore:\n")
        path.write_text(head + explore + VALUES.sub(r"\1]", rest), encoding="utf-8")
    return space


def built(root: Path, write: Callable[[Path], Space] = written) -> Space:
    """One of them, built in both themes. AssertionError if anything fails, or if words do not fit."""
    space = write(root)
    ran = space.run("--quiet")
    assert ran.code == 0, ran.err
    assert "[text-" not in ran.err, ran.err
    return space
