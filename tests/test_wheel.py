"""figmill as others install it: from the wheel, in a book that has a `visuals/` and a pyproject of its own."""

from __future__ import annotations

import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from helpers.book import CLASSIC, DOT, REPOSITORY, Space

FONTS = REPOSITORY / "figmill" / "fonts"


def fonts() -> dict[str, tuple[int, int]]:
    return {path.name: (path.stat().st_ino, path.stat().st_mtime_ns) for path in FONTS.iterdir()}


@pytest.fixture(scope="session")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    before = fonts()
    folder = tmp_path_factory.mktemp("dist")
    subprocess.run(
        [sys.executable, "-m", "pip", "wheel", "--quiet", "--disable-pip-version-check", "--no-deps",
         "--no-build-isolation", "--wheel-dir", str(folder), str(REPOSITORY)],
        check=True, capture_output=True, timeout=300,
    )  # fmt: skip
    assert fonts() == before, "the fonts were written anew, which others may be reading"
    return next(folder.glob("*.whl"))


@pytest.fixture(scope="session")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The bin folder of an environment that has the wheel, and the libraries of this one."""
    place = tmp_path_factory.mktemp("environment") / "venv"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(place)], check=True)
    packages = next(place.glob("lib/python*/site-packages"))
    ours = Path(next(p for p in sys.path if p.endswith("site-packages")))
    for entry in ours.iterdir():  # everything but figmill itself
        if "figmill" not in entry.name.casefold():
            (packages / entry.name).symlink_to(entry)
    subprocess.run(
        [sys.executable, "-m", "pip", "--python", str(place / "bin" / "python"), "install", "--quiet", "--no-index",
         "--no-deps", "--disable-pip-version-check", str(wheel)],
        check=True, timeout=300,
    )  # fmt: skip
    return place / "bin"


def test_the_wheel_holds_the_package_its_fonts_and_nothing_of_the_showcase(wheel: Path) -> None:
    names = zipfile.ZipFile(wheel).namelist()
    assert {
        "figmill/fonts/Arimo-Regular.ttf",
        "figmill/fonts/OFL.txt",
        "figmill/py.typed",
        "figmill/integrations/files/css/figmill.css",
        "figmill/integrations/files/figmill.lua",
        "figmill/integrations/files/figmill.mjs",
        "figmill/integrations/files/quarto/_extension.yml",
        "figmill/showcase/queueing.py",
        "figmill/showcase/data/stalls.csv",
    } <= set(names)
    assert not [name for name in names if name.startswith(("visuals/", "questions/", "tests/", "build/"))]


def test_a_foreign_book_builds_from_the_wheel(installed: Path, space: Space) -> None:
    space.write({
        "pyproject.toml": '[project]\nname = "visuals"\nversion = "1"\n\n[tool.figmill]\nquestions = "chapters"\n',
        "visuals/__init__.py": "raise SystemExit('a book is no package')\n",
        "visuals/figmill.py": "raise SystemExit('this shadows the engine')\n",
        "visuals/click.py": "raise SystemExit('this shadows a library')\n",
        "visuals/a.dot": DOT, "visuals/c.py": CLASSIC,
        "chapters/deep/er/a.yaml": "id: a\nvisual: {source: a.dot, alt: three nodes}\n",
        "chapters/c.yml": "id: c\nvisual: {kind: matplotlib, source: c.py, alt: three squares}\n",
    })  # fmt: skip
    environment = {"PATH": f"{installed}{os.pathsep}{os.environ['PATH']}", "HOME": str(space.root)}
    done = subprocess.run(["render-visuals"], cwd=space.root, env=environment, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    assert set(space.outputs()) >= {"build/global/a.svg", "build/global/c.svg"}
    for name in ("collective", "data_stalls"):
        words = ["render-visuals", "new", f"from-{name.replace('_', '-')}", "--from", name]
        subprocess.run(words, cwd=space.root, env=environment, check=True, capture_output=True)
    again = subprocess.run(
        ["render-visuals"], cwd=space.root, env=environment, capture_output=True, text=True
    )
    assert (again.returncode, again.stderr) == (0, "")
    inside = subprocess.run(
        ["render-visuals"], cwd=space.root / "visuals", env=environment, capture_output=True, text=True
    )
    assert (inside.returncode, "all fresh" in inside.stdout) == (0, True)
