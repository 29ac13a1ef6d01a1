"""A kind of figure that a copy of figmill gets: a module that draws, and a class."""

from __future__ import annotations

from pathlib import Path

TOY = '''\
"""Bars as tall as the numbers in a text file."""

from pathlib import Path
from collections.abc import Sequence

from figmill.kind.job import Job, Raw


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
CLASS = '''

class Bars(Kind):
    """Bars."""

    module = "figmill.kinds.bars"
    suffixes = (".bars",)
    beside_product = ".bars"
    counts = ("bars",)


'''
BEFORE = "\n\nOWN: Mapping"
LAST = '"svg": Svg()'  # after which the table has its row


def with_toy_kind(copy: Path) -> None:
    """Add the kind `bars` to a copy of the package."""
    (copy / "kinds" / "bars.py").write_text(TOY)
    table = copy / "kinds" / "own.py"
    text = table.read_text()
    assert text.count(BEFORE) == text.count(LAST) == 1
    table.write_text(text.replace(BEFORE, CLASS + BEFORE.lstrip()).replace(LAST, f'{LAST}, "bars": Bars()'))
