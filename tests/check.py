"""What a change touches, in a minute and a half: ruff, mypy, and the tests nearest to it.

    make check               what differs from the last commit; on a clean tree, the last commit itself
    make check BASE=main     what differs from a branch

Tests come in this order: those that were changed; those that import a changed module, or one that imports it, and so
on; those in the folder of the same name, or named after it. It ends at the first test that fails. Its last line
says how many files were not reached, if any.
"""

from __future__ import annotations

import argparse
import ast
import signal
import subprocess
import sys
import time
from collections import deque
from collections.abc import Iterable, Iterator
from contextlib import suppress
from functools import cache
from pathlib import Path

REPOSITORY = Path(__file__).parent.parent
SECONDS = 90  # for everything
ENDING = 12  # of these, for pytest to end when it is interrupted: the processes of the tests end first
AT_ONCE = 6  # files of tests in one process, whose start takes as long as those of a small file
# Where modules are imported from, and the folders of each that hold code.
ROOTS = (REPOSITORY, REPOSITORY / "tests", *sorted((REPOSITORY / "packages").iterdir()))
FOLDERS = ("figmill", "helpers", "figmill_*")
FAR = 9  # steps of import; what is further away comes by its folder, or not at all


def changed(base: str) -> list[str]:
    """Paths that differ from a commit, and those that git does not know yet; else those of the last commit."""

    def git(*arguments: str) -> list[str]:
        done = subprocess.run(["git", *arguments], cwd=REPOSITORY, capture_output=True, text=True, check=True)
        return done.stdout.splitlines()

    paths = [*git("diff", "--name-only", base), *git("ls-files", "--others", "--exclude-standard")]
    return paths or git("diff", "--name-only", f"{base}~1", base)


@cache
def modules() -> dict[str, Path]:
    """Every module of ours, and every test by its path, with its file."""
    modules_by_name = {
        ".".join(path.relative_to(root).with_suffix("").parts).removesuffix(".__init__"): path
        for root in ROOTS
        for folder in FOLDERS
        for path in root.glob(f"{folder}/**/*.py")
    }
    tests = (path for root in ("tests", "packages") for path in (REPOSITORY / root).rglob("test_*.py"))
    return modules_by_name | {path.relative_to(REPOSITORY).as_posix(): path for path in tests}


def imported(path: Path) -> Iterator[str]:
    """The names that a module imports, anywhere in it."""
    for node in ast.walk(ast.parse(path.read_bytes())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


@cache
def importers() -> dict[str, set[str]]:
    """Module or test -> what imports it."""
    files = modules()
    by_name: dict[str, set[str]] = {name: set() for name in files}
    for name, path in files.items():
        for other in imported(path):
            if other in by_name:
                by_name[other].add(name)
    return by_name


def distances(starts: Iterable[str]) -> dict[str, int]:
    """Module or test -> the steps of import from it to the nearest changed one."""
    steps = dict.fromkeys(starts, 0)
    waiting = deque(steps)
    while waiting:
        name = waiting.popleft()
        for other in importers()[name]:
            if other not in steps:
                steps[other] = steps[name] + 1
                waiting.append(other)
    return steps


def nearest(paths: Iterable[str]) -> list[str]:
    """The test files that a change of these paths touches, the nearest first."""
    files = modules()
    names = {path: name for name, path in files.items()}
    starts = [names[file] for path in paths if (file := REPOSITORY / path) in names]
    steps = distances(starts)
    code = [name for name in starts if not name.endswith(".py")]
    folders = {files[name].parent.name for name in code}
    stems = {files[name].stem for name in code}

    def rank(test: str) -> tuple[int, bool, str]:
        is_of_its_name = any(stem in Path(test).stem for stem in stems)
        is_beside = Path(test).parent.name in folders or any(name in Path(test).stem for name in folders)
        return (
            min(steps.get(test, FAR), 1 if is_of_its_name else 2 if is_beside else FAR),
            not is_beside,
            test,
        )

    return sorted((name for name in files if name.endswith(".py") and rank(name)[0] < FAR), key=rank)


def main() -> int:
    parser = argparse.ArgumentParser(description="Check what a change touches.")
    parser.add_argument("--base", default="HEAD", help="the commit that the change is compared with")
    base = parser.parse_args().base
    began, code = time.monotonic(), 0
    for tool in (("ruff", "check", "."), ("ruff", "format", "--check", "."), ("mypy",)):
        code |= subprocess.run([sys.executable, "-m", *tool], cwd=REPOSITORY, check=False).returncode
    waiting = nearest(changed(base))
    done, failed = 0, False
    while done < len(waiting) and not failed and (left := SECONDS - ENDING - (time.monotonic() - began)) > 0:
        files = waiting[done : done + AT_ONCE]
        command = [sys.executable, "-m", "pytest", "-x", "-m", "not soak and not site", "--no-header", *files]
        with subprocess.Popen(command, cwd=REPOSITORY) as running:
            try:
                status = running.wait(left)
            except subprocess.TimeoutExpired:
                running.send_signal(signal.SIGINT)  # so that what it has started ends, too
                with suppress(subprocess.TimeoutExpired):
                    running.wait(SECONDS - (time.monotonic() - began))
                running.kill()  # has no effect on a process that has ended
                break
        failed = status not in (0, 5)  # 5: all of its tests are left to `make soak`
        done += len(files)
    if done < len(waiting):
        limit = "before a test failed" if failed else f"in {SECONDS} s"
        print(
            f"{len(waiting) - done} of {len(waiting)} test files were not reached {limit}; make test runs all"
        )
    return 1 if code or failed else 0


if __name__ == "__main__":
    sys.exit(main())
