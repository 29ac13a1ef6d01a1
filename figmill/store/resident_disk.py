"""The disk of a resident builder: it keeps digests between changes, and forgets those of changed files.

A subclass of `Disk`, so it hashes each file once. A digest is valid for the file's status at the time of hashing.
"""

from __future__ import annotations

import os
import stat
import time
from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from figmill.fastpath import RACY_NS, FileRow
from figmill.host import files
from figmill.store.digest_index import DigestRow, Status, status_of
from figmill.store.disk import Disk
from figmill.store.links import OwnFolders


class ResidentDisk(Disk):
    """The files of one book, change after change."""

    def __init__(
        self, root: Path, rows: Iterable[FileRow], digests: Mapping[str, DigestRow], allowed: Sequence[str]
    ) -> None:
        self.rows = {row[0]: row for row in rows}
        super().__init__(root, self.rows.values(), digests, allowed)
        self._hashed: dict[str, Status | None] = {}  # the status at the time of hashing; None: no file
        # Hashed so soon after a change that a further change could have the same status.
        self._unsure: set[str] = set()

    def begin(self) -> set[str]:
        """Begin an update. Forgets digests that may have changed unnoticed since hashing, and returns their names."""
        self.began = time.time_ns()
        self._own = OwnFolders(self.root)  # one of them may have become a link
        unsure = self._unsure.copy()
        self.forget(unsure)
        return unsure

    def relist(self, rows: Iterable[FileRow]) -> set[str]:
        """Take a new listing of the book; returns the names that differ from the last one."""
        now = {row[0]: row for row in rows}
        changed = {name for name in now.keys() | self.rows.keys() if now.get(name) != self.rows.get(name)}
        self.rows = now
        self.take_listing(now.values())
        self.forget(changed)
        return changed

    def restat(self, name: str) -> bool:
        """Check one file below the listed folders again; False if it is no longer the file in the listing.

        Then the listing itself has changed, and a new one is needed.
        """
        row = self.rows.get(name)
        try:
            status = os.lstat(self._below + name)
        except (OSError, ValueError):
            return False
        if (
            row is None
            or row[1] < 0
            or row[5]
            or not stat.S_ISREG(status.st_mode)
            or status.st_size > files.DATA
        ):
            return False
        size, mtime, inode, ctime = status_of(status)
        self.rows[name] = name, size, mtime, inode, ctime, False
        self._listed[name] = size, mtime, inode, ctime
        self.forget([name])
        return True

    def forget(self, names: Iterable[str]) -> None:
        """Forget digests that may be outdated."""
        for name in names:
            self._digests.pop(name, None)
            self._hashed.pop(name, None)
            self._unsure.discard(name)

    @property
    def has_links(self) -> bool:
        """Whether a listed file is a link: it then changes with a file of another name."""
        return bool(self._links)

    def hashed(self) -> Collection[str]:
        """The names whose digests are known."""
        return self._digests.keys()

    def changed(self, names: Iterable[str]) -> set[str]:
        """The names whose files differ from when they were hashed."""
        return {name for name in names if self.has_changed(name, 0)}

    def _hash(self, name: str) -> tuple[str, bytes | None]:
        status = self._status(name)
        digest, data = super()._hash(name)
        self._hashed.setdefault(name, status)  # for files that are not read: missing or too large
        return digest, data

    def _learn(self, name: str, status: Status, digest: str) -> None:
        super()._learn(name, status, digest)
        self._hashed[name] = status
        if max(status[1], status[3]) > time.time_ns() - RACY_NS:
            self._unsure.add(name)

    def status_now(self, name: str) -> Status | None:
        """The current status of a regular file; None if there is none."""
        with suppress(OSError, ValueError):
            status = os.stat(self._below + name)
            if stat.S_ISREG(status.st_mode):
                return status_of(status)
        return None

    def has_changed(self, name: str, since: int) -> bool:
        """Whether a file differs from when it was hashed; for one that was not hashed, the answer of `Disk`."""
        if name.endswith("/"):
            before = self._digests.get(name)
            return before is not None and self._listing(name) != before
        if name not in self._hashed:
            return name not in self._digests and super().has_changed(name, since)
        return self._hashed[name] != self.status_now(name)
