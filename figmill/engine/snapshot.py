"""The snapshot: the files by which the next build knows that nothing has changed, or which figures have.

It is written if all figures are current and nothing has failed. The journal then also has the texts that make up the
pages, for a build that reads a part of the book.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import replace

from figmill import fastpath, versions
from figmill.checks import WARN
from figmill.engine import prose, questions
from figmill.engine.book_state import BookState, PageSet
from figmill.engine.keys import installation
from figmill.engine.outputs import all_files
from figmill.engine.partial import Part
from figmill.engine.report import suspicions
from figmill.errors import ReadOnlyError
from figmill.publish import export_plan
from figmill.publish.exporting import LIBRARY
from figmill.report.model import Diagnostic
from figmill.report.text import ReportStyle, warning_lines
from figmill.store import journal
from figmill.store.ledger import Entry

JUST_NOW = 250_000_000  # ns


def leave(
    state: BookState, entries: Mapping[str, Entry], pages: PageSet | None, part: Part | None = None
) -> None:
    """Save what speeds up the next build: digests and, if there are no problems, the texts of the pages and the
    snapshot.

    pages: as written; None if there are problems. part: the part of the book that was read; None: all of it.
    """
    state = replace(state, ids=())  # the snapshot covers the whole book, whatever was requested
    of_prose = prose.notes(state, entries, is_strict=False)
    with suppress(ReadOnlyError):
        state.memory.save_false_numbers(
            {path: false for path, (_, false) in state.false_numbers.items()}, is_whole=part is None
        )
        if part is None:
            state.memory.save_digests(state.disk.reliable_digests())
        if pages is not None:
            state.memory.save_texts(pages.texts, pages.findings)
    if pages is None:
        return
    if part is not None and of_prose:
        return  # whose lines stand among those of others
    data = _of_book(state, entries, of_prose) if part is None else _of_part(part, entries.values())
    if data is not None:
        state.disk.keep(fastpath.PATH, data)


def _of_book(state: BookState, entries: Mapping[str, Entry], of_prose: Iterable[Diagnostic]) -> bytes | None:
    options, disk, root = state.options, state.disk, str(state.disk.root)
    traced = {name for entry in entries.values() for name in _read(entry)}
    since = disk.began - JUST_NOW  # the settings were read shortly before
    if any(
        disk.has_changed(name, since)
        for name in (*fastpath.CONFIGURATION, *options.fonts, options.claims_record)
    ):
        return None
    if any(disk.has_changed(name, disk.began) for name in traced):
        return None
    outputs = {file.path for entry in entries.values() for file in all_files(entry)}
    forms = export_plan.complete(entries, options, disk.root)
    library = [versions.folder(LIBRARY)] if forms else []
    ours = (journal.PATH, *state.page_paths)
    shown = questions.images(state.questions)
    settings = (*fastpath.CONFIGURATION, *options.fonts, options.claims_record)
    also = sorted({*settings, *traced, *outputs, *ours, *shown})
    ordered = sorted(entries.values(), key=lambda entry: entry.published.order)
    warned = [
        Diagnostic.of_check(warning, WARN, entry.published.id, entry.published.name)
        for entry in ordered
        for warning in entry.warnings
    ]
    warnings = [
        str(line)
        for line in warning_lines([*warned, *suspicions(state, is_strict=False), *of_prose], ReportStyle())
    ]
    also += [*installation(), *library]
    others = fastpath.state_of(root, also)
    last = fastpath.LastBuild(forms, len(state.steps), warnings, also, others, state.sources)
    return fastpath.dumps(last, options.listed)


def _of_part(part: Part, entries: Iterable[Entry]) -> bytes | None:
    """The last snapshot with the current lines of the changed files; None also if other files were read."""
    last, state, disk = part.last, part.state, part.state.disk
    entries = tuple(entries)
    inputs = {name for entry in entries for name in _read(entry)}
    outputs = {file.path for entry in entries for file in all_files(entry)}
    if not inputs | outputs <= part.lines.keys() or any(
        disk.has_changed(name, disk.began) for name in inputs
    ):
        return None
    written = [*outputs, journal.PATH, *state.page_paths]
    lines = {**part.lines, **dict(zip(written, fastpath.lines_of(str(disk.root), written), strict=True))}
    head = last.others.split("\n")[: -len(last.also)]
    others = "\n".join((*head, *(lines[path] for path in last.also)))
    return fastpath.dumps(
        fastpath.LastBuild(last.forms, last.figures, last.warnings, last.also, others, state.sources),
        state.options.listed,
    )


def _read(entry: Entry) -> list[str]:
    """The names of the files that a figure was drawn from."""
    return [name for inputs in (entry.declared, entry.traced) for name, _ in inputs.rows]
