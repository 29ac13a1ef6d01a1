"""The paths of figmill's own package, and the relative path between two places. Standard library only."""

from __future__ import annotations

import os
from pathlib import Path, PurePath, PureWindowsPath
from types import ModuleType

PACKAGE = Path(__file__).parent
FONTS = PACKAGE / "fonts"  # made when the package is built; see hatch_build.py

# The libraries for scripts: packages of figmill that only scripts import.
LIBRARIES = ("figmill.timelines", "figmill.structure")


def relative(
    path: str | os.PathLike[str], start: str | os.PathLike[str] = ".", system: ModuleType = os.path
) -> str:
    """The path from a folder to a file, with `/` between folders; the absolute path if no such path exists.

    On Windows, none leads from one drive to another. system: `posixpath` or `ntpath`.
    """
    try:
        found = system.relpath(path, start)
    except ValueError:
        found = system.abspath(path)
    return PurePath(found).as_posix() if system is os.path else PureWindowsPath(found).as_posix()
