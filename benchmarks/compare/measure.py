"""What a tool's run took, and what its pictures are like. Linux and macOS: Windows has no `resource`."""

from __future__ import annotations

import ctypes
import hashlib
import json
import os
import re
import resource
import subprocess
import sys
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from lxml import etree

from benchmarks.compare.figures import Figure

LEFT = 10.0  # seconds that processes may go on after the command


@dataclass(frozen=True, slots=True)
class Took:
    """Seconds: by the clock, and of processors in the command's processes, also those that outlive it."""

    clock: float
    used: float


def run(command: Sequence[str], root: Path) -> Took:
    """Run a tool until all its processes have ended. Raises SystemExit with what it said if it fails."""
    _adopt()
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    began = time.perf_counter()
    with open(root / "said.txt", "wb") as said:
        process = subprocess.Popen(command, cwd=root, stdout=said, stderr=said)
        code = process.wait()
    clock = time.perf_counter() - began
    until = time.monotonic() + LEFT
    with suppress(ChildProcessError):
        while time.monotonic() < until:
            if os.waitpid(-1, os.WNOHANG) == (0, 0):
                time.sleep(0.02)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if code:
        said_last = (root / "said.txt").read_text(errors="replace")[-3000:]
        raise SystemExit(f"{' '.join(command)}\n{said_last}")
    return Took(clock, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)


@cache
def _adopt() -> None:
    """Let processes whose parent has ended become children of this one, so that their time counts. Linux only."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(36, 1, 0, 0, 0)  # PR_SET_CHILD_SUBREAPER


def digests(paths: Sequence[Path]) -> list[tuple[str, str]]:
    return sorted((path.name, hashlib.sha256(path.read_bytes()).hexdigest()) for path in paths)


def words_kept(figures: Sequence[Figure], paths: Sequence[Path]) -> float:
    """The part of the words in the figures that is text in a picture, from 0 to 1."""
    text = " ".join(_text(path) for path in paths if path.suffix == ".svg")
    wanted = [word for figure in figures for word in figure.words]
    return sum(word in text for word in wanted) / len(wanted)


def _text(path: Path) -> str:
    """All visible text of an SVG: neither its title nor its description."""
    root = etree.fromstring(path.read_bytes(), etree.XMLParser(resolve_entities=False, huge_tree=True))
    parts = []
    for node in root.iter("{*}text", "{*}foreignObject"):
        parts.append(" ".join("".join(node.itertext()).split()))
    return " ".join(parts)


def described(figures: Sequence[Figure], paths: Sequence[Path], pages: Sequence[Path]) -> int:
    """How many figures have their author's description as alternative text, in the picture or in a page's `alt`."""
    found = ""
    for path in paths:
        if path.suffix == ".svg":
            root = etree.fromstring(
                path.read_bytes(), etree.XMLParser(resolve_entities=False, huge_tree=True)
            )
            found += " ".join("".join(node.itertext()) for node in root.iter("{*}desc", "{*}title"))
            found += " ".join(root.xpath("//@aria-label"))
    for page in pages:
        text = page.read_text(encoding="utf-8", errors="replace")
        found += " ".join(re.findall(r'\balt="([^"]*)"', text) + re.findall(r'"alt": "([^"]*)"', text))
        found += " ".join(re.findall(r"!\[([^]]*)\]", text))
        for block in re.findall(r"<object\b.*?</object>", text, re.DOTALL):
            found += " ".join(re.sub(r"<[^>]*>", " ", block).split())
    return sum(figure.alt in found for figure in figures)


def lint(paths: Sequence[Path]) -> dict[str, int]:
    """How many findings figmill's own checks have in pictures that are SVG, by check.

    Raises SystemExit with what lint said if it reports nothing.
    """
    drawings = [str(path) for path in paths if path.suffix == ".svg"]
    if not drawings:
        return {}
    command = [sys.executable, "-m", "figmill", "lint", "--format", "json", "--quiet", *drawings]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=paths[0].parent)
    if not done.stdout.startswith("{"):
        raise SystemExit(f"{' '.join(command)}\n{done.stderr[-3000:]}")
    counts: dict[str, int] = {}
    for finding in json.loads(done.stdout)["findings"]:
        counts[finding["check"]] = counts.get(finding["check"], 0) + 1
    return counts
