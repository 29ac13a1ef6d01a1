"""Fixtures: a small book in a temporary folder, and one with a good figure of each kind."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from helpers.book import CLASSIC, DOT, HAND, PLOT, Space
from helpers.chromium import QUIET, chromium

if TYPE_CHECKING:
    from playwright.sync_api import Browser


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Chromium, without a window."""
    from playwright.sync_api import sync_playwright  # most tests need no browser

    with sync_playwright() as playwright:
        running = playwright.chromium.launch(executable_path=chromium(), args=list(QUIET))
        yield running
        running.close()


@pytest.fixture
def space(tmp_path: Path) -> Space:
    root = tmp_path / "book"
    root.mkdir()
    return Space(root)


@pytest.fixture
def book(space: Space) -> Space:
    """One good figure of each kind."""
    space.write({"visuals/a.dot": DOT, "visuals/b.py": PLOT, "visuals/c.py": CLASSIC, "visuals/d.svg": HAND})
    space.question("graph", "source: a.dot, alt: a sends to b which sends to c")
    space.question(
        "plot", "kind: matplotlib, source: b.py, params: {n: 4}, alt: 'a line, half is {half:.1f}'"
    )
    space.question("classic", "kind: matplotlib, source: c.py, alt: the first three squares")
    space.question("hand", "source: d.svg, alt: one rank as a box")
    return space
