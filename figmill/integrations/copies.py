"""The files of figmill that `setup` copies into a book, and whether a file of the book is still such a copy.

The first line of each names the figmill that wrote it, and the digest of the rest: this distinguishes an old file from
one that somebody changed.
"""

from __future__ import annotations

import hashlib
import re
from enum import StrEnum

from figmill import __version__
from figmill.late_dataclasses import dataclass
from figmill.paths import PACKAGE

FOLDER = PACKAGE / "integrations" / "files"


@dataclass(frozen=True, slots=True)
class Copy:
    """A file of figmill that is copied into a book. source: in FOLDER; comment: the delimiters of its first line."""

    target: str
    source: str
    comment: tuple[str, str]


def content(copy: Copy) -> bytes:
    """The file with its first line."""
    body = (FOLDER / copy.source).read_bytes()
    before, after = copy.comment
    stamp = f"{before}figmill {__version__}, by `figmill setup`; {_digest(body)}{after}\n"
    return stamp.encode() + body


def _digest(body: bytes) -> str:
    return hashlib.sha256(body.replace(b"\r\n", b"\n")).hexdigest()[:16]


_STAMP = re.compile(rb"figmill \S+, by `(?:figmill|render-visuals) setup`; ([0-9a-f]{16})")


def is_stamped(begin: bytes) -> bool:
    """Whether a file with this beginning was written by `setup`, of any version."""
    return _STAMP.search(begin.partition(b"\n")[0]) is not None


def is_ours(copy: Copy, there: bytes) -> bool:
    """Whether a file has a first line by `setup`, or the bytes of a file of figmill that was copied by hand."""
    return is_stamped(there) or _digest(there) == _digest((FOLDER / copy.source).read_bytes())


class CopyState(StrEnum):
    """Whether a file of a book is the copy that `setup` would write."""

    MISSING = "missing"
    """There is no file."""
    CURRENT = "current"
    """It is what this figmill writes."""
    OLD = "old"
    """It is what another version of figmill wrote."""
    FOREIGN = "foreign"
    """Somebody changed it, or it is not figmill's."""


def state_of(copy: Copy, there: bytes | None) -> CopyState:
    """there: the content of the file; None if there is none."""
    if there is None:
        return CopyState.MISSING
    if there.replace(b"\r\n", b"\n") == content(copy):
        return CopyState.CURRENT
    first, _, body = there.partition(b"\n")
    stamp = _STAMP.search(first)
    is_whole = stamp[1].decode() == _digest(body) if stamp else is_ours(copy, there)
    return CopyState.OLD if is_whole else CopyState.FOREIGN
