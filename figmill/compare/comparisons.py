"""Results of earlier comparisons, kept in the book's private folder, so that no pair is drawn twice.

The name of a comparison is the digest of everything that it depends on: both drawings, theme, fonts and code.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from figmill.compare import pictures
from figmill.compare.pixels import Compare, Difference, Pair, PixelBox
from figmill.host import bound, files
from figmill.kind import typefaces
from figmill.store import private
from figmill.versions import code, version

NAME = "compared"
MOST = 10_000  # comparisons; the oldest are dropped first


class Comparisons:
    """The comparisons of one book."""

    def __init__(self, root: Path, fonts: Sequence[Path]) -> None:
        self._root = root
        self._base = "\n".join((code("compare"), typefaces.digest(tuple(fonts)), version(pictures.LIBRARY)))
        self._rows = _read(root)
        self._is_new = False

    def get(self, pair: Pair) -> Compare | None:
        """The earlier comparison of a pair; None if there is none."""
        name = self._name(pair)
        row = self._rows.pop(name, None)
        if row is None:
            return None
        try:
            share, box, boxes, trouble = json.loads(row)
            difference = Difference(float(share), None if box is None else _box(box), tuple(map(_box, boxes)))
        except (ValueError, TypeError):
            return None
        self._rows[name] = row  # now the most recently used
        return difference, str(trouble)

    def put(self, pair: Pair, result: Compare) -> None:
        """Add the comparison of a pair."""
        difference, trouble = result
        self._rows[self._name(pair)] = json.dumps(
            [difference.share, difference.box, difference.boxes, trouble]
        )
        self._is_new = True

    def keep(self) -> None:
        """Write the comparisons to the disk if there are new ones. A read-only folder costs only time."""
        if not self._is_new:
            return
        rows = dict([*self._rows.items()][-MOST:])
        with suppress(OSError):
            folder = private.make(self._root)
            data = bound.sealed(bound.bind(self._root), NAME, json.dumps(rows).encode())
            files.replace_whole(os.path.join(folder, NAME), data, lasting=False)

    def _name(self, pair: Pair) -> str:
        theme, *sides = pair
        parts = (self._base, theme, *(hashlib.sha256(side).hexdigest() for side in sides))
        return hashlib.sha256("\n".join(parts).encode()).hexdigest()


def _box(numbers: list[int]) -> PixelBox:
    left, top, right, bottom = map(int, numbers)
    return left, top, right, bottom


def _read(root: Path) -> dict[str, str]:
    path = root / bound.PRIVATE / NAME
    try:
        data = bound.opened(bound.key_of(root), NAME, files.read(path, follow=False))
        rows = json.loads(data or b"{}")
    except (OSError, ValueError):
        return {}
    return {name: row for name, row in rows.items() if isinstance(row, str)} if isinstance(rows, dict) else {}
