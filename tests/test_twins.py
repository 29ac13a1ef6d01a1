"""The Markdown twins of the site's pages, and `llms.txt`."""

from __future__ import annotations

import importlib
from pathlib import Path
from types import ModuleType

import pytest
from helpers.book import REPOSITORY

from figmill.integrations.figures import Catalogue, Figure


@pytest.fixture
def twins(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(REPOSITORY / "docs/site")
    return importlib.import_module("twins")


def test_a_figure_becomes_its_words(twins: ModuleType) -> None:
    figure = Figure("ring", "Ring AllReduce", "Four ranks in a ring.", "N = 4", False, {"steps": 6}, ())
    page = "# Rings\n\n<!-- ours -->\n![](figmill:ring)\n\n![](figmill:gone)\n"
    assert twins.text(page, Catalogue(Path(), {"ring": figure})) == (
        "# Rings\n\n> **Figure ring**: Ring AllReduce\n> Four ranks in a ring.\n> Caption: N = 4\n"
        "> Facts: steps = 6\n\n![](figmill:gone)\n"
    )


def test_llms_lists_the_pages_by_section_with_their_first_sentence(twins: ModuleType) -> None:
    pages = [
        twins.Twin(
            "decisions/a.md", "A", "Optional", "# A\n\nDecided on 2026-11-24.\n\n## Context\n\nIt was slow.\n"
        ),
        twins.Twin(
            "lint.md",
            "Lint",
            "Everyday",
            "# Lint\n\n```sh\nlint\n```\n\nThis [runs](x.md) it. And so on.\n",
        ),
        twins.Twin("table.md", "Table", "Everyday", "# Table\n\n| a |\n|---|\n"),
    ]
    assert twins.llms("figmill", "Builds figures.", pages) == (
        "# figmill\n\n> Builds figures.\n\n## Everyday\n\n- [Lint](lint.md): This runs it.\n- [Table](table.md)\n\n"
        "## Optional\n\n- [A](decisions/a.md): It was slow.\n"
    )
