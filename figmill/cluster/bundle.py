"""What a cluster's workers need to draw as this machine does: a bundle for all jobs, and an errand for each.

The bundle has the versions, and the files that an author's code may read: the visuals folders, without the sources that
only figmill's own code reads. An errand has the few files that one job reads beside those. Files are named by their
SHA-256, so that each is transferred once. Unaware of Dask.
"""

from __future__ import annotations

import hashlib
import os
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path, PurePosixPath

from figmill import __version__, kinds
from figmill import versions as installed
from figmill.errors import ToolError
from figmill.host import files, inside, trees
from figmill.kind import typefaces
from figmill.kind.job import Job
from figmill.kinds import KINDS
from figmill.late_dataclasses import dataclass

SMALL = 64 << 10  # bytes of a source that travels with its job
# Sources of graphs and diagrams, in text that figmill reads itself. A book may have 100 000 of them, and scripts hardly
# read them; if one does, Python opens the file, so the tracer sees it. A picture may be opened by C code, unseen.
WITHHELD = tuple(
    suffix
    for row in KINDS.values()
    if row.translates and not (row.process.opens_files or row.process.starts_programs or row.by_hand)
    for suffix in row.suffixes
    if suffix not in (".py", ".ipynb") and not suffix.endswith((".json", ".png"))
)


@dataclass(frozen=True, slots=True)
class Bundle:
    """The part of a book that all drawings depend on, without the files' bytes. A worker receives this first."""

    home: str  # the book's root on the sending machine, for messages
    files: tuple[tuple[str, str], ...]  # paths relative to the root, each with its SHA-256
    # These exist even if some or all of their files are withheld: a script may list them.
    folders: tuple[str, ...]
    kinds: tuple[str, ...]  # of the jobs
    fonts: tuple[str, ...]  # those of `files` that are the book's fonts
    versions: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Errand:
    """A job, and the files that it needs beside those of the bundle. Paths are relative to the root."""

    job: Job
    text: bytes | None = None  # of its source, if that is small; most sources are read by one job only
    files: tuple[tuple[str, str], ...] = ()  # further paths, each with its SHA-256

    @property
    def names(self) -> frozenset[str]:
        """The paths of all its files."""
        source = () if self.text is None else (self.job.source,)
        return frozenset((*source, *(name for name, _ in self.files)))


@dataclass(frozen=True, slots=True)
class Shipment:
    """A bundle on the sending machine, with the places of its files and of those of errands."""

    bundle: Bundle
    root: Path
    folders: tuple[str, ...]  # sent, except what is withheld
    # folder -> paths of its files that follow only if a script asks for them
    withheld: Mapping[str, tuple[str, ...]]
    names: frozenset[str]  # of the bundle's files
    places: dict[str, Path]  # digest -> path

    @property
    def count(self) -> int:
        """The number of files that a new worker must receive."""
        return len(self.places)

    def read(self, digest: str) -> bytes:
        """The bytes of a file. Raises ToolError if they no longer match the digest."""
        place = self.places[digest]
        try:
            data = files.read(place, files.DATA)
        except OSError as error:
            raise ToolError(f"{place} cannot be sent to the cluster: {error.strerror}") from None
        if hashlib.sha256(data).hexdigest() != digest:
            raise ToolError(f"{place} was changed while it was being sent to the cluster; build again")
        return data

    def errand(self, job: Job, paths: Iterable[str] = ()) -> Errand:
        """A job with its files. paths: files and listed folders that it looked for in a first try.

        Of these, those of the visuals folders are added. Raises ToolError if a file cannot be read.
        """
        resolved = (part for name in paths for part in (self.withheld.get(name.rstrip("/"), ()) or (name,)))
        more = (name for name in resolved if self._may_send(name, job))
        sources = () if job.text is not None or not _sends_with_job(job) else (job.source,)
        wanted = [name for name in dict.fromkeys((*sources, *job.inputs, *more)) if name not in self.names]
        text, named = None, []
        for name in wanted:
            try:
                path = Path(inside.place(self.root, name, job.allowed))
            except OSError:
                continue  # the drawing does not read it here either, and says why
            if not path.is_file():
                continue
            if name == job.source and path.stat().st_size <= SMALL:
                text = _bytes(path)
                continue
            digest = _digest(path)
            self.places[digest] = path
            named.append((name, digest))
        return Errand(job, text, tuple(named))

    def _may_send(self, name: str, job: Job) -> bool:
        """Whether a file that was looked for is sent: it is in a visuals folder of the book, and not hidden."""
        path = PurePosixPath(name)
        inside = any(path.is_relative_to(folder) for folder in job.folders)
        if not inside or not all(map(trees.is_seen, path.parts)):
            return False
        return _is_in(self.root, self.root / name)

    @property
    def listings(self) -> tuple[str, ...]:
        """Every folder with files that are withheld, as if a script had listed it."""
        return tuple(f"{folder}/" for folder in self.withheld)

    def covers(self, name: str, errand: Errand) -> bool:
        """Whether a worker finds the same under this name: a file, a listing (trailing slash), or nothing."""
        if name.endswith("/"):
            inside = any(name.startswith(f"{folder}/") for folder in self.folders)
            wanted = (
                held for held in self.withheld.get(name[:-1], ()) if _is_in(self.root, self.root / held)
            )
            return (inside and errand.names.issuperset(wanted)) or not (self.root / name).is_dir()
        return name in self.names or name in errand.names or not (self.root / name).is_file()


