"""Run every check on every figure of a book, and publish nothing.

Drawings come from the cache if it has them; others are drawn and cached. The output folder is neither read nor
written. The checks of a drawing are in svg/checks/; here are those that need the book, or a second drawing.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import field, replace
from functools import partial
from itertools import repeat
from pathlib import Path, PurePosixPath

from figmill import checks
from figmill.claims.labels import labels
from figmill.config import Options
from figmill.engine.book_state import BookState
from figmill.engine.drawing.outcome import Built, Failed, Outcome
from figmill.engine.false_prose import Statement, false_statements
from figmill.engine.load import look
from figmill.engine.plan import Stale, Step, Unreadable
from figmill.engine.processes import pool_of
from figmill.engine.prose import CHECK, NOTHING, record_of
from figmill.engine.questions import is_page
from figmill.engine.request import Progress, Request
from figmill.engine.update import requested_outcomes
from figmill.errors import AuthorError, held
from figmill.host.bound import PRIVATE
from figmill.kinds import KINDS
from figmill.late_dataclasses import dataclass
from figmill.lint import alt_text, undescribed
from figmill.lint.repeatable import difference
from figmill.lint.unused import unused_sources
from figmill.model import Origin, Visual, Warned
from figmill.publish.finalise import Settled
from figmill.render.pool import Pool
from figmill.report.model import Diagnostic, LintReport, in_order
from figmill.store.cache import cache_of

REPEATS, UNDESCRIBED = "not-repeatable", "undescribed"


@dataclass(slots=True)
class _Findings:
    """The findings so far."""

    levels: dict[str, str]
    active: frozenset[str]  # the checks that the book has not switched off
    diagnostics: list[Diagnostic] = field(default_factory=list)
    excused: list[tuple[Diagnostic, str]] = field(default_factory=list)
    read: set[str] = field(default_factory=set)  # the files that figures read
    stated: dict[str, list[Statement]] = field(default_factory=dict)  # what figures state, by their question

    def fail(self, error: AuthorError, id_: str | None, name: str | None) -> None:
        self.diagnostics.append(Diagnostic.failure(error, id_, name))

    def add(self, warned: Warned, visual: Visual | None = None) -> None:
        """Store a finding if its check is active; separately, if the figure's exceptions excuse it."""
        id_, name = (visual.id, visual.name) if visual else (None, None)
        diagnostic = Diagnostic.of_check(warned, self.levels[warned.check], id_, name)
        if visual and warned.check in visual.lint:
            self.excused.append((diagnostic, visual.lint[warned.check]))
        elif warned.check in self.active:
            self.diagnostics.append(diagnostic)

    def add_of_question(self, warned: Warned, id_: str) -> None:
        if warned.check in self.active:
            self.diagnostics.append(Diagnostic.of_check(warned, self.levels[warned.check], id_, None))


def lint(
    root: Path, options: Options, request: Request, twice: bool = False, progress: Progress = lambda *_: None
) -> LintReport:
    """The checks' findings on the requested figures. twice: draw each figure again, and compare."""
    state = _all_stale(look(root, options, request.ids))
    findings = _Findings(checks.levels(options.lint), checks.active(options.lint, every=True))
    keeps = request.writes and _may_keep(root, options)
    _check_figures(state, keeps, request.jobs, twice, progress, findings)
    _check_prose(state, findings)
    for problem in state.book.problems:
        if state.wants(problem.id or PurePosixPath(problem.error.origin.path).stem):
            if problem.left:
                findings.add(Warned(problem.error.origin, problem.error.message, checks.IMAGE_LEFT))
            else:
                findings.fail(problem.error, problem.id, problem.name)
    is_whole = not request.ids and not state.book.problems
    for id_, suspect in state.book.suspects:
        if state.wants(id_):
            findings.add_of_question(suspect.warning, id_)
    warnings: list[Warned] = []
    if is_whole and not any(diagnostic.is_error for diagnostic in findings.diagnostics):
        warnings += unused_sources(state, findings.read, request.jobs)
    for warned in warnings:
        findings.add(warned)
    figures = len(state.requested)
    return LintReport(in_order(findings.diagnostics), tuple(findings.excused), figures, request.strict)


def _may_keep(root: Path, options: Options) -> bool:
    """Whether drawings can be kept for the next build: the book may be read-only."""
    cache = root / (options.cache_folder or PRIVATE)
    there = next(folder for folder in (cache, *cache.parents) if folder.exists())
    return os.access(there, os.W_OK)


def _check_figures(
    state: BookState, keeps: bool, jobs: int, twice: bool, progress: Progress, findings: _Findings
) -> None:
    done = findings.active if twice else findings.active - {REPEATS}
    root, options = state.disk.root, state.options
    cache = cache_of(root, options, keeps=keeps)
    first, second = (pool_of(root, options, jobs) for _ in range(2))
    with first, second:
        again = _drawn_again(state, second) if REPEATS in done else repeat(None)
        outcomes = requested_outcomes(state, cache, first, progress, every=True)
        for outcome, other in zip(outcomes, again, strict=False):
            _check_figure(outcome, other, done, findings)


