"""A build after an edit: if only the content of some files has changed, it looks at their figures alone.

Nothing else can have changed then. After the last build all figures were fresh, no file has come or gone, and every
other file has the size and the times that it had. What tells of all figures keeps its other lines as text. Where more
may have changed, or what is produced reaches further, there is no answer, and the whole book is looked at: the bytes
are the same.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from figmill import fastpath, versions
from figmill.book import patch
from figmill.book.resolve import Book, resolved
from figmill.config import Options
from figmill.engine.drawing.outcome import Built, Fresh, Outcome
from figmill.engine.fonts import with_fonts
from figmill.engine.load import QUESTIONS, read_question
from figmill.engine.plan import SHARED, plan
from figmill.engine.produce import Keeper, Production, produce
from figmill.engine.request import Request
from figmill.engine.rows import in_order
from figmill.engine.state import BookState, all_files, entry_of, paths
from figmill.fastpath import LastBuild, Seen
from figmill.host.excerpt import exchanged
from figmill.publish import gallery, manifest
from figmill.render.pool import Pool
from figmill.report.model import Report
from figmill.store import ledger as ledgers
from figmill.store import ledger_packing, parse_cache
from figmill.store.disk import Disk
from figmill.store.ledger import Entry, key

FEW = 16  # files, and figures; of more, each costs as much as in a whole build


@dataclass(frozen=True, slots=True)
class Part:
    """The figures that the changed files concern, as a book of their own.

    lines: of the snapshot, as they are now, by path. questions: the changed lines of the parse cache, old and new.
    """

    state: BookState
    last: LastBuild
    lines: Mapping[str, str]
    questions: tuple[tuple[str, str], ...]


def part_of(root: Path, options: Options, request: Request, seen: Seen | None) -> Part | None:
    """The part of a book that has changed since the last build; None if all of it has to be looked at."""
    if seen is None or seen.last is None or request != Request(jobs=request.jobs, brief=True):
        return None
    if options.in_place or seen.folders != options.folders:
        return None
    changed = _changed(seen, seen.last)
    if changed is None or len(changed) > FEW:
        return None
    lines = _lines(root, seen.last, changed)
    if lines is None:
        return None
    fastpath.settle_clock([row for row in seen.rows if row[0] in changed])
    try:
        return _part(root, with_fonts(options, root), seen, seen.last, lines, changed)
    except ValueError:  # a kept file has another form than ours
        return None


def _changed(seen: Seen, last: LastBuild) -> list[str] | None:
    """The regular files whose size or times differ; None if a file has come or gone, or become another thing."""
    before, now = last.sources.split("\n"), seen.state.split("\n")
    if not len(before) == len(now) == len(seen.rows):
        return None
    changed = []
    for row, old, new in zip(seen.rows, before, now, strict=True):
        if old != new:
            path, size, *_, is_link = row
            was = old.split("\0")
            if was[0] != path or was[1] == "-1" or size < 0 or is_link:
                return None
            changed.append(path)
    return changed


def _lines(root: Path, last: LastBuild, changed: Sequence[str]) -> dict[str, str] | None:
    """The snapshot's lines of its further paths as they are now; None if one differs that is no changed file."""
    now, before = fastpath.state_of(str(root), last.also).split("\n"), last.others.split("\n")
    head = len(now) - len(last.also)
    if len(before) != len(now) or before[:head] != now[:head]:
        return None
    for path, old, new in zip(last.also, before[head:], now[head:], strict=True):
        if old != new and path not in changed:
            return None
    return dict(zip(last.also, now[head:], strict=True))


def _part(
    root: Path,
    options: Options,
    seen: Seen,
    last: LastBuild,
    lines: Mapping[str, str],
    changed: Sequence[str],
) -> Part | None:
    """Raises ValueError if a file of the last build has another form than ours."""
    below = tuple(f"{folder}/" for folder in options.visuals)
    disk = Disk(root, (row for row in seen.rows if row[0].startswith(below)), recalls=False)
    data = disk.read(ledgers.PATH) or b""
    ledger = ledgers.loads(ledgers.touching(data, changed))
    entries = ledger.entries.values()
    if ledger.orphans or ledger.failures or len(entries) > FEW or any(entry.exports for entry in entries):
        return None
    read = _read(disk, options, {entry.question for entry in entries}, changed)
    if read is None:
        return None
    book, questions = read
    visuals = tuple(visual for visual in book.visuals if key(visual) in ledger.entries)
    if len(visuals) < len(entries):
        return None
    steps = plan(visuals, options, disk.digest, ledger, root=root)
    state = BookState(disk, options, Book(visuals, (), ()), None, ledger, data, steps, seen.state)
    return Part(state, last, lines, questions)