def pack(jobs: Sequence[Job], root: Path, fonts: Sequence[Path]) -> Shipment:
    """The files that scripts may need: of the visuals folders, because nobody knows what a script will read.

    A job without an author's code brings its own, and a script's job what turns out to be withheld: see
    `Shipment.errand`.
    """
    scripts = [job for job in jobs if not _sends_with_job(job)]
    folders = tuple(sorted({folder for job in scripts for folder in job.folders}))
    withheld = defaultdict[str, list[str]](list)
    wanted = {}
    for path in _below(folders, root):
        name = path.relative_to(root).as_posix()
        if name.endswith(WITHHELD):
            withheld[name.rpartition("/")[0]].append(name)
        elif _is_in(root, path, folders):
            wanted[name] = path
    declared = {
        name: root / name
        for job in scripts
        for name in (job.source, *job.inputs)
        if _is_in(root, root / name, job.allowed)
    }
    faces = {_font_name(path, root, number): path for number, path in enumerate(fonts)}
    wanted |= declared | faces
    digests = {name: _digest(path) for name, path in sorted(wanted.items()) if path.is_file()}
    used = {job.kind for job in jobs}
    names = tuple(kind for kind in KINDS if kind in used)
    bundle = Bundle(
        home=str(root),
        files=tuple(digests.items()),
        folders=tuple(withheld),
        kinds=names,
        fonts=tuple(faces),
        versions=tuple(versions(names).items()),
    )
    places = {digest: wanted[name] for name, digest in digests.items()}
    kept_back = {folder: tuple(names) for folder, names in withheld.items()}
    return Shipment(bundle, root, folders, kept_back, frozenset(digests), places)


def _sends_with_job(job: Job) -> bool:
    """Whether the job's files travel with it: figmill's own code draws it, and says which files it looked for.

    Kinds of other packages may not say it.
    """
    return not job.isolated and not KINDS[job.kind].process.opens_files


def _bytes(path: Path) -> bytes:
    try:
        return files.read(path, files.SOURCE)
    except OSError as error:
        raise ToolError(f"{path} cannot be sent to the cluster: {error.strerror}") from None


def _below(folders: Iterable[str], root: Path) -> Iterator[Path]:
    """Every file below the folders, hidden ones excepted."""
    for folder in folders:
        for _, entries in trees.walk(str(root), [folder], whole=False):
            yield from (Path(entry.path) for entry in entries if not entry.name.startswith("."))


def _is_in(root: Path, path: Path, allowed: Sequence[str] = ()) -> bool:
    """Whether a drawing may read a file of the book."""
    with suppress(OSError, ValueError):
        inside.place(root, path.relative_to(root).as_posix(), allowed)
        return True
    return False


def _digest(path: Path) -> str:
    try:
        return files.digest(path)
    except OSError as error:
        raise ToolError(f"{path} cannot be sent to the cluster: {error.strerror}") from None


def _font_name(path: Path, root: Path, number: int) -> str:
    """A font's path in the book. A font from elsewhere gets its own folder, since names may be equal."""
    full = Path(os.path.abspath(path))
    inside = full.is_relative_to(root)
    return full.relative_to(root).as_posix() if inside else f".fonts/{number:03}/{full.name}"


@cache
def versions(names: tuple[str, ...]) -> dict[str, str]:
    """The versions of everything outside the book that drawings of these kinds depend on, with figmill's code.

    A kind that is not installed here has none.
    """
    digest = installed.code("cluster")[:12]
    here = {"figmill": f"{__version__} with code {digest}", "figmill's fonts": typefaces.digest()[:12]}
    for kind in names:
        if kind in KINDS:
            here |= kinds.packages(kind, scripted=True)
    return here | dict(kinds.machine())


def differences(
    here: Iterable[tuple[str, str]], there: Mapping[str, str]
) -> tuple[tuple[str, str, str], ...]:
    """The differences as (name, version here, version there)."""
    return tuple((name, value, there.get(name, "none")) for name, value in here if there.get(name) != value)
