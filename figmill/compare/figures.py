"""The rows of a report -> the figures that changed, worst first: in words and in pixels, both themes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from figmill.compare import pictures, words
from figmill.compare.pixels import SAME, Difference, difference
from figmill.model import Change, Published
from figmill.report.model import Report, Row

WHOLE = Difference(1.0, None)


@dataclass(frozen=True, slots=True)
class Theme:
    """One theme of a figure before and after; None where there is none. difference: of their pixels."""

    name: str
    change: Change
    difference: Difference
    trouble: str = ""  # why the pixels could not be compared


@dataclass(frozen=True, slots=True)
class Compared:
    """One figure that is new, changed, gone, or fails. said: what changed, a phrase a thing."""

    label: str
    verb: str  # create, change, remove, fail
    themes: tuple[Theme, ...]
    said: tuple[str, ...]
    then: Published | None
    now: Published | None
    reasons: tuple[str, ...]
    errors: tuple[str, ...] = ()

    @property
    def share(self) -> float:
        """The largest share of pixels that differ, of its themes."""
        return max((theme.difference.share for theme in self.themes), default=0.0)

    @property
    def is_seen(self) -> bool:
        """Whether a reader can notice: in the picture, or in the words that go with it."""
        return self.verb != "change" or self.share > 0 or self.said != ("nothing that one can see",)


def compared(report: Report, fonts: Sequence[Path], jobs: int) -> list[Compared]:
    """All figures that would be other than they are: failing ones first, then by how much of them differs."""
    rows = [row for row in report.rows if row.errors or any(c.before != c.after for c in row.changes)
            or row.then != row.now]  # fmt: skip
    with ThreadPoolExecutor(jobs) as threads:
        figures = threads.map(lambda row: _figure(row, fonts), rows)
        found = [figure for figure in figures if figure.errors or figure.said]
    return sorted(
        found, key=lambda figure: (not figure.errors, not figure.is_seen, -figure.share, figure.label)
    )


def _figure(row: Row, fonts: Sequence[Path]) -> Compared:
    changes = [change for change in row.changes if change.target.endswith(".svg")]
    themes = tuple(_theme(change, fonts) for change in changes)
    then, now = row.then, row.now
    errors = tuple(str(error) for error in row.errors)
    if errors:
        return Compared(row.label, "fail", themes, (), then, now, row.reasons, errors)
    light = next((theme.change for theme in themes if theme.name == "light"), None)
    is_seen = any(theme.difference.share > 0 for theme in themes)
    phrases = (
        words.said(light.before, light.after, then, now, is_seen)
        if light
        else words.said(b"", b"", then, now, False)
    )
    dark_only = light is not None and light.before == light.after and is_seen
    if dark_only:
        phrases = ("the dark theme only", *phrases)
    verb = (
        "create"
        if light and light.before is None
        else "remove"
        if light and light.after is None
        else "change"
    )
    label = row.label if row.id else (row.path or "?")
    return Compared(label, verb, themes, phrases, then, now, row.reasons)


def _theme(change: Change, fonts: Sequence[Path]) -> Theme:
    name = "dark" if change.target.endswith(".dark.svg") else "light"
    if change.before == change.after:
        return Theme(name, change, SAME)
    if change.before is None or change.after is None:
        return Theme(name, change, WHOLE)
    try:
        before, after = (pictures.pixels(svg, name, fonts) for svg in (change.before, change.after))
    except ValueError as error:
        return Theme(name, change, WHOLE, f"resvg cannot draw it: {error}")
    return Theme(name, change, difference(before, after))


def counts(figures: Iterable[Compared]) -> dict[str, int]:
    """Figures by verb, and those in which nothing is to be seen."""
    found: dict[str, int] = {}
    for figure in figures:
        name = figure.verb if figure.is_seen else "invisible"
        found[name] = found.get(name, 0) + 1
    return found
