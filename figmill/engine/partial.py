"""A book read in part: if only the content of some files has changed, the figures that these files concern.

Nothing else can have changed then. After the last build all figures were fresh, no file has come or gone, and every
other file has the size and the times that it had. The texts of all other figures on the pages come from the journal.
If more may have changed, or an outcome reaches further, the whole book is read: the bytes are the same.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from figmill import fastpath
from figmill.book import patch
from figmill.book.question import Question, label_of
from figmill.book.resolve import Book, Ref, resolved
from figmill.config import Options
from figmill.engine import questions
from figmill.engine.drawing.outcome import Built, Outcome
from figmill.engine.fonts import with_fonts
from figmill.engine.plan import plan
from figmill.engine.request import Request
from figmill.engine.state import BookState, Rest, outputs, paths
from figmill.fastpath import LastBuild, Seen
from figmill.model import Origin
from figmill.store.disk import Disk
from figmill.store.ledger import key
from figmill.store.memory import Memory
from figmill.store.question_records import Kept

FEW = 16  # files, and figures; of more, each costs as much as in a whole build


@dataclass(frozen=True, slots=True)
class Part:
    """The figures that the changed files concern, as a book of their own.

    lines: of the snapshot, as they are now, by path.
    """

    state: BookState
    last: LastBuild
    lines: Mapping[str, str]


def part_of(root: Path, options: Options, request: Request, seen: Seen | None) -> Part | None:
    """The part of a book that has changed since the last build; None if all of it has to be looked at."""
    if seen is None or seen.last is None or request != Request(jobs=request.jobs, brief=True):
        return None
    if options.in_place or seen.folders != options.listed:
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
    except ValueError:  # the journal is damaged
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
    disk, memory = Disk(root, (row for row in seen.rows if row[0].startswith(below))), Memory(root)
    ledger = memory.ledger(touching=changed)
    entries = ledger.entries.values()
    if ledger.orphans or ledger.failures or len(entries) > FEW or any(entry.exports for entry in entries):
        return None
    read = _read(disk, memory, options, {entry.question for entry in entries}, changed)
    if read is None:
        return None
    book, kept = read
    visuals = tuple(visual for visual in book.visuals if key(visual) in ledger.entries)
    if len(visuals) < len(entries):
        return None
    rest, refs = _others(memory, {visual.label for visual in visuals})
    steps = plan(visuals, options, disk.digest, ledger, root=root)
    state = BookState(
        disk, options, Book(visuals, refs, ()), memory, kept, ledger, steps, seen.state, rest=rest
    )
    return Part(state, last, lines)


def _others(memory: Memory, own: set[str]) -> tuple[Rest, tuple[Ref, ...]]:
    """What the pages say of all figures but these; and the places where other questions show one of these.

    own: labels. Raises ValueError.
    """
    pages = memory.pages()
    shown = {order: text for order, text in pages.items() if text.shows in own}
    refs = []
    for order, text in shown.items():
        if label_of(order[0], order[1] or None) != text.shows:
            row = json.loads(text.line)
            refs.append(Ref(row["id"], row["name"], row["track"], row["title"], text.shows, Origin("")))
    others = {order: text for order, text in pages.items() if order not in shown}
    return Rest(others, memory.findings()), tuple(refs)


def _read(
    disk: Disk, memory: Memory, options: Options, paths: set[str], changed: Iterable[str]
) -> tuple[Book, Kept] | None:
    """The book of these question files, and of the changed ones; None if other questions can see a change."""
    below = tuple(f"{folder}/" for folder in options.questions)
    edited = [path for path in changed if path.startswith(below) and path.endswith(questions.SUFFIXES)]
    if any(map(questions.is_page, (*changed, *paths))):  # one page may declare many figures
        return None
    known = memory.questions(sorted(paths.union(edited)))
    before = {path: question for path, file in known.items() for question in file.questions}
    if before.keys() != paths.union(edited) or any(map(_is_seen_elsewhere, before.values())):
        return None
    files = frozenset(disk.files(options.visuals))
    book = resolved(before.values(), files, options, disk.unusable(options.visuals), disk.read)
    kept = dict(known)
    for path in edited:
        file = kept[path] = questions.read_file(path, disk, options, known[path])
        if file.problems or len(file.questions) != 1 or _is_seen_elsewhere(file.questions[0]):
            return None
        found = patch.patched(book, frozenset(), before[path], file.questions[0], options)
        if found is None:
            return None
        book, _ = found
    return None if book.book.problems else (book.book, kept)


def _is_seen_elsewhere(question: Question) -> bool:
    """Whether more depends on a question than its figures."""
    return bool(question.references or question.suspects)


def stays_within(part: Part, outcome: Outcome) -> bool:
    """Whether what has come of a figure concerns nothing but itself, and the pages.

    Warnings stand together, in the order of all figures; outputs that are no longer made may be another figure's.
    """
    old = outcome.step.entry
    if old is None or old.warnings:
        return False
    if not isinstance(outcome, Built):
        return True
    made = {path for path, _ in outputs(outcome, part.state.options)}
    return not outcome.settled.warnings and made == paths(old)
