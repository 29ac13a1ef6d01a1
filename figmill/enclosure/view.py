"""What a script sees of the machine's files: bubblewrap's arguments for that.

The view begins empty. It holds the system's programs and libraries, Python, the book without what may hold secrets,
and what is named besides; all of it to be read only, but for the scratch folder. Standard library only.
"""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from figmill.paths import PACKAGE

# Programs and libraries. A link among them (/bin on most systems) is one in the view, too.
SYSTEM = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/nix/store", "/gnu/store")
# Of /etc what programs and libraries look up; no keys, no passwords. The rest: TeX, and the processors there are.
LOOKED_UP = (
    "/etc/alternatives", "/etc/group", "/etc/hostname", "/etc/hosts", "/etc/ld.so.cache", "/etc/localtime",
    "/etc/mime.types", "/etc/nsswitch.conf", "/etc/os-release", "/etc/passwd", "/etc/protocols",
    "/etc/services", "/etc/ssl/certs", "/etc/texmf", "/etc/timezone", "/var/lib/texmf",
    "/sys/devices/system/cpu",
)  # fmt: skip
EMPTY = ("/tmp", "/run", "/home", "/root", "/mnt", "/srv", "/var/tmp")
SECRET = (".git", ".figmill")  # of the book, and of a checkout that libraries come from


def _system() -> tuple[str, ...]:
    found: list[str] = ["--proc", "/proc", "--dev", "/dev", "--remount-ro", "/dev"]
    for path in SYSTEM:
        if os.path.islink(path):
            found += ["--symlink", os.readlink(path), path]
        else:
            found += ["--ro-bind-try", path, path]
    for path in LOOKED_UP:
        found += ["--ro-bind-try", path, path]
    for path in EMPTY:
        found += ["--dir", path]
    return (*found, "--tmpfs", "/dev/shm", "--symlink", "/run", "/var/run")


BARE = (*_system(), "--remount-ro", "/")  # in which nothing but the system's programs can be run


def arguments(scratch: Path, root: Path | None, also: Sequence[Path]) -> list[str]:
    """What bubblewrap is to show: the system, Python, the book, what is named besides, and the scratch folder."""
    shown = dict.fromkeys(_whole([*_python(), *([root] if root else []), *also]), "--ro-bind-try")
    hidden = _hidden(folder for folder in shown if os.path.isdir(folder))
    places: dict[Path, list[str]] = {
        **{path: [how, str(path), str(path)] for path, how in shown.items()},
        **hidden,
        scratch: ["--bind", str(scratch), str(scratch)],
    }
    found = list(_system())
    # What lies in another comes after it, or would be covered.
    for path in sorted(places, key=lambda path: (len(path.parts), path)):
        found += places[path]
    for link, target in _links(Path(sys.executable)):
        if not any(link.is_relative_to(path) for path in (*map(Path, SYSTEM), *shown)):
            found += ["--symlink", target, str(link)]
    return [*found, "--remount-ro", "/"]


def _python() -> Iterator[Path]:
    """Where Python and its libraries are; of what PYTHONPATH and the like name, what is meant for that."""
    yield from (Path(sys.prefix), Path(sys.base_prefix), Path(sys.exec_prefix), Path(sys.base_exec_prefix))
    yield PACKAGE
    named = [path for path in os.environ.get("LD_LIBRARY_PATH", "").split(os.pathsep) if path]
    for path in map(Path, (*named, *sys.path)):
        if path.is_absolute() and not _is_too_much(path):
            yield path
            yield from (place for place in _linked_from(path) if not _is_too_much(place))


def _linked_from(folder: Path) -> set[Path]:
    """The folders that links in a folder of packages lead to: an environment may share another's packages."""
    try:
        with os.scandir(folder) as entries:
            return {Path(os.path.realpath(entry.path)).parent for entry in entries if entry.is_symlink()}
    except OSError:  # a zip file, or nothing
        return set()


def _is_too_much(folder: Path) -> bool:
    """Whether a folder is no library, but where somebody works: the current one, a home, or what homes are in."""
    kept = (Path.home(), Path.cwd(), Path(tempfile.gettempdir()), *map(Path, EMPTY), *map(Path, SYSTEM))
    return any(place.is_relative_to(folder) for place in kept)


def _whole(paths: Iterable[Path]) -> Iterator[Path]:
    """Each path as it is written, and where it really is; without the system's own, which is there already."""
    system = tuple(map(Path, SYSTEM))
    for path in paths:
        for one in (path, Path(os.path.realpath(path))):
            if not any(one.is_relative_to(place) for place in system) and one != Path("/"):
                yield one


def _hidden(folders: Iterable[Path]) -> dict[Path, list[str]]:
    """What is covered, in each folder that has it."""
    found: dict[Path, list[str]] = {}
    for path in (folder / name for folder in folders for name in SECRET):
        if os.path.islink(path):
            continue  # it leads to where nothing is
        if os.path.isdir(path):
            found[path] = ["--tmpfs", str(path), "--remount-ro", str(path)]
        elif os.path.exists(path):
            found[path] = ["--ro-bind", os.devnull, str(path)]
    return found


def _links(path: Path) -> Iterator[tuple[Path, str]]:
    """The links from a path to a file, one after the other: where each is, and what it says."""
    for _ in range(40):  # as many as the kernel follows
        if not os.path.islink(path):
            return
        target = os.readlink(path)
        yield path, target
        path = path.parent / target
