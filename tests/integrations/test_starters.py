"""The books to start from: each builds with the commands of the guide, strictly where its host can."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import pytest
from helpers.book import REPOSITORY, Space, believed
from helpers.hosts import BIN, PANDOC, figures, nodes, prose, run

STARTERS = REPOSITORY / "docs/starters"
SHOWN = [("tour.svg", "tour.dark.svg")]
# The commands of each host, and the page that they make.
COMMANDS: dict[str, tuple[list[list[str | Path]], str]] = {
    "mkdocs": ([[BIN / "mkdocs", "build", "--strict"]], "site/index.html"),
    "sphinx": ([[BIN / "sphinx-build", "-W", ".", "_build"]], "_build/index.html"),
    "zensical": (
        [[BIN / "figmill", "setup", "zensical"], [BIN / "zensical", "build", "--strict"]],
        "site/index.html",
    ),
    "pandoc": (
        [
            [BIN / "figmill", "setup", "pandoc"],
            [BIN / "figmill"],
            [
                PANDOC,
                "index.md",
                "-s",
                "--fail-if-warnings",
                "--lua-filter",
                "figmill.lua",
                "--css",
                "figmill.css",
                "-V",
                "document-css=1",
                "--metadata",
                "pagetitle=x",
                "-o",
                "index.html",
            ],
        ],
        "index.html",
    ),
    # Quarto comes over the network; its filter runs below pandoc.
    "quarto": (
        [
            [BIN / "figmill", "setup", "quarto"],
            [BIN / "figmill"],
            [
                PANDOC,
                "index.qmd",
                "-f",
                "markdown",
                "-s",
                "--fail-if-warnings",
                "--lua-filter",
                "_extensions/figmill/figmill.lua",
                "--metadata",
                "pagetitle=x",
                "-o",
                "index.html",
            ],
        ],
        "index.html",
    ),
}


def copied(name: str, place: Path) -> Path:
    shutil.copytree(STARTERS / name, place / name)
    believed(place / name)
    return place / name


@pytest.mark.parametrize("host", COMMANDS)
def test_a_starter_builds_and_shows_its_figure(host: str, tmp_path: Path) -> None:
    root = copied(host, tmp_path)
    commands, page = COMMANDS[host]
    for command in commands:
        ran = run(command, root)
        assert ran.code == 0, ran.said
    text = (root / page).read_text(encoding="utf-8")
    assert [figure.files for figure in figures(text)] == SHOWN
    assert "The figure has 5 nodes." in prose(text)


def test_the_starter_of_mystmd_has_its_figure_in_its_pages(tmp_path: Path) -> None:
    root = copied("myst", tmp_path)
    for arguments in (["setup", "myst"], []):
        assert run([BIN / "figmill", *arguments], root).code == 0
    run([BIN / "myst", "build", "--site"], root)  # ends at its theme, which comes over the network
    text = (root / "_build/site/content/index.json").read_text(encoding="utf-8")
    assert [figure.files for figure in figures(text)] == SHOWN
    assert "The figure has 5 nodes." in prose(text)
    (details,) = (node for node in nodes(json.loads(text)["mdast"]) if node["type"] == "details")
    details_text = " ".join(node["value"] for node in nodes(details) if node["type"] == "text")
    assert details_text.startswith("Description and data 5 nodes ")
    links = [node["url"] for node in nodes(details) if node["type"] == "link"]
    assert len(links) == 2 and all(url.endswith(".csv") for url in links)
    for url in links:  # mystmd has copied them into the site
        assert (root / "_build/site/public" / url.rpartition("/")[2]).is_file()


def test_every_starter_has_a_row_in_the_guide_and_what_it_installs() -> None:
    guide = (REPOSITORY / "docs/in-a-page.md").read_text(encoding="utf-8")
    names = sorted(path.name for path in STARTERS.iterdir())
    assert sorted(re.findall(r"`docs/starters/(\w+)/` \|", guide)) == names == sorted([*COMMANDS, "myst"])
    for name in names:
        assert "figmill" in (STARTERS / name / "requirements.txt").read_text(encoding="utf-8")


def test_the_starters_begin_as_new_begins(space: Space) -> None:
    assert run([BIN / "figmill", "new", "tour", "--kind", "dot"], space.root).code == 0
    for name in ("questions/tour.yaml", "visuals/tour.dot"):
        assert {space.read(name)} == {path.read_text("utf-8") for path in STARTERS.glob(f"*/{name}")}
