"""`Space`: a small book in a temporary folder, and the real command run on it."""

from __future__ import annotations

import ctypes
import json
import os
import shutil
import subprocess
import sys
from collections import defaultdict
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

from helpers.keeper import keeper
from helpers.lacking import without_landlock
from helpers.machine import HERE, Machine, notice_of

from figmill.host import bound
from figmill.store import journal
from figmill.store.memory import PAGE

REPOSITORY = Path(__file__).parents[2]


@dataclass(frozen=True)
class Ran:
    """What a run of the command left behind."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)


def without_rights() -> None:
    """Give up what root may do with files of others: CAP_DAC_OVERRIDE and CAP_DAC_READ_SEARCH."""
    if os.geteuid() == 0:
        for capability in (1, 2):
            assert ctypes.CDLL(None).prctl(24, capability, 0, 0, 0) == 0  # PR_CAPBSET_DROP


@dataclass(frozen=True)
class Space:
    """A folder to write a book into. machine: what the command finds there."""

    root: Path
    machine: Machine = HERE

    def write(self, files: Mapping[str, str | bytes]) -> Space:
        for name, content in files.items():
            path = self.root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content.encode() if isinstance(content, str) else content)
        return self

    def question(self, id_: str, visual: str, *, track: str = "global", title: str = "A title") -> Space:
        """A question file whose `visual` is the given flow mapping, without its braces."""
        text = f"id: {id_}\ntrack: {track}\ntitle: {title}\nvisual: {{{visual}}}\n"
        return self.write({f"questions/{id_}.yaml": text})

    def run(
        self,
        *arguments: str,
        env: Mapping[str, str] | None = None,
        cwd: Path | None = None,
        as_user: bool = False,
        given: str = "",
    ) -> Ran:
        """as_user: without root's right to read and write everything. What the machine lacks is not told.

        given: what the command reads from standard input.
        """
        path = self.machine.path or os.environ["PATH"]
        variables = {**os.environ, "PATH": path, **(env or {})}
        notice = notice_of(variables["PATH"])
        before = without_rights if as_user else self.machine.before
        kept = keeper()
        if kept is not None and kept.serves(variables):
            lacks_landlock = before is without_landlock
            code, out, err = kept.run(arguments, variables, cwd or self.root, as_user, lacks_landlock, given)
            return Ran(code, out, err.replace(notice, "") if notice else err)
        done = subprocess.run(
            [sys.executable, "-m", "figmill", *arguments],
            cwd=cwd or self.root,
            env=variables,
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
            input=given,
            preexec_fn=before,
        )
        return Ran(done.returncode, done.stdout, done.stderr.replace(notice, "") if notice else done.stderr)

    def git(self, *arguments: str) -> str:
        """Run git in the book, as nobody in particular, without hooks and syncs; what it prints."""
        who = ("user.name=a", "user.email=a@example.org", "core.hooksPath=/dev/null", "core.fsync=none")
        command = ["git", *(part for setting in who for part in ("-c", setting)), *arguments]
        return subprocess.run(command, cwd=self.root, capture_output=True, text=True, check=True).stdout

    def read(self, name: str) -> str:
        return (self.root / name).read_text(encoding="utf-8")

    def kept(self, name: str) -> str:
        """The content of a file in the private folder, as the next build believes it; of the journal, what counts."""
        path = f"{bound.PRIVATE}/{name}"
        data, key = (self.root / path).read_bytes(), bound.key_of(self.root)
        if path == journal.PATH:
            _, size = journal.measured(key, data)
            assert 0 < size == len(data), f"{path} is not believed"
            records = journal.lines(data)
            return journal.packed({key: value for key, value in records.items() if value}).decode()
        content = bound.opened(key, path, data)
        assert content is not None, f"{path} is not believed"
        return content.decode()

    def keep(self, name: str, content: str | bytes) -> None:
        """Write a file of the private folder so that the next build believes it. For the journal, lines of records."""
        data = content.encode() if isinstance(content, str) else content
        data = journal.whole(journal.lines(data)) if name == "journal" else data
        path = f"{bound.PRIVATE}/{name}"
        (self.root / bound.PRIVATE).mkdir(exist_ok=True)
        key = bound.bind(self.root)
        sealed = journal.block(key, data) if path == journal.PATH else bound.sealed(key, path, data)
        (self.root / path).write_bytes(sealed)

    def records(self) -> dict[str, dict[Any, Any]]:
        """What the journal says: values by kind and name. The value of a page is text."""
        records: dict[str, dict[Any, Any]] = defaultdict(dict)
        for line in self.kept("journal").split("\n"):
            key, _, value = line.partition("\t")
            kind, _, name = key.partition(" ")
            if name:
                read = json.loads(name)
                record = value if kind == PAGE else json.loads(value)
                records[kind][tuple(read) if isinstance(read, list) else read] = record
        return records

    def forge(self, records: Mapping[str, Mapping[Any, Any]]) -> None:
        """Write a journal that says this so that the next build believes it."""
        rows = [(kind, name, value) for kind, values in records.items() for name, value in values.items()]
        lines = [
            f"{kind} {json.dumps(name, ensure_ascii=False)}\t{value if kind == PAGE else json.dumps(value)}\n"
            for kind, name, value in rows
        ]
        self.keep("journal", "".join(lines))

    def outputs(self, folder: str = "build") -> dict[str, bytes]:
        return {
            p.relative_to(self.root).as_posix(): p.read_bytes()
            for p in sorted((self.root / folder).rglob("*.svg"))
            if p.is_file()
        }

    def stamps(self) -> dict[str, tuple[int, int, int]]:
        """Every file and folder with what changes when it is touched."""
        return {
            path.relative_to(self.root).as_posix(): (s.st_mtime_ns, s.st_ino, s.st_size)
            for path in sorted(self.root.rglob("*"))
            for s in [path.lstat()]
        }


DOT = 'digraph {\n  a -> b [label="sends"]\n  b -> c\n}\n'
PLOT = """\
from matplotlib.figure import Figure

