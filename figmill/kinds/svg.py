"""The kind svg: a hand drawing, whose source is the drawing. It is checked and settled like any other."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from figmill.kinds.job import Job, Raw, source


def warm(fonts: Sequence[str]) -> None:
    """Nothing to load."""


def render(job: Job, root: Path) -> Raw:
    """The source itself."""
    return Raw(source(job, root))
