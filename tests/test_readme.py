"""What the README and the guides say, done by hand: their commands in their order, with the files that they show."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import yaml
from helpers.book import REPOSITORY, Space

INSTALLING = ("make", "make test", "make dist", "pip install dist/*.whl", "pip install figmill")
README, START, TOOLS = "README.md", "docs/guide/start.md", "docs/guide/tools.md"


def blocks(document: str, language: str) -> list[str]:
    """The code blocks of a language, without the indentation of a list item."""
    text = (REPOSITORY / document).read_text(encoding="utf-8")
    fences = re.findall(rf"^( *)```{language}\n(.*?)^ *```", text, re.MULTILINE | re.DOTALL)
    return [
        "\n".join(line.removeprefix(indent) for line in text.splitlines()) + "\n" for indent, text in fences
    ]


def run(line: str, installed: Path, space: Space) -> str:
    """What a line of a shell prints; it must end well."""
    environment = {**os.environ, "PATH": f"{installed}{os.pathsep}{os.environ['PATH']}"}
    done = subprocess.run(
        line, shell=True, cwd=space.root, env=environment, capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0, (line, done.stdout, done.stderr)
    return done.stdout


def commands(document: str) -> list[str]:
    """Each line of its shell blocks, without those that install figmill, which a fixture has done."""
    lines = [line.split(" #")[0].strip() for block in blocks(document, "sh") for line in block.splitlines()]
    return [line for line in lines if line not in INSTALLING]


def test_the_picture_of_the_readme_stands_beside_its_source() -> None:
    source = REPOSITORY / "visuals/figmill/figmill-mermaid.mmd"
    assert blocks(README, "text") == [source.read_text(encoding="utf-8")]
    assert "(docs/pictures/figmill-mermaid.svg)" in (REPOSITORY / README).read_text(encoding="utf-8")


def test_every_command_of_the_readme_runs(installed: Path, space: Space) -> None:
    ran = commands(README)
    assert len(ran) >= 6
    for line in ran:
        if "--id allreduce" in line:
            space.write(
                {
                    "questions/cloud/allreduce.yaml": blocks(README, "yaml")[0],
                    "visuals/cloud/allreduce.dot": blocks(README, "dot")[0],
                }
            )
        run(line, installed, space)
    assert (space.root / "build/cloud/allreduce.svg").exists()
    assert (space.root / "build/index.html").exists()


def test_the_tutorial_does_what_it_says(installed: Path, space: Space) -> None:
    lines = commands(START)
    assert lines == [
        "figmill new tour --kind dot",
        "figmill",
        "figmill setup mkdocs",
        "figmill --dry-run",
        "figmill",
        "figmill new bubble --from pipeline_bubble",
        "figmill",
        "figmill show bubble#bubble_fraction",
        "figmill lint",
    ]
    first = [run(line, installed, space) for line in lines[:3]]
    files = re.findall(r"`((?:questions|visuals|build)/[\w./]+)`", (REPOSITORY / START).read_text("utf-8"))
    assert {name for name in files if "bubble" not in name and not (space.root / name).exists()} == set()
    assert "- figmill" in first[2]
    graph = space.read("visuals/tour.dot")
    space.write({"visuals/tour.dot": graph.replace('"Router"', '"Scheduler"')})
    assert "'Scheduler'" in run(lines[3], installed, space)
    space.write({"visuals/tour.dot": graph.replace("two -> cache", "two -> cache; disk")})
    (stated,) = re.findall(
        r"^questions/\S+:\d+:\d+: .+$", (REPOSITORY / START).read_text("utf-8"), re.MULTILINE
    )
    assert stated in space.run().err.splitlines()
    space.write({"visuals/tour.dot": graph})
    for line in lines[5:7]:
        run(line, installed, space)
    before = run(lines[7], installed, space)
    question = space.read("questions/bubble.yaml")
    space.write({"questions/bubble.yaml": question.replace("devices: 4", "devices: 8")})
    run(lines[6], installed, space)
    assert float(run(lines[7], installed, space)) > float(before)
    assert "alt-unfinished" in run(lines[8], installed, space)


def test_the_commands_of_the_tools_page_run(installed: Path, space: Space) -> None:
    run("figmill new tour --kind dot", installed, space)
    for line in commands(TOOLS):
        run(line, installed, space)
    assert (space.root / "question.schema.json").stat().st_size > 1000


def test_the_makefile_has_the_two_commands() -> None:
    makefile = (REPOSITORY / "Makefile").read_text(encoding="utf-8")
    assert re.search(r"^\.DEFAULT_GOAL := showcase$", makefile, re.MULTILINE)
    assert re.search(r"^test:", makefile, re.MULTILINE)
    assert "make test" in (REPOSITORY / ".ci/run").read_text(encoding="utf-8")


def test_the_job_for_pull_requests_is_yaml() -> None:
    job = yaml.safe_load(blocks(TOOLS, "yaml")[0])
    steps = [step["run"] for step in job["jobs"]["figures"]["steps"] if "run" in step]
    assert steps[1].startswith("figmill diff origin/")
