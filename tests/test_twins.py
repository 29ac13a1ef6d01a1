"""The Markdown twins of the site's pages, and `llms.txt`."""

from __future__ import annotations

import importlib
from pathlib import Path
from types import ModuleType

import pytest
from helpers.book import REPOSITORY

from figmill.integrations.figures import Catalogue, DataTable, Figure, LongDescription


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


def test_lists_and_tables_of_a_figure_follow_with_links_to_their_files(
    twins: ModuleType, tmp_path: Path
) -> None:
    (tmp_path / "cloud").mkdir()
    (tmp_path / "cloud/edges.csv").write_text("from,to,label\na,b,x\nb,c,\n")
    (tmp_path / "cloud/steps.csv").write_text("level,step,label\n0,loop,often\n1,call,now\n0,call,last\n")
    rows = "".join(f"{n},{n}.5\n" for n in range(40))
    (tmp_path / "cloud/load.csv").write_text(f"time | t,load (GB)\n{rows}")
    tables = tuple(
        DataTable(title, form, total, f"cloud/{title.lower()}.csv", "")
        for title, form, total in (("Edges", "edges", 2), ("Steps", "steps", 3), ("Load", "table", 40))
    )
    described = LongDescription(True, None, tables)
    figure = Figure("ring", "Ring", "A ring.", None, False, {}, (), description=described)
    catalogue = Catalogue(tmp_path, {"ring": figure})
    told = twins.text("![](figmill:ring)\n", catalogue, "guide/page.md")
    assert told.startswith(
        "> **Figure ring**: Ring\n> A ring.\n>\n> **2 edges**\n>\n> - a → b: x\n> - b → c\n>\n> **Steps**\n>\n"
        "> 1. loop: often\n>    1. call: now\n> 1. call: last\n>\n> **Load**; 30 of 40 rows\n>\n"
        "> | time \\| t | load (GB) |\n> | --- | --- |\n> | 0 | 0.5 |\n"
    )
    assert told.endswith(
        "> | 29 | 29.5 |\n>\n> Data: [Edges (CSV)](../figures/cloud/edges.csv), "
        "[Steps (CSV)](../figures/cloud/steps.csv), [Load (CSV)](../figures/cloud/load.csv)\n"
    )


def test_what_only_the_theme_understands_is_gone_and_code_stays_as_it_is(twins: ModuleType) -> None:
    figure = Figure("ring", "Ring", "A ring.", None, False, {"share": 0.25}, ())
    page = (
        '## Rings {#rings}\n\n<div class="pair" markdown="1">\n\n'
        "[](figmill:ring#share:.0%) of it, `[](figmill:ring#share)`"
        '\n\n??? example "Source"\n\n    ```yaml\n    id: ring\n    ```\n\n</div>\n\n'
        "```markdown\n![](figmill:ring)\n\n\n\n<div>\n```\n\n[](figmill:ring#none)\n"
    )
    assert twins.text(page, Catalogue(Path(), {"ring": figure})) == (
        "## Rings\n\n25% of it, `[](figmill:ring#share)`\n\n**Source**\n\n```yaml\nid: ring\n```\n\n"
        "```markdown\n![](figmill:ring)\n\n\n\n<div>\n```\n\n[](figmill:ring#none)\n"
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
            "# Lint\n\n```sh\nlint\n```\n\n- a list\n  of lines\n\n"
            "`lint` [runs](x.md) as in Li et al. 2020.\nAnd so on.\n",
        ),
        twins.Twin("table.md", "Table", "Everyday", "# Table\n\n| a |\n|---|\n"),
    ]
    assert twins.llms("figmill", "Builds figures.", pages) == (
        "# figmill\n\n> Builds figures.\n\n## Everyday\n\n- [Lint](lint.md): `lint` runs as in Li et al. 2020."
        "\n- [Table](table.md)\n\n"
        "## Optional\n\n- [A](decisions/a.md): It was slow.\n"
    )
