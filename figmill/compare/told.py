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
    if is_dark and differing:
        phrases = ("the dark theme only", *phrases)
    changed = {_stem(change) for change in _turned(row) if change.before != change.after}
    if not changed:
        return phrases
    count = "1 picture" if len(changed) == 1 else f"{len(changed)} pictures"
    others = f"{count} that readers turn to"
    return (*phrases, others) if any(change in own(row) for change in differing) else (others,)


def svgs(row: Row) -> list[Change]:
    """The SVGs of a figure to be shown, the light one first: of the declared picture, or else of one that differs.

    A figure that readers turn has up to 256 pictures.
    """
    declared = own(row)
    differing = [change for change in _turned(row) if change.before != change.after]
    if not differing or any(change.before != change.after for change in declared):
        return declared
    return [change for change in _turned(row) if _stem(change) == _stem(differing[0])]


def own(row: Row) -> list[Change]:
    """The SVGs of the declared picture."""
    turned = _turned(row)
    return [change for change in row.changes if change.target.endswith(".svg") and change not in turned]


def _turned(row: Row) -> list[Change]:
    """The SVGs of the pictures that readers turn to: they lie in a folder of the figure's name."""
    folder = f"{(row.path or '').removesuffix('.dark.svg').removesuffix('.svg')}/"
    return [c for c in row.changes if c.target.startswith(folder) and c.target.endswith(".svg")]


def _stem(change: Change) -> str:
    return change.target.removesuffix(".svg").removesuffix(".dark")


def with_words(report: Report) -> Report:
    """The same report, with words for what each figure's change is."""
    rows = (
        replace(row, words=told(row))
        if row.status.startswith("would-") or (row.errors and row.failed_before) else row
        for row in report.rows
    )  # fmt: skip
    return replace(report, rows=tuple(rows))
