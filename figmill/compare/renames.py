"""A removed figure and a similar new one -> one renamed figure. Pure."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace

from figmill.compare import svg_changes
from figmill.compare.states import DECLARED, states
from figmill.report.model import Report, Row, Status

ALIKE = 0.3  # likeness of two figures from one source that are one figure
THE_SAME = 0.8  # the same for two figures from two sources
MOST = 2500  # pairs from two sources; if there are more, none is compared
ADDRESS = re.compile(r"#[\w.:-]+")  # of another element: it holds the figure's name


def renamed(report: Report) -> Report:
    """The report with one row for each pair of a removed figure and the new one in its place."""
    gone = [row for row in report.rows if row.status is Status.WOULD_REMOVE and row.then is not None]
    come = [
        row
        for row in report.rows
        if row.status is Status.WOULD_CREATE and row.now is not None and not row.failed_before
    ]
    pairs = _pairs(gone, come)
    if not pairs:
        return report
    was = {id(new): old for old, new in pairs}
    dropped = {id(old) for old, _ in pairs}
    rows = (
        _one(was[id(row)], row) if id(row) in was else row for row in report.rows if id(row) not in dropped
    )
    return replace(report, rows=tuple(rows))


def _one(old: Row, new: Row) -> Row:
    changes = (*old.changes, *new.changes)
    return replace(new, status=Status.WOULD_CHANGE, reasons=(), changes=changes, then=old.then, was=old.label)


def _pairs(gone: list[Row], come: list[Row]) -> list[tuple[Row, Row]]:
    """The pairs, most similar first; each figure is in at most one."""
    if not gone or not come:
        return []
    looks = {id(row): _look(row) for row in (*gone, *come)}
    is_few = len(gone) * len(come) <= MOST
    scored = []
    for number, old in enumerate(gone):
        for place, new in enumerate(come):
            is_one = _source(old) == _source(new)
            if not is_one and not is_few:
                continue
            alike = _likeness(looks[id(old)], looks[id(new)])
            if alike >= (ALIKE if is_one else THE_SAME):
                scored.append((-alike, not is_one, number, place))
    pairs: list[tuple[Row, Row]] = []
    taken: set[int] = set()
    for _, _, number, place in sorted(scored):
        old, new = gone[number], come[place]
        if not {id(old), id(new)} & taken:
            taken |= {id(old), id(new)}
            pairs.append((old, new))
    return pairs


def _source(row: Row) -> str:
    side = row.now or row.then
    return side.source if side is not None else ""


def _look(row: Row) -> Counter[str]:
    """The words, colours and shapes of a drawing, each with its number."""
    svg = next(iter(_declared(row)), b"")
    if not svg:
        return Counter()
    held = svg_changes.content(svg)
    return Counter((*held.texts, *held.colours, *ADDRESS.sub("#", held.shapes).split("\n")))


def _declared(row: Row) -> Iterator[bytes]:
    for state in states(row):
        if state.name == DECLARED:
            yield from (svg for change in state.changes for svg in (change.before, change.after) if svg)


def _likeness(first: Counter[str], second: Counter[str]) -> float:
    """0 to 1: the share that both have in common (Dice's coefficient)."""
    whole = first.total() + second.total()
    return 2 * (first & second).total() / whole if whole else 0.0