from figmill import Drawing


def draw(n: int = 3, style: str = "plain") -> Drawing:
    figure = Figure(figsize=(4, 3))
    axes = figure.add_subplot()
    axes.plot(range(n))
    axes.set_title("Latency")
    return Drawing(figure, facts={"points": n, "half": n / 2})
"""
CLASSIC = """\
import os

import matplotlib.pyplot as plt

plt.plot([1, 4, 9])
plt.title("Squares")
plt.savefig(os.environ.get("VISUAL_OUT_PATH", "squares.svg"), format="svg", bbox_inches="tight")
plt.show()
"""
HAND = """\
<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 200 100">
  <rect x="10" y="10" width="80" height="40" fill="#cfe2f3" stroke="#4a90c4"/>
  <text x="50" y="35" text-anchor="middle" font-size="12">Rank 0</text>
</svg>
"""


# Writes a book; and gives a copy of what one writes, built.
Written: TypeAlias = Callable[[Space], Space]
CopyOf: TypeAlias = Callable[[Written], Space]


def two_figures(space: Space) -> Space:
    """A graph and a drawing by hand."""
    space.write({"visuals/a.dot": DOT, "visuals/d.svg": HAND})
    space.question("graph", "source: a.dot, alt: a sends to b which sends to c")
    return space.question("hand", "source: d.svg, alt: one rank as a box")


def four_figures(space: Space) -> Space:
    """The same, and two plots: one good figure of each kind."""
    two_figures(space).write({"visuals/b.py": PLOT, "visuals/c.py": CLASSIC})
    space.question(
        "plot", "kind: matplotlib, source: b.py, params: {n: 4}, alt: 'a line, half is {half:.1f}'"
    )
    return space.question("classic", "kind: matplotlib, source: c.py, alt: the first three squares")


def built(root: Path, written: Written) -> Space:
    """A new book at a place, built by the command. AssertionError if anything is told of it."""
    root.mkdir()
    space = written(Space(root))
    ran = space.run("--quiet")
    assert (ran.code, ran.err) == (0, ""), ran.err
    return space


def believed(root: Path) -> None:
    """Have figmill believe the private folder of a copy, as if the copy had been built where it is."""
    from figmill.host import bound

    key = root / bound.PRIVATE / bound.KEY
    if not key.exists():
        return  # nothing was built there
    os.utime(key, ns=(bound.DATED, bound.DATED))
    status = key.stat()
    (key.parent / bound.MARK).write_text(f"{status.st_ino} {status.st_ctime_ns}\n")
    assert bound.key_of(root) == key.read_bytes()


def copied(source: Path, space: Space) -> Space:
    """A copy of a built book in an empty folder: nothing is drawn again, and the fast path answers for it.

    A copy has other inodes than its source, so the build that this takes is one that finds everything fresh.
    """
    from helpers.building import built_here  # most tests run the command alone

    shutil.copytree(source, space.root, symlinks=True, dirs_exist_ok=True)
    believed(space.root)
    report = built_here(space.root)
    assert report.code == 0 and report.counts.keys() == {"fresh"}, report.counts
    return space