def _check_figure(
    outcome: Outcome, second: Built | Failed | None, done: frozenset[str], findings: _Findings
) -> None:
    visual = outcome.step.visual
    if isinstance(outcome, Failed):
        for error in outcome.errors:
            if visual.is_image:
                findings.add(Warned(error.origin, error.message, checks.IMAGE_LEFT), visual)
            else:
                findings.fail(error, visual.id, visual.name)
    elif isinstance(outcome, Built):
        findings.read |= {name for name, _ in outcome.traced.rows}
        try:
            warnings = [*_of_figure(outcome, second, done)]
        except Exception as error:
            findings.fail(held(visual.at(), "checking its words", error), visual.id, visual.name)
            return
        for warned in warnings:
            findings.add(warned, visual)
        stated = Statement(visual, outcome.settled.facts, partial(labels, outcome.settled.pages[0].svg))
        findings.stated.setdefault(visual.at().path, []).append(stated)


def _check_prose(state: BookState, findings: _Findings) -> None:
    """The numbers in questions that their figures contradict, and exceptions for this check that nothing needs."""
    if CHECK not in findings.active:
        return
    recorded = NOTHING
    try:
        recorded = record_of(state)
    except AuthorError as error:
        findings.add(Warned(error.origin, error.message, CHECK))
    needed = {diagnostic.label for diagnostic, _ in findings.excused if diagnostic.check == CHECK}
    for path, figures in findings.stated.items():
        visuals = {each.visual.label: each.visual for each in figures}
        for line, column, message, label in (
            () if is_page(path) else false_statements(state, path, figures, recorded.record) or ()
        ):
            needed.add(label)
            findings.add(Warned(Origin(path, line, column), message, CHECK), visuals[label])
        for label, visual in visuals.items():
            if CHECK in visual.lint and label not in needed:
                findings.add(_needless_for(visual, CHECK), visual)


def _of_figure(outcome: Built, second: Built | Failed | None, done: frozenset[str]) -> Iterator[Warned]:
    """The findings on one figure. second: its second drawing; done: the checks that ran."""
    visual, settled = outcome.step.visual, outcome.settled
    warnings = [*settled.warnings, *settled.excused, *_wording(visual, settled)]
    if visual.describe is True and not settled.tables:
        warnings += [
            Warned(visual.at("alt"), message, UNDESCRIBED) for message in undescribed.findings(settled)
        ]
    if second is not None:
        warnings += _differences(visual, settled, second)
    yield from warnings
    yield from _needless(visual, {warned.check for warned in warnings}, done)


def _all_stale(state: BookState) -> BookState:
    """The same book, with a reason to check every figure, whether or not it failed before."""
    steps = tuple(_stale(step) for step in state.steps)
    return replace(state, steps=steps)


def _stale(step: Step) -> Step:
    if isinstance(step.state, Unreadable):
        return step
    return replace(step, state=Stale(step.state.reasons or ("lint",)))


def _drawn_again(state: BookState, pool: Pool) -> Iterator[Built | Failed | None]:
    """Every figure drawn again in its own process; None for hand drawings."""
    steps = state.requested
    by_figmill = tuple(step for step in steps if not KINDS[step.visual.kind].by_hand)
    cache = cache_of(state.disk.root, state.options, finds=False, keeps=False)
    outcomes = requested_outcomes(replace(state, steps=by_figmill), cache, pool)
    for step in steps:
        outcome = None if KINDS[step.visual.kind].by_hand else next(outcomes)
        yield outcome if isinstance(outcome, Built | Failed) else None


def _wording(visual: Visual, settled: Settled) -> Iterator[Warned]:
    for key, check, message in alt_text.findings(settled.alt, settled.caption, visual.title):
        yield Warned(visual.at(key), message, check)


def _differences(visual: Visual, first: Settled, second: Built | Failed) -> Iterator[Warned]:
    if isinstance(second, Failed):
        message: str | None = f"drawn a second time, it fails: {second.errors[0].message}"
    else:
        message = difference(first, second.settled)
    if message is not None:
        yield Warned(visual.placed(Origin(visual.drawn_from)), message, REPEATS)


def _needless(visual: Visual, broken: set[str], done: frozenset[str]) -> Iterator[Warned]:
    """A figure's exceptions for checks that it passes."""
    for check in visual.lint:
        if check in done and check not in broken and check != CHECK:  # which the prose may need
            yield _needless_for(visual, check)


def _needless_for(visual: Visual, check: str) -> Warned:
    message = f"this figure passes '{check}', from which it is exempt; remove the exception"
    return Warned(visual.at("lint", check), message, "needless-exception")
