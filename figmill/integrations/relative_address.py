"""The address of a file, as a page in some folder writes it. Pure, but for the current folder."""

from __future__ import annotations

import os
from pathlib import PureWindowsPath
from types import ModuleType

from figmill.paths import relative


def way(
    path: str | os.PathLike[str], start: str | os.PathLike[str] = ".", system: ModuleType = os.path
) -> str:
    """The relative path from a folder to a file, with `/` between folders; a `file:` URL if no such path exists.

    On Windows, none leads from one drive to another. Neither is percent-encoded. system: `posixpath` or `ntpath`.
    """
    steps = relative(path, start, system)
    return f"file:///{steps}" if PureWindowsPath(steps).drive else steps
