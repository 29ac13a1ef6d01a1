"""The paths of figmill's own package, and the relative path between two places. Standard library only."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from functools import cache
from pathlib import Path, PurePath, PureWindowsPath
from types import MappingProxyType, ModuleType

PACKAGE = Path(__file__).parent
LOOK = PACKAGE / "publish" / "files" / "look.css"  # of the gallery, the page of changes and the live pages
FONTS = PACKAGE / "fonts"  # made when the package is built; see hatch_build.py

# The libraries for scripts, and the kinds of figure: distributions of their own, released together with figmill.
LIBRARIES = ("figmill_timelines", "figmill_structure")
KINDS = "figmill_kinds"
DISTRIBUTIONS = frozenset(name.replace("_", "-") for name in (*LIBRARIES, KINDS))


@cache
def code_folders() -> Mapping[str, Path]:
    """Where figmill's code is: under "" the package, under its own name the package of kinds, and the libraries for
    scripts as `timelines` and `structure`.
    """
    from importlib.util import find_spec  # slow, and an unchanged book needs no library

    folders = {"": PACKAGE}
    for name, module in ((KINDS, KINDS), *((name.removeprefix("figmill_"), name) for name in LIBRARIES)):
        spec = find_spec(module)
        if spec is not None and spec.origin is not None:
            folders[name] = Path(spec.origin).parent
    return MappingProxyType(folders)


def files_below(folder: Path, suffixes: tuple[str, ...] = ("",)) -> list[str]:
    """The paths of all files below a folder with one of these suffixes, in no order; none that Python compiled."""
    paths = []
    for place, folders, names in os.walk(folder):
        if "__pycache__" in folders:
            folders.remove("__pycache__")
        paths += [os.path.join(place, name) for name in names if name.endswith(suffixes)]
    return paths


def this_python() -> str:
    """This Python as an absolute path, which means the same in another folder and in a sandbox.

    A relative folder in PATH leaves `..` in `sys.executable`. The last name stays: an environment's Python is a link.
    """
    folder, name = os.path.split(sys.executable)
    is_plain = os.path.isabs(folder) and os.pardir not in folder.split(os.sep)
    return sys.executable if is_plain else os.path.join(os.path.realpath(folder), name)


def relative(
    path: str | os.PathLike[str], start: str | os.PathLike[str] = ".", system: ModuleType = os.path
) -> str:
    """The path from a folder to a file, with `/` between folders; the absolute path if no such path exists.

    On Windows, none leads from one drive to another. system: `posixpath` or `ntpath`.
    """
    try:
        relative_path = system.relpath(path, start)
    except ValueError:
        relative_path = system.abspath(path)
    return (
        PurePath(relative_path).as_posix() if system is os.path else PureWindowsPath(relative_path).as_posix()
    )
