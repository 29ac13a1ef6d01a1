"""Read and write files so that nothing hangs and no data is lost.

The one module that writes. A write never follows a link; it creates a new file or replaces a whole one. A read
accepts only a regular file of bounded size, and checks that before it opens the file. Raises OSError. Unaware of
books.
"""

from __future__ import annotations

import errno
import os
import stat
import sys
import time

TYPE_CHECKING = False  # loading `collections.abc` takes time, and the fast path does not need it
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

TEMPORARY = ".figmill-"  # the prefix of unfinished files, which marks leftovers for removal
LEFT_BEHIND = 60.0  # seconds after which an unfinished file counts as left over, where there are no locks
IN_USE = 2.0  # seconds that a file may be in use before it counts as one that cannot be replaced
_DIGITS = frozenset("0123456789abcdef")

# The largest readable file in bytes: settings, a source, a font, a file written by figmill, data to hash.
SETTINGS = 1 << 20
SOURCE = 64 << 20
FONT = 256 << 20
OWN = 512 << 20
DATA = 4 << 30

BEGIN = 4096  # bytes of a file that show who made it

_BINARY = getattr(os, "O_BINARY", 0)  # without it, Windows would change line ends
_NO_FOLLOW = getattr(os, "O_NOFOLLOW", 0)
# The file may have become a pipe or a terminal since the check: opening must not block, nor take over a terminal.
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
    """The file is not regular, or too large to be read. `strerror` says which."""

    def __init__(self, path: str, reason: str) -> None:
        super().__init__(errno.EINVAL, reason, path)


class ForeignError(OSError):
    """The file at a path is not figmill's, so nothing is written there. `strerror` says what it is."""

    def __init__(self, path: str, reason: str) -> None:
        super().__init__(errno.EEXIST, f"{reason}; move it away, or name another place", path)


def sort_of(mode: int) -> str | None:
    """The type of a file that is not regular, as text; None for a regular file."""
    if stat.S_ISREG(mode):
        return None
    return next((name for is_one, name in _SORTS if is_one(mode)), "no regular file")


def too_large(size: int, most: int) -> str:
    """The message for a file of `size` bytes if at most `most` are read."""
    return f"has {size:,} bytes, and at most {most:,} are read"


def fit(path: str, status: os.stat_result, most: int) -> None:
    """Raise UnfitError if a file with this status must not be read; IsADirectoryError if it is a folder."""
    if stat.S_ISDIR(status.st_mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), path)
    if sort := sort_of(status.st_mode):
        raise UnfitError(path, f"it is {sort}, not a regular file")
    if status.st_size > most:
        raise UnfitError(path, f"it {too_large(status.st_size, most)}")


def real(path: str | os.PathLike[str]) -> str:
    """The path without links; a missing end stays as it is. Raises OSError for a loop, and for too long a chain.

    The kernel follows forty links. Python would follow a thousand, one call in another.
    """
    try:
        os.stat(path)
    except OSError as error:
        if error.errno == errno.ELOOP:
            raise
    return os.path.realpath(path)


def opened(path: str, most: int, *, follow: bool = True) -> tuple[int, int]:
    """Open a regular file for reading: its descriptor and its size in bytes. follow: whether it may be a link."""
    fit(path, os.stat(path, follow_symlinks=follow), most)
    descriptor = os.open(path, _READ if follow else _READ | _NO_FOLLOW)
    try:
        status = os.fstat(descriptor)
        fit(path, status, most)  # it may have been replaced since the check
    except BaseException:
        os.close(descriptor)
        raise
    return descriptor, status.st_size


def read(path: str | os.PathLike[str], most: int = OWN, *, follow: bool = True) -> bytes:
    """All bytes of a regular file. Uses few system calls, because a build may read ten thousand files."""
    path = os.fspath(path)
    descriptor, size = opened(path, most, follow=follow)
    try:
        data = part = os.read(descriptor, size + 1)
        while part and len(data) != size:  # the file grows, or is larger than one call can read
            part = os.read(descriptor, _PIECE)
            data += part
            if len(data) > most:
                raise UnfitError(path, f"it {too_large(len(data), most)}")
        return data
    finally:
        os.close(descriptor)


