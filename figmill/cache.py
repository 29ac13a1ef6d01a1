"""Drawings by content: what was once drawn from some inputs is never drawn again.

In two levels, since what a script reads is known only after it has run: `runs/<declared>` lists, for the
inputs that a figure declares, which further files earlier runs read and what came of it; `products/<sha256>`
holds the drawings. Safe to share between builds and machines: every file is written whole, a damaged one is a
miss and is replaced. Unaware of questions and outputs.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from pathlib import Path

from figmill.disk import replace_whole
from figmill.errors import ToolError
from figmill.kinds.job import Raw
from figmill.model import Inputs

RUNS = 8  # remembered for the same declared inputs
SIZE = 512 << 20  # bytes that a cache may take before the oldest go


class Cache:
    """A folder of drawings. Nothing is made on disk before the first `put`."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.added = False

    def find(self, declared: Inputs, digest: Callable[[str], str]) -> tuple[Raw, Inputs] | None:
        """The drawing of these inputs with what it read, if all of that is still the same."""
        for traced_rows, product in self._runs(declared):
            traced = Inputs.of(traced_rows)
            if all(digest(name) == value for name, value in traced.rows):
                raw = self._product(product)
                if raw is not None:
                    return raw, traced
        return None

    def put(self, declared: Inputs, traced: Inputs, raw: Raw) -> None:
        """Keep a drawing; where that cannot be written, say so: a full disk must not pass in silence."""
        header = json.dumps({"facts": dict(raw.facts), "said": raw.said, "traced": list(raw.traced)})
        data = header.encode() + b"\n" + raw.svg
        product = hashlib.sha256(data).hexdigest()
        row = (tuple(sorted(traced.rows)), product)
        runs = [row, *(old for old in self._runs(declared) if old[0] != row[0])][:RUNS]
        try:
            self._write(self._at("products", product), data)
            text = json.dumps([[list(rows), name] for rows, name in runs], separators=(",", ":"))
            self._write(self._at("runs", declared.digest), text.encode())
        except OSError as error:
            raise ToolError(f"cannot write to the cache {self.folder}: {error.strerror}", code=1) from error
        self.added = True

    def trim(self) -> None:
        """Hold the size: what was written first goes first. Only after something was added."""
        if not self.added:
            return
        found = []
        for path in self.folder.glob("*/*/*"):
            try:
                status = path.stat()
            except OSError:
                continue  # another build was faster
            found.append((status.st_mtime_ns, status.st_size, path))
        total = sum(size for _, size, _ in found)
        for _, size, path in sorted(found):
            if total <= SIZE:
                break
            path.unlink(missing_ok=True)
            total -= size

    def _at(self, shelf: str, digest: str) -> Path:
        return self.folder / shelf / digest[:2] / digest

    def _write(self, path: Path, data: bytes) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        replace_whole(path, data, lasting=False)  # what is torn is a miss

    def _runs(self, declared: Inputs) -> list[tuple[tuple[tuple[str, str], ...], str]]:
        try:
            listed = json.loads(self._at("runs", declared.digest).read_bytes())
            return [(tuple((str(n), str(d)) for n, d in rows), str(product)) for rows, product in listed]
        except (OSError, ValueError, TypeError, RecursionError):
            return []

    def _product(self, name: str) -> Raw | None:
        path = self._at("products", name)
        try:
            data = path.read_bytes()
        except (OSError, ValueError):
            return None
        if hashlib.sha256(data).hexdigest() != name:
            return None
        header, _, svg = data.partition(b"\n")
        try:
            fields = json.loads(header)
            return Raw(svg, fields["facts"], fields["said"], tuple(fields["traced"]))
        except (ValueError, KeyError, TypeError):
            return None
