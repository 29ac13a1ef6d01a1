"""A figure in two commits, or in two built folders, compared for a report. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from figmill.errors import AuthorError
from figmill.model import Change, Published
from figmill.report.diff import changes_between, verb
from figmill.report.model import Row


def status_of(changes: Sequence[Change]) -> str | None:
    """The status of a figure with these changes of its files: new or gone only as a whole. None: nothing differs."""
    verbs = {verb(change) for change in changes}
    if verbs <= {None}:
        return None
    return f"would-{verbs.pop()}" if len(verbs) == 1 else "would-change"


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
    status = status_of(changes) or (
        "would-change" if (then and then.shown) != (now and now.shown) else "unchanged"
    )
    targets = [change.target for change in changes]
    # before its data, which sort first
    declared = (file.path for file in shown.files if file.path in targets)
    path = next(declared, targets[0] if targets else None)
    return Row(
        shown.id,
        shown.name,
        shown.kind,
        status,
        reasons,
        path,
        changes=changes,
        then=then,
        now=now,
        failed_before=failed_before,
    )