def head(path: str | os.PathLike[str], count: int, *, follow: bool = True) -> bytes:
    """At most the first `count` bytes of a regular file of any size."""
    descriptor, _ = opened(os.fspath(path), 1 << 62, follow=follow)
    try:
        return os.read(descriptor, count)
    finally:
        os.close(descriptor)


def digest(path: str | os.PathLike[str], most: int = DATA, *, follow: bool = True) -> str:
    """SHA-256 of a regular file, read in pieces."""
    descriptor, _ = opened(os.fspath(path), most, follow=follow)
    import hashlib  # not at the top: the fast path does not need it

    with open(descriptor, "rb", buffering=0) as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def replace_whole(path: str, data: bytes, *, lasting: bool = True, mode: int = 0o644) -> os.stat_result:
    """Write a file whole or not at all; returns its status. lasting: sync the bytes to disk before renaming.

    mode: the permissions, less the umask. A link at this path is replaced; its target stays unchanged.
    """
    descriptor, temporary = _unfinished(path, data, lasting, mode)
    status = os.fstat(descriptor)
    try:
        _put_in_place(descriptor, temporary, path)
    except BaseException:
        _forget(temporary)
        raise
    now = os.lstat(path)  # renaming changed the ctime
    same = (now.st_ino, now.st_size, now.st_mtime_ns) == (status.st_ino, status.st_size, status.st_mtime_ns)
    return now if same else status


def replace_ours(path: str, data: bytes, is_ours: Callable[[bytes], bool]) -> None:
    """Write a file that a user named, whole or not at all. Raises ForeignError for one that figmill did not make.

    is_ours: whether a file with this beginning is one of ours. An empty file belongs to nobody.
    """
    if (reason := foreign(path, is_ours)) is not None:
        raise ForeignError(path, reason)
    replace_whole(path, data, lasting=False)


def foreign(path: str, is_ours: Callable[[bytes], bool]) -> str | None:
    """A description of what is at a path, unless figmill made it; None: nothing. Raises OSError."""
    try:
        sort = sort_of(os.lstat(path).st_mode)
    except FileNotFoundError:
        return None
    if sort is not None:
        return f"{sort} already exists"
    begin = head(path, BEGIN)
    return "a file that figmill did not make already exists there" if begin and not is_ours(begin) else None


def rewrite(path: str, before: bytes, data: bytes) -> bool:
    """Replace a file if its bytes are still `before`; otherwise return False. Follows links.

    The permissions stay.
    """
    path = real(path)
    mode = stat.S_IMODE(os.stat(path).st_mode)
    descriptor, temporary = _unfinished(path, data, lasting=True)
    try:
        try:
            os.chmod(temporary, mode)
            is_same = read(path) == before
        except BaseException:
            os.close(descriptor)
            raise
        if is_same:
            _put_in_place(descriptor, temporary, path)
        else:
            os.close(descriptor)
        return is_same
    finally:
        _forget(temporary)


def create(path: str, data: bytes, *, lasting: bool = False) -> os.stat_result:
    """Write a new file; returns its status. Raises FileExistsError if anything is there, even a dangling link."""
    return create_of(path, (data,), lasting=lasting)


def create_of(
    path: str, pieces: Iterable[bytes], *, lasting: bool = False, runs: bool = False
) -> os.stat_result:
    """As `create`, from pieces that arrive one after the other. runs: whether the file is executable."""
    descriptor = os.open(path, _NEW, 0o755 if runs else 0o644)  # minus the umask
    try:
        for data in pieces:
            _fill(descriptor, data, lasting=False)
        if lasting:
            os.fsync(descriptor)
        status = os.fstat(descriptor)
    except BaseException:
        os.close(descriptor)
        _forget(path)
        raise
    os.close(descriptor)
    return status


