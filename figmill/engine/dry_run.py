"""What a build would write, held against what is there, or against an earlier commit: --dry-run and --check."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path

from figmill import config
from figmill.engine.git_checkout import checked_out
from figmill.engine.load import look
from figmill.engine.plan import SHARED
from figmill.engine.produce import drawn, due, exported, publishable
from figmill.engine.results import Built, Failed, Fresh, Outcome, Request
from figmill.engine.rows import exported_row, in_order, not_exported_row, row_of
from figmill.engine.state import Shelf, output_path, outputs, paths, targets
from figmill.errors import held
from figmill.model import Change, Inputs
from figmill.publish import export_plan
from figmill.report.diff import verb
from figmill.report.model import Report, Row
from figmill.store.ledger import Entry, key
from figmill.store.links import PRIVATE


def show(shelf: Shelf, outcomes: Iterable[Outcome], request: Request) -> Report:
    """Hold what a build would write against what is there, or against an earlier commit."""
    before = None if request.against is None else at_commit(shelf.disk.root, request)
    rows: dict[str, Row] = {}
    entries = dict(shelf.ledger.entries)
    left = set(shelf.ledger.orphans)
    told: set[str] = set()
    pages: dict[str, bytes] = {}  # for the exports that are asked for
    if request.forms:
        export_plan.shared(shelf.options, shelf.disk.root)
    for outcome in outcomes:
        name = key(outcome.step.visual)
        told |= targets(outcome.step.visual, shelf.options)
        entry = publishable(outcome, shelf) if isinstance(outcome, Built) else None
        if isinstance(entry, Failed):
            outcome = entry
        if isinstance(outcome, Failed):
            rows[name] = row_of(outcome, shelf.options)
            continue
        try:
            rows[name] = _compared(outcome, _after(outcome, shelf), before, shelf)
        except Exception as error:
            own = held(outcome.step.visual.at(), "comparing it with what is there", error)
            rows[name] = row_of(Failed(outcome.step, (own,)), shelf.options)
            continue
        if isinstance(outcome, Built) and isinstance(entry, Entry):
            left |= paths(entries.get(name)) | export_plan.paths(entries.get(name))
            entries[name] = entry
            if request.forms:
                pages |= {output_path(outcome.step.visual, page.theme, shelf.options): page.svg
                          for page in outcome.settled.pages}  # fmt: skip
    wants = due(shelf, entries, request, rows)
    with closing(exported(wants, shelf, entries, request, pages, lambda *_: None)) as products:
        for want, product in products:
            name = key(want.visual)
            if isinstance(product, bytes):
                change = Change(want.path, shelf.disk.read(want.path), product)
                entries[name] = export_plan.added(entries[name], want.export(product))
                row = replace(rows[name], changes=(*rows[name].changes, change))
                found = verb(change)
                rows[name] = exported_row(row, want, f"would-{found}" if found else None)
            else:
                rows[name] = not_exported_row(rows[name], product)
    others: list[Row] = []
    if before is not None:
        gone = sorted(set(before.files) - told)
        others += [_removed(path, before.files[path]) for path in gone if not request.ids]
    kept, orphans = shelf.partition(entries, left)
    if before is None and all(row.status in ("fresh", "unchanged") for row in rows.values()):
        others += _changed_pages(shelf, kept)
    ordered = in_order([*rows.values(), *others], shelf.book, request)
    return Report(ordered, orphans, dry=True, check=request.check, shared=SHARED)


def _compared(outcome: Fresh | Built, after: dict[str, bytes], before: Before | None, shelf: Shelf) -> Row:
    """A figure's row with its changes, and with why it differs from what it is compared with."""
    row = row_of(outcome, shelf.options)
    old = {path: shelf.disk.read(path) if before is None else before.files.get(path) for path in after}
    changes = tuple(Change(path, old[path], data) for path, data in after.items())
    verbs = [found for found in map(verb, changes) if found]
    status = f"would-{verbs[0]}" if verbs else "fresh" if isinstance(outcome, Fresh) else "unchanged"
    reasons = row.reasons
    if before is not None:
        then = before.inputs.get(key(outcome.step.visual))
        reasons = ("new",) if then is None else inputs_of(outcome).reasons(then)
    return replace(row, status=status, changes=changes, reasons=reasons)


def _changed_pages(shelf: Shelf, entries: Mapping[str, Entry]) -> list[Row]:
    """The manifest, where it would change although no figure does: a title, say, or a question removed."""
    path = shelf.page_paths[0]
    after = shelf.pages(entries, set(entries))[path]
    if shelf.disk.read(path) in (after, None):
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
        shelf = look(aside, then, replace(request, ids=(), force=False))
        files: dict[str, bytes] = {}
        inputs: dict[str, Inputs] = {}
        for outcome in drawn(shelf, replace(request, strict=False), lambda *_: None):
            if isinstance(outcome, Built):
                files |= _after(outcome, shelf)
                inputs[key(outcome.step.visual)] = inputs_of(outcome)
        return Before(files, inputs)


def inputs_of(outcome: Fresh | Built) -> Inputs:
    """All that a figure's published bytes depend on."""
    step = outcome.step
    read = (
        outcome.traced if isinstance(outcome, Built) else step.entry.traced if step.entry else Inputs.of(())
    )
    return step.declared | read | step.settling


def _after(outcome: Fresh | Built, shelf: Shelf) -> dict[str, bytes]:
    """What lies, or would lie, at each output."""
    if isinstance(outcome, Built):
        return {path: page.svg for path, page in outputs(outcome, shelf.options)}
    return {path: shelf.disk.read(path) or b"" for path in sorted(paths(outcome.step.entry))}
