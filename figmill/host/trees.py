"""Walk and remove trees of folders that somebody else may have made.

A tree may be deeper than Python can recurse, and than the longest path; it may hold a million files, links out of it,
and folders without permissions. So nothing here recurses, and removal goes by descriptors. Unaware of books.
"""

from __future__ import annotations

import errno
import os
import stat
import time
from itertools import islice

from figmill.host import files

TYPE_CHECKING = False  # loading `typing` would take long: the fast path walks, too
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator

DEEPEST = 64  # folders below the one that a walk begins with
LONGEST = 200  # characters of a path in a message
BATCH = 4096  # entries of a folder that are listed at a time

_SEES_FOLDERS = os.open in os.supports_dir_fd and os.scandir in os.supports_fd  # not on Windows
_FOLDER = os.O_RDONLY | getattr(os, "O_DIRECTORY", 0) | getattr(os, "O_NOFOLLOW", 0)


class TooDeepError(OSError):
    """A folder lies too deep to be walked. `filename`: its path, shortened; `strerror`: what is wrong."""

    def __init__(self, folder: str) -> None:
        names = folder.split("/")
        short = "/".join((*names[:3], "...", names[-1])) if len(names) > 5 else folder
        if len(short) > LONGEST:
            short = f"{short[:LONGEST]}..."
        message = f"is too deep: a book has at most {DEEPEST} levels of folders; move it up, or shorten names"
        super().__init__(errno.ENAMETOOLONG, message, short)


def is_anyones(folder: str) -> bool:
    """Whether every user may write in this folder, as in /tmp. False on Windows, where modes say nothing."""
    try:
        return os.name == "posix" and bool(os.stat(folder).st_mode & stat.S_IWOTH)
    except OSError:
        return False


def is_seen(name: str) -> bool:
    """Whether a file or folder of an author's tree counts: neither hidden, nor Python's cache."""
    return name[0] != "." and name != "__pycache__"


def walk(
    root: str,
    folders: Iterable[str],
    enters: Callable[[str], bool] = is_seen,
    *,
    whole: bool = True,
) -> Iterator[tuple[str, list[os.DirEntry[str]]]]:
    """Each folder below `root`, with the entries in it that are not folders. Links are not followed.

    folders: where to begin, relative to `root`; a missing one has no entries. enters: which folders to enter, by name.
    whole: raise OSError for a folder that cannot be read, and TooDeepError; else leave those out.
    """
    waiting = [(folder, 0) for folder in folders]
    while waiting:
        folder, depth = waiting.pop()
        kept: list[os.DirEntry[str]] = []
        try:
            if depth > DEEPEST:
                raise TooDeepError(folder)
            with os.scandir(os.path.join(root, folder)) as entries:
                for entry in entries:
                    if not entry.is_dir(follow_symlinks=False):
                        kept.append(entry)
                    elif enters(entry.name):
                        waiting.append((f"{folder}/{entry.name}", depth + 1))
        except (FileNotFoundError, NotADirectoryError):
            pass
        except OSError as error:
            if whole:
                raise TooDeepError(folder) if error.errno == errno.ENAMETOOLONG else error from None
        yield folder, kept


def remove(path: str, keeps: Collection[str] = (), seconds: float | None = None) -> bool:
    """Remove what is in a folder, and the folder itself. Returns whether it is gone.

    keeps: names directly in it that stay; then the folder stays too, and the answer is whether all else is gone.
    seconds: after which it stops. Never raises OSError, never follows a link, never leaves the file system or what
    belongs to the owner of the folder. Gives itself permissions on folders in it.
    """
    deadline = None if seconds is None else time.monotonic() + seconds
    try:
        if not _SEES_FOLDERS:
            return _removed_by_paths(path, keeps)
        above, name = os.path.split(os.path.abspath(path))
        parent = os.open(above, _FOLDER & ~getattr(os, "O_NOFOLLOW", 0))
        try:
            top = _opened(name, parent)
            try:
                is_empty = _Removal(top, keeps, deadline).carry_out()
            finally:
                os.close(top)
            if is_empty and not keeps:
                os.rmdir(name, dir_fd=parent)
            return is_empty
        finally:
            os.close(parent)
    except FileNotFoundError:
        return True
    except OSError:
        return False


def _opened(name: str, parent: int) -> int:
    """A descriptor of a folder, after giving ourselves permissions on its content."""
    try:
        descriptor = os.open(name, _FOLDER, dir_fd=parent)
    except PermissionError:
        _give_rights(name, parent)
        return os.open(name, _FOLDER, dir_fd=parent)
    if os.fstat(descriptor).st_mode & stat.S_IRWXU != stat.S_IRWXU:
        try:
            os.fchmod(descriptor, stat.S_IRWXU)
        except OSError:
            pass  # the step that needs the permissions reports it
    return descriptor


