"""The journal: all that a build leaves for the next one, in one file of checked records.

A record is one line: a key and its value, both text without line feeds. The last record of a key counts, and an empty
value removes it. Each write appends one block of records, with their length and a code that only this checkout can
make (host/bound.py). So the records of one write count together or not at all: what a kill or a power failure leaves
of an unfinished block is passed over, and the next write replaces the file. A write also replaces the file once it
would be twice as long as when it was written whole.

Unaware of what the records mean. A journal of another format, or of another checkout, counts as empty.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import TypeAlias

from figmill.errors import AuthorError, not_written
from figmill.host import bound, files
from figmill.model import Origin
from figmill.store.links import PRIVATE, refuse_link

PATH = f"{PRIVATE}/journal"
FORMAT, VERSION = b"journal", b"2"  # the first record
SLACK = 1 << 16  # bytes that may lie idle in a small journal
_BEGIN = b"figmill "
_HEADER = 128  # bytes of a block's first line, at most

Records: TypeAlias = dict[bytes, bytes]  # key -> value
Status: TypeAlias = tuple[int, int, int, int]  # of the file: size, mtime in ns, inode, ctime in ns


class Journal:
    """The records of one book as they lie on the disk. Only who holds the book's lock may write.

    Records are looked for when they are asked for: a build that reads a part of a book needs few of them.
    """

    def __init__(self, root: Path) -> None:
        """Raises AuthorError if the file cannot be read."""
        self.root, self._path = root, os.path.join(root, PATH)
        self.status = self._status_now()  # looked at first: what is written meanwhile shows as a difference
        data = b"" if self.status is None else self._bytes()
        # The bytes of records when the file was written whole, and of all blocks.
        self._first, self._size = measured(bound.key_of(root), data)
        self._is_sound = self._size > 0 and self._size == len(data)
        self._content = data if self._is_sound else data[: self._size]  # each record follows a line feed
        self._kinds: dict[str, Records] = {}  # those that were asked for, as they are now

    def _bytes(self) -> bytes:
        try:
            return files.read(self._path, follow=False)
        except (FileNotFoundError, NotADirectoryError, IsADirectoryError):
            return b""
        except OSError as error:
            raise AuthorError(Origin(PATH), f"cannot be read: {error.strerror}") from None

    def _status_now(self) -> Status | None:
        with suppress(OSError):
            status = os.lstat(self._path)
            return status.st_size, status.st_mtime_ns, status.st_ino, status.st_ctime_ns
        return None

    @property
    def is_outdated(self) -> bool:
        """Whether another build has written to the file since it was read or written here."""
        return self._status_now() != self.status

    @property
    def records(self) -> Records:
        """All records that count."""
        return lines(self._content)

    def of_kind(self, kind: str) -> Records:
        """All records whose keys begin with this word."""
        known = self._kinds.get(kind)
        if known is None:
            known = self._kinds[kind] = _of_kind(self._content, kind.encode())
        return known

    def get(self, key: bytes) -> bytes:
        """The value of a record; empty if there is none."""
        known = self._kinds.get(key.partition(b" ")[0].decode())
        if known is not None:
            return known.get(key, b"")
        start = self._content.rfind(b"\n%b\t" % key) + 1
        if not start:
            return b""
        return self._content[start + len(key) + 1 : self._content.index(b"\n", start)]

    def differing(self, changes: Mapping[bytes, bytes]) -> Records:
        """Those of the changes that the journal does not have yet."""
        return {key: value for key, value in changes.items() if self.get(key) != value}

    def write(self, changes: Mapping[bytes, bytes], *, lasting: bool = True) -> None:
        """Take in these records, where they differ. An empty value removes a key.

        lasting: whether they survive a power failure once this returns. Raises ToolError.
        """
        new = self.differing(changes)
        if self._is_sound and not new:
            return
        was_sound, self._is_sound = self._is_sound, False  # until it is written
        content = packed(new)
        self._content = b"".join((self._content or b"\n", content))
        for key, value in new.items():
            kind = self._kinds.get(key.partition(b" ")[0].decode())
            if kind is not None and value:
                kind[key] = value
            elif kind is not None:
                kind.pop(key, None)
        refuse_link(self.root, PRIVATE)
        try:
            secret = bound.bind(self.root)
            if was_sound and self._can_grow(len(content)):
                data = block(secret, content, self._size)
                files.append(self._path, data, lasting=lasting)
                self._size += len(data)
            else:
                content = packed({FORMAT: VERSION} | self.records)
                data = block(secret, content)
                files.replace_whole(self._path, data, lasting=lasting)
                self._content, self._size, self._first = b"\n" + content, len(data), len(content)
        except OSError as error:
            raise not_written(PATH, error) from error
        self.status = self._status_now()
        self._is_sound = True

    def _can_grow(self, more: int) -> bool:
        """Whether a block may be appended: the file has no second name, and is not twice as long as it was at first."""
        try:
            status = os.lstat(self._path)
        except OSError:
            return False
        if not stat.S_ISREG(status.st_mode) or status.st_nlink != 1 or status.st_size != self._size:
            return False
        return self._size + more <= 2 * self._first + SLACK


def measured(key: bytes | None, data: bytes) -> tuple[int, int]:
    """The bytes of records in the first block of `data`, and where the whole blocks at its beginning end.

    Both are 0 for a journal that is not ours. No bytes are copied: a large book has megabytes of records.
    """
    first, size = 0, 0
    while key is not None and (span := _span(key, data, size)) is not None:
        begin, end = span
        if not size:
            if not data.startswith(b"%b\t%b\n" % (FORMAT, VERSION), begin):
                return 0, 0
            first = end - begin
        size = end
    return first, size


def lines(content: bytes) -> Records:
    """The records that count, of the content of blocks. The first lines of blocks may stand between them."""
    records = dict([line.split(b"\t", 1) for line in content.split(b"\n") if b"\t" in line])
    return {key: value for key, value in records.items() if value}


def _of_kind(content: bytes, kind: bytes) -> Records:
    """The records of a kind, without splitting all others. content: begins with a line feed."""
    begin = b"\n%b " % kind
    records: list[bytes] = []
    at = content.find(begin)
    while at >= 0:
        end = content.index(b"\n", at + 1)
        records.append(content[at + 1 : end])
        at = content.find(begin, end)
    return lines(b"\n".join(records))


def packed(records: Mapping[bytes, bytes]) -> bytes:
    """Records as the content of a block."""
    return b"".join([b"%b\t%b\n" % record for record in records.items()])


def block(key: bytes, content: bytes, at: int = 0) -> bytes:
    """A block that counts only where it begins at this place of the file."""
    return b"%b%b %d\n%b" % (_BEGIN, bound.code(key, f"{PATH} {at}", content), len(content), content)


def _span(key: bytes, data: bytes, at: int) -> tuple[int, int] | None:
    """Where the content of the block that begins at this place begins and ends; None if there is no whole one."""
    end = data.find(b"\n", at, at + _HEADER)
    words = data[at:end].split(b" ") if end >= 0 else []
    if len(words) != 3 or words[0] + b" " != _BEGIN or not words[2].isdigit():
        return None
    begin, after = end + 1, end + 1 + int(words[2])
    if not begin < after <= len(data) or data[after - 1 : after] != b"\n":
        return None
    is_ours = bound.code(key, f"{PATH} {at}", memoryview(data)[begin:after]) == words[1]
    return (begin, after) if is_ours else None
