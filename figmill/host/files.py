"""Reading and writing files so that nothing hangs, and nothing of anybody's is lost.

The one module that writes: no write goes through a link, and a file is new or is replaced whole. What is read is a
regular file of bounded size, told by its status before it is opened. Unaware of books. Raises OSError.
"""

from __future__ import annotations

import errno
import os
import stat

TEMPORARY = ".figmill-"  # how our unfinished files begin, so that leftovers can be told and swept

SETTINGS = 1 << 20  # bytes that a file may have which is read whole
SOURCE = 64 << 20
FONT = 256 << 20
OWN = 512 << 20  # what figmill has written itself: the ledger of a large book, an entry of a cache
DATA = 4 << 30  # what is hashed piece by piece

_BINARY = getattr(os, "O_BINARY", 0)  # of Windows, which else changes line ends
_NO_FOLLOW = getattr(os, "O_NOFOLLOW", 0)
# A pipe that came after the look at its status must not hold us, nor become our terminal.
_READ = os.O_RDONLY | _BINARY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOCTTY", 0)
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | _BINARY | _NO_FOLLOW
_PIECE = 1 << 20

_SORTS = (
    (stat.S_ISDIR, "a folder"),
    (stat.S_ISFIFO, "a pipe"),
    (stat.S_ISSOCK, "a socket"),
    (stat.S_ISLNK, "a link"),
    (stat.S_ISCHR, "a device"),
    (stat.S_ISBLK, "a device"),
)


class UnfitError(OSError):
    """A file that is not to be read: no regular one, or too large. `strerror` says which."""

    def __init__(self, path: str, words: str) -> None:
        super().__init__(errno.EINVAL, words, path)


def sort_of(mode: int) -> str | None:
    """What something is that is no regular file; None for one that is."""
    if stat.S_ISREG(mode):
        return None
    return next((words for is_one, words in _SORTS if is_one(mode)), "no regular file")


def too_large(size: int, most: int) -> str:
    """The words for a file of so many bytes where only so many are read."""
    return f"has {size:,} bytes, and at most {most:,} are read"


def fit(path: str, status: os.stat_result, most: int) -> None:
    """Raises UnfitError where a file of that status is not to be read; a folder is an IsADirectoryError."""
    if stat.S_ISDIR(status.st_mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), path)
    if sort := sort_of(status.st_mode):
        raise UnfitError(path, f"it is {sort}, not a regular file")
    if status.st_size > most:
        raise UnfitError(path, f"it {too_large(status.st_size, most)}")


def opened(path: str, most: int, *, follow: bool = True) -> tuple[int, int]:
    """A descriptor to read a regular file with, and its size in bytes. follow: whether it may be a link to one."""
    fit(path, os.stat(path, follow_symlinks=follow), most)
    descriptor = os.open(path, _READ if follow else _READ | _NO_FOLLOW)
    try:
        status = os.fstat(descriptor)
        fit(path, status, most)  # it may be another one by now
    except BaseException:
        os.close(descriptor)
        raise
    return descriptor, status.st_size


def read(path: str | os.PathLike[str], most: int = OWN, *, follow: bool = True) -> bytes:
    """All bytes of a regular file, with few calls: there may be ten thousand of them."""
    path = os.fspath(path)
    descriptor, size = opened(path, most, follow=follow)
    try:
        data = part = os.read(descriptor, size + 1)
        while part and len(data) != size:  # it grows, or is larger than one call may read
            part = os.read(descriptor, _PIECE)
            data += part
            if len(data) > most:
                raise UnfitError(path, f"it {too_large(len(data), most)}")
        return data
    finally:
        os.close(descriptor)


def head(path: str | os.PathLike[str], count: int) -> bytes:
    """At most the first `count` bytes of a regular file, however large it is."""
    descriptor, _ = opened(os.fspath(path), 1 << 62)
    try:
        return os.read(descriptor, count)
    finally:
        os.close(descriptor)


