"""The recipe: load, plan, draw, settle; then show, or apply.

--dry-run, --check and a real build share all of it up to the last arrow.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from pathlib import Path, PurePosixPath

from figmill import config, memory, snapshot
from figmill import ledger as ledgers
from figmill.book import Book, resolve
from figmill.changes import verb
from figmill.config import Options
from figmill.disk import PRIVATE, Disk, lock
from figmill.errors import AuthorError, ToolError, did_you_mean
from figmill.history import checked_out
from figmill.kinds import code_digest
from figmill.ledger import Entry, Ledger, key
from figmill.model import Change, Inputs, Origin
from figmill.outcomes import Built, Failed, Fresh, Outcome, Request, outcomes_of
from figmill.plan import SHARED, Step, installation, plan, target
from figmill.questions import Problem, Question, read
from figmill.report import WELL, Report, Row
from figmill.shelf import Shelf, entry_of, outputs, paths, targets
from figmill.snapshot import Seen

Progress = Callable[[int, int, str], None]  # done, total, label
JUST_NOW = 250_000_000  # ns


def build(
    root: Path,
    options: Options,
    request: Request,
    progress: Progress = lambda *_: None,
    seen: Seen | None = None,
) -> Report:
    """Bring a book's figures up to date, or show what that would change.

    seen: the book's files as they were just now, where somebody has looked already.
    """
    shelf = look(root, options, request, seen)
    if not request.write:
        return show(shelf, drawn(shelf, request, progress), request)
    if shelf.is_settled():
        return apply(shelf, map(Fresh, asked(shelf, request)), request)
    with lock(root) as waited:
        for folder in (PRIVATE, shelf.folder, *(options.visuals if options.in_place else ())):
            shelf.disk.sweep(folder)
        if waited or shelf.ledger_bytes != shelf.disk.read(ledgers.PATH):
            shelf = look(root, options, request)  # another build was here meanwhile
        return apply(shelf, drawn(shelf, request, progress), request)


def look(root: Path, options: Options, request: Request, seen: Seen | None = None) -> Shelf:
    """The book as it stands: what it declares, what was built of it, and what is stale."""
    options = replace(options, fonts=tuple(font_file(name, root) for name in options.fonts))
    folders = [*options.questions, *options.visuals]
    if seen is None or seen.folders != folders:
        seen = snapshot.look(str(root), folders)
    snapshot.settle_clock(seen.rows)
    disk = Disk(root, seen.rows)
    book, kept = load(disk, options)
    check_asked(book, request.ids)
    ledger_bytes = disk.read(ledgers.PATH)
    ledger = ledgers.loads(ledger_bytes)
    steps = plan(book.visuals, options, disk.digest, ledger, root=root, force=request.force)
    return Shelf(disk, options, book, kept, ledger, ledger_bytes, steps, snapshot.digest(seen.rows))


def asked(shelf: Shelf, request: Request) -> tuple[Step, ...]:
    """The steps of the figures that the request is for."""
    return tuple(step for step in shelf.steps if is_asked(step.visual.id, request.ids))


def drawn(shelf: Shelf, request: Request, progress: Progress) -> Iterator[Outcome]:
    """The outcomes of the steps that are asked for, told one by one to whoever shows the progress."""
    steps = asked(shelf, request)
    for done, outcome in enumerate(outcomes_of(steps, shelf.disk, shelf.options, request), 1):
        progress(done, len(steps), outcome.step.visual.label)
        yield outcome


def font_file(name: str, root: Path) -> str:
    """The path of a font that the settings name. Raises ToolError where it is none."""
    path = root / name
    if path.suffix.lower() not in (".ttf", ".otf", ".ttc") or not path.is_file():
        raise ToolError(
            f"fonts: '{name}' is no font file of the book; name a .ttf, .otf or .ttc below its root"
        )
    return str(path)


def load(disk: Disk, options: Options) -> tuple[Book, memory.Kept | None]:
    """Read every question file that has changed, and find every source.

    Returns the book and what to remember of its files; None where that is remembered already.
    """
    kept = memory.loads(disk.read(memory.PATH), code_digest(memory.READER))
    questions: dict[str, tuple[str, Question]] = {}
    clean: set[str] = set()
    problems: list[Problem] = []
    for path in disk.files(options.questions, (".yaml", ".yml")):
        digest = disk.digest(path)
        if path in kept and kept[path][0] == digest:
            questions[path] = kept[path]
            clean.add(path)
            continue
        question, wrong = _read(path, disk)
        problems += wrong
        if question is not None:
            questions[path] = digest, question
            if not wrong:
                clean.add(path)
    for path, words in disk.unusable(options.questions).items():
        if path.endswith((".yaml", ".yml")):
            text = f"{words}; a question is a regular file in the book"
            problems.append(Problem(AuthorError(Origin(path), text)))
    found = tuple(question for _, question in questions.values())
    files = frozenset(disk.files(options.visuals))
    book = resolve(found, files, options, disk.unusable(options.visuals))
    book = replace(book, problems=(*problems, *book.problems))
    now = {path: row for path, row in questions.items() if path in clean}
    return book, None if now == kept else now


def _read(path: str, disk: Disk) -> tuple[Question | None, tuple[Problem, ...]]:
    try:
        return read(path, disk.read(path) or b"")
    except AuthorError as error:
        return None, (Problem(error),)


def check_asked(book: Book, ids: tuple[str, ...]) -> None:
    """ToolError where a pattern asks for no question."""
    known = {visual.id for visual in book.visuals} | {p.id for p in book.problems if p.id}
    for pattern in ids:
        if not any(fnmatchcase(name, pattern) for name in known):
            raise ToolError(
                f"--id {pattern}: no question with a figure has that id{did_you_mean(pattern, known)}"
            )


def is_asked(id_: str | None, ids: tuple[str, ...]) -> bool:
    return not ids or (id_ is not None and any(fnmatchcase(id_, pattern) for pattern in ids))


def apply(shelf: Shelf, outcomes: Iterable[Outcome], request: Request) -> Report:
    """Write what changed as it comes; then the ledger, the manifest and the gallery."""
    disk, options = shelf.disk, shelf.options
    entries = dict(shelf.ledger.entries)
    left = set(shelf.ledger.orphans)
    rows: list[Row] = []
    current = {key(step.visual) for step in shelf.steps if not step.reasons}
    try:
        for outcome in outcomes:
            name = key(outcome.step.visual)
            if isinstance(outcome, Built):
                changed = [disk.put(path, page.svg) for path, page in outputs(outcome, options)]
                left |= paths(entries.get(name))
                entries[name] = entry_of(outcome, options)
                current.add(name)
                rows.append(row_of(outcome, options, "rendered" if any(changed) else "unchanged"))
            else:
                rows.append(row_of(outcome, options))
    finally:  # what is written stays known, also where the build is interrupted
        kept, orphans = shelf.partition(entries, left)
        disk.put(ledgers.PATH, ledgers.dumps(Ledger(kept, orphans)))
    for path, data in shelf.pages(kept, current).items():
        disk.put(path, data)
    if shelf.kept is not None:
        disk.put(memory.PATH, memory.dumps(shelf.kept, code_digest(memory.READER)))
    disk.remember()
    report = Report(_in_order(rows, shelf.book, request), orphans, shared=SHARED)
    if current >= {key(step.visual) for step in shelf.steps} and report.code == WELL and not orphans:
        found = snapshot_of(shelf, kept)
        if found is not None:
            disk.put(snapshot.PATH, found)
    return report


def snapshot_of(shelf: Shelf, entries: Mapping[str, Entry]) -> bytes | None:
    """What the next build has to look at to know that nothing has changed; None where something just has."""
    options, root = shelf.options, str(shelf.disk.root)
    traced = {
        name
        for entry in entries.values()
        for inputs in (entry.declared, entry.traced)
        for name, _ in inputs.rows
    }
    outputs_ = {file.path for entry in entries.values() for file in entry.published.files}
    ours = (ledgers.PATH, memory.PATH, *shelf.page_paths)
    also = sorted({*snapshot.CONFIGURATION, *options.fonts, *traced, *outputs_, *ours})
    folders = [*options.questions, *options.visuals]
    ordered = sorted(entries.values(), key=lambda entry: entry.published.order)
    warnings = list(dict.fromkeys(str(warning) for entry in ordered for warning in entry.warnings))
    since = shelf.disk.began - JUST_NOW  # the settings were read a moment before
    if any(shelf.disk.has_changed(name, since) for name in (*snapshot.CONFIGURATION, *options.fonts)):
        return None
    if any(shelf.disk.has_changed(name, shelf.disk.began) for name in traced):
        return None
    return snapshot.dumps(root, folders, shelf.sources, [*also, *installation()], len(shelf.steps), warnings)


def show(shelf: Shelf, outcomes: Iterable[Outcome], request: Request) -> Report:
    """Hold what a build would write against what is there, or against an earlier commit."""
    before = None if request.against is None else at_commit(shelf.disk.root, request)
    rows: list[Row] = []
    entries = dict(shelf.ledger.entries)
    left = set(shelf.ledger.orphans)
    told: set[str] = set()
    for outcome in outcomes:
        name = key(outcome.step.visual)
        told |= targets(outcome.step.visual, shelf.options)
        if isinstance(outcome, Failed):
            rows.append(row_of(outcome, shelf.options))
            continue
        if isinstance(outcome, Built):
            left |= paths(entries.get(name))
            entries[name] = entry_of(outcome, shelf.options)
        after = _after(outcome, shelf)
        rows.append(_compared(outcome, after, before, shelf))
    if before is not None:
        gone = sorted(set(before.files) - told)
        rows += [_removed(path, before.files[path]) for path in gone if not request.ids]
    kept, orphans = shelf.partition(entries, left)
    if before is None and all(row.status in ("fresh", "unchanged") for row in rows):
        rows += _changed_pages(shelf, kept)
    return Report(_in_order(rows, shelf.book, request), orphans, dry=True, check=request.check, shared=SHARED)


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
        cache = str(root / (config.load(root).cache or f"{PRIVATE}/cache"))
        shelf = look(aside, replace(config.load(aside), cache=cache), replace(request, ids=(), force=False))
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


def row_of(outcome: Outcome, options: Options, status: str = "") -> Row:
    """A figure's line in the report."""
    step = outcome.step
    visual = step.visual
    note = f"source {visual.source}"
    if visual.old_product:
        note += f", found beside {visual.old_product}, which is taken for its old product"
    row = Row(visual.id, visual.name, visual.kind, status, step.reasons, target(visual, options), note=note)
    if isinstance(outcome, Fresh):
        return replace(row, status=status or "fresh", warnings=step.entry.warnings if step.entry else ())
    if isinstance(outcome, Failed):
        return replace(row, status="failed", errors=outcome.errors, seconds=outcome.seconds)
    return replace(row, seconds=outcome.seconds, warnings=outcome.settled.warnings, said=outcome.said)


def _in_order(rows: list[Row], book: Book, request: Request) -> tuple[Row, ...]:
    """The rows of figures, and of what is wrong before there is a figure, by id and name."""
    broken: dict[tuple[str | None, str | None, str], list[Problem]] = {}
    for problem in book.problems:
        name = problem.id or PurePosixPath(problem.error.origin.path).stem
        if is_asked(name, request.ids):
            file = "" if problem.id else problem.error.origin.path
            broken.setdefault((problem.id, problem.name, file), []).append(problem)
    rows = [*rows, *(
        Row(id_, name, found[0].kind, "failed", errors=tuple(problem.error for problem in found))
        for (id_, name, _), found in broken.items()
    )]  # fmt: skip
    return tuple(sorted(rows, key=lambda row: (row.id or "", row.name or "")))
