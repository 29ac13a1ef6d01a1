"""Fixtures: the book of a module, drawn once."""

from __future__ import annotations

from pathlib import Path

import pytest
from helpers.book import Space


@pytest.fixture(scope="module")
def book(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The figures of the module's `BOOK` (its files by path), drawn. Not to be changed."""
    space = Space(tmp_path_factory.mktemp("books") / "drawn")
    space.write(request.module.BOOK)
    assert space.run("--quiet").code == 0
    return space.root
