"""Hand drawings: the source is already what a renderer would make. It goes through the same rules and passes."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from figmill.kinds.job import Job, Raw, source


def warm(fonts: Sequence[str]) -> None:
    """Nothing to load."""


def render(job: Job, root: Path) -> Raw:
    """The drawing as it stands."""
    return Raw(source(job, root))
