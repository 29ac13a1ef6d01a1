"""The address of a file, as a page in some folder writes it. Pure, but for the current folder."""

from __future__ import annotations

import os
from pathlib import PurePath, PureWindowsPath
from types import ModuleType


def way(
    path: str | os.PathLike[str], start: str | os.PathLike[str] = ".", system: ModuleType = os.path
) -> str:
    """The relative path from a folder to a file, with `/` between folders; a `file:` URL if no such path exists.

    On Windows, none leads from one drive to another. system: `posixpath` or `ntpath`.
    """
    try:
        found = system.relpath(path, start)
    except ValueError:
        return PureWindowsPath(system.abspath(path)).as_uri()
    return PurePath(found).as_posix() if system is os.path else PureWindowsPath(found).as_posix()
