"""The shell steps of the workflows on a bare Debian: those of ci, docs and release that need no forge.

    make fresh STEPS=yes       in an hour at most; the same bare root as `make fresh`

Two checkouts stand for the machines, one of root and one of an ordinary user. An action that checks out, sets up
Python, or keeps and fetches artifacts is done by hand here; a step that cannot run here is listed with the reason.
`make test` runs a few tests. The release is of a commit that is made here, with a changelog of that version.
"""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import fresh
import yaml

WORKFLOWS = fresh.REPOSITORY / ".github/workflows"
VERSION = re.search(r'__version__ = "(.+)"', (fresh.REPOSITORY / "figmill/__init__.py").read_text())[1]  # type: ignore[index]
DATE = "2026-11-28"


@dataclass(frozen=True, slots=True)
class Machine:
    """Whose checkout a job runs in, and what its expressions mean."""

    user: str
    means: dict[str, str] = field(default_factory=dict)


NEW, OLD = {"matrix.system": "ubuntu-24.04"}, {"matrix.system": "ubuntu-22.04"}
# The jobs in their order. The checkout of a user is shared by the jobs in it, as a build of `.venv` takes minutes.
JOBS: tuple[tuple[str, Machine], ...] = (
    ("ci/debian", Machine("root")),
    ("ci/test", Machine("user", {**NEW, "matrix.python": "3.11"})),
    ("ci/same", Machine("root")),
    ("docs/build", Machine("root")),
    ("release/build", Machine("root", NEW)),
    ("release/build", Machine("user", OLD)),
    ("release/compare", Machine("root")),
)
ELSEWHERE = {
    "ci/windows": "needs Windows",
    "soak/soak": "takes hours",
    "docs/publish": "needs the pages of a forge",
    "release/publish": "needs an index that trusts the workflow, and the log of attestations",
    "release/announce": "needs a forge; tests/test_release.py runs it with a `gh` that says what it was asked",
}
MEANS = {"github.server_url": "https://forge.example", "github.repository": "someone/figmill"}
# Variables that a runner sets, and some that make a step short: `make test` takes these tests from pytest's variable.
VARIABLES = {
    "GITHUB_REF_NAME": f"v{VERSION}",
    "PATH": "/opt/python/bin:/usr/sbin:/usr/bin:/sbin:/bin",
    "PYTEST_ADDOPTS": "packages/timelines/tests/test_units.py tests/test_readme.py tests/commands/test_cli.py",
}
SHELLS = {"bash": "bash --noprofile --norc -eo pipefail", "sh": "sh -e", "": "bash -e"}


def jobs() -> dict[str, tuple[dict[str, Any], str]]:
    """The jobs of all workflows, each with its shell."""
    by_name = {}
    for path in sorted(WORKFLOWS.glob("*.yml")):
        workflow = yaml.safe_load(path.read_text())
        for name, job in workflow["jobs"].items():
            shells = [each.get("defaults", {}).get("run", {}).get("shell", "") for each in (job, workflow)]
            by_name[f"{path.stem}/{name}"] = job, next(filter(None, shells), "")
    return by_name


def meant(text: str, machine: Machine) -> str:
    """A text with its expressions replaced; one without a meaning here is empty."""
    return re.sub(r"\$\{\{ *([\w.]+) *\}\}", lambda match: (MEANS | machine.means).get(match[1], ""), text)


def released(root: Path, user: str) -> None:
    """Commit what a release changes, in a user's checkout."""
    folder = root / fresh.USERS[user][1] / "figmill"
    changes, citation = folder / "CHANGELOG.md", folder / "CITATION.cff"
    text = changes.read_text("utf-8").replace(
        "## [Unreleased]", f"## [Unreleased]\n\n## [{VERSION}] - {DATE}", 1
    )
    changes.write_text(text, "utf-8")
    citation.write_text(f"{citation.read_text('utf-8').rstrip()}\ndate-released: {DATE}\n", "utf-8")
    number, home = fresh.USERS[user]
    git = ["chroot", f"--userspec={number}:{number}", str(root), "git", "-C", f"/{home}/figmill"]
    env = {"HOME": f"/{home}", "PATH": VARIABLES["PATH"]}
    who = ("-c", "user.name=a", "-c", "user.email=a@example.org")
    for arguments in (("add", "-u"), ("commit", "-qm", "A release"), ("tag", f"v{VERSION}")):
        subprocess.run([*git, *who, *arguments], check=True, timeout=60, env=env)


