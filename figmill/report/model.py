"""The nouns of a report, and the exit code of a command. Pure.

Unaware of how figures are made or checked, and of how a report is formatted.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from enum import StrEnum

from figmill.checks import ERROR, NOTE, WARN
from figmill.errors import AuthorError
from figmill.exit_codes import DIFFERS, FAILED, WELL
from figmill.late_dataclasses import dataclass
from figmill.model import Change, Origin, Published, Warned

FAILS = "figure-fails"  # used instead of a check's name if a figure cannot be built at all


class Status(StrEnum):
    """What a build has done with a figure, or would do. The values stand in reports, in the order of the last line."""

    RENDERED = "rendered"
    """A file of it has other bytes now."""
    EXPORTED = "exported"
    """An export of it has other bytes now, and no other file."""
    UNCHANGED = "unchanged"
    """It was drawn or checked again, and every file had these bytes."""
    FRESH = "fresh"
    """Nothing was to be done."""
    WOULD_CREATE = "would-create"
    """All its files would be new."""
    WOULD_CHANGE = "would-change"
    """A file, or the page's text about it, would change."""
    WOULD_REMOVE = "would-remove"
    """All its files would go."""
    LEFT = "left"
    """An image that its page keeps as it is."""
    FAILED = "failed"
    """It could not be drawn, written or exported; its last good files stay."""

    @property
    def is_difference(self) -> bool:
        """Whether a comparison differs."""
        return self in (Status.WOULD_CREATE, Status.WOULD_CHANGE, Status.WOULD_REMOVE)


DRAWN = frozenset((Status.UNCHANGED, Status.WOULD_CREATE, Status.WOULD_CHANGE))  # in a dry run


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """One problem and its place: a figure that fails, or a check's finding.

    - id and name: of the figure; both are None if it concerns the whole book, or the question cannot be read.
    """

    check: str  # a name in checks.py, or FAILS
    level: str  # NOTE, WARN or ERROR
    origin: Origin
    message: str
    detail: str = ""  # further lines, shown indented
    trace: str = ""  # lines for --verbose
    id: str | None = None
    name: str | None = None
    requirement: str = ""  # what pip would have to install, as `figmill[d2]`

    @classmethod
    def failure(cls, error: AuthorError, id_: str | None, name: str | None) -> Diagnostic:
        """Why a figure cannot be built."""
        return cls(
            FAILS, ERROR, error.origin, error.message, error.detail, error.trace, id_, name, error.requirement
        )

    @classmethod
    def of_check(cls, warned: Warned, level: str, id_: str | None, name: str | None) -> Diagnostic:
        """A check's finding, at the level that the book sets for that check."""
        return cls(warned.check, level, warned.origin, warned.message, id=id_, name=name)

    @property
    def is_error(self) -> bool:
        return self.level == ERROR

    @property
    def tagged(self) -> str:
        """The message with its check in brackets."""
        return f"{self.message} [{self.check}]"

    @property
    def headline(self) -> str:
        """The message as a build shows it: failures have no tag."""
        return self.message if self.check == FAILS else self.tagged

    @property
    def line(self) -> str:
        """The place and the headline. Diagnostics with equal lines are shown once."""
        return f"{self.origin}: {self.headline}"

    @property
    def label(self) -> str | None:
        """The figure's label; None without a figure."""
        return self.id if self.id is None or self.name is None else f"{self.id}-{self.name}"

    @property
    def order(self) -> tuple[str, int, int, str, str]:
        """A key that sorts by file and line."""
        at = self.origin
        return at.path, at.line or 0, at.column or 0, self.check, self.message


def in_order(diagnostics: Iterable[Diagnostic]) -> tuple[Diagnostic, ...]:
    """Each diagnostic once, by file and line."""
    return tuple(sorted(dict.fromkeys(diagnostics), key=lambda diagnostic: diagnostic.order))


