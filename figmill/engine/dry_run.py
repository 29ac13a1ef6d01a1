"""What a build would write, held against what is there, or against an earlier commit: --dry-run and --check."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from figmill import config
from figmill.config import Options
from figmill.engine.git_checkout import checked_out
from figmill.engine.load import look
from figmill.engine.plan import SHARED
from figmill.engine.produce import Production, asked_outcomes, produce
from figmill.engine.request import Request
from figmill.engine.results import Built, Fresh, Outcome
from figmill.engine.rows import exported_row, in_order, row_of
from figmill.engine.state import BookState, outputs, paths, targets
from figmill.model import Change, Inputs
from figmill.publish.export_plan import Wanted
from figmill.render.pool import Pool
from figmill.report.diff import verb
from figmill.report.model import Report, Row
from figmill.store.disk import Disk
from figmill.store.ledger import Entry, key
from figmill.store.links import PRIVATE


@dataclass(frozen=True, slots=True)
class Comparer:
    """Holds what is produced against what is there, or against an earlier commit."""

    disk: Disk
    options: Options
    before: Before | None
    doing = "comparing it with what is there"
    writes = False

    def figure(self, outcome: Fresh | Built, svgs: Mapping[str, bytes]) -> Row:
        after = svgs if isinstance(outcome, Built) else lying(outcome, self.disk)
        row = row_of(outcome, self.options)
        changes = tuple(Change(path, self._old(path), data) for path, data in after.items())
        verbs = [found for found in map(verb, changes) if found]
        status = f"would-{verbs[0]}" if verbs else "fresh" if isinstance(outcome, Fresh) else "unchanged"
        return replace(row, status=status, changes=changes, reasons=self._reasons(outcome, row))

    def export(self, want: Wanted, data: bytes, row: Row) -> Row:
        change = Change(want.path, self.disk.read(want.path), data)
        what = verb(change)
        row = replace(row, changes=(*row.changes, change))
        return exported_row(row, want, f"would-{what}" if what else None)

    def _old(self, path: str) -> bytes | None:
        return self.disk.read(path) if self.before is None else self.before.files.get(path)

    def _reasons(self, outcome: Fresh | Built, row: Row) -> tuple[str, ...]:
        """Why a figure differs from what it is compared with."""
        if self.before is None:
            return row.reasons
        then = self.before.inputs.get(key(outcome.step.visual))
        return ("new",) if then is None else inputs_of(outcome).reasons(then)


def show(state: BookState, outcomes: Iterable[Outcome], request: Request, pool: Pool) -> Report:
    """Hold what a build would write against what is there, or against an earlier commit."""
    before = None if request.against is None else at_commit(state.disk.root, request)
    production = Production.of(state)
    produce(state, request, outcomes, Comparer(state.disk, state.options, before), production, pool)
    rows = production.rows
    others: list[Row] = []
    if before is not None and not request.ids:
        outputs_now = set().union(*(targets(step.visual, state.options) for step in state.steps))
        others += [_removed(path, before.files[path]) for path in sorted(set(before.files) - outputs_now)]
    kept, orphans = state.partition(production.entries, production.left)
    if before is None and all(row.status in ("fresh", "unchanged") for row in rows.values()):
        others += _changed_pages(state, kept)
    ordered = in_order([*rows.values(), *others], state.book, request)
    return Report(ordered, orphans, dry=True, check=request.check, shared=SHARED)


def _changed_pages(state: BookState, entries: Mapping[str, Entry]) -> list[Row]:
    """The manifest, where it would change although no figure does: a title, say, or a question removed."""
    path = state.page_paths[0]
    after = state.pages(entries, set(entries))[path]
    if state.disk.read(path) in (after, None):
        return []
    return [Row(None, None, None, "would-change", path=path)]


def _removed(path: str, data: bytes) -> Row:
    return Row(None, None, None, "would-remove", path=path, changes=(Change(path, data, None),))


@dataclass(frozen=True, slots=True)
class Before:
    """A book at an earlier commit: its outputs by path, and by figure what they came from."""

    files: Mapping[str, bytes]
    inputs: Mapping[str, Inputs]


def at_commit(root: Path, request: Request) -> Before:
    """The book as it is at a commit, rendered aside; the drawings that are known are shared."""
    with checked_out(root, request.against or "") as aside:
        now = config.load(root)
        cache = str(root / (now.cache or f"{PRIVATE}/cache"))  # believed as it is now, whatever was set then
        then = replace(
            config.load(aside), cache=cache, cache_key=now.cache_key, cache_key_env=now.cache_key_env
        )
        state = look(aside, then, replace(request, ids=(), force=False))
        files: dict[str, bytes] = {}
        inputs: dict[str, Inputs] = {}
        for outcome in asked_outcomes(state, replace(request, strict=False), lambda *_: None):
            if isinstance(outcome, Built):
                files |= {path: page.svg for path, page in outputs(outcome, state.options)}
                inputs[key(outcome.step.visual)] = inputs_of(outcome)
        return Before(files, inputs)


def inputs_of(outcome: Fresh | Built) -> Inputs:
    """All that a figure's published bytes depend on."""
    step = outcome.step
    read = (
        outcome.traced if isinstance(outcome, Built) else step.entry.traced if step.entry else Inputs.of(())
    )
    return step.declared | read | step.settling


def lying(outcome: Fresh, disk: Disk) -> dict[str, bytes]:
    """What lies at each output of a figure for which nothing has changed."""
    return {path: disk.read(path) or b"" for path in sorted(paths(outcome.step.entry))}
