"""`make matrix`: what it calls different, missing and failed. The builds themselves are its own run."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import matrix
import pytest
from helpers.book import REPOSITORY
from matrix import Row

A, B = {"book/a.svg": "1", "book/manifest.json": "2"}, {"book/a.svg": "1", "book/manifest.json": "3"}


def test_an_output_that_differs_is_named_with_its_versions() -> None:
    rows = [Row("3.11.7", A, "passed"), Row("3.12.1", A, "passed"), Row("3.13.0", B, "passed")]
    assert matrix.differences(rows) == ["book/manifest.json: 3.13.0 not as 3.11.7"]
    assert matrix.differences(rows[:2]) == []


def test_an_output_that_one_lacks_differs() -> None:
    rows = [Row("3.11.7", A, ""), Row("3.12.1", {"book/a.svg": "1"}, "")]
    assert matrix.differences(rows) == ["book/manifest.json: 3.12.1 not as 3.11.7"]


@pytest.mark.soak
def test_every_book_builds_here() -> None:
    written = dict(matrix.outputs(Path(sys.executable), ("kinds", "uneven")))
    assert {name.partition("/")[0] for name in written} == {"kinds", "uneven"}


def test_the_table_names_the_missing_ones() -> None:
    text = matrix.table([Row("3.11.7", A, "9 passed"), Row("3.12.1", B, "9 passed")], ["3.14"])
    first, second = (re.search(rf"{v} +2  (\w+)  9 passed", text) for v in ("3.11.7", "3.12.1"))
    assert first and second and first[1] != second[1]
    assert "3.14       missing" in text


def test_an_interpreter_is_the_version_that_it_says_it_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert matrix.find("3.11") is None
    broken = tmp_path / "python3.12"  # as a shim of pyenv's whose version is not chosen
    broken.write_text("#!/bin/sh\nexit 127\n")
    broken.chmod(0o755)
    assert matrix.find("3.12") is None
    own = f"3.{sys.version_info.minor}"
    (tmp_path / f"python{own}").symlink_to(sys.executable)
    assert matrix.find(own) == tmp_path / f"python{own}"
    (tmp_path / "python3.99").symlink_to(sys.executable)
    assert matrix.find("3.99") is None


def test_a_version_of_pyenvs_is_found_and_the_newest_taken(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    own = f"3.{sys.version_info.minor}"
    for release in (f"{own}.9", f"{own}.10"):
        folder = tmp_path / "versions" / release / "bin"
        folder.mkdir(parents=True)
        (folder / f"python{own}").symlink_to(sys.executable)
    pyenv = tmp_path / "bin" / "pyenv"
    pyenv.parent.mkdir()
    pyenv.write_text(f"#!/bin/sh\necho '{tmp_path}'\n")
    pyenv.chmod(0o755)
    monkeypatch.setenv("PATH", str(pyenv.parent))
    assert matrix.find(own) == tmp_path / "versions" / f"{own}.10" / "bin" / f"python{own}"


def test_where_none_is_found_it_says_so_and_fails(tmp_path: Path) -> None:
    ran = subprocess.run(
        [sys.executable, str(REPOSITORY / "tests" / "matrix.py"), "3.98", "3.99"],
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
        env={"PATH": str(tmp_path)},
    )
    assert ran.returncode == 1
    assert "3.98       missing" in ran.stdout
    assert "no Python was found" in ran.stdout
