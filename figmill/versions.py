"""Which libraries are installed, and in which versions. Standard library only.

Read from the names of their `.dist-info` folders, which state both (the binary distribution format's
specification); importlib.metadata reads what is inside them, and would take a tenth of a second of every build.
"""

from __future__ import annotations

import os
import sys
from functools import cache

SUFFIX = ".dist-info"


@cache
def _found() -> dict[str, tuple[str, str]]:
    """By normalised name: the version, and the folder of packages; the first on the path counts."""
    found: dict[str, tuple[str, str]] = {}
    for folder in sys.path:
        try:
            names = os.listdir(folder or ".")
        except OSError:
            continue
        for name in names:
            if name.endswith(SUFFIX):
                project, _, version = name.removesuffix(SUFFIX).partition("-")
                found.setdefault(_normal(project), (version, folder))
    return found


def _normal(name: str) -> str:
    return name.casefold().replace("-", "_").replace(".", "_")


def version(name: str) -> str:
    """The version of an installed package. Raises PackageNotFoundError, a ModuleNotFoundError."""
    found = _found().get(_normal(name))
    if found is not None:
        return found[0]
    from importlib import metadata  # installed in another way, as some distributions do

    return metadata.version(name)


def folder(name: str) -> str:
    """The folder that the package is installed in; it changes whenever a package comes or goes."""
    found = _found().get(_normal(name))
    if found is not None:
        return found[1]
    from importlib import metadata

    return str(metadata.distribution(name).locate_file(""))
