"""The fast path: the answer for an unchanged book, from file stats alone, before anything else is loaded.

An unchanged book waits only for this module, so it imports next to nothing. It knows which folders to walk, which
further paths to check, and their sizes, times and inodes; it knows nothing about questions and figures. When in doubt
it gives no answer, and the build runs as usual.
"""

from __future__ import annotations

import os
import stat
import sys
import time

from figmill import streams
from figmill.host import bound, files, trees

TYPE_CHECKING = False  # loading `typing` would take a tenth of the time
if TYPE_CHECKING:
    from typing import NoReturn

PATH = f"{bound.PRIVATE}/snapshot"
VERSION = "5"
CONFIGURATION = ("figmill.toml", "pyproject.toml")  # the first file with a table of figmill's counts
# A file listed this soon after a change may change again without a new time stamp.
RACY_NS = 20_000_000
# The suffixes of pages. A folder to list that ends in ONLY_PAGES has nothing else that counts.
PAGES = (".md", ".mdx", ".markdown", ".qmd", ".Rmd", ".rst")
ONLY_PAGES = "/*"
# Folders below pages that hosts create, or whose content comes from elsewhere.
NO_PAGES = frozenset(("node_modules", "_build", "_site", "site-packages"))
_HAS_DESCRIPTORS = os.stat in os.supports_dir_fd  # of folders; not on Windows


def plain(arguments: list[str]) -> tuple[str | None, bool] | None:
    """Parse a command line of --root and --quiet only: the root, if given, and whether it is quiet. Otherwise None.

    `build` may come first.
    """
    root, quiet = None, False
    left = iter(arguments[1:] if arguments[:1] == ["build"] else arguments)
    for word in left:
        if word in ("-q", "--quiet"):
            quiet = True
        elif word == "--root" and (root := next(left, None)) is not None:
            continue
        else:
            return None
    return root, quiet


def answered(root: str | None, quiet: bool, forms: frozenset[str] = frozenset()) -> tuple[bool, Seen | None]:
    """Print the answer if nothing has changed. Returns whether it did, and the listing of the book.

    root: None: search upwards from the current folder. forms: the wanted formats in addition to SVG.
    """
    try:
        book = find(os.getcwd()) if root is None else files.real(root)
    except OSError:
        book = None
    if book is None:
        return False, None
    counts, seen = answer(book, forms)
    if counts is None:
        return False, seen
    figures, warnings = counts
    streams.complain(*warnings)
    if not quiet:
        streams.say([summary(figures)])
    return True, seen


def leave(code: int) -> NoReturn:
    """Exit without freeing memory: freeing ten thousand questions would take as long as loading them."""
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except (OSError, ValueError):  # reported before, or the stream is closed
            pass
    os._exit(code)


def find(start: str) -> str | None:
    """The nearest folder upwards with a snapshot; None if a build might choose another folder as the book."""
    folder = os.path.realpath(start)
    while True:
        if os.path.exists(os.path.join(folder, PATH)):
            return folder
        doubtful = ("questions", *CONFIGURATION)
        parent = os.path.dirname(folder)
        if parent == folder or any(os.path.exists(os.path.join(folder, name)) for name in doubtful):
            return None
        if trees.is_anyones(parent):
            return None
        folder = parent


# Path below the root, size, mtime in ns, inode, ctime in ns, whether it is a link. A ctime, unlike an mtime, cannot
# be set back.
FileRow = tuple[str, int, int, int, int, bool]


class Seen:
    """A listing: every file below some folders at one moment.

    - last: what the last build left, if it left anything.
    """

    __slots__ = ("_state", "folders", "last", "rows")

    def __init__(self, folders: list[str], rows: list[FileRow], last: LastBuild | None = None) -> None:
        self.folders, self.rows, self.last = folders, rows, last
        self._state: str | None = None

    @property
    def state(self) -> str:
        """The rows as one text."""
        if self._state is None:
            self._state = state(self.rows)
        return self._state


class LastBuild:
    """The snapshot of a build after which all figures were fresh.

    - also: paths in addition to the listed ones.
    - others: their `state_of`.
    - sources: the `state` of the listed ones.
    """

    __slots__ = ("also", "figures", "forms", "others", "sources", "warnings")

    def __init__(
        self, forms: list[str], figures: int, warnings: list[str], also: list[str], others: str, sources: str
    ) -> None:
        self.forms, self.figures, self.warnings = forms, figures, warnings
        self.also, self.others, self.sources = also, others, sources


def look(root: str, folders: list[str]) -> Seen:
    """The listing of a book as it is now. Raises ToolError if its folders are too deep."""
    try:
        return Seen(folders, rows(root, folders))
    except trees.TooDeepError as error:
        from figmill.errors import ToolError  # not at the top: the fast path does not need it

        raise ToolError(f"{error.filename} {error.strerror}") from None


def answer(
    root: str, forms: frozenset[str] = frozenset()
) -> tuple[tuple[int, list[str]] | None, Seen | None]:
    """The number of figures and their warnings if all are fresh; None if anything may have changed. And the listing.

    forms: the wanted formats in addition to SVG, such as `png@2.0`; if one is missing, the answer is None too. A
    build can use the listing, so that it does not walk the folders again.
    """
    seen = None
    try:
        data = bound.opened(bound.key_of(root), PATH, files.read(os.path.join(root, PATH), follow=False))
        if data is None:
            return None, None  # from another checkout, or damaged
        version, *kept = data.decode("utf-8", "surrogateescape").split(SECTION)
        if version != VERSION:
            return None, None
        *lists, others, sources = kept
        known_forms, figures, warnings, folders, also = map(_items, lists)
        if not folders:
            return None, None  # every book has folders
        seen = Seen(folders, rows(root, folders))
        if not forms <= set(known_forms):
            return None, seen
        if seen.state != sources or state_of(root, also) != others:
            seen.last = LastBuild(known_forms, int(figures[0]), warnings, also, others, sources)
            return None, seen
        return (int(figures[0]), warnings), seen
    except (OSError, ValueError, IndexError):
        return None, seen