def _read(
    disk: Disk, options: Options, paths: set[str], changed: Iterable[str]
) -> tuple[Book, tuple[tuple[str, str], ...]] | None:
    """The book of these question files, and of those among the changed ones; and the lines that changed of them.

    None if other questions can see a change.
    """
    below = tuple(f"{folder}/" for folder in options.questions)
    edited = [path for path in changed if path.startswith(below) and path.endswith(QUESTIONS)]
    cache = parse_cache.only(disk.read(parse_cache.PATH) or b"", paths.union(edited))
    known = parse_cache.loads(cache, versions.code("parse"))
    questions = [question for _, question in known.values()]
    if known.keys() != paths.union(edited) or any(one.references or one.suspects for one in questions):
        return None
    files = frozenset(disk.files(options.visuals))
    book = resolved(questions, files, options, disk.unusable(options.visuals), disk.read)
    lines: list[tuple[str, str]] = []
    for path in edited:
        digest, data = disk.digest_and_bytes(path)
        new, wrong = read_question(path, disk, data)
        if new is None or wrong or new.references or new.suspects:
            return None
        found = patch.patched(book, frozenset(), known[path][1], new, options)
        if found is None:
            return None
        book, _ = found
        lines.append((parse_cache.line(path, *known[path]), parse_cache.line(path, digest, new)))
    return None if book.book.problems else (book.book, tuple(lines))


def carry_out(
    part: Part, outcomes: Sequence[Outcome], request: Request, keeper: Keeper, pool: Pool
) -> Report | None:
    """Write what came of the figures; None, before anything tells of it, if all of the book has to be looked at."""
    state, disk = part.state, part.state.disk
    try:
        texts = _texts(part, outcomes)
    except ValueError:
        return None
    production = Production.of(state)
    produce(state, request, outcomes, keeper, production, pool)
    disk.sync()
    if production.renewed != {key(one.step.visual) for one in outcomes if isinstance(one, Built)}:
        return None  # one could not be written
    for path, data in texts.items():
        disk.put_now(path, data)
    disk.sync()
    snapshot = _snapshot(part, production.entries.values(), texts)
    if snapshot is not None:
        disk.put_now(fastpath.PATH, snapshot)
    rows = in_order([*production.rows.values()], state.book, request)
    others = part.last.figures - len(rows)
    return Report(rows, shared=SHARED, others=others, standing=tuple(part.last.warnings))


def _texts(part: Part, outcomes: Iterable[Outcome]) -> dict[str, bytes]:
    """The ledger, the pages and the parse cache with the lines of these figures exchanged, in the order of writing.

    Raises ValueError where an outcome reaches beyond the lines of its figure.
    """
    state = part.state
    for_tools, for_people = state.page_paths
    texts = {path: state.disk.read(path) or b"" for path in (ledgers.PATH, for_tools, for_people)}
    for outcome in outcomes:
        if isinstance(outcome, Fresh):
            continue
        old = outcome.step.entry
        if not isinstance(outcome, Built) or old is None:
            raise ValueError("it fails, or is new")
        new = entry_of(outcome, state.options)
        if old.warnings or new.warnings or paths(old) != paths(new):
            raise ValueError("it has warnings, which stand together, or other outputs")
        name = key(outcome.step.visual)
        (was, groups), (now, used) = (ledger_packing.line(name, entry) for entry in (old, new))
        if groups != used:
            raise ValueError("groups of rows, which figures share, are others")
        texts[ledgers.PATH] = exchanged(texts[ledgers.PATH], was, now)
        _refuse_shown_twice(texts[for_tools], old, state.folder)
        for path, text_of in ((for_tools, manifest.line), (for_people, gallery.card)):
            was, now = (text_of(entry.published, "current", state.folder) for entry in (old, new))
            texts[path] = exchanged(texts[path], was, now)
    if part.questions:
        cache = state.disk.read(parse_cache.PATH) or b""
        for was, now in part.questions:
            cache = exchanged(cache, was, now)
        texts[parse_cache.PATH] = cache
    return texts


def _refuse_shown_twice(text: bytes, entry: Entry, folder: str) -> None:
    """Raise ValueError if another line of the manifest shows the figure as well."""
    light = entry.published.files[0]
    path = f'"path": {json.dumps(manifest.relative(light.path, folder), ensure_ascii=False)}'
    if text.count(path.encode()) != manifest.line(entry.published, "current", folder).count(path):
        raise ValueError("another question shows this figure")


def _snapshot(part: Part, entries: Iterable[Entry], written: Iterable[str]) -> bytes | None:
    """What the next build has to look at; None where something just has changed, or other files were read."""
    last, disk = part.last, part.state.disk
    entries = tuple(entries)
    read = {name for entry in entries for inputs in (entry.declared, entry.traced) for name, _ in inputs.rows}
    made = {file.path for entry in entries for file in all_files(entry)}
    if not read | made <= part.lines.keys() or any(disk.has_changed(name, disk.began) for name in read):
        return None
    root = str(disk.root)
    lines = {**part.lines, **{path: fastpath.line_of(root, path) for path in (*made, *written)}}
    head = last.others.split("\n")[: -len(last.also)]
    others = "\n".join((*head, *(lines[path] for path in last.also)))
    sources = part.state.sources
    return fastpath.dumps(
        LastBuild(last.forms, last.figures, last.warnings, last.also, others, sources),
        part.state.options.folders,
    )
