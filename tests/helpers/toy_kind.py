"""A kind of figure that a copy of figmill gets: a module and a row, as CONTRIBUTING.md says."""

from __future__ import annotations

from pathlib import Path

TOY = '''\
"""Bars as tall as the numbers in a text file."""

from pathlib import Path
from collections.abc import Sequence

from figmill.kinds.job import Job, Raw


def warm(fonts: Sequence[str]) -> None:
    """Nothing to load."""


def render(job: Job, root: Path) -> Raw:
    """One bar a number."""
    heights = [int(word) for word in (root / job.source).read_text().split()]
    bars = "".join(
        f'<rect x="{20 * n}" y="{100 - h}" width="15" height="{h}" fill="#cfe2f3" stroke="#4a90c4"/>'
        for n, h in enumerate(heights)
    )
    svg = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {20 * len(heights)} 100">{bars}</svg>'
    return Raw(svg.encode(), {"bars": len(heights)})
'''
ROW = '        "bars": Kind("figmill.kinds.bars", suffixes=(".bars",), beside_product=".bars", counts=("bars",)),\n'
LAST = '        "svg": Kind('  # the row that stands last in the table


def with_toy_kind(copy: Path) -> None:
    """Add the kind `bars` to a copy of the package."""
    (copy / "kinds" / "bars.py").write_text(TOY)
    table = copy / "kinds" / "__init__.py"
    assert table.read_text().count(LAST) == 1
    table.write_text(table.read_text().replace(LAST, ROW + LAST))
