"""The lock files: what they name, that they fit together, and that each Python that is promised can install them."""

from __future__ import annotations

import re
import tomllib
from itertools import chain
from pathlib import Path
from typing import Any

import pytest
from helpers.book import REPOSITORY
from locks import OLDEST, PYTHONS, SMALL, TESTS, check
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

PROJECTS: list[dict[str, Any]] = [
    tomllib.loads(path.read_text("utf-8"))
    for path in (REPOSITORY / "pyproject.toml", *sorted(REPOSITORY.glob("packages/*/pyproject.toml")))
]
PROJECT = PROJECTS[0]
GROUPS = PROJECT["dependency-groups"]
# What each lock is for, and so must have.
WANTED = {
    SMALL: [
        line
        for each in PROJECTS
        for line in (
            *each["project"]["dependencies"],
            *chain(*each["project"]["optional-dependencies"].values()),
            *GROUPS["build"],
            *each["build-system"]["requires"],
        )
        if not line.startswith("figmill")  # installed from this checkout
    ],
    TESTS: [*GROUPS["docs"], *GROUPS["test"]],
}


PIN = re.compile(r"^(\w[\w.-]*)==([\w.+!]+)", re.MULTILINE)


def locked(lock: str) -> dict[str, str]:
    """Each package and its one version."""
    pins = PIN.findall((REPOSITORY / lock).read_text(encoding="utf-8"))
    assert len(dict(pins)) == len(pins) > 50
    return dict(pins)


@pytest.mark.parametrize("lock", WANTED)
def test_a_lock_has_all_that_is_asked_for(lock: str) -> None:
    versions = locked(lock)
    for line in WANTED[lock]:
        asked = Requirement(line)
        assert asked.specifier.contains(versions[canonicalize_name(asked.name)]), line


def test_what_both_locks_have_is_the_same() -> None:
    one, other = locked(SMALL), locked(TESTS)
    shared = one.keys() & other.keys()
    assert len(shared) > 20
    assert {name for name in shared if one[name] != other[name]} == set()


@pytest.mark.parametrize("lock", WANTED)
def test_a_lock_has_hashes_and_no_address(lock: str) -> None:
    text = (REPOSITORY / lock).read_text(encoding="utf-8")
    assert re.findall(r"^.*(?://|@|--(?!hash=sha256:)).*$", text, re.MULTILINE) == []
    entries = re.split(r"\n(?=\w)", text.split("make lock\n")[1])
    assert len(entries) == len(locked(lock))
    assert [entry for entry in entries if "--hash=sha256:" not in entry] == []


def test_the_locks_are_for_the_pythons_that_are_promised() -> None:
    assert PROJECT["project"]["requires-python"] == ">=3.11"
    assert OLDEST == PYTHONS[0] == "3.11.0"
    assert "Python 3.11 or newer" in (REPOSITORY / "docs/guide/install.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("version", PYTHONS)
@pytest.mark.parametrize("lock", WANTED)
def test_every_python_can_install_what_is_locked(lock: str, version: str) -> None:
    code, told = check(lock, version)
    if "Failed to fetch" in told:
        pytest.skip(f"no package index answers, so that {lock} stays unchecked: {told.splitlines()[0]}")
    assert (code, told) == (0, "")


def test_a_lock_that_one_of_them_cannot_install_is_told(tmp_path: Path) -> None:
    pin = "pymdown-extensions==13.1 --hash=sha256:" + 64 * "0"
    (tmp_path / "old.lock").write_text(f"{pin}\n", encoding="utf-8")
    code, told = check(str(tmp_path / "old.lock"), "3.11.2")
    if "Failed to fetch" in told:
        pytest.skip(f"no package index answers: {told.splitlines()[0]}")
    assert code == 1 and "3.11.5" in told
