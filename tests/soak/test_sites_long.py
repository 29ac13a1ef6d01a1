"""The demos of sites that need npm, mdBook, Hugo, Jekyll, Jupyter or TeX: each is built by its own program."""

from __future__ import annotations

import importlib.util
import re
import shutil
from pathlib import Path
from types import ModuleType

import pytest
from helpers.book import REPOSITORY
from helpers.hosts import figures, prose

pytestmark = pytest.mark.soak
PROGRAMS = {
    "mdbook": "mdbook",
    "hugo": "hugo",
    "jekyll": "jekyll",
    "jupyter": "jupyter-nbconvert",
    "latex": "pdflatex",
}
BUBBLE, TREE = ("cloud-2848.svg", "cloud-2848.dark.svg"), ("cloud-2846.svg", "cloud-2846.dark.svg")


def demos(place: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location("demos", REPOSITORY / "docs/demos/build.py")
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    module.OUT = place / "dist" / "demos"  # type: ignore[attr-defined]
    return module


def built(host: str, place: Path, capsys: pytest.CaptureFixture[str]) -> Path:
    """The folder of a built demo. Skips where its program is not to be had."""
    module = demos(place)
    if (program := PROGRAMS.get(host, "npm")) and not (
        shutil.which(program) or (module.BIN / program).exists() or host == "docutils"
    ):
        pytest.skip(f"{program} is missing")
    module.main([host])
    return place / capsys.readouterr().out.split(": ")[1].strip()


def page_of(folder: Path, name: str) -> str:
    """A page of a site, by whichever way the host names its file."""
    paths = [path for path in (folder / f"{name}.html", folder / name / "index.html") if path.exists()]
    return paths[0].read_text(encoding="utf-8")


@pytest.mark.parametrize("host", ["docusaurus", "vitepress", "starlight", "mdbook", "hugo", "jekyll"])
def test_a_site_shows_its_figures(host: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = built(host, tmp_path, capsys)
    assert [figure.files for figure in figures(page_of(folder, "index"))] == [BUBBLE]
    again = page_of(folder, "again")
    assert [figure.files for figure in figures(again)] == [BUBBLE, TREE]
    assert "42.9% of the device time" in prose(page_of(folder, "index"))
    assert "8 ranks and 7 links" in prose(again)
    for source in re.findall(r'<img[^>]* src="([^"]*cloud-28[^"]*)"', again):
        assert (folder / source.removeprefix("/book").lstrip("/")).is_file(), source
    assert "data-figmill-explore" in page_of(folder, "explore")


def test_docutils_a_notebook_a_deck_and_latex(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = (built("docutils", tmp_path, capsys) / "index.html").read_text(encoding="utf-8")
    assert [figure.files for figure in figures(text)] == [BUBBLE, TREE]
    text = (built("revealjs", tmp_path, capsys) / "index.html").read_text(encoding="utf-8")
    assert re.findall(r'data-src="([^"]*svg)"', text) == ["build/cloud/cloud-2848.dark.svg"]  # a deck is dark
    if shutil.which("pdflatex"):
        place = built("latex", tmp_path, capsys)
        log = (place / "index.log").read_text(encoding="utf-8", errors="replace")
        assert "cloud-2848.pdf" in log and "undefined" not in log
    if (demos(tmp_path).BIN / "jupyter-nbconvert").exists():
        text = (built("jupyter", tmp_path, capsys) / "index.html").read_text(encoding="utf-8")
        assert text.count("data:image/svg+xml;base64") >= 3
