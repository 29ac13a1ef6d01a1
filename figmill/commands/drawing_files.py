"""Drawings named on the command line: paths, globs, folders, `-` for standard input, and the sources of figures.

Nothing else is read. A shell may have expanded a glob already, or not, as on Windows and in quotes.
"""

from __future__ import annotations

import glob
import os
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from figmill import config
from figmill.engine.load import look
from figmill.errors import ToolError
from figmill.host import files, trees
from figmill.paths import relative

STDIN = "<stdin>"
SUFFIXES = (".svg", ".svgz")
MOST = 50_000_000  # bytes of a file; the rules for drawings allow less, and say so


def drawings(names: Sequence[str]) -> Iterator[tuple[str, bytes | str]]:
    """Each drawing once: its name as given, with its bytes, or with the reason why it cannot be read.

    Raises ToolError if a glob or a folder has none.
    """
    for name in paths_of(names):
        yield name, read(name)


def paths_of(names: Sequence[str]) -> list[str]:
    """The drawings that paths, globs and folders name, each once. Raises ToolError if a glob or a folder has none."""
    return list(dict.fromkeys(path for given in names for path in _paths(given)))


def of_figures(root: Path, ids: tuple[str, ...], may_be_none: bool = False) -> list[str]:
    """The drawings by hand that the figures with these ids are made from. Raises ToolError if there is none.

    may_be_none: return an empty list instead.
    """
    visuals = [step.visual for step in look(root, config.load(root), ids).requested]
    paths = [
        relative(root / visual.source, Path.cwd())
        for visual in visuals
        if visual.fence is None and visual.source.lower().endswith(SUFFIXES)
    ]
    if not paths and not may_be_none:
        sources = ", ".join(dict.fromkeys(visual.source for visual in visuals)) or "nothing"
        raise ToolError(f"--id {' '.join(ids)}: no drawing (*.svg) is its source; it is made from {sources}")
    return list(dict.fromkeys(paths))


def read(name: str) -> bytes | str:
    """The bytes of a file or of standard input, or the reason why they cannot be read."""
    if name == STDIN:
        data = sys.stdin.buffer.read(MOST + 1)
        return data if len(data) <= MOST else files.too_large(len(data), MOST)
    try:
        return files.read(name, MOST)
    except OSError as error:
        return f"it cannot be read: {error.strerror or error}"


def _paths(given: str) -> Iterator[str]:
    if given == "-":
        yield STDIN
    elif os.path.isdir(given):
        paths = sorted(_in_folder(given))
        if not paths:
            raise ToolError(f"{given}: no drawing (*.svg) is in this folder")
        yield from paths
    elif not os.path.lexists(given) and glob.has_magic(given):
        paths = sorted(glob.glob(given, recursive=True))
        if not paths:
            raise ToolError(f"{given}: no file matches")
        for path in paths:
            yield from _paths(path) if not os.path.isdir(path) else _in_folder(path)
    else:
        yield given


def _in_folder(folder: str) -> Iterator[str]:
    """The drawings in a folder and its subfolders, without hidden ones. Raises ToolError if a folder cannot be read."""
    try:
        for inside, entries in trees.walk(folder, ["."]):
            for entry in entries:
                if trees.is_seen(entry.name) and entry.name.lower().endswith(SUFFIXES):
                    yield os.path.normpath(os.path.join(folder, inside, entry.name))
    except OSError as error:
        raise ToolError(f"{error.filename or folder}: {error.strerror or error}") from None
