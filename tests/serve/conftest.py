"""Fixtures: a server of the book of a module, and a window of a browser."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from helpers.book import Space
from helpers.served import Served, serving
from playwright.sync_api import BrowserContext


@pytest.fixture(scope="module")
def served(space: Space) -> Iterator[Served]:
    """A server of the module's own `space`."""
    with serving(space) as served:
        yield served


@pytest.fixture
def context(browser: Any) -> Iterator[BrowserContext]:
    context = browser.new_context(viewport={"width": 1300, "height": 850})
    yield context
    context.close()
