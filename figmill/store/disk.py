"""Reading, hashing and writing a book's files; the lock. All of the engine's effects on a book are here.

Unaware of what the files mean, and of how one is read and written safely, which is the matter of files.py. Names are
POSIX paths relative to the root; one that ends in a slash stands for a folder's listing.
"""

from __future__ import annotations

import hashlib
import os
import stat
import sys
import time
from collections import deque
from collections.abc import Callable, Iterable
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import suppress
from itertools import accumulate
from pathlib import Path

from figmill.errors import AuthorError, ToolError
from figmill.fastpath import Row
from figmill.host import files
from figmill.host.files import OWN, TEMPORARY, UnfitError, replace_whole
from figmill.model import Origin
from figmill.store.digest_index import INDEX, DigestIndex, Status, status_of
from figmill.store.links import refuse_link

ABSENT = "absent"
WRITERS = 8  # at once: waiting for a disk takes no processor, and a disk syncs several files as fast as one
BACKLOG = 64  # writes that may be waiting
LEFT_BEHIND = 60.0  # seconds after which nobody is still writing one


class Disk:
    """The files of one book as they are now; each is hashed once."""

    def __init__(self, root: Path, found: Iterable[Row] = ()) -> None:
        self.root = root
        self.began = time.time_ns()
        self._below = str(root) + os.sep  # pathlib is too slow for ten thousand files
        found = tuple(found)
        self._found: dict[str, Status] = {
            path: (size, mtime, inode, ctime)
            for path, size, mtime, inode, ctime, _ in found
            if 0 <= size <= files.DATA
        }
        self._large = {path: size for path, size, *_ in found if size > files.DATA}
        self._no_files = {path: is_link for path, size, *_, is_link in found if size < 0}
        self._own_folders: set[str] = set()  # those known to be no links
        self._links = [path for path, *_, is_link in found if is_link]
        self._digests: dict[str, str] = {}
        self._index = DigestIndex(root)
        self._unsynced: set[str] = set()  # folders with new names in them
        self._writers = ThreadPoolExecutor(WRITERS)  # starts no thread before it is needed
        self._under_way: deque[Future[object]] = deque()

    def files(self, folders: Iterable[str], suffixes: tuple[str, ...] = ()) -> list[str]:
        """Every regular file below the folders, in order; links count where they lead to one inside the book.

        Raises ToolError where one of the folders itself is a link that leads out.
        """
        folders = tuple(folders)
        for folder in folders:
            if not self._leads_inside(folder):
                raise ToolError(f"{folder} is a link that leads out of the book; put the folder itself there")
        below = tuple(f"{folder}/" for folder in folders)
        outside = {path for path in self._links if not self._leads_inside(path)}
        found = (path for path in self._found if path.startswith(below) and path not in outside)
        return [path for path in found if not suffixes or path.endswith(suffixes)]

    def _leads_inside(self, link: str) -> bool:
        root, real = os.path.realpath(self.root), os.path.realpath(self._below + link)
        return real == root or real.startswith(os.path.join(root, ""))

    def unusable(self, folders: Iterable[str]) -> dict[str, str]:
        """What lies below the folders and is none of their files, by path, with the words that say why."""
        below = tuple(f"{folder}/" for folder in folders)
        told = {path: self._what_it_is(path) for path in self._no_files if path.startswith(below)}
        outside = (path for path in self._links if path.startswith(below) and not self._leads_inside(path))
        large = (path for path in self._large if path.startswith(below))
        told |= {path: files.too_large(self._large[path], files.DATA) for path in large}
        return told | dict.fromkeys(outside, "is a link that leads out of the book")

    def _what_it_is(self, path: str) -> str:
        """Of something that is not a regular file."""
        real = self._below + path
        if self._no_files[path] and not self._leads_inside(path):
            return "is a link that leads out of the book"
        if not os.path.exists(real):
            return "is a link that leads nowhere"
        return "is a folder" if os.path.isdir(real) else "is not a regular file"

    def read(self, name: str, most: int = OWN) -> bytes | None:
        """The bytes of a file; None where there is none. Raises AuthorError; most: the bytes that it may have."""
        try:
            return files.read(self._below + name, most)
        except (FileNotFoundError, NotADirectoryError, IsADirectoryError):
            return None
        except OSError as error:
            raise AuthorError(Origin(name), f"cannot be read: {error.strerror}") from None
        except ValueError:  # a NUL in a name
            return None

    def _holds(self, name: str, data: bytes) -> bool:
        """Whether a file is there and has just these bytes; its size mostly tells."""
        try:
            if os.stat(self._below + name).st_size != len(data):
                return False
        except (OSError, ValueError):
            return False
        try:
            return files.read(self._below + name) == data
        except (FileNotFoundError, NotADirectoryError, IsADirectoryError, UnfitError):
            return False  # what is no regular file is replaced, like a link
        except OSError as error:
            raise AuthorError(Origin(name), f"cannot be read: {error.strerror}") from None

    def head(self, name: str, count: int) -> bytes:
        """At most the first `count` bytes of a file; none where it cannot be read."""
        try:
            return files.head(self._below + name, count)
        except (OSError, ValueError):
            return b""

    def digest(self, name: str) -> str:
        """SHA-256 of a file, or of a folder's listing; ABSENT where there is neither."""
        return self.digest_and_bytes(name)[0]

    def digest_and_bytes(self, name: str) -> tuple[str, bytes | None]:
        """The same, with the bytes of the file where they had to be read for it."""
        found, data = self._digests.get(name), None
        if found is None:
            found, data = (self._listing(name), None) if name.endswith("/") else self._hash(name)
            self._digests[name] = found
        return found, data

    def _listing(self, name: str) -> str:
        try:
            names = sorted(
                entry for entry in os.listdir(self._below + name) if not entry.startswith(TEMPORARY)
            )
        except OSError:
            return ABSENT
        return hashlib.sha256("\0".join(names).encode("utf-8", "surrogateescape")).hexdigest()

    def _hash(self, name: str) -> tuple[str, bytes | None]:
        status = self._status(name)
        if status is None:
            return ABSENT, None
        if status[0] > files.DATA:  # not read: any change of its status counts as a change
            return f"too large: {' '.join(map(str, status))}", None
        known = self._index.digest(name, status)
        if known is not None:
            return known, None
        data = self.read(name) if status[0] <= files.SOURCE else None
        if data is None:
            try:
                digest = files.digest(self._below + name)
            except (FileNotFoundError, NotADirectoryError, IsADirectoryError, UnfitError):
                return ABSENT, None
            except OSError as error:
                raise AuthorError(Origin(name), f"cannot be read: {error.strerror}") from None
        else:
            digest = hashlib.sha256(data).hexdigest()
        self._index.learn(name, status, digest)
        return digest, data

    def _status(self, name: str) -> Status | None:
        """The status of a regular file; None where there is none."""
        if name in self._found:
            return self._found[name]
        try:
            status = os.stat(self._below + name)
        except (OSError, ValueError):
            return None
        return status_of(status) if stat.S_ISREG(status.st_mode) else None

    def has_changed(self, name: str, since: int) -> bool:
        """Whether a file is another one than when this build began to look; since: a time in ns."""
        try:
            status = os.stat(self._below + name)
        except (OSError, ValueError):
            return name in self._found
        found = self._found.get(name)
        if found is None:
            return max(status.st_mtime_ns, status.st_ctime_ns) >= since
        return found != status_of(status)

    def remember(self) -> None:
        """Keep the digests for the next build, where they can be trusted. Call it after the last write."""
        self.sync()
        index = self._index.dumps(self._digests)
        if index is not None:
            self.write(INDEX, index)
            self._index.forget_new()
            self.sync()

    def write(self, name: str, data: bytes) -> None:
        """Replace a file whole or not at all. A crash leaves the old one, and at most a leftover to sweep.

        When the power goes, the new one is sure to stay only after `sync`.
        """
        self._hold_own(name.rpartition("/")[0])
        self._written(name, data, replace_whole)

    def is_there(self, name: str) -> bool:
        """Whether anything at all has that name: a file, a folder, or a link that leads nowhere."""
        return os.path.lexists(self._below + name)

    def is_own_file(self, name: str) -> bool:
        """Whether it is a regular file below the root, and neither a link nor below one."""
        parts = name.split("/")
        if ".." in parts or os.path.isabs(name) or "\0" in name:
            return False
        *folders, _ = accumulate(parts, "{}/{}".format)
        try:
            return stat.S_ISREG(os.lstat(self._below + name).st_mode) and not any(
                os.path.islink(self._below + folder) for folder in folders
            )
        except OSError:
            return False

    def create(self, name: str, data: bytes) -> None:
        """Write a file that is not there. Raises ToolError where anything is there already, be it a link to nowhere."""
        self._hold_own(name.rpartition("/")[0])
        self._written(name, data, files.create)

    def _written(self, name: str, data: bytes, write: Callable[[str, bytes], os.stat_result]) -> None:
        folder = os.path.dirname(self._below + name)
        try:
            if folder not in self._unsynced:
                files.own_folder(self.root, name.rpartition("/")[0])
                self._unsynced.add(folder)
            status = write(self._below + name, data)
        except OSError as error:
            raise ToolError(f"cannot write {name}: {error.strerror}", code=1) from error
        digest = hashlib.sha256(data).hexdigest()
        self._digests[name] = digest
        self._index.learn(name, status_of(status), digest)

    def later(self, work: Callable[..., object], *arguments: object) -> None:
        """Have something written while the build goes on; `sync` waits for it. Raises what earlier work raised."""
        while len(self._under_way) >= BACKLOG or (self._under_way and self._under_way[0].done()):
            self._under_way.popleft().result()
        self._under_way.append(self._writers.submit(work, *arguments))

    def sync(self) -> None:
        """Wait for what is under way, and make sure that all of it is found after the power went."""
        done, _ = wait(self._under_way)
        self._under_way.clear()
        for future in done:
            future.result()
        try:
            for folder in self._unsynced:
                _sync_folder(folder)
        except OSError as error:
            raise ToolError(f"cannot write {folder}: {error.strerror}", code=1) from error
        self._unsynced.clear()

    def put(self, name: str, data: bytes) -> bool:
        """Have a file written unless it holds just that; whether it has to be. It is there after `sync`."""
        if self._holds(name, data):
            return False
        self._hold_own(name.rpartition("/")[0])
        self._digests[name] = hashlib.sha256(data).hexdigest()
        self.later(self.write, name, data)
        return True

    def put_now(self, name: str, data: bytes) -> None:
        """Write a file unless it holds just that, and come back when it is there."""
        if not self._holds(name, data):
            self.write(name, data)

    def _hold_own(self, folder: str) -> None:
        """Raise ToolError where a folder is not below the root, or is a link: nothing is written through links."""
        if folder in self._own_folders:
            return
        parts = folder.split("/") if folder else []
        if os.path.isabs(folder) or ".." in parts:  # a damaged ledger may say so
            raise ToolError(f"{folder} is no folder of the book; nothing is written there", code=1)
        for count in range(1, len(parts) + 1):
            refuse_link(self.root, "/".join(parts[:count]))
        self._own_folders.add(folder)

    def remove(self, name: str) -> None:
        self._hold_own(name.rpartition("/")[0])
        try:
            (self.root / name).unlink(missing_ok=True)
        except OSError as error:
            raise ToolError(f"cannot remove {name}: {error.strerror}", code=1) from error
        self._digests[name] = ABSENT

    def sweep(self, folder: str) -> None:
        """Remove what a crashed build left unfinished; what is young may be another's that is still at it."""
        self._hold_own(folder)
        for place, _, names in os.walk(self.root / folder):
            for path in (Path(place, name) for name in names if name.startswith(TEMPORARY)):
                with suppress(OSError):  # somebody was faster, or it can stay
                    if time.time() - path.stat().st_mtime > LEFT_BEHIND:
                        path.unlink()


def _sync_folder(folder: str) -> None:
    if sys.platform == "win32":
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
