"""figmill as others install it: from the wheel, in a book that has a `visuals/` and a pyproject of its own."""

from __future__ import annotations

import os
import subprocess
import zipfile
from pathlib import Path

from helpers.book import CLASSIC, DOT, Space


def test_the_wheel_holds_the_package_its_fonts_and_nothing_of_the_showcase(distributions: Path) -> None:
    names = zipfile.ZipFile(next(distributions.glob("figmill-*.whl"))).namelist()
    assert {
        "figmill/fonts/Arimo-Regular.ttf",
        "figmill/fonts/OFL.txt",
        "figmill/agents/SKILL.md",
        "figmill/py.typed",
        "figmill/integrations/files/css/figmill.css",
        "figmill/integrations/files/figmill.lua",
        "figmill/integrations/files/figmill.mjs",
        "figmill/integrations/files/quarto/_extension.yml",
        "figmill/showcase/queueing.py",
        "figmill/showcase/data/stalls.csv",
    } <= set(names)
    assert not [name for name in names if name.startswith(("visuals/", "questions/", "tests/", "build/"))]


def told(stderr: str) -> list[str]:
    """What a build says on any machine, with a sandbox or without one."""
    return [line for line in stderr.splitlines() if "scripts ran without a sandbox" not in line]


def test_a_foreign_book_builds_from_the_wheel(installed: Path, space: Space) -> None:
    space.write(
        {
            "pyproject.toml": '[project]\nname = "visuals"\nversion = "1"\n\n[tool.figmill]\nquestions = "chapters"\n',
            "visuals/__init__.py": "raise SystemExit('a book is no package')\n",
            "visuals/figmill.py": "raise SystemExit('this shadows the engine')\n",
            "visuals/click.py": "raise SystemExit('this shadows a library')\n",
            "visuals/a.dot": DOT,
            "visuals/c.py": CLASSIC,
            "chapters/deep/er/a.yaml": "id: a\nvisual: {source: a.dot, alt: three nodes}\n",
            "chapters/c.yml": "id: c\nvisual: {kind: matplotlib, source: c.py, alt: three squares}\n",
        }
    )
    environment = {"PATH": f"{installed}{os.pathsep}{os.environ['PATH']}", "HOME": str(space.root)}
    done = subprocess.run(["render-visuals"], cwd=space.root, env=environment, capture_output=True, text=True)
    assert (done.returncode, told(done.stderr)) == (0, [])
    assert set(space.outputs()) >= {"build/global/a.svg", "build/global/c.svg"}
    for name in ("collective", "data_stalls"):
        command = ["render-visuals", "new", f"from-{name.replace('_', '-')}", "--from", name]
        subprocess.run(command, cwd=space.root, env=environment, check=True, capture_output=True)
    again = subprocess.run(
        ["render-visuals"], cwd=space.root, env=environment, capture_output=True, text=True
    )
    assert (again.returncode, told(again.stderr)) == (0, [])
    inside = subprocess.run(
        ["render-visuals"], cwd=space.root / "visuals", env=environment, capture_output=True, text=True
    )
    assert (inside.returncode, "all fresh" in inside.stdout) == (0, True)
