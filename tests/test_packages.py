"""The distributions beside figmill: their READMEs do what they say, and each can be carried on by somebody."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from helpers.book import REPOSITORY, Space

PACKAGES = sorted(path.parent for path in (REPOSITORY / "packages").glob("*/pyproject.toml"))


LIBRARIES = [path for path in PACKAGES if path.name != "kinds"]


@pytest.mark.parametrize("package", LIBRARIES, ids=lambda path: path.name)
def test_the_example_of_a_readme_runs_and_loads_nothing_of_figmill(package: Path, tmp_path: Path) -> None:
    shutil.copytree(REPOSITORY / "visuals/data/shop", tmp_path / "src/shop")
    example = "\n".join(
        re.findall(r"```python\n(.*?)```", (package / "README.md").read_text("utf-8"), re.DOTALL)
    )
    assert f"from figmill_{package.name}" in example
    check = "import sys; assert not [name for name in sys.modules if f'{name}.'.startswith('figmill.')]"
    done = subprocess.run(
        [sys.executable, "-c", f"{example}\n{check}"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0 and done.stdout, done.stderr


def test_the_example_of_the_kinds_is_drawn(space: Space) -> None:
    text = (REPOSITORY / "packages/kinds/README.md").read_text("utf-8")
    files = dict(re.findall(r"`([\w/.]+)`:\n\n```\w*\n(.*?)```", text, re.DOTALL))
    assert files.keys() == {"visuals/request.mmd", "questions/request.yaml"}
    ran = space.write(files).run("--strict")
    assert ran.code == 0, ran.err


@pytest.mark.parametrize("package", PACKAGES, ids=lambda path: path.name)
def test_a_distribution_has_tests_and_a_page_for_whoever_carries_it_on(package: Path) -> None:
    assert [*package.glob("tests/**/test_*.py")]
    assert "# For whoever carries" in (package / "CARRYING-ON.md").read_text("utf-8")
    assert (package / "LICENSE").read_bytes() == (REPOSITORY / "LICENSE").read_bytes()
