"""The view: the machine's files that a script sees, as arguments of bubblewrap.

The view starts empty. It shows the system's programs and libraries, Python, the book without its private folders, and
the paths that the settings name. All of it is read-only except the scratch folder. Standard library only.
"""

from __future__ import annotations

import os
import stat
import sys
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path

from figmill.errors import ToolError
from figmill.host.inside import REPOSITORY, is_secret
from figmill.paths import code_folders, this_python

# Programs and libraries. A link among them (/bin on most systems) is a link in the view too.
SYSTEM = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/nix/store", "/gnu/store")
# Files that programs and libraries look up: parts of /etc (no keys, no passwords), TeX, the number of processors.
LOOKED_UP = (
    "/etc/alternatives",
    "/etc/group",
    "/etc/hostname",
    "/etc/hosts",
    "/etc/ld.so.cache",
    "/etc/localtime",
    "/etc/mime.types",
    "/etc/nsswitch.conf",
    "/etc/os-release",
    "/etc/passwd",
    "/etc/protocols",
    "/etc/services",
    "/etc/ssl/certs",
    "/etc/texmf",
    "/etc/timezone",
    "/var/lib/texmf",
    "/sys/devices/system/cpu",
)
EMPTY = ("/tmp", "/run", "/home", "/root", "/mnt", "/srv", "/var/tmp")
# Folders of installed libraries. They are large, and installers copy no repositories into them.
LIBRARIES = frozenset(("site-packages", "node_modules", "__pycache__"))
COVERS = 1000  # hidden paths; each is a mount in every script's view


def _system() -> tuple[str, ...]:
    args: list[str] = ["--proc", "/proc", "--dev", "/dev"]
    # Shared, /dev/zero is memory that no limit counts.
    args += ["--ro-bind", os.devnull, "/dev/zero", "--remount-ro", "/dev"]
    for path in SYSTEM:
        if os.path.islink(path):
            args += ["--symlink", os.readlink(path), path]
        else:
            args += ["--ro-bind-try", path, path]
    for path in LOOKED_UP:
        args += ["--ro-bind-try", path, path]
    for path in EMPTY:
        args += ["--dir", path]
    return (*args, "--symlink", "/run", "/var/run")


BARE = (*_system(), "--remount-ro", "/")  # a view of the system's programs only


def arguments(scratch: Path, root: Path | None, also: Sequence[Path]) -> list[str]:
    """The arguments for a view of the system, Python, the book (root), further paths (also) and the scratch folder.

    Raises ToolError for a book or a scratch folder below /dev, where a view has only devices.
    """
    for path, remedy in ((root, "move the book"), (scratch, "set TMPDIR to another folder")):
        if path and any(_contains("/dev", str(place)) for place in _whole([path])):
            raise ToolError(f"{path} is below /dev, where the sandbox shows devices alone; {remedy}")
    shown = dict.fromkeys(_whole([*_python(), *([root] if root else []), *also]), "--ro-bind-try")
    hidden = _covers(_secrets(root, [folder for folder in shown if os.path.isdir(folder)]))
    places: dict[Path, list[str]] = {
        **{path: [how, str(path), str(path)] for path, how in shown.items()},
        **hidden,
        scratch: ["--bind", str(scratch), str(scratch)],
    }
    args = list(_system())
    # Outer folders first: a mount covers whatever was mounted inside its place before.
    for path in sorted(places, key=lambda path: (len(path.parts), path)):
        args += places[path]
    for link, target in _links(Path(this_python())):
        if not any(_contains(path, str(link)) for path in (*SYSTEM, *map(str, shown))):
            args += ["--symlink", target, str(link)]
    return [*args, "--remount-ro", "/"]


def _python() -> Iterator[Path]:
    """The folders of Python and its libraries. Of sys.path, only folders that contain nothing but libraries."""
    yield from (Path(sys.prefix), Path(sys.base_prefix), Path(sys.exec_prefix), Path(sys.base_exec_prefix))
    yield from code_folders().values()
    named = [path for path in os.environ.get("LD_LIBRARY_PATH", "").split(os.pathsep) if path]
    for path in map(Path, (*named, *sys.path)):
        if path.is_absolute() and not _is_too_much(path):
            yield path
            yield from (place for place in _linked_from(path) if not _is_too_much(place))


