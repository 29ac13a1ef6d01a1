"""The door: every read of a book's data goes through it.

Follows links first, then opens only a regular file below the root that is not hidden, not in a repository, and not
under a name of passwords and keys. Applies on every system, with and without a sandbox: a page or a committed link
must not publish what lies beside the book's own files. Unaware of kinds, questions and settings.
"""

from __future__ import annotations

import errno
import os
import re
import stat
from functools import lru_cache

from figmill.host import files

TYPE_CHECKING = False  # as in files.py
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Literal

    Reason = Literal["outside", "hidden", "repository", "secret"]

# Names under which repositories, figmill and other programs keep passwords, tokens and keys; in lower case. The
# sandbox hides the same ones from scripts.
SECRET = frozenset(
    (
        ".git",
        ".hg",
        ".svn",
        ".figmill",
        ".env",
        ".envrc",
        ".git-credentials",
        ".netrc",
        "_netrc",
        ".npmrc",
        ".yarnrc",
        ".yarnrc.yml",
        ".pypirc",
        ".pgpass",
        ".my.cnf",
        ".htpasswd",
        ".dockercfg",
        ".docker",
        ".kube",
        ".ssh",
        ".aws",
        ".azure",
        ".gnupg",
        ".boto",
        ".s3cfg",
        ".vault-token",
        ".terraformrc",
        ".terraform.d",
        "kubeconfig",
        "id_rsa",
        "id_dsa",
        "id_ecdsa",
        "id_ed25519",
    )
)
SECRET_BEGINS = (".env.", "gha-creds-")  # the latter: where a CI job keeps its Google Cloud credentials
SECRET_ENDS = (".pem", ".key", ".p12", ".pfx", ".ppk", ".jks", ".keystore", ".kdbx")
# What git requires of a repository's folder, with or without a checkout.
REPOSITORY = ("HEAD", "objects", "refs")

# Letters that HFS+ leaves out of a name.
_UNSEEN = re.compile("[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]")
_BY_SYSTEM = os.name == "nt"  # only Windows itself knows its short names and junctions


class RefusedError(files.UnfitError):
    """A file that figures must not read.

    - phrase: why, as a predicate of the file's name.
    - reason: the rule.
    """

    def __init__(self, path: str, phrase: str, reason: Reason) -> None:
        super().__init__(path, f"it {phrase}")
        self.phrase = phrase
        self.reason = reason


def plain(name: str) -> str:
    """A name as seen by the file systems that distinguish the fewest names."""
    if name.isascii() and ":" not in name:  # nearly always
        return name.lower().rstrip(" .")
    return _UNSEEN.sub("", name).casefold().partition(":")[0].rstrip(" .")


def is_secret(name: str) -> bool:
    """Whether programs keep passwords or keys in files or folders of this name."""
    name = plain(name)
    return name in SECRET or name.startswith(SECRET_BEGINS) or name.endswith(SECRET_ENDS)


def place(root: str | os.PathLike[str], name: str, allowed: Iterable[str] = ()) -> str:
    """The real path of a file of the book. name: relative to the root; a missing file may have any name.

    allowed: files and folders, relative to the root, that may be hidden: the builder's own words, such as a folder in
    the settings or a file under `inputs`. They never allow what is secret, in a repository or outside the book.
    Raises RefusedError, and OSError for a file that cannot be looked up.
    """
    top = _real_root(os.fspath(root))
    if not _is_possible(name):
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), name)
    path = _resolved(top, name)
    below = os.path.join(top, "")
    if path != top and not path.startswith(below):
        is_link = ".." not in name.split("/") and not os.path.isabs(name)
        phrase = "is a link that leads out of the book" if is_link else "is outside the book"
        raise RefusedError(name, phrase, "outside")
    parts = path[len(below) :].split(os.sep) if path != top else []
    if any(_may_be_refused(part) for part in parts):
        _refuse_names(top, name, parts, allowed)
    folder = top
    for part in parts[:-1]:
        folder = f"{folder}{os.sep}{part}"
        if is_repository(folder):
            repository = os.path.relpath(folder, top).replace(os.sep, "/")
            phrase = f"is in the repository '{repository}', where no figure reads"
            raise RefusedError(name, f"{phrase}; copy it to another folder", "repository")
    return path


def is_repository(folder: str) -> bool:
    """Whether a folder is the inside of a repository: `.git`, or a bare one under any name."""
    return all(os.path.lexists(f"{folder}{os.sep}{name}") for name in REPOSITORY)


