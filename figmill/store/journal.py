"""The journal: all that a build leaves for the next one, in one file of checked records.

A record is one line: a key and its value, both text without line feeds. The last record of a key counts, and an empty
value removes it. Each write appends one block of records, with their length and a code that only this checkout can
make (host/bound.py). So the records of one write count together or not at all: an unfinished block that a kill or a
power failure leaves is skipped, and the next write replaces the file. A write also replaces the file once its appended
blocks would be longer than a quarter of the first, since every reader parses them.

The first block has each key once, and its records in groups: a kind is the first word of a key. Its first record states
where each group lies, so a build that reads a part of a book looks at the groups that it needs, and copies nothing.

Unaware of what the records mean. A journal of another format, or of another checkout, counts as empty.
"""

from __future__ import annotations

import os
import stat
from collections import Counter
from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import TypeAlias

from figmill.errors import AuthorError, not_written
from figmill.host import bound, files
from figmill.model import Origin
from figmill.store.links import PRIVATE, refuse_link

PATH = f"{PRIVATE}/journal"
FORMAT, VERSION = b"journal", b"3"  # the first record, whose value is the version and the sizes of the groups
LONGER = 1.25  # the longest journal, in lengths of its first block
FEW = 16  # records of a kind that are looked up one by one
SLACK = 1 << 16  # bytes that may lie idle in a small journal
_BEGIN = b"figmill "
_HEADER = 128  # bytes of a block's first line, at most
_NOWHERE = range(0)

Records: TypeAlias = dict[bytes, bytes]  # key -> value
Status: TypeAlias = tuple[int, int, int, int]  # of the file: size, mtime in ns, inode, ctime in ns


class Journal:
    """The records of one book as they lie on the disk. Only the holder of the book's lock may write.

    Records are looked for when they are asked for: a build that reads a part of a book needs few of them.
    """

    def __init__(self, root: Path) -> None:
        """Raises AuthorError if the file cannot be read."""
        self.root, self._path = root, os.path.join(root, PATH)
        self.status = self._status_now()  # looked at first: what is written meanwhile shows as a difference
        data = b"" if self.status is None else self._bytes()
        self._first, self._size = measured(bound.key_of(root), data)
        self._is_sound = self._size > 0 and self._size == len(data)
        self._data = data  # its first block is read in place
        self._groups = _groups(data, self._first)
        # the records of all other blocks; empty: removed
        self._later = lines(data[self._first.stop : self._size])
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
        records = _counting(self._group(self._first) | self._later)
        records.pop(FORMAT, None)
        return records

    def of_kind(self, kind: str) -> Records:
        """All records whose keys begin with this word."""
        records = self._kinds.get(kind)
        if records is None:
            begin = kind.encode() + b" "
            later = {key: value for key, value in self._later.items() if key.startswith(begin)}
            group = self._group(self._groups.get(kind.encode(), _NOWHERE))
            records = self._kinds[kind] = _counting(group | later)
        return records

    def mentioning(self, kind: str, texts: Iterable[bytes]) -> Records:
        """The records of a kind whose values contain one of these texts."""
        texts = tuple(texts)
        group = self._groups.get(kind.encode(), _NOWHERE)
        starts = set()
        for text in texts:
            at = self._data.find(text, group.start, group.stop)
            while at >= 0:
                starts.add(self._data.rfind(b"\n", 0, at) + 1)
                at = self._data.find(text, self._data.index(b"\n", at), group.stop)
        ends = [(start, self._data.index(b"\n", start)) for start in sorted(starts)]
        begin = kind.encode() + b" "
        records = lines(b"\n".join([self._data[start:end] for start, end in ends]))
        records |= {key: value for key, value in self._later.items() if key.startswith(begin)}
        return {key: value for key, value in records.items() if any(text in value for text in texts)}

    def get(self, key: bytes) -> bytes:
        """The value of a record; empty if there is none."""
        records = self._kinds.get(kind_of(key).decode())
        if records is not None:
            return records.get(key, b"")
        if key in self._later:
            return self._later[key]
        group = self._groups.get(kind_of(key), _NOWHERE)
        at = self._data.find(b"\n%b\t" % key, group.start - 1, group.stop)
        if at < 0:
            return b""
        return self._data[at + len(key) + 2 : self._data.index(b"\n", at + 1)]

    def _group(self, span: range) -> Records:
        return lines(self._data[span.start : span.stop])

    def differing(self, changes: Mapping[bytes, bytes]) -> Records:
        """Those of the changes that the journal does not have yet."""
        many = Counter(map(kind_of, changes))
        for kind in (kind for kind, count in many.items() if count > FEW):
            # Looking for many records one by one takes longer than reading all of their kind.
            self.of_kind(kind.decode())
        return {key: value for key, value in changes.items() if self.get(key) != value}

    def write(self, changes: Mapping[bytes, bytes], *, lasting: bool = True) -> None:
        """Add these records, if they differ. An empty value removes a key.

        lasting: whether they survive a power failure once this returns. Raises ToolError.
        """
        new = self.differing(changes)
        if self._is_sound and not new:
            return
        was_sound, self._is_sound = self._is_sound, False  # until it is written
        self._later |= new
        for key, value in new.items():
            kind = self._kinds.get(kind_of(key).decode())
            if kind is not None and value:
                kind[key] = value
            elif kind is not None:
                kind.pop(key, None)
        refuse_link(self.root, PRIVATE)
        try:
            secret = bound.bind(self.root)
            content = packed(new)
            if was_sound and self._can_grow(len(content)):
                data = block(secret, content, self._size)
                files.append(self._path, data, lasting=lasting)
                self._size += len(data)
            else:
                data = block(secret, whole(self.records))
                files.replace_whole(self._path, data, lasting=lasting)
                self._data, self._later, self._size = data, {}, len(data)
                self._first = range(data.index(b"\n") + 1, len(data))
                self._groups = _groups(data, self._first)
        except OSError as error:
            raise not_written(PATH, error) from error
        self.status = self._status_now()
        self._is_sound = True

    def _can_grow(self, more: int) -> bool:
        """Whether a block may be appended: the file has no second name, and would not get too long."""
        try:
            status = os.lstat(self._path)
        except OSError:
            return False
        if not stat.S_ISREG(status.st_mode) or status.st_nlink != 1 or status.st_size != self._size:
            return False
        return self._size + more <= LONGER * len(self._first) + SLACK


