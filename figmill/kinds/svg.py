"""The kind svg: a hand-made drawing, which is its own source. figmill gives it the normal form, and checks it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from figmill.kind.job import Job, Raw, source


def warm(fonts: Sequence[str]) -> None:
    """Do nothing: there is nothing to load."""


def render(job: Job, root: Path) -> Raw:
    """The source itself."""
    return Raw(source(job, root))