def exchange(step: dict[str, Any], folder: Path, kept: Path, machine: Machine) -> str:
    """What an action does that keeps or fetches artifacts; otherwise why it is left out."""
    action, given = step["uses"].partition("@")[0], step.get("with", {})
    name, path = (meant(str(given.get(word, "")), machine) for word in ("name", "path"))
    if action == "actions/upload-artifact":
        place = kept / name
        place.mkdir(parents=True, exist_ok=True)
        for each in folder.glob(path):
            if each.is_dir():
                shutil.copytree(each, place, dirs_exist_ok=True)
            else:
                shutil.copyfile(each, place / each.name)
        return f"kept {', '.join(sorted(each.name for each in place.iterdir()))}"
    if action == "actions/download-artifact":
        if (folder / path).is_file():  # of an earlier job in the same checkout
            (folder / path).unlink()
        shutil.rmtree(folder / path, ignore_errors=True)
        shutil.copytree(kept / name, folder / path)
        return "fetched"
    return "an action, done by hand" if action in ("actions/checkout", "actions/setup-python") else "left out"


def run_job(
    root: Path, name: str, machine: Machine, kept: Path
) -> Iterator[tuple[str, int, float, list[str]]]:
    """Each step of a job: its name, exit code, seconds and last lines. Ends after a step that fails."""
    job, shell = jobs()[name]
    _, home = fresh.USERS[machine.user]
    folder = root / home / "figmill"
    for step in job["steps"]:
        if "uses" in step:
            yield step["uses"].partition("@")[0], 0, 0.0, [exchange(step, folder, kept, machine)]
            continue
        script = root / "tmp/step.sh"
        own = {key: meant(str(value), machine) for key, value in step.get("env", {}).items()}
        exports = "".join(f"export {key}='{value}'\n" for key, value in {**VARIABLES, **own}.items())
        script.write_text(f"{exports}{meant(step['run'], machine)}\n")
        script.chmod(0o644)
        command = f"{SHELLS[step.get('shell', shell)]} /tmp/step.sh"
        code, took, said = fresh.run(root, machine.user, command, 3600, f"/{home}/figmill")
        yield step["name"], code, took, said[-fresh.TAIL if code else -2 :]
        if code:
            return


def main(root: Path) -> int:
    """Run all jobs in a bare root. Returns 1 if a step failed."""
    kept = root / "tmp/artifacts"
    shutil.rmtree(kept, ignore_errors=True)
    fresh.run(root, "root", "python3 -m venv /opt/python", 600, "/")
    for user in fresh.USERS:
        fresh.checkout(root, user)
    failed: set[str] = set()
    is_released = False
    for name, machine in JOBS:
        needs = jobs()[name][0].get("needs", [])
        if needless := {*([needs] if isinstance(needs, str) else needs)} & {
            each.partition("/")[2] for each in failed
        }:
            print(f"== {name}: not run, as {', '.join(sorted(needless))} failed")
            continue
        if name == "release/build" and not is_released:
            is_released = True
            for user in fresh.USERS:
                released(root, user)
        print(f"== {name}, as {machine.user}", flush=True)
        for step, code, took, said in run_job(root, name, machine, kept / name.partition("/")[0]):
            print(f"  {'ok' if code == 0 else f'exit code {code}'}: {step}, {took:.0f} s", flush=True)
            print("".join(f"      {line[:200]}\n" for line in said), end="", flush=True)
            failed |= {name} if code else set()
    for name, why in ELSEWHERE.items():
        print(f"== {name}: not here; it {why}")
    return int(bool(failed))