def _fill(descriptor: int, data: bytes, lasting: bool) -> None:
    left = memoryview(data)
    while left:
        left = left[os.write(descriptor, left) :]
    if lasting:
        os.fsync(descriptor)


def _unfinished(path: str, data: bytes, lasting: bool, mode: int = 0o644) -> tuple[int, str]:
    """A new file beside `path` with these bytes: its descriptor, which holds a lock on it, and its name.

    A kill frees the lock. So whatever has such a name and no lock is left over.
    """
    while True:
        temporary = os.path.join(os.path.dirname(path), f"{TEMPORARY}{os.urandom(4).hex()}")
        descriptor = os.open(temporary, _NEW, mode)
        try:
            is_ours = hold(descriptor) is not False and os.fstat(descriptor).st_nlink == 1
            if is_ours:
                _fill(descriptor, data, lasting)
                return descriptor, temporary
        except BaseException:
            os.close(descriptor)
            _forget(temporary)
            raise
        os.close(descriptor)  # another process removed it just before it was locked


def _put_in_place(descriptor: int, temporary: str, path: str) -> None:
    """Rename an unfinished file; its lock is held until then."""
    try:
        if sys.platform == "win32":  # an open file has to keep its name
            os.close(descriptor)
            _replace_when_free(temporary, path)
        else:
            os.replace(temporary, path)
    finally:
        if sys.platform != "win32":
            os.close(descriptor)


def _replace_when_free(temporary: str, path: str) -> None:
    """Rename on Windows, where it fails while another program, such as a virus scanner, has the file open."""
    until = time.monotonic() + IN_USE
    while True:
        try:
            os.replace(temporary, path)
            return
        except PermissionError:
            if time.monotonic() > until:
                raise
            time.sleep(0.02)


def hold(descriptor: int) -> bool | None:
    """Lock a file until it is closed. False: another process has locked it; None: there are no locks here."""
    if sys.platform == "win32":
        return None
    import fcntl

    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:  # a file system without locks
        return None
    return True


def sweep(path: str) -> bool:
    """Remove a killed process's unfinished file; returns whether it did. Raises OSError if it may not be removed.

    Its name is the mark, and nobody holds its lock. Where there are no locks, its age decides.
    """
    if not is_unfinished(os.path.basename(path)):
        return False
    status = os.lstat(path)
    if not stat.S_ISREG(status.st_mode) or status.st_nlink != 1:
        return False
    held: bool | None = None
    if sys.platform != "win32":
        descriptor = os.open(path, _READ | _NO_FOLLOW)
        try:
            held = hold(descriptor)
            if held:
                os.unlink(path)
        finally:
            os.close(descriptor)
    if held is None and time.time() - status.st_mtime > LEFT_BEHIND:
        os.unlink(path)
        return True
    return bool(held)


def is_unfinished(name: str) -> bool:
    """Whether a file's name is that of an unfinished one."""
    digits = name.removeprefix(TEMPORARY)
    return name.startswith(TEMPORARY) and len(digits) == 8 and set(digits) <= _DIGITS


def _forget(path: str) -> None:
    try:
        os.unlink(path)
    except FileNotFoundError:
        pass


def discard(path: str | os.PathLike[str]) -> None:
    """Remove a file that can be regenerated, such as a cached page. Raises OSError.

    Also a file that figmill has just made, if its author undoes that.
    """
    os.unlink(path)


def lay_out(source: str | os.PathLike[str], path: str) -> None:
    """Make a file available under a new name: as a link, or as a copy if links are not possible."""
    try:
        os.symlink(os.path.realpath(source), path)
    except FileExistsError:
        raise
    except OSError:  # on Windows only administrators may make links
        create(path, read(source, FONT))


