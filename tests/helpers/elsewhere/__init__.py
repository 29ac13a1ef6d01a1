"""The command on a machine of another system, as far as this one can pretend: see sitecustomize.py beside this file."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

HERE = Path(__file__).parent
SYSTEMS = ("win32", "darwin")


def on(system: str, temporary: Path) -> Mapping[str, str]:
    """The variables that put the command there. temporary: a folder of its own, which builds of Linux do not sweep."""
    temporary.mkdir(exist_ok=True)
    return {"FIGMILL_PRETENDS": system, "PYTHONPATH": str(HERE), "TMPDIR": str(temporary)}
