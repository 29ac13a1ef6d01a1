"""The digests of a book's files, kept between builds: a file with an unchanged status is not hashed again.

Unaware of how files are read, and of where the digests are kept.
"""

from __future__ import annotations

import os
import time
from collections.abc import Container, Mapping
from pathlib import Path
from typing import TypeAlias

from figmill.fastpath import RACY_NS

FEW, SMALL = 64, 1 << 20  # files, and bytes, below which no digest is kept

# Size, mtime in ns, inode, ctime in ns. An mtime can be set back, a ctime cannot.
Status: TypeAlias = tuple[int, int, int, int]
DigestRow: TypeAlias = list[int | str]  # the four of a status, and the digest


def status_of(status: os.stat_result) -> Status:
    return status.st_size, status.st_mtime_ns, status.st_ino, status.st_ctime_ns


class DigestIndex:
    """Digests by file name, each valid for one status of the file.

    - rows: those of earlier builds.
    """

    def __init__(self, root: Path, rows: Mapping[str, DigestRow]) -> None:
        self._below = str(root) + os.sep
        self._known = dict(rows)
        self._new: dict[str, tuple[Status, str]] = {}

    def digest(self, name: str, status: Status) -> str | None:
        """The digest from an earlier build; None if there is none for this status."""
        row = self._known.get(name)
        if row is None or len(row) != 5:
            return None
        size, mtime, inode, ctime, digest = row  # of ten thousand files, nearly all are unchanged
        if (size, mtime, inode, ctime) != status or not _is_digest(digest):
            return None
        return str(digest)

    def learn(self, name: str, status: Status, digest: str) -> None:
        self._new[name] = status, digest

    def reliable(self, names: Container[str]) -> dict[str, DigestRow] | None:
        """The digests of the files in `names` to keep; None if they are not worth writing.

        Rehashing a few small files is faster than reading their digests. Waits until the newest file is old enough for
        a later change to show in its time.
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
        self._new.clear()
        return {name: row for name, row in self._known.items() if name in names}


def _is_digest(value: object) -> bool:
    """Whether a value has the form of a digest: the record may have been forged."""
    return isinstance(value, str) and len(value) == 64 and value.isascii() and value.isalnum()
