"""What a build would write, held against what is there, or against an earlier commit: --dry-run and --check."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from figmill import config
from figmill.config import Options
from figmill.engine.drawing.outcome import Built, Fresh, Outcome
from figmill.engine.git_checkout import checked_out
from figmill.engine.load import look
from figmill.engine.notes import notes
from figmill.engine.plan import SHARED
from figmill.engine.produce import Production, asked_outcomes, produce
from figmill.engine.request import Request
from figmill.engine.rows import exported_row, in_order, row_of
from figmill.engine.state import BookState, entry_of, outputs, paths, targets
from figmill.model import Change, Inputs, Published
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
    then: Mapping[str, Published]  # by figure, in what it is compared with
    doing = "comparing it with what is there"
    writes = False

    def figure(self, outcome: Fresh | Built, svgs: Mapping[str, bytes]) -> Row:
        after = svgs if isinstance(outcome, Built) else lying(outcome, self.disk)
        row = row_of(outcome, self.options)
        changes = tuple(Change(path, self._old(path), data) for path, data in after.items())
        verbs = [found for found in map(verb, changes) if found]
        status = f"would-{verbs[0]}" if verbs else "fresh" if isinstance(outcome, Fresh) else "unchanged"
        name = key(outcome.step.visual)
        return replace(
            row, status=status, changes=changes, reasons=self._reasons(outcome, row),
            then=self.then.get(name), now=published(outcome, self.options),
        )  # fmt: skip

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
    then = before.published if before else {name: e.published for name, e in state.ledger.entries.items()}
    produce(state, request, outcomes, Comparer(state.disk, state.options, before, then), production, pool)
    rows = production.rows
    others: list[Row] = []
    if before is not None and not request.ids:
        outputs_now = set().union(*(targets(step.visual, state.options) for step in state.steps))
        others += [_removed(path, before.files[path]) for path in sorted(set(before.files) - outputs_now)]
    kept, orphans = state.partition(production.entries, production.left)
    if before is None and all(row.status in ("fresh", "unchanged") for row in rows.values()):
        others += _changed_pages(state, kept)
    ordered = in_order([*rows.values(), *others], state.book, request)
    return Report(ordered, orphans, dry=True, check=request.check, shared=SHARED, notes=notes(state, request))


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
    published: Mapping[str, Published]


def between(root: Path, request: Request) -> Report:
    """What differs between two commits, given as `A..B`; the book as it lies here has no part in it."""
    refs = (request.against or "").split("..", 1)
    old, new = (at_commit(root, replace(request, against=ref or "HEAD")) for ref in refs)
    rows = []
    for name in sorted({*old.published, *new.published}):
        then, now = old.published.get(name), new.published.get(name)
        shown = now or then
        assert shown is not None
        paths_ = sorted({file.path for side in (then, now) if side for file in side.files}, key=_light_first)
        changes = tuple(Change(path, old.files.get(path), new.files.get(path)) for path in paths_)
        verbs = [found for found in map(verb, changes) if found]
        status = f"would-{verbs[0]}" if verbs else "unchanged"
        reasons = new.inputs[name].reasons(old.inputs[name]) if then and now else ("new",) if now else ()
        path = changes[0].target if changes else None
        rows.append(
            Row(shown.id, shown.name, shown.kind, status, reasons, path, changes=changes, then=then, now=now)
        )
    return Report(tuple(rows), dry=True, check=request.check, shared=SHARED)


def _light_first(path: str) -> tuple[bool, str]:
    return path.endswith(".dark.svg"), path


def at_commit(root: Path, request: Request) -> Before:
    """The book as it is at a commit, rendered aside; the drawings that are known are shared."""
    with checked_out(root, request.against or "") as aside:
        now = config.load(root)
        cache = str(root / (now.cache or f"{PRIVATE}/cache"))  # believed as it is now, whatever was set then
        then = replace(
            config.load(aside, is_new=True),
            cache=cache,
            cache_key=now.cache_key,
            cache_key_env=now.cache_key_env,
        )
        # The ids need not have been there then; nothing is fresh there, whatever was committed.
        state = look(aside, then, replace(request, ids=(), force=True))
        files: dict[str, bytes] = {}
        inputs: dict[str, Inputs] = {}
        shown: dict[str, Published] = {}
        for outcome in asked_outcomes(state, replace(request, strict=False, force=False), lambda *_: None):
            if isinstance(outcome, Built):
                files |= {path: page.svg for path, page in outputs(outcome, state.options)}
                inputs[key(outcome.step.visual)] = inputs_of(outcome)
                shown[key(outcome.step.visual)] = entry_of(outcome, state.options).published
        return Before(files, inputs, shown)


def published(outcome: Fresh | Built, options: Options) -> Published | None:
    """What is published with a figure: its texts and its facts."""
    if isinstance(outcome, Built):
        return entry_of(outcome, options).published
    return outcome.step.entry.published if outcome.step.entry else None


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
