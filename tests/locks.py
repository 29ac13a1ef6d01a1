"""Write the lock files for the oldest Python that figmill promises, and ask the index whether every Python takes them.

    make lock                what is locked stays while it fits
    make lock UPGRADE=yes    the newest of everything

requirements.lock has what `make` installs: figmill's own needs, those of its extras, and the build backend.
requirements-test.lock has what `make test` and `make docs` install besides, in the same versions.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
from functools import cache
from pathlib import Path

REPOSITORY = Path(__file__).parent.parent
OLDEST = "3.11.0"
PYTHONS = (OLDEST, "3.11.2", "3.12.0", "3.13.0", "3.14.0")  # 3.11.2 is Debian 12's
SMALL, TESTS = "requirements.lock", "requirements-test.lock"
# Our own distributions: their needs are locked, and they are installed from this checkout.
NAMES = ("kinds", "structure", "timelines")
SHELVES = tuple(f"packages/{name}/pyproject.toml" for name in NAMES)
OURS = ("--no-emit-package=figmill", *(f"--no-emit-package=figmill-{name}" for name in NAMES))
# What is locked in each, as uv names it.
LOCKED = {
    SMALL: ("pyproject.toml", *SHELVES, "--all-extras", "--group", "build", *OURS),
    TESTS: ("--group", "docs", "--group", "test", "--constraint", SMALL),
}
UV = str(Path(sys.executable).with_name("uv"))
# No URLs: a lock serves whatever index pip is set up with.
COMPILE = (
    UV,
    "pip",
    "compile",
    "--quiet",
    "--python-version",
    OLDEST,
    "--generate-hashes",
    "--no-annotate",
    "--no-emit-index-url",
    "--no-emit-find-links",
    "--custom-compile-command",
    "make lock",
)


@cache
def environment() -> dict[str, str]:
    """For uv: it asks the index that pip is set up with. Not as an option, which it would write into the lock."""
    command = [sys.executable, "-m", "pip", "config", "list"]
    told = subprocess.run(command, capture_output=True, text=True, check=True, timeout=60).stdout
    indexes = re.findall(r"^\S+\.index-url='(.+)'$", told, re.MULTILINE)
    return {"UV_DEFAULT_INDEX": indexes[-1], **os.environ} if indexes else dict(os.environ)


def write(lock: str, upgrade: bool) -> None:
    """First what the oldest Python takes; then the same versions, with what other Pythons and systems need."""
    with tempfile.TemporaryDirectory(prefix="figmill-lock-") as folder:
        new, first = Path(folder, lock), Path(folder, "first")
        if not upgrade:
            shutil.copy(REPOSITORY / lock, new)
        command = [*COMPILE, *LOCKED[lock], "--output-file", str(new)]
        subprocess.run(command, cwd=REPOSITORY, env=environment(), check=True, timeout=600)
        new.rename(first)
        subprocess.run(
            [*command, "--universal", "--constraint", str(first)],
            cwd=REPOSITORY,
            env=environment(),
            check=True,
            timeout=600,
        )
        shutil.copyfile(new, REPOSITORY / lock)


def check(lock: str, version: str) -> tuple[int, str]:
    """Whether that Python can install a lock, from wheels with its hashes alone: uv's exit code, and what it says.

    pip would tell the same, but fetches every file to do so.
    """
    with tempfile.TemporaryDirectory(prefix="figmill-lock-") as folder:
        done = subprocess.run(
            [
                UV,
                "pip",
                "install",
                "--quiet",
                "--dry-run",
                "--python-version",
                version,
                "--only-binary",
                ":all:",
                "--no-deps",
                "--require-hashes",
                "--target",
                folder,
                "--requirement",
                str(REPOSITORY / lock),
            ],
            env=environment(),
            capture_output=True,
            text=True,
            check=False,
            timeout=300,
        )
    return done.returncode, done.stderr.strip()


def main() -> int:
    parser = argparse.ArgumentParser(description="Write the lock files.")
    parser.add_argument("--upgrade", action="store_true", help="take the newest of everything")
    options = parser.parse_args()
    for lock in LOCKED:
        write(lock, options.upgrade)
    answers = [(lock, version, *check(lock, version)) for lock in LOCKED for version in PYTHONS]
    for lock, version, code, told in answers:
        if code:
            print(f"{lock}: Python {version} cannot install it: {told}")
    return 1 if any(code for _, _, code, _ in answers) else 0


if __name__ == "__main__":
    sys.exit(main())
