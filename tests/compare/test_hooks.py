"""What runs in other people's CI: the script of the action, in a real repository, and the table of hooks."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from helpers.book import DOT, REPOSITORY, Space


@pytest.fixture
def repository(space: Space) -> Space:
    space.write({"visuals/a.dot": DOT, ".gitignore": "build/\n.figmill/\n"})
    space.question("graph", "source: a.dot, alt: a sends to b")
    space.git("init", "-q")
    space.git("add", ".")
    space.git("commit", "-qm", "one")
    return space


def compare(space: Space, against: str) -> tuple[int, str, str, Path]:
    """The action's script: its exit code, its output of the step, the summary of the job, the page."""
    output, summary, report = (space.root.parent / name for name in ("output", "summary", "figures.html"))
    bin_ = space.root.parent / "bin"
    bin_.mkdir(exist_ok=True)
    command = bin_ / "render-visuals"
    command.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m figmill "$@"\n')
    command.chmod(0o755)
    env = {
        **os.environ,
        "PATH": f"{bin_}{os.pathsep}{os.environ['PATH']}",
        "AGAINST": against,
        "BOOK": ".",
        "REPORT": str(report),
        "GITHUB_OUTPUT": str(output),
        "GITHUB_STEP_SUMMARY": str(summary),
    }
    script = ["sh", str(REPOSITORY / ".github/compare.sh")]
    done = subprocess.run(script, cwd=space.root, env=env, capture_output=True, text=True, check=False)
    return done.returncode, output.read_text(), summary.read_text() if summary.exists() else "", report


def test_a_pull_request_is_summed_up(repository: Space) -> None:
    repository.write({"visuals/a.dot": DOT.replace("sends", "gives")})
    code, output, summary, report = compare(repository, "HEAD")
    assert (code, output) == (0, "code=3\n")
    assert summary.startswith("### Figures: 1 changed (of 1)\n") and report.exists()


def test_a_figure_that_fails_fails_the_job(repository: Space) -> None:
    repository.write({"visuals/a.dot": "digraph { a -> "})
    code, output, _, _ = compare(repository, "HEAD")
    assert (code, output) == (1, "code=1\n")


def test_a_base_that_is_not_there_fails_the_job(repository: Space) -> None:
    code, output, _, report = compare(repository, "origin/main")
    assert (code, output, report.exists()) == (1, "code=2\n", False)


def test_the_hooks_run_what_there_is(repository: Space) -> None:
    hooks = yaml.safe_load((REPOSITORY / ".pre-commit-hooks.yaml").read_text())
    *of_books, drawings = hooks
    assert [hook["id"] for hook in of_books] == ["figures", "figures-lint"]
    assert of_books[0]["always_run"]
    assert not any("files" in hook for hook in of_books), "a figure may be drawn from any file"
    assert (drawings["id"], drawings["types"]) == ("drawings", ["svg"])
    assert (
        repository.run(*drawings["entry"].split()[1:], str(REPOSITORY / "docs/pictures/cloud-2848.svg")).code
        == 0
    )
    codes = {}
    for hook in of_books:
        command = hook["entry"].split()
        assert command[0] == "render-visuals" and hook["pass_filenames"] is False
        codes[hook["id"]] = repository.run(*command[1:]).code
    assert codes["figures"] == 3  # nothing has been built yet
    assert repository.run().code == 0 and repository.run("--check").code == 0


def test_the_action_names_what_is_there() -> None:
    action = yaml.safe_load((REPOSITORY / "action.yml").read_text())
    steps = action["runs"]["steps"]
    assert action["runs"]["using"] == "composite" and all("shell" in step for step in steps if "run" in step)
    named = {name for step in steps for name in str(step.get("env", {})).split("inputs.")[1:]}
    assert {name.split(" ")[0] for name in named} <= set(action["inputs"])
