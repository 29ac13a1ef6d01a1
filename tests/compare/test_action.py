"""The action, and the workflows that the documents show: they run nothing of a checkout."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import pytest
import yaml
from helpers.book import REPOSITORY, Space
from helpers.cases import cases

DOCUMENTS = sorted([REPOSITORY / "README.md", *(REPOSITORY / "docs").rglob("*.md")])
OURS = [
    REPOSITORY / "action.yml",
    REPOSITORY / ".pre-commit-hooks.yaml",
    *(REPOSITORY / ".github").rglob("*.y*ml"),
    *(REPOSITORY / ".github").rglob("*.sh"),
]
TRAPS = ("pip", "json", "figmill", "typing", "sitecustomize", "importlib", "runpy", "site", "__future__")


def snippets() -> Iterator[tuple[str, str]]:
    """Each YAML block of a document, and each file of our own, with a name."""
    for path in DOCUMENTS:
        for number, text in enumerate(
            re.findall(r"^```ya?ml\n(.*?)^```", path.read_text("utf-8"), re.M | re.S)
        ):
            yield f"{path.relative_to(REPOSITORY).as_posix()} {number}", text
    for path in OURS:
        yield path.relative_to(REPOSITORY).as_posix(), path.read_text("utf-8")


SNIPPETS = dict(snippets())


def complaints(text: str) -> list[str]:
    """What a workflow may not have: actions by their tags, modules of the checkout, rights of the base for the head."""
    problems = []
    for used, rest in re.findall(r"uses: *([^\s#}]+)(.*)", text):
        is_ours = used in ("OWNER/figmill@REF", "./")
        if not is_ours and not (
            re.search(r"@[0-9a-f]{40}$", used) and re.match(r"  # v\d+\.\d+\.\d+$", rest)
        ):
            problems.append(f"{used} is not named by its digest, with the version beside it")
    for line in text.splitlines():
        if re.search(r"\bpip3? install\b", line) and "python -I -m pip install" not in line:
            problems.append(f"pip without -I: {line.strip()}")
        if re.search(r"python3? (?!-I |-P ).*-m\b", line):
            problems.append(f"a module of the checkout may be run: {line.strip()}")
    if "pull_request_target" in text:
        problems.append("pull_request_target has the rights of the base")
    if "workflow_run:" in text and re.search(r"actions/checkout|render-visuals|OWNER/figmill", text):
        problems.append("what follows a fork's run has rights, and runs the fork's code")
    if "actions/checkout" in text and "persist-credentials: false" not in text:
        problems.append("the token is left in the checkout")
    return problems


@cases("name", SNIPPETS)
def test_nothing_is_taken_from_where_others_write(name: str) -> None:
    assert complaints(SNIPPETS[name]) == []


def test_what_may_not_be_is_found() -> None:
    assert len(SNIPPETS) > 10 and "action.yml" in SNIPPETS
    digest = "0" * 40
    for text in (
        "- uses: actions/checkout@v4",
        f"- uses: a/b@{digest}",
        f"- uses: a/b@{digest[1:]}  # v1.2.3",
        "- run: pip install figmill",
        "- run: python -m pip install x",
        "on: pull_request_target",
        "on: {workflow_run: x}\nrun: render-visuals\nworkflow_run:",
    ):
        assert complaints(text), text


def steps() -> list[dict[str, Any]]:
    return list(yaml.safe_load((REPOSITORY / "action.yml").read_text())["runs"]["steps"])


def filled(value: str, inputs: dict[str, str]) -> str:
    context = {
        "github.action_path": str(REPOSITORY),
        **{f"inputs.{name}": text for name, text in inputs.items()},
    }
    return re.sub(r"\$\{\{ ([\w.]+) \}\}", lambda match: context[match[1]], value)


@pytest.fixture
def checkout(space: Space) -> Space:
    """A checkout full of traps, and programs that say what they were asked."""
    marks = space.root.parent / "marks"
    body = f"import os\nopen({str(marks)!r}, 'a').write(__name__ + os.environ['TOKEN'])\n"
    space.write({f"{name}.py": body for name in TRAPS})
    space.write({f"{name}/__init__.py": body for name in ("pip", "figmill")})
    space.write({"pip/__main__.py": body, "questions/.keep": ""})
    bin_ = space.root.parent / "bin"
    bin_.mkdir()
    log = space.root.parent / "log"
    programs = {
        # As far as the word `install`, it is Python itself; nothing is installed.
        "python": f'case "$1" in -I) exec {sys.executable} -I -m pip --version;; esac\n'
        f'exec {sys.executable} "$1" "$2" --version\n',
        "render-visuals": "exit 0\n",
        "sudo": "exit 0\n",
        "bwrap": "exit 0\n",
    }
    for name, text in programs.items():
        program = bin_ / name
        program.write_text(f'#!/bin/sh\necho "{name} $* [$FIGMILL_SANDBOX]" >>"{log}"\n{text}')
        program.chmod(0o755)
    return space


def run(space: Space, **inputs: str) -> list[str]:
    """Run the shell steps of the action in a checkout; what was called."""
    definitions = yaml.safe_load((REPOSITORY / "action.yml").read_text())["inputs"]
    given = {name: row["default"] for name, row in definitions.items()} | inputs
    beside = space.root.parent
    for step in (step for step in steps() if "run" in step):
        env = {name: filled(str(value), given) for name, value in step.get("env", {}).items()}
        done = subprocess.run(
            ["sh", "-e", "-c", step["run"]],
            cwd=space.root,
            capture_output=True,
            text=True,
            env={
                "PATH": f"{beside / 'bin'}{os.pathsep}{os.environ['PATH']}",
                "TOKEN": "secret",
                "GITHUB_OUTPUT": str(beside / "output"),
                **env,
            },
        )
        assert done.returncode == 0, done
    return (beside / "log").read_text().splitlines()


def test_the_action_runs_nothing_of_the_checkout(checkout: Space) -> None:
    called = run(checkout)
    lock = REPOSITORY / ".github/requirements.lock"
    installed = [line for line in called if line.startswith("python")]
    assert installed == [
        f"python -I -m pip install --require-hashes -r {lock} [require]",
        f"python -I -m pip install --no-deps --no-build-isolation {REPOSITORY} "
        f"{REPOSITORY}/packages/kinds {REPOSITORY}/packages/structure {REPOSITORY}/packages/timelines [require]",
    ]
    assert called[-1].startswith("render-visuals --root . --check --against HEAD~1")
    assert called[-1].endswith("[require]")
    assert not (checkout.root.parent / "marks").exists()


def test_the_version_and_the_sandbox_are_the_workflows(checkout: Space) -> None:
    called = run(checkout, version="figmill[report]==0.1.0", sandbox="auto")
    assert called[0] == "python -I -m pip install figmill[report]==0.1.0 [auto]"
    assert called[-1].endswith("[auto]") and not [line for line in called if line.startswith("sudo")]
    assert not (checkout.root.parent / "marks").exists()


def test_the_traps_are_traps(checkout: Space) -> None:
    """With plain `python -m pip`, as many write it, the file of the checkout runs, and reads the token."""
    env = {**os.environ, "TOKEN": "secret"}
    subprocess.run(
        [sys.executable, "-m", "pip", "--version"], cwd=checkout.root, env=env, capture_output=True
    )
    assert "secret" in (checkout.root.parent / "marks").read_text()


def test_the_lock_of_the_action_is_that_of_the_repository() -> None:
    subprocess.run([sys.executable, REPOSITORY / ".github/lock.py", "--check"], check=True)
    text = (REPOSITORY / ".github/requirements.lock").read_text()
    names = set(re.findall(r"^(\S+)==", text, re.M))
    assert {"click", "hatchling", "fontpkg-arimo", "resvg-py", "pygraphviz"} <= names
    assert text.count("--hash=sha256:") >= len(names) == text.count("==")


HEAD = "who:$(touch x)`touch y`"
PULLS = (("a" * 40, 7), ("b" * 40, 8), ("b" * 40, 9))


@pytest.mark.parametrize(("sha", "number"), [("b" * 40, "8"), ("a" * 40, "7"), ("c" * 40, None)])
def test_the_comment_goes_to_the_pull_request_of_the_commit(
    space: Space, sha: str, number: str | None
) -> None:
    """Whatever the fork's own artifact says of it."""
    text = next(text for name, text in SNIPPETS.items() if "figures-comment.yml" in text)
    (step,) = (step for step in yaml.safe_load(text)["jobs"]["comment"]["steps"] if "run" in step)
    assert step["env"]["SHA"] == "${{ github.event.workflow_run.head_sha }}"
    bin_, log = space.root.parent / "bin", space.root.parent / "log"
    bin_.mkdir()
    rows = "\n".join(f"{head} {pull}" for head, pull in PULLS)
    gh = bin_ / "gh"
    gh.write_text(f'#!/bin/sh\necho "$*" >>"{log}"\ntest "$1" != api || echo "{rows}"\n')
    gh.chmod(0o755)
    space.write({"number": "7", "pulls": f"{sha} 1\n", "comment.md": "x"})
    env = {
        "PATH": f"{bin_}{os.pathsep}{os.environ['PATH']}",
        "REPO": "o/r",
        "HEAD": "who:$(touch x)`touch y`",
        "SHA": sha,
    }
    subprocess.run(["bash", "-e", "-c", step["run"]], cwd=space.root, env=env, check=True)
    asked, *said = log.read_text().splitlines()
    assert asked.startswith(f"api --method GET repos/o/r/pulls -f state=open -f head={HEAD}")
    options = "--repo o/r --body-file comment.md --edit-last --create-if-none"
    assert said == ([f"pr comment {number} {options}"] if number else [])
    assert not (space.root / "x").exists() and not (space.root / "y").exists()
