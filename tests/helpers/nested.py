"""Folders in folders, deeper than a path may be long."""

from __future__ import annotations

import os
from pathlib import Path

RECURSION = 1100  # levels at which Python's own functions for trees fail

SCRIPT = """\
import os


def draw() -> str:
    here = os.getcwd()
    for _ in range(1100):
        os.mkdir("d")
        os.chdir("d")
    os.chmod(".", 0)
    os.chdir(here)
    return "graph { deep }"
"""


def nested(top: Path, levels: int, name: str = "d") -> None:
    """Make `top` with so many folders in each other, the last with a file."""
    top.mkdir(parents=True, exist_ok=True)
    here = os.open(top, os.O_RDONLY)
    for _ in range(levels):
        os.mkdir(name, dir_fd=here)
        below = os.open(name, os.O_RDONLY, dir_fd=here)
        os.close(here)
        here = below
    os.close(os.open("file", os.O_CREAT | os.O_WRONLY, dir_fd=here))
    os.close(here)