def read(
    root: str | os.PathLike[str], name: str, most: int = files.OWN, allowed: Iterable[str] = ()
) -> bytes:
    """All bytes of a file of the book. Arguments and errors: see `place`; UnfitError also for a file over `most`."""
    return files.read(place(root, name, allowed), most, follow=False)


def digest(root: str | os.PathLike[str], name: str, allowed: Iterable[str] = ()) -> str:
    """SHA-256 of a file of the book. Arguments and errors: see `place`."""
    return files.digest(place(root, name, allowed), follow=False)


def head(root: str | os.PathLike[str], name: str, count: int, allowed: Iterable[str] = ()) -> bytes:
    """At most the first `count` bytes of a file of the book. Arguments and errors: see `place`."""
    return files.head(place(root, name, allowed), count, follow=False)


class Folders:
    """Reads many files of a book, one after the other, and looks up each folder once instead of for each file.

    Only while nothing is drawn: it would not notice a folder in whose place there is a link now.

    - allowed: as for `place`.
    """

    def __init__(self, root: str | os.PathLike[str], allowed: Iterable[str] = ()) -> None:
        self._root, self._allowed = os.fspath(root), tuple(allowed)
        self._real: dict[
            str, str | None
        ] = {}  # a folder's name -> its real path; None: its files need `place`

    def read(self, name: str, most: int = files.OWN, allowed: Iterable[str] = ()) -> bytes:
        """As `read`. allowed: in addition to those of all files."""
        folder, _, last = name.rpartition("/")
        if folder and last and not _may_be_refused(last) and (real := self._folder(folder)) is not None:
            try:
                return files.read(f"{real}{os.sep}{last}", most, follow=False)
            except (OSError, ValueError):  # it may be a link; else the same error comes again
                pass
        return read(self._root, name, most, (*self._allowed, *allowed))

    def _folder(self, name: str) -> str | None:
        if name not in self._real:
            try:
                real = place(self._root, name, self._allowed)
                self._real[name] = None if _BY_SYSTEM or is_repository(real) else real
            except OSError:
                self._real[name] = None
        return self._real[name]


@lru_cache(maxsize=8)
def _real_root(root: str) -> str:
    """A book's root stays where it is while it is built."""
    return os.path.realpath(root)


def _is_possible(name: str) -> bool:
    """Whether a file can have this name: no NUL, and no character that the file system cannot encode."""
    try:
        return b"\0" not in os.fsencode(name)
    except UnicodeEncodeError:
        return False


def _resolved(top: str, name: str) -> str:
    """The path without links. A lookup of each part is faster than `files.real`, which most names do not need."""
    parts = name.split("/")
    if _BY_SYSTEM or os.path.isabs(name) or ".." in parts:
        return files.real(os.path.join(top, name))
    path, is_there = top.rstrip(os.sep), True
    for part in parts:
        if part in ("", "."):
            continue
        path = f"{path}{os.sep}{part}"
        try:
            if is_there and stat.S_ISLNK(os.lstat(path).st_mode):
                return files.real(os.path.join(top, name))
        except (FileNotFoundError, NotADirectoryError):
            is_there = False
    return path or top


@lru_cache(maxsize=4096)
def _may_be_refused(part: str) -> bool:
    return _is_hidden(part) or is_secret(part)


def _is_hidden(part: str) -> bool:
    return part[0] == "." or (not part.isascii() and _UNSEEN.sub("", part).startswith("."))


def _refuse_names(top: str, name: str, parts: list[str], allowed: Iterable[str]) -> None:
    """Raise RefusedError if one of the parts is secret, or is hidden and not allowed."""
    secret = next((part for part in parts if is_secret(part)), None)
    if secret is not None:
        if secret == parts[-1]:
            phrase = f"leads to '{secret}', a name of files with passwords or keys, and no figure reads it"
        else:
            phrase = f"is in '{secret}', where programs keep passwords and keys, and no figure reads there"
        raise RefusedError(name, f"{phrase}; copy what the figure needs to a file of another name", "secret")
    spared = max((_depth(top, parts, other) for other in allowed), default=0)
    hidden = next((part for part in parts[spared:] if _is_hidden(part)), None)
    if hidden is not None:
        phrase = f"is hidden by the name '{hidden}', and figures read no hidden files"
        raise RefusedError(
            name, f"{phrase}; rename it, or name the file under `inputs` of the figure's question", "hidden"
        )


def _depth(top: str, parts: list[str], other: str) -> int:
    """How many of the first parts an allowed file or folder covers."""
    try:
        path = os.path.relpath(_resolved(top, other), top)
    except (OSError, ValueError):
        return 0
    covering = [] if path == os.curdir else path.split(os.sep)
    return len(covering) if parts[: len(covering)] == covering else 0