def link(path: str, target: str) -> None:
    """Make a new link, wherever it leads; if links are not possible, a file that names its target."""
    try:
        os.symlink(target, path)
    except FileExistsError:
        raise
    except OSError:  # on Windows only administrators may make links
        create(path, os.fsencode(target))


def junction(target: str, path: str) -> None:
    """On Windows, make a junction: a second name of a folder, which no other system has."""
    if sys.platform == "win32":
        import _winapi

        _winapi.CreateJunction(target, path)


def copy(source: str | os.PathLike[str], path: str) -> None:
    """Copy a file to a new name, in pieces."""
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
    """Create a folder in an existing one; returns its path. Raises FileExistsError if it already exists."""
    os.mkdir(path)
    return os.fspath(path)


def own_folder(base: str | os.PathLike[str], inside: str = "") -> str:
    """Create the folder `inside` below `base` and those between, if missing; returns its path.

    Raises NotADirectoryError if one of them is a link. `base` itself may be behind links: the caller chose it.
    """
    path = os.fspath(base)
    _make_with_parents(path)
    for name in filter(None, inside.split("/")):
        if name == ".." or os.path.isabs(inside):
            raise NotADirectoryError(errno.ENOTDIR, "it does not lie below its folder", inside)
        path = os.path.join(path, name)
        try:
            os.mkdir(path)
        except FileExistsError:
            pass  # checked below, like a new one
        if not stat.S_ISDIR(os.lstat(path).st_mode):
            raise NotADirectoryError(errno.ENOTDIR, "it is not a folder of its own", path)
    return path


def _make_with_parents(path: str) -> None:
    """As os.makedirs, which recurses."""
    missing = []
    while path and not os.path.isdir(path):
        missing.append(path)
        path = os.path.dirname(path.rstrip(os.sep))
    for folder in reversed(missing):
        try:
            os.mkdir(folder)
        except FileExistsError:
            if not os.path.isdir(folder):
                raise


def is_same(first: str | os.PathLike[str], second: str | os.PathLike[str]) -> bool:
    """Whether two paths lead to the same file, for example on a file system that ignores case."""
    try:
        return os.path.samefile(first, second)
    except (OSError, ValueError):
        return False


def open_lock(path: str) -> int:
    """Open a file for locking; creates it if missing. Returns the descriptor.

    Raises UnfitError if it also has another name: the process that locks it writes to it, and would change another
    file.
    """
    flags = os.O_RDWR | os.O_CREAT | _BINARY | _NO_FOLLOW | getattr(os, "O_NONBLOCK", 0)
    descriptor = os.open(path, flags, 0o644)
    try:
        status = os.fstat(descriptor)
        fit(path, status, OWN)
        if status.st_nlink > 1:
            raise UnfitError(path, "the file has a second name (a hard link); remove it")
    except BaseException:
        os.close(descriptor)
        raise
    return descriptor


def append(path: str | os.PathLike[str], data: bytes, *, lasting: bool = False) -> None:
    """Append to a regular file, which others may also write, such as the summary of a CI job. Raises OSError.

    lasting: sync the bytes to disk.
    """
    flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | _BINARY | _NO_FOLLOW | getattr(os, "O_NONBLOCK", 0)
    handle = os.open(path, flags, 0o666)
    try:
        fit(os.fspath(path), os.fstat(handle), DATA)
        _fill(handle, data, lasting)
    finally:
        os.close(handle)


def touch(path: str | os.PathLike[str]) -> None:
    """Set a file's times to now, to mark it as used. Does not follow a link."""
    os.utime(path, follow_symlinks=os.utime not in os.supports_follow_symlinks)


def date(path: str | os.PathLike[str], mtime: int) -> None:
    """Set a file's times, in ns. Does not follow a link."""
    os.utime(path, ns=(mtime, mtime), follow_symlinks=os.utime not in os.supports_follow_symlinks)


def sync_folder(folder: str) -> None:
    """Sync a folder, so that its names survive a power failure."""
    if sys.platform == "win32":
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