def measured(key: bytes | None, data: bytes) -> tuple[range, int]:
    """Where the records of the first block of `data` lie, and where the whole blocks at its beginning end.

    Both are empty for a journal that is not ours. No bytes are copied: a large book has megabytes of records.
    """
    first, size = _NOWHERE, 0
    while key is not None and (span := _span(key, data, size)) is not None:
        if not size:
            if not data.startswith(b"%b\t%b " % (FORMAT, VERSION), span.start):
                return _NOWHERE, 0
            first = span
        size = span.stop
    return first, size


def lines(content: bytes) -> Records:
    """The records in the content of blocks, the last of each key. The first lines of blocks may stand between them."""
    return dict([line.split(b"\t", 1) for line in content.split(b"\n") if b"\t" in line])


def _counting(records: Records) -> Records:
    return {key: value for key, value in records.items() if value}


def kind_of(key: bytes) -> bytes:
    """The first word of a key."""
    return key.partition(b" ")[0]


def packed(records: Mapping[bytes, bytes]) -> bytes:
    """Records as the content of a block."""
    return b"".join([b"%b\t%b\n" % record for record in records.items()])


def whole(records: Mapping[bytes, bytes]) -> bytes:
    """Records as the content of the first block."""
    groups: dict[bytes, Records] = {}
    for key, value in records.items():
        if key != FORMAT:
            groups.setdefault(kind_of(key), {})[key] = value
    texts = {kind: packed(group) for kind, group in groups.items()}
    sizes = b" ".join(b"%b:%d" % (kind, len(text)) for kind, text in texts.items())
    return b"".join((packed({FORMAT: b"%b %b" % (VERSION, sizes)}), *texts.values()))


def _groups(data: bytes, first: range) -> dict[bytes, range]:
    """Where the records of each kind lie in the first block."""
    if not first:
        return {}
    at = data.index(b"\n", first.start) + 1
    groups: dict[bytes, range] = {}
    for word in data[first.start : at].split()[2:]:
        kind, _, size = word.rpartition(b":")
        groups[kind] = range(at, at := at + int(size))
    return groups


def block(key: bytes, content: bytes, at: int = 0) -> bytes:
    """A block that counts only where it begins at this place of the file."""
    return b"%b%b %d\n%b" % (_BEGIN, bound.code(key, f"{PATH} {at}", content), len(content), content)


def _span(key: bytes, data: bytes, at: int) -> range | None:
    """Where the content of the block that begins at this place begins and ends; None if there is no whole one."""
    end = data.find(b"\n", at, at + _HEADER)
    fields = data[at:end].split(b" ") if end >= 0 else []
    if len(fields) != 3 or fields[0] + b" " != _BEGIN or not fields[2].isdigit():
        return None
    begin, after = end + 1, end + 1 + int(fields[2])
    if not begin < after <= len(data) or data[after - 1 : after] != b"\n":
        return None
    is_ours = bound.code(key, f"{PATH} {at}", memoryview(data)[begin:after]) == fields[1]
    return range(begin, after) if is_ours else None