def rows(root: str, folders: list[str]) -> list[FileRow]:
    """Every file below the folders except hidden ones; size -1 means a folder, or anything but a regular file.

    No link is followed, except for one of `folders` that is a link to another folder of the book.
    Raises OSError if a folder cannot be read, or is too deep: it must not count as empty.
    """
    whole = [folder for folder in folders if not folder.endswith(ONLY_PAGES)]
    inside = [folder for folder in whole if is_inside(root, folder)]
    listed: list[FileRow] = [(folder, -1, 0, 0, 0, False) for folder in whole if folder not in inside]
    for folder, entries in trees.walk(root, inside):
        listed.append((folder, -1, 0, 0, 0, False))
        for entry in entries:
            name = entry.name
            if not trees.is_seen(name):
                continue
            path = f"{folder}/{name}"
            is_link = entry.is_symlink()
            try:
                status = entry.stat()
            except OSError:  # a dangling link
                listed.append((path, -1, 0, 0, 0, is_link))
                continue
            if stat.S_ISREG(status.st_mode):
                times = status.st_mtime_ns, status.st_ino, status.st_ctime_ns
                listed.append((path, status.st_size, *times, is_link))
            else:
                listed.append((path, -1, 0, 0, 0, is_link))
    listed += _pages(root, [folder for folder in folders if folder.endswith(ONLY_PAGES)])
    listed.sort()
    return listed


def _pages(root: str, folders: list[str]) -> list[FileRow]:
    """Every page below the folders; regular files only. Raises OSError, as `rows` does."""
    listed: list[FileRow] = []
    inside = [folder.removesuffix(ONLY_PAGES) for folder in folders]
    for folder, entries in trees.walk(root, [name for name in inside if is_inside(root, name)], _has_pages):
        for entry in entries:
            if entry.name.endswith(PAGES) and entry.name[0] != ".":
                try:
                    status = entry.stat()
                except OSError:  # a dangling link
                    continue
                if stat.S_ISREG(status.st_mode):
                    path = f"{folder}/{entry.name}".removeprefix("./")
                    times = status.st_mtime_ns, status.st_ino, status.st_ctime_ns
                    listed.append((path, status.st_size, *times, entry.is_symlink()))
    return listed


def _has_pages(folder: str) -> bool:
    return trees.is_seen(folder) and folder not in NO_PAGES


def is_inside(root: str, folder: str) -> bool:
    """Whether a folder lies in the book, wherever links lead."""
    if not folder or os.path.isabs(folder) or ".." in folder.split("/"):
        return False
    path = os.path.join(root, folder)
    real = os.path.realpath(path)
    if real == path:
        return True
    root = os.path.realpath(root)
    return real == root or real.startswith(os.path.join(root, ""))


def state(listed: list[FileRow]) -> str:
    """The rows as one text."""
    return "\n".join(
        [f"{path}\0{size}\0{mtime}\0{inode}\0{ctime}" for path, size, mtime, inode, ctime, _ in listed]
    )


def state_of(root: str, paths: list[str]) -> str:
    """The stats of single paths as one text, missing ones included, with the version of Python."""
    return "\n".join([sys.version, sys.prefix, sys.platform, *lines_of(root, paths)])


def lines_of(root: str, paths: list[str]) -> list[str]:
    """The line of each path in `state_of`. Looking from a folder's descriptor saves a quarter of the time."""
    below = os.open(root, os.O_RDONLY) if _HAS_DESCRIPTORS else None
    lines, look = [], os.stat
    try:
        for path in paths:
            try:
                status = look(os.path.join(root, path)) if below is None else look(path, dir_fd=below)
            except (OSError, ValueError):
                lines.append(f"{path}\0absent")
                continue
            lines.append(
                f"{path}\0{status.st_size}\0{status.st_mtime_ns}\0{status.st_ino}\0{status.st_ctime_ns}"
            )
    finally:
        if below is not None:
            os.close(below)
    return lines


def summary(figures: int) -> str:
    """The one line that a build of an unchanged book prints."""
    if not figures:
        return "0 figures; `visual` in a question declares one"
    return "1 figure, all fresh" if figures == 1 else f"{figures} figures, all fresh"


def settle_clock(listed: list[FileRow]) -> None:
    """Wait until the newest file is old enough for a later change to show in its time."""
    newest = max((max(mtime, ctime) for _, _, mtime, _, ctime, _ in listed), default=0)
    left = newest + RACY_NS - time.time_ns()
    if 0 < left <= RACY_NS:
        time.sleep(left / 1e9)


# The separators of sections in the snapshot, and of items in a list. No path holds a NUL, and no item is empty.
SECTION, ITEM = "\0\0", "\0,\0"


def dumps(last: LastBuild, folders: list[str]) -> bytes:
    """The snapshot of a book whose figures are all fresh. Its `sources` were listed before anything was read."""
    lists = (last.forms, [str(last.figures)], last.warnings, folders, last.also)
    parts = (VERSION, *(ITEM.join(items) for items in lists), last.others, last.sources)
    return SECTION.join(parts).encode("utf-8", "surrogateescape")


def _items(text: str) -> list[str]:
    return text.split(ITEM) if text else []
