"""A release: the workflows are sound, and each of their steps that can run here does what it says."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import matrix
import pytest
import yaml
from helpers.book import REPOSITORY
from rattler_build import RattlerBuildError, Stage0Recipe, VariantConfig

import figmill

GITHUB = REPOSITORY / ".github"
WORKFLOWS = sorted((GITHUB / "workflows").glob("*.yml"))
# A schema that check-jsonschema brings along -> the files that it is for.
SCHEMAS = {
    "vendor.github-workflows": WORKFLOWS,
    "vendor.github-actions": [REPOSITORY / "action.yml"],
    "vendor.dependabot": [GITHUB / "dependabot.yml"],
    "vendor.readthedocs": [REPOSITORY / ".readthedocs.yaml"],
    "vendor.citation-file-format": [REPOSITORY / "CITATION.cff"],
}


def run(*arguments: str | Path, folder: Path = REPOSITORY, **env: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*map(str, arguments)],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
        env={**os.environ, **env},
    )


def python(code: str) -> subprocess.CompletedProcess[str]:
    return run(sys.executable, "-c", code)


@pytest.mark.parametrize("schema", SCHEMAS)
def test_each_file_is_what_its_reader_takes(schema: str, tmp_path: Path) -> None:
    """And a file that is not is refused beside them."""
    wrong = tmp_path / "wrong.yml"
    wrong.write_text("version: 1\n")
    options = ("--verbose", "--output-format", "json", "--builtin-schema", schema)
    done = run(sys.executable, "-m", "check_jsonschema", *options, *SCHEMAS[schema], wrong)
    told = json.loads(done.stdout)
    assert sorted(told["successes"]) == sorted(map(str, SCHEMAS[schema])), told
    assert done.returncode == 1 and {error["filename"] for error in told["errors"]} == {str(wrong)}


def audited(*places: Path) -> subprocess.CompletedProcess[str]:
    """zizmor's audits, but for those that ask the network, and for remarks without a severity."""
    program = Path(sys.executable).with_name("zizmor")
    return run(
        program, "--offline", "--no-progress", "--persona", "pedantic", "--min-severity", "low", *places
    )


def test_an_auditor_finds_nothing_in_the_workflows(tmp_path: Path) -> None:
    """Such as what a branch's name may write into a shell, a token left behind, a right that nobody needs."""
    done = audited(GITHUB, REPOSITORY / "action.yml")
    assert done.returncode == 0, done.stdout
    wrong = tmp_path / ".github/workflows/wrong.yml"
    wrong.parent.mkdir(parents=True)
    text = (GITHUB / "workflows/release.yml").read_text()
    wrong.write_text(text.replace('"$GITHUB_REF_NAME"', "${{ github.ref_name }}"))
    assert "template-injection" in audited(wrong).stdout


def jobs() -> Iterator[tuple[str, dict[str, Any]]]:
    for path in WORKFLOWS:
        for name, job in yaml.safe_load(path.read_text())["jobs"].items():
            yield f"{path.stem}/{name}", job


def test_only_who_publishes_may_write() -> None:
    """And an artifact that another job needs is one that a job before it has made."""
    rights = {name: job.get("permissions", {}) for name, job in jobs()}
    assert {name for name, each in rights.items() if "write" in each.values()} == {
        "release/publish",
        "release/announce",
        "docs/publish",
    }
    for name in ("release/publish", "release/announce", "docs/publish"):
        (steps,) = (job["steps"] for each, job in jobs() if each == name)
        assert not [step for step in steps if "checkout" in step.get("uses", "")], (
            f"{name} runs code of the book"
        )


def test_every_python_that_is_promised_is_tested() -> None:
    by_name = dict(jobs())
    assert tuple(by_name["ci/test"]["strategy"]["matrix"]["python"]) == matrix.VERSIONS
    project = tomllib.loads((REPOSITORY / "pyproject.toml").read_text())["project"]
    versions = re.findall(r"Python :: (3\.\d+)", "\n".join(project["classifiers"]))
    assert tuple(versions) == matrix.VERSIONS
    assert project["requires-python"] == f">={matrix.VERSIONS[0]}"
    assert {"windows", "debian"} <= {name.partition("/")[2] for name in by_name}


# How conda names what has another name there, and what is a package of its own.
OF_CONDA = {"matplotlib": "matplotlib-base", "graphviz": "python-graphviz"}
BESIDE = {"python", "graphviz"}


