"""The digests of a book's files, kept between builds: a file with an unchanged status is not hashed again.

Unaware of how files are read and written.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Container
from pathlib import Path
from typing import TypeAlias

from figmill.fastpath import RACY_NS
from figmill.host import bound, files
from figmill.store.links import PRIVATE

INDEX = f"{PRIVATE}/index.json"
FEW, SMALL = 64, 1 << 20  # files, and bytes, below which no index is written

# Size, mtime in ns, inode, ctime in ns. An mtime can be set back, a ctime cannot.
Status: TypeAlias = tuple[int, int, int, int]


def status_of(status: os.stat_result) -> Status:
    return status.st_size, status.st_mtime_ns, status.st_ino, status.st_ctime_ns


class DigestIndex:
    """Digests by file name, each valid for one status of the file.

    recalls: whether it reads those of earlier builds.
    """

    def __init__(self, root: Path, recalls: bool = True) -> None:
        self._below = str(root) + os.sep
        self._known = _load(root) if recalls else {}
        self._new: dict[str, tuple[Status, str]] = {}

    def digest(self, name: str, status: Status) -> str | None:
        """The digest from an earlier build; None if there is none for this status."""
        row = self._known.get(name)
        if row is None:
            return None
        size, mtime, inode, ctime, digest = row  # of ten thousand files, nearly all are as they were
        if (size, mtime, inode, ctime) != status or not _is_digest(digest):
            return None
        return str(digest)

    def learn(self, name: str, status: Status, digest: str) -> None:
        self._new[name] = status, digest

    def forget_new(self) -> None:
        self._new.clear()

    def dumps(self, names: Container[str]) -> bytes | None:
        """The index of the files in `names`; None if it is not worth writing.

        Rehashing a few small files is faster than writing an index. Waits until the newest file is old enough for a
        later change to show in its time.
        """
        if len(self._new) < FEW and sum(status[0] for status, _ in self._new.values()) < SMALL:
            return None
        newest = max(max(mtime, ctime) for (_, mtime, _, ctime), _ in self._new.values())
        time.sleep(min(max(0, newest + RACY_NS - time.time_ns()), RACY_NS) / 1e9)
        before = time.time_ns() - RACY_NS // 2
        for name, (status, digest) in self._new.items():
            try:
                now = status_of(os.stat(self._below + name))
            except OSError:
                continue
            if now == status and max(now[1], now[3]) < before:
                self._known[name] = [*status, digest]
        rows = {name: row for name, row in self._known.items() if name in names}
        return json.dumps(rows, separators=(",", ":"), sort_keys=True).encode()


def _load(root: Path) -> dict[str, list[int | str]]:
    """The index of an earlier build; empty if it cannot be read."""
    try:
        data = files.read(root / INDEX, follow=False)
        rows = json.loads(bound.opened(bound.key_of(root), INDEX, data) or b"null")
        return {name: row for name, row in rows.items() if isinstance(row, list) and len(row) == 5}
    except (OSError, ValueError, AttributeError, RecursionError):
        return {}


def _is_digest(value: object) -> bool:
    """Whether a value has the form of a digest: the index may have been forged."""
    return isinstance(value, str) and len(value) == 64 and value.isascii() and value.isalnum()
