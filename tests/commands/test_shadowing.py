"""A module of the book never stands for one of Python or of a library in the build's own process."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest
from helpers.book import DOT, REPOSITORY, Space

WAYS = {
    "a build": ("-m", "figmill"),
    "a build by the book's own file": ("render_visuals.py",),
    "a comparison": ("-m", "figmill", "--check", "--against", "HEAD", "--format", "json"),
    "a report": ("-m", "figmill", "--check", "--report", "../page.html"),
    "without the current folder": ("-P", "-m", "figmill", "--check"),
    "exports": ("-m", "figmill", "--to", "png", "--to", "pdf"),
}


@pytest.fixture
def shadowed(space: Space) -> Space:
    mark = space.root.parent / "mark"
    body = (
        f"with open({str(mark)!r}, 'a') as mark: mark.write(__name__ + '\\n')\nraise ImportError(__name__)\n"
    )
    # What a build loads, and what it would load if it were there.
    modules = {*sys.stdlib_module_names, *packages_distributions(), "pip", "sitecustomize", "usercustomize"}
    names = [name for name in sorted(modules - {"figmill"}) if name.isidentifier()]
    assert {"json", "__future__", "typing", "click", "yaml", "lxml", "pip", "watchfiles"} <= set(names)
    space.write({f"{name}.py": body for name in names})
    space.write({"visuals/a.dot": DOT, ".gitignore": "*.py\nbuild/\n.figmill/\n"})
    space.question("a", "source: a.dot, alt: a sends to b")
    shutil.copy(REPOSITORY / "render_visuals.py", space.root)
    space.git("init", "-q")
    space.git("add", ".")
    space.git("commit", "-qm", "one")
    return space


def without_what_python_loads(space: Space) -> set[str]:
    """Take away the traps that `python -m` itself steps into, before a line of any package is run."""
    mark, gone = space.root.parent / "mark", set[str]()
    space.write({"probe.py": ""})
    for _ in range(20):
        subprocess.run([sys.executable, "-m", "probe"], cwd=space.root, capture_output=True)
        names = set(mark.read_text().split()) if mark.exists() else set()
        for name in names:
            (space.root / f"{name}.py").unlink()
        mark.unlink(missing_ok=True)
        gone |= names
        if not names:
            break
    return gone


@pytest.mark.parametrize("arguments", WAYS.values(), ids=WAYS)
def test_no_module_of_the_book_is_loaded_for_another(shadowed: Space, arguments: tuple[str, ...]) -> None:
    if arguments[0] == "-m":
        assert not without_what_python_loads(shadowed) & {"json", "typing", "click", "re", "stat", "yaml"}
    done = subprocess.run(
        [sys.executable, *arguments],
        cwd=shadowed.root,
        env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        text=True,
        timeout=120,
    )
    mark = shadowed.root.parent / "mark"
    assert (mark.read_text() if mark.exists() else "") == ""
    assert "Traceback" not in done.stderr and done.returncode in (0, 2, 3), done.stderr


def test_the_modules_are_traps(shadowed: Space) -> None:
    """Plain Python loads them: else the test above would show nothing."""
    subprocess.run([sys.executable, "-c", "import json"], cwd=shadowed.root, capture_output=True)
    assert (shadowed.root.parent / "mark").read_text() == "json\n"


def test_figmill_is_found_beside_the_file_that_runs_it(tmp_path: Path, small_book: Space) -> None:
    """Without an installation, as in a checkout."""
    shutil.copytree(
        REPOSITORY / "figmill", small_book.root / "figmill", ignore=shutil.ignore_patterns("__pycache__")
    )
    shutil.copy(REPOSITORY / "render_visuals.py", small_book.root)
    for arguments in (("render_visuals.py", "--version"), ("-m", "figmill", "--version")):
        done = subprocess.run(
            [sys.executable, *arguments], cwd=small_book.root, capture_output=True, text=True
        )
        assert done.returncode == 0 and done.stdout.startswith("figmill"), done
