"""`Space`: a small book in a temporary folder, and the real command run on it."""

from __future__ import annotations

import ctypes
import json
import os
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

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
    """A folder to write a book into."""

    root: Path

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
        *words: str,
        env: Mapping[str, str] | None = None,
        cwd: Path | None = None,
        as_user: bool = False,
    ) -> Ran:
        """as_user: without root's right to read and write everything."""
        done = subprocess.run(
            [sys.executable, "-m", "figmill", *words],
            cwd=cwd or self.root,
            env={**os.environ, **(env or {})},
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
            stdin=subprocess.DEVNULL,
            preexec_fn=without_rights if as_user else None,
        )
        return Ran(done.returncode, done.stdout, done.stderr)

    def git(self, *words: str) -> str:
        """Run git in the book, as nobody in particular and without hooks; what it prints."""
        who = ("-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "core.hooksPath=/dev/null")
        command = ["git", *who, *words]
        return subprocess.run(command, cwd=self.root, capture_output=True, text=True, check=True).stdout

    def read(self, name: str) -> str:
        return (self.root / name).read_text(encoding="utf-8")

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
