"""Drawings by content: what was once drawn from some inputs is never drawn again.

What a script reads is known only after it has run, so a look-up has two levels: the file `<declared>` belongs to
the inputs that a figure declares, and lists the latest runs, each with the further files that it read and with
what came of it. Safe to share between builds and machines: every file is written whole, a damaged one is a miss
and is replaced. Unaware of questions and outputs.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from figmill import cachefolder, files
from figmill.errors import ToolError
from figmill.kinds.job import Raw
from figmill.model import Inputs

RUNS = 8  # remembered for the same declared inputs
SIZE = 512 << 20  # bytes that a cache may take before the oldest go
MUCH, DAY = 50, 86_400.0  # drawings added, and seconds, after which the size is looked at


@dataclass(frozen=True, slots=True)
class Run:
    """One time that a figure was drawn: what it read beside what it declares, and what came of it."""

    traced: Inputs
    raw: Raw


class Cache:
    """A folder of drawings. Nothing is made on disk before the first `put`.

    Raises ToolError where the folder holds what is not ours.
    """

    def __init__(self, folder: Path) -> None:
        cachefolder.refuse_foreign(folder)
        self.folder = folder
        self.added = 0  # drawings
        self._made: set[Path] = set()

    def find(self, declared: Inputs, digest: Callable[[str], str]) -> tuple[Raw, Inputs] | None:
        """The drawing of these inputs with what it read, if all of that is still the same."""
        for run in self._runs(declared):
            if all(digest(name) == value for name, value in run.traced.rows):
                return run.raw, run.traced
        return None

    def put(self, declared: Inputs, traced: Inputs, raw: Raw) -> None:
        """Keep a drawing; where that cannot be written, say so: a full disk must not pass in silence."""
        path = self._at(declared)
        runs = [Run(traced, raw), *(old for old in self._runs(declared) if old.traced != traced)]
        try:
            if path.parent not in self._made:
                cachefolder.make(self.folder, path.parent.name)
                self._made.add(path.parent)
            files.replace_whole(str(path), dumps(runs[:RUNS]), lasting=False)  # what is torn is a miss
        except OSError as error:
            raise ToolError(f"cannot write to the cache {self.folder}: {error.strerror}", code=1) from error
        self.added += 1

    def trim(self) -> None:
        """Hold the size: what was written first goes first. Looked at after much was added, and once a day."""
        if self.added < MUCH and not (self.added and self._is_long_ago()):
            return
        with suppress(OSError):
            cachefolder.note_trimming(self.folder)
        found = list(cachefolder.removable(self.folder))
        total = sum(size for _, size, _ in found) + cachefolder.BESIDES
        for _, size, path in sorted(found):
            if total <= SIZE:
                break
            with suppress(FileNotFoundError):
                os.unlink(path)
            total -= size

    def _is_long_ago(self) -> bool:
        """Whether the last look at the size was."""
        ago = cachefolder.trimmed_ago(self.folder)
        return ago is None or ago > DAY

    def _at(self, declared: Inputs) -> Path:
        return self.folder / declared.digest[:2] / declared.digest

    def _runs(self, declared: Inputs) -> list[Run]:
        try:
            return loads(files.read(self._at(declared)))
        except OSError:
            return []


def dumps(runs: Sequence[Run]) -> bytes:
    """A line with the digest of all that follows; a line of JSON with a row a run; their SVGs."""
    rows = [
        [sorted(run.traced.rows), dict(run.raw.facts), run.raw.said, run.raw.traced, len(run.raw.svg)]
        for run in runs
    ]
    header = json.dumps(rows, separators=(",", ":")).encode() + b"\n"
    whole = header + b"".join(run.raw.svg for run in runs)
    return hashlib.sha256(whole).hexdigest().encode() + b"\n" + whole


def loads(data: bytes) -> list[Run]:
    """The runs in `data`; none where a single bit of it is not as it was written."""
    digest, _, whole = data.partition(b"\n")
    if digest != hashlib.sha256(whole).hexdigest().encode():
        return []
    header, _, svgs = whole.partition(b"\n")
    runs, place = [], 0
    try:
        for traced, facts, said, names, size in json.loads(header):
            svg = svgs[place : place + size]
            place += size
            rows = Inputs.of((str(name), str(value)) for name, value in traced)
            runs.append(Run(rows, Raw(svg, facts, said, tuple(names))))
    except (ValueError, TypeError, RecursionError):
        return []
    return runs
