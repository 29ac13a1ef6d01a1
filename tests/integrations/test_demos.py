"""The demo books build in their hosts' strict modes, and show the same figures."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType

import pytest
from helpers.book import REPOSITORY
from helpers.hosts import figures, prose


def build_script() -> ModuleType:
    spec = importlib.util.spec_from_file_location("demos", REPOSITORY / "docs/demos/build.py")
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def demos(tmp_path: Path) -> ModuleType:
    module = build_script()
    module.OUT = tmp_path / "dist" / "demos"  # type: ignore[attr-defined]
    return module


@pytest.mark.parametrize("host", build_script().HOSTS)
def test_the_three_pages_of_a_demo(demos: ModuleType, host: str, capsys: pytest.CaptureFixture[str]) -> None:
    demos.main([host])
    place = demos.OUT.parent.parent / capsys.readouterr().out.split(": ")[1].strip()
    pages = {name: place / f"{name}.{'json' if host == 'myst' else 'html'}" for name in demos.PAGES}
    texts = {name: path.read_text(encoding="utf-8") for name, path in pages.items()}
    files = {name: [figure.files for figure in figures(text)] for name, text in texts.items()}
    bubble, tree = (("cloud-2848.svg", "cloud-2848.dark.svg"), ("cloud-2846.svg", "cloud-2846.dark.svg"))
    assert files == {"index": [bubble], "again": [bubble, tree], "figures": []}
    if host in demos.INTERACTIVE:
        page = (place / "explore.html").read_text(encoding="utf-8")
        assert [figure.files for figure in figures(page)] == [("cloud-2878.svg", "cloud-2878.dark.svg")]
        assert "data-figmill-explore" in page and "figmill-explore.js" in page
        # No figure is interactive in Sphinx.
        assert host != "sphinx" or "figmill-explore.js" not in texts["index"]
        assert len(list(place.rglob("cloud-2878/*.svg"))) == 34
    assert "42.9% of the device time" in prose(texts["index"])
    assert "8 ranks and 7 links" in prose(texts["again"])
    assert "Tree AllReduce on eight ranks" in prose(texts["figures"])
