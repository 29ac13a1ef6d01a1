"""What the workers of a cluster must have to draw as this machine does: the book's files, and versions.

Unaware of Dask. Files are named by their SHA-256, so that each crosses the network once.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from figmill import __version__, kinds
from figmill import versions as installed
from figmill.errors import ToolError
from figmill.host import files
from figmill.kinds import KINDS, typefaces
from figmill.kinds.job import Job


@dataclass(frozen=True, slots=True)
class Bundle:
    """A book as far as drawings see it, without the bytes: what a worker is told first."""

    home: str  # the root on the machine that asks: messages speak of it
    files: tuple[tuple[str, str], ...]  # paths relative to the root, each with its SHA-256
    kinds: tuple[str, ...]  # that will be drawn
    fonts: tuple[str, ...]  # of the files, those to measure text with
    versions: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Cargo:
    """A bundle on the machine that has the book: also where its files lie."""

    bundle: Bundle
    root: Path
    folders: tuple[str, ...]  # that are sent whole
    names: frozenset[str]  # of the files
    places: Mapping[str, Path]  # by digest

    @property
    def count(self) -> int:
        """How many files there are to send to a worker that has none."""
        return len(self.places)

    def read(self, digest: str) -> bytes:
        """The bytes of a file; ToolError where they are not those that the bundle promises."""
        place = self.places[digest]
        try:
            data = files.read(place, files.DATA)
        except OSError as error:
            raise ToolError(f"{place} cannot be sent to the cluster: {error.strerror}") from None
        if hashlib.sha256(data).hexdigest() != digest:
            raise ToolError(f"{place} was changed while it was being sent to the cluster; build again")
        return data

    def covers(self, name: str) -> bool:
        """Whether a worker sees at this name what is here: a file, a listing (ends in a slash), or nothing."""
        if name.endswith("/"):
            inside = any(name.startswith(f"{folder}/") for folder in self.folders)
            return inside or not (self.root / name).is_dir()
        return name in self.names or not (self.root / name).is_file()


def pack(jobs: Sequence[Job], root: Path, fonts: Sequence[Path]) -> Cargo:
    """All that the jobs may need: the visuals folders whole, since what a script reads shows only afterwards."""
    folders = tuple(sorted({folder for job in jobs for folder in job.folders}))
    declared = (root / name for job in jobs for name in (job.source, *job.inputs))
    faces = {_font_name(path, root, number): path for number, path in enumerate(fonts)}
    wanted = {path.relative_to(root).as_posix(): path for path in (*_below(folders, root), *declared)} | faces
    found = {name: _digest(path) for name, path in sorted(wanted.items()) if path.is_file()}
    bundle = Bundle(
        home=str(root),
        files=tuple(found.items()),
        kinds=tuple(kind for kind in KINDS if any(job.kind == kind for job in jobs)),
        fonts=tuple(faces),
        versions=tuple(versions().items()),
    )
    places = {digest: wanted[name] for name, digest in found.items()}
    return Cargo(bundle, root, folders, frozenset(found), places)


def _below(folders: Iterable[str], root: Path) -> Iterator[Path]:
    """Every file that lies in the book below the folders; hidden ones are passed over."""
    book = root.resolve()
    for folder in folders:
        for place, inner, names in os.walk(root / folder):
            inner[:] = [name for name in inner if not name.startswith(".") and name != "__pycache__"]
            for name in names:
                path = Path(place, name)
                if not name.startswith(".") and path.resolve().is_relative_to(book):
                    yield path


def _digest(path: Path) -> str:
    try:
        return files.digest(path)
    except OSError as error:
        raise ToolError(f"{path} cannot be sent to the cluster: {error.strerror}") from None


def _font_name(path: Path, root: Path, number: int) -> str:
    """Its path in the book; a font from elsewhere goes to a folder of its own: another may have its name."""
    full = Path(os.path.abspath(path))
    inside = full.is_relative_to(root)
    return full.relative_to(root).as_posix() if inside else f".fonts/{number:03}/{full.name}"


@cache
def versions() -> dict[str, str]:
    """Everything outside the book that drawings depend on, figmill's own code included, as found here."""
    digest = installed.code("cluster")[:12]
    found = {"figmill": f"{__version__} with code {digest}", "figmill's fonts": typefaces.digest()[:12]}
    for kind in KINDS:
        rows = dict(kinds.toolchain(kind, scripted=True))
        rows.pop("figmill's renderers", None)  # part of its code
        found |= rows
    return found


def differences(
    here: Iterable[tuple[str, str]], there: Mapping[str, str]
) -> tuple[tuple[str, str, str], ...]:
    """What is not the same in both places: its name, the version here and the one there."""
    return tuple((name, value, there.get(name, "none")) for name, value in here if there.get(name) != value)
