"""What crosses from the engine to a renderer and back: values only, and all of them fit into JSON and bytes."""

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


@dataclass(frozen=True, slots=True)
class Job:
    """One drawing to make: everything that a renderer may know of a figure."""

    kind: str
    source: str  # relative to the book's root
    entry: str  # "file", "draw" (a generator's function) or "script" (run as __main__)
    params: Mapping[str, Json] = field(default_factory=dict)
    engine: str = "dot"
    folders: tuple[str, ...] = ("visuals",)  # where scripts may import from, beside their own folder
    inputs: tuple[str, ...] = ()
    timeout: float = 60.0
    memory: int = 2 << 30  # bytes beyond what the warm process has
    roles: Mapping[str, Sequence[str]] = field(default_factory=dict)  # fill and line of those the book adds

    def fields(self) -> dict[str, Any]:
        """All of it as JSON takes it."""
        return {name: getattr(self, name) for name in self.__slots__}

    @property
    def isolated(self) -> bool:
        """Whether it runs an author's code, which gets a process of its own."""
        return self.entry != "file"

    @property
    def seed(self) -> int:
        """The seed of `random` and numpy: the same for the same file name and params, wherever it runs."""
        text = json.dumps([PurePosixPath(self.source).name, self.params], sort_keys=True)
        return int.from_bytes(hashlib.sha256(text.encode()).digest()[:4], "big")


@dataclass(frozen=True, slots=True)
class Raw:
    """What a renderer made: SVG as the renderer wrote it, and what there is to know about it."""

    svg: bytes
    facts: Mapping[str, Fact] = field(default_factory=dict)
    said: str = ""  # what it printed; told with --verbose, and where it fails
    traced: tuple[str, ...] = ()  # what it read inside the book: files, and folders with a trailing slash


def source(job: Job, root: Path) -> bytes:
    """The bytes of a figure's source. Raises AuthorError where it is gone, no regular file, or too large."""
    try:
        return files.read(root / job.source, files.SOURCE)
    except FileNotFoundError:
        raise AuthorError(Origin(job.source), "is gone") from None
    except files.UnfitError as error:
        raise AuthorError(Origin(job.source), f"cannot be read: {error.strerror}") from None


def memory_limit(job: Job) -> str:
    """What to say where a figure had too little memory."""
    return f"the limit of a figure's process is {job.memory >> 20} MiB; `memory` in the settings allows more"
