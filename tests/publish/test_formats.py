"""The table of formats: what follows from a row, in a copy of figmill with two more formats."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from helpers.book import HAND, Space
from PIL import Image

from figmill.paths import PACKAGE

WRITERS = """

def webp(figure, scale, fonts):
    import io

    from PIL import Image

    data = io.BytesIO()
    Image.open(io.BytesIO(png(figure, scale, fonts).data)).save(data, "WEBP", lossless=True)
    return Written(data.getvalue())


def txt(figure, scale, fonts):
    if not figure.alt:
        raise ExportError("it has no alt text")
    return Written(figure.alt.encode())
"""
ROWS = """\
        "webp": Format("figmill.publish.exporter:webp", has_pixels=True, packages=("pillow",)),
        "txt": Format("figmill.publish.exporter:txt"),
"""


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """A folder with a copy of figmill in which the recipe of CONTRIBUTING.md was followed twice."""
    package = tmp_path / "copy" / "figmill"
    shutil.copytree(PACKAGE, package)
    exporter, formats = package / "publish/exporter.py", package / "formats.py"
    exporter.write_text(exporter.read_text() + WRITERS)
    text = formats.read_text()
    formats.write_text(text.replace('        "pdf": Format(', f'{ROWS}        "pdf": Format('))
    return package.parent


def test_a_row_and_a_function_are_all_that_a_format_needs(space: Space, copy: Path) -> None:
    def run(*arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-P", "-m", "figmill", *arguments],
            cwd=space.root,
            env={"PYTHONPATH": str(copy), "PATH": "/usr/bin:/bin"},
            capture_output=True,
            text=True,
            check=False,
        )

    space.write({"visuals/d.svg": HAND})
    space.question("hand", "source: d.svg, alt: one rank as a box, themes: [light]")
    first = run("--to", "webp", "--to", "txt", "--scale", "2", "--format", "json")
    assert first.returncode == 0, first.stderr
    files = json.loads(space.read("build/manifest.json"))["figures"][0]["files"]
    assert [file["format"] for file in files] == ["svg", "txt", "webp"]
    assert space.read("build/global/hand.txt") == "one rank as a box"
    with Image.open(space.root / "build/global/hand.webp") as image:
        assert image.size == (2 * files[0]["width"], 2 * files[0]["height"])

    assert run("--to", "webp", "--to", "txt", "--scale", "2", "--check").returncode == 0
    refused = run("--to", "txt", "--scale", "2")
    assert refused.returncode == 2
    assert "--scale goes with --to png or webp" in " ".join(refused.stderr.split())

    (space.root / "questions/hand.yaml").unlink()
    assert run("clean").returncode == 0
    assert not [path.name for path in space.root.glob("build/global/hand.*")]
