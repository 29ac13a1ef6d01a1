"""What builds know about a book's figures: the inputs of each one's last build, and of its last failure.

Nouns only: `figure_records.py` turns them into records of the journal and back.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field

from figmill.errors import AuthorError
from figmill.late_dataclasses import dataclass
from figmill.model import File, Inputs, Published, Visual, Warned

INPUTS = "inputs"  # the kind of records with the rows of inputs that figures share


@dataclass(frozen=True, slots=True)
class Export:
    """A published figure as PNG or PDF: the file, and all inputs of its bytes."""

    file: File
    inputs: Inputs


@dataclass(frozen=True, slots=True)
class Entry:
    """One figure: its declared inputs, the files its script read, the inputs of settling, and the published result."""

    question: str  # the file that declares it
    declared: Inputs
    traced: Inputs
    settling: Inputs
    published: Published
    warnings: tuple[Warned, ...] = ()
    exports: tuple[Export, ...] = ()


@dataclass(frozen=True, slots=True)
class Failure:
    """A failed figure: all inputs of the failure, the files that its script read, and the errors."""

    inputs: Inputs
    traced: Inputs
    errors: tuple[AuthorError, ...]


@dataclass(frozen=True, slots=True)
class Ledger:
    """Entries and failures by figure, and the outputs of removed figures, which `clean` deletes."""

    entries: Mapping[str, Entry] = field(default_factory=dict)
    orphans: tuple[str, ...] = ()
    failures: Mapping[str, Failure] = field(default_factory=dict)


def key(visual: Visual) -> str:
    """A figure's name in the ledger; an id cannot contain a slash."""
    return name_of(visual.id, visual.name)


def name_of(id_: str, name: str | None) -> str:
    return id_ if name is None else f"{id_}/{name}"
