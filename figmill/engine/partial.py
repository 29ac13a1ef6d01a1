"""Read a part of a book: if only the content of some files has changed, only the figures that depend on them.

Nothing else can have changed then: after the last build all figures were fresh, no file was added or removed, and every
other file has the same size and times. The pages take the texts of all other figures from the journal. If more may have
changed, or an outcome affects other figures, the whole book is read. The bytes are the same.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from figmill import fastpath
from figmill.book import catalogues, patch
from figmill.book.question import Question, label_of
from figmill.book.references import Ref
from figmill.book.resolve import Book, resolved
from figmill.config import Options
from figmill.engine import questions
from figmill.engine.book_state import BookState, Rest
from figmill.engine.drawing.outcome import Built, Outcome
from figmill.engine.fonts import with_fonts
from figmill.engine.outputs import outputs, paths
from figmill.engine.plan import plan
from figmill.fastpath import LastBuild, Seen
from figmill.late_dataclasses import dataclass
from figmill.model import Origin
from figmill.store.disk import Disk
from figmill.store.ledger import key
from figmill.store.memory import Memory
from figmill.store.question_records import ParsedFiles

FEW = 16  # files, and figures; with more, each costs as much as in a whole build


@dataclass(frozen=True, slots=True)
class Part:
    """The figures that depend on the changed files, as a book of their own.

    lines: the current lines of the snapshot, by path.
    """

    state: BookState
    last: LastBuild
    lines: Mapping[str, str]


def part_of(root: Path, options: Options, seen: Seen | None) -> Part | None:
    """The part of a book that has changed since the last build; None if the whole book has to be read."""
    if seen is None or seen.last is None:
        return None
    if options.in_place or seen.folders != options.listed:
        return None
    changed = _changed(seen, seen.last)
    if changed is None or len(changed) > FEW or any(map(catalogues.is_one, changed)):
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
    """The regular files whose size or times differ; None if a file was added or removed, or is no longer a regular
    file.
    """
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
    """The current lines of the snapshot's further paths; None if one differs and is not among the changed files."""
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
    rows = (row for row in seen.rows if row[0].startswith(below))
    disk, memory = Disk(root, rows, allowed=options.own_words), Memory(root)
    ledger = memory.ledger(touching=changed)
    entries = ledger.entries.values()
    if ledger.orphans or ledger.failures or len(entries) > FEW or any(entry.exports for entry in entries):
        return None
    parsed = _read(disk, memory, options, {entry.question for entry in entries}, changed)
    if parsed is None:
        return None
    book, kept = parsed
    visuals = tuple(visual for visual in book.visuals if key(visual) in ledger.entries)
    if len(visuals) < len(entries):
        return None
    rest, refs = _others(memory, {visual.label for visual in visuals})
    if any((false := memory.false_numbers(path)) is not None and false.findings for path in kept):
        return None  # its lines stand among those of others
    steps = plan(visuals, options, disk.digest, ledger, root=root)
    state = BookState(
        disk, options, Book(visuals, refs, ()), memory, kept, ledger, steps, seen.state, rest=rest
    )
    return Part(state, last, lines)


def _others(memory: Memory, own: set[str]) -> tuple[Rest, tuple[Ref, ...]]:
    """The texts of all other figures, and the references of other questions to these figures.

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
) -> tuple[Book, ParsedFiles] | None:
    """The book of these question files and the changed ones; None if a change may affect other questions."""
    below = tuple(f"{folder}/" for folder in options.questions)
    edited = [path for path in changed if path.startswith(below) and path.endswith(questions.SUFFIXES)]
    if any(map(questions.is_page, (*changed, *paths))):  # one page may declare many figures
        return None
    files_before = memory.questions(sorted(paths.union(edited)))
    before = {path: question for path, file in files_before.items() for question in file.questions}
    if before.keys() != paths.union(edited) or any(map(_is_seen_elsewhere, before.values())):
        return None
    files = frozenset(disk.files(options.visuals))
    book = resolved(
        before.values(), files, options, disk.unusable(options.visuals), disk.read, disk.hidden, disk.image
    )
    kept = dict(files_before)
    for path in edited:
        file = kept[path] = questions.read_file(path, disk, options, files_before[path])
        if file.problems or len(file.questions) != 1 or _is_seen_elsewhere(file.questions[0]):
            return None
        patched = patch.patched(book, frozenset(), before[path], file.questions[0], options)
        if patched is None:
            return None
        book, _ = patched
    return None if book.book.problems else (book.book, kept)


def _is_seen_elsewhere(question: Question) -> bool:
    """Whether something besides its own figures depends on a question."""
    return bool(question.references or question.suspects)


def stays_within(part: Part, outcome: Outcome) -> bool:
    """Whether an outcome affects only its own figure and the pages.

    Warnings are listed in the order of all figures, and an output that is no longer made may belong to another figure.
    """
    old = outcome.step.entry
    if old is None or old.warnings:
        return False
    if not isinstance(outcome, Built):
        return True
    written = {path for path, _ in outputs(outcome, part.state.options)}
    return not outcome.settled.warnings and written == paths(old)