def _give_rights(name: str, parent: int) -> None:
    """Let the owner read, write and enter a folder, but never the target of a link."""
    if os.chmod in os.supports_follow_symlinks:
        os.chmod(name, stat.S_IRWXU, dir_fd=parent, follow_symlinks=False)
        return
    handle = os.open(name, os.O_PATH | _FOLDER, dir_fd=parent)  # Linux; needs no permission on the folder
    try:
        os.chmod(f"/proc/self/fd/{handle}", stat.S_IRWXU)
    finally:
        os.close(handle)


class _Removal:
    """Empties a folder. A folder in it is emptied in turn by moving its own folders up to the top.

    So there is one level at a time, whatever the depth: no path grows, and two descriptors are enough.
    """

    def __init__(self, top: int, keeps: Collection[str], deadline: float | None) -> None:
        self.top, self.keeps, self.deadline = top, keeps, deadline
        self.status = os.fstat(top)
        self.moved = 0
        self.prefix = f"{files.TEMPORARY}{os.urandom(8).hex()}-"

    def carry_out(self) -> bool:
        """Returns whether nothing but `keeps` is left."""
        return self.empty(self.top, self.take_apart, self.keeps)

    def empty(
        self, folder: int, each_folder: Callable[[str, int], object], keeps: Collection[str] = ()
    ) -> bool:
        """Remove the files of a folder, and do `each_folder` to each folder in it. Returns whether nothing is left."""
        stuck = set(keeps)
        while True:
            with os.scandir(folder) as listed:  # again: a listing may miss what comes and goes meanwhile
                fresh = (entry for entry in listed if entry.name not in stuck)
                entries = [
                    (entry.name, entry.is_dir(follow_symlinks=False)) for entry in islice(fresh, BATCH)
                ]
            if not entries:
                return len(stuck) == len(keeps)
            for name, is_folder in entries:
                if self.deadline is not None and time.monotonic() > self.deadline:
                    return False
                try:
                    if is_folder:
                        each_folder(name, folder)
                    else:
                        os.unlink(name, dir_fd=folder)
                except FileNotFoundError:
                    pass
                except OSError:
                    stuck.add(name)

    def take_apart(self, name: str, parent: int) -> None:
        """Remove a folder at the top, after its files; its own folders move to the top."""
        status = os.stat(name, dir_fd=parent, follow_symlinks=False)
        if (status.st_uid, status.st_dev) != (self.status.st_uid, self.status.st_dev):
            raise PermissionError(errno.EPERM, "it belongs to somebody else", name)
        descriptor = _opened(name, parent)
        try:
            self.empty(descriptor, self.move_up)
        finally:
            os.close(descriptor)
        os.rmdir(name, dir_fd=parent)

    def move_up(self, name: str, parent: int) -> None:
        status = os.stat(name, dir_fd=parent, follow_symlinks=False)
        if status.st_mode & stat.S_IRWXU != stat.S_IRWXU:
            _give_rights(name, parent)  # its entry `..` changes
        self.moved += 1
        os.rename(name, f"{self.prefix}{self.moved}", src_dir_fd=parent, dst_dir_fd=self.top)


def _removed_by_paths(path: str, keeps: Collection[str]) -> bool:
    """As `remove`, on Windows, where folders have no descriptors, and scripts are not confined either."""
    if os.path.islink(path):
        return False
    folders = [path]
    for folder in folders:
        try:
            entries = list(os.scandir(folder))
        except OSError:
            continue
        for entry in entries:
            if folder == path and entry.name in keeps:
                continue
            try:
                if entry.is_dir(follow_symlinks=False) and not _leads_elsewhere(entry):
                    folders.append(entry.path)
                else:
                    (os.rmdir if entry.is_dir(follow_symlinks=False) else os.unlink)(entry.path)
            except OSError:
                continue  # the folder that it is in also stays
    for folder in reversed(folders[1:] if keeps else folders):
        try:
            os.rmdir(folder)
        except OSError:
            continue
    return set(os.listdir(path)) <= set(keeps) if os.path.lexists(path) else True


def _leads_elsewhere(entry: os.DirEntry[str]) -> bool:
    """Whether a folder is a junction of Windows."""
    attributes = getattr(entry.stat(follow_symlinks=False), "st_file_attributes", 0)
    return bool(attributes & getattr(stat, "FILE_ATTRIBUTE_REPARSE_POINT", 0))
