"""The job and the raw drawing: the values that cross between engine and renderer, as JSON and bytes."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Any

from figmill.errors import AuthorError
from figmill.host import files
from figmill.model import Fact, Json, Origin

RASTERISE = 50_000  # elements of one artist above which it becomes a picture, where the book says nothing


@dataclass(frozen=True, slots=True)
class Job:
    """One drawing to make: all that a renderer knows of a figure."""

    kind: str
    source: str  # relative to the book's root
    entry: str  # "file", "draw" (a generator's function) or "script" (run as __main__)
    params: Mapping[str, Json] = field(default_factory=dict)
    engine: str = "dot"
    folders: tuple[str, ...] = ("visuals",)  # from which scripts may import, beside their own folder
    inputs: tuple[str, ...] = ()
    timeout: float = 60.0
    memory: int = 2 << 30  # bytes beyond those of the warm process
    roles: Mapping[str, Sequence[str]] = field(
        default_factory=dict
    )  # fill and line of the roles that the book adds
    rasterise: int = RASTERISE  # elements of one artist above which it becomes a picture; 0: never

    def fields(self) -> dict[str, Any]:
        """All fields, as JSON values."""
        return {name: getattr(self, name) for name in self.__slots__}

    @property
    def isolated(self) -> bool:
        """Whether it runs an author's code: then it gets a process of its own."""
        return self.entry != "file"

    @property
    def seed(self) -> int:
        """The seed of `random` and numpy: the same for the same file name and params, wherever it runs."""
        text = json.dumps([PurePosixPath(self.source).name, self.params], sort_keys=True)
        return int.from_bytes(hashlib.sha256(text.encode()).digest()[:4], "big")


@dataclass(frozen=True, slots=True)
class Raw:
    """A drawing as its renderer made it: the SVG before settling, with facts."""

    svg: bytes
    facts: Mapping[str, Fact] = field(default_factory=dict)
    said: str = ""  # what the script printed; shown with --verbose, and if it fails
    traced: tuple[
        str, ...
    ] = ()  # what the script read inside the book: files, and folders with a trailing slash


def source(job: Job, root: Path) -> bytes:
    """The bytes of a figure's source. Raises AuthorError if it is gone, not a regular file, or too large."""
    try:
        return files.read(root / job.source, files.SOURCE)
    except FileNotFoundError:
        raise AuthorError(Origin(job.source), "is gone") from None
    except files.UnfitError as error:
        raise AuthorError(Origin(job.source), f"cannot be read: {error.strerror}") from None


def memory_limit(job: Job) -> str:
    """The message for a figure that had too little memory."""
    return f"the limit of a figure's process is {job.memory >> 20} MiB; `memory` in the settings allows more"
