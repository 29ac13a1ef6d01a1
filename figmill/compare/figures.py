"""The rows of a report -> the figures that changed, worst first: in words and in pixels, both themes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from figmill.compare.drawing import WHOLE, Compare, Pair, differences
from figmill.compare.pixels import SAME, Difference
from figmill.compare.told import svgs, told
from figmill.compare.unlike import unlike
from figmill.compare.words import UNSEEN
from figmill.model import Change, Published
from figmill.report.model import Report, Row


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
        return self.verb != "change" or self.share > 0 or self.said != (UNSEEN,)


def compared(report: Report, fonts: Sequence[Path], jobs: int) -> list[Compared]:
    """All figures that would be other than they are: failing ones first, then by how much of them differs."""
    rows = [row for row in report.rows if row.errors or any(c.before != c.after for c in row.changes)
            or row.then != row.now]  # fmt: skip
    pairs = [_pair(change) for row in rows for change in svgs(row)]
    wanted = [pair for pair in dict.fromkeys(pairs) if pair is not None]
    found = dict(zip(wanted, differences(wanted, fonts, jobs), strict=True))
    figures = [_figure(row, tuple(_theme(change, found) for change in svgs(row))) for row in rows]
    return sorted(
        (figure for figure in figures if figure.errors or figure.said),
        key=lambda figure: (not figure.errors, not figure.is_seen, -figure.share, figure.label),
    )


def _name(change: Change) -> str:
    return "dark" if change.target.endswith(".dark.svg") else "light"


def _pair(change: Change) -> Pair | None:
    """What is to be drawn; None where one side says it all."""
    if change.before is None or change.after is None or change.before == change.after:
        return None
    return _name(change), change.before, change.after


def _figure(row: Row, themes: tuple[Theme, ...]) -> Compared:
    then, now = row.then, row.now
    label = row.label if row.id else (row.path or "?")
    if row.errors:
        errors = tuple(str(error) for error in row.errors)
        return Compared(label, "fail", themes, told(row), then, now, row.reasons, errors)
    is_seen = any(theme.difference.share > 0 for theme in themes)
    phrases = told(row, is_seen)
    light = next((theme.change for theme in themes if theme.name == "light"), None)
    verb = "change"
    if light is not None and light.before is None:
        verb = "create"
    elif light is not None and light.after is None:
        verb = "remove"
    if phrases and verb == "change" and (doubt := _unlike(themes)):
        # That one cannot see it is a guess then.
        phrases = (*(phrase for phrase in phrases if phrase != UNSEEN), doubt)
    return Compared(label, verb, themes, phrases, then, now, row.reasons)


def _unlike(themes: Iterable[Theme]) -> str:
    """A phrase for what the pixels of a comparison do not show as browsers do; empty for most figures."""
    changes = [theme.change for theme in themes if theme.change.before != theme.change.after]
    sides = [svg for change in changes for svg in (change.before, change.after) if svg is not None]
    names = dict.fromkeys(name for svg in sides for name in unlike(svg))
    return f"look in a browser: it draws {', '.join(names)} in its own way" if names else ""


def _theme(change: Change, found: Mapping[Pair, Compare]) -> Theme:
    pair = _pair(change)
    if pair is not None:
        return Theme(_name(change), change, *found[pair])
    return Theme(_name(change), change, SAME if change.before == change.after else WHOLE)


def with_words(report: Report, figures: Iterable[Compared]) -> Report:
    """The same report, with the words and the shares of pixels of what was compared."""
    by_label = {figure.label: figure for figure in figures}
    rows = []
    for row in report.rows:
        figure = by_label.get(row.label if row.id else (row.path or "?"))
        if figure is not None:
            share = figure.share if figure.verb == "change" else None
            row = replace(row, words=figure.said, share=share)
        rows.append(row)
    return replace(report, rows=tuple(rows))


def counts(figures: Iterable[Compared]) -> dict[str, int]:
    """Figures by verb, and those in which nothing is to be seen."""
    found: dict[str, int] = {}
    for figure in figures:
        name = figure.verb if figure.is_seen else "invisible"
        found[name] = found.get(name, 0) + 1
    return found
