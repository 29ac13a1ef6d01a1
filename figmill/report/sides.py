"""A figure in two commits, or in two built folders, compared for a report. Pure."""

from __future__ import annotations

from collections.abc import Mapping

from figmill.errors import AuthorError
from figmill.model import Published
from figmill.report.diff import changes_between, verb
from figmill.report.model import Row


def row_between(
    then: Published | None,
    now: Published | None,
    before: Mapping[str, bytes],
    after: Mapping[str, bytes],
    *,
    reasons: tuple[str, ...] = (),
    failed_before: tuple[AuthorError, ...] = (),
) -> Row:
    """The row with the differences of one figure. before, after: its files by path. A new caption is a change too."""
    shown = now or then
    assert shown is not None
    changes = changes_between(before, after, {*before, *after})
    verbs = [found for found in map(verb, changes) if found]
    differs = "would-change" if then != now else "unchanged"
    status = f"would-{verbs[0]}" if verbs else differs
    path = changes[0].target if changes else None  # the declared picture: its folder sorts after it
    return Row(shown.id, shown.name, shown.kind, status, reasons, path, changes=changes, then=then, now=now,
               failed_before=failed_before)  # fmt: skip
