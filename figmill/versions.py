"""What a product depends on beside the book: libraries in their versions, and figmill's own code by its bytes.

Standard library only. Versions are read from the names of `.dist-info` folders, which state both name and version
(the binary distribution format's specification); importlib.metadata reads what is inside them, and would take a tenth
of a second of every build.
"""

from __future__ import annotations

import hashlib
import os
import sys
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from types import MappingProxyType

from figmill.paths import PACKAGE

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


# Key -> the modules and packages of figmill that have a part in its product. A change in one of them makes the
# product anew, and nobody has to remember a version number. A test holds each row against the imports.
CODE: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "parse": ("book", "checks", "kinds", "model", "palette", "store.checked", "store.parse_cache"),
        "draw": ("kinds", "model", "palette"),
        "draw by script": ("enclosure", "kinds", "model", "palette", "render", "timelines"),
        "settle": ("checks", "kinds.answer", "kinds.job", "model", "palette", "publish.finalise", "svg"),
        "export": ("checks", "kinds.typefaces", "palette", "publish.exporter", "svg"),
        "cluster": ("cluster", "enclosure", "errors", "host", "kinds", "model", "palette", "paths", "render",
                    "timelines", "versions"),
    }
)  # fmt: skip


@cache
def code(key: str, package: Path = PACKAGE) -> str:
    """SHA-256 over the names and bytes of all modules that have a part in the product of this key."""
    digest = hashlib.sha256()
    for part in CODE[key]:
        place = package.joinpath(*part.split("."))
        for path in sorted(place.rglob("*.py")) if place.is_dir() else [place.with_suffix(".py")]:
            digest.update(f"{path.relative_to(package).as_posix()}\0".encode() + path.read_bytes() + b"\0")
    return digest.hexdigest()
