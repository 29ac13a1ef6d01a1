"""The job and the raw drawing: the values that pass between engine and renderer, as JSON and bytes."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import field
from pathlib import Path, PurePosixPath
from typing import Any

from figmill.default_limits import MEGAPIXELS, RASTERISE
from figmill.errors import AuthorError
from figmill.host import files, inside
from figmill.kind.source_words import Labels, translated
from figmill.kind.stated import Stated
from figmill.kind.tables import packed
from figmill.late_dataclasses import dataclass
from figmill.model import Fact, FigureTable, Json, Origin
from figmill.wording import current


@dataclass(frozen=True, slots=True)
class Job:
    """One drawing to make: everything that a renderer knows about a figure."""

    kind: str
    source: str  # relative to the book's root
    entry: str  # "file", "draw" (a generator's function), "script" (run as __main__), "alone"
    params: Mapping[str, Json] = field(default_factory=dict)
    engine: str = "dot"
    folders: tuple[str, ...] = ("visuals",)  # scripts may import from these, and from their own folder
    inputs: tuple[str, ...] = ()
    timeout: float = 60.0
    memory: int = 2 << 30  # bytes in addition to those of the warm process
    # fill and line of the roles that the book adds
    roles: Mapping[str, Sequence[str]] = field(default_factory=dict)
    rasterise: int = RASTERISE  # elements of one artist above which it becomes a picture; 0: never
    megapixels: float = MEGAPIXELS  # of all pictures in the figure together
    cycle: str = "matplotlib"  # whose colours lines take one after the other, or "book"
    figure: str = ""  # the number or the name of one of a whole script's figures; empty: it makes only one
    wording: Mapping[str, Json] = field(default_factory=dict)  # its text in another language, see wording.py
    settings: Mapping[str, Json] = field(default_factory=dict)  # the book's, of this kind
    text: str | None = None  # the source itself, if it stands in a page; `source` then names no file

    def fields(self) -> dict[str, Any]:
        """All fields, as JSON values."""
        return {name: getattr(self, name) for name in self.__slots__}

    @property
    def isolated(self) -> bool:
        """Whether the job gets a process of its own, as every job that runs an author's code does."""
        return self.entry != "file"

    @property
    def allowed(self) -> tuple[str, ...]:
        """What may be hidden: the folders that the settings name, and the files under `inputs` of the question."""
        return (PurePosixPath(self.source).parent.as_posix(), *self.folders, *self.inputs)

    def data(self, name: str, root: Path, most: int) -> bytes:
        """The bytes of a file of the book that the figure names. name: relative to the root. Raises OSError."""
        return inside.read(root, name, most, self.allowed)

    @property
    def seed(self) -> int:
        """The seed of `random` and numpy: the same for the same file name and params, wherever it runs."""
        text = json.dumps([PurePosixPath(self.source).name, self.params], sort_keys=True)
        return int.from_bytes(hashlib.sha256(text.encode()).digest()[:4], "big")


@dataclass(frozen=True, slots=True)
class Remark:
    """A renderer's note on a figure that was drawn anyway. check: its name in checks.py.

    line: in the figure's source; None if no line applies.
    """

    check: str
    message: str
    line: int | None = None


@dataclass(frozen=True, slots=True)
class Raw:
    """A drawing as its renderer made it: the SVG before settling, with facts."""

    svg: bytes
    facts: Mapping[str, Fact] = field(default_factory=dict)
    printed: str = ""  # the script's prints; shown with --verbose, and on failure
    traced: tuple[str, ...] = ()  # files that the script read inside the book; folders end with a slash
    unseen: str = ""  # a library that may have read more files, untraceably
    remarks: tuple[Remark, ...] = ()
    tables: tuple[FigureTable, ...] = ()  # what the drawing shows, for readers who cannot see it
    asked: tuple[str, ...] = ()  # the messages of a drawing in another language
    stated: Stated = field(default_factory=Stated)  # the labels and relations of its source

    def header(self) -> dict[str, Any]:
        """All but the SVG, as JSON values; `kind.answer.raw_of` reads it."""
        rows = [[remark.check, remark.message, remark.line] for remark in self.remarks]
        traced = list(self.traced)
        tables = {"tables": packed(self.tables)} if self.tables else {}
        unseen = {"unseen": self.unseen} if self.unseen else {}
        asked = {"asked": list(self.asked)} if self.asked else {}
        stated = {"stated": self.stated.packed()} if self.stated != Stated() else {}
        return {
            "facts": dict(self.facts),
            "printed": self.printed,
            "traced": traced,
            "remarks": rows,
            **unseen,
            **tables,
            **asked,
            **stated,
        }


def source(job: Job, root: Path, labels: Labels | None = None) -> bytes:
    """The bytes of a figure's source, with its labels in the current language. labels: where it has them.

    Raises AuthorError if it is missing, not a regular file, or too large.
    """
    words = current()
    data = as_written(job, root)
    if words is None or labels is None:
        return data
    text = data.decode("utf-8", "surrogateescape").replace("\r\n", "\n")
    return translated(text, labels, words).encode("utf-8", "surrogateescape")


def as_written(job: Job, root: Path) -> bytes:
    """As `source`, in the language of the file."""
    if job.text is not None:
        return job.text.encode("utf-8", "surrogateescape")
    try:
        return job.data(job.source, root, files.SOURCE)
    except FileNotFoundError:
        raise AuthorError(Origin(job.source), "is gone") from None
    except inside.RefusedError as error:
        raise AuthorError(Origin(job.source), error.phrase) from None
    except files.UnfitError as error:
        raise AuthorError(Origin(job.source), f"cannot be read: {error.strerror}") from None


def memory_limit(job: Job) -> str:
    """The message for a figure that ran out of memory."""
    return f"a figure may use {job.memory >> 20} MiB; `memory` in the settings allows more"


def out_of_memory(job: Job) -> str:
    """The message for a figure whose process reached its limit."""
    return f"ran out of memory: {memory_limit(job)}"