@dataclass(frozen=True, slots=True)
class Row:
    """One figure in the report of a build."""

    id: str | None  # None: the question could not be read that far
    name: str | None
    kind: str | None
    status: Status
    reasons: tuple[str, ...] = ()
    path: str | None = None
    seconds: float = 0.0
    errors: tuple[AuthorError, ...] = ()
    warnings: tuple[Warned, ...] = ()
    changes: tuple[Change, ...] = ()
    then: Published | None = None  # as published before, and now; only if a change is shown
    now: Published | None = None
    failed_before: tuple[AuthorError, ...] = ()  # why it could not be built in the version compared with
    phrases: tuple[str, ...] = ()  # one for each change; only if nothing is written
    share: float | None = None  # of the pixels that differ, 0 to 1; None: not compared
    note: str = ""  # for --explain: the figure's source, and why that one
    printed: str = ""  # for --verbose: the prints of the figure's script
    was: str | None = None  # the label that it had before; None: the same
    is_known: bool = False  # it failed before with the same inputs, and was not drawn again

    @property
    def label(self) -> str:
        return self.id or "?" if self.name is None else f"{self.id}-{self.name}"

    @property
    def is_figure(self) -> bool:
        """Whether it is about a figure, even one whose question cannot be read; else it is about the manifest."""
        return self.id is not None or bool(self.errors)

    @property
    def title(self) -> str:
        """Its label; without one, the file that it is about."""
        if self.id is not None:
            return self.label
        return self.path or next((error.origin.path for error in self.errors), "?")

    @property
    def failures(self) -> tuple[Diagnostic, ...]:
        return tuple(Diagnostic.failure(error, self.id, self.name) for error in self.errors)

    @property
    def findings(self) -> tuple[Diagnostic, ...]:
        """The checks' findings as warnings. A check at level `error` makes a failure instead."""
        return tuple(Diagnostic.of_check(warned, WARN, self.id, self.name) for warned in self.warnings)


@dataclass(frozen=True, slots=True)
class Report:
    """The result of a build: all rows in order, the outputs that no figure claims, and the kind of build."""

    rows: tuple[Row, ...]
    orphans: tuple[str, ...] = ()
    dry: bool = False
    check: bool = False
    shared: frozenset[str] = frozenset()  # reasons that concern every figure, shown once with their count
    notes: tuple[Diagnostic, ...] = ()  # findings about questions, not about one of their figures
    others: int = 0  # fresh figures without a row
    standing: tuple[str, ...] = ()  # warnings of the last build that concern others, one line each

    @property
    def counts(self) -> Mapping[Status, int]:
        """Figures by status."""
        counts = Counter(row.status for row in self.rows if row.is_figure)
        if self.others:
            counts[Status.FRESH] += self.others
        return counts

    @property
    def figures(self) -> int:
        """All figures, including removed ones and questions that cannot be read."""
        return self.others + sum(row.is_figure for row in self.rows)

    @property
    def diagnostics(self) -> Iterator[Diagnostic]:
        """For each figure its failures, then its findings; the notes last."""
        for row in self.rows:
            yield from row.failures
            yield from row.findings
        yield from self.notes

    @property
    def is_first(self) -> bool:
        """Whether a build has drawn every figure for the first time, except those that fail."""
        done = [(row.status, "new" in row.reasons) for row in self.rows if row.status is not Status.FAILED]
        return not self.dry and not self.others and set(done) == {(Status.RENDERED, True)}

    @property
    def is_unbuilt(self) -> bool:
        """Whether a comparison has not met a single output."""
        created, statuses = Status.WOULD_CREATE, self.counts.keys()
        return self.dry and created in statuses and statuses <= {created, Status.FAILED}

    @property
    def code(self) -> int:
        """The exit code."""
        if self.counts.get(Status.FAILED) or any(note.is_error for note in self.notes):
            return FAILED
        if self.check and any(row.status.is_difference for row in self.rows):
            return DIFFERS
        return WELL


def verdict(report: Report) -> Report:
    """The report of a dry run without the comparison with the output folder: what was drawn, and how well."""
    rows = (
        replace(row, status=Status.RENDERED, changes=()) if row.status in DRAWN else row
        for row in report.rows
        if row.is_figure
    )
    return replace(report, rows=tuple(rows), orphans=())


@dataclass(frozen=True, slots=True)
class LintReport:
    """The findings and notes of `lint`, by file and line."""

    diagnostics: tuple[Diagnostic, ...]
    excused: tuple[tuple[Diagnostic, str], ...]  # excused by a figure's exception, each with its reason
    figures: int  # the number of figures checked, or of drawings
    strict: bool = False
    noun: str = "figure"

    @property
    def findings(self) -> tuple[Diagnostic, ...]:
        """The diagnostics that ask for a change."""
        return tuple(diagnostic for diagnostic in self.diagnostics if diagnostic.level != NOTE)

    @property
    def notes(self) -> tuple[Diagnostic, ...]:
        """The diagnostics that state something, and ask for nothing."""
        return tuple(diagnostic for diagnostic in self.diagnostics if diagnostic.level == NOTE)

    @property
    def counts(self) -> Mapping[str, int]:
        """Findings by check, in the order of the checks' names."""
        return by_check(self.findings)

    @property
    def code(self) -> int:
        """FAILED if a finding is an error, or --strict makes it one."""
        return FAILED if any(self.strict or d.is_error for d in self.findings) else WELL


def by_check(diagnostics: Iterable[Diagnostic]) -> Mapping[str, int]:
    """The number of diagnostics for each check, in the order of the checks' names."""
    return dict(sorted(Counter(diagnostic.check for diagnostic in diagnostics).items()))
