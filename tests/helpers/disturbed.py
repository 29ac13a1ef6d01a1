"""A book between two states, and what must be true of it whatever happened to the build that was under way.

`old` is a book that was built and then edited; an undisturbed build takes it to `new`. Builds here are the real
command with a folder for temporary files of its own, so that nothing that is left behind can hide.
"""

from __future__ import annotations

import hashlib
import json
import os
import pickle
import shutil
import subprocess
import sys
import time
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from helpers.book import DOT, HAND, PLOT, Space, believed
from helpers.fixtures import Once

from figmill import fastpath
from figmill.render.temp_dirs import MARKER

BUILD = (str(Path(sys.executable).parent / "render-visuals"),)
SECONDS = 120

Tree = dict[str, bytes]


def first(space: Space, *, plots: bool) -> None:
    """The book as it was built."""
    space.write({"visuals/a.dot": DOT, "visuals/b.py": PLOT, "visuals/d.svg": HAND})
    space.question("graph", "source: a.dot, alt: a sends to b which sends to c")
    space.question("hand", "source: d.svg, alt: one rank as a box")
    space.question("same", "source: d.svg, alt: one rank as a box that stays")
    space.question("gone", "source: d.svg, alt: one rank as a box that goes")
    if plots:
        space.question("plot", "kind: matplotlib, source: b.py, params: {n: 4}, alt: a line")


def edited(space: Space, *, plots: bool) -> None:
    """What its author did then."""
    space.write({"visuals/a.dot": DOT.replace("sends", "waits for")})
    space.question("hand", "source: d.svg, alt: one rank as one box")
    space.question("come", "source: a.dot, engine: neato, alt: a waits for b")
    (space.root / "questions/gone.yaml").unlink()
    if plots:
        space.question("plot", "kind: matplotlib, source: b.py, params: {n: 5}, alt: a line")


def tree(root: Path) -> Tree:
    """Every published file, whole or not; what is unfinished has a name of its own."""
    folder = root / "build"
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and not path.name.startswith(".figmill-")
    }


def stated(value: Any) -> dict[str, str]:
    """The digest of each file in a manifest, or in a part of one: of pictures and of tables."""
    if isinstance(value, dict) and "sha256" in value:
        return {value["path"]: value["sha256"]}
    parts = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return {path: digest for part in parts for path, digest in stated(part).items()}


def names(root: Path) -> frozenset[str]:
    """Every file and folder of a book but the snapshot, which a build leaves only if its settings are a moment old."""
    return frozenset(path.relative_to(root).as_posix() for path in root.rglob("*")) - {fastpath.PATH}


def leftovers(root: Path, temporary: Path) -> list[Path]:
    """What is figmill's. Python itself tries a folder for temporary files with a file of four bytes and a name
    of eight characters, which a kill may leave; nobody can tell whose that is. Nor of an empty folder: a build that is
    killed before it has marked its scratch folder leaves that, and what carries no marker is never removed."""
    files = [path for path in root.rglob(".figmill-*") if path.is_file()]
    probes = {path for path in temporary.iterdir() if path.is_file() and path.stat().st_size <= 4}
    unmarked = {path for path in temporary.iterdir() if path.is_dir() and is_unmarked(path)}
    return [*files, *(set(temporary.iterdir()) - probes - unmarked)]


def is_unmarked(folder: Path) -> bool:
    """Whether a folder is empty but for a marker of which not all is written."""
    names = os.listdir(folder)
    return names == [] or (names == [MARKER] and not (folder / MARKER).read_bytes().endswith(b"}"))


def processes(marker: Path) -> list[int]:
    """Processes that have `marker` in their command line or environment."""
    pids = []
    for entry in Path("/proc").iterdir():
        try:
            if entry.name.isdigit() and int(entry.name) != os.getpid():
                told = (entry / "cmdline").read_bytes()
                with suppress(PermissionError):  # of a process that hides it, also from its own user
                    told += (entry / "environ").read_bytes()
                if str(marker).encode() in told and (entry / "stat").read_text().split()[2] != "Z":
                    pids.append(int(entry.name))
        except OSError:
            continue
    return pids


def remaining(marker: Path) -> list[int]:
    """Those that do not end by themselves within 10 s."""
    deadline = time.monotonic() + 10
    while (running := processes(marker)) and time.monotonic() < deadline:
        time.sleep(0.02)
    return running