def _linked_from(folder: Path) -> set[Path]:
    """The folders that links in a package folder lead to: an environment may share another's packages."""
    try:
        with os.scandir(folder) as entries:
            return {Path(os.path.realpath(entry.path)).parent for entry in entries if entry.is_symlink()}
    except OSError:  # a zip file, or nothing
        return set()


def _is_too_much(folder: Path) -> bool:
    """Whether a folder holds more than libraries: it is or contains the working folder, a home, or a system folder."""
    kept = (str(Path.home()), os.getcwd(), str(Path(tempfile.gettempdir())), *EMPTY, *SYSTEM)
    return any(_contains(str(folder), place) for place in kept)


def _contains(folder: str, path: str) -> bool:
    """Whether a path is a folder or below it. As text, which is compared ten times sooner than `Path`."""
    return path == folder or path.startswith(f"{folder.rstrip('/')}/")


def _whole(paths: Iterable[Path]) -> Iterator[Path]:
    """Each path as written and with links resolved, without those below the system's folders."""
    for path in paths:
        for spelling in (str(path), os.path.realpath(path)):
            if not any(_contains(place, spelling) for place in SYSTEM) and spelling != "/":
                yield Path(spelling)


def _secret_names(folder: Path) -> list[str]:
    """The names of secrets in a folder, in order; none if it cannot be listed."""
    with suppress(OSError):
        return sorted(filter(is_secret, os.listdir(folder)))
    return []


def _secrets(root: Path | None, shown: Sequence[Path]) -> Iterator[Path]:
    """What is hidden: in the book at any depth, in other shown folders at their top."""
    for folder in shown:
        yield from (folder / name for name in _secret_names(folder))
    # Where pip checks out a library that is installed from its repository.
    for prefix in {sys.prefix, sys.exec_prefix}:
        yield from Path(prefix, "src").glob("*/.git")
    if root is not None:
        for place in _secrets_below(os.path.realpath(root)):
            yield Path(place)
            yield root / os.path.relpath(place, os.path.realpath(root))


def _secrets_below(folder: str) -> Iterator[str]:
    """The same, in a folder at any depth. Follows no links: a target inside the book is hidden by its own path."""
    waiting = [folder]
    while waiting:
        here = waiting.pop()
        try:
            with os.scandir(here) as entries:
                listing = list(entries)
        except OSError:  # not readable, or too deep for any path
            continue
        names = {entry.name for entry in listing}
        if names.issuperset(REPOSITORY) and here != folder:
            yield here
            continue
        for entry in listing:
            if is_secret(entry.name):
                yield entry.path
            elif entry.name not in LIBRARIES and entry.is_dir(follow_symlinks=False):
                waiting.append(entry.path)


def uncovered(root: Path) -> Iterator[Path]:
    """Inside a view: paths at the top of the book that must be hidden, but appeared after the view was made."""
    device = os.stat(root).st_dev  # a cover is on another
    for name in _secret_names(root):
        with suppress(OSError):
            status = os.lstat(root / name)
            if status.st_dev == device and not stat.S_ISLNK(status.st_mode):
                yield root / name


def _covers(secrets: Iterable[Path]) -> dict[Path, list[str]]:
    """The arguments that cover these paths, by path."""
    covers: dict[Path, list[str]] = {}
    for path in secrets:
        if os.path.islink(path):
            continue  # its target is not in the view, or is hidden by its own name
        if os.path.isdir(path):
            covers[path] = ["--tmpfs", str(path), "--remount-ro", str(path)]
        elif os.path.exists(path):
            covers[path] = ["--ro-bind", os.devnull, str(path)]
        if len(covers) > COVERS:
            raise ToolError(
                f"the book has more than {COVERS:,} repositories and files that may hold passwords, such as {path}; "
                "the sandbox cannot hide them all"
            )
    return covers


def _links(path: Path) -> Iterator[tuple[Path, str]]:
    """The chain of links from a path to a file, as (link, target) pairs."""
    for _ in range(40):  # the kernel's own limit
        if not os.path.islink(path):
            return
        target = os.readlink(path)
        yield path, target
        path = path.parent / target
