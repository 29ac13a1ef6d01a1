"""The row of a figure in a report, from its outcome and its exports."""

from __future__ import annotations

from dataclasses import replace

from figmill import checks
from figmill.config import Options
from figmill.engine.drawing.outcome import Built, Failed, Outcome, Skipped
from figmill.engine.outputs import exploration_of
from figmill.engine.plan import FailedBefore, target
from figmill.errors import AuthorError
from figmill.model import Exploration, Warned
from figmill.publish.export_plan import Wanted
from figmill.report.model import Row, Status


def row_of(outcome: Outcome, options: Options, status: Status = Status.UNCHANGED) -> Row:
    """A figure's line in the report. status: if it was drawn."""
    step = outcome.step
    visual, state = step.visual, step.state
    note = f"source {visual.source if visual.fence is None else visual.at()}"
    if visual.old_product:
        note += f", found beside {visual.old_product}, which is taken for its old product"
    if (shown := _exploration(outcome, options)) is not None:
        names = " and ".join(shown.parameters)
        size = f"{shown.size / 1000:,.0f} kB" if shown.size < 1_000_000 else f"{shown.size / 1e6:,.1f} MB"
        note += f"; readers choose {names}: {len(shown.pictures)} pictures, {size}"
    row = Row(visual.id, visual.name, visual.kind, status, state.reasons, target(visual, options), note=note)
    if isinstance(outcome, Skipped):
        return replace(row, status=Status.FRESH, warnings=step.entry.warnings if step.entry else ())
    if isinstance(outcome, Failed):
        is_known = isinstance(state, FailedBefore) and outcome.errors == state.failure.errors
        return replace(
            row, status=Status.FAILED, errors=outcome.errors, seconds=outcome.seconds, is_known=is_known
        )
    return replace(row, seconds=outcome.seconds, warnings=outcome.settled.warnings, printed=outcome.printed)


def left_row(row: Row, level: str) -> Row:
    """The row of an image that its page keeps: a finding says why, unless that is an error. level: of the finding."""
    if level == checks.ERROR:
        return row
    findings = tuple(Warned(error.origin, error.message, checks.IMAGE_LEFT) for error in row.errors)
    return replace(row, status=Status.LEFT, errors=(), warnings=findings if level == checks.WARN else ())


def _exploration(outcome: Outcome, options: Options) -> Exploration | None:
    """The current pictures of an interactive figure."""
    if isinstance(outcome, Built):
        return exploration_of(outcome, options)
    entry = outcome.step.entry
    return entry.published.explore if isinstance(outcome, Skipped) and entry else None


def exported_row(row: Row, want: Wanted, status: Status | None) -> Row:
    """A figure's row after an export was made. status: of the export, if its file has changed."""
    reasons = (
        f"{want.form.ink and f'{want.form.ink} '}{want.form.format}: {reason}" for reason in want.reasons
    )
    every = tuple(dict.fromkeys((*row.reasons, *reasons)))
    if row.status in (Status.FRESH, Status.UNCHANGED):
        return replace(row, status=status or Status.UNCHANGED, reasons=every)
    return replace(row, reasons=every)


def not_exported_row(row: Row, error: AuthorError) -> Row:
    return replace(row, status=Status.FAILED, errors=(*row.errors, error))