@dataclass(frozen=True)
class Disturbed:
    """An edited book beside what it was and what it will be; `again()` puts it back for the next attempt."""

    home: Path
    old: Tree
    new: Tree
    names: frozenset[str]  # of all that an undisturbed build leaves in the book, hidden or not
    messages: str  # of an undisturbed build
    seconds: float  # that one takes

    @property
    def root(self) -> Path:
        return self.home / "book"

    @property
    def temporary(self) -> Path:
        return self.home / "temporary"

    @property
    def environment(self) -> dict[str, str]:
        return {**os.environ, "TMPDIR": str(self.temporary)}

    def again(self) -> None:
        shutil.rmtree(self.root, ignore_errors=True)
        shutil.copytree(self.home / "edited", self.root, symlinks=True)
        believed(self.root)
        shutil.rmtree(self.temporary, ignore_errors=True)
        self.temporary.mkdir()

    def start(self, *tracer: str) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [*tracer, *BUILD],
            cwd=self.root,
            env=self.environment,
            text=True,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )

    def run(self, *tracer: str) -> tuple[int, str]:
        """Exit code and what was said on standard error."""
        process = self.start(*tracer)
        _, said = process.communicate(timeout=SECONDS)
        return process.returncode, said

    def is_whole(self) -> None:
        """Every figure is what it was or what it will be, to the byte; the pages are, or tell what is there."""
        now = tree(self.root)
        for name, data in now.items():
            if data in (self.old.get(name), self.new.get(name)):
                continue
            if name == "manifest.json":  # some figures failed and some did not
                states = stated(json.loads(data))
                assert states == {path: hashlib.sha256(now[path]).hexdigest() for path in states}
                continue
            is_page = name == "index.html" and data.endswith(b"</html>\n")
            assert is_page, f"{name} is neither old nor new: {data[:80]!r}"
        missing = set(self.old) - set(now)
        assert not missing, f"lost: {missing}"

    def ends_well(self) -> int:
        """The next build: right bytes, and nothing left behind.

        Returns how many files and folders the disturbed build had left behind.
        """
        assert not remaining(self.temporary), "processes of a build that is gone are still there"
        left = leftovers(self.root, self.temporary)
        assert self.run() == (0, self.messages)
        assert tree(self.root) == self.new
        remain = leftovers(self.root, self.temporary)
        assert not remain, remain
        assert names(self.root) == self.names, names(self.root) ^ self.names
        return len(left)


def disturbed(home: Path, *, plots: bool) -> Disturbed:
    """Build the first state, edit it, and learn from a twin what an undisturbed build makes of that."""
    book, twin = Space(home / "edited"), Space(home / "twin")
    book.root.mkdir()
    first(book, plots=plots)
    assert book.run().code == 0
    old = tree(book.root)
    edited(book, plots=plots)
    shutil.copytree(book.root, twin.root)
    believed(twin.root)
    began = time.monotonic()
    done = twin.run()
    seconds = time.monotonic() - began
    assert done.code == 0
    result = Disturbed(home, old, tree(twin.root), names(twin.root), done.err, seconds)
    assert {name for name in result.old if result.old[name] != result.new.get(name)} >= {"global/graph.svg"}
    result.again()
    return result


def copied(once: Once, home: Path) -> Disturbed:
    """One without plots, in a home of its own: it is made once for all processes of a run."""

    def make(place: Path) -> None:
        place.mkdir()
        (place / "pickled").write_bytes(pickle.dumps(disturbed(place, plots=False)))

    place = once("disturbed", make)
    shutil.copytree(place / "edited", home / "edited", symlinks=True)
    book: Disturbed = replace(pickle.loads((place / "pickled").read_bytes()), home=home)
    book.again()
    return book


@cache
def _why_not_traced() -> str | None:
    if sys.platform != "linux":
        return "strace is for Linux"
    if shutil.which("strace") is None:
        return "strace is not installed (Debian: apt-get install strace)"
    tried = subprocess.run(["strace", "-o", "/dev/null", "true"], capture_output=True, text=True, check=False)
    return None if tried.returncode == 0 else f"strace may not trace here: {tried.stderr.strip()[-100:]}"


def traced() -> None:
    """Skip, and say why, where system calls cannot be tampered with."""
    if why := _why_not_traced():
        pytest.skip(why)