def test_the_recipe_of_conda_is_one_and_asks_for_what_the_package_asks_for() -> None:
    """rattler-build, which builds conda-forge's packages, reads and renders it."""
    recipe = Stage0Recipe.from_file(REPOSITORY / "conda/recipe.yaml")
    (variant,) = recipe.render(VariantConfig())
    rendered = variant.recipe.to_dict()
    assert rendered["package"]["version"] == figmill.__version__
    run = dict(line.split() for line in rendered["requirements"]["run"] if " " in line)
    project = tomllib.loads((REPOSITORY / "pyproject.toml").read_text())["project"]
    asked = dict(re.fullmatch(r"([\w-]+)([>=]=.+)", line).groups() for line in project["dependencies"])  # type: ignore[union-attr]
    inside = {asked.pop(name) for name in ("figmill-kinds", "figmill-structure", "figmill-timelines")}
    assert inside == {f"=={figmill.__version__}"}
    assert {OF_CONDA.get(name, name): version for name, version in asked.items()} == {
        name: version for name, version in run.items() if name not in BESIDE
    }
    asks = [each["python"]["imports"] for each in rendered["tests"] if "python" in each]
    extras = "sys.modules.update(dict.fromkeys(('docutils', 'markdown', 'mkdocs', 'sphinx')))"  # not in its environment
    done = python(f"import sys; {extras}; import {', '.join(name for names in asks for name in names)}")
    assert done.returncode == 0, done.stderr
    with pytest.raises(RattlerBuildError):
        Stage0Recipe.from_yaml("package: {name: figmill}\nsources: []\n")


# ---------------------------------------------------------------- the steps


def step(workflow: str, job: str, name: str) -> dict[str, Any]:
    steps = dict(jobs())[f"{workflow}/{job}"]["steps"]
    (row,) = (each for each in steps if each.get("name") == name)
    return dict(row)


def test_two_machines_that_differ_end_a_release(tmp_path: Path) -> None:
    """The steps of the job `compare`, in its folders."""
    (tmp_path / ".github").symlink_to(GITHUB)
    for machine in ("24.04", "22.04"):
        folder = tmp_path / f"built/dist-ubuntu-{machine}"
        folder.mkdir(parents=True)
        (folder / "figmill-0.1.0.tar.gz").write_bytes(b"an sdist")
        (folder / "figmill-0.1.0-py3-none-any.whl").write_bytes(b"a wheel")
    script = step("release", "compare", "both machines built the same bytes")["run"]
    done = run("bash", "-e", "-c", script, folder=tmp_path)
    assert (done.returncode, done.stdout) == (0, "2 lists of the same 2 files\n"), done.stderr
    (folder / "figmill-0.1.0-py3-none-any.whl").write_bytes(b"another")
    done = run("bash", "-e", "-c", script, folder=tmp_path)
    assert done.returncode == 1
    assert "figmill-0.1.0-py3-none-any.whl: built/dist-ubuntu-24.04.digests not as" in done.stdout
    (folder / "figmill-0.1.0-py3-none-any.whl").unlink()
    assert run("bash", "-e", "-c", script, folder=tmp_path).returncode == 1


def test_digests_are_those_of_sha256sum(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "a/b.svg").write_bytes(b"x")
    listed = run(sys.executable, "-I", GITHUB / "same.py", "--list", tmp_path).stdout
    assert listed == run("sha256sum", "a/b.svg", folder=tmp_path).stdout
    assert run(sys.executable, GITHUB / "same.py", "--list", tmp_path / "nothing").returncode == 2
    (tmp_path / "empty").write_text("")
    assert run(sys.executable, GITHUB / "same.py", tmp_path / "empty", tmp_path / "empty").returncode == 2


CHANGES = """\
# Changelog

## [Unreleased]

## [{version}]{date}

### Added

- A kind.

## [0.0.9] - 2026-01-01

- Older.
"""


def repository(folder: Path, version: str, date: str, released: str) -> Path:
    """What a release reads, with the script that reads it."""
    (folder / "figmill").mkdir(parents=True)
    (folder / ".github").mkdir()
    (folder / ".github/release.py").write_bytes((GITHUB / "release.py").read_bytes())
    (folder / "figmill/__init__.py").write_text(f'__version__ = "{version}"\n')
    (folder / "CHANGELOG.md").write_text(CHANGES.format(version=version, date=date))
    (folder / "CITATION.cff").write_text(f"version: 1.2.0\n{released}".replace("1.2.0", version))
    return folder


