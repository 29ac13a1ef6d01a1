"""Every module of figmill and of the distributions beside it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from figmill.paths import PACKAGE, code_folders


def modules() -> Mapping[str, Path]:
    """Name -> path: `kinds/dot.py` of figmill itself, `figmill_kinds/d2/renderer.py` of another distribution."""
    shelves = [folder for name, folder in code_folders().items() if name]
    return {
        path.relative_to(base).as_posix(): path
        for folder, base in ((PACKAGE, PACKAGE), *((folder, folder.parent) for folder in shelves))
        for path in sorted(folder.rglob("*.py"))
    }
