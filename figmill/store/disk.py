"""The disk: read, hash and write the files of one book. All effects of the engine on a book go through here.

Names are POSIX paths relative to the root; a trailing slash means a folder's listing. Unaware of the meaning of
files. host/files.py reads and writes files safely.
"""

from __future__ import annotations

import hashlib
import os
import stat
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import contextmanager, suppress
from itertools import accumulate
from pathlib import Path
from types import MappingProxyType

from figmill import versions
from figmill.errors import AuthorError, ReadOnlyError, ToolError, not_written
from figmill.fastpath import FileRow
from figmill.host import bound, files, inside, trees
from figmill.host.files import OWN, TEMPORARY, UnfitError, replace_whole
from figmill.model import Origin
from figmill.store import private
from figmill.store.digest_index import DigestIndex, DigestRow, Status, status_of
from figmill.store.links import OwnFolders

ABSENT = "absent"
WRITERS = 8  # threads: waiting for a disk needs no processor, and a disk syncs several files as fast as one
BACKLOG = 64  # pending writes


class Disk:
    """The current files of one book; each is hashed once.

    - rows: the book's files as listed by fastpath.
    - digests: of files, from earlier builds, with their status then.
    - allowed: what may be hidden, see `inside.place`: the folders of the settings.
    """

    def __init__(
        self,
        root: Path,
        rows: Iterable[FileRow] = (),
        digests: Mapping[str, DigestRow] = MappingProxyType({}),
        allowed: Sequence[str] = (),
    ) -> None:
        self.root = root
        self._allowed = tuple(allowed)
        self.began = time.time_ns()
        self._below = str(root) + os.sep  # a string prefix: pathlib is too slow for ten thousand files
        self.take_listing(rows)
        self._own = OwnFolders(root)
        self._digests: dict[str, str] = {}
        self._index = DigestIndex(root, digests)
        self._folders: inside.Folders | None = None  # while many files are read in a row
        self._unsynced: set[str] = set()  # folders with new names in them
        self._writers = ThreadPoolExecutor(WRITERS)  # starts no thread before the first task
        self._under_way: deque[Future[object]] = deque()

    def take_listing(self, rows: Iterable[FileRow]) -> None:
        rows = tuple(rows)
        self._listed: dict[str, Status] = {row[0]: row[1:5] for row in rows if 0 <= row[1] <= files.DATA}
        self._large = {path: size for path, size, *_ in rows if size > files.DATA}
        self._no_files = {path: is_link for path, size, *_, is_link in rows if size < 0}
        self._links = [path for path, *_, is_link in rows if is_link]
        self._refused = self._refusals(rows)

    def files(self, folders: Iterable[str], suffixes: tuple[str, ...] = ()) -> list[str]:
        """Every regular file below the folders, in order. A link counts if it leads to one inside the book.

        Raises ToolError if one of the folders is itself a link out of the book, or is in a repository.
        """
        folders = tuple(folders)
        for folder in folders:
            try:
                inside.place(self.root, folder, self._allowed)
            except inside.RefusedError as error:
                advice = "; put the folder itself there" if error.reason == "outside" else ""
                raise ToolError(f"{folder} {error.phrase}{advice}") from None
            except OSError:  # a loop: it has no files
                pass
        below = tuple("" if folder == "." else f"{folder}/" for folder in folders)
        readable = (path for path in self._listed if path.startswith(below) and path not in self._refused)
        return [path for path in readable if not suffixes or path.endswith(suffixes)]

    def unusable(self, folders: Iterable[str]) -> dict[str, str]:
        """Entries below the folders that are not in `files`: path -> the reason, in words."""
        below = tuple(f"{folder}/" for folder in folders)
        reasons = {path: self._what_it_is(path) for path in self._no_files if path.startswith(below)}
        refused = {path: phrase for path, phrase in self._refused.items() if path.startswith(below)}
        large = (path for path in self._large if path.startswith(below))
        reasons |= {path: files.too_large(self._large[path], files.DATA) for path in large}
        return reasons | refused

    def _refusals(self, rows: Iterable[FileRow]) -> dict[str, str]:
        """The listed files that no figure reads -> why. Only those that may be refused are looked up."""
        names = {path for path, *_ in rows}
        head = f"/{inside.REPOSITORY[0]}"
        folders = (path.removesuffix(head) for path in names if path.endswith(head))
        repositories = tuple(
            f"{folder}/"
            for folder in folders
            if all(f"{folder}/{name}" in names for name in inside.REPOSITORY)
        )
        doubtful = {path for path in names if inside.is_secret(path.rpartition("/")[2])}
        if repositories:
            doubtful.update(path for path in names if path.startswith(repositories))
        refused = {}
        for path in doubtful.union(self._links):
            try:
                inside.place(self.root, path, self._allowed)
            except inside.RefusedError as error:
                refused[path] = error.phrase
            except OSError:  # a loop, or gone
                pass
        return refused

    def _what_it_is(self, path: str) -> str:
        """A description of an entry that is not a regular file."""
        real = self._below + path
        if not os.path.exists(real):
            return "is a link that leads nowhere"
        return "is a folder" if os.path.isdir(real) else "is not a regular file"

    @contextmanager
    def in_a_row(self) -> Iterator[None]:
        """Read many files, while nothing is drawn: each folder is looked up once, see `inside.Folders`."""
        self._folders = inside.Folders(self.root, self._allowed)
        try:
            yield
        finally:
            self._folders = None

    def read(self, name: str, most: int = OWN) -> bytes | None:
        """The bytes of a file; None if there is none. Raises AuthorError. most: the largest size in bytes.

        Of a file in the private folder: its content, or None if it was not written in this checkout.
        """
        try:
            if private.is_below(name):
                data = files.read(self._below + name, most, follow=False)
                return bound.opened(bound.key_of(self.root), name, data)
            return self._data(name, most)
        except (FileNotFoundError, NotADirectoryError, IsADirectoryError):
            return None
        except inside.RefusedError as error:
            raise AuthorError(Origin(name), error.phrase) from None
        except OSError as error:
            raise AuthorError(Origin(name), f"cannot be read: {error.strerror}") from None
        except ValueError:  # a NUL in the name
            return None

    def _data(self, name: str, most: int, allowed: tuple[str, ...] = ()) -> bytes:
        """The bytes of a file of the book. allowed: in addition to the folders of the settings. See `inside.read`."""
        if self._folders is not None:
            return self._folders.read(name, most, allowed)
        return inside.read(self.root, name, most, (*self._allowed, *allowed))

    def hidden(self, name: str) -> str | None:
        """Whether a hidden file may be an input: None if there is none, why it is never read, or the empty text."""
        return self._refusal(name, (*self._allowed, name))

    def image(self, name: str) -> str | None:
        """Whether a page may show a file: as `hidden`, but a page cannot ask for a hidden file."""
        return self._refusal(name, self._allowed)

    def _refusal(self, name: str, allowed: Sequence[str]) -> str | None:
        try:
            place = inside.place(self.root, name, allowed)
        except inside.RefusedError as error:
            return error.phrase if self.is_there(name) else None
        except OSError:
            return None
        return "" if os.path.isfile(place) else None

    def holds(self, name: str, data: bytes) -> bool:
        """Whether a file has exactly these bytes. Different sizes decide without reading."""
        if private.is_below(name):
            try:
                return self.read(name) == data
            except AuthorError:
                return False  # whatever lies there is replaced
        try:
            if os.stat(self._below + name).st_size != len(data):
                return False
        except (OSError, ValueError):
            return False
        try:
            return files.read(self._below + name) == data
        except (FileNotFoundError, NotADirectoryError, IsADirectoryError, UnfitError):
            return False  # anything but a regular file is replaced, like a link
        except OSError as error:
            raise AuthorError(Origin(name), f"cannot be read: {error.strerror}") from None

    def head(self, name: str, count: int) -> bytes:
        """At most the first `count` bytes of a file; empty if it cannot be read."""
        try:
            return inside.head(self.root, name, count, self._allowed)
        except (OSError, ValueError):
            return b""

    def digest(self, name: str) -> str:
        """SHA-256 of a file or of a folder's listing; ABSENT if there is neither. Also of a file of figmill's own."""
        if name.startswith(versions.OWN):
            return versions.own_digest(name)
        return self.digest_and_bytes(name)[0]

    def digest_and_bytes(self, name: str) -> tuple[str, bytes | None]:
        """As `digest`, with the file's bytes if hashing had to read them all."""
        digest, data = self._digests.get(name), None
        if digest is None:
            digest, data = (self._listing(name), None) if name.endswith("/") else self._hash(name)
            self._digests[name] = digest
        return digest, data

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
        indexed = self._index.digest(name, status)
        if indexed is not None:
            return indexed, None
        try:
            digest, data = self._hashed_now(name, status[0])
        except inside.RefusedError:
            # A script may have read it. Rows go into a shared cache, and a short secret can be guessed from a digest.
            return f"not read: {' '.join(map(str, status))}", None
        except (FileNotFoundError, NotADirectoryError, IsADirectoryError, UnfitError):
            return ABSENT, None
        except OSError as error:
            raise AuthorError(Origin(name), f"cannot be read: {error.strerror}") from None
        self._learn(name, status, digest)
        return digest, data

    def _hashed_now(self, name: str, size: int) -> tuple[str, bytes | None]:
        """The digest of a file, also of a hidden one, which a script may read; and its bytes if it is small."""
        if size > files.SOURCE:
            return inside.digest(self.root, name, (*self._allowed, name)), None
        data = self._data(name, OWN, (name,))
        return hashlib.sha256(data).hexdigest(), data

    def _learn(self, name: str, status: Status, digest: str) -> None:
        """Record that a file with this status was hashed or written."""
        self._index.learn(name, status, digest)

    def _status(self, name: str) -> Status | None:
        """The status of a regular file; None if there is none."""
        if name in self._listed:
            return self._listed[name]
        try:
            status = os.stat(self._below + name)
        except (OSError, ValueError):
            return None
        return status_of(status) if stat.S_ISREG(status.st_mode) else None

    def has_changed(self, name: str, since: int) -> bool:
        """Whether a file has changed since this build listed it; an unlisted one, since the time `since` in ns."""
        try:
            status = os.stat(self._below + name)
        except (OSError, ValueError):
            return name in self._listed
        listed = self._listed.get(name)
        if listed is None:
            return max(status.st_mtime_ns, status.st_ctime_ns) >= since
        return listed != status_of(status)

    def reliable_digests(self) -> dict[str, DigestRow] | None:
        """The digests for the next build; None if they are not worth keeping. Call after the last write."""
        self.sync()
        return self._index.reliable(self._digests)

    def write(self, name: str, data: bytes) -> None:
        """Replace a file whole or not at all. A crash leaves the old file, and at most a leftover to sweep.

        The new file survives a power failure only if `sync` was called.
        """
        self._own.check(name.rpartition("/")[0])
        self._written(name, data, replace_whole)

    def is_there(self, name: str) -> bool:
        """Whether anything has this name: a file, a folder, even a dangling link."""
        return os.path.lexists(self._below + name)

    def is_link(self, name: str) -> bool:
        return os.path.islink(self._below + name)

    def is_own_file(self, name: str) -> bool:
        """Whether the name is a regular file below the root, and neither a link nor behind one."""
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
        """Write a new file. Raises ToolError if anything has this name, even a dangling link."""
        self._own.check(name.rpartition("/")[0])
        self._written(name, data, files.create)

    def _written(self, name: str, data: bytes, write: Callable[[str, bytes], os.stat_result]) -> None:
        folder = os.path.dirname(self._below + name)
        try:
            if folder not in self._unsynced:
                files.own_folder(self.root, name.rpartition("/")[0])
                self._unsynced.add(folder)
            if private.is_below(name):
                data = bound.sealed(bound.bind(self.root), name, data)
            status = write(self._below + name, data)
        except OSError as error:
            raise not_written(name, error) from error
        digest = hashlib.sha256(data).hexdigest()
        self._digests[name] = digest
        self._learn(name, status_of(status), digest)

    def later(self, work: Callable[..., object], *arguments: object) -> None:
        """Run `work` in a writer thread; `sync` waits for it. Raises the exceptions of earlier work."""
        while len(self._under_way) >= BACKLOG or (self._under_way and self._under_way[0].done()):
            self._under_way.popleft().result()
        self._under_way.append(self._writers.submit(work, *arguments))

    def sync(self) -> None:
        """Wait for all writes, and make them survive a power failure."""
        done, _ = wait(self._under_way)
        self._under_way.clear()
        for future in done:
            future.result()
        try:
            for folder in self._unsynced:
                files.sync_folder(folder)
        except OSError as error:
            raise ToolError(f"cannot write {folder}: {error.strerror}", code=1) from error
        self._unsynced.clear()

    def differing(self, contents: Mapping[str, bytes]) -> dict[str, bytes]:
        """The files, of these, that do not have their bytes yet."""
        return {name: data for name, data in contents.items() if not self.holds(name, data)}

    def put(self, contents: Mapping[str, bytes]) -> None:
        """Write files in writer threads; see `sync`."""
        for name in contents:
            self._own.check(name.rpartition("/")[0])
        for name, data in contents.items():
            self._digests[name] = hashlib.sha256(data).hexdigest()
            self.later(self.write, name, data)

    def refuse_folder(self, name: str) -> None:
        """Raise AuthorError if a folder has the path of a file to write: folders are never replaced."""
        if os.path.isdir(self._below + name) and not os.path.islink(self._below + name):
            raise AuthorError(Origin(name), "move this folder elsewhere; figmill writes a file of this name")

    def foreign(self, name: str, is_ours: Callable[[bytes], bool]) -> str | None:
        """A description of what figmill did not make at the place of a file to write. A link is just replaced."""
        try:
            return None if self.is_link(name) else files.foreign(self._below + name, is_ours)
        except OSError:  # writing it reports why
            return None

    def put_now(self, name: str, data: bytes) -> None:
        """Write a file immediately, unless it already has these bytes."""
        if not self.holds(name, data):
            self.write(name, data)

    def keep(self, name: str, data: bytes) -> None:
        """Write a file that only saves the next build time, unless it has these bytes, or nobody may write there."""
        with suppress(ReadOnlyError):
            self.put_now(name, data)

    def remove(self, name: str) -> None:
        self._own.check(name.rpartition("/")[0])
        try:
            (self.root / name).unlink(missing_ok=True)
        except OSError as error:
            raise ToolError(f"cannot remove {name}: {error.strerror}", code=1) from error
        self._digests[name] = ABSENT

    def sweep_later(self, folders: Iterable[str]) -> None:
        """Sweep folders in a writer thread."""
        for folder in folders:
            self.later(self.sweep, folder)

    def sweep(self, folder: str) -> None:
        """Remove the files that killed builds left unfinished. What is too deep, or behind a link, is not ours."""
        if any(self.is_link(path) for path in accumulate(folder.split("/"), "{}/{}".format)):
            return
        for _, entries in trees.walk(str(self.root), [folder], lambda _: True, whole=False):
            for entry in entries:
                if entry.name.startswith(TEMPORARY):
                    with suppress(OSError):  # another build was faster, or the file may stay
                        files.sweep(entry.path)
