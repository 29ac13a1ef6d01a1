"""A row of a report -> what changed in its figure, in words. Loads no pixels."""

from __future__ import annotations

from dataclasses import replace

from figmill.compare import words
from figmill.model import Change
from figmill.report.model import Report, Row


def told(row: Row, is_seen: bool | None = None) -> tuple[str, ...]:
    """A phrase for each thing that changed. is_seen: whether any pixel differs; None: nobody has looked."""
    if row.errors:
        return ("it failed before as well",) if row.failed_before else ()
    changes = svgs(row)
    differing = [change for change in changes if change.before != change.after]
    main = next(iter([*differing, *changes]), None)
    before, after = (main.before, main.after) if main is not None else (b"", b"")
    phrases = words.said(before, after, row.then, row.now, is_seen)
    if before is None and row.failed_before:
        return ("a figure that failed before",)
    is_dark = main is not None and main.target.endswith(".dark.svg") and len(changes) > 1
    return ("the dark theme only", *phrases) if is_dark and differing else phrases


def svgs(row: Row) -> list[Change]:
    """The SVGs of a figure, the light one first."""
    return [change for change in row.changes if change.target.endswith(".svg")]


def with_words(report: Report) -> Report:
    """The same report, with words for what each figure's change is."""
    rows = (
        replace(row, words=told(row))
        if row.status.startswith("would-") or (row.errors and row.failed_before) else row
        for row in report.rows
    )  # fmt: skip
    return replace(report, rows=tuple(rows))
