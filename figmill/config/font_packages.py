"""Fonts in installed packages: the name of such a package in `fonts` stands for its font file.

Packages of fonts are wheels with font files and hardly any code. None of it runs.
"""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

SUFFIXES = (".ttf", ".otf", ".ttc")


def file_of(name: str) -> str | None:
    """The path of the upright font in an installed package; None if there is no package of that name."""
    module = name.replace("-", "_")
    if not module.isidentifier():
        return None
    spec = find_spec(module)  # does not import that package
    folders = spec.submodule_search_locations if spec is not None else None
    if not folders:
        return None
    files = sorted(path for path in Path(folders[0]).rglob("*") if path.suffix.lower() in SUFFIXES)
    upright = [path for path in files if "italic" not in path.name.casefold()]
    return str(next(iter([*upright, *files]))) if files else None
