"""A copy of figmill with a fault in it: the real command, with one line more at the end of one module."""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping
from pathlib import Path

import figmill

PACKAGE = Path(figmill.__file__).parent


def planted(place: Path, module: str, code: str) -> Mapping[str, str]:
    """The environment in which the command is that copy. module: a path below the package; code: added to it."""
    copy = place / "planted" / "figmill"
    # With what Python has compiled: files keep their times, so that only the changed module is compiled again.
    shutil.copytree(PACKAGE, copy, ignore=shutil.ignore_patterns("fonts"))
    os.symlink(PACKAGE / "fonts", copy / "fonts")
    with open(copy / module, "a", encoding="utf-8") as file:
        file.write(f"\n\n{code}\n")
    return {"PYTHONPATH": str(copy.parent)}