def digest(path: str | os.PathLike[str], most: int = DATA) -> str:
    """SHA-256 of a regular file, which is not held in memory."""
    descriptor, _ = opened(os.fspath(path), most)
    import hashlib  # which the quick answer need not load

    with open(descriptor, "rb", buffering=0) as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def replace_whole(path: str, data: bytes, *, lasting: bool = True) -> os.stat_result:
    """Write a file whole or not at all; its status. lasting: its bytes are on the disk before it has its name.

    A link at this path is replaced, and what it leads to stays as it is.
    """
    temporary = os.path.join(os.path.dirname(path), f"{TEMPORARY}{os.urandom(4).hex()}")
    status = create(temporary, data, lasting=lasting)
    try:
        os.replace(temporary, path)
    except BaseException:
        _forget(temporary)
        raise
    now = os.lstat(path)  # having been renamed shows in its ctime
    same = (now.st_ino, now.st_size, now.st_mtime_ns) == (status.st_ino, status.st_size, status.st_mtime_ns)
    return now if same else status


def create(path: str, data: bytes, *, lasting: bool = False) -> os.stat_result:
    """Write a file that is not there, or FileExistsError; a link that leads nowhere is there, too. Its status."""
    descriptor = os.open(path, _NEW, 0o644)  # less what the umask takes
    try:
        try:
            left = memoryview(data)
            while left:
                left = left[os.write(descriptor, left) :]
            if lasting:
                os.fsync(descriptor)
            return os.fstat(descriptor)
        finally:
            os.close(descriptor)
    except BaseException:
        _forget(path)
        raise


def _forget(path: str) -> None:
    try:
        os.unlink(path)
    except FileNotFoundError:
        pass  # nothing to forget


def lay_out(source: str | os.PathLike[str], path: str) -> None:
    """Make a file to be found under another name, which must be new: by a link, or by a copy where there are none."""
    try:
        os.symlink(os.path.realpath(source), path)
    except FileExistsError:
        raise
    except OSError:  # where links are for administrators only
        create(path, read(source, FONT))


def copy(source: str | os.PathLike[str], path: str) -> None:
    """A file of its own with the same bytes, piece by piece; its name must be new."""
    descriptor, _ = opened(os.fspath(source), DATA)
    try:
        new = os.open(path, _NEW, 0o644)
        try:
            while part := os.read(descriptor, _PIECE):
                while part:
                    part = part[os.write(new, part) :]
        finally:
            os.close(new)
    finally:
        os.close(descriptor)


def new_folder(path: str | os.PathLike[str]) -> str:
    """Make a folder that is not there yet, or FileExistsError; the one around it is there. Its path."""
    os.mkdir(path)
    return os.fspath(path)


def own_folder(base: str | os.PathLike[str], inside: str = "") -> str:
    """Have a folder below `base`, with those between; its path. NotADirectoryError where one of them is a link.

    base: is made where it is not there, and may be reached by links: whoever names it has put them there.
    """
    path = os.fspath(base)
    os.makedirs(path, exist_ok=True)
    for name in filter(None, inside.split("/")):
        if name == ".." or os.path.isabs(inside):
            raise NotADirectoryError(errno.ENOTDIR, "it does not lie below its folder", inside)
        path = os.path.join(path, name)
        try:
            os.mkdir(path)
        except FileExistsError:
            pass  # it is looked at, like a new one
        if not stat.S_ISDIR(os.lstat(path).st_mode):
            raise NotADirectoryError(errno.ENOTDIR, "it is no folder of its own", path)
    return path


def open_lock(path: str) -> int:
    """A descriptor to lock a small file with, which is made where it is not there."""
    flags = os.O_RDWR | os.O_CREAT | _BINARY | _NO_FOLLOW | getattr(os, "O_NONBLOCK", 0)
    descriptor = os.open(path, flags, 0o644)
    try:
        fit(path, os.fstat(descriptor), OWN)
    except BaseException:
        os.close(descriptor)
        raise
    return descriptor


def touch(path: str | os.PathLike[str]) -> None:
    """Mark a file as used just now; a link is not followed."""
    os.utime(path, follow_symlinks=os.utime not in os.supports_follow_symlinks)
