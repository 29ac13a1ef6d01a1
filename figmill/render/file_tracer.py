"""The file tracer: it records what a script reads inside the book, by Python's audit events.

It also refuses writes to the book, with an error at the author's line. That is a courtesy: the protection is the
sandbox.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import wraps
from pathlib import Path
from types import MappingProxyType
from typing import Any

from figmill.host import inside
from figmill.paths import LIBRARIES, code_folders, relative
from figmill.render.beside import Beside

# Audit events that change files -> which arguments are paths, each with the argument that is its folder's descriptor.
CHANGES: Mapping[str, tuple[tuple[int, int | None], ...]] = MappingProxyType(
    {
        "os.remove": ((0, 1),),
        "os.rename": ((0, 2), (1, 3)),
        "os.mkdir": ((0, 2),),
        "os.rmdir": ((0, 1),),
        "os.truncate": ((0, None),),
        "os.link": ((1, 3),),
        "os.symlink": ((1, 2),),
        "os.chmod": ((0, 2),),
        "os.utime": ((0, 3),),
        "shutil.rmtree": ((0, 1),),
    }
)
# Events after which a script may behave differently the next time, even if the book is the same.
BEYOND = frozenset(
    {"subprocess.Popen", "os.system", "os.exec", "os.posix_spawn", "socket.connect", "socket.getaddrinfo"}
)
_SYSTEM = tuple(f"{os.sep}{name}{os.sep}" for name in ("proc", "dev", "sys", "usr", "lib", "lib64", "etc"))
LISTINGS = frozenset({"os.listdir", "os.scandir"})
_WRITES = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
_IMPORTER = "<frozen importlib._bootstrap_external>"
_PASSING_ON = frozenset(("pathlib", "pathlib._local", "gzip"))  # modules that open a file for their caller


def _place(descriptor: int) -> str | None:
    """The path of an open file or folder; None if the system does not say."""
    try:
        return os.readlink(f"/proc/self/fd/{descriptor}")
    except OSError:
        return None


def _is_folder(path: Any) -> bool:
    return isinstance(path, str | bytes | os.PathLike) and os.path.isdir(path)


def _is_library() -> bool:
    """Whether figmill's libraries for scripts are opening the file: its name may come from a question."""
    frame = sys._getframe(3)  # below this function, `_opened` and the hook
    while frame is not None and frame.f_globals.get("__name__") in _PASSING_ON:
        frame = frame.f_back  # type: ignore[assignment]
    return frame is not None and str(frame.f_globals.get("__name__")).startswith(LIBRARIES)


def _below(path: Any, folder: Any) -> Any:
    """A path, joined to its folder if it is relative to a folder's descriptor."""
    if not isinstance(folder, int) or folder < 0 or not isinstance(path, str | bytes | os.PathLike):
        return path
    place = _place(folder)
    return path if place is None else os.path.join(place, os.fsdecode(path))


