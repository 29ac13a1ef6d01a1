"""The table of kinds is the truth: a kind is a module and a row, and nothing else knows one by its name."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

from helpers.book import HAND, Space

from figmill.kinds import KINDS
from figmill.paths import PACKAGE

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
ROW = '        "bars": Kind("figmill.kinds.bars", suffixes=(".bars",), beside_product=".bars"),\n'


def test_a_kind_is_a_module_and_a_row(tmp_path: Path, space: Space) -> None:
    copy = tmp_path / "library" / "figmill"
    shutil.copytree(PACKAGE, copy, ignore=shutil.ignore_patterns("__pycache__"))
    (copy / "kinds" / "bars.py").write_text(TOY)
    table = copy / "kinds" / "__init__.py"
    last = '        "svg": Kind('
    assert table.read_text().count(last) == 1
    table.write_text(table.read_text().replace(last, ROW + last))
    space.question("one", "source: one.bars, alt: Three bars of rising height, expect: {facts: {bars: 3}}")
    space.question("two", "kind: svg, path: two.svg, alt: Two bars of falling height")
    space.write({"visuals/one.bars": "20 50 80", "visuals/two.svg": HAND, "visuals/two.bars": "70 30"})
    done = space.run("--format", "json", env={"PYTHONPATH": str(copy.parent)})
    assert done.code == 0, done.err
    figures = {figure["id"]: (figure["kind"], figure["status"]) for figure in done.json["figures"]}
    assert figures == {"one": ("bars", "rendered"), "two": ("bars", "rendered")}
    drawn = {
        path: svg.count(b"<rect") for path, svg in space.outputs().items() if not path.endswith(".dark.svg")
    }
    assert drawn == {"build/global/one.svg": 4, "build/global/two.svg": 3}  # with the page behind them


def test_no_module_outside_the_table_knows_a_kind_by_its_name() -> None:
    names = "|".join(KINDS)
    compared = re.compile(rf"""kind\s*(?:==|!=|in|not in)\s*[(\[{{]?\s*(?:None,\s*)?["'](?:{names})["']""")
    found = [
        f"{path.relative_to(PACKAGE)}: {match[0]}"
        for path in sorted(PACKAGE.rglob("*.py"))
        if path.relative_to(PACKAGE).parts[0] not in ("kinds", "timelines")
        for match in compared.finditer(path.read_text(encoding="utf-8"))
    ]
    assert found == []
