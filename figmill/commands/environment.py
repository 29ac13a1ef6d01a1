"""The environment of a command: its book, and the processor's cores."""

from __future__ import annotations

import os
from pathlib import Path

from figmill.config import find_root
from figmill.errors import ToolError


def root_of(given: Path | None) -> Path:
    """The root of the book: the given folder, else the nearest book upwards. Raises ToolError if there is none."""
    if given is not None and not given.is_dir():
        raise ToolError(f"--root {given}: no such folder")
    try:
        return find_root(Path.cwd()) if given is None else given.resolve()
    except FileNotFoundError:
        raise ToolError("the current folder does not exist any more; change to one that does") from None


def cores() -> int:
    """The number of processor cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
