"""Hosts and comparisons read published files: a manifest and a link beside it lead to no other file."""

from __future__ import annotations

import json

import pytest
from helpers.book import Space

from figmill.host.inside import RefusedError
from figmill.integrations import figures

TOKEN = "T0K3N0fs0meb0dy"
# Paths in a manifest of build/, and what the link at this place leads to.
LEADING = {
    "../.git/config": None,
    "../.env": None,
    "../../outside": None,
    "global/graph.svg": "../../.env",
    "global/more.svg": "../../.git/config",
    "global/out.svg": "../../../outside",
}


@pytest.fixture
def planted(hosted: Space) -> Space:
    """The book of two figures, built, beside files that no figure reads."""
    assert hosted.run("--quiet").code == 0
    (hosted.root.parent / "outside").write_text(TOKEN)
    return hosted.write({".git/config": TOKEN, ".env": TOKEN})


@pytest.mark.parametrize(("path", "target"), LEADING.items(), ids=LEADING)
def test_only_published_files_are_read(planted: Space, path: str, target: str | None) -> None:
    build = planted.root / "build"
    if target is not None:
        (build / path).unlink(missing_ok=True)
        (build / path).symlink_to(target)
    for reading in (figures.read, figures.place):
        with pytest.raises(RefusedError):
            reading(build, path)


def test_published_files_and_pictures_beside_sources_are_read(planted: Space) -> None:
    build = planted.root / "build"
    assert figures.read(build, "global/graph.svg").startswith(b"<")
    planted.write({"visuals/beside.svg": "<svg/>"})
    assert figures.read(build, "../visuals/beside.svg") == b"<svg/>"
    (planted.root / ".hidden").symlink_to(planted.root.parent / "elsewhere")
    (planted.root.parent / "elsewhere").mkdir()
    (planted.root.parent / "elsewhere/a.svg").write_text("<svg/>")
    assert figures.read(planted.root.parent / "elsewhere", "a.svg") == b"<svg/>"


@pytest.mark.parametrize("path", LEADING)
def test_a_comparison_of_folders_shows_only_published_files(planted: Space, path: str) -> None:
    build = planted.root / "build"
    target = LEADING[path]
    if target is not None:
        (build / path).unlink(missing_ok=True)
        (build / path).symlink_to(target)
    manifest = json.loads((build / "manifest.json").read_text())
    before = planted.root.parent / "before"
    before.mkdir()
    (before / "manifest.json").write_text(json.dumps({**manifest, "figures": []}))
    manifest["figures"][0]["files"][0]["path"] = path
    (build / "manifest.json").write_text(json.dumps(manifest))
    ran = planted.run("diff", str(before), str(build))
    assert TOKEN not in ran.out + ran.err and "Traceback" not in ran.err
    assert ran.code == 2 and "cannot be read" in ran.err
