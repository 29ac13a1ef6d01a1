"""The cache of drawings: the same inputs are never drawn twice.

The files that a script reads are known only after it has run, so a look-up has two levels. An entry is a file named
by the digest of the declared inputs. It lists the latest runs, each with the further files that it read and its
drawing. A cache can be shared between builds and machines: every file is written whole, and a damaged one is a miss
and is replaced. An entry is not trusted: it must pass the schema of a script's answer, and if the book has a key, the
check of its signature. Unaware of questions and outputs.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from figmill.config import Options
from figmill.errors import ToolError
from figmill.host import files
from figmill.kind.answer import WrongAnswerError, path_of, raw_of, unfit_in
from figmill.kind.job import Raw
from figmill.late_dataclasses import dataclass
from figmill.model import Inputs
from figmill.store import cache_folder, private
from figmill.store.links import PRIVATE
from figmill.store.seal import Seal, seal_of
from figmill.store.shared_store import SharedStore

RUNS = 8  # kept for the same declared inputs
ENTRY = 64 << 20  # bytes per entry; larger ones are neither read nor written
HEADER = 8 << 20  # bytes of an entry's JSON, which takes many times as much memory when parsed
DIGEST = 200  # characters of a digest
SIZE = 512 << 20  # bytes per cache; above this, the oldest entries are removed
MUCH, DAY = 50, 86_400.0  # drawings added, and seconds, until the size is checked again
_TAKEN = (FileExistsError, IsADirectoryError, NotADirectoryError)


@dataclass(frozen=True, slots=True)
class DrawingRun:
    """One drawing of a figure, and the files it read besides its declared inputs."""

    traced: Inputs
    raw: Raw


class Cache:
    """A folder of drawings. Creates nothing on disk before the first `put`.

    Raises ToolError if the folder holds foreign files.

    - seal: if given, an unsigned entry is a miss, and a build without the secret writes nothing.
    - store: where other machines find the same entries; new drawings go there, too.
    - finds: False: every entry is a miss, because all is to be drawn again.
    - keeps: whether the caller is to `put` its new drawings here; a dry run leaves no trace.
    """

    def __init__(
        self,
        folder: Path,
        seal: Seal | None = None,
        store: SharedStore | None = None,
        *,
        finds: bool = True,
        keeps: bool = True,
    ) -> None:
        cache_folder.refuse_foreign(folder)
        self.folder, self.seal, self.store = folder, seal, store
        self.finds, self.keeps = finds, keeps
        self._fetched: dict[str, list[DrawingRun]] = {}  # by the names of entries
        self.added = 0  # number of drawings
        self._made: set[Path] = set()

    def find(self, declared: Inputs, digest: Callable[[str], str]) -> tuple[Raw, Inputs] | None:
        """The drawing for these inputs and the files it read, if all of these are unchanged."""
        for run in self._runs(declared) if self.finds else ():
            if all(digest(name) == value for name, value in run.traced.rows):
                return run.raw, run.traced
        return None

    def fetch(self, wanted: Sequence[Inputs]) -> bool:
        """Get the entries of these inputs from the shared store, for `find`; returns whether there were any."""
        if self.store is None or not self.finds:
            return False
        names = list(dict.fromkeys(declared.digest for declared in wanted))
        for name, data in self.store.get(names, ENTRY):
            if runs := loads(data, name, self.store.seal):
                self._fetched[name] = runs
        return bool(self._fetched)

    def is_from_store(self, declared: Inputs, traced: Inputs) -> bool:
        """Whether the shared store has this drawing."""
        return any(run.traced == traced for run in self._fetched.get(declared.digest, ()))

    def put(self, declared: Inputs, traced: Inputs, raw: Raw) -> None:
        """Store a drawing. Raises ToolError if it cannot be written, so that a full disk does not go unnoticed."""
        if self.seal is not None and self.seal.sign is None:
            return
        path = self._at(declared)
        runs = [DrawingRun(traced, raw), *(old for old in self._runs(declared) if old.traced != traced)]
        try:
            data = dumps(runs[:RUNS], path.name, self.seal)
            if not data:
                return
            if path.parent not in self._made:
                cache_folder.make(self.folder, path.parent.name)
                self._made.add(path.parent)
            files.replace_whole(str(path), data, lasting=False)  # a torn entry would be a miss
        except OSError as error:
            if self.folder.is_dir() and isinstance(error, _TAKEN):
                return  # the name is taken by something else; it stays a miss
            raise ToolError(f"cannot write to the cache {self.folder}: {error.strerror}", code=1) from error
        self.added += 1
        if self.store is None or not self.store.may_write or self.is_from_store(declared, traced):
            return
        if shared := dumps(runs[:RUNS], path.name, self.store.seal):
            self.store.put(path.name, shared)

    def trim(self) -> None:
        """Remove the oldest entries while the cache is too large. Checked after many additions, and once a day."""
        if self.added < MUCH and not (self.added and self._is_long_ago()):
            return
        with suppress(OSError):
            cache_folder.note_trimming(self.folder)
        cache_folder.sweep(self.folder)
        entries = list(cache_folder.removable(self.folder))
        total = sum(size for _, size, _ in entries) + cache_folder.BESIDES
        for _, size, path in sorted(entries):
            if total <= SIZE:
                break
            with suppress(FileNotFoundError):
                os.unlink(path)
            total -= size

    def _is_long_ago(self) -> bool:
        """Whether the size was last checked more than a day ago."""
        ago = cache_folder.trimmed_ago(self.folder)
        return ago is None or ago > DAY

    def _at(self, declared: Inputs) -> Path:
        return self.folder / declared.digest[:2] / declared.digest

    def _runs(self, declared: Inputs) -> list[DrawingRun]:
        path = self._at(declared)
        try:
            here = loads(files.read(path, ENTRY, follow=False), path.name, self.seal)
        except OSError:
            here = []
        traces = {run.traced for run in here}
        return [*here, *(run for run in self._fetched.get(path.name, ()) if run.traced not in traces)]


def cache_of(root: Path, options: Options, *, finds: bool = True, keeps: bool = True) -> Cache:
    """The cache of a book: a folder of its settings or its private one, and the shared store of its settings."""
    folder = root / (options.cache_folder or f"{PRIVATE}/cache")
    seal = seal_of(options)
    store = None if options.cache_store is None else SharedStore(options.cache_store, seal)
    own_seal = (seal if store is None else None) or private.seal_of(folder)
    return Cache(folder, own_seal, store, finds=finds, keeps=keeps)


def dumps(runs: Sequence[DrawingRun], name: str = "", seal: Seal | None = None) -> bytes:
    """An entry: a line with a digest and a signature of the rest, a line of JSON with one row per run, the SVGs.

    name: the name of the entry, which is signed with it. Drops the oldest runs that do not fit; empty if none fits.
    """
    whole = _packed(runs)
    while len(whole) > ENTRY - 1024 or whole.index(b"\n") > HEADER:
        if len(runs) == 1:
            return b""
        runs = runs[:-1]
        whole = _packed(runs)
    digest = hashlib.sha256(whole).hexdigest()
    signature = f" {seal.sign(_signed(name, digest))}" if seal is not None and seal.sign is not None else ""
    return f"{digest}{signature}\n".encode() + whole


def _packed(runs: Sequence[DrawingRun]) -> bytes:
    rows = [[sorted(run.traced.rows), run.raw.header(), len(run.raw.svg)] for run in runs]
    return json.dumps(rows, separators=(",", ":")).encode() + b"\n" + b"".join(run.raw.svg for run in runs)


def _signed(name: str, digest: str) -> bytes:
    """The signed message: the entry's name, which represents its inputs, and the digest of its content."""
    return f"figmill cache entry\n{name}\n{digest}\n".encode()


