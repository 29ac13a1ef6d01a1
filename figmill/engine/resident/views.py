"""The views that a resident builder gives of a book's figures: frozen values that look nothing up."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from enum import StrEnum

from figmill.errors import AuthorError
from figmill.late_dataclasses import dataclass
from figmill.model import Expect, Json, Origin, Published, Warned
from figmill.publish.finalise import Settled
from figmill.report.model import Report, Row


class ViewStatus(StrEnum):
    """What a page of `watch` says of a figure. The values are classes of its style sheet, too."""

    CURRENT = "current"
    """Its published form has the present inputs."""
    STALE = "stale"
    """An input is newer than the published form."""
    FAILED = "failed"
    """It could not be built from the present inputs."""


@dataclass(frozen=True, slots=True)
class FigureView:
    """One figure of the book at present.

    Mappings use its name in the ledger: `id`, or `id/name` in a list. A question that cannot be read has a view, too,
    under its id, or under its path if not even the id can be read.
    """

    id: str | None
    name: str | None
    track: str
    title: str | None
    kind: str | None
    at: Origin  # where the question declares it
    source: str | None  # None: it has not been found
    status: ViewStatus
    published: Published | None = None  # the published form, which may be an earlier picture
    errors: tuple[AuthorError, ...] = ()  # the errors, if it failed
    warnings: tuple[Warned, ...] = ()
    reads: tuple[str, ...] = ()  # the files that it was made from: paths below the root
    reasons: tuple[str, ...] = ()  # of its last build; empty: it was fresh when the builder began
    params: Mapping[str, Json] = field(default_factory=dict)
    expect: Expect = field(default_factory=Expect)
    printed: str = ""  # what its script printed at the last drawing

    @property
    def label(self) -> str:
        """Its name in reports and in the ids of its SVG."""
        return self.id or self.at.path if self.name is None else f"{self.id}-{self.name}"


@dataclass(frozen=True, slots=True)
class Update:
    """The result of one update.

    - report: of the whole book, as a build gives it.
    - looked_at: the rows of the figures that were examined again.
    - removed: the names of the figures that are gone.
    """

    report: Report
    looked_at: tuple[Row, ...]
    removed: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class WhatIf:
    """A figure with other parameters; nothing of it is published.

    - settled: None if there is no picture; `errors` then has the reasons.
    - unmet: the conditions of `expect`, the alt text or the caption that the picture does not meet; it is shown all
      the same.
    """

    settled: Settled | None
    errors: tuple[AuthorError, ...] = ()
    unmet: tuple[AuthorError, ...] = ()
    seconds: float = 0.0  # the time that drawing took; 0: it was in the cache


class InterruptedRenderError(Exception):
    """`Resident.interrupt` has ended the running render."""
