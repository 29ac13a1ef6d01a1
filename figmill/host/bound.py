"""The private folder of a book, bound to the checkout that it was made in.

figmill does not trust content that got there in any other way.

A commit, an archive or a copy can hold a private folder with anything in it. So the folder has a secret of its own, and
each file in it that a build believes begins with a code made with that secret (a keyed BLAKE2b). A secret counts only
if it is still the very file that figmill made here. Two things show this, and neither comes with a commit or a copy:
its inode and ctime, which the mark beside it records, and its mtime, which is in 1990. A checkout sets its own file
times.

The fast path asks this module first, so it imports next to nothing. Unaware of what the files hold.
"""

from __future__ import annotations

import os
import stat

from figmill.host import files

try:
    from _blake2 import blake2b  # loading `hashlib` takes ten milliseconds
except ImportError:  # another Python than CPython
    from hashlib import blake2b

PRIVATE = ".figmill"  # the folder at the book's root whose whole content may be deleted
KEY = "key"
MARK = "mark"
DATED = 631_152_000 * 10**9  # the mtime of a secret: 1990
CENTURY = 946_684_800 * 10**9  # 2000: a file system may shift a time by hours, so any earlier one will do
_LONGEST = 200  # bytes of a secret or a mark
_BEGIN, _CODE = b"figmill ", 64  # the first line of a file: this, and hexadecimal digits


def key_of(root: str | os.PathLike[str]) -> bytes | None:
    """The secret of the book's private folder; None if it was not made here, or there is none."""
    folder = os.path.join(root, PRIVATE)
    path = os.path.join(folder, KEY)
    try:
        if not stat.S_ISDIR(os.lstat(folder).st_mode):
            return None  # a link: nothing behind it is ours
        status = os.lstat(path)
        if status.st_mtime_ns >= CENTURY or status.st_nlink != 1:
            return None
        if files.read(os.path.join(folder, MARK), _LONGEST, follow=False) != _mark(status):
            return None
        key = files.read(path, _LONGEST, follow=False)
    except OSError:
        return None
    return key if len(key) == _CODE else None


def bind(root: str | os.PathLike[str]) -> bytes:
    """The secret of the private folder, which must exist; a new one if there is no valid one. Raises OSError."""
    present = key_of(root)
    if present is not None:
        return present
    folder = os.path.join(root, PRIVATE)
    path = os.path.join(folder, KEY)
    key = os.urandom(_CODE // 2).hex().encode()
    files.replace_whole(path, key, lasting=False)
    files.date(path, DATED)
    files.replace_whole(os.path.join(folder, MARK), _mark(os.lstat(path)), lasting=False)
    return key


def _mark(status: os.stat_result) -> bytes:
    return b"%d %d\n" % (status.st_ino, status.st_ctime_ns)


def code(key: bytes, name: str, data: bytes | memoryview) -> bytes:
    """The code of a file's content, in hexadecimal digits. name: below the root; a code holds for no other file."""
    hasher = blake2b(name.encode("utf-8", "surrogateescape") + b"\n", key=key, digest_size=_CODE // 2)
    hasher.update(data)
    return hasher.hexdigest().encode()


def sealed(key: bytes, name: str, data: bytes) -> bytes:
    """The bytes to write for this content."""
    return b"".join((_BEGIN, code(key, name, data), b"\n", data))


def opened(key: bytes | None, name: str, data: bytes) -> bytes | None:
    """The content of a file; None if it was not written here under this name."""
    begin, end = len(_BEGIN), len(_BEGIN) + _CODE
    if key is None or data[:begin] != _BEGIN or data[end : end + 1] != b"\n":
        return None
    content = data[end + 1 :]
    return content if code(key, name, content) == data[begin:end] else None
