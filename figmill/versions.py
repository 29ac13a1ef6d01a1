"""Versions: the inputs of a product outside the book, namely installed libraries and figmill's own code.

The version of a library is read from the name of its `.dist-info` folder, as the binary distribution format
specifies. importlib.metadata would read inside these folders, and cost a tenth of a second of every build. Standard
library only.
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
def _installed() -> dict[str, tuple[str, str]]:
    """Normalised name of a package -> its version, and the folder it is in. The first on sys.path counts."""
    installed: dict[str, tuple[str, str]] = {}
    for folder in sys.path:
        try:
            names = os.listdir(folder or ".")
        except OSError:
            continue
        for name in names:
            if name.endswith(SUFFIX):
                project, _, version = name.removesuffix(SUFFIX).partition("-")
                installed.setdefault(_normal(project), (version, folder))
    return installed


def _normal(name: str) -> str:
    return name.casefold().replace("-", "_").replace(".", "_")


def version(name: str) -> str:
    """The version of an installed package. Raises PackageNotFoundError, a ModuleNotFoundError."""
    row = _installed().get(_normal(name))
    if row is not None:
        return row[0]
    from importlib import metadata  # slow: only for packages installed in another way

    return metadata.version(name)


def version_if_installed(name: str) -> str:
    """The version of a package that an extra brings; `absent` if it is not installed."""
    try:
        return version(name)
    except ModuleNotFoundError:
        return "absent"


def folder(name: str) -> str:
    """The folder in which a package is installed; its status changes whenever a package is added or removed."""
    row = _installed().get(_normal(name))
    if row is not None:
        return row[1]
    from importlib import metadata  # slow, as above

    return str(metadata.distribution(name).locate_file(""))


# Key -> the modules and packages of figmill that affect its product. A change in one of them changes the key, so
# nobody has to raise a version number. A test compares each row with the imports.
CODE: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "parse": ("book", "checks", "kinds", "model", "palette", "store.checked", "store.parse_cache"),
        "draw": ("font_metrics", "kinds", "model", "palette"),
        "draw by script": ("enclosure", "font_metrics", "kinds", "model", "palette", "render", "timelines", "units"),
        "settle": ("checks", "font_metrics", "kinds.answer", "kinds.job", "model", "palette", "publish.expectations",
                   "publish.finalise", "publish.placeholders", "publish.same_units", "svg", "units"),
        "export": ("checks", "font_metrics", "kinds.typefaces", "model", "palette", "publish.exporter", "svg"),
        "compare": ("checks", "compare.drawing", "compare.pictures", "compare.pixels", "font_metrics",
                    "kinds.typefaces", "palette", "svg"),
        "cluster": ("cluster", "enclosure", "errors", "font_metrics", "host", "kinds", "model", "palette", "paths",
                    "render", "timelines", "units", "versions"),
    }
)  # fmt: skip


@cache
def code(key: str, package: Path = PACKAGE) -> str:
    """SHA-256 over the names and bytes of all modules that affect the product of this key."""
    digest = hashlib.sha256()
    for part in CODE[key]:
        place = package.joinpath(*part.split("."))
        for path in sorted(place.rglob("*.py")) if place.is_dir() else [place.with_suffix(".py")]:
            digest.update(f"{path.relative_to(package).as_posix()}\0".encode() + path.read_bytes() + b"\0")
    return digest.hexdigest()
