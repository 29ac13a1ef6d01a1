"""Bars as tall as the numbers in a text file."""

from collections.abc import Sequence
from pathlib import Path

from figmill.kind import AuthorError, Job, Origin, Raw, source


def warm(fonts: Sequence[str]) -> None:
    """Do nothing: there is nothing to load."""


def render(job: Job, root: Path) -> Raw:
    """One bar a line."""
    lines = source(job, root).decode("utf-8", "replace").splitlines()
    for number, line in enumerate(lines, 1):
        if not line.isdecimal() or int(line) > 100:
            raise AuthorError(
                Origin(job.source, number), f"'{line}' is not a height; write one from 0 to 100"
            )
    bars = "".join(
        f'<rect x="{20 * n}" y="{100 - int(line)}" width="15" height="{line}" fill="#cfe2f3" stroke="#4a90c4"/>'
        for n, line in enumerate(lines)
    )
    svg = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {20 * len(lines)} 100">{bars}</svg>'
    return Raw(svg.encode(), {"bars": len(lines)})