class Tracer:
    """Records what Python code reads inside the book, and keeps it from writing there.

    Files are recorded by their path relative to the root, missing ones too; listed folders end in a slash. Two things
    raise no audit event: files that C code opens, which open_watch.py sees where it can, and mere checks (os.stat,
    Path.exists). A question declares those under `inputs`.

    - besides: folders whose files are not inputs.
    - readable: places outside the book that the settings name.
    """

    def __init__(self, root: Path, besides: tuple[Path, ...] = (), readable: tuple[str, ...] = ()) -> None:
        self._root = str(root) + os.sep
        self._readable = readable
        # Hidden files of the book that the figure may read, see `inside.place`.
        self.allowed: tuple[str, ...] = ()
        ours = (*code_folders().values(), Path(sys.prefix), Path(sys.base_prefix), *besides)
        passed = [str(path) + os.sep for path in ours]
        self._passed = tuple(p for p in passed if not self._root.startswith(p))
        self._hidden = tuple(self._root + name + os.sep for name in (".git", ".figmill"))
        self._libraries = tuple(passed) + _SYSTEM
        self.left_book = False  # whether the script read a file outside the book and the installation
        self._reads: set[str] | None = None
        self._imports: set[str] = set()
        self.beside: Beside | None = None  # whose links stand for files of the book

    def install(self) -> None:
        """Install the hook, for good: Python cannot remove an audit hook."""
        sys.addaudithook(self._hook)
        self._watch_descriptors()

    def _watch_descriptors(self) -> None:
        """Wrap os.open: its audit event leaves out the folder's descriptor (dir_fd)."""
        plain = os.open

        @wraps(plain)
        def opened(path: Any, flags: int, mode: int = 0o777, *, dir_fd: int | None = None) -> int:
            if self._reads is not None and dir_fd is not None:
                self._opened(_below(path, dir_fd), None, flags)
            return plain(path, flags, mode, dir_fd=dir_fd)

        os.open = opened
        os.supports_dir_fd.add(opened)

    @contextmanager
    def recording(self) -> Iterator[set[str]]:
        """Yield a set that fills with what is read."""
        self._reads, self._imports, self.left_book = set(), set(), False
        reads = self._reads
        try:
            yield reads
        finally:
            self._reads = None
            reads.update(self._shadowable())

    def _hook(self, event: str, args: tuple[Any, ...]) -> None:
        if self._reads is None:
            return
        if event == "open":
            self._opened(args[0], args[1], args[2])
        elif event in LISTINGS:
            if sys._getframe(1).f_code.co_filename != _IMPORTER:
                self._add(args[0] if args[0] is not None else ".", "/")
        elif event == "import":
            self._imports.add(args[0].partition(".")[0])
        elif event in CHANGES:
            for path, folder in CHANGES[event]:
                self._refuse(args[path], args[folder] if folder is not None and folder < len(args) else None)
        elif event in BEYOND:
            self.left_book = True
        elif event == "sqlite3.connect":
            self._add(args[0], "")

    def _opened(self, path: Any, mode: Any, flags: Any) -> None:
        writes = any(c in mode for c in "wax+") if isinstance(mode, str) else bool((flags or 0) & _WRITES)
        if writes:
            self._give_way(path, mode, flags)
            self._refuse(path)
        elif not _is_folder(path):  # opening a folder does not read a file in it
            if _is_library():
                self._refuse_private(path)
            self._add(path, "")

    def _refuse_private(self, path: Any) -> None:
        """Raise PermissionError for a file that no figure reads: figmill's libraries are not an author's script."""
        if not isinstance(path, str | bytes | os.PathLike):
            return
        written = os.fsdecode(path)
        full = os.path.abspath(written if self.beside is None else self.beside.meant(written))
        if not full.startswith(self._root):
            places = (
                *self._passed,
                *self._libraries,
                *(os.path.join(folder, "") for folder in self._readable),
            )
            if os.path.realpath(full).startswith(places) or full in self._readable:
                return
        name = relative(full, self._root)
        try:
            inside.place(self._root, name, self.allowed)
        except inside.RefusedError as error:
            raise PermissionError(f"'{os.path.basename(written)}' {error.phrase}") from None
        except OSError:
            pass  # opening it reports why

    def _give_way(self, path: Any, mode: Any, flags: Any) -> None:
        """Remove the link to a file beside the script if the script is about to replace that file."""
        replaces = "w" in mode if isinstance(mode, str) else bool((flags or 0) & os.O_TRUNC)
        if self.beside is None or not replaces or not isinstance(path, str | bytes | os.PathLike):
            return
        if self.beside.is_link(os.fsdecode(path)):
            reads, self._reads = self._reads, None  # the script did not do this removal
            try:
                os.unlink(path)
            finally:
                self._reads = reads

    def _inside(self, path: Any) -> str | None:
        """The path relative to the root, with forward slashes; None if it is outside the book."""
        if isinstance(path, int):
            path = _place(path)
        if not isinstance(path, str | bytes | os.PathLike):
            return None
        full = os.path.abspath(os.fsdecode(path))
        if full + os.sep == self._root:
            return "."
        if not full.startswith(self._root) or full.startswith(self._passed) or full.startswith(self._hidden):
            return None
        return full[len(self._root) :].replace(os.sep, "/")

    def _add(self, path: Any, suffix: str) -> None:
        if self.beside is not None and isinstance(path, str | bytes | os.PathLike):
            path = self.beside.meant(os.fsdecode(path))
        inside = self._inside(path)
        if inside is not None and self._reads is not None:
            self._reads.add(inside + suffix)
        elif suffix == "" and isinstance(path, str | bytes | os.PathLike):
            full = os.path.abspath(os.fsdecode(path))
            self.left_book |= not full.startswith((self._root, *self._libraries))

    def _refuse(self, path: Any, folder: Any = None) -> None:
        """Raise PermissionError if the path leads into the book, links followed. folder: a descriptor for dir_fd."""
        path = _below(path, folder)
        real = os.path.realpath(path) if isinstance(path, str | bytes | os.PathLike) else path
        inside = self._inside(real)
        if inside is not None:
            raise PermissionError(
                f"a figure may not change the book: {inside}; write to the script's working folder"
            )

    @property
    def passed(self) -> tuple[str, ...]:
        """The folders whose files are not inputs: those of the installation, and figmill's own."""
        return (*self._passed, *self._hidden)

    def add_opened(self, paths: Iterable[str]) -> None:
        """Record files that were opened without Python's audit events."""
        for path in paths:
            self._add(path, "")

    def _shadowable(self) -> set[str]:
        """The missing files that would shadow a module imported from the book, were they created."""
        places: set[str] = set()
        folders = [path for path in sys.path if self._inside(path) is not None]
        for name in self._imports.difference(sys.builtin_module_names):  # which come before any file
            home = getattr(sys.modules.get(name), "__file__", None)
            if home is not None and self._inside(home) is None:
                continue
            for folder in folders:
                for candidate in (f"{name}.py", f"{name}/__init__.py"):
                    inside = self._inside(os.path.join(folder, candidate))
                    if inside is not None:
                        places.add(inside)
                if home is not None and os.path.abspath(home).startswith(os.path.abspath(folder) + os.sep):
                    break
        return places