def test_a_tag_is_what_the_files_say(tmp_path: Path) -> None:
    good = repository(tmp_path / "a", "1.2.0", " - 2026-11-24", "date-released: 2026-11-24\n")
    script = step("release", "build", "the tag, the version and the changelog agree")["run"]
    script = script.replace("python ", f"{sys.executable} ")
    done = run("bash", "-e", "-c", script, folder=good, GITHUB_REF_NAME="v1.2.0")
    assert done.returncode == 0, done.stderr
    done = run("bash", "-e", "-c", script, folder=good, GITHUB_REF_NAME="v1.3.0")
    assert done.returncode == 1
    assert "the version is 1.2.0, and the tag v1.3.0; it would be v1.2.0" in done.stderr
    bad = repository(tmp_path / "b", "1.2.0", "", "")
    done = run("bash", "-e", "-c", script, folder=bad, GITHUB_REF_NAME="v1.2.0")
    assert "CHANGELOG.md: no section `## [1.2.0] - YYYY-MM-DD`" in done.stderr
    mixed = repository(tmp_path / "d", "1.2.0", " - 2026-11-24", "date-released: 2026-11-24\n")
    (mixed / "pyproject.toml").write_text('dependencies = [\n    "figmill-timelines==1.1.0",\n]\n')
    done = run("bash", "-e", "-c", script, folder=mixed, GITHUB_REF_NAME="v1.2.0")
    assert "pyproject.toml: not of version 1.2.0" in done.stderr
    late = repository(tmp_path / "c", "1.2.0", " - 2026-11-24", "date-released: 2026-11-23\n")
    done = run("bash", "-e", "-c", script, folder=late, GITHUB_REF_NAME="v1.2.0")
    assert "CITATION.cff: not `date-released: 2026-11-24`" in done.stderr


def test_a_release_is_announced_with_its_notes(tmp_path: Path) -> None:
    """The notes' step and the next job's, with a `gh` that says what it was asked."""
    root = repository(tmp_path / "a", "1.2.0", " - 2026-11-24", "date-released: 2026-11-24\n")
    (root / "built/dist-ubuntu-24.04").mkdir(parents=True)
    (root / "built/dist-ubuntu-24.04/figmill-1.2.0.tar.gz").write_bytes(b"an sdist")
    env = {"GITHUB_REF_NAME": "v1.2.0", "PATH": f"{tmp_path}{os.pathsep}{os.environ['PATH']}"}
    done = run(
        "bash", "-e", "-c", step("release", "compare", "the notes of the release")["run"], folder=root, **env
    )
    assert done.returncode == 0, done.stderr
    assert (root / "release/notes.md").read_text() == "### Added\n\n- A kind.\n"
    gh = tmp_path / "gh"
    gh.write_text('#!/bin/sh\necho "$*"\n')
    gh.chmod(0o755)
    done = run(
        "bash", "-e", "-c", step("release", "announce", "the release on the forge")["run"], folder=root, **env
    )
    assert done.stdout == (
        "release create v1.2.0 release/dist/figmill-1.2.0.tar.gz --verify-tag --notes-file release/notes.md\n"
    )


def test_this_repository_is_ready_for_the_next_release() -> None:
    """Its changelog can be read, and has a place for what comes; the citation is of this version."""
    text = (REPOSITORY / "CHANGELOG.md").read_text("utf-8")
    headings = re.findall(r"^## (.+)$", text, re.M)
    assert headings[0] == "[Unreleased]"
    assert all(re.fullmatch(r"\[\d+\.\d+\.\d+\] - \d{4}-\d\d-\d\d", heading) for heading in headings[1:])
    assert f"\nversion: {figmill.__version__}\n" in (REPOSITORY / "CITATION.cff").read_text("utf-8")
    told = run(sys.executable, GITHUB / "release.py", "check", f"v{figmill.__version__}0").stderr
    assert told == (
        f"figmill/__init__.py: the version is {figmill.__version__}, and the tag v{figmill.__version__}0; "
        f"it would be v{figmill.__version__}\n"
    )
