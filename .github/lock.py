"""Take from requirements.lock what the action installs: figmill with its reports, and what builds its wheel.

python .github/lock.py            writes .github/requirements.lock; `make lock` does so
python .github/lock.py --check    exit 1 if it is not what requirements.lock says
"""

from __future__ import annotations

import re
import sys
import tomllib
from importlib.metadata import requires
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

HERE = Path(__file__).parent
OUT = HERE / "requirements.lock"
EXTRA = "report"


def blocks(lock: str) -> dict[str, str]:
    """Each package's lines of the lock, without its comments."""
    found = re.findall(r"^((\S+?)==.*(?:\n    --hash.*)+)", lock, re.MULTILINE)
    return {canonicalize_name(name): f"{text}\n" for text, name in found}


def needed(project: dict[str, dict[str, object]]) -> set[str]:
    """The names of all packages, with those that they need themselves, as they are installed here."""
    about, build = project["project"], project["build-system"]
    waiting = [
        Requirement(line)
        for line in (
            *about["dependencies"],
            *build["requires"],  # type: ignore[misc]
            *about["optional-dependencies"][EXTRA],
        )
    ]  # type: ignore[index]
    names: set[str] = {"figmill"}  # its kinds need it, as it needs them
    while waiting:
        wanted = waiting.pop()
        name = canonicalize_name(wanted.name)
        if name not in names and (wanted.marker is None or wanted.marker.evaluate({"extra": ""})):
            names.add(name)
            waiting += map(Requirement, requires(name) or ())
    return {
        name for name in names if not name.startswith("figmill")
    }  # its own distributions come with the action


def text() -> str:
    lock = blocks((HERE.parent / "requirements.lock").read_text("utf-8"))
    names = needed(tomllib.loads((HERE.parent / "pyproject.toml").read_text("utf-8")))
    head = "# Made by .github/lock.py from requirements.lock: what the action installs.\n"
    return head + "".join(lock[name] for name in sorted(names))


if __name__ == "__main__":
    if "--check" in sys.argv:
        sys.exit(OUT.read_text("utf-8") != text())
    OUT.write_text(text(), "utf-8")
