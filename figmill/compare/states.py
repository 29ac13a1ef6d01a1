"""A row of a report -> the pictures of its figure before and after: the declared one, and the other explored ones.

The two sides of a picture can have different paths: a figure moves to another track, or gets another id. So they are
paired by their values and by theme. Pure.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import replace

from figmill.late_dataclasses import dataclass
from figmill.model import Change, Published
from figmill.report.model import Row

DECLARED = ""
DIGITS = re.compile(r"(\d+)")


@dataclass(frozen=True, slots=True)
class ChangedPicture:
    """One picture of a figure, with a change for each theme, light first."""

    name: str  # empty for the declared picture; for others, their parameter values as text
    changes: tuple[Change, ...]

    @property
    def differs(self) -> bool:
        return any(change.before != change.after for change in self.changes)


def theme_of(change: Change) -> str:
    return "dark" if change.target.endswith(".dark.svg") else "light"


def states(row: Row) -> tuple[ChangedPicture, ...]:
    """All pictures of a figure: the declared one first, then the others in the order of their values."""
    then, now = _names(row.then), _names(row.now)
    by_name: dict[str, dict[str, Change]] = {}
    folder = f"{(row.path or '').removesuffix('.dark.svg').removesuffix('.svg')}/"
    for change in row.changes:
        path = change.target
        if not path.endswith(".svg"):
            continue
        names = now if change.after is not None and path in now else then
        name = names.get(path)
        if name is None:  # a file that neither side lists
            name = _stem(path) if path.startswith(folder) else DECLARED
        themes = by_name.setdefault(name, {})
        themes[theme_of(change)] = _joined(themes.get(theme_of(change)), change)
    ordered = sorted(by_name, key=lambda name: [(len(part), part) for part in DIGITS.split(name)])
    return tuple(
        ChangedPicture(
            name,
            tuple(
                _as_now(by_name[name][theme], row) for theme in ("light", "dark") if theme in by_name[name]
            ),
        )
        for name in ordered
    )


def _as_now(change: Change, row: Row) -> Change:
    """The change without the figure's old label, with which a picture's ids begin: a new label changes no drawing."""
    if row.was is None or change.before is None or change.after is None:
        return change
    old, new = (f"{label}-{theme_of(change)}-".encode() for label in (row.was, row.label))
    return replace(change, before=change.before.replace(old, new))


def _joined(earlier: Change | None, later: Change) -> Change:
    """A picture that moved from one path to another, as one change at the new path."""
    if earlier is None:
        return later
    gone, come = (earlier, later) if earlier.after is None else (later, earlier)
    return replace(come, before=gone.before) if gone.after is None and come.before is None else come


def _names(side: Published | None) -> Mapping[str, str]:
    """The name of the picture at each path. If equal pictures share a file, the first name counts."""
    names: dict[str, str] = {}
    if side is None:
        return names
    for picture in side.explore.pictures if side.explore else ():
        values = ", ".join(f"{name} = {_word(value)}" for name, value in picture.params.items())
        for file in picture.files:
            names.setdefault(file.path, values)
    return names | {file.path: DECLARED for file in side.files}


def _word(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _stem(path: str) -> str:
    return path.rpartition("/")[2].removesuffix(".svg").removesuffix(".dark")
