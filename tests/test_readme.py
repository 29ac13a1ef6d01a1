"""What the README says, done by hand: its commands in their order, with the files that it shows."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import yaml
from helpers.book import REPOSITORY, Space
from test_wheel import installed, wheel  # noqa: F401 - fixtures

README = (REPOSITORY / "README.md").read_text(encoding="utf-8")


def blocks(language: str) -> list[str]:
    """The code blocks of a language, without the indentation of a list item."""
    found = re.findall(rf"^( *)```{language}\n(.*?)^ *```", README, re.MULTILINE | re.DOTALL)
    return [
        "\n".join(line.removeprefix(indent) for line in text.splitlines()) + "\n" for indent, text in found
    ]


def test_every_command_of_the_readme_runs(installed: Path, space: Space) -> None:  # noqa: F811
    question, source = blocks("yaml")[0], blocks("dot")[0]
    environment = {**os.environ, "PATH": f"{installed}{os.pathsep}{os.environ['PATH']}"}
    ran = []
    for block in blocks("sh"):
        for line in block.splitlines():
            command = line.split(" #")[0].strip()
            if command in ("make", "make test", "pip install figmill"):
                continue  # what runs this test, and what the fixture has done
            if "--id allreduce" in command:
                space.write(
                    {"questions/cloud/allreduce.yaml": question, "visuals/cloud/allreduce.dot": source}
                )
            done = subprocess.run(
                command, shell=True, cwd=space.root, env=environment, capture_output=True, text=True
            )
            assert done.returncode == 0, (command, done.stdout, done.stderr)
            ran.append(command)
    assert len(ran) >= 8
    assert (space.root / "build/cloud/allreduce.svg").exists()
    assert (space.root / "build/index.html").exists()
    assert (space.root / "question.schema.json").stat().st_size > 1000


def test_the_makefile_has_the_two_commands() -> None:
    makefile = (REPOSITORY / "Makefile").read_text(encoding="utf-8")
    assert re.search(r"^\.DEFAULT_GOAL := showcase$", makefile, re.MULTILINE)
    assert re.search(r"^test: ", makefile, re.MULTILINE)
    assert "make test" in (REPOSITORY / ".ci/run").read_text(encoding="utf-8")


def test_the_job_for_pull_requests_is_yaml() -> None:
    job = yaml.safe_load(blocks("yaml")[1])
    steps = [step["run"] for step in job["jobs"]["figures"]["steps"] if "run" in step]
    assert steps[1].startswith("render-visuals --dry-run --against origin/")


def test_every_link_of_the_readme_leads_somewhere() -> None:
    for target in re.findall(r"\]\((?!https?:|figmill:)([^)#]+)\)", README):
        assert (REPOSITORY / target).exists(), target
