"""The rows of a report -> the figures that changed, worst first: in words and in pixels, both themes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from figmill.compare.comparisons import Comparisons
from figmill.compare.described import described
from figmill.compare.drawing import WHOLE, differences
from figmill.compare.pixels import SAME, Compare, Difference, Pair
from figmill.compare.renames import renamed
from figmill.compare.resvg_gaps import unlike
from figmill.compare.states import DECLARED, ChangedPicture, states, theme_of
from figmill.compare.svg_changes import UNSEEN
from figmill.late_dataclasses import dataclass
from figmill.model import Change, Published
from figmill.report.model import Report, Row, Status

STATES = 8  # pictures of one figure that are compared and shown in addition to the declared one
VERBS = {Status.WOULD_CREATE: "create", Status.WOULD_REMOVE: "remove"}


@dataclass(frozen=True, slots=True)
class Theme:
    """One theme of a figure before and after."""

    name: str
    change: Change
    difference: Difference  # of their pixels
    trouble: str = ""  # why the pixels could not be compared


@dataclass(frozen=True, slots=True)
class ComparedPicture:
    """One picture of a figure in its themes."""

    name: str  # empty for the declared one; else its values, in words
    themes: tuple[Theme, ...]


@dataclass(frozen=True, slots=True)
class Compared:
    """One figure that is new, changed, renamed, gone, or fails.

    - phrases: a phrase for each thing that changed.
    - shown: the declared picture, and the first of the other explored pictures that differ.
    """

    label: str
    verb: str  # create, change, rename, remove, fail
    shown: tuple[ComparedPicture, ...]
    phrases: tuple[str, ...]
    then: Published | None
    now: Published | None
    reasons: tuple[str, ...]
    errors: tuple[str, ...] = ()
    has_pixels: bool = True  # whether pixels were compared

    @property
    def themes(self) -> tuple[Theme, ...]:
        """The picture that stands for the figure: the declared one, unless only others differ."""
        first = next(
            (picture for picture in self.shown if any(t.difference.share for t in picture.themes)), None
        )
        return (first or self.shown[0]).themes if self.shown else ()

    @property
    def share(self) -> float:
        """The largest share of differing pixels in its pictures. A theme that was added or removed has none."""
        both = (
            t
            for picture in self.shown
            for t in picture.themes
            if None not in (t.change.before, t.change.after)
        )
        return max((theme.difference.share for theme in both), default=0.0)

    @property
    def weight(self) -> float:
        """How much a reviewer has to look at, 0 to 1."""
        return 1.0 if self.verb in ("create", "remove") else self.share

    @property
    def is_seen(self) -> bool:
        """Whether a reader can notice the change, in the picture or in its texts."""
        return self.verb != "change" or self.share > 0 or self.phrases != (UNSEEN,)


def compared(
    report: Report,
    fonts: Sequence[Path],
    jobs: int,
    earlier: Comparisons | None = None,
    has_pixels: bool = True,
) -> tuple[Report, list[Compared]]:
    """The report with renamed figures joined, and all changed figures: failing ones first, then by how much differs.

    earlier: the comparisons so far. has_pixels: whether pixels are compared, too; else every changed picture counts as
    different.
    """
    report = renamed(report)
    rows = [
        row
        for row in report.rows
        if row.errors or any(c.before != c.after for c in row.changes) or row.then != row.now
    ]
    shown = [_shown(row) for row in rows]
    pairs = [_pair(change) for states_ in shown for state in states_ for change in state.changes]
    wanted = [pair for pair in dict.fromkeys(pairs) if pair is not None]
    results = dict.fromkeys(wanted, (WHOLE, ""))
    if has_pixels:
        results = dict(zip(wanted, differences(wanted, fonts, jobs, earlier), strict=True))
    figures = [_figure(row, states_, results, has_pixels) for row, states_ in zip(rows, shown, strict=True)]
    ordered = sorted(
        (figure for figure in figures if figure.errors or figure.phrases),
        key=lambda figure: (not figure.errors, not figure.is_seen, -figure.weight, figure.label),
    )
    return report, ordered


def _shown(row: Row) -> tuple[ChangedPicture, ...]:
    """The pictures for a reviewer: the declared one, and the first explored ones that differ (of up to 256)."""
    every = states(row)
    explored = [state for state in every if state.name != DECLARED and state.differs]
    return (*(state for state in every if state.name == DECLARED), *explored[:STATES])


def _pair(change: Change) -> Pair | None:
    """The two SVGs to compare; None if there is only one, or both are equal."""
    if change.before is None or change.after is None or change.before == change.after:
        return None
    return theme_of(change), change.before, change.after


def _figure(
    row: Row, shown: Sequence[ChangedPicture], results: Mapping[Pair, Compare], has_pixels: bool
) -> Compared:
    then, now = row.then, row.now
    pictures = tuple(
        ComparedPicture(s.name, tuple(_theme(change, results) for change in s.changes)) for s in shown
    )
    if row.errors:
        errors = tuple(str(error) for error in row.errors)
        return Compared(
            row.title, "fail", pictures, described(row), then, now, row.reasons, errors, has_pixels
        )
    themes = [theme for picture in pictures for theme in picture.themes]
    both = [theme for theme in themes if None not in (theme.change.before, theme.change.after)]
    phrases = described(row, any(theme.difference.share > 0 for theme in both) if has_pixels else None)
    verb = VERBS.get(row.status, "change")
    if row.then is None and themes and all(theme.change.before is None for theme in themes):
        verb = "create"
    if row.was is not None and {*phrases} <= {f"renamed from '{row.was}'", UNSEEN}:
        verb, phrases = "rename", phrases[:1]
    if phrases and verb == "change" and (doubt := _unlike(themes)):
        # Then nobody can be sure that the change is invisible.
        phrases = (*(phrase for phrase in phrases if phrase != UNSEEN), doubt)
    return Compared(row.title, verb, pictures, phrases, then, now, row.reasons, has_pixels=has_pixels)


def _unlike(themes: Iterable[Theme]) -> str:
    """A phrase for features that the comparison draws differently from browsers; empty for most figures."""
    changes = [theme.change for theme in themes if theme.change.before != theme.change.after]
    sides = [svg for change in changes for svg in (change.before, change.after) if svg is not None]
    names = dict.fromkeys(name for svg in sides for name in unlike(svg))
    return f"check in a browser, which draws {', '.join(names)} differently" if names else ""


def _theme(change: Change, results: Mapping[Pair, Compare]) -> Theme:
    pair = _pair(change)
    if pair is not None:
        return Theme(theme_of(change), change, *results[pair])
    return Theme(theme_of(change), change, SAME if change.before == change.after else WHOLE)


def with_words(report: Report, figures: Iterable[Compared]) -> Report:
    """The report with the words and the shares of pixels of the compared figures."""
    by_label = {figure.label: figure for figure in figures}
    rows = []
    for row in report.rows:
        figure = by_label.get(row.title)
        if figure is not None:
            share = figure.share if figure.verb == "change" and figure.has_pixels else None
            row = replace(row, phrases=figure.phrases, share=share)
        rows.append(row)
    return replace(report, rows=tuple(rows))


def counts(figures: Sequence[Compared], whole: int) -> dict[str, int]:
    """The number of figures by verb, of those whose change is invisible, and of equal ones: `whole` in total."""
    numbers: dict[str, int] = {"same": whole - len(figures)}
    for figure in figures:
        name = figure.verb if figure.is_seen else "invisible"
        numbers[name] = numbers.get(name, 0) + 1
    return numbers
