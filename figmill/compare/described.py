"""A row of a report -> the change of its figure in words. Loads no pixels."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from figmill.compare import svg_changes
from figmill.compare.renames import renamed
from figmill.compare.states import DECLARED, ChangedPicture, states, theme_of
from figmill.model import Change
from figmill.report.model import Report, Row, Status


def described(row: Row, is_seen: bool | None = None) -> tuple[str, ...]:
    """A phrase for each thing that changed. is_seen: whether any pixel differs; None: unknown."""
    if row.errors:
        return ("it also failed before",) if row.failed_before else ()
    pictures = states(row)
    differing = [state for state in pictures if state.differs]
    if _is_new(row):
        return (
            ("a figure that failed before",)
            if row.failed_before
            else svg_changes.phrases(None, b"", None, None, True)
        )
    if row.status is Status.WOULD_REMOVE:
        return svg_changes.phrases(b"", None, None, None, True)
    declared = next((state for state in pictures if state.name == DECLARED), None)
    main = declared if declared and (declared.differs or not differing) else next(iter(differing), declared)
    phrases = (*_places(row), *(_of_themes(declared) if declared else ()))
    change = _telling(main.changes if main else ())
    before, after = (change.before, change.after) if change else (b"", b"")
    of_drawing = svg_changes.phrases(before, after, row.then, row.now, is_seen)
    if change and theme_of(change) == "dark" and len(main.changes if main else ()) > 1 and before != after:
        of_drawing = ("the dark theme only", *of_drawing)
    phrases = (*phrases, *of_drawing)
    if len(phrases) > 1 and row.was is None:
        phrases = tuple(phrase for phrase in phrases if phrase != svg_changes.UNSEEN) or phrases
    count = sum(state.name != DECLARED for state in differing)
    if not count:
        return phrases
    others = "1 explored picture" if count == 1 else f"{count} explored pictures"
    return (*phrases, others) if main is declared and phrases else (others,)


def _is_new(row: Row) -> bool:
    return row.status is Status.WOULD_CREATE or (row.then is None and row.now is not None and _all_new(row))


def _all_new(row: Row) -> bool:
    return bool(row.changes) and all(change.before is None for change in row.changes)


def _places(row: Row) -> Iterator[str]:
    """Phrases for the earlier name and track of a figure."""
    if row.was is not None:
        yield f"renamed from '{row.was}'"
    if row.then is not None and row.now is not None and row.then.track != row.now.track:
        yield f"track: '{row.then.track}' is now '{row.now.track}'"


def _of_themes(declared: ChangedPicture) -> Iterator[str]:
    """Phrases for themes that are new or gone while the figure stays."""
    if any(change.before is not None for change in declared.changes):
        for change in declared.changes:
            if change.before is None and change.after is not None:
                yield f"the {theme_of(change)} theme is new"
            if change.before is not None and change.after is None:
                yield f"the {theme_of(change)} theme is gone"


def _telling(changes: Sequence[Change]) -> Change | None:
    """The change to describe: that of the first theme that differs, or else of any that existed before."""
    both = [change for change in changes if None not in (change.before, change.after)]
    return next((change for change in both if change.before != change.after), next(iter(both), None))


def with_words(report: Report) -> Report:
    """The report with words for the change of each figure; a renamed figure is one row."""
    report = renamed(report)
    rows = (
        replace(row, phrases=described(row))
        if row.status.is_difference or (row.errors and row.failed_before)
        else row
        for row in report.rows
    )
    return replace(report, rows=tuple(rows))