def loads(data: bytes, name: str = "", seal: Seal | None = None) -> list[DrawingRun]:
    """The runs in an entry; none if it is damaged, malformed or, with a seal, not signed under this name."""
    first, _, whole = data.partition(b"\n")
    digest, _, signature = first[:1024].decode("ascii", "replace").partition(" ")
    if digest != hashlib.sha256(whole).hexdigest() or not 0 <= whole.find(b"\n") <= HEADER:
        return []
    if seal is not None and not seal.is_signed(_signed(name, digest), signature):
        return []
    header, _, svgs = whole.partition(b"\n")
    try:
        return list(_unpacked(json.loads(header), svgs))
    except (ValueError, TypeError, RecursionError, WrongAnswerError):
        return []


def _unpacked(rows: Any, svgs: bytes) -> Iterator[DrawingRun]:
    """Each run, validated by the schema of answers. Raises WrongAnswerError, ValueError or TypeError."""
    place = 0
    for traced, raw_header, size in rows:
        if type(size) is not int or not 0 <= size <= len(svgs) - place:
            raise ValueError("the length of an SVG")
        svg = svgs[place : place + size]
        place += size
        raw = raw_of(raw_header, svg)
        yield DrawingRun(Inputs.of((path_of(name), _digest(value)) for name, value in traced), raw)


def _digest(value: object) -> str:
    if not isinstance(value, str) or len(value) > DIGEST or unfit_in(value):
        raise ValueError("the digest of a file")
    return value
