"""The hooks of `.pre-commit-hooks.yaml` by pre-commit itself, in real repositories: what passes, and what does not."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from helpers.book import DOT, REPOSITORY, Ran, Space, believed
from helpers.hosts import environment

CONFIG = """\
repos:
  - repo: {repo}
    rev: {rev}
    hooks:
      - id: figures
      - id: figures-lint
        args: [--strict]
"""
READER = """\
def draw():
    with open(__file__.replace("b.py", "loads.bin")) as loads:
        return f"digraph {{ {loads.read()} }}"
"""
GOOD = "source: a.dot, alt: A sends a message to b and b one to c"


def committed(space: Space, message: str = "a change") -> Ran:
    """`git commit` of all there is, with the hooks of the repository."""
    who = {
        f"GIT_{who}_{what}": "a@example.org" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")
    }
    env = environment(
        **who, PRE_COMMIT_HOME=str(space.root.parent / "pre-commit"), GIT_CONFIG_GLOBAL=os.devnull
    )
    env["PATH"] = f"{space.root.parent / 'bin'}{os.pathsep}{env['PATH']}"
    space.git("add", ".")
    done = subprocess.run(
        ["git", "commit", "-m", message], cwd=space.root, env=env, capture_output=True, text=True, timeout=300
    )
    return Ran(done.returncode, done.stdout, done.stderr)


def commits(space: Space) -> int:
    return int(space.git("rev-list", "--count", "--all"))


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A built book in a repository with both hooks, taken from a repository that has figmill's table of hooks."""
    space = Space(tmp_path_factory.mktemp("hooked") / "book")
    space.root.mkdir()
    bin_ = space.root.parent / "bin"
    bin_.mkdir()
    command = bin_ / "render-visuals"
    command.write_text('#!/bin/sh\nexec figmill "$@"\n')
    command.chmod(0o755)
    hooks = Space(space.root.parent / "hooks")
    hooks.root.mkdir()
    shutil.copy(REPOSITORY / ".pre-commit-hooks.yaml", hooks.root)
    for each in (hooks, space):
        each.git("init", "-q")
    hooks.git("add", ".")
    hooks.git("commit", "-qm", "the table")
    rev = hooks.git("rev-parse", "HEAD").strip()
    space.write(
        {
            "visuals/a.dot": DOT,
            ".gitignore": "build/\n.figmill/\n",
            ".pre-commit-config.yaml": CONFIG.format(repo=hooks.root, rev=rev),
        }
    )
    space.question("graph", GOOD)
    assert space.run().code == 0
    subprocess.run(
        [sys.executable, "-m", "pre_commit", "install"], cwd=space.root, check=True, capture_output=True
    )
    return space.root.parent


@pytest.fixture
def hooked(template: Path, space: Space) -> Space:
    """A copy of it, with the command beside it; the hooks come from the repository of the first."""
    for name in ("bin", "book"):
        shutil.copytree(template / name, space.root.parent / name, symlinks=True, dirs_exist_ok=True)
        believed(space.root.parent / name)
    return space


def lines(ran: Ran, hook: str) -> list[str]:
    """The words after the dots, for one hook."""
    rows = [line for line in (ran.out + ran.err).splitlines() if line.startswith(hook)]
    return [line.rpartition(".")[2] for line in rows]


def test_a_commit_whose_figures_are_fresh_passes_and_a_stale_one_is_refused(hooked: Space) -> None:
    first = committed(hooked)
    assert first.code == 0 and lines(first, "figures are up to date") == ["Passed"], first.err
    assert lines(first, "figures can be read by everybody") == ["Passed"]
    hooked.write({"visuals/a.dot": DOT.replace("sends", "gives")})
    refused = committed(hooked)
    assert (refused.code, commits(hooked)) == (1, 1)
    assert lines(refused, "figures are up to date") == ["Failed"]
    assert "build/global/graph.svg" in refused.err and "words: 'sends' is now 'gives'" in refused.err
    assert hooked.run().code == 0
    assert committed(hooked).code == 0 and commits(hooked) == 2


def test_a_figure_that_not_everybody_can_read_is_refused(hooked: Space) -> None:
    hooked.question("graph", "source: a.dot, alt: TODO")
    assert hooked.run().code == 0
    refused = committed(hooked)
    assert refused.code == 1 and not hooked.git("rev-list", "--all")
    assert lines(refused, "figures are up to date") == ["Passed"]
    assert lines(refused, "figures can be read by everybody") == ["Failed"]
    assert "questions/graph.yaml:4" in refused.err and "[alt-unfinished]" in refused.err
    hooked.question("graph", GOOD)
    assert hooked.run().code == 0 and committed(hooked).code == 0


def test_whatever_a_figure_is_drawn_from_is_looked_at(hooked: Space) -> None:
    hooked.write({"visuals/b.py": READER, "visuals/loads.bin": "one"})
    hooked.question("loads", "kind: dot, source: b.py, alt: The load of each rank as a node")
    assert hooked.run().code == 0 and committed(hooked).code == 0
    hooked.write({"visuals/loads.bin": "two"})
    refused = committed(hooked)
    assert refused.code == 1 and lines(refused, "figures are up to date") == ["Failed"]
    assert lines(refused, "figures can be read by everybody") == ["Passed"]
