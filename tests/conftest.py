"""Fixtures: a small book in a temporary folder, and one with a good figure of each kind."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from helpers.book import CLASSIC, DOT, HAND, PLOT, Space
from helpers.chromium import QUIET, chromium
from helpers.showcase import built

if TYPE_CHECKING:
    from playwright.sync_api import Browser


# Files that take long come first, so that no process waits for the other at the end.
LONG = (
    "browser",
    "integrations",
    "soak",
    "cluster",
    "engine",
    "commands",
    "test_wheel.py",
    "test_versions.py",
)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    items.sort(key=lambda item: not any(name in item.path.parts for name in LONG))


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Chromium, without a window."""
    from playwright.sync_api import sync_playwright  # most tests need no browser

    with sync_playwright() as playwright:
        running = playwright.chromium.launch(executable_path=chromium(), args=list(QUIET))
        yield running
        running.close()


@pytest.fixture(scope="session")
def showcase(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The showcase as a book of its own, built in both themes; once for all processes of a run. Not to be changed."""
    here = tmp_path_factory.getbasetemp()
    folder = here if "PYTEST_XDIST_WORKER" not in os.environ else here.parent
    place = folder / "showcase"
    with open(folder / "showcase.lock", "wb") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not place.exists():
            built(folder / "showcase-begun").root.rename(place)
    return place


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
